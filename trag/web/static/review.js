// The review desk by keyboard: what a key does stands on the thing itself (aria-keyshortcuts), so that the two agree.

const rows = document.querySelector("[data-rows]");
const named = [...document.querySelectorAll("[aria-keyshortcuts]")].map((node) => [node, node.getAttribute("aria-keyshortcuts")]);
const switches = document.querySelectorAll("[data-switch]");
const OFF = "keys-off"; // what is remembered of the switch
const SEEN = 500; // milliseconds that an answer is there before a key judges it: the last press may have been for the one before
let seen = false;
setTimeout(() => {
  seen = true;
  show();
}, SEEN);

const work = () => localStorage.getItem(OFF) === null;
for (const box of switches) {
  box.closest("label").hidden = false;
  box.addEventListener("change", () => {
    if (box.checked) localStorage.removeItem(OFF);
    else localStorage.setItem(OFF, "");
    show();
  });
}
show();

// Keys are shown and announced while they work: `data-keys` is "all" when they judge too.
function show() {
  const on = work();
  for (const box of switches) box.checked = on;
  for (const [node, keys] of named) {
    if (on) node.setAttribute("aria-keyshortcuts", keys);
    else node.removeAttribute("aria-keyshortcuts");
  }
  if (on) document.body.dataset.keys = seen ? "all" : "";
  else delete document.body.dataset.keys;
}

document.addEventListener("keydown", (event) => {
  if (!work()) return;
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || event.isComposing) return;
  const field = event.target.closest("input:not([type=radio], [type=checkbox]), textarea, select");
  if (field && event.key !== "Escape") return;
  const key = event.key.toLowerCase();
  const node = /^[a-z0-9]$/.test(key) && document.querySelector(`[aria-keyshortcuts~="${key}"]`);
  if (field) field.blur();
  else if (node) use(node);
  else if (key === "o") nextSource();
  else if (rows && !go(event)) return;
  else if (!rows) return;
  event.preventDefault();
});

function use(node) {
  if (node.name === "verdict" && !seen) return;
  if (node.matches("button, a")) return node.click();
  if (node.matches("fieldset")) {
    // One choice after another, and round again.
    const all = [...node.querySelectorAll("[type=radio]")];
    all[(all.findIndex((choice) => choice.checked) + 1) % all.length].checked = true;
    return;
  }
  if (node.matches("summary")) {
    node.parentElement.open = true;
    node.parentElement.querySelector("textarea").focus();
    return;
  }
  // Who corrects an answer begins with the answer: what is typed takes its place, an arrow goes into it.
  const filled = node.dataset.words && !node.value;
  if (filled) node.value = node.dataset.words;
  node.focus();
  if (filled) node.select();
}

for (const field of document.querySelectorAll("[data-whole]")) {
  field.addEventListener("focus", () => field.value === field.defaultValue && field.select());
  field.addEventListener("mouseup", (event) => field.selectionStart < field.selectionEnd && event.preventDefault());
}

// Where the right answer stands, looked for among the documents: each place that is found is one choice more.
for (const places of document.querySelectorAll("[data-places]")) {
  const box = places.querySelector(".look");
  let waits;
  box.hidden = false;
  box.addEventListener("input", () => {
    clearTimeout(waits);
    waits = setTimeout(look, 300);
  });
  box.addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    event.preventDefault(); // it must not judge
    clearTimeout(waits);
    look();
  });

  async function look() {
    const words = box.value.trim();
    const answer = words && (await fetch(`${places.dataset.places}?${new URLSearchParams({ words })}`));
    if (box.value.trim() !== words || (answer && !answer.ok)) return;
    const found = answer ? await answer.json() : [];
    for (const old of places.querySelectorAll(".found")) if (!old.querySelector("input").checked) old.remove();
    const none = words && !found.length ? [Object.assign(document.createElement("p"), { className: "soft found-none", textContent: places.dataset.none })] : [];
    places.querySelector(".found-none")?.remove();
    places.append(...none, ...found.map(choice));
  }

  function choice({ document: name, section, text }) {
    const label = Object.assign(document.createElement("label"), { className: "found", title: text });
    const input = Object.assign(document.createElement("input"), { type: "radio", name: "right_place", value: `${name}\n${section}` });
    const shown = Object.assign(document.createElement("span"), { dir: "auto", textContent: section ? `${name}, ${section}` : name });
    label.append(input, shown);
    return label;
  }
}

// One source after another opens; after the last one all are shut.
function nextSource() {
  const all = [...document.querySelectorAll(".sources > li > details")];
  const next = all.find((details) => !details.open);
  const read = next?.closest("details.read");
  if (read) read.open = true;
  if (next) next.open = true;
  else for (const details of all) details.open = false;
  (next ?? all[0])?.querySelector("summary").focus();
}

function go(event) {
  const all = [...rows.children];
  const row = document.activeElement.closest("[data-rows] > li");
  const step = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1 }[event.key];
  // The arrows move the page until somebody is on a row.
  if (step && (row || event.key.length === 1)) {
    const next = all[row ? Math.min(Math.max(all.indexOf(row) + step, 0), all.length - 1) : 0];
    next?.focus();
    next?.scrollIntoView({ block: "nearest" });
  } else if (event.key === "Enter" && document.activeElement === row) row.querySelector("a").click();
  else if (event.key === "Enter" && document.activeElement === document.body) document.querySelector("[data-begin]")?.click();
  else return false;
  return true;
}
