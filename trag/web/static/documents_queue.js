// The queue as it is now: drawn by the server, asked for again while something is in work, and the table after it.
import { follow as followPart } from "/following.js";
import { localTimes } from "/pages.js";
import { filled, stretch } from "/words.js";

const SURE = 5; // seconds of a step that must have been seen before it says how long it still takes

/** Keeps `part` as the server draws it. Gives a function to call when there is something new. */
export function follow(part) {
  const seen = new Map(); // job and step -> when it was first seen, and how much was done then
  let began, over; // when work was first seen, and the jobs that had ended by then
  const said = Object.assign(document.createElement("p"), { className: "notice", role: "alert", hidden: true });
  part.before(said); // why something was not done

  const inWork = () => Number(part.firstElementChild.dataset.busy);

  const left = () => {
    for (const row of part.querySelectorAll("[data-state=working]")) {
      const { job, step, done, total } = row.dataset;
      const key = `${job} ${step}`;
      const now = performance.now() / 1000;
      if (!seen.has(key)) seen.set(key, { at: now, done: Number(done) });
      const first = seen.get(key);
      const [gone, more] = [now - first.at, Number(done) - first.done];
      if (gone < SURE || more <= 0 || Number(total) < 2) continue;
      const time = stretch(((Number(total) - Number(done)) * gone) / more);
      row.querySelector(".left").textContent = filled(part.dataset.left, { time });
    }
  };

  /** How long all that is in work still takes, judged by the files that have ended since it was first seen. */
  const whole = () => {
    const busy = inWork();
    const ended = [...part.querySelectorAll("[data-state=done], [data-state=failed]")].map((row) => row.dataset.job);
    if (!busy || !over) [began, over] = [undefined, new Set(ended)];
    if (!busy) return;
    began ??= performance.now() / 1000;
    const gone = performance.now() / 1000 - began;
    const done = ended.filter((job) => !over.has(job)).length;
    if (gone >= SURE && done) part.querySelector(".whole").textContent = filled(part.dataset.whole, { time: stretch((busy * gone) / done) });
  };

  const table = async () => {
    const answer = await fetch(location.href);
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const parts = [".current", "#list"].map((selector) => [document.querySelector(selector), page.querySelector(selector)]);
    // What somebody is using stays as it is until the next look.
    if (parts.some(([old, fresh]) => !fresh || old.contains(document.activeElement))) return false;
    for (const [old, fresh] of parts) {
      localTimes(fresh);
      old.replaceWith(fresh);
    }
    return true;
  };

  const look = followPart(part, "/documents/queue", {
    state: () => part.firstElementChild.dataset.states,
    looked: () => [left(), whole()],
    ended: table,
    isBusy: inWork,
  });

  part.addEventListener("submit", async (event) => {
    event.preventDefault();
    event.stopPropagation();
    const answer = await fetch(event.target.action, { method: "POST", headers: { Accept: "application/json" } });
    if (answer.status === 401) return location.reload();
    said.textContent = answer.ok ? "" : (await answer.json().catch(() => ({}))).detail ?? part.dataset.undone;
    said.hidden = answer.ok;
    look();
  });
  return look;
}
