// Pairs changed in their place, many chosen at once, gone through by keyboard, and brought in from a file.
import { send } from "/sending.js";
import { filled, named, number, percent } from "/words.js";

export function pairs() {
  // A change of one pair draws that pair anew and leaves the rest of the page, with what is being typed there, alone.
  document.addEventListener("submit", change, true);
  const rows = document.querySelector("[data-rows]");
  if (rows) {
    choosing(rows, document.querySelector("[data-many]"));
    keys(rows);
  }
  for (const form of document.querySelectorAll("[data-import]")) bring(form);
}

async function change(event) {
  const form = event.target;
  if (!("part" in form.dataset)) return;
  event.preventDefault();
  event.stopPropagation();
  if (form.classList.contains("sent")) return;
  form.classList.add("sent");
  const row = form.closest(".pair");
  try {
    const body = new URLSearchParams([...new FormData(form), ["part", "row"]]);
    // With this a refusal comes in words that can be shown beside what is typed; the pair comes as HTML all the same.
    const answer = await fetch("/documents/pairs", { method: "POST", body, headers: { Accept: "application/json" } });
    if (!answer.ok) throw new Error("refused", { cause: (await answer.json()).detail });
    const fresh = new DOMParser().parseFromString(await answer.text(), "text/html").querySelector(".pair");
    if (!fresh) throw new Error("no pair came");
    if (!row.querySelector(":scope > .choose")) fresh.querySelector(".choose")?.remove();
    row.replaceWith(fresh);
    fresh.focus({ preventScroll: true });
    fresh.dispatchEvent(new Event("change", { bubbles: true }));
  } catch (error) {
    form.classList.remove("sent");
    const said = row.querySelector(".error");
    said.textContent = error.cause ?? said.dataset.broken;
  }
}

function choosing(rows, form) {
  const all = form.querySelector(".all");
  const boxes = () => [...rows.querySelectorAll(".choose:not(:disabled)")];
  const count = () => {
    const chosen = boxes().filter((box) => box.checked).length;
    form.querySelector("button").disabled = !chosen;
    const said = form.querySelector(".chosen");
    said.textContent = chosen ? filled(said.dataset.chosen, { number: number(chosen) }) : "";
    all.querySelector("input").checked = chosen > 0 && chosen === boxes().length;
  };
  all.hidden = false;
  form.querySelector(".keys").hidden = false;
  all.addEventListener("change", (event) => {
    for (const box of boxes()) box.checked = event.target.checked;
    count();
  });
  rows.addEventListener("change", count);
  count();
}

function keys(rows) {
  const all = () => [...rows.querySelectorAll(".pair")];
  const go = (step) => {
    const at = all().indexOf(document.activeElement.closest(".pair"));
    const next = all()[at < 0 ? 0 : Math.min(Math.max(at + step, 0), all().length - 1)];
    next?.focus();
    next?.scrollIntoView({ block: "nearest" });
  };
  const press = (row, button) => row?.querySelector(button)?.click();
  document.addEventListener("keydown", (event) => {
    const typing = event.target.closest("input:not([type=checkbox]), textarea, select");
    const row = event.target.closest(".pair");
    if (event.key === "Escape" && row && typing) {
      row.querySelector(".edit").open = false;
      return row.focus();
    }
    if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
    const does = {
      ArrowDown: () => go(1),
      ArrowUp: () => go(-1),
      j: () => go(1),
      k: () => go(-1),
      a: () => press(row, "button.approve, button.restore"),
      d: () => press(row, "button.delete"),
      e: () => {
        const edit = row?.querySelector(".edit");
        if (!edit) return;
        edit.open = true;
        edit.querySelector("textarea").focus();
      },
      x: () => row?.querySelector(".choose:not(:disabled)")?.click(),
      "/": () => document.querySelector(".filter input").focus(),
    }[event.key];
    if (!does) return;
    event.preventDefault();
    does();
  });
}

function bring(form) {
  const [input, status, words] = [form.querySelector("input"), form.querySelector(".status"), form.dataset];
  input.addEventListener("change", async () => {
    const file = input.files[0];
    if (!file) return;
    status.textContent = named(words.sending, file.name);
    try {
      const address = `/documents/pairs/import?${new URLSearchParams({ name: file.name })}`;
      const { told } = await send(file, address, (share) => {
        status.textContent = named(share < 1 ? words.part : words.indexing, file.name, { share: percent(share) });
      }, words);
      status.replaceChildren(Object.assign(document.createElement("bdi"), { textContent: `${told} ` }));
      const again = Object.assign(document.createElement("a"), { href: location.href.split("#")[0], textContent: words.show });
      status.append(again);
    } catch (error) {
      status.textContent = error.message;
    }
    input.value = "";
  });
}
