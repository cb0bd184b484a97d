// Runs before the page is painted, so that no page flashes in the other theme. `site` keeps what a
// reader said in this browser; where it may keep nothing, pages work all the same.

window.site = {
  kept(key) {
    try {
      return JSON.parse(localStorage.getItem(`site.${key}`));
    } catch {
      return null;
    }
  },
  keep(key, value) {
    try {
      localStorage.setItem(`site.${key}`, JSON.stringify(value));
    } catch {
      // a private window: forgotten when the page is left
    }
  },
};

(() => {
  const root = document.documentElement;
  const dark = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
  root.dataset.theme = site.kept("theme") ?? dark;
  root.classList.add("scripted");
})();
