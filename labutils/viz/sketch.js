// The sketch in the browser: handles that the mouse, a finger or the keys move; the curve through
// them; and, once the kernel sends it, the real curve with the area between.
// Heights are shares of the plot: 0 at the bottom, 1 at the top. Python owns every number that
// is scored; this file owns the picture, sketch_input.js the keys and the pointer.

const WIDE = { W: 760, H: 420, box: { left: 78, right: 638, top: 40, bottom: 362 } }; // sketch.css
const NARROW = { W: 400, H: 400, box: { left: 50, right: 378, top: 40, bottom: 342 } }; // a phone
const BETWEEN = 32; // pixels between the middles of two numbers on the axis that can both be read
const INVITATION = "Draw the curve: press here and sweep across";
const HOW = "Drag a point, or press Tab and use ↑ ↓ Page Up Page Down.";
const THEN = "When you are content, run the next cell.";
const TIMES = [[1, "s"], [1e-3, "ms"], [1e-6, "µs"], [1e-9, "ns"]];

function make(name, attributes = {}, parent = null, text = "") {
  const node = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  if (text) node.textContent = text;
  if (parent) parent.append(node);
  return node;
}

function html(name, parent, text = "") {
  const node = document.createElement(name);
  node.textContent = text;
  parent.append(node);
  return node;
}

const clamp = (share) => Math.min(1, Math.max(0, share));

/** Translate between values, shares and the pixels of a sheet of paper. */
function scales({ xRange, yRange, yLog }, sheet) {
  const { box } = sheet;
  const [low, high] = yLog ? yRange.map(Math.log10) : yRange;
  const across = (box.right - box.left) / (xRange[1] - xRange[0]);
  return {
    ...sheet,
    px: (x) => box.left + (x - xRange[0]) * across,
    py: (share) => box.bottom - share * (box.bottom - box.top),
    share: (y) => clamp(((yLog ? Math.log10(y) : y) - low) / (high - low)),
    value: (share) => {
      const y = low + share * (high - low);
      const rounded = Number((yLog ? 10 ** y : y).toPrecision(3));
      return Math.min(yRange[1], Math.max(yRange[0], rounded));
    },
  };
}

function worded(y, unit) {
  let [size, name] = [1, unit];
  if (unit === "s") [size, name] = TIMES.find(([least]) => y >= least * 0.9995) ?? [1, "s"];
  const three = Number((y / size).toPrecision(3));
  const number = three.toLocaleString("en-US", { maximumFractionDigits: 9 });
  return name === "×" ? `${number}×` : `${number} ${name}`.trim();
}

/** Slopes of the monotone cubic (Fritsch and Butland, 1984), as scipy's PchipInterpolator. */
function slopes(xs, ys) {
  const h = xs.slice(1).map((x, i) => x - xs[i]);
  const m = h.map((step, i) => (ys[i + 1] - ys[i]) / step);
  if (m.length === 1) return [m[0], m[0]];
  const inner = m.slice(1).map((after, i) => {
    if (m[i] * after <= 0) return 0;
    const [a, b] = [2 * h[i + 1] + h[i], h[i + 1] + 2 * h[i]];
    return (a + b) / (a / m[i] + b / after);
  });
  const end = (h0, h1, m0, m1) => {
    const slope = ((2 * h0 + h1) * m0 - h0 * m1) / (h0 + h1);
    if (slope * m0 <= 0) return 0;
    return m0 * m1 <= 0 && Math.abs(slope) > 3 * Math.abs(m0) ? 3 * m0 : slope;
  };
  const n = m.length - 1;
  return [end(h[0], h[1], m[0], m[1]), ...inner, end(h[n], h[n - 1], m[n], m[n - 1])];
}

/** Return the curve through the points as an SVG path, exactly: a cubic is a Bezier curve. */
function smooth(xs, ys) {
  const slope = slopes(xs, ys);
  return xs.slice(1).reduce((path, x, i) => {
    const third = (x - xs[i]) / 3;
    const [y, next] = [ys[i] + slope[i] * third, ys[i + 1] - slope[i + 1] * third];
    return `${path} C${xs[i] + third} ${y} ${x - third} ${next} ${x} ${ys[i + 1]}`;
  }, `M${xs[0]} ${ys[0]}`);
}

