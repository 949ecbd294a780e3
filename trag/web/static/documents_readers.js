// Who may read a document: units are searched on the server, chosen ones are fields of the form.

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
  const list = form.querySelector("[role=listbox]");
  let hits = [], wanted, timer;

  const close = () => {
    list.hidden = true;
    box.setAttribute("aria-expanded", "false");
    box.removeAttribute("aria-activedescendant");
  };
  const options = () => [...list.querySelectorAll("[role=option]")];
  const pointed = () => options().findIndex((each) => each.ariaSelected === "true");
  const point = (place) => {
    options().forEach((each, at) => each.setAttribute("aria-selected", String(at === place)));
    const option = options()[place];
    option?.scrollIntoView({ block: "nearest" });
    if (option) box.setAttribute("aria-activedescendant", option.id);
  };
  const take = (unit) => {
    if (!unit) return;
    close();
    box.value = "";
    if ([...chips.querySelectorAll("input")].some((each) => each.value === unit.id)) return;
    const chip = made("li");
    chip.append(made("input", "", { type: "hidden", name: "unit", value: unit.id }), made("bdi", unit.name));
    if (unit.under) {
      const under = made("span", " under ", { className: "soft" });
      under.append(made("bdi", unit.under));
      chip.append(under);
    }
    chip.append(made("button", "×", { type: "button", className: "quiet", ariaLabel: `Take out ${unit.name}` }));
    chips.append(chip);
  };
  const look = async () => {
    wanted?.abort();
    wanted = new AbortController();
    try {
      const answer = await fetch(`/documents/units?${new URLSearchParams({ words: box.value })}`, { signal: wanted.signal });
      hits = answer.ok ? await answer.json() : [];
    } catch (error) {
      if (error.name === "AbortError") return;
      hits = [];
    }
    list.replaceChildren(
      ...hits.map((unit, place) => {
        const option = made("li", "", { id: `unit-${place}`, role: "option", onclick: () => take(unit) });
        option.append(made("bdi", unit.name));
        if (unit.under) option.append(made("span", ` under ${unit.under}`, { className: "soft" }));
        return option;
      }),
    );
    if (box.value.trim() && !hits.length) list.append(made("li", "No unit is called that", { className: "soft" }));
    list.hidden = !list.childElementCount;
    box.setAttribute("aria-expanded", String(!list.hidden));
    point(0);
  };
  box.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(look, 150);
  });
  box.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown") point(Math.min(pointed() + 1, hits.length - 1));
    else if (event.key === "ArrowUp") point(Math.max(pointed() - 1, 0));
    else if (event.key === "Enter") {
      if (!list.hidden) take(hits[Math.max(pointed(), 0)]);
    } else if (event.key === "Escape" && !list.hidden) close();
    else return;
    event.preventDefault();
  });
  box.addEventListener("blur", () => setTimeout(close, 150)); // after a press on what was found
}
