"""The sheet to hand out: one page that says what to open, what to type, and when."""

import html
from collections.abc import Iterator
from pathlib import Path

from labutils.classroom.prepare.copies import Edition, Lesson
from labutils.classroom.prepare.sittings import Sitting

STYLE = Path(__file__).with_name("handout.css")
WHERE = {
    "colab": "Colab, with a Google account of your own",
    "kaggle": "Kaggle, with an account of your own: its panel on the right says Internet on",
    "hub": "JupyterLab: log in with the name and the password that you were given",
    "zip": "Colab, with a Google account of your own",
}
KEPT = {
    True: "Answers are kept in your Drive, in <code>tokens-in-flight</code>: the next notebook "
    "goes on where the last one stopped.",
    False: "A machine in the cloud forgets your answers when you leave it, and each notebook has "
    "one of its own: export before you close it.",
}
TYPED = (
    ("Shift + Enter", "run a cell; do it with every cell, from top to bottom"),
    ('hint("NAME")', "a nudge; the name stands in the exercise’s <code>check</code>"),
    ('reveal("NAME")', "the answer and its explanation, when you are stuck for good"),
    ("!labutils engine", "in the labs: whose lines run, yours or the course’s"),
    ("!labutils export", "at the end: writes the file that you hand in, and prints what it holds"),
)
TROUBLE = (
    ("No module named labutils", "the class’s first cell did not run: run it, then this one"),
    ("NameError", "cells above were left out: run them first, from top to bottom"),
    ("a cell that does not end", "stop it; what was right is kept"),
    ("disconnected, or <i>restart the kernel</i>", "restart, then run all cells from the top"),
)


def handout(lesson: Lesson, editions: dict[str, Edition], extra: tuple[str, ...] = ()) -> str:
    """The sheet as one HTML page that loads nothing; ``extra`` are steps before the first."""
    name = html.escape(lesson.plan.name)
    steps = "".join(f"<li>{step}</li>" for step in (*extra, *_first_steps(lesson, editions)))
    rows = "\n".join(_rows(lesson, editions))
    return f"""\
<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Tokens in Flight: {name}</title>
<style>
{STYLE.read_text(encoding="utf-8")}</style></head><body>
<h1>Tokens in Flight: {name}</h1>
<p>Where: {WHERE[lesson.platform]}.{_address(lesson)}</p>
<h2>Before the class</h2>
<ol>{steps}</ol>
<h2>The day</h2>
<table><thead><tr><th>when</th><th>what</th></tr></thead><tbody>
{rows}
</tbody></table>
<p>Minutes are the notebook’s own, which it names at each <i>checkpoint</i>.</p>
<h2>What to type</h2>
{_table(TYPED if _has_lab(lesson) else [t for t in TYPED if "engine" not in t[0]], code=True)}
<p>{"" if lesson.platform == "hub" else KEPT[lesson.drive]}</p>
<h2>When something fails</h2>
{_table(TROUBLE)}
</body></html>
"""


def _first_steps(lesson: Lesson, editions: dict[str, Edition]) -> Iterator[str]:
    from_where = "" if lesson.links.sheet else ", from what you were sent"
    yield f"Open {_link(lesson, next(iter(editions.values())))}{from_where}."
    if lesson.platform in ("colab", "zip"):
        yield "<i>File → Save a copy in Drive</i>: that copy is yours."
    if lesson.platform == "kaggle":
        yield "Keep the file; on Kaggle <i>Create → New Notebook → File → Import Notebook</i>."
    if lesson.set_up:
        yield "Run its first cell. It takes a minute or two, once in each notebook."
    if lesson.drive:
        yield "Allow access to Drive when you are asked."
    if "00" in editions:
        yield "Run all its cells, and send your instructor the last line that the preflight prints."


def _rows(lesson: Lesson, editions: dict[str, Edition]) -> Iterator[str]:
    for at, sitting in enumerate(lesson.day):
        after = next((s.label for s in lesson.day[at + 1 :] if s.label), "")
        what = _what(lesson, editions, sitting, after)
        pause = ' class="pause"' * (sitting.kind in ("break", "slack"))
        yield f"<tr{pause}><td>{lesson.time(sitting.begins)}</td><td>{what}</td></tr>"


def _what(lesson: Lesson, editions: dict[str, Edition], sitting: Sitting, after: str) -> str:
    if sitting.kind == "notebook":
        edition = editions[sitting.label]
        return f"{_link(lesson, edition)}, {edition.how_far(sitting)}"
    if sitting.kind == "break":
        return f"Break, {sitting.ends - sitting.begins} minutes"
    if sitting.kind == "slack":
        following = html.escape(editions[after].heading) if after else ""
        ahead = f" Open {following}, run its first cells." * bool(after)
        return f"Room for what took longer.{ahead}"
    if sitting.begins == 0 and "00" in editions:
        return f"Welcome, with {html.escape(editions['00'].heading)}"
    return "All together" if after else "All together; then export, and hand the file in"


def _link(lesson: Lesson, edition: Edition) -> str:
    words, before = f"<b>{html.escape(edition.heading)}</b>", lesson.links.sheet
    if before:
        return f'<a href="{html.escape(before)}{edition.file}">{words}</a>'
    return f"{words} (<code>{edition.file}</code>)"


def _address(lesson: Lesson) -> str:
    page = html.escape(lesson.links.page)
    return f' All notebooks: <a href="{page}">{page}</a>' if page else ""


def _has_lab(lesson: Lesson) -> bool:
    return any(sitting.label.startswith("lab") for sitting in lesson.day)


def _table(rows, *, code: bool = False) -> str:
    kind, tag = ("typed", "code") if code else ("trouble", "span")
    cells = (f"<tr><td><{tag}>{one}</{tag}></td><td>{other}</td></tr>" for one, other in rows)
    return f'<table class="{kind}"><tbody>{"".join(cells)}</tbody></table>'
