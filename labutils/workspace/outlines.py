"""What each chapter asks of a learner, and in which minutes, as the build describes it."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

from labutils import datafile


class Place(NamedTuple):
    """The heading under which a task stands, and the id of the cell that holds the heading."""

    heading: str
    cell: str


@dataclass(frozen=True)
class Stretch:
    """A part of a chapter between two checkpoints: its minutes, and where its tasks stand.

    A task is an exercise or a prediction, by its id.
    """

    first: int
    last: int
    tasks: Mapping[str, Place]


@dataclass(frozen=True)
class Outline:
    """A chapter or lab as the build describes it; ``optional`` are tasks beside its minutes."""

    name: str
    heading: str
    path: str
    is_optional: bool
    stretches: tuple[Stretch, ...]
    optional: Mapping[str, Place]
    sketches: tuple[str, ...]

    @property
    def number(self) -> str:
        """What a learner calls it: ``03``, ``lab1``."""
        return self.name.partition("_")[0]

    @property
    def label(self) -> str:
        """What the page calls it: ``03``, ``Lab 1``."""
        return self.heading.partition(" · ")[0]

    @property
    def is_lab(self) -> bool:
        return self.path.startswith("labs/")

    @property
    def minutes(self) -> int:
        return self.stretches[-1].last

    @property
    def tasks(self) -> dict[str, Place]:
        """Every core task, in order."""
        return {task: place for stretch in self.stretches for task, place in stretch.tasks.items()}

    @property
    def everything(self) -> dict[str, Place]:
        """Every task, optional ones last."""
        return self.tasks | {
            task: at for task, at in self.optional.items() if task not in self.tasks
        }


@cache
def outlines() -> tuple[Outline, ...]:
    """Every chapter and lab, in course order."""
    stored = json.loads(datafile("outlines.json").read_text(encoding="utf-8"))
    return tuple(map(read_outline, stored))


def read_outline(fields: dict) -> Outline:
    """A chapter of its entry in ``data/outlines.json``."""
    stretches = (
        Stretch(one["first"], one["last"], _places(one["tasks"])) for one in fields["stretches"]
    )
    read = {"stretches": tuple(stretches), "optional": _places(fields["optional"])}
    return Outline(**{**fields, **read, "sketches": tuple(fields["sketches"])})


def _places(tasks: dict) -> dict[str, Place]:
    return {task: Place(*place) for task, place in tasks.items()}


def outline(name: str) -> Outline:
    """The chapter of that number or name, such as ``"03"``; ``ValueError`` lists the numbers."""
    for one in outlines():
        if str(name) in (one.number, one.name, one.name.partition("_")[2]):
            return one
    numbers = ", ".join(one.number for one in outlines())
    raise ValueError(f"name = {name!r}: expected one of {numbers}")
