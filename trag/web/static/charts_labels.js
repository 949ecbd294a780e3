// Names cut to the room that there is for them; measuring text is slow, so what was cut is kept.

const KEPT = 5000;

export class Labels {
  constructor(pen, names) {
    Object.assign(this, { pen, names, kept: new Map() });
  }

  /** To be called when letters may be of another size. */
  clear() {
    this.kept.clear();
  }

  /** The name of a unit in one line, or two where `lines` allows. */
  of(unit, room, lines) {
    const key = `${unit} ${Math.round(room)} ${lines}`;
    if (!this.kept.has(key)) {
      if (this.kept.size >= KEPT) this.kept.clear();
      this.kept.set(key, this.broken(this.names[unit].slice(0, 200), room, lines).map((line) => this.cut(line, room)));
    }
    return this.kept.get(key);
  }

  broken(name, room, lines) {
    if (lines < 2 || this.width(name) <= room) return [name];
    const words = name.split(" ");
    let first = words[0];
    let taken = 1;
    while (taken < words.length && this.width(`${first} ${words[taken]}`) <= room) first += ` ${words[taken++]}`;
    return taken < words.length && this.width(first) <= room ? [first, words.slice(taken).join(" ")] : [name];
  }

  cut(text, room) {
    if (this.width(text) <= room) return text;
    let [low, high] = [0, text.length];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.width(`${text.slice(0, middle)}…`) <= room) low = middle;
      else high = middle - 1;
    }
    return `${text.slice(0, low).trimEnd()}…`;
  }

  width(text) {
    return this.pen.measureText(text).width;
  }
}
