// Search: the rows come in a script of their own, loaded when somebody begins, so that it works
// from a folder as well. What the course teaches of a topic comes before what mentions it.

(() => {
  const input = document.querySelector("header input"), list = document.querySelector(".found");
  const SHOWN = 12, ADDRESS = 0, PAGE = 1, TITLE = 2, TEXT = 3, TAUGHT = 4, KIND = 5;
  let rows = null;

  function load() {
    rows ??= new Promise((done) => {
      const script = document.createElement("script");
      script.src = "search_rows.js";
      script.onload = () => {
        const pages = Object.groupBy(window.searchRows, (row) => row[PAGE]);
        done(window.searchRows.map((row) => ({
          row, title: plain(`${row[TITLE]} ${row[PAGE]}`), text: plain(row[TEXT]),
          taught: row[TAUGHT].map(plain),
          beside: pages[row[PAGE]].flatMap((other) => other[TAUGHT].map(plain)),
        })));
      };
      document.head.append(script);
    });
    return rows;
  }

  const plain = (text) => text.toLowerCase().replace(/['’]/g, "");

  /** Return what finds a word: as a whole, and as the beginning of one. */
  function finder(word) {
    const begin = `(?<![\\p{L}\\d])${word.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&")}`;
    return { whole: new RegExp(`${begin}(?![\\p{L}\\d])`, "u"), begin: new RegExp(begin, "u"),
      each: new RegExp(begin, "gu") };
  }

  /** What a word is worth in a title: more as a whole word, and the earlier the more. */
  function worth(title, { whole, begin }) {
    const found = title.match(whole), other = found ?? title.match(begin);
    return other ? (found ? 3 : 2) * (1 - other.index / title.length) : 0;
  }

  function score({ row, title, text, taught, beside }, finders, whole) {
    let sum = 0;
    for (const word of finders) {
      const count = Math.min(text.match(word.each)?.length ?? 0, 5);
      const topics = Math.max(0, ...taught.map((topic) => worth(topic, word)));
      const found = 4 * topics + 3 * worth(title, word) + count;
      if (!found) return 0;
      sum += found + 2 * Math.min(beside.filter((topic) => word.begin.test(topic)).length, 5);
    }
    const together = taught.some((topic) => topic.includes(whole));
    if (finders.length > 1) sum += 10 * together + 6 * title.includes(whole);
    return sum + (row[KIND] === "word" && plain(row[TITLE]) === whole ? 60 : 0);
  }

  /** The best hits, one for each place. */
  function ranked(all, words) {
    const finders = words.map(finder), whole = words.join(" "), places = new Map();
    const scored = all.map((hit) => [score(hit, finders, whole), hit]).filter(([sum]) => sum);
    for (const [, hit] of scored.sort(([a], [b]) => b - a)) {
      if (!places.has(hit.row[ADDRESS])) places.set(hit.row[ADDRESS], hit);
    }
    return [...places.values()].slice(0, SHOWN);
  }

  /** The words around the first hit; nothing of a part whose outcome is still to be predicted. */
  function excerpt({ row, text }, words) {
    if (row[KIND] === "hidden") return "";
    const at = Math.max(0, text.indexOf(words[0]) - 50);
    return row[TEXT].slice(at, at + 140);
  }

  function marked(text, words) {
    const pattern = words.map((word) => word.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&")).join("|");
    return text.split(new RegExp(`(${pattern})`, "gi")).map((piece, at) => {
      if (at % 2 === 0) return piece;
      const mark = document.createElement("mark");
      mark.textContent = piece;
      return mark;
    });
  }

  function result(hit, words) {
    const item = document.createElement("li"), link = document.createElement("a");
    const title = document.createElement("b"), more = document.createElement("small");
    link.href = hit.row[ADDRESS];
    title.append(...marked(hit.row[TITLE] || hit.row[PAGE], words));
    more.append(`${hit.row[PAGE]} `, ...marked(excerpt(hit, words), words));
    link.append(title, " ", more);
    item.append(link);
    return item;
  }

  async function find() {
    const words = plain(input.value).match(/[\p{L}\d./]+/gu) ?? [];
    list.hidden = !words.length;
    if (!words.length) return;
    const best = ranked(await load(), words);
    list.replaceChildren(...best.map((hit) => result(hit, words)));
    if (!best.length) list.textContent = "Nothing found.";
  }

  input.addEventListener("focus", load);
  input.addEventListener("input", find);
  input.form.addEventListener("submit", (event) => {
    event.preventDefault();
    list.querySelector("a")?.click();
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") list.hidden = true;
    if (event.key !== "/" || /input|select|textarea/i.test(document.activeElement.tagName)) return;
    event.preventDefault();
    input.focus();
  });
  document.addEventListener("click", (event) => {
    if (!event.target.closest("header") || event.target.closest(".found a")) list.hidden = true;
  });
})();