/** Draw what never changes: grid, ticks, names of the axes. */
function drawPaper(svg, plot, to) {
  const { left, right, top, bottom } = to.box;
  for (const [share, label] of plot.ticks) {
    const y = to.py(share);
    make("line", { class: "grid", x1: left, x2: right, y1: y, y2: y }, svg);
    make("text", { x: left - 9, y: y + 4.5, "text-anchor": "end" }, svg, label);
  }
  const ends = plot.xRange.filter((x) => plot.x.every((at) => Math.abs(to.px(x) - to.px(at)) > 26));
  for (const x of [...plot.x, ...ends]) {
    const at = to.px(x);
    make("line", { class: "grid", x1: at, x2: at, y1: top, y2: bottom }, svg);
    const place = { x: at + aside(plot.x.map(to.px), at), y: bottom + 20, "text-anchor": "middle" };
    make("text", place, svg, String(x));
  }
  make("line", { class: "base", x1: left, x2: right, y1: bottom, y2: bottom }, svg);
  make("text", { class: "axis", x: 0, y: 18 }, svg, plot.yLabel);
  const middle = (left + right) / 2;
  make("text", { class: "axis", x: middle, y: to.H - 10, "text-anchor": "middle" }, svg, plot.xLabel);
}

/** How far a number on the axis moves away from its neighbours, so that each can be read. */
function aside(places, at) {
  const missing = (gap) => (gap > 0 ? Math.max(0, BETWEEN - gap) / 2 : 0);
  return places.reduce((sum, place) => sum + missing(at - place) - missing(place - at), 0);
}

function makeHandle(svg, plot, x, index) {
  const handle = make("g", {
    class: "handle", role: "slider", tabindex: 0, "aria-orientation": "vertical",
    "aria-label": `${plot.yLabel} at ${plot.xLabel} ${x}`, "data-index": index,
    "aria-valuemin": plot.yRange[0], "aria-valuemax": plot.yRange[1],
  }, svg);
  make("circle", { class: "reach", r: 22 }, handle);
  make("circle", { class: "ring", r: 15 }, handle);
  make("circle", { class: "dot", r: 8.5 }, handle);
  make("text", { class: "value" }, handle);
  return handle;
}

/** Everything that changes, as nodes, in the order in which they lie on the paper. */
function layers(svg, plot, to, clip) {
  const { left, right, top, bottom } = to.box;
  const size = { x: left, y: top, width: right - left, height: bottom - top };
  make("rect", size, make("clipPath", { id: clip }, make("defs", {}, svg)));
  const middle = { x: (left + right) / 2, y: top + size.height * 0.3 };
  const inside = make("g", { "clip-path": `url(#${clip})` }, svg);
  const beside = { x: to.W === WIDE.W ? right + 16 : left + 8 };
  return {
    paper: make("rect", { class: "paper", ...size, x: size.x - 14, width: size.width + 28 }, svg),
    invite: make("text", { class: "invite", ...middle }, svg, INVITATION),
    between: make("path", { class: "between" }, inside),
    real: make("path", { class: "true", pathLength: 1 }, inside),
    marks: make("g", { class: "marks" }, svg),
    mine: make("path", { class: "mine" }, svg),
    myName: make("text", { class: "name of-mine", ...beside }, svg, "your sketch"),
    realName: make("text", { class: "name of-true", ...beside }, svg),
    handles: plot.x.map((x, i) => makeHandle(svg, plot, x, i)),
  };
}

function placeHandle(handle, plot, to, x, y, closed) {
  handle.setAttribute("transform", `translate(${to.px(x)} ${to.py(to.share(y))})`);
  handle.setAttribute("aria-valuenow", y);
  handle.setAttribute("aria-valuetext", worded(y, plot.unit));
  handle.setAttribute("aria-disabled", closed);
  const text = handle.querySelector(".value");
  text.textContent = worded(y, plot.unit);
  text.setAttribute("y", to.share(y) > 0.92 ? 32 : -20);
}

/** Return the real curve as pixels, and the part of it that lies over the handles. */
function realPoints({ points: [xs, shares] }, plot, to) {
  const all = xs.map((x, i) => [to.px(x), to.py(shares[i])]);
  const over = all.filter((_, i) => xs[i] >= plot.x[0] && xs[i] <= plot.x.at(-1));
  return { all, over };
}

/** Put the curves' names beside their ends; on a narrow sheet into the corner, where both begin. */
function placeNames(nodes, mineY, realY, label, { W, box: { top, bottom } }) {
  const nameAt = (y) => Math.min(bottom - 4, Math.max(top + 8, y + 5));
  let [mine, real] = [nameAt(mineY), nameAt(realY)];
  if (W === NARROW.W) [mine, real] = [top + 18, top + 38];
  else if (label && Math.abs(mine - real) < 20) {
    const room = real - 20 > top ? -20 : 20;
    mine = real + (mineY > realY && real + 20 < bottom ? 20 : room);
  }
  nodes.myName.setAttribute("y", mine);
  nodes.realName.setAttribute("y", real);
  nodes.realName.textContent = label;
}

