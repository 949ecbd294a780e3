// A page of a PDF: zoomed, and turned by the arrow keys.

const STEPS = [0.5, 0.67, 0.8, 1, 1.25, 1.5, 2, 3];

export function paper(node) {
  const tools = document.querySelector(".zoom");
  const here = node.querySelector(".bears") ?? node.querySelector(".around");
  let at = STEPS.indexOf(node.clientWidth < 480 ? 1.5 : 1); // a whole page is too small to read on a phone
  node.style.setProperty("--zoom", STEPS[at]);

  const zoom = (step) => {
    const [across, down] = [node.scrollLeft + node.clientWidth / 2, node.scrollTop + node.clientHeight / 2];
    const before = STEPS[at];
    at = step === 0 ? STEPS.indexOf(1) : Math.min(Math.max(at + step, 0), STEPS.length - 1);
    node.style.setProperty("--zoom", STEPS[at]);
    const by = STEPS[at] / before;
    node.scrollTo(across * by - node.clientWidth / 2, down * by - node.clientHeight / 2);
  };
  tools.hidden = false;
  tools.addEventListener("click", (event) => {
    const kind = event.target.dataset.zoom;
    if (kind) zoom({ in: 1, out: -1, fit: 0 }[kind]);
  });
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, textarea, select")) return;
    const sideways = node.scrollWidth > node.clientWidth + 1;
    if (event.key === "ArrowLeft" && !sideways) document.querySelector("a[rel=prev]")?.click();
    else if (event.key === "ArrowRight" && !sideways) document.querySelector("a[rel=next]")?.click();
    else if (event.key === "+" || event.key === "=") zoom(1);
    else if (event.key === "-") zoom(-1);
    else if (event.key === "0") zoom(0);
    else return;
    event.preventDefault();
  });
  if (!here) return;
  const [box, frame] = [here.getBoundingClientRect(), node.getBoundingClientRect()];
  node.scrollTop += box.top - frame.top - node.clientHeight / 3;
  const left = Math.min(...[...node.querySelectorAll(".box")].map((each) => each.getBoundingClientRect().left));
  node.scrollLeft += left - frame.left - 16;
}
