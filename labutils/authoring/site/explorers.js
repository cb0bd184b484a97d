// Explorers on a page: controls, a picture, a sentence. What a setting shows comes from a table of
// recorded pictures, or from a kernel that computes it; neither needs anything else from here.

(() => {
  const FOLDER = new URL(".", document.currentScript.src);
  const NEAR = "900px"; // from the screen's edge: there a table begins to load
  const OWN = /§/g; // before every id of a recorded picture, which may stand on a page twice
  const LOOK = /¤(\d+)/g; // in an element: attributes that many others have, too
  const kernels = {}, arrived = {};

  function make(name, parent, attributes = {}, text = "") {
    const node = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
    node.textContent = text;
    parent.append(node);
    return node;
  }

  /** Load a script once. A page that was opened from a folder may load scripts and nothing else. */
  function load(name) {
    return (arrived[name] ??= new Promise((done, failed) => {
      const script = make("script", document.head, { src: new URL(name, FOLDER) });
      script.onload = done;
      script.onerror = failed;
    }));
  }

  /** What draws the pictures of a recorded explorer: `show` takes the place of every control. */
  function recorded(table) {
    const { nodes, controls } = table;
    const text = (n) =>
      typeof nodes[n] === "string" ? nodes[n] : `<g>${nodes[n].map(text).join("")}</g>`;
    const isGroup = (n) => n !== undefined && typeof nodes[n] !== "string";
    const start = (host, id) => {
      const box = `viewBox="0 0 ${table.size.join(" ")}"`;
      host.innerHTML = `<svg ${box} aria-hidden="true"></svg>`;
      return { svg: host.firstChild, now: [], id };
    };
    const element = (n, id) => {
      const parent = document.createElementNS("http://www.w3.org/2000/svg", "g");
      parent.innerHTML = text(n).replace(LOOK, (_, look) => table.looks[look]).replace(OWN, id);
      return parent.firstChild;
    };
    /** Put elements in place of those of another setting; what both show stays as it is. */
    const put = (parent, was, now, id) => {
      now.forEach((n, i) => {
        const old = parent.childNodes[i];
        if (was[i] === n) return;
        if (isGroup(was[i]) && isGroup(n)) put(old, nodes[was[i]], nodes[n], id);
        else if (old) old.replaceWith(element(n, id));
        else parent.append(element(n, id));
      });
      while (parent.childNodes.length > now.length) parent.lastChild.remove();
    };
    return (host, places, id) => {
      const at = controls.reduce((sum, { options }, i) => sum * options.length + places[i], 0);
      const picture = (host.picture ??= start(host, id));
      put(picture.svg, picture.now, [table.drawn[at]], id);
      picture.now = [table.drawn[at]];
      return table.findings[table.said[at]];
    };
  }

  /** A control that calls `moved` with the place of its option; returns what shows a place. */
  function addControl({ label, kind, options }, at, panel, moved) {
    const row = make("div", panel, { class: `control ${kind}` });
    if (kind === "switch") {
      const button = make("button", row, { type: "button", "aria-pressed": !!at }, label);
      button.onclick = () => moved(button.getAttribute("aria-pressed") === "true" ? 0 : 1);
      return (place) => button.setAttribute("aria-pressed", !!place);
    }
    const name = make("span", row, { class: "label" }, label);
    if (kind === "buttons") {
      const group = make("div", row, { role: "group", "aria-label": label });
      const buttons = options.map((words, i) => {
        const button = make("button", group, { type: "button", "aria-pressed": i === at }, words);
        button.onclick = () => moved(i);
        return button;
      });
      group.onkeydown = ({ key }) => {
        const way = { ArrowRight: 1, ArrowLeft: -1 }[key];
        const next = buttons[buttons.indexOf(document.activeElement) + way];
        if (next) next.focus(), next.click();
      };
      return (place) => buttons.forEach((b, i) => b.setAttribute("aria-pressed", i === place));
    }
    if (kind === "list") {
      const list = make("select", row, { "aria-label": label });
      options.forEach((words) => make("option", list, {}, words));
      list.onchange = () => moved(list.selectedIndex);
      return (place) => { list.selectedIndex = place; };
    }
    const range = { type: "range", min: 0, max: options.length - 1, value: at, "aria-label": label };
    const slider = make("input", row, range), words = make("span", row, { class: "value" });
    slider.oninput = () => moved(Number(slider.value));
    return (place) => {
      slider.value = place;
      slider.setAttribute("aria-valuetext", options[place]);
      words.textContent = options[place];
    };
  }

  function noteOf({ controls, coarse, kernel }) {
    if (kernel) return "Computed on this page, but for what is simulated: that was recorded.";
    const settings = controls.reduce((product, { options }) => product * options.length, 1);
    const more = coarse ? "; the notebook has more" : "";
    return `Recorded by the course's own code: ${settings.toLocaleString("en-US")} settings${more}.`;
  }

  /** Give the longest finding its room, or the picture would jump with every word. */
  function keepRoom(finding, findings) {
    finding.textContent = findings.reduce((a, b) => (b.length > a.length ? b : a), "");
    if (finding.offsetHeight) finding.style.minHeight = `${finding.offsetHeight}px`;
  }

  function build(box, table) {
    const { title, controls } = table;
    const draw = table.kernel ? kernels[table.name](table) : recorded(table);
    const places = [...(box.dataset.start?.split(" ").map(Number) ?? table.start)];
    const live = make("div", box, { class: "live" }), panel = make("div", live, { class: "panel" });
    const finding = make("p", live, { class: "finding", role: "status" });
    const columns = table.columns === 1 ? "one-column" : "";
    const picture = make("div", live, { class: `picture ${columns}`, role: "img" });
    make("p", live, { class: "note" }, noteOf(table));
    const id = `x${document.querySelectorAll(".explorer .live").length}-`;
    const show = () => {
      finding.textContent = draw(picture, places, id);
      const said = controls.map(({ name, shown }, i) => `${name} = ${shown[places[i]]}`);
      picture.setAttribute("aria-label", `${title}. ${said.join(", ")}. ${finding.textContent}`);
    };
    controls.forEach((control, i) => {
      if (control.options.length < 2) return;
      const moved = (place) => { places[i] = place; mark(place); show(); };
      const mark = addControl(control, places[i], panel, moved);
      mark(places[i]);
    });
    keepRoom(finding, table.findings ?? []);
    show();
    box.querySelector(".still").hidden = true; // the still is for pages without scripts
    if (table.kernel) new ResizeObserver(show).observe(picture); // recorded ones scale by themselves
  }

  async function open(box) {
    const name = box.dataset.explorer;
    for (const script of box.dataset.scripts.split(" ")) await load(script);
    build(box, arrived.tables[name]);
  }

  arrived.tables = {};
  window.explorers = {
    table: (table) => { arrived.tables[table.name] = table; },
    kernel: (name, make) => { kernels[name] = make; },
  };

  const sight = new IntersectionObserver((seen) => {
    for (const { target, isIntersecting } of seen) {
      if (!isIntersecting) continue;
      sight.unobserve(target);
      open(target).catch(() => {}); // without its table the still stays
    }
  }, { rootMargin: NEAR });
  document.querySelectorAll(".explorer").forEach((box) => sight.observe(box));
})();
