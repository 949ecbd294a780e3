// The pages of the evaluations: questions uploaded, what runs followed, answers judged in their place.
import { localTimes } from "/pages.js";
import { dropped, send } from "/sending.js";

const PACE = 1000; // milliseconds between two looks while something runs
const REST = 10_000; // and while nothing does: somebody else may begin

for (const form of document.querySelectorAll("[data-questions]")) upload(form);
const progress = document.querySelector("#progress");
if (progress) follow(progress);
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

/** Keeps `part` as the server draws it, and the rest of the page with it when something has ended. */
function follow(part) {
  const said = document.querySelector("#said");
  let timer, html = "", seen = JSON.stringify(part.firstElementChild.dataset), looking = false;
  const look = async () => {
    clearTimeout(timer);
    if (looking) return;
    looking = true;
    try {
      const answer = await fetch("/quality/progress");
      const fresh = await answer.text();
      if (answer.ok && fresh !== html) {
        const focused = part.contains(document.activeElement) ? document.activeElement.closest("form")?.getAttribute("action") : null;
        part.innerHTML = html = fresh;
        part.querySelector(`form[action="${focused}"] button`)?.focus();
      }
      const now = JSON.stringify(part.firstElementChild.dataset);
      if (now !== seen && "reload" in part.dataset) return location.reload();
      if (now !== seen) {
        said.textContent = part.querySelector(".state")?.textContent ?? "";
        await refresh();
        seen = now;
      }
    } catch {
      // The connection broke off: the next look tells.
    }
    looking = false;
    const running = part.querySelector("progress");
    timer = setTimeout(look, running && !document.hidden ? PACE : REST);
  };
  document.addEventListener("visibilitychange", () => document.hidden || look());
  look();
}

/** Draws anew what shows figures; what somebody is using stays as it is. */
async function refresh() {
  const answer = await fetch(location.href);
  if (!answer.ok) return;
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  for (const old of document.querySelectorAll("[data-fresh]")) {
    const fresh = page.getElementById(old.id);
    if (!fresh || old.contains(document.activeElement)) continue;
    localTimes(fresh);
    const before = old.querySelectorAll("details");
    fresh.querySelectorAll("details").forEach((details, place) => (details.open = before[place]?.open ?? details.open));
    old.replaceWith(fresh);
  }
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
