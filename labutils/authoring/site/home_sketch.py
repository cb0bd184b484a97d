"""The home page's first screen: chapter 03's sketch on a page without a kernel."""

import json
from html import escape
from pathlib import Path

from labutils.authoring.sources.course import Course
from labutils.authoring.sources.executed import read_executed

HERE = Path(__file__).parent
VIZ = HERE.parents[1] / "viz"  # read, not imported: what draws in a notebook draws here
SCRIPT, STYLE = "home.js", "home.css"
CHAPTER = "03_mm1_explosion"
WIDGETS = "application/vnd.jupyter.widget-state+json"
FINE, ASKED = 0.6, 0.9  # loads
QUESTION = (
    f"Your mean latency is fine at {FINE * 100:.0f}\N{NO-BREAK SPACE}% load. "
    f"Is it at {ASKED * 100:.0f}\N{NO-BREAK SPACE}%?"
)
TASK = "Draw it (idle: 10\N{NO-BREAK SPACE}ms)."


def home_sketch_html(next_page: str) -> str:
    """The question and the place for the sketch; ``next_page`` is the chapter that explains it."""
    page = escape(next_page)
    return (
        f'<div id="home-sketch" data-next="{page}">\n<h1>{QUESTION}</h1>\n<p>{TASK}</p>\n'
        f'<noscript><p><a href="{page}">The chapter that answers it</a></p></noscript>\n</div>'
    )


def write_home_scripts(course: Course, folder: Path) -> list[Path]:
    """Write the script and the style of the home page to a folder of the site."""
    folder.mkdir(parents=True, exist_ok=True)
    drawing = [(VIZ / name).read_text("utf-8") for name in ("sketch_input.js", "sketch.js")]
    own = (HERE / SCRIPT).read_text("utf-8")
    data = f"const DATA = {json.dumps(sketch_data(course), separators=(',', ':'))};"
    body = "\n".join([data, *drawing, own]).replace("export default { render };", "")
    style = (VIZ / "sketch.css").read_text("utf-8") + (HERE / STYLE).read_text("utf-8")
    (folder / SCRIPT).write_text("(() => {\n" + body + "})();\n", encoding="utf-8")
    (folder / STYLE).write_text(style, encoding="utf-8")
    return [folder / SCRIPT, folder / STYLE]


def sketch_data(course: Course) -> dict:
    """Paper and real curve of the chapter's sketch, from the widgets of its executed edition.

    Raises ``ValueError`` where the edition shows no revealed sketch.
    """
    chapter = course.chapter(CHAPTER)
    notebook = read_executed(course.root, chapter)
    saved = notebook.metadata.get("widgets", {}).get(WIDGETS, {}).get("state", {})
    for widget in saved.values():
        found = widget["state"]
        if found.get("reality", {}).get("points"):
            plot = found["plot"] | {"unit": _unit(found["plot"]["yLabel"])}
            reality = {key: _short(value) for key, value in found["reality"].items()}
            said = {"finding": _finding(found), "answer": _answer(found)}
            return {"plot": plot, "reality": reality | said}
    path = chapter.solution_path
    raise ValueError(f"{path}: expected a sketch with its real curve; run: make solutions")


def _unit(label: str) -> str:
    return label.partition("(")[2].rstrip(")")


def _finding(found: dict) -> str:
    """What the real curve says to somebody who has drawn nothing."""
    last = found["plot"]["x"][-1]
    return f"At {last:g} it is {_real(found, last):,.0f} {_unit(found['plot']['yLabel'])}."


def _answer(found: dict) -> str:
    """What the real curve says to the page's question."""
    before, after = (_real(found, load) for load in (FINE, ASKED))
    unit = _unit(found["plot"]["yLabel"])
    return (
        f"From {FINE * 100:.0f} to {ASKED * 100:.0f} % load mean latency grows "
        f"from {before:.0f} to {after:.0f} {unit}."
    )


def _real(found: dict, load: float) -> float:
    """The real curve at the recorded point that is nearest to a load."""
    low, high = found["plot"]["yRange"]
    xs, shares = found["reality"]["points"]
    share = shares[min(range(len(xs)), key=lambda at: abs(xs[at] - load))]
    return low * (high / low) ** share


def _short(value):
    if isinstance(value, list):
        return [_short(each) for each in value]
    return round(value, 5) if isinstance(value, float) else value
