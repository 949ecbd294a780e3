// One view of a chart: its picture, its outline, the search and the details, which always show the same unit.
import { Outline } from "/charts_outline.js";
import { Picture } from "/charts_picture.js";
import { Units } from "/charts_units.js";

const FOUND = 50; // units listed under the search box
const number = new Intl.NumberFormat("en");
const counted = (count, one, many) => `${number.format(count)} ${count === 1 ? one : many}`;
const MARKS = { "+": "Added", "-": "Removed", ">": "Moved", "=": "Renamed", "*": "Edited" };

const made = (tag, text = "", more = {}) => {
  const node = Object.assign(document.createElement(tag), more);
  node.textContent = text;
  if (text) node.dir = "auto";
  return node;
};

export async function show(root) {
  const { path, query } = root.dataset;
  const answer = await fetch(`${path}/picture?${query}`);
  if (!answer.ok) throw new Error(`the picture did not come: ${answer.status}`);
  const units = new Units(await answer.json());
  const details = root.querySelector(".unit");
  const box = root.querySelector("input[type=search]");
  const list = root.querySelector("#found");
  const panes = root.querySelector(".panes");
  let chosen = 0, hits = [], wanted;

  const choose = (unit, { zoom = true, focus = false } = {}) => {
    chosen = unit;
    picture.choose(unit, zoom);
    outline.choose(unit, focus);
    const crumbs = units.path(unit).map((each) => {
      const item = made("li");
      const button = made("button", units.names[each], { type: "button", onclick: () => choose(each) });
      if (each === unit) button.setAttribute("aria-current", "true");
      item.append(button);
      return item;
    });
    root.querySelector(".crumbs").replaceChildren(...crumbs);
    if (units.changes.length) {
      const place = units.changes.indexOf(unit);
      const count = counted(units.changes.length, "change", "changes");
      root.querySelector(".steps .count").textContent = place < 0 ? count : `${number.format(place + 1)} of ${count}`;
    }
    describe(unit);
  };

  const picture = new Picture(root.querySelector("canvas"), units, choose);
  const outline = new Outline(root.querySelector("[role=tree]"), units, choose);

  async function describe(unit) {
    // Who moves in the outline hears the unit there already.
    details.ariaLive = document.activeElement === picture.canvas ? "polite" : "off";
    const marks = [...units.mark(unit)].map((mark) => MARKS[mark]).join(", ");
    const below = units.size[unit] - 1;
    const direct = [...units.under(unit)].length;
    const counts = below ? `${number.format(direct)} directly under it, ${number.format(below)} in all` : "nothing under it";
    const title = made("h3", units.names[unit]);
    const line = made("p", "", { className: "soft" });
    for (const text of [marks, units.kind(unit), counts].filter(Boolean)) line.append(line.firstChild ? " · " : "", made("bdi", text));
    const facts = made("dl");
    details.replaceChildren(title, line, facts);
    wanted?.abort();
    wanted = new AbortController();
    try {
      const answer = await fetch(`${path}/units/${unit}?${query}`, { signal: wanted.signal });
      const known = answer.ok ? await answer.json() : { facts: [["Details", "They did not come; reload the page."]], before: [] };
      const row = (name, text, kind) => {
        const row = made("div", "", { className: kind });
        row.append(made("dt", name), made("dd", text));
        return row;
      };
      facts.replaceChildren(
        ...known.before.map(([name, text]) => row(`${name} before`, text || "none", "before")),
        ...known.facts.map(([name, text]) => row(name, text, "")),
      );
    } catch (error) {
      if (error.name !== "AbortError") throw error;
    }
  }

  // ---- Search: a combobox over names and aliases ----
  const close = () => {
    list.hidden = true;
    box.setAttribute("aria-expanded", "false");
    box.removeAttribute("aria-activedescendant");
  };
  const point = (place) => {
    list.querySelector("[aria-selected=true]")?.setAttribute("aria-selected", "false");
    const option = list.querySelectorAll("[role=option]")[place];
    option?.setAttribute("aria-selected", "true");
    option?.scrollIntoView({ block: "nearest" });
    if (option) box.setAttribute("aria-activedescendant", option.id);
  };
  const pointed = () => [...list.querySelectorAll("[role=option]")].findIndex((each) => each.ariaSelected === "true");
  const take = (place) => {
    if (hits[place] === undefined) return;
    close();
    choose(hits[place]);
  };
  box.addEventListener("input", () => {
    hits = units.search(box.value);
    picture.highlight(hits);
    list.replaceChildren(
      ...hits.slice(0, FOUND).map((unit, place) => {
        const option = made("li", "", { id: `found-${place}`, role: "option", onclick: () => take(place) });
        const above = units.above[unit];
        option.append(made("span", units.names[unit]));
        const alias = units.alias(unit, box.value);
        if (alias) option.append(made("span", alias, { className: "soft" }));
        if (above >= 0) option.append(made("span", `under ${units.names[above]}`, { className: "soft" }));
        return option;
      }),
    );
    const more = hits.length - FOUND;
    if (more > 0) list.append(made("li", `and ${number.format(more)} more, marked in the picture`, { className: "soft" }));
    if (box.value.trim() && !hits.length) list.append(made("li", "No unit is called that", { className: "soft" }));
    list.hidden = !list.childElementCount;
    box.setAttribute("aria-expanded", String(!list.hidden));
    point(0);
  });
  box.addEventListener("keydown", (event) => {
    const last = Math.min(hits.length, FOUND) - 1;
    if (event.key === "ArrowDown") point(Math.min(pointed() + 1, last));
    else if (event.key === "ArrowUp") point(Math.max(pointed() - 1, 0));
    else if (event.key === "Enter") take(Math.max(pointed(), 0));
    else if (event.key === "Escape" && !list.hidden) close();
    else return;
    event.preventDefault();
  });
  box.addEventListener("blur", () => setTimeout(close, 150)); // after a press on what was found

  // ---- Tools ----
  root.querySelectorAll("[data-zoom]").forEach((button) => {
    button.onclick = () => picture.zoom(button.dataset.zoom);
  });
  root.querySelectorAll("[data-step]").forEach((button) => {
    button.disabled = !units.changes.length;
    button.onclick = () => {
      const step = Number(button.dataset.step);
      const { changes } = units;
      const next = step > 0 ? changes.find((unit) => unit > chosen) : changes.findLast((unit) => unit < chosen);
      choose(next ?? changes.at(step > 0 ? 0 : -1));
    };
  });
  root.querySelectorAll("[data-show]").forEach((button) => {
    button.onclick = () => {
      panes.dataset.shown = button.dataset.show;
      root.querySelectorAll("[data-show]").forEach((each) => each.setAttribute("aria-pressed", String(each === button)));
      picture.measure();
    };
  });
  root.removeAttribute("aria-busy");
  root.querySelector(".tools").disabled = false;
  choose(0);
}
