// Predictions: a range is kept in the browser, and set beside the outcome when its fold is opened.

(() => {
  const all = (selector, from = document) => [...from.querySelectorAll(selector)];
  const formOf = (id) => document.querySelector(`form.predict[id="${id}"]`);
  const guessOf = (id) => site.kept(`guess.${id}`);

  /** Return the number in a text, or NaN: thousands may be set apart, a share be in percent. */
  function number(text) {
    const found = text.replaceAll(",", "").match(/^(-?\d*\.?\d+(?:e[-+]?\d+)?)\s*(%?)$/i);
    return found ? Number(found[1]) * (found[2] ? 0.01 : 1) : NaN;
  }

  /** Return a text without the unit that the question has anyway. */
  function bare(text, unit) {
    const own = text.trim();
    return unit && own.endsWith(unit) ? own.slice(0, -unit.length).trim() : own;
  }

  const worded = ([low, high], unit) =>
    `${low === high ? low : `${low} to ${high}`}${unit ? ` ${unit}` : ""}`;

  /** Return what is wrong with the fields, or the two numbers. */
  function read(form) {
    const { unit, least, most } = form.dataset;
    const given = [form.low.value || form.high.value, form.high.value || form.low.value];
    const texts = given.map((text) => bare(text, unit)), ends = texts.map(number);
    if (ends.some(Number.isNaN)) {
      return { wrong: `Two numbers, please${unit ? `, in ${unit}` : ""}: low and high.` };
    }
    if (ends[0] > ends[1]) return { wrong: "Your low lies above your high: swap them." };
    const [low, high] = [Number(least ?? -Infinity), Number(most ?? Infinity)];
    const outside = ends.find((end) => end < low || end > high);
    if (outside !== undefined) {
      const bounds = [["least", least], ["most", most]].filter(([, bound]) => bound)
        .map(([name, bound]) => `at ${name} ${worded([bound, bound], unit)}`).join(" and ");
      const share = !unit && most === "1" ? " A share in percent has its sign: 60 %." : "";
      return { wrong: `It is ${bounds}, and you say ${worded([outside, outside], unit)}.${share}` };
    }
    return { ends, texts };
  }

  /** How far off: in percent when near, as a factor when far, in words where neither fits. */
  function distance(said, actual) {
    if (said <= 0 || actual <= 0) return "well";
    const ratio = Math.max(said / actual, actual / said);
    if (ratio >= 1.5) return `${Number(ratio.toPrecision(2))} times`;
    return `${Number((100 * Math.abs(said - actual) / actual).toPrecision(2))} %`;
  }

  function compared({ ends: [low, high], texts }, unit, actual) {
    const said = `You said ${worded(texts, unit)}`;
    if (Number.isNaN(actual)) return `${said}.`;
    if (low <= actual && actual <= high) return `Inside your range. ${said}.`;
    const over = actual < low;
    return `Outside. ${said}: ${distance(over ? low : high, actual)} too ${over ? "high" : "low"}.`;
  }

  function tell(told) {
    const guess = guessOf(told.dataset.id), unit = formOf(told.dataset.id)?.dataset.unit;
    const actual = Number(told.dataset.actual ?? NaN);
    told.querySelector(".mine").textContent =
      guess ? compared(guess, unit, actual) : "You made no prediction.";
  }

  function note(form) {
    const guess = guessOf(form.id);
    if (!guess) return;
    [form.low.value, form.high.value] = guess.texts;
    form.querySelector(".said").textContent =
      `Noted: ${worded(guess.texts, form.dataset.unit)}. Read on; what came out is folded below.`;
  }

  function commit(form) {
    const { wrong, ...guess } = read(form);
    if (wrong) {
      form.querySelector(".said").textContent = wrong;
      return;
    }
    site.keep(`guess.${form.id}`, guess);
    note(form);
    all(".told").forEach(tell);
  }

  /** The questions of this page that an outcome answers and that have no guess yet. */
  const unanswered = (fold) =>
    (fold.dataset.ids ?? "").split(" ").filter((id) => id && formOf(id) && !guessOf(id));

  /** Ask once for the guess; a second click opens the fold all the same. */
  function guard(fold) {
    const summary = fold.querySelector("summary");
    summary.addEventListener("click", (event) => {
      const [open] = unanswered(fold);
      if (fold.open || !open || fold.dataset.warned) return;
      event.preventDefault();
      fold.dataset.warned = "yes";
      summary.textContent = "You have not predicted yet. One more click shows it all the same";
      formOf(open).low.focus();
    });
    fold.addEventListener("toggle", () => {
      if (fold.open) summary.textContent = "What came out";
    });
  }

  for (const form of all("form.predict")) {
    note(form);
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      commit(form);
    });
  }
  all("details.outcome").forEach(guard);
  all(".told").forEach(tell);
})();
