// How a sketch is drawn: the keys move one handle, the pointer drags one or sweeps over all.
// `move` takes heights by handle, {index: share}; sketch.js, to which this file belongs, has the rest.

const STEP = 0.01, PAGE = 0.1; // of the plot's height, for one press of a key
const BESIDE = 8; // pixels: as near to a handle's x, a stroke means this handle

/** Let keys move handles through `move`; return a function that stops it. */
function listenToKeys(svg, { isOpen, shareOf, move }) {
  const keys = {
    ArrowUp: STEP, ArrowRight: STEP, ArrowDown: -STEP, ArrowLeft: -STEP,
    PageUp: PAGE, PageDown: -PAGE, Home: -1, End: 1,
  };
  const press = (event) => {
    const handle = event.target.closest?.(".handle");
    if (!svg.contains(handle) || !(event.key in keys) || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    const index = Number(handle.dataset.index);
    if (isOpen()) move({ [index]: shareOf(index) + keys[event.key] });
  };
  window.addEventListener("keydown", press, true); // before JupyterLab, whose arrows move cells
  return () => window.removeEventListener("keydown", press, true);
}

/** Let the mouse and fingers drag a handle, or sweep all of them in one stroke. */
function listenToPointer(svg, nodes, plot, to, { isOpen, move, kept }) {
  let draw = null; // what the pointer's next place does, while it is pressed
  let undo = null;
  const at = (event) => {
    const box = svg.getBoundingClientRect();
    const x = ((event.clientX - box.left) * to.W) / box.width;
    const y = ((event.clientY - box.top) * to.H) / box.height;
    return { x, share: (to.box.bottom - y) / (to.box.bottom - to.box.top) };
  };
  svg.addEventListener("pointerdown", (event) => {
    const handle = event.target.closest(".handle");
    if (!isOpen() || event.button !== 0 || !(handle || event.target === nodes.paper)) return;
    const index = handle && Number(handle.dataset.index);
    undo = kept();
    draw = handle ? ({ share }) => move({ [index]: share }) : stroke(plot.x.map(to.px), move);
    svg.setPointerCapture(event.pointerId);
    if (handle) handle.focus({ focusVisible: false });
    else draw(at(event));
    event.preventDefault();
  });
  svg.addEventListener("touchstart", (event) => { // parts of an SVG heed no touch-action
    if (isOpen() && event.target.closest(".handle")) event.preventDefault();
  }, { passive: false });
  svg.addEventListener("pointermove", (event) => {
    if (!draw || !isOpen()) return;
    const passed = event.getCoalescedEvents?.() ?? []; // the places since the last frame
    for (const place of passed.length ? passed : [event]) draw(at(place));
  });
  svg.addEventListener("pointerup", () => { draw = null; });
  svg.addEventListener("pointercancel", () => { // the finger scrolls
    if (draw) undo();
    draw = null;
  });
}

/**
 * Begin a stroke over handles that stand at `xs`; return what takes its points one by one.
 * A handle goes where the stroke last crosses its x. One that the stroke begins or ends beside,
 * within a dot's width, goes as high as the stroke's nearest point; while the whole stroke stays
 * beside one handle, it follows the pointer.
 */
function stroke(xs, move) {
  const best = xs.map(() => ({ gap: BESIDE })); // where the stroke has come nearest to each x
  let from = null, [first, last] = [Infinity, -Infinity];
  return (point) => {
    [first, last] = [Math.min(first, point.x), Math.max(last, point.x)];
    const shares = xs.map((x, index) => {
      const now = nearest(from ?? point, point, x);
      if (now.gap <= best[index].gap) best[index] = now;
      return x - first <= BESIDE && last - x <= BESIDE ? point.share : best[index].share;
    });
    from = point;
    move(shares);
  };
}

/** Where a straight line between two points comes nearest to `x`: how near, and how high. */
function nearest(from, to, x) {
  if ((x - from.x) * (x - to.x) < 0) {
    const way = (x - from.x) / (to.x - from.x);
    return { gap: 0, share: from.share + way * (to.share - from.share) };
  }
  const [one, other] = [from, to].map((end) => ({ gap: Math.abs(x - end.x), share: end.share }));
  return one.gap < other.gap ? one : other;
}

