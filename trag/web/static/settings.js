// The page Settings: the colour that is chosen and the one that is typed are one, and a logo that is too large is said
// before it is sent.

import { filled, tenth } from "/words.js";

const swatch = document.querySelector("[data-for=accent]");
const typed = document.querySelector("#accent");
swatch.addEventListener("input", () => (typed.value = swatch.value));
typed.addEventListener("input", () => /^#[0-9a-f]{6}$/i.test(typed.value) && (swatch.value = typed.value));

document.querySelector("[data-most]").addEventListener("change", (event) => {
  const { files, dataset } = event.target;
  const size = files[0]?.size ?? 0;
  const said = filled(dataset.tooLarge, { found: tenth(size / 2 ** 20) });
  event.target.setCustomValidity(size > dataset.most ? said : "");
  event.target.reportValidity();
});
