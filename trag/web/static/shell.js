// What stands around every page: its colours, and the list of conversations. Loaded before anything is drawn.
{
  const system = matchMedia("(prefers-color-scheme: dark)");
  const choices = ["", "light", "dark"];
  const wanted = () => localStorage.getItem("colours") ?? "";

  const draw = () => {
    const dark = wanted() ? wanted() === "dark" : system.matches;
    for (const node of [document.documentElement, document.body]) {
      if (node && node.classList.contains("dark") !== dark) node.classList.toggle("dark", dark);
    }
    for (const button of document.querySelectorAll("button.theme")) {
      const label = button.dataset.names.split("|")[choices.indexOf(wanted())];
      if (button.title === label) continue;
      button.title = label;
      button.setAttribute("aria-label", label);
      button.dataset.colours = wanted();
    }
  };
  document.addEventListener("change", ({ target }) => {
    if (!target.matches("select.language")) return;
    document.cookie = `language=${target.value}; path=/; max-age=${60 * 60 * 24 * 365}; samesite=lax`;
    location.reload();
  });

  draw();
  system.addEventListener("change", draw);
  addEventListener("storage", draw); // another window of the same person

  const filter = (field) => {
    const typed = field.value.trim().toLocaleLowerCase();
    const list = field.closest("nav");
    let found = 0;
    for (const section of list.querySelectorAll("section")) {
      let here = 0;
      for (const item of section.querySelectorAll("li")) {
        item.hidden = !item.textContent.toLocaleLowerCase().includes(typed);
        here += !item.hidden;
      }
      section.hidden = !here;
      found += here;
    }
    list.querySelector(".no-match").hidden = found > 0;
  };
  document.addEventListener("input", ({ target }) => target.matches("input.find") && filter(target));

  document.addEventListener("click", ({ target }) => {
    if (!target.closest("button.theme")) return;
    localStorage.setItem("colours", choices[(choices.indexOf(wanted()) + 1) % choices.length]);
    draw();
  });

  // What a press of a button does here, without the server.
  const copied = (button) => {
    const words = button.innerHTML;
    button.textContent = button.dataset.done;
    setTimeout(() => (button.innerHTML = words), 2_000);
  };
  document.addEventListener("click", async ({ target }) => {
    const button = target.closest("[data-press]");
    if (button?.dataset.press === "print") print();
    if (button?.dataset.press === "copy") {
      await navigator.clipboard.writeText(button.dataset.copy);
      copied(button);
    }
    if (button?.dataset.press === "edit") {
      const field = document.querySelector("#question textarea");
      field.value = button.dataset.question;
      field.dispatchEvent(new Event("input", { bubbles: true }));
      field.focus();
    }
  });

  // Gradio follows the system by itself, and draws the list anew with each answer.
  addEventListener("DOMContentLoaded", () => {
    draw();
    new MutationObserver(draw).observe(document.body, { attributeFilter: ["class"] });
    // What is told of it comes before it is there.
    document.addEventListener("redrawn", () => {
      requestAnimationFrame(() => {
        draw();
        const field = document.querySelector("input.find");
        if (field?.value) filter(field);
      });
    });
  });
}
