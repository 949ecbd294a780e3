// One view of a chart: its picture, its outline, the search and the details, which always show the same unit.
import { Outline } from "/charts_outline.js";
import { Picture } from "/charts_picture.js";
import { Units } from "/charts_units.js";
import { combobox } from "/combobox.js";
import { counted, filled, number } from "/words.js";

const FOUND = 50; // units listed under the search box

const made = (tag, text = "", more = {}) => {
  const node = Object.assign(document.createElement(tag), more);
  node.textContent = text;
  if (text) node.dir = "auto";
  return node;
};

export async function show(root) {
  const { path, query, changed } = root.dataset;
  const [marks, changes] = [root.dataset.marks, root.dataset.changes].map((each) => each && JSON.parse(each));
  const answer = await fetch(`${path}/picture?${query}`);
  if (!answer.ok) throw new Error(`the picture did not come: ${answer.status}`);
  const units = new Units(await answer.json());
  const details = root.querySelector(".unit");
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
      const count = counted(changes, units.changes.length);
      root.querySelector(".steps .count").textContent = place < 0 ? count : filled(root.dataset.place, { place: number(place + 1), all: count });
    }
    describe(unit);
  };

  const picture = new Picture(root.querySelector("canvas"), units, { changed }, choose);
  const outline = new Outline(root.querySelector("[role=tree]"), units, { changed, marks }, choose);

  async function describe(unit) {
    // Who moves in the outline hears the unit there already.
    details.ariaLive = document.activeElement === picture.canvas ? "polite" : "off";
    const differs = [...units.mark(unit)].map((mark) => marks[mark]).join(" · ");
    const below = units.size[unit] - 1;
    const direct = [...units.under(unit)].length;
    const counts = below ? filled(root.dataset.counts, { direct: number(direct), all: number(below) }) : root.dataset.alone;
    const title = made("h2", units.names[unit]);
    const line = made("p", "", { className: "soft" });
    for (const text of [differs, units.kind(unit), counts].filter(Boolean)) line.append(line.firstChild ? " · " : "", made("bdi", text));
    const facts = made("dl");
    details.replaceChildren(title, line, facts);
    wanted?.abort();
    wanted = new AbortController();
    try {
      const answer = await fetch(`${path}/units/${unit}?${query}`, { signal: wanted.signal });
      const known = answer.ok ? await answer.json() : { facts: [[root.dataset.details, root.dataset.missing]], before: [] };
      const row = (name, text, kind) => {
        const row = made("div", "", { className: kind });
        row.append(made("dt", name), made("dd", text));
        return row;
      };
      facts.replaceChildren(
        ...known.before.map(([name, text]) => row(filled(root.dataset.before, { name }), text || root.dataset.none, "before")),
        ...known.facts.map(([name, text]) => row(name, text, "")),
      );
    } catch (error) {
      if (error.name !== "AbortError") throw error;
    }
  }

  const list = root.querySelector("#found");
  const look = (words, show) => {
    hits = units.search(words);
    picture.highlight(hits);
    const found = hits.slice(0, FOUND).map((unit) => {
      const [alias, above] = [units.alias(unit, words), units.above[unit]];
      const beside = [alias, above >= 0 && filled(list.dataset.under, { unit: units.names[above] })].filter(Boolean);
      return [made("span", units.names[unit]), ...beside.map((text) => made("span", text, { className: "soft" }))];
    });
    show(found, hits.length > FOUND ? filled(root.dataset.more, { number: number(hits.length - FOUND) }) : "");
  };
  combobox(root.querySelector("input[type=search]"), list, look, (place) => choose(hits[place]));

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
