// The chart as a tree of text (WAI-ARIA tree view), filled as it is opened: the picture's twin for keyboards and screen readers.

import { filled, number } from "/words.js";

const SLICE = 200; // units of a branch that are added at once

const SIGNS = { "+": "+", "-": "−", ">": "→", "=": "✎", "*": "✎" };

export class Outline {
  /** `texts` are those of the view: what each mark means, how many units changed. */
  constructor(tree, units, texts, choose) {
    Object.assign(this, { tree, units, texts, chosen: -1, onchoose: choose });
    this.items = new Map();
    tree.append(this.item(0, 1, 1));
    this.open(0);
    tree.addEventListener("click", (event) => this.press(event));
    tree.addEventListener("keydown", (event) => this.key(event));
  }

  /** Shows a unit, opening what is above it. */
  choose(unit, focus) {
    const before = this.items.get(this.chosen);
    before?.setAttribute("aria-selected", "false");
    before?.setAttribute("tabindex", "-1");
    const path = this.units.path(unit);
    path.slice(0, -1).forEach((above, place) => {
      this.open(above);
      while (!this.items.has(path[place + 1])) this.more(above);
    });
    const item = this.items.get(unit);
    this.chosen = unit;
    item.setAttribute("aria-selected", "true");
    item.setAttribute("tabindex", "0");
    if (focus) item.focus({ preventScroll: true });
    const box = this.tree.parentElement;
    const [line, frame] = [item.firstChild.getBoundingClientRect(), box.getBoundingClientRect()];
    if (line.top < frame.top || line.bottom > frame.bottom) box.scrollTop += line.top - frame.top - frame.height / 3;
  }

  item(unit, place, among) {
    const { units } = this;
    const item = document.createElement("li");
    const below = units.size[unit] - 1;
    item.role = "treeitem";
    item.unit = unit;
    item.tabIndex = -1;
    item.ariaLevel = units.depth[unit] + 1;
    item.ariaPosInSet = place;
    item.ariaSetSize = among;
    item.ariaSelected = "false";
    if (below) item.ariaExpanded = "false";
    const line = document.createElement("span");
    line.className = "line";
    line.style.setProperty("--depth", units.depth[unit]);
    const marks = [...units.mark(unit)];
    for (const sign of new Set(marks.map((mark) => SIGNS[mark]))) line.append(this.note(sign === "→" ? "mark turns" : "mark", sign));
    if (marks.length) {
      line.dataset.mark = units.mark(unit)[0];
      line.append(this.note("unseen", `${marks.map((mark) => this.texts.marks[mark].toLowerCase()).join(", ")}: `));
    }
    const name = document.createElement("bdi");
    name.className = "name";
    name.textContent = units.names[unit];
    line.append(name);
    if (below) line.append(" ", this.note("count", number(below)), this.note("unseen", ` ${this.tree.dataset.under}`));
    if (units.changed[unit]) line.append(" ", this.note("inside", filled(this.texts.changed, { number: number(units.changed[unit]) })));
    item.append(line);
    this.items.set(unit, item);
    return item;
  }

  note(kind, text) {
    const note = document.createElement("span");
    note.className = kind;
    note.textContent = text;
    return note;
  }

  open(unit) {
    const item = this.items.get(unit);
    if (item.ariaExpanded !== "false") return;
    item.ariaExpanded = "true";
    if (item.querySelector(":scope > ul")) return;
    const list = document.createElement("ul");
    list.role = "group";
    item.append(list);
    item.waiting = [...this.units.under(unit)];
    item.among = item.waiting.length;
    this.more(unit);
  }

  more(unit) {
    const item = this.items.get(unit);
    const list = item.querySelector(":scope > ul");
    const next = item.waiting.splice(0, SLICE);
    const first = item.among - item.waiting.length - next.length + 1;
    list.querySelector(":scope > .more")?.remove();
    list.append(...next.map((child, place) => this.item(child, first + place, item.among)));
    if (!item.waiting.length) return;
    const rest = document.createElement("li");
    rest.className = "more";
    rest.role = "treeitem";
    rest.tabIndex = -1;
    rest.of = unit;
    rest.append(this.note("line", filled(this.tree.dataset.more, { number: number(item.waiting.length), some: Math.min(SLICE, item.waiting.length) })));
    rest.firstChild.style.setProperty("--depth", this.units.depth[unit] + 1);
    list.append(rest);
  }

  close(unit) {
    this.items.get(unit).ariaExpanded = "false";
  }

  press(event) {
    const item = event.target.closest("li");
    if (!item) return;
    if (item.of !== undefined) return this.continued(item);
    const { left, right } = item.firstChild.getBoundingClientRect();
    const arrow = (this.isTurned() ? right - event.clientX : event.clientX - left) < this.indent(item);
    if (item.ariaExpanded && (arrow || item.unit === this.chosen)) {
      if (item.ariaExpanded === "true") this.close(item.unit);
      else this.open(item.unit);
      if (arrow) return;
    }
    this.onchoose(item.unit, { focus: true });
  }

  indent(item) {
    return parseFloat(getComputedStyle(item.firstChild).paddingInlineStart);
  }

  /** Whether its lines begin at the right, so that the arrow to the left leads further down. */
  isTurned() {
    return getComputedStyle(this.tree).direction === "rtl";
  }

  continued(rest) {
    const { of } = rest;
    const previous = rest.previousElementSibling;
    this.more(of);
    previous.nextElementSibling?.focus();
  }

  key(event) {
    const item = event.target.closest("li");
    if (!item || event.ctrlKey || event.metaKey || event.altKey) return;
    const shown = () => [...this.tree.querySelectorAll("li")].filter((each) => each.checkVisibility());
    const go = (to) => {
      if (!to) return;
      if (to.of === undefined) this.onchoose(to.unit, { focus: true });
      else to.focus();
    };
    const { unit } = item;
    const [deeper, back] = this.isTurned() ? ["ArrowLeft", "ArrowRight"] : ["ArrowRight", "ArrowLeft"];
    const all = event.key === "ArrowRight" || event.key === "ArrowLeft" || event.key === "Enter" ? [] : shown();
    const place = all.indexOf(item);
    if (event.key === "ArrowDown") go(all[place + 1]);
    else if (event.key === "ArrowUp") go(all[place - 1]);
    else if (event.key === "Home") go(all[0]);
    else if (event.key === "End") go(all.at(-1));
    else if (event.key === "Enter" || event.key === " ") item.of === undefined ? this.onchoose(unit, { focus: true }) : this.continued(item);
    else if (event.key === deeper) {
      if (item.ariaExpanded === "false") this.open(unit);
      else if (item.ariaExpanded) go(this.items.get(unit + 1));
    } else if (event.key === back) {
      if (item.ariaExpanded === "true") this.close(unit);
      else go(item.parentElement.closest("li"));
    } else if (event.key.length === 1 && /\S/.test(event.key)) {
      const begins = (each) => each.of === undefined && this.units.names[each.unit].toLowerCase().startsWith(event.key.toLowerCase());
      go([...all.slice(place + 1), ...all.slice(0, place)].find(begins));
    } else return;
    event.preventDefault();
  }
}
