// What the pages of the documents and of the chart share: colours, times as clocks here show them, pressing once.

const dark = matchMedia("(prefers-color-scheme: dark)");
dark.addEventListener("change", () => document.documentElement.classList.toggle("dark", dark.matches));

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
