"""From the key to the screen on the site's pages: explorers without a kernel behind them."""

import re
import shutil
import statistics
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import nbformat
import numpy as np

import labutils

from .registry import Goal, Row, Settings, Unavailable, benchmark

ROOT = Path(labutils.__file__).resolve().parents[1]
WIDTHS = {"phone": 390, "laptop": 1366}
PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>explorers</title>
<link rel="stylesheet" href="explorers.css"><script defer src="explorers.js"></script>
<body>{}</body></html>"""
# From a key to the first moment behind the frame that shows what it did.
WATCH = """() => { window.taken = []; addEventListener("keydown", () => {
  const pressed = performance.now(), shown = new MessageChannel();
  shown.port1.onmessage = () => taken.push(performance.now() - pressed);
  requestAnimationFrame(() => shown.port2.postMessage(0));
}, true); }"""


@benchmark
def site_key_to_screen(settings: Settings) -> Iterator[Row]:
    """From the key to the screen on a page of the site: each explorer, phone and laptop"""
    presses = settings.choose(12, 3)
    for size, width in WIDTHS.items():
        with _page(width) as page:
            for box in page.locator(".explorer").all():
                taken = _taken(page, box, presses)
                name = f"{size}, {box.get_attribute('data-explorer')}, median"
                note = f"p90 {np.percentile(taken, 90):.0f}, best {min(taken):.0f}"
                middle = statistics.median(taken)
                yield Row(name, middle, "ms", goal=Goal(30.0), note=note)


def _taken(page, box, presses: int) -> list[float]:
    """Milliseconds of each press, there and back again, on every control that keys move."""
    page.evaluate("taken.length = 0")
    controls = box.locator("input, select, [role=group] button").all()
    for control in controls:
        control.focus()
        for key in ("ArrowRight", "ArrowLeft") * presses:
            page.keyboard.press(key)
    page.wait_for_function(f"taken.length >= {2 * presses * len(controls)}")
    return page.evaluate("taken")


@contextmanager
def _page(width: int):
    """A page with every explorer that moves, once each, all of them built."""
    try:
        from labutils.authoring.site.explorers import explorer_html, write_scripts
        from tests.browser.lab_page import launched
    except ImportError as missing:
        raise Unavailable(str(missing)) from None
    if not (chromium := shutil.which("chromium")):
        raise Unavailable("no chromium on the path")
    with tempfile.TemporaryDirectory() as folder, launched(chromium) as browser:
        write_scripts(Path(folder))
        page_file = Path(folder) / "index.html"
        page_file.write_text(PAGE.format("".join(_boxes(explorer_html))), "utf-8")
        page = browser.new_page(viewport={"width": width, "height": 844})
        page.goto(page_file.as_uri())
        page.evaluate(WATCH)
        for box in page.locator(".explorer").all():
            box.scroll_into_view_if_needed()
            box.locator(".live").wait_for()
        yield page


def _boxes(explorer_html) -> Iterator[str]:
    seen = set()
    for path in sorted((ROOT / "solutions").glob("*.ipynb")):
        for at, cell in enumerate(nbformat.read(path, as_version=4).cells):
            for output in cell.get("outputs", ()):
                still = output.get("data", {}).get("text/html", "")
                if "house-explorer" not in still:
                    continue
                found = re.search(r'data-explorer="(\w+)"', explorer_html(path.stem, at, still))
                if found and found[1] not in seen:
                    seen.add(found[1])
                    yield explorer_html(path.stem, at, still)
