// The pages of the evaluations: questions uploaded, what runs followed, answers judged in their place.
import { follow, refresh } from "/following.js";
import { upload } from "/sending.js";

for (const form of document.querySelectorAll("[data-questions]")) {
  upload(form, { largest: Number(form.dataset.questions), address: "/quality/cases" });
}
const progress = document.querySelector("#progress");
if (progress) follow(progress, "/quality/progress");
document.addEventListener("submit", judge, true);
const rows = document.querySelector("[data-rows]");
if (rows) keys();

// A verdict draws its answer anew, and the figures with it; the rest of the list stays where it is.
async function judge(event) {
  const form = event.target;
  if (!("part" in form.dataset)) return;
  event.preventDefault();
  event.stopPropagation();
  if (form.classList.contains("sent")) return;
  form.classList.add("sent");
  const row = form.closest("li");
  try {
    const body = new URLSearchParams([["verdict", event.submitter.value], ["part", "row"]]);
    const answer = await fetch(form.action, { method: "POST", body });
    const fresh = new DOMParser().parseFromString(await answer.text(), "text/html").querySelector("li");
    if (!answer.ok || !fresh) throw new Error();
    row.replaceWith(fresh);
    fresh.focus({ preventScroll: true });
    await refresh();
  } catch {
    form.classList.remove("sent");
    form.querySelector(".soft").textContent = form.dataset.failed;
  }
}

function keys() {
  document.addEventListener("keydown", (event) => {
    if (event.target.closest("input, textarea, select") || event.ctrlKey || event.metaKey || event.altKey) return;
    const all = [...rows.children];
    const row = document.activeElement.closest("[data-rows] > li");
    const step = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1 }[event.key];
    const button = row?.querySelectorAll(".judge button")[Number(event.key) - 1];
    // The arrows move the page until somebody is on a row.
    if (button) button.click();
    else if (step && (row || event.key.length === 1)) {
      const next = all[row ? Math.min(Math.max(all.indexOf(row) + step, 0), all.length - 1) : 0];
      next?.focus();
      next?.scrollIntoView({ block: "nearest" });
    } else if (event.key === "Enter" && document.activeElement === row) row.querySelector("a").click();
    else return;
    event.preventDefault();
  });
}
