// The hands on the picture: mouse, wheel, fingers, pinched pads and keys, told to it as zooming, panning and choosing.

/** Lets a picture be moved and pressed. */
export function listen(picture) {
  const { canvas, units } = picture;
  const held = new Map(); // pointers that are down, where they were last
  let far = 0; // pixels that they went: a press does not move

  const spot = (event) => {
    const frame = canvas.getBoundingClientRect();
    return { x: event.clientX - frame.left, y: event.clientY - frame.top };
  };

  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    held.set(event.pointerId, spot(event));
    far = held.size > 1 ? Infinity : 0;
  });
  canvas.addEventListener("pointermove", (event) => {
    const [before, now] = [held.get(event.pointerId), spot(event)];
    if (!before) {
      const unit = picture.at(now.x, now.y);
      canvas.style.cursor = unit < 0 ? "default" : "pointer";
      canvas.title = unit < 0 ? "" : units.names[unit];
      return;
    }
    const other = [...held].find(([id]) => id !== event.pointerId)?.[1];
    if (other) {
      const reach = (place) => Math.max(20, Math.hypot(place.x - other.x, place.y - other.y));
      picture.scale(reach(before) / reach(now), (now.y + other.y) / 2);
    } else {
      far += Math.hypot(now.x - before.x, now.y - before.y);
      if (far > 5) picture.pan(now.x - before.x, now.y - before.y);
    }
    held.set(event.pointerId, now);
  });
  const release = (event) => {
    if (!held.delete(event.pointerId) || event.type === "pointercancel" || far > 5) return;
    const { x, y } = spot(event);
    const unit = picture.at(x, y);
    // A second press on the unit that fills the window goes back out.
    if (unit >= 0) picture.onchoose(unit === picture.chosen && unit > 0 ? units.above[unit] : unit);
  };
  canvas.addEventListener("pointerup", release);
  canvas.addEventListener("pointercancel", release);

  // The wheel turns the page until the picture is pressed; with Ctrl, and from a pinched pad, it always zooms.
  const turn = (event) => {
    if (!event.ctrlKey && document.activeElement !== canvas) return;
    event.preventDefault();
    if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) picture.pan(-(event.deltaX || event.deltaY), 0);
    else picture.scale(Math.exp(Math.max(-60, Math.min(60, event.deltaY)) * 0.006), spot(event).y);
  };
  canvas.addEventListener("wheel", turn, { passive: false });

  const keys = {
    ArrowLeft: (unit) => picture.onchoose(Math.max(0, units.above[unit])),
    ArrowRight: (unit) => units.size[unit] > 1 && picture.onchoose(unit + 1),
    ArrowUp: (unit) => picture.onchoose(units.beside(unit, -1)),
    ArrowDown: (unit) => picture.onchoose(units.beside(unit, 1)),
    Enter: (unit) => picture.fit(unit),
    Escape: (unit) => picture.onchoose(Math.max(0, units.above[unit])),
    "+": () => picture.zoom("in"),
    "=": () => picture.zoom("in"),
    "-": () => picture.zoom("out"),
    0: () => picture.zoom("all"),
  };
  canvas.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !keys[event.key]) return;
    keys[event.key](picture.chosen);
    event.preventDefault();
  });
}
