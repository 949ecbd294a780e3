// The chart as an icicle on a canvas: the top unit at the left, each unit as high as the ends of the branches under it.
// Only what is in the window and at least a pixel high is drawn, so that a frame costs the same for any size of chart.
import { listen } from "/charts_hands.js";
import { Labels } from "/charts_labels.js";
import { filled, number } from "/words.js";

const FONT = '13px system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", sans-serif';
const LINE = 17;
const TALLEST = 44; // pixels of a unit without units under it, at the nearest
const WIDEST = 480;
const DEPTHS = [0.24, 0.19, 0.15, 0.12, 0.09, 0.07]; // how strong the colour of a level is
const COLOURS = ["paper", "ink", "soft", "edge", "accent", "mark", "added", "removed", "moved", "renamed"];
const SIGNS = { "+": ["+", "added"], "-": ["−", "removed"], ">": ["→", "moved"], "=": ["✎", "renamed"], "*": ["✎", "renamed"] };
const RIGHT_TO_LEFT = /^[^\p{L}]*[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;
const isolated = (text) => `\u2068${text}\u2069`; // whatever its direction, what stands beside it keeps its own
const still = matchMedia("(prefers-reduced-motion: reduce)");
const within = (value, low, high) => Math.max(low, Math.min(high, value));

export class Picture {
  /** `texts` are those of the view: how many units changed. */
  constructor(canvas, units, texts, choose) {
    Object.assign(this, { canvas, units, texts, onchoose: choose, chosen: 0, hits: new Uint8Array(units.count) });
    this.pen = canvas.getContext("2d", { alpha: false });
    this.labels = new Labels(this.pen, units.names);
    this.view = this.whole(); // top and bottom in leaves, left and the width of a column in pixels
    new ResizeObserver(() => this.measure()).observe(canvas);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => requestAnimationFrame(() => this.measure()));
    listen(this);
    this.measure();
  }

  measure() {
    const { canvas, units } = this;
    const ratio = devicePixelRatio || 1;
    this.width = canvas.clientWidth;
    this.height = canvas.clientHeight;
    canvas.width = Math.round(this.width * ratio);
    canvas.height = Math.round(this.height * ratio);
    this.pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.narrowest = Math.max(Math.min(150, this.width * 0.6), this.width / units.levels);
    const style = getComputedStyle(canvas);
    this.colour = Object.fromEntries(COLOURS.map((name) => [name, style.getPropertyValue(`--${name}`).trim()]));
    this.labels.clear();
    this.move(this.view);
  }

  // ---- What is in the window ----

  /** The view nearest to the one asked for that the chart and the window allow. */
  bounded({ top, bottom, left, column }) {
    const all = this.units.leaves[0];
    const span = within(bottom - top, Math.min(all, this.height / TALLEST), all);
    const middle = (top + bottom) / 2;
    const from = within(middle - span / 2, 0, all - span);
    const wide = within(column, this.narrowest, Math.max(this.narrowest, WIDEST));
    return { top: from, bottom: from + span, column: wide, left: within(left, 0, Math.max(0, this.units.levels * wide - this.width)) };
  }

  whole() {
    return { top: 0, bottom: this.units.leaves[0], left: 0, column: 0 };
  }

  move(view, smooth = false) {
    const goal = this.bounded(view);
    cancelAnimationFrame(this.moving);
    if (!smooth || still.matches) {
      this.view = goal;
      return this.ask();
    }
    const [from, began] = [this.view, performance.now()];
    const step = (now) => {
      const part = within((now - began) / 220, 0, 1);
      const eased = 1 - (1 - part) ** 3;
      this.view = Object.fromEntries(Object.keys(goal).map((edge) => [edge, from[edge] + (goal[edge] - from[edge]) * eased]));
      this.draw();
      if (part < 1) this.moving = requestAnimationFrame(step);
    };
    this.moving = requestAnimationFrame(step);
  }

  ask() {
    this.asked ??= requestAnimationFrame(() => {
      this.asked = undefined;
      this.draw();
    });
  }

  /** Fills the window with a unit, with some of its neighbours where it has nothing under it. */
  fit(unit) {
    const { start, leaves, depth, reach } = this.units;
    const column = within(this.width / (reach[unit] + (unit ? 2 : 1)), this.narrowest, Math.max(this.narrowest, WIDEST));
    this.move({ top: start[unit], bottom: start[unit] + leaves[unit], left: (depth[unit] - 1) * column, column }, true);
  }

  zoom(way) {
    if (way === "all") return this.move(this.whole(), true);
    this.scale(way === "in" ? 0.5 : 2, this.height / 2, true);
  }

  scale(factor, y, smooth = false) {
    const { top, bottom } = this.view;
    const at = top + ((bottom - top) * y) / this.height;
    this.move({ ...this.view, top: at - (at - top) * factor, bottom: at + (bottom - at) * factor }, smooth);
  }

  pan(x, y) {
    const { top, bottom, left } = this.view;
    const leaves = (y * (bottom - top)) / this.height;
    this.move({ ...this.view, top: top - leaves, bottom: bottom - leaves, left: left - x });
  }

  choose(unit, zoom) {
    this.chosen = unit;
    if (zoom) this.fit(unit);
    else this.ask();
  }

  highlight(hits) {
    this.hits.fill(0);
    for (const unit of hits) this.hits[unit] = 1;
    this.ask();
  }

  /** The unit at a place in the window, -1 for none. */
  at(x, y) {
    const { units, view } = this;
    const leaf = view.top + ((view.bottom - view.top) * y) / this.height;
    const level = Math.floor((x + view.left) / view.column);
    let unit = 0;
    while (units.depth[unit] < level) {
      let inside = -1;
      for (const child of units.under(unit)) {
        if (leaf < units.start[child]) break;
        if (leaf < units.start[child] + units.leaves[child]) inside = child;
      }
      if (inside < 0) return -1;
      unit = inside;
    }
    return unit;
  }

  // ---- Drawing ----

  draw() {
    const began = performance.now();
    const { pen, units, view, colour } = this;
    pen.fillStyle = colour.paper;
    pen.fillRect(0, 0, this.width, this.height);
    pen.font = FONT;
    pen.textBaseline = "middle";
    // A finger turns the page until there is something to move.
    this.canvas.style.touchAction = view.bottom - view.top < units.leaves[0] || view.left > 0 ? "none" : "pan-y";
    const scale = this.height / (view.bottom - view.top);
    const level = (unit) => units.depth[unit] * view.column - view.left;
    const visit = (unit) => {
      this.cell(unit, level(unit), (units.start[unit] - view.top) * scale, units.leaves[unit] * scale);
      const x = level(unit) + view.column;
      if (x > this.width) return;
      let thin = null; // neighbours too thin to tell apart are one block
      const block = () => {
        if (thin) this.block(units.depth[unit] + 1, x, thin);
        thin = null;
      };
      const last = unit + units.size[unit];
      for (let child = unit + 1; child < last; child += units.size[child]) {
        const top = (units.start[child] - view.top) * scale;
        if (top > this.height) break;
        const bottom = top + units.leaves[child] * scale;
        if (bottom < 0) continue;
        if (bottom - top < 2) {
          if (thin && top - thin.top > 6) block();
          thin ??= { top, kind: "", hit: false };
          thin.bottom = bottom;
          thin.kind ||= SIGNS[units.mark(child)[0]]?.[1] ?? (units.changed[child] ? "edge" : "");
          thin.hit ||= this.hits[child] === 1;
        } else {
          block();
          visit(child);
        }
      }
      block();
    };
    visit(0);
    this.canvas.dataset.frame = (performance.now() - began).toFixed(2);
  }

  /** The colour of a level: of a chart on its own the accent; beside changes, which have colours, a grey. */
  shade(depth) {
    this.pen.fillStyle = this.units.changes.length ? this.colour.edge : this.colour.accent;
    this.pen.globalAlpha = DEPTHS[Math.min(depth, DEPTHS.length - 1)];
  }

  block(depth, x, { top, bottom, kind, hit }) {
    const { pen, colour } = this;
    this.shade(depth);
    if (hit) [pen.fillStyle, pen.globalAlpha] = [colour.mark, 1];
    else if (kind) [pen.fillStyle, pen.globalAlpha] = [colour[kind], 0.5];
    pen.fillRect(x + 1, top, this.view.column - 2, Math.max(1, bottom - top - 0.75));
    pen.globalAlpha = 1;
  }

  cell(unit, x, y, height) {
    const { pen, colour, units } = this;
    if (x + this.view.column < 0) return;
    const mark = units.mark(unit);
    const [sign, kind] = SIGNS[mark[0]] ?? [];
    const gap = height > 6 ? 1 : 0.5;
    const [top, bottom] = [Math.max(y, -4), Math.min(y + height, this.height + 4)];
    const box = [x + 1, top + gap / 2, this.view.column - 2, Math.max(1, bottom - top - gap)];
    const chosen = unit === this.chosen;
    pen.beginPath();
    if (height > 10) pen.roundRect(...box, 4);
    else pen.rect(...box);
    this.shade(units.depth[unit]);
    if (this.hits[unit]) [pen.fillStyle, pen.globalAlpha] = [colour.mark, 1];
    else if (kind) [pen.fillStyle, pen.globalAlpha] = [colour[kind], 0.2];
    pen.fill();
    pen.globalAlpha = 1;
    if (chosen || (kind && height > 5)) {
      pen.setLineDash(kind === "removed" && !chosen ? [4, 3] : []);
      pen.lineWidth = chosen ? 2 : 1;
      pen.strokeStyle = chosen ? colour.accent : colour[kind];
      pen.stroke();
      pen.setLineDash([]);
    }
    if (kind) {
      pen.fillStyle = colour[kind];
      pen.fillRect(box[0], box[1], 4, box[3]);
    }
    if (box[3] >= 14) this.words(unit, box, sign, kind);
  }

  words(unit, [left, top, width, height], sign, kind) {
    const { pen, colour, units } = this;
    let [x, room] = [left + 9, width - 16];
    const from = Math.max(left, 0);
    if (from > left) {
      x += from - left;
      room -= from - left;
    }
    if (room < 24) return;
    if (sign) room -= 16;
    const lines = Math.max(1, Math.floor((height - 4) / LINE));
    const name = this.labels.of(unit, room, Math.min(lines, 2));
    const second = lines > name.length ? this.about(unit) : "";
    let y = top + height / 2 - ((name.length - (second ? 0 : 1)) * LINE) / 2;
    if (sign) {
      pen.direction = "ltr";
      pen.textAlign = "left";
      pen.fillStyle = colour[kind];
      pen.font = `bold ${FONT}`;
      pen.fillText(sign, x, y);
      pen.font = FONT;
      x += 16;
    }
    pen.direction = RIGHT_TO_LEFT.test(units.names[unit]) ? "rtl" : "ltr";
    pen.textAlign = "start";
    const start = pen.direction === "rtl" ? x + room : x;
    pen.fillStyle = kind === "removed" ? colour.soft : colour.ink;
    for (const text of name) {
      pen.fillText(text, start, y);
      if (kind === "removed") pen.fillRect(x, y, Math.min(room, pen.measureText(text).width), 1);
      y += LINE;
    }
    if (!second) return;
    pen.fillStyle = colour.soft;
    pen.fillText(this.labels.cut(second, room), start, y);
  }

  /** What stands under a name: the type, how many units are under it, and how many changes. */
  about(unit) {
    const { size, changed } = this.units;
    const below = size[unit] > 1 && number(size[unit] - 1);
    const changes = changed[unit] > 0 && filled(this.texts.changed, { number: number(changed[unit]) });
    return [this.units.kind(unit), below, changes].filter(Boolean).map(isolated).join(" · ");
  }
}
