// Work that goes on on the server, followed on a page: its part is drawn anew while it lasts, the rest when it ends.
import { localTimes } from "/pages.js";

const PACE = 1000; // milliseconds between two looks while something runs
const REST = 10_000; // and while nothing does: somebody else may begin

/**
 * Keeps `part` as the server draws it at `address`, and the rest of the page with it when something has ended. A page
 * may say otherwise what state its part is in, what is done each time (`looked`), what is done when the state is another
 * (`ended`: false leaves it to the next look), and whether something is in work. Gives a function to look at once.
 */
export function follow(part, address, page = {}) {
  const { state, looked, ended, isBusy } = { state: dataset, looked: () => {}, ended: tell, isBusy: hasProgress, ...page };
  let timer, html = "", seen = state(part), looking = false;
  const look = async () => {
    clearTimeout(timer);
    if (looking) return;
    looking = true;
    try {
      const answer = await fetch(address);
      if (answer.status === 401) return location.reload(); // which leads to sign in
      const fresh = await answer.text();
      if (answer.ok && fresh !== html) {
        const focused = part.contains(document.activeElement) ? document.activeElement.closest("form")?.getAttribute("action") : null;
        part.innerHTML = html = fresh;
        localTimes(part);
        part.querySelector(`form[action="${focused}"] button`)?.focus();
      }
      looked();
      const now = state(part);
      if (now !== seen && "reload" in part.dataset) return location.reload();
      if (now !== seen && (await ended(part)) !== false) seen = now;
    } catch {
      // The connection broke off: the next look tells.
    }
    looking = false;
    timer = setTimeout(look, isBusy(part) && !document.hidden ? PACE : REST);
  };
  document.addEventListener("visibilitychange", () => document.hidden || look());
  look();
  return look;
}

const dataset = (part) => JSON.stringify(part.firstElementChild.dataset);
const hasProgress = (part) => part.querySelector("progress");

async function tell(part) {
  document.querySelector("#said").textContent = part.querySelector(".state")?.textContent ?? "";
  await refresh();
}

/** Draws anew what shows figures; what somebody is using stays as it is. */
export async function refresh() {
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
