// A line of code or a formula that is too wide is set smaller by itself, so that the words around it
// keep their size. Text that is a little too long for its slide is set smaller, at most to 62 %.
const SMALLEST = 0.62;
const isWide = node => node.scrollWidth > node.clientWidth + 1
  || node.getBoundingClientRect().width > node.parentElement.clientWidth + 1;
function narrow(body) {
  for (const node of body.querySelectorAll("pre, .formula math")) {
    const letters = element => parseFloat(getComputedStyle(element).fontSize);
    const usual = letters(node) / letters(node.parentElement);
    for (let share = 1; isWide(node) && share > 0.8; share -= 0.01) node.style.fontSize = share * usual + "em";
  }
}
// Code with room to spare is set larger: it is read from the last row.
const LARGEST = 1.16;
function widen(body, full) {
  for (const node of body.querySelectorAll("pre:not([style])")) {
    const usual = parseFloat(getComputedStyle(node).fontSize) / parseFloat(getComputedStyle(node.parentElement).fontSize);
    const set = share => { node.style.fontSize = share * usual + "em"; };
    let share = 1;
    do set(share += 0.02); while (!full() && !isWide(node) && share < LARGEST);
    if (full() || isWide(node)) set(share - 0.02);
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
  if (size === 1) widen(body, full);
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
