// Chapter 03's load curve, computed on the page: its formulas are those of labutils.laws.queueing,
// and what has no formula comes from the table. All times are in mean service times.

explorers.kernel("load", (table) => {
  const CURVE = Array.from({ length: 90 }, (_, i) => 1 - 0.99 * (0.01 / 0.99) ** (i / 89));
  const TOPS = [8, 20, 50, 125], TOP_STEPS = { 8: 2, 20: 5, 50: 10, 125: 25 };
  const TICKS = [0, 0.5, 0.8, 0.9, 0.95, 0.98, 0.99];
  const QUANTILE = 0.99;
  const { colors, at, percents } = table;

  /** Erlang's C: who finds all servers busy, at an offered load below the number of servers. */
  function pWait(offered, servers) {
    let blocked = 1;
    for (let n = 1; n <= servers; n++) blocked = (offered * blocked) / (n + offered * blocked);
    return blocked / (blocked + ((1 - blocked) * (servers - offered)) / servers);
  }

  function mean(load, servers, scv) { // Allen and Cunneen
    const offered = load * servers;
    return 1 + (pWait(offered, servers) * (1 + scv)) / 2 / (servers - offered);
  }

  /** The share of requests that take longer than t at exponential services. */
  function tail(t, load, servers) {
    const offered = load * servers, waits = pWait(offered, servers), decay = servers - offered;
    const low = Math.min(1, decay), x = Math.abs(decay - 1) * t;
    const both = Math.exp(-low * t) * (1 + low * t * (x > 0 ? -Math.expm1(-x) / x : 1));
    return (1 - waits) * Math.exp(-t) + waits * both;
  }

  /** Where a condition that holds at `low` ends, by halving. */
  function edge(low, high, holds) {
    for (let i = 0; i < 60; i++) {
      const middle = (low + high) / 2;
      if (holds(middle)) low = middle;
      else high = middle;
    }
    return low;
  }

  function p99(load, servers) {
    let high = 1;
    while (tail(high, load, servers) > 1 - QUANTILE) high *= 2;
    return edge(0, high, (t) => tail(t, load, servers) > 1 - QUANTILE);
  }

  /** The line of a setting, and the highest load that keeps the promise: null if none does. */
  function lineOf({ servers, scv, statistic, target }) {
    if (statistic === "p99" && scv !== 1) {
      const { latency, ceilings } = table.simulated[`${servers} ${scv}`];
      const found = ceilings[table.targets.indexOf(target)];
      return { loads: percents, latency, ceiling: found && found[0], margin: found?.[1], kind: 0 };
    }
    const of = statistic === "mean" ? (x) => mean(x, servers, scv) : (x) => p99(x, servers);
    const ceiling = of(1e-9) > target ? null : edge(1e-9, 1 - 1e-12, (x) => of(x) <= target);
    const kind = scv === 1 || (servers === 1 && statistic === "mean") ? 2 : 1;
    return { loads: CURVE, latency: CURVE.map(of), ceiling, margin: 0, kind };
  }

  /** As Python writes a number: a tie goes to the even digit. */
  function fixed(x, digits) {
    const parts = x * (digits ? 4 : 2), power = 10 ** digits;
    if (!Number.isInteger(parts) || parts % 2 === 0) return x.toFixed(digits);
    const below = Math.floor(x * power);
    return ((below % 2 ? below + 1 : below) / power).toFixed(digits);
  }

  function percent({ ceiling, margin }) {
    const about = margin ? ` ± ${fixed(100 * margin, 1)}` : "";
    return `${fixed(100 * ceiling, margin ? 1 : 0)}${about} %`;
  }

  function findingOf(setting, line, requests) {
    const { servers, scv, statistic, target } = setting;
    const promise = `a ${statistic} latency of ${target} service times`;
    const verdict = line.ceiling === null
      ? `no load keeps ${promise}; the service alone takes longer.`
      : `${promise} allows a load of ${percent(line)}.`;
    const kind = ["There is no formula: the line and the ceiling are simulated (± 95 %)",
      "The line is an approximation here", "The line is exact"][line.kind];
    const fleet = servers === 1 ? "1 server" : `${servers} servers`;
    const each = `each point is ${requests.toLocaleString("en-US")} simulated requests.`;
    return `${fleet}, scv ${scv}: ${verdict} ${kind}; ${each}`;
  }

  function make(parent, name, attributes, text = "") {
    const node = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
    node.textContent = text;
    parent.append(node);
    return node;
  }

  /** Axes in the pixels of the screen, so that letters have their size on a phone, too. */
  function paper(host, { isHeadroom, top }) {
    const width = Math.max(280, host.clientWidth), height = Math.min(442, Math.max(320, 0.6 * width));
    host.replaceChildren();
    const svg = make(host, "svg", { viewBox: `0 0 ${width} ${height}`, class: "drawn",
      "aria-hidden": true });
    const box = { left: 46, right: width - 20, top: 64, bottom: height - 44 };
    const share = (v, from, to) => (isHeadroom ? Math.log(v / from) / Math.log(to / from)
      : (v - from) / (to - from));
    const [left, right, low, high] = isHeadroom ? [1, 0.01, 0.6, 150] : [0, 1, 0, top];
    const X = (load) => box.left
      + share(isHeadroom ? 1 - load : load, left, right) * (box.right - box.left);
    const Y = (y) => box.bottom - share(y, low, high) * (box.bottom - box.top);
    const grid = { stroke: colors.grid, "stroke-width": 1 };
    for (const load of isHeadroom ? TICKS : [0, 0.2, 0.4, 0.6, 0.8, 1]) {
      make(svg, "line", { ...grid, x1: X(load), x2: X(load), y1: box.top, y2: box.bottom });
      const words = isHeadroom ? Number((1 - load).toPrecision(2)) : load;
      make(svg, "text", { x: X(load), y: box.bottom + 17, "text-anchor": "middle" }, words);
    }
    const steps = Array.from({ length: 6 }, (_, i) => i * TOP_STEPS[top]).filter((y) => y <= top);
    for (const y of isHeadroom ? [1, 2, 5, 10, 20, 50, 100] : steps) {
      make(svg, "line", { ...grid, y1: Y(y), y2: Y(y), x1: box.left, x2: box.right });
      make(svg, "text", { x: box.left - 7, y: Y(y) + 4.5, "text-anchor": "end" }, y);
    }
    const axis = isHeadroom ? "headroom 1 − ρ (logarithmic)" : "load ρ";
    const middle = (box.left + box.right) / 2;
    make(svg, "text", { class: "axis", x: 8, y: 20 }, "latency (service times) against load");
    make(svg, "text", { class: "axis", x: middle, y: height - 8, "text-anchor": "middle" }, axis);
    const clip = make(make(svg, "defs", {}), "clipPath", { id: `${host.id}-clip` });
    make(clip, "rect", { x: box.left - 8, y: box.top - 6, width: box.right - box.left + 16,
      height: box.bottom - box.top + 7 });
    const inside = make(svg, "g", { "clip-path": `url(#${host.id}-clip)` });
    return { svg, inside, X, Y, box };
  }

  function draw(host, setting, line, points) {
    const top = TOPS.find((t) => t >= Math.max(2.5 * setting.target, 2.2 * line.latency[0])) ?? 125;
    const isHeadroom = setting.axis === "headroom";
    const { svg, inside, X, Y, box } = paper(host, { isHeadroom, top });
    const path = (xs, ys, color, look = {}) => make(inside, "path", { fill: "none", stroke: color,
      "stroke-width": 2.6, d: `M${xs.map((x, i) => `${X(x)} ${Y(ys[i])}`).join("L")}`, ...look });
    const isSimulated = line.kind === 0, mark = isSimulated ? colors.measurement : colors.theory;
    path(line.loads, line.latency, mark, isSimulated ? { "stroke-dasharray": "2 3" } : {});
    at.forEach((load, i) => {
      const y = points.latency[i], half = points.margin?.[i] ?? 0;
      path([load, load], [Math.max(y - half, 0.1), y + half], colors.measurement);
      make(inside, "circle", { cx: X(load), cy: Y(y), r: 4.5, fill: colors.measurement });
    });
    const limit = { "stroke-width": 2 }, { ceiling } = line, target = setting.target;
    path([0.01, 0.99], [target, target], colors.limit, { ...limit, "stroke-dasharray": "7 4" });
    const names = [["promise", colors.limit], [isSimulated ? "simulated line" : "theory", mark],
      ["simulated", colors.measurement]];
    let x = box.left;
    for (const [words, color] of names) {
      const name = make(svg, "text", { class: "name", x, y: 44, fill: color }, words);
      x += name.getComputedTextLength() + 16;
    }
    if (ceiling === null) return;
    path([ceiling, ceiling], [isHeadroom ? 0.6 : 0, target], colors.limit, limit);
    // No curve passes below the promise on the right of the ceiling, nor above it on the left.
    const place = X(ceiling) > (box.left + box.right) / 2
      ? { x: X(ceiling) - 5, y: Y(target) - 8, "text-anchor": "end" }
      : { x: X(ceiling) + 7, y: Y(target) + 17 };
    make(svg, "text", { class: "name said", fill: colors.limit, ...place }, percent(line));
  }

  return (host, places, id) => {
    host.id ||= `${id}picture`;
    const [servers, scv, statistic, target, axis] = table.controls.map(({ shown }, i) => {
      const said = shown[places[i]];
      return Number.isNaN(Number(said)) ? said : Number(said);
    });
    const setting = { servers, scv, statistic, target, axis };
    const line = lineOf(setting), { mean: means, margin, p99: tails, requests } =
      table.points[`${servers} ${scv}`];
    const points = statistic === "mean" ? { latency: means, margin } : { latency: tails };
    if (host.clientWidth) draw(host, setting, line, points);
    return findingOf(setting, line, requests);
  };
});
