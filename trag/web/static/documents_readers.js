// Who may read a document: units are searched on the server, chosen ones are fields of the form.
import { units } from "/combobox.js";
import { named } from "/words.js";

const made = (tag, text = "", more = {}) => Object.assign(document.createElement(tag), { textContent: text, ...more });

export function readers(form) {
  const chips = form.querySelector(".chips");
  chips.addEventListener("click", (event) => {
    const chip = event.target.closest("button")?.closest("li");
    if (!chip) return;
    const next = chip.nextElementSibling ?? chip.previousElementSibling;
    chip.remove();
    (next?.querySelector("button") ?? form.querySelector("[role=combobox]"))?.focus();
  });
  const box = form.querySelector("[role=combobox]");
  if (!box) return;
  const take = (unit) => {
    box.value = "";
    if ([...chips.querySelectorAll("input")].some((each) => each.value === unit.id)) return;
    const chip = made("li");
    chip.append(made("input", "", { type: "hidden", name: "unit", value: unit.id }), made("bdi", unit.name));
    if (unit.under) {
      const [before, after] = chips.dataset.under.split("{unit}");
      const under = made("span", ` ${before}`, { className: "soft" });
      under.append(made("bdi", unit.under), after);
      chip.append(under);
    }
    chip.append(made("button", "×", { type: "button", className: "quiet", ariaLabel: named(chips.dataset.out, unit.name) }));
    chips.append(chip);
  };
  units(box, form.querySelector("[role=listbox]"), take);
}
