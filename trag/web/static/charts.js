// The pages of the organization's chart: uploading with progress, waiting for long work, the units.
import "/pages.js";
import { dropped, send } from "/sending.js";

for (const form of document.querySelectorAll("[data-upload]")) {
  const [bar, status, input] = [form.querySelector("progress"), form.querySelector(".status"), form.querySelector("input")];
  const say = (text) => {
    status.textContent = text;
  };
  const take = async (file) => {
    if (!file || form.classList.contains("sending")) return;
    const largest = Number(form.dataset.upload);
    if (file.size > largest) {
      return say(`${file.name} has ${Math.ceil(file.size / 2 ** 20)} MB; a chart may have ${Math.floor(largest / 2 ** 20)} MB. Leave out what is no unit, or split it.`);
    }
    form.classList.add("sending");
    bar.hidden = false;
    say(`Sending ${file.name} …`);
    try {
      const address = `/charts/uploads?${new URLSearchParams({ name: file.name })}`;
      location.assign((await send(file, address, (share) => (bar.value = 100 * share))).page);
    } catch (error) {
      form.classList.remove("sending");
      bar.hidden = true;
      input.value = "";
      say(error.message);
    }
  };
  input.addEventListener("change", () => take(input.files[0]));
  dropped(form, (data) => take(data.files[0]));
}

// ---- Long work: the page comes whole when it is done ----
for (const page of document.querySelectorAll("[data-ready]")) {
  const look = async () => {
    for (;;) {
      const answer = await fetch(page.dataset.ready);
      if (!answer.ok || (await answer.json()).ready) return location.reload();
    }
  };
  look().catch(() => {
    page.querySelector("[role=status]").textContent = "The connection broke off. Reload the page to look again.";
  });
}

const view = document.querySelector(".view");
if (view) {
  const { show } = await import("/charts_view.js");
  show(view).catch((error) => {
    view.querySelector(".unit").textContent = "The chart could not be drawn. Reload the page.";
    throw error;
  });
}
