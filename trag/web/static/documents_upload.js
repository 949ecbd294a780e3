// Many files, one after the other, each as the body of one request; what the server has taken goes on in its queue.
import { dropped, send } from "/sending.js";
import { counted, filled, isolated, named as withName, number, tenth } from "/words.js";

const NAMED = 20; // documents that are named before they are replaced
const ending = (name) => (/\.[^./\\]+$/.exec(name)?.[0] ?? "").toLowerCase();
const made = (tag, text = "", more = {}) => Object.assign(document.createElement(tag), { textContent: text, ...more });

/** Files given to `form` are sent; `taken` is told of each that the server has. */
export function uploads(form, taken) {
  const { documents: largest, replaces } = form.dataset;
  const formats = form.dataset.formats.split(" ");
  const words = JSON.parse(form.dataset.words);
  const size = (bytes) => bytes < 1e6 ? filled(words.kb, { size: number(Math.max(1, Math.round(bytes / 1e3))) }) : filled(words.mb, { size: tenth(bytes / 1e6) });
  const [list, status, asking] = [".sending-list", ".status", ".asking"].map((part) => form.querySelector(part));
  const waiting = [];
  const asked = new Map(); // name -> the file, its name and its readers, of what would replace a document
  let sending = false;
  form.addEventListener("submit", (event) => event.preventDefault()); // files are sent when they are chosen
  addEventListener("beforeunload", (event) => sending && event.preventDefault());

  /** The units that may read what is new, none for everyone; null where somebody has yet to say which. */
  const readers = () => {
    if (!form.querySelector("[name=readers][value=units]:checked")) return [];
    const units = [...form.querySelectorAll("[name=unit]")].map((each) => each.value);
    return units.length ? units : null;
  };

  const add = (file, name, units) => {
    const row = made("li");
    const bar = made("progress", "", { max: 100, value: 0, ariaLabel: name });
    row.append(made("bdi", name), made("span", size(file.size), { className: "soft" }), bar);
    list.append(row);
    waiting.push({ file, name, units, row, bar });
  };

  const failed = (one, reason) => {
    one.bar.remove();
    const again = made("button", words.again, { type: "button", className: "quiet" });
    const said = made("p", "", { className: "failed" });
    said.append(made("bdi", `${reason} `), again);
    one.row.append(said);
    again.onclick = () => {
      one.row.remove();
      add(one.file, one.name, one.units);
      run();
    };
  };

  const run = async () => {
    if (sending) return;
    sending = true;
    while (waiting.length) {
      const one = waiting.shift();
      const pairs = ending(one.name) === ".jsonl";
      const said = new URLSearchParams([["name", one.name], ...(pairs ? [] : one.units.map((unit) => ["unit", unit]))]);
      const address = `/documents/${pairs ? "pairs/import" : "uploads"}?${said}`;
      try {
        const answer = await send(one.file, address, (share) => (one.bar.value = 100 * share), form.dataset);
        if (pairs) {
          one.bar.remove();
          one.row.append(made("p", answer.told, { className: "soft", dir: "auto" }));
        } else if (answer.unchanged) {
          one.bar.remove();
          one.row.append(made("p", words.unchanged, { className: "soft" }));
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

  const start = (files) => {
    for (const [file, name, units] of files) {
      add(file, name, units);
      const limit = Number(largest);
      if (file.size > limit) failed(waiting.pop(), filled(words.large, { found: size(file.size), most: size(limit) }));
    }
    run();
  };

  /** Sends the `files` that would replace a document when somebody says so, with those that are asked about already. */
  const ask = (more) => {
    for (const each of more) asked.set(each[1], each);
    const files = [...asked.values()];
    const one = files.length === 1;
    const question = made("div", "", { className: "question", role: "group", ariaLabel: words.replaced, tabIndex: -1 });
    const names = made("ul");
    for (const [, name] of files.slice(0, NAMED)) {
      const item = made("li");
      item.append(made("bdi", name));
      names.append(item);
    }
    if (files.length > NAMED) names.append(made("li", filled(words.more, { number: number(files.length - NAMED) }), { className: "soft" }));
    const [replace, leave] = [made("button", words.replace, { type: "button", className: "main" }), made("button", words.leave, { type: "button" })];
    const choice = made("p", "", { className: "choice" });
    choice.append(replace, leave);
    question.append(made("p", one ? words.one : counted(words.some, files.length)), names, choice);
    asking.replaceChildren(question);
    question.focus(); // no button: the key that chose the files must not decide this too
    const end = () => {
      asked.clear();
      question.remove();
      form.querySelector("input").focus();
    };
    replace.onclick = () => (end(), start(files));
    leave.onclick = end;
  };

  /** `files` as [file, path in what was given]; hidden ones and other formats are left out, and told. */
  const take = async (files) => {
    const units = readers();
    if (!units) {
      status.textContent = words.readers;
      form.querySelector("[role=combobox]").focus();
      return;
    }
    const shown = files.filter(([, path]) => !path.split("/").some((part) => part.startsWith(".")));
    const read = shown.filter(([file]) => formats.includes(ending(file.name)) || (!replaces && ending(file.name) === ".jsonl"));
    const names = new Map();
    for (const [file] of read) names.set(file.name, (names.get(file.name) ?? 0) + 1);
    const others = shown.length - read.length;
    status.textContent = others ? counted(words.left, others, { formats: formats.map(isolated).join(", ") }) : "";
    if (replaces) return start(read.slice(0, 1).map(([file]) => [file, replaces, units]));
    const named = read.map(([file, path]) => [file, names.get(file.name) > 1 ? path : file.name, units]);
    try {
      const there = await present(named.map(([, name]) => name).filter((name) => ending(name) !== ".jsonl"));
      start(named.filter(([, name]) => !there.has(name)));
      const [same, old] = [[], []];
      for (const each of named.filter(([, name]) => there.has(name))) {
        (there.get(each[1]) === (await sha256(each[0])) ? same : old).push(each);
      }
      if (same.length === 1) status.textContent += ` ${withName(words.same, same[0][1])}`;
      if (same.length > 1) status.textContent += ` ${counted(words.alike, same.length)}`;
      if (old.length) ask(old);
    } catch {
      status.textContent = words.silent;
    }
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

/** What tells whether a file is the same as another; "" where the browser cannot say, as without TLS. */
async function sha256(file) {
  if (!crypto.subtle) return "";
  const digest = await crypto.subtle.digest("SHA-256", await file.arrayBuffer());
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Those of the names that a document has already, each with the SHA-256 of what it is. */
async function present(names) {
  const headers = { Accept: "application/json", "Content-Type": "application/json" };
  const answer = await fetch("/documents/present", { method: "POST", headers, body: JSON.stringify(names) });
  if (!answer.ok) throw new Error(answer.statusText);
  return new Map(Object.entries((await answer.json()).present));
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
