// What all pages but Ask share: times as clocks here show them, pressing once, sources opened by their numbers.

const clock = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });

/** Writes the times below `node` as clocks here show them. */
export function localTimes(node) {
  for (const time of node.querySelectorAll("time:not([title])")) {
    time.title = time.textContent;
    time.textContent = clock.format(new Date(time.dateTime));
  }
}
localTimes(document);

// A press counts once; while it is worked on, the button and a line beside it say so.
document.addEventListener("submit", (event) => {
  const form = event.target;
  if (form.method !== "post" || event.defaultPrevented) return;
  if (form.classList.contains("sent")) return event.preventDefault();
  form.classList.add("sent");
  if (form.dataset.busy) form.querySelector("button:not([type=button])").textContent = form.dataset.busy;
  if (form.dataset.tell) form.closest("section").querySelector(".busy").textContent = form.dataset.tell;
});
addEventListener("pageshow", (event) => event.persisted && location.reload()); // what "back" brings up may be out of date

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
