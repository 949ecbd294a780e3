// The page of the written procedures: files are sent as soon as they are chosen, or dropped.
import "/pages.js";
import { dropped } from "/sending.js";
import { filled } from "/words.js";

for (const form of document.querySelectorAll("form.drop")) {
  const [input, status] = [form.querySelector("input"), form.querySelector(".status")];
  const send = () => {
    if (!input.files.length || form.classList.contains("sent")) return;
    if (input.files.length > 2) {
      status.textContent = form.dataset.many;
      return;
    }
    form.classList.add("sending");
    status.textContent = filled(form.dataset.reading, { names: [...input.files].map((file) => file.name).join(", ") });
    form.requestSubmit();
  };
  form.querySelector(".send").hidden = true;
  input.addEventListener("change", send);
  dropped(form, (data) => {
    input.files = data.files;
    send();
  });
}
