// The pages of the people: a unit found by its name, and what is shown once copied.
import { units } from "/combobox.js";
import "/pages.js";

for (const part of document.querySelectorAll("[data-unit]")) {
  const [box, chosen] = part.querySelectorAll("input");
  box.addEventListener("input", () => (chosen.value = ""));
  units(box, part.querySelector("[role=listbox]"), (unit) => {
    box.value = unit.under ? `${unit.name} (${unit.under})` : unit.name;
    chosen.value = unit.id;
  });
}

for (const button of document.querySelectorAll("[data-copy]")) {
  button.hidden = !navigator.clipboard;
  button.onclick = async () => {
    await navigator.clipboard.writeText(button.previousElementSibling.textContent);
    button.firstChild.textContent = button.dataset.done;
  };
}
