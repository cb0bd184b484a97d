// A line of code or a formula that is too wide is set smaller by itself, so that the words around it
// keep their size. Text that is a little too long for its slide is set smaller, at most to 62 %.
const SMALLEST = 0.62;
function narrow(body) {
  for (const node of body.querySelectorAll("pre, .formula math")) {
    const wide = () => node.scrollWidth > node.clientWidth + 1
      || node.getBoundingClientRect().width > node.parentElement.clientWidth + 1;
    const letters = element => parseFloat(getComputedStyle(element).fontSize);
    const usual = letters(node) / letters(node.parentElement);
    for (let share = 1; wide() && share > 0.8; share -= 0.01) node.style.fontSize = share * usual + "em";
  }
}
function fit(section) {
  const body = section.querySelector(".body");
  const full = () => body.scrollHeight > body.clientHeight + 1 || body.scrollWidth > body.clientWidth + 1;
  const kept = section.getAttribute("style");
  section.removeAttribute("hidden");
  section.style.cssText = "display:flex; visibility:hidden; transform:none";
  narrow(body);
  let size = 1;
  while (full() && size > SMALLEST) {
    size -= 0.02;
    body.style.setProperty("--size", size);
  }
  section.dataset.size = size.toFixed(2);
  if (kept === null) section.removeAttribute("style");
  else section.setAttribute("style", kept);
}
Reveal.initialize({
  width: 1280, height: 720, margin: 0.02, center: false, display: "flex", hash: true,
  slideNumber: "c/t", transition: "none", backgroundTransition: "none", pdfSeparateFragments: false,
  plugins: [RevealNotes, RevealZoom],
}).then(() => {
  document.querySelectorAll(".slides > section").forEach(fit);
  Reveal.sync();
  Reveal.slide(Reveal.getState().indexh);
  document.body.dataset.ready = "yes";
});
