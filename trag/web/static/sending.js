// A file as the body of one request, which the server takes down as it comes.
import { named, number } from "/words.js";

/**
 * Sends `file`; `progress` is told the share that has gone. Gives what the server says, and throws why it did not take it,
 * where it does not say that, in the words of the form that it was chosen in (shown.sending).
 */
export function send(file, address, progress, words) {
  const request = new XMLHttpRequest();
  const sent = new Promise((resolve, reject) => {
    request.upload.onprogress = (event) => progress(event.lengthComputable ? event.loaded / event.total : 0);
    request.onload = () => {
      const answer = request.response ?? {};
      if (request.status < 300) resolve(answer);
      else reject(new Error(answer.detail ?? words.refused));
    };
    request.onerror = () => reject(new Error(words.broken));
  });
  request.open("POST", address);
  request.responseType = "json";
  request.setRequestHeader("Accept", "application/json");
  request.setRequestHeader("Content-Type", "application/octet-stream");
  request.send(file);
  return sent;
}

/**
 * Sends the file that is chosen in `form`, or dropped on its page, to `address`, and goes on to the page that the server
 * names. One of more than `largest` bytes is not sent, nor is one of which `wrong` says what that is, where it is given. What
 * is said meanwhile is in the data of the form (shown.sending).
 */
export function upload(form, { largest, address, wrong = () => "" }) {
  const [bar, status, input] = [form.querySelector("progress"), form.querySelector(".status"), form.querySelector("input")];
  const say = (text) => {
    status.textContent = text;
    status.classList.toggle("problems-found", text.includes("\n"));
    status.tabIndex = text.includes("\n") ? 0 : -1;
  };
  const take = async (file) => {
    if (!file || form.classList.contains("sending")) return;
    if (file.size > largest) {
      const [found, most] = [Math.ceil(file.size / 2 ** 20), Math.floor(largest / 2 ** 20)].map(number);
      return say(named(form.dataset.tooLarge, file.name, { found, most }));
    }
    const problem = await wrong(file);
    if (problem) return say(problem);
    form.classList.add("sending");
    bar.hidden = false;
    say(named(form.dataset.sending, file.name));
    try {
      const to = `${address}?${new URLSearchParams({ name: file.name })}`;
      const { page } = await send(file, to, (share) => (bar.value = 100 * share), form.dataset);
      // The same file again may have the same address, which by itself would load nothing.
      if (new URL(page, location).href === location.href) location.reload();
      else location.assign(page);
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

/** Gives `take` what is dropped anywhere on the page; `form` shows that it may be. */
export function dropped(form, take) {
  const over = (event) => {
    if (!event.dataTransfer?.types.includes("Files")) return;
    event.preventDefault();
    form.classList.toggle("over", event.type === "dragover");
    if (event.type === "drop") take(event.dataTransfer);
  };
  for (const kind of ["dragover", "dragleave", "drop"]) document.addEventListener(kind, over);
}
