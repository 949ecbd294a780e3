// The pages of the evaluations: questions uploaded, what runs followed, answers judged in their place.
import { follow, refresh } from "/following.js";
import { dropped, send } from "/sending.js";

for (const form of document.querySelectorAll("[data-questions]")) upload(form);
const progress = document.querySelector("#progress");
if (progress) follow(progress, "/quality/progress");
document.addEventListener("submit", judge, true);
const rows = document.querySelector("[data-rows]");
if (rows) keys();

function upload(form) {
  const [bar, status, input] = [form.querySelector("progress"), form.querySelector(".status"), form.querySelector("input")];
  const say = (text) => {
    status.textContent = text;
    status.classList.toggle("problems-found", text.includes("\n"));
    status.tabIndex = text.includes("\n") ? 0 : -1;
  };
  const take = async (file) => {
    if (!file || form.classList.contains("sending")) return;
    const largest = Number(form.dataset.questions);
    if (file.size > largest) return say(`${file.name} has ${Math.ceil(file.size / 2 ** 20)} MB; a set may have ${Math.floor(largest / 2 ** 20)} MB. Split it.`);
    form.classList.add("sending");
    bar.hidden = false;
    say(`Sending ${file.name} …`);
    try {
      const address = `/quality/cases?${new URLSearchParams({ name: file.name })}`;
      const { page } = await send(file, address, (share) => (bar.value = 100 * share));
      // The same set again has the same address, which by itself would load nothing.
      if (new URL(page, location).href === location.href) location.reload();
      else location.assign(page);
    } catch (error) {
      form.classList.remove("sending");
      bar.hidden = true;
      input.value = "";
      say(error.message);
    }
  };
  input.addEventListener("change", () => take(input.files[0]));
  dropped(form, (data) => take(data.files[0]));
}

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
    form.querySelector(".soft").textContent = "That was not kept. Try again:";
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
