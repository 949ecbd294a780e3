// The page Briefings: while one is written its page is looked at again, and what there is of it is shown as it comes.
import "/pages.js";

const working = document.querySelector("#working");
const written = document.querySelector("#written");

let shown = written?.innerHTML;

/** Shows what is written by now; what somebody has opened in it stays open. */
const show = (fresh) => {
  if (fresh.innerHTML === shown) return;
  shown = fresh.innerHTML;
  for (const each of written.querySelectorAll("details[open]")) fresh.querySelector(`#${each.id}`)?.setAttribute("open", "");
  written.replaceChildren(...fresh.childNodes);
};
const look = async () => {
  const answer = await fetch(location.href).catch(() => null); // a connection that broke off: the next look tells
  const page = answer && new DOMParser().parseFromString(await answer.text(), "text/html");
  const fresh = page?.querySelector("#working");
  if (page && !fresh) return location.reload();
  if (fresh) {
    const [said, now] = [working, fresh].map((each) => each.querySelector(".badge"));
    if (said.textContent !== now.textContent) said.replaceChildren(...now.childNodes);
    show(page.querySelector("#written"));
  }
  setTimeout(look, 500);
};
if (working) setTimeout(look, 500);
