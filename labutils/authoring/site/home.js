// The home page's first question: draw the curve of chapter 03, see the real one, hear how far off.
// Behind sketch.js, which draws; DATA is what the chapter's executed edition knows.

const FINE = 400; // pieces of a finely drawn curve
const ASIDE = 24; // pixels to the side, after which a drag of one handle is a sweep
const SHOW = "Show the real curve", AGAIN = "Draw again", WHY = "Read why";

/** What a widget's kernel would be: keeps the state and tells who listens. */
function stateOf(state) {
  const heard = [];
  return {
    get: (name) => state[name],
    set: (name, value) => {
      state[name] = value;
      for (const [event, react] of [...heard]) if (event === `change:${name}`) react();
    },
    on: (event, react) => heard.push([event, react]),
    off: (event, react) => heard.splice(heard.findIndex(([e, r]) => e === event && r === react), 1),
    save_changes: () => {},
  };
}

/** Read a curve of straight pieces at x. */
function readAt([xs, ys], x) {
  const i = Math.max(1, xs.findIndex((each) => each >= x));
  return ys[i - 1] + ((ys[i] - ys[i - 1]) * (x - xs[i - 1])) / (xs[i] - xs[i - 1]);
}

/** Read the monotone cubic through points at x: what `smooth` draws. */
function readSmooth(xs, ys, slope, x) {
  const i = Math.max(1, xs.findIndex((each) => each >= x)), h = xs[i] - xs[i - 1];
  const t = (x - xs[i - 1]) / h, [a, b] = [ys[i - 1], ys[i]];
  const bend = (1 - t) * (slope[i - 1] * h - (b - a)) - t * (slope[i] * h - (b - a));
  return (1 - t) * a + t * b + t * (1 - t) * bend;
}

/** How far a sketch lies from the real curve, as labutils.viz.sketch_score says it. */
function scoreOf(plot, values, points) {
  const [low, high] = plot.yRange.map(Math.log), height = high - low;
  const heights = values.map((y) => (Math.log(y) - low) / height);
  const slope = slopes(plot.x, heights);
  const gap = (drawn, x) => height * (clamp(drawn) - clamp(readAt(points, x)));
  const [first, last] = [plot.x[0], plot.x.at(-1)];
  let sum = 0;
  for (let i = 0; i <= FINE; i++) {
    const x = first + ((last - first) * i) / FINE, weight = i % FINE ? 1 : 0.5;
    sum += (weight * Math.abs(gap(readSmooth(plot.x, heights, slope, x), x))) / FINE;
  }
  const gaps = plot.x.map((x, i) => gap(heights[i], x));
  const worst = gaps.reduce((best, each, i) => (Math.abs(each) > Math.abs(gaps[best]) ? i : best), 0);
  const real = Math.exp(low + height * readAt(points, plot.x[worst]));
  return { factor: Math.exp(sum), gaps, worst, real };
}

function findingOf(plot, values, points) {
  const { factor, gaps, worst, real } = scoreOf(plot, values, points);
  if (factor < 1.05) return "Your curve is the real one to within 5 % on average.";
  const side = gaps.every((gap) => gap < -0.05) ? ", always too low"
    : gaps.every((gap) => gap > 0.05) ? ", always too high" : "";
  const off = factor < 1.25 ? `${Math.round(100 * (factor - 1))} %`
    : `a factor of ${Number(factor.toPrecision(2))}`;
  const [drawn, is] = [values[worst], real].map((y) => worded(y, plot.unit));
  return `At ${plot.x[worst]} you drew ${drawn}; it is ${is.replace(` ${plot.unit}`, "")}. `
    + `On average you are off by ${off}${side}.`;
}

/** Let a drag of one handle become a sweep over all, as soon as it leaves the handle's column. */
function sweepFromHandles(place) {
  let begun = null;
  place.addEventListener("pointerdown", (event) => {
    if (!event.isTrusted) return; // our own, below
    begun = event.button === 0 && event.target.closest(".handle") ? event : null;
  }, true);
  place.addEventListener("pointermove", ({ clientX }) => {
    if (!begun || Math.abs(clientX - begun.clientX) < ASIDE) return;
    const { clientX: x, clientY: y, pointerId } = begun;
    begun = null;
    const again = { clientX: x, clientY: y, pointerId, button: 0, bubbles: true, cancelable: true };
    place.querySelector(".paper").dispatchEvent(new PointerEvent("pointerdown", again));
  }, true);
  for (const end of ["pointerup", "pointercancel"]) {
    place.addEventListener(end, () => { begun = null; }, true);
  }
}

function fill(host) {
  const byFinger = window.matchMedia("(pointer: coarse)").matches && { how: "Drag a point, or sweep." };
  const plot = { ...DATA.plot, ...byFinger, title: "", then: `Then: ${SHOW}.` };
  const middle = Math.sqrt(plot.yRange[0] * plot.yRange[1]);
  const begin = () => plot.x.map(() => middle);
  const model = stateOf({ plot, values: begin(), drawn: false, reality: {} });
  const place = html("div", host), row = html("p", host);
  row.className = "home-next";
  const button = html("button", row, SHOW);
  const why = html("a", row, WHY);
  why.href = host.dataset.next;
  why.hidden = true;
  button.onclick = () => {
    const isOpen = !model.get("reality").points;
    const finding = model.get("drawn") ? findingOf(plot, model.get("values"), DATA.reality.points)
      : DATA.reality.finding;
    const told = `${finding} ${DATA.reality.answer}`;
    if (isOpen) model.set("reality", { ...DATA.reality, finding: told });
    else {
      model.set("reality", {});
      model.set("drawn", false);
      model.set("values", begin());
    }
    button.textContent = isOpen ? AGAIN : SHOW;
    why.hidden = !isOpen;
  };
  render({ model, el: place });
  sweepFromHandles(place);
}

const home = document.getElementById("home-sketch");
if (home) fill(home);