/** Draw measured points, those that lie on the paper. */
function drawMarks(layer, [xs, shares], to) {
  const { box } = to;
  layer.replaceChildren();
  xs.forEach((x, i) => {
    const [cx, cy] = [to.px(x), to.py(shares[i])];
    if (cx < box.left || cx > box.right || cy < box.top || cy > box.bottom) return;
    make("circle", { class: "mark", cx, cy, r: 4.5 }, layer);
  });
}

/** Draw the state of the model: the sketch, and reality once it is there. */
function redraw(model, nodes, to, parts) {
  const [plot, reality] = [model.get("plot"), model.get("reality")];
  const [drawn, values] = [model.get("drawn"), model.get("values")];
  const closed = Boolean(reality.points);
  const xs = plot.x.map(to.px), ys = values.map((y) => to.py(to.share(y)));
  parts.svg.classList.toggle("ghost", !drawn);
  parts.svg.classList.toggle("closed", closed);
  nodes.handles.forEach((handle, i) => placeHandle(handle, plot, to, plot.x[i], values[i], closed));
  nodes.mine.setAttribute("d", smooth(xs, ys));
  const { all, over } = closed ? realPoints(reality, plot, to) : { all: [], over: [] };
  parts.svg.classList.toggle("measured", Boolean(reality.marks));
  drawMarks(nodes.marks, reality.marks ?? [[], []], to);
  nodes.real.setAttribute("d", all.length ? `M${all.map((p) => p.join(" ")).join(" L")}` : "");
  const back = over.reverse().map((p) => p.join(" ")).join(" L");
  nodes.between.setAttribute("d", back && drawn ? `${smooth(xs, ys)} L${back} Z` : "");
  placeNames(nodes, ys.at(-1), closed ? all.at(-1)[1] : 0, closed ? reality.label : "", to);
  nodes.myName.style.display = drawn ? "" : "none";
  nodes.invite.style.display = drawn || closed ? "none" : "";
  parts.note.classList.toggle("finding", closed);
  parts.note.textContent = closed ? reality.finding : noteFor(drawn, plot);
}

function noteFor(drawn, plot) {
  const keys = plot.how ?? HOW;
  const edge = `The plot ends at ${plot.top}; the real curve may not.`;
  return drawn ? `${keys} ${edge} ${plot.then ?? THEN}` : `${keys} ${edge}`;
}

function render({ model, el }) {
  const plot = model.get("plot"), isNarrow = el.clientWidth > 0 && el.clientWidth < 500;
  const to = scales(plot, isNarrow ? NARROW : WIDE);
  const root = html("div", el);
  root.className = isNarrow ? "tif-sketch narrow" : "tif-sketch";
  root.style.setProperty("--drawing", plot.drawing);
  root.style.setProperty("--real", plot.real);
  root.style.setProperty("--measured", plot.measured);
  if (plot.title) html("div", root, plot.title).className = "title";
  const named = { role: "group", "aria-label": plot.title || plot.yLabel };
  const svg = make("svg", { viewBox: `0 0 ${to.W} ${to.H}`, ...named }, root);
  drawPaper(svg, plot, to);
  const nodes = layers(svg, plot, to, `tif-${Math.random().toString(36).slice(2)}`);
  const note = html("p", root);
  note.setAttribute("aria-live", "polite");
  const show = () => redraw(model, nodes, to, { svg, note });
  const move = (shares) => { // heights by handle; a handle without one stays
    const before = model.get("values");
    if (!Object.values(shares).some((share) => share !== undefined)) return;
    const after = before.map((y, i) => (shares[i] === undefined ? y : to.value(clamp(shares[i]))));
    if (model.get("drawn") && after.every((y, i) => y === before[i])) return;
    model.set("values", after);
    model.set("drawn", true);
    model.save_changes();
  };
  const kept = () => {
    const before = ["values", "drawn"].map((name) => [name, model.get(name)]);
    return () => {
      for (const [name, value] of before) model.set(name, value);
      model.save_changes();
    };
  };
  const shareOf = (index) => to.share(model.get("values")[index]);
  const isOpen = () => !model.get("reality").points;
  const deafen = listenToKeys(svg, { isOpen, shareOf, move });
  listenToPointer(svg, nodes, plot, to, { isOpen, move, kept });
  const reveal = () => svg.classList.toggle("fresh", Boolean(model.get("reality").points));
  const heard = [["reality", reveal], ["reality", show], ["values", show], ["drawn", show]];
  for (const [name, react] of heard) model.on(`change:${name}`, react);
  show();
  return () => {
    deafen();
    for (const [name, react] of heard) model.off(`change:${name}`, react);
  };
}

export default { render };
