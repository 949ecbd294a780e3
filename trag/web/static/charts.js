// The pages of the organization's chart: uploading with progress, waiting for long work, the units.
import "/pages.js";
import { upload } from "/sending.js";

for (const form of document.querySelectorAll("[data-upload]")) {
  upload(form, { largest: Number(form.dataset.upload), address: "/charts/uploads" });
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
    page.querySelector("[role=status]").textContent = page.dataset.broken;
  });
}

const view = document.querySelector(".view");
if (view) {
  const { show } = await import("/charts_view.js");
  show(view).catch((error) => {
    view.querySelector(".unit").textContent = view.dataset.lost;
    throw error;
  });
}
