"""What each chapter asks of a learner, and in which minutes; and the routes through them."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from labutils import datafile


@dataclass(frozen=True)
class Stretch:
    """A part of a chapter between two checkpoints: its minutes, and its tasks by their ids.

    A task is an exercise or a prediction; each has the heading under which it stands.
    """

    first: int
    last: int
    tasks: Mapping[str, str]


@dataclass(frozen=True)
class Outline:
    """A chapter or lab as the build describes it; ``optional`` are tasks beside its minutes."""

    name: str
    heading: str
    path: str
    is_optional: bool
    stretches: tuple[Stretch, ...]
    optional: Mapping[str, str]
    sketches: tuple[str, ...]

    @property
    def number(self) -> str:
        """What a learner calls it: ``03``, ``lab1``."""
        return self.name.partition("_")[0]

    @property
    def is_lab(self) -> bool:
        return self.path.startswith("labs/")

    @property
    def minutes(self) -> int:
        return self.stretches[-1].last

    @property
    def tasks(self) -> dict[str, str]:
        """Every core task with its heading, in order."""
        return {task: under for stretch in self.stretches for task, under in stretch.tasks.items()}

    @property
    def everything(self) -> dict[str, str]:
        """Every task with its heading, optional ones last."""
        return self.tasks | {
            task: at for task, at in self.optional.items() if task not in self.tasks
        }


@cache
def outlines() -> tuple[Outline, ...]:
    """Every chapter and lab, in course order."""
    stored = json.loads(datafile("outlines.json").read_text(encoding="utf-8"))
    return tuple(
        Outline(
            **{
                **fields,
                "stretches": tuple(Stretch(**one) for one in fields["stretches"]),
                "sketches": tuple(fields["sketches"]),
            }
        )
        for fields in stored
    )


def outline(name: str) -> Outline:
    """The chapter of that number or name, such as ``"03"``; ``ValueError`` lists the numbers."""
    for one in outlines():
        if str(name) in (one.number, one.name, one.name.partition("_")[2]):
            return one
    numbers = ", ".join(one.number for one in outlines())
    raise ValueError(f"name = {name!r}: expected one of {numbers}")


def routes() -> list[dict]:
    """The routes by goal; none in a course that has none."""
    try:
        return json.loads(datafile("routes.json").read_text(encoding="utf-8"))
    except FileNotFoundError:
        return []
