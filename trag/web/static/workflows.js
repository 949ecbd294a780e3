// The page Automate: while a workflow is written its page is looked at again, and its steps are shown as they come.
import "/pages.js";

const said = document.querySelector("#working .badge");
const written = document.querySelector("#written");
const look = async () => {
  const answer = await fetch(location.href).catch(() => null); // a connection that broke off: the next look tells
  const page = answer && new DOMParser().parseFromString(await answer.text(), "text/html");
  const fresh = page?.querySelector("#working .badge");
  if (page && !fresh) return location.reload();
  if (fresh && said.textContent !== fresh.textContent) {
    said.replaceChildren(...fresh.childNodes);
    written.replaceChildren(...page.querySelector("#written").childNodes);
  }
  setTimeout(look, 300);
};
if (said) setTimeout(look, 300);
