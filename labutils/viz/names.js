// Tells a screen reader which words belong to a slider's handle, and which button is pressed.
function describe(panel) {
  for (const button of panel.querySelectorAll(".widget-toggle-button")) {
    button.setAttribute("aria-pressed", button.classList.contains("mod-active"));
  }
  for (const row of panel.children) {
    const label = row.querySelector(".widget-label")?.textContent.trim();
    const handles = label ? row.querySelectorAll('[role="slider"]') : [];
    handles.forEach((handle, at) => {
      const end = handles.length > 1 ? [", lower end", ", upper end"][at] : "";
      handle.setAttribute("aria-label", label + end);
    });
  }
}

function render({ el }) {
  const observer = new MutationObserver(() => watch());
  let panel = null;
  function watch() {
    const found = el.closest(".house-controls");
    if (found && found !== panel) {
      panel = found;
      observer.disconnect();
      observer.observe(panel, { childList: true, subtree: true, attributeFilter: ["class"] });
    }
    if (panel) describe(panel);
  }
  observer.observe(document.body, { childList: true, subtree: true }); // until it is in its panel
  watch();
  return () => observer.disconnect();
}

export default { render };
