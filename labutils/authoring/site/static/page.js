// What every page does: theme, contents, the reader's place, arriving inside a fold, printing.

(() => {
  const root = document.documentElement;
  const main = document.querySelector("main");
  const all = (selector, from = document) => [...from.querySelectorAll(selector)];
  const CLOSED = "details:is(.outcome, .answer):not([open])";

  document.querySelector(".theme").onclick = () => {
    root.dataset.theme = root.dataset.theme === "dark" ? "light" : "dark";
    site.keep("theme", root.dataset.theme);
  };

  /** List the headings that may be told: none that lies in a closed fold. */
  function listContents() {
    const list = document.querySelector(".contents ul");
    if (!list) return;
    const told = all(":is(h2, h3)[id]", main).filter((head) => !head.closest(CLOSED));
    list.replaceChildren(...told.map((head) => {
      const row = document.createElement("li");
      row.className = `level${head.tagName[1]}`;
      const link = document.createElement("a");
      link.href = `#${head.id}`;
      link.append(...head.cloneNode(true).childNodes);
      row.append(link);
      return row;
    }));
  }

  /** Open the folds around the place that the address names. */
  function arrive() {
    const place = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    for (let at = place; at; at = at.parentElement) if (at.tagName === "DETAILS") at.open = true;
    place?.scrollIntoView();
  }

  /** Remember the heading that is read, and mark it in the contents. */
  function follow() {
    const page = main.dataset.page;
    if (!page) return;
    const seen = new IntersectionObserver((entries) => {
      const head = entries.findLast((entry) => entry.isIntersecting)?.target;
      if (!head) return;
      site.keep("place", { page, id: head.id, chapter: all("h1", main)[0].textContent });
      all(".contents a").forEach((a) => a.classList.toggle("here", a.hash === `#${head.id}`));
    }, { rootMargin: "0px 0px -70% 0px" });
    all(":is(h2, h3)[id]", main).forEach((head) => seen.observe(head));
  }

  /** Offer on the home page to go on where the reader was. */
  function offer() {
    const place = site.kept("place"), here = document.querySelector("#continue");
    if (!here || !place?.page) return;
    const link = document.createElement("a");
    link.href = `${place.page}.html#${place.id}`;
    link.textContent = `Go on with ${place.chapter}`;
    here.append(link);
  }

  function print(everything) {
    const shut = everything ? all("details:not([open])") : [];
    shut.forEach((fold) => { fold.open = true; });
    window.print();
    shut.forEach((fold) => { fold.open = false; });
  }

  all("[data-print]").forEach((button) => {
    button.onclick = () => print(button.dataset.print === "all");
  });
  all("details").forEach((fold) => fold.addEventListener("toggle", listContents));
  if (innerWidth >= 1180) all(".contents details").forEach((fold) => { fold.open = true; });
  addEventListener("hashchange", arrive);
  arrive();
  listContents();
  follow();
  offer();
})();
