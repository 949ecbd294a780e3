// Runs once in each HTML part of the page (Gradio's js_on_load), with `element`, `trigger` and `watch`.
// A press of anything with data-action, or the sending of such a form, becomes one Gradio event that carries its data and fields.
const actions = ["ask", "judge", "remark", "choose", "begin", "rename", "remove"];
const send = (node, fields = {}) => {
  const { action, ...data } = node.dataset;
  if (!actions.includes(action)) return;
  for (let card = node.closest("[popover]"); card; card = card.parentElement.closest("[popover]")) card.hidePopover();
  trigger(action, { ...data, ...fields });
};

element.addEventListener("click", (event) => {
  if (event.ctrlKey || event.metaKey || event.shiftKey) return; // a new window is the browser's business
  const cite = event.target.closest("a.cite");
  const node = event.target.closest("button[data-action], a[data-action]");
  if (!cite && !node) return;
  event.preventDefault();
  if (node) return send(node);
  const source = document.getElementById(cite.hash.slice(1));
  source.open = true;
  source.querySelector("summary").focus();
  source.scrollIntoView({ block: "nearest" });
});

element.addEventListener("submit", (event) => {
  event.preventDefault();
  send(event.target, Object.fromEntries(new FormData(event.target)));
});

// Gradio redraws by patching the page against the new HTML, which knows nothing of what the reader has opened or is typing.
const opened = new Set();
let latest;
element.addEventListener("toggle", ({ target }) => target.open ? opened.add(target.id) : opened.delete(target.id), true);
watch("value", () => {
  document.dispatchEvent(new Event("redrawn"));
  for (const id of opened) document.getElementById(id)?.setAttribute("open", "");
  for (const form of element.querySelectorAll("form")) {
    const shows = form.dataset.answer ?? form.dataset.conversation;
    if (form.shows !== shows) form.reset();
    form.shows = shows;
  }
  const shown = element.querySelector("[data-conversation]:not(nav *)")?.dataset.conversation;
  if (shown !== undefined) history.replaceState(null, "", shown ? `?c=${shown}` : location.pathname);
  // A question just asked, or the last one of a conversation just opened, comes to the top of the window.
  const last = element.querySelector(".turn:last-child");
  const key = shown ?? Boolean(last);
  if (last && key !== latest) last.scrollIntoView();
  latest = key;
});
