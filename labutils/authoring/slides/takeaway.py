"""The conclusion that stands under a figure or a table: whether there is one, and what it says."""

import re

from labutils.authoring.slides import told
from labutils.authoring.slides.parts import Prose
from labutils.authoring.slides.room import ROOM
from labutils.authoring.slides.slide import Slide
from labutils.authoring.slides.slide_choice import Choice

LEAD = 210  # characters of prose that may stand above or below a figure
BESIDE = 330  # characters that a figure can carry and stay readable from the last row
NO_FINDING = re.compile(r"[\"“]|(Spot|Confront|Build|Find|Step|Play)\b")
"""Headings that quote somebody or announce a task."""


def takeaway(slide: Slide | None, proses: list[Prose], choice: Choice, *, heading: str = "") -> str:
    """What to put under ``slide`` of the prose that follows it; empty where nothing fits.

    With a ``heading`` the prose is a section of its own, and its heading is the finding.
    """
    if not proses or not slide or slide.kind not in ("figure", "table", "outcome"):
        return ""
    said = " ".join(text for _, text in told.shown(proses, choice))
    if heading:
        said = _finding(heading, said, quiet=not told.has_chosen(proses, choice))
    elif not told.is_marked(proses, choice) or len(said) > LEAD:
        return ""
    return re.sub(r":$", ".", said) if _fits(slide, said) else ""


def height(said: str) -> float:
    """Lines that a conclusion takes."""
    return 1 + len(said) / 85


def _finding(heading: str, said: str, *, quiet: bool) -> str:
    if not quiet or NO_FINDING.match(heading) or heading.endswith("?"):
        return ""
    return f"**{heading}.**" + (f" {said}" if len(said) <= LEAD else "")


def _fits(slide: Slide, said: str) -> bool:
    if slide.kind == "figure":
        return slide.words_with(said) <= BESIDE and slide.lines <= ROOM + 3
    return slide.has_room(said, height(said))
