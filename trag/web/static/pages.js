// What all pages but Ask share: times as clocks here show them, pressing once, what was typed when a session had ended, lists
// that follow their filter, sources opened by their numbers.

const { lang } = document.documentElement;
const spoken = navigator.languages.find((each) => each.split("-")[0] === lang) ?? lang; // as it is written where the reader is
const clock = new Intl.DateTimeFormat(lang === "ar" ? "ar-u-nu-latn" : spoken, { dateStyle: "medium", timeStyle: "short" });

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
  keep(form);
});
addEventListener("pageshow", (event) => event.persisted && location.reload()); // what "back" brings up may be out of date

// What a form was sent with is remembered until the next page. Where that is the one to sign in on, the session had ended:
// whoever typed it finds it in its fields once they are back.
const TYPED = "typed";
const here = () => location.pathname + location.search;
const person = () => document.querySelector("#side a[href='/account']")?.textContent ?? "";
const alike = (form) => [...document.forms].filter((each) => each.action === form.action);
const fields = (form) => [...form.elements].filter((each) => each.name && !/hidden|password|file|submit|button/.test(each.type));

function keep(form) {
  if (document.body.matches(".door")) return;
  const values = fields(form).map(({ name, value, checked }) => ({ name, value, checked }));
  const typed = { at: here(), by: person(), action: form.action, number: alike(form).indexOf(form), values };
  sessionStorage.setItem(TYPED, JSON.stringify(typed));
}

function bringBack() {
  const typed = JSON.parse(sessionStorage.getItem(TYPED));
  if (!typed) return;
  if (document.body.matches(".door")) return sessionStorage.setItem(TYPED, JSON.stringify({ ...typed, over: true }));
  sessionStorage.removeItem(TYPED);
  if (!typed.over || typed.at !== here() || typed.by !== person()) return;
  const form = alike(typed)[typed.number];
  const found = form ? fields(form) : [];
  if (found.map((each) => each.name).join() !== typed.values.map((each) => each.name).join()) return;
  found.forEach((each, number) => Object.assign(each, { value: typed.values[number].value, checked: typed.values[number].checked }));
  form.querySelector("button:not([type=button])")?.focus();
}
bringBack();

// A list follows its filter at once: what is typed is looked for here, and a choice leads to its page.
const FILTERED = "filtered"; // what is remembered of the field that was used
let later, wanted;
document.addEventListener("input", (event) => {
  const form = event.target.closest("form.find");
  clearTimeout(later);
  if (form) later = setTimeout(look, event.target.matches("select") ? 0 : 300, form);
});
document.addEventListener("submit", (event) => {
  if (!event.target.matches("form.find")) return;
  event.preventDefault();
  clearTimeout(later);
  look(event.target);
});
document.addEventListener("change", (event) => {
  const form = event.target.closest("form.filter");
  if (!form || !event.target.name) return;
  sessionStorage.setItem(FILTERED, event.target.name);
  form.requestSubmit();
});
const used = sessionStorage.getItem(FILTERED);
sessionStorage.removeItem(FILTERED);
if (used) document.querySelector(`form.filter [name="${CSS.escape(used)}"]`)?.focus();

/** Draws the section of `form` as the form asks for it; the form stays, with what is being typed. */
async function look(form) {
  const address = new URL(form.action);
  address.search = new URLSearchParams(new FormData(form));
  wanted?.abort();
  wanted = new AbortController();
  const section = form.closest("section");
  try {
    const answer = await fetch(address, { signal: wanted.signal });
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const fresh = page.querySelector(`#${section.id} form.find`);
    if (!fresh) return form.submit(); // which says why
    for (let [old, now] = [form, fresh]; old !== section; [old, now] = [old.parentElement, now.parentElement]) {
      const beside = [...now.parentElement.childNodes];
      for (const each of [...old.parentElement.childNodes]) if (each !== old) each.remove();
      old.before(...beside.slice(0, beside.indexOf(now)));
      old.after(...beside.slice(beside.indexOf(now) + 1));
    }
    localTimes(section);
    history.replaceState(null, "", address);
    const said = form.querySelector("[role=status]") ?? form.appendChild(document.createElement("span"));
    Object.assign(said, { className: "unseen", role: "status", textContent: section.querySelector("h2").textContent });
  } catch (error) {
    if (error.name !== "AbortError") form.submit();
  }
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
