"""A chapter as its author wrote it: the header and the cells of ``solutions/NAME.py``."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from functools import lru_cache
from pathlib import Path

from labutils.authoring.sources.include import expanded
from labutils.ground.arguments import positive

EDITION_TAGS = ("solution-only", "learner-only")
"""Tags that keep a cell out of one edition."""

PLAIN_TAGS = ("nbval-ignore-output", "raises-exception", "parameters", "optional")
"""The other tags that a cell may carry, beside ``topic:ID`` and ``figure:NAME``."""

TOPIC_TAG, FIGURE_TAG, SLIDE_TAG = "topic:", "figure:", "slide:"
SLIDE_TAGS = tuple(SLIDE_TAG + way for way in ("show", "fragment", "notes", "skip"))
"""Tags that overrule how a cell comes to a slide (``labutils.authoring.slides``)."""

FOLDERS = ("notebooks", "labs")
DEVICES = {False: "CPU", True: "GPU needed", "optional": "CPU, or a GPU"}


class SourceError(ValueError):
    """A chapter source that cannot be read as one; the message names the file and the fault."""


@dataclass(frozen=True)
class Cell:
    """One cell of a source: ``kind`` is ``"markdown"`` or ``"code"``.

    ``included`` says that it holds functions of the package (``sources.include``).
    """

    kind: str
    source: str
    tags: tuple[str, ...] = ()
    included: bool = False

    @property
    def topics(self) -> tuple[str, ...]:
        """Ids of the topics that this cell says it covers."""
        return tuple(t.removeprefix(TOPIC_TAG) for t in self.tags if t.startswith(TOPIC_TAG))

    @property
    def first_line(self) -> str:
        """The first line that holds anything, for messages."""
        return next((line.strip() for line in self.source.splitlines() if line.strip()), "(empty)")


@dataclass(frozen=True)
class Header:
    """The ``course:`` entry of a source's header.

    ``order`` sorts the course (3.5 stands for 03b), ``needs`` names the slugs of the chapters
    that come before, and ``small`` gives values of the ``parameters`` cell with which the chapter
    runs fast. An ``optional`` chapter may be left out: no other chapter that is not optional
    needs it.
    """

    order: float
    slug: str
    title: str
    minutes: int
    needs: tuple[str, ...]
    folder: str
    gpu: bool | str
    question: str
    optional: bool = False
    small: Mapping[str, object] = field(default_factory=dict)

    def __post_init__(self):
        positive("minutes", self.minutes)
        object.__setattr__(self, "needs", tuple(self.needs or ()))
        choices = {
            "folder": (FOLDERS, " or ".join(FOLDERS)),
            "gpu": (tuple(DEVICES), "no, yes or optional"),
            "optional": ((False, True), "yes or no"),
        }
        for name, (allowed, wanted) in choices.items():
            if getattr(self, name) not in allowed:
                raise ValueError(f"{name} = {getattr(self, name)!r}: expected {wanted}")


@dataclass(frozen=True)
class Chapter:
    """A chapter or lab: its name, its header, its cells as the author wrote them."""

    name: str
    header: Header
    cells: tuple[Cell, ...]

    @property
    def short_name(self) -> str:
        """What plans and routes call it: ``03``, ``03b``, ``lab1``."""
        return self.name.split("_")[0]

    @property
    def label(self) -> str:
        """What the reader calls it: ``03``, ``03b``, ``Lab 1``."""
        lab = re.fullmatch(r"lab(\w+)", self.short_name)
        return f"Lab {lab[1]}" if lab else self.short_name

    @property
    def heading(self) -> str:
        """Label and title, as in the first line of the notebook."""
        return f"{self.label} · {self.header.title}"

    @property
    def minutes_text(self) -> str:
        """Minutes for the map: ``45``, or ``30, optional``."""
        return f"{self.header.minutes}{', optional' if self.header.optional else ''}"

    @property
    def source_path(self) -> str:
        """Where the source stands, from the root of the checkout."""
        return f"solutions/{self.name}.py"

    @property
    def learner_path(self) -> str:
        """Where the learner edition stands."""
        return f"{self.header.folder}/{self.name}.ipynb"

    @property
    def solution_path(self) -> str:
        """Where the solution edition stands."""
        return f"solutions/{self.name}.ipynb"

    def where(self, number: int) -> str:
        """Name cell ``number`` (from 1, as in the source) in a message."""
        return f"{self.source_path}, cell {number} ({self.cells[number - 1].first_line[:50]!r})"


def read_chapter(path: Path) -> Chapter:
    """Read ``solutions/NAME.py`` (jupytext percent format).

    Raises ``SourceError`` naming the file and what is wrong with its header or cells.
    """
    notebook = _notebook(path.read_text(encoding="utf-8"))
    cells = tuple(_cell(raw, path.name) for raw in notebook.cells)
    return Chapter(path.stem, _header(notebook.metadata, path.name), cells)


@lru_cache(maxsize=64)  # the whole course takes jupytext two seconds
def _notebook(text: str):
    import jupytext

    return jupytext.reads(text, fmt="py:percent")


def _cell(raw, name: str) -> Cell:
    if raw.cell_type not in ("markdown", "code"):
        raise SourceError(f"solutions/{name}: a {raw.cell_type} cell; use markdown or code")
    source = raw.source
    if raw.cell_type == "code":
        try:
            source = expanded(source)
        except ValueError as error:
            raise SourceError(f"solutions/{name}: {error}") from None
    tags = tuple(raw.metadata.get("tags", ()))
    return Cell(raw.cell_type, source, tags, included=source != raw.source)


def _header(metadata, name: str) -> Header:
    entries = metadata.get("course")
    if not isinstance(entries, Mapping):
        raise SourceError(f"solutions/{name}: no `course:` entry under `jupyter:` in the header")
    known = {f.name for f in fields(Header)}
    if unknown := sorted(set(entries) - known):
        raise SourceError(f"solutions/{name}: header names {unknown}; known are {sorted(known)}")
    try:
        return Header(**entries)
    except (TypeError, ValueError) as error:
        raise SourceError(f"solutions/{name}: header: {error}") from None
