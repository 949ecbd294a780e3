// Many files, one after the other, each as the body of one request; what the server has taken goes on in its queue.
import { dropped, send } from "/sending.js";

const size = (bytes) => (bytes < 1e6 ? `${Math.max(1, Math.round(bytes / 1e3))} kB` : `${(bytes / 1e6).toFixed(1)} MB`);
const ending = (name) => (/\.[^./\\]+$/.exec(name)?.[0] ?? "").toLowerCase();
const made = (tag, text = "", more = {}) => Object.assign(document.createElement(tag), { textContent: text, ...more });

/** Files given to `form` are sent; `taken` is told of each that the server has. */
export function uploads(form, taken) {
  const { documents: largest, replaces } = form.dataset;
  const formats = form.dataset.formats.split(" ");
  const [list, status] = [form.querySelector(".sending-list"), form.querySelector(".status")];
  const waiting = [];
  let sending = false;
  addEventListener("beforeunload", (event) => sending && event.preventDefault());

  const add = (file, name) => {
    const row = made("li");
    const bar = made("progress", "", { max: 100, value: 0, ariaLabel: name });
    row.append(made("bdi", name), made("span", size(file.size), { className: "soft" }), bar);
    list.append(row);
    waiting.push({ file, name, row, bar });
  };

  const failed = (one, reason) => {
    one.bar.remove();
    const again = made("button", "Try again", { type: "button", className: "quiet" });
    const said = made("p", "", { className: "failed" });
    said.append(made("bdi", `${reason} `), again);
    one.row.append(said);
    again.onclick = () => {
      one.row.remove();
      add(one.file, one.name);
      run();
    };
  };

  const run = async () => {
    if (sending) return;
    sending = true;
    while (waiting.length) {
      const one = waiting.shift();
      const pairs = ending(one.name) === ".jsonl";
      const address = `/documents/${pairs ? "pairs/import" : "uploads"}?${new URLSearchParams({ name: one.name })}`;
      try {
        const answer = await send(one.file, address, (share) => (one.bar.value = 100 * share));
        if (pairs) {
          one.bar.remove();
          one.row.append(made("p", answer.told, { className: "soft", dir: "auto" }));
        } else {
          one.row.remove();
          if (replaces) {
            sending = false;
            return location.assign("/documents#queue");
          }
        }
        taken();
      } catch (error) {
        failed(one, error.message);
      }
    }
    sending = false;
  };

  /** `files` as [file, path in what was given]; hidden ones and other formats are left out, and told. */
  const take = (files) => {
    const shown = files.filter(([, path]) => !path.split("/").some((part) => part.startsWith(".")));
    const read = shown.filter(([file]) => formats.includes(ending(file.name)) || (!replaces && ending(file.name) === ".jsonl"));
    const names = new Map();
    for (const [file] of read) names.set(file.name, (names.get(file.name) ?? 0) + 1);
    const others = shown.length - read.length;
    status.textContent = others ? `${others} ${others === 1 ? "file was" : "files were"} left out: only ${formats.join(", ")} ${formats.length > 1 ? "are" : "is"} read here.` : "";
    for (const [file, path] of replaces ? read.slice(0, 1) : read) {
      const name = replaces || (names.get(file.name) > 1 ? path : file.name);
      add(file, name);
      const limit = Number(largest);
      if (file.size > limit) failed(waiting.pop(), `It has ${size(file.size)}; a document may have ${size(limit)}. Split it.`);
    }
    run();
  };

  for (const input of form.querySelectorAll("input[type=file]")) {
    input.addEventListener("change", () => {
      take([...input.files].map((file) => [file, file.webkitRelativePath || file.name]));
      input.value = "";
    });
  }
  dropped(form, async (data) => {
    // Both are gone as soon as something is waited for.
    const files = [...data.files].map((file) => [file, file.name]);
    const entries = [...data.items].map((item) => item.webkitGetAsEntry()).filter(Boolean);
    take(entries.length ? (await Promise.all(entries.map(inside))).flat() : files);
  });
}

/** The files in what was dropped, folders walked through. */
async function inside(entry) {
  const path = entry.fullPath.replace(/^\//, "");
  if (entry.isFile) return [[await new Promise((resolve, reject) => entry.file(resolve, reject)), path]];
  const reader = entry.createReader();
  const found = [];
  for (;;) {
    const some = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
    if (!some.length) return (await Promise.all(found.map(inside))).flat();
    found.push(...some);
  }
}
