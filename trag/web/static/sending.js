// A file as the body of one request, which the server takes down as it comes.

const BROKEN = "The connection broke off before the whole file was there. Nothing was kept; try again.";

/** Sends `file`; `progress` is told the share that has gone. Gives what the server says, and throws why it did not take it. */
export function send(file, address, progress) {
  const request = new XMLHttpRequest();
  const sent = new Promise((resolve, reject) => {
    request.upload.onprogress = (event) => progress(event.lengthComputable ? event.loaded / event.total : 0);
    request.onload = () => {
      const answer = request.response ?? {};
      if (request.status < 300) resolve(answer);
      else reject(new Error(answer.detail ?? "The file was not taken."));
    };
    request.onerror = () => reject(new Error(BROKEN));
  });
  request.open("POST", address);
  request.responseType = "json";
  request.setRequestHeader("Accept", "application/json");
  request.setRequestHeader("Content-Type", "application/octet-stream");
  request.send(file);
  return sent;
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
