// A unit searched by name (WAI-ARIA combobox): typed, gone through with the arrows, taken with Enter or a press.
import { filled } from "/words.js";

/**
 * While somebody types into `box`, `look` is given the words and a function to call with what they find, also later: the
 * nodes of each unit, and a line under them all. `take` is told the place of the unit that is chosen.
 */
export function combobox(box, list, look, take) {
  const options = () => [...list.querySelectorAll("[role=option]")];
  const pointed = () => options().findIndex((each) => each.ariaSelected === "true");
  const point = (place) => {
    options().forEach((each, at) => each.setAttribute("aria-selected", String(at === place)));
    const option = options()[place];
    option?.scrollIntoView({ block: "nearest" });
    if (option) box.setAttribute("aria-activedescendant", option.id);
  };
  const close = () => {
    list.hidden = true;
    box.setAttribute("aria-expanded", "false");
    box.removeAttribute("aria-activedescendant");
  };
  const choose = (place) => {
    if (list.hidden || !options()[place]) return;
    close();
    take(place);
  };
  const note = (text) => Object.assign(document.createElement("li"), { className: "soft", textContent: text });
  const show = (found, more = "") => {
    if (document.activeElement !== box) return; // who typed went on meanwhile
    list.replaceChildren(
      ...found.map((nodes, place) => {
        const option = Object.assign(document.createElement("li"), { id: `${list.id}-${place}`, role: "option" });
        option.append(...nodes);
        return option;
      }),
    );
    if (more) list.append(note(more));
    if (box.value.trim() && !found.length) list.append(note(list.dataset.none));
    list.hidden = !list.childElementCount;
    box.setAttribute("aria-expanded", String(!list.hidden));
    point(0);
  };

  box.addEventListener("input", () => look(box.value, show));
  box.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown") point(Math.min(pointed() + 1, options().length - 1));
    else if (event.key === "ArrowUp") point(Math.max(pointed() - 1, 0));
    else if (event.key === "Enter") choose(Math.max(pointed(), 0));
    else if (event.key === "Escape" && !list.hidden) close();
    else return;
    event.preventDefault();
  });
  box.addEventListener("blur", close);
  list.addEventListener("mousedown", (event) => event.preventDefault()); // the box keeps the focus, so the list stays
  list.addEventListener("click", (event) => choose(options().indexOf(event.target.closest("[role=option]"))));
}

/** The same over the units of the chart in use, which the server knows: `take` is told of the one that is chosen. */
export function units(box, list, take) {
  let hits = [], wanted, timer;
  const look = async (words, show) => {
    wanted?.abort();
    wanted = new AbortController();
    try {
      const answer = await fetch(`/documents/units?${new URLSearchParams({ words })}`, { signal: wanted.signal });
      hits = answer.ok ? await answer.json() : [];
    } catch (error) {
      if (error.name === "AbortError") return;
      hits = [];
    }
    const made = (tag, text, className = "") => Object.assign(document.createElement(tag), { textContent: text, className });
    show(hits.map((unit) => [made("bdi", unit.name), ...(unit.under ? [made("span", ` ${filled(list.dataset.under, { unit: unit.under })}`, "soft")] : [])]));
  };
  const later = (words, show) => {
    clearTimeout(timer);
    timer = setTimeout(look, 150, words, show);
  };
  combobox(box, list, later, (place) => take(hits[place]));
}
