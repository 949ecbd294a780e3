// The review desk by keyboard: what a key does stands on the thing itself (aria-keyshortcuts), so that the two agree.

const rows = document.querySelector("[data-rows]");
document.body.dataset.keys = ""; // from here on they work, and are shown

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || event.isComposing) return;
  const field = event.target.closest("input:not([type=radio]), textarea, select");
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
  if (node.matches("button, a")) return node.click();
  if (node.matches("fieldset")) {
    // One choice after another, and round again.
    const all = [...node.querySelectorAll("input")];
    all[(all.findIndex((choice) => choice.checked) + 1) % all.length].checked = true;
    return;
  }
  if (node.matches("summary")) {
    node.parentElement.open = true;
    node.parentElement.querySelector("textarea").focus();
    return;
  }
  // Who corrects an answer begins with the answer.
  if (node.dataset.words && !node.value) node.value = node.dataset.words;
  node.focus();
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

// The number of a source in the answer opens it.
document.addEventListener("click", (event) => {
  const cite = event.target.closest("a.cite");
  if (!cite) return;
  event.preventDefault();
  const source = document.getElementById(cite.hash.slice(1));
  source.open = true;
  source.querySelector("summary").focus();
  source.scrollIntoView({ block: "nearest" });
});
