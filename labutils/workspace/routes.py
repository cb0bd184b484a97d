"""Routes through the course by goal, with the minutes that their parts take.

>>> from labutils.workspace.routes import routes
>>> [(route.title, route.minutes) for route in routes()][0]
('One evening', 108)

The routes stand in ``data/routes.json``. A part of one is a chapter or lab (``03``), a stretch
between two of its checkpoints (``03@0-37``), or ``drills N``: N minutes of drills, chapter 90. The
chapters are those of ``outlines``.
"""

import json
import re
from dataclasses import dataclass
from pathlib import Path

from labutils import datafile
from labutils.workspace.outlines import Outline, outlines

ROUTES = "routes.json"
PART = re.compile(r"drills (?P<drills>\d+)|(?P<name>\w+)(?:@(?P<first>\d+)-(?P<last>\d+))?")
DRILLS = "90"  # the chapter of the drills


@dataclass(frozen=True)
class Part:
    """One step of a route: ``chapter`` from minute ``first`` to ``last``, or drills."""

    text: str  # as the route says it: "03@0-37"
    chapter: Outline
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

    @property
    def stretch(self) -> str:
        """Its minutes in words, as they follow the chapter's label; empty for a whole chapter."""
        if self.is_whole:
            return ""
        begins = f" from {self.first}" if self.first else ""
        return f" for {self.minutes} min" if self.is_drills else f"{begins} to minute {self.last}"


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


def duration(minutes: int) -> str:
    """Minutes as a person says them: ``45 min``, ``3 h 20 min``."""
    hours, rest = divmod(minutes, 60)
    return " ".join([f"{hours} h"] * bool(hours) + [f"{rest} min"] * bool(rest or not hours))


def routes(path: Path | None = None, known: tuple[Outline, ...] | None = None) -> tuple[Route, ...]:
    """All routes, in the order in which they are offered; none in a course that has none.

    Raises ``ValueError`` that names the route and the part which cannot be read, or whose chapter
    is not among the ``known`` ones.
    """
    by_name = {chapter.number: chapter for chapter in (outlines() if known is None else known)}
    try:
        stored = json.loads((path or datafile(ROUTES)).read_text(encoding="utf-8"))
    except FileNotFoundError:
        return ()
    return tuple(_route(entry, by_name) for entry in stored)


def _route(entry: dict, by_name: dict[str, Outline]) -> Route:
    try:
        parts = tuple(_part(text, by_name) for text in entry["parts"])
    except ValueError as error:
        raise ValueError(f"route {entry['id']!r}: {error}") from None
    return Route(**entry | {"parts": parts})


def _part(text: str, by_name: dict[str, Outline]) -> Part:
    found = PART.fullmatch(text)
    if not found:
        raise ValueError(f"cannot read {text!r}; expected 03, 03@0-37 or drills 20")
    name = DRILLS if found["drills"] else found["name"]
    if name not in by_name:
        raise ValueError(f"{text!r}: no chapter {name!r}; known are {', '.join(by_name)}")
    chapter = by_name[name]
    last = found["drills"] or found["last"] or chapter.minutes
    return Part(text, chapter, int(found["first"] or 0), int(last))
