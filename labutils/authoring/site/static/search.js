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
      script.onload = () => done(window.searchRows.map((row) => ({
        row, title: plain(`${row[TITLE]} ${row[PAGE]}`), text: plain(row[TEXT]),
        taught: row[TAUGHT].map(plain),
      })));
      document.head.append(script);
    });
    return rows;
  }

  const plain = (text) => text.toLowerCase().replace(/['’]/g, "");

  /** What one word is worth in a text: more as a whole word, and the earlier the more. */
  function worth(text, word) {
    let best = 0;
    for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
      const begins = at === 0 || /[^\p{L}\d]/u.test(text[at - 1]);
      const ends = !/[\p{L}\d]/u.test(text[at + word.length] ?? " ");
      best = Math.max(best, (1 + begins + (begins && ends)) * (1 - at / (2 * text.length)));
    }
    return best;
  }

  function score({ row, title, text, taught }, words) {
    let sum = 0;
    for (const word of words) {
      const count = Math.min(text.split(word).length - 1, 5);
      const found = 4 * Math.max(0, ...taught.map((topic) => worth(topic, word))) + 3 * worth(title, word) + count;
      if (!found) return 0;
      sum += found;
    }
    const whole = words.join(" ");
    if (words.length > 1) sum += 10 * taught.some((topic) => topic.includes(whole)) + 6 * title.includes(whole);
    return sum + (row[KIND] === "word" && plain(row[TITLE]) === whole ? 40 : 0);
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
    const scored = (await load()).map((hit) => [score(hit, words), hit]).filter(([sum]) => sum);
    const best = scored.sort(([a], [b]) => b - a).slice(0, SHOWN);
    list.replaceChildren(...best.map(([, hit]) => result(hit, words)));
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
