// Work that goes on on the server, followed on a page: its part is drawn anew while it lasts, the rest when it ends.
import { localTimes } from "/pages.js";

const PACE = 1000; // milliseconds between two looks while something runs
const REST = 10_000; // and while nothing does: somebody else may begin

/** Keeps `part` as the server draws it at `address`, and the rest of the page with it when something has ended. */
export function follow(part, address) {
  const said = document.querySelector("#said");
  let timer, html = "", seen = JSON.stringify(part.firstElementChild.dataset), looking = false;
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
