// The page of the models: what runs is followed, and a model of one's own is sent.
import { follow } from "/following.js";
import { upload } from "/sending.js";
import { named } from "/words.js";

follow(document.querySelector("#progress"), "/models/progress");

const form = document.querySelector("[data-model]");
upload(form, {
  largest: Number(form.dataset.model),
  address: "/models/uploads",
  // Before gigabytes are sent in vain; the server looks at all of the header.
  wrong: async (file) => ((await file.slice(0, 4).text()) === "GGUF" ? "" : named(form.dataset.noModel, file.name)),
});
