// The pages of the documents: what each of their parts needs, where it is on the page.
import "/pages.js";
import { readers } from "/documents_readers.js";
import { pairs } from "/documents_pairs.js";
import { follow } from "/documents_queue.js";
import { follow as followRun } from "/following.js";
import { uploads } from "/documents_upload.js";
import { paper } from "/documents_view.js";

const queue = document.querySelector("#queue");
const looked = queue ? follow(queue) : () => {};
for (const form of document.querySelectorAll("[data-documents]")) uploads(form, looked);
for (const form of document.querySelectorAll("[data-readers]")) readers(form);
for (const node of document.querySelectorAll("[data-paper]")) paper(node);
const run = document.querySelector("[data-run]");
if (run) followRun(run, run.dataset.run);
pairs();
