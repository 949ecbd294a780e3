// The page Get it done: while a plan is made its page is looked at again, and drawn anew when the plan is there.
import "/pages.js";

const said = document.querySelector("#working .badge");
const look = async () => {
  const answer = await fetch(location.href).catch(() => null); // a connection that broke off: the next look tells
  const page = answer && new DOMParser().parseFromString(await answer.text(), "text/html");
  const fresh = page?.querySelector("#working .badge");
  if (page && !fresh) return location.reload();
  if (fresh && said.textContent !== fresh.textContent) said.replaceChildren(...fresh.childNodes);
  setTimeout(look, 500);
};
if (said) setTimeout(look, 500);
