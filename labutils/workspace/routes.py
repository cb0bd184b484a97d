"""Routes through the course by goal, with the minutes that their parts take.

>>> from labutils.workspace.routes import routes
>>> [(route.title, route.minutes) for route in routes()][0]
('One evening', 108)

The routes stand in ``data/routes.json``. A part of one is a chapter or lab (``03``), a stretch
between two of its checkpoints (``03@0-37``), or ``drills N``: N minutes of drills, chapter 90. The
chapters come from ``data/chapters.json``, which the build collects from their headers.
"""

import json
import re
from dataclasses import dataclass
from pathlib import Path

from labutils import datafile

ROUTES, CHAPTERS = "routes.json", "chapters.json"
PART = re.compile(r"drills (?P<drills>\d+)|(?P<name>\w+)(?:@(?P<first>\d+)-(?P<last>\d+))?")
DRILLS = "90"  # the chapter of the drills


@dataclass(frozen=True)
class Chapter:
    """A chapter or lab as the map lists it; ``group`` is the part of the course that it is in."""

    name: str  # "03", "lab4"
    title: str  # "03 · The M/M/1 explosion"
    path: str  # of the learner's notebook
    minutes: int
    checkpoints: tuple[int, ...]
    optional: bool
    group: str

    @property
    def label(self) -> str:
        """What the reader calls it: ``03``, ``Lab 4``."""
        return self.title.partition(" · ")[0]


@dataclass(frozen=True)
class Part:
    """One step of a route: ``chapter`` from minute ``first`` to ``last``, or drills."""

    text: str  # as the route says it: "03@0-37"
    chapter: Chapter
    first: int
    last: int

    @property
    def minutes(self) -> int:
        return self.last - self.first

    @property
    def is_drills(self) -> bool:
        return self.text.startswith("drills ")

    @property
    def is_whole(self) -> bool:
        return not self.is_drills and self.minutes == self.chapter.minutes


@dataclass(frozen=True)
class Route:
    """A way through the course: for whom, and what one can do ``after`` it."""

    id: str
    title: str
    who: str
    parts: tuple[Part, ...]
    after: str

    @property
    def minutes(self) -> int:
        return sum(part.minutes for part in self.parts)


def chapters(path: Path | None = None) -> tuple[Chapter, ...]:
    """All chapters and labs in the order of the course; ``path`` is a file in place of ours."""
    return tuple(
        Chapter(**entry | {"checkpoints": tuple(entry["checkpoints"])})
        for entry in _read(path or datafile(CHAPTERS))
    )


def routes(path: Path | None = None, known: tuple[Chapter, ...] | None = None) -> tuple[Route, ...]:
    """All routes, in the order in which they are offered.

    Raises ``ValueError`` that names the route and the part which cannot be read, or whose chapter
    is not among the ``known`` ones.
    """
    by_name = {chapter.name: chapter for chapter in (chapters() if known is None else known)}
    return tuple(_route(entry, by_name) for entry in _read(path or datafile(ROUTES)))


def _route(entry: dict, by_name: dict[str, Chapter]) -> Route:
    try:
        parts = tuple(_part(text, by_name) for text in entry["parts"])
    except ValueError as error:
        raise ValueError(f"route {entry['id']!r}: {error}") from None
    return Route(**entry | {"parts": parts})


def _part(text: str, by_name: dict[str, Chapter]) -> Part:
    found = PART.fullmatch(text)
    if not found:
        raise ValueError(f"cannot read {text!r}; expected 03, 03@0-37 or drills 20")
    name = DRILLS if found["drills"] else found["name"]
    if name not in by_name:
        raise ValueError(f"{text!r}: no chapter {name!r}; known are {', '.join(by_name)}")
    chapter = by_name[name]
    last = found["drills"] or found["last"] or chapter.minutes
    return Part(text, chapter, int(found["first"] or 0), int(last))


def _read(path: Path) -> list[dict]:
    return json.loads(path.read_text(encoding="utf-8"))
