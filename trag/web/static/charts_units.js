// The units of a chart as flat arrays, each before those under it; what the picture and the outline both draw from.

const fold = (text) => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();

export class Units {
  constructor({ names, above, types, kinds, aliases, marks }) {
    Object.assign(this, { names, above, types, kinds, aliases, marks });
    const count = (this.count = names.length);
    this.depth = new Uint8Array(count); // 0 for the top
    this.size = new Int32Array(count).fill(1); // with those under it, at any depth
    this.leaves = new Int32Array(count); // those at the ends, which share the height of the picture
    this.start = new Int32Array(count); // leaves before it
    this.reach = new Uint8Array(count); // levels under it
    this.changed = new Int32Array(count); // changes under it
    for (let unit = 1; unit < count; unit++) this.depth[unit] = this.depth[above[unit]] + 1;
    for (let unit = count - 1; unit >= 0; unit--) {
      if (!this.leaves[unit]) this.leaves[unit] = 1;
      if (unit === 0) break;
      const parent = above[unit];
      this.size[parent] += this.size[unit];
      this.leaves[parent] += this.leaves[unit];
      this.reach[parent] = Math.max(this.reach[parent], this.reach[unit] + 1);
      this.changed[parent] += this.changed[unit] + (this.isChange(unit) ? 1 : 0);
    }
    for (let unit = 0; unit < count; unit++) {
      let start = this.start[unit];
      for (const child of this.under(unit)) {
        this.start[child] = start;
        start += this.leaves[child];
      }
    }
    this.levels = this.reach[0] + 1;
    this.changes = Object.keys(marks).map(Number).filter((unit) => this.isChange(unit));
  }

  /** Whether a unit changed by itself: what came or went with the unit above it is one change. */
  isChange(unit) {
    const mark = this.mark(unit);
    return mark !== "" && !("+-".includes(mark) && mark === this.mark(this.above[unit]));
  }

  *under(unit) {
    for (let child = unit + 1; child < unit + this.size[unit]; child += this.size[child]) yield child;
  }

  path(unit) {
    const path = [unit];
    while (this.above[path[0]] >= 0) path.unshift(this.above[path[0]]);
    return path;
  }

  /** The next or previous unit under the same one; the unit itself at the end. */
  beside(unit, step) {
    if (unit === 0) return unit;
    const all = [...this.under(this.above[unit])];
    return all[all.indexOf(unit) + step] ?? unit;
  }

  mark(unit) {
    return this.marks[unit] ?? "";
  }

  kind(unit) {
    return this.kinds[this.types[unit]];
  }

  /** The units with the text in a name or an alias: those called that, then those that begin with it, then words that do. */
  search(text) {
    const wanted = fold(text.trim());
    if (!wanted) return [];
    this.folded ??= this.names.map((name, unit) => fold(["", name, ...(this.aliases[unit] ?? []), ""].join("\n")));
    const found = [[], [], [], []];
    this.folded.forEach((names, unit) => {
      const at = names.indexOf(wanted);
      if (at < 0) return;
      const whole = names.includes(`\n${wanted}\n`);
      const begins = names.includes(`\n${wanted}`);
      found[whole ? 0 : begins ? 1 : /[^\p{L}\p{N}]/u.test(names[at - 1]) ? 2 : 3].push(unit);
    });
    return found.flat();
  }

  /** The alias with the text in it, where the name is without it; "" otherwise. */
  alias(unit, text) {
    const wanted = fold(text.trim());
    if (fold(this.names[unit]).includes(wanted)) return "";
    return this.aliases[unit]?.find((alias) => fold(alias).includes(wanted)) ?? "";
  }
}
