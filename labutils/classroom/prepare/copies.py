"""A class copy: a learner edition with the class's first cell, its hours and its links in it.

The cells of the edition keep their ids, so that ``labutils carry`` knows them.
"""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from labutils.classroom.prepare.class_links import Links
from labutils.classroom.prepare.plans import CHECKPOINT, Plan
from labutils.classroom.prepare.set_up import set_up_cell
from labutils.classroom.prepare.sittings import Sitting, clock, sittings
from labutils.workspace.notebook import cell_id, text_of

_FIRST = "# The class's first cell: it brings the course to this machine, in a minute or two.\n"
_OWN_DOOR = re.compile(r" · \[Open in Colab\]\([^)]*\)")  # it leads to the course's own copy
_DRIVE = "Allow access to Drive when you are asked: your answers are kept there. "


@dataclass(frozen=True)
class Lesson:
    """What the copies of one class have in common."""

    plan: Plan
    platform: str
    address: str = ""
    drive: bool = False
    start: int = 0  # minutes after midnight
    links: Links = field(default_factory=Links)

    @property
    def day(self) -> tuple[Sitting, ...]:
        return sittings(self.plan)

    @property
    def set_up(self) -> str:
        return set_up_cell(self.platform, self.address, drive=self.drive)

    def time(self, minutes: int) -> str:
        """When that is, at this class."""
        return clock(minutes, self.start)


@dataclass(frozen=True)
class Edition:
    """A learner edition: its file, the folder that this lies in, its label (``03``), its cells."""

    file: str
    folder: str
    label: str
    notebook: dict

    @property
    def heading(self) -> str:
        """The title that it bears: ``03 · The M/M/1 explosion``."""
        return text_of(self.notebook["cells"][0]).splitlines()[0].lstrip("# ")

    def how_far(self, sitting: Sitting) -> str:
        """What the class does of it: ``from minute 18 to the checkpoint of minute 45``."""
        begin = f"from minute {sitting.first} " if sitting.first else ""
        at_checkpoint = sitting.last in self._checkpoints()
        end = f"checkpoint of minute {sitting.last}" if at_checkpoint else "end"
        return f"{begin}to the {end}"

    def _checkpoints(self) -> list[int]:
        texts = [text_of(c) for c in self.notebook["cells"] if c["cell_type"] == "markdown"]
        return [int(minute) for text in texts for minute in CHECKPOINT.findall(text)]


def class_copies(lesson: Lesson, editions: Iterable[Edition]) -> dict[str, bytes]:
    """The copies by file name."""
    known = {edition.label: edition for edition in editions}
    headings = {label: edition.heading for label, edition in known.items()}
    files = {edition.file for edition in known.values()}
    found = {}
    for edition in known.values():
        cells = list(_cells(lesson, edition, headings, files))
        copy = {**edition.notebook, "cells": cells}
        text = json.dumps(copy, indent=1, sort_keys=True, ensure_ascii=False)
        found[edition.file] = f"{text}\n".encode()
    return found


def _cells(lesson: Lesson, edition: Edition, headings: dict, files: set[str]) -> Iterator[dict]:
    title, own_set_up, *rest = edition.notebook["cells"]
    title = {**title, "source": _OWN_DOOR.sub("", text_of(title))}
    yield _relinked(title, lesson, edition, files)
    yield _note(_hours(lesson, edition))
    yield {**own_set_up, "source": _FIRST + lesson.set_up} if lesson.set_up else own_set_up
    stops = dict(_stops(lesson, edition.label, headings))
    for cell in rest:
        if cell["cell_type"] != "markdown":
            yield cell
            continue
        yield _relinked(cell, lesson, edition, files)
        for minute in CHECKPOINT.findall(text_of(cell)):
            if int(minute) in stops:
                yield _note(stops[int(minute)])


def _relinked(cell: dict, lesson: Lesson, edition: Edition, files: set[str]) -> dict:
    return {**cell, "source": lesson.links.relinked(text_of(cell), edition.folder, files)}


def _note(text: str) -> dict:
    quoted = f"> {text}"
    identity = cell_id("markdown", quoted)
    return {"cell_type": "markdown", "id": identity, "metadata": {}, "source": quoted}


def _hours(lesson: Lesson, edition: Edition) -> str:
    """When the class works in this notebook, how far, and what to run first."""
    times = [
        f"from {lesson.time(s.begins)} to {lesson.time(s.ends)}, {edition.how_far(s)}"
        for s in lesson.day
        if s.label == edition.label
    ]
    when = f"You work here {', and '.join(times)}."
    if not times:
        when = "You begin here: run every cell, and send the last line that the preflight prints."
    first = "Run the next cell before all others. " if lesson.set_up else ""
    asked = _DRIVE if lesson.drive else ""
    return f"**Your class: {lesson.plan.name}.** {when} {first}{asked}".strip()


def _stops(lesson: Lesson, label: str, headings: dict) -> Iterator[tuple[int, str]]:
    """The minutes of a notebook at which the class leaves it, and what it does then."""
    for at, sitting in enumerate(lesson.day):
        if sitting.label == label:
            after = next((s for s in lesson.day[at + 1 :] if s.label), None)
            goes_on = "The rest is for afterwards."
            if after is not None:
                goes_on = f"It goes on at {lesson.time(after.begins)}: {headings[after.label]}."
            ends = lesson.time(sitting.ends)
            yield sitting.last, f"**The class stops here**, at {ends}. {goes_on}"
