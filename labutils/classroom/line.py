"""One event of one learner, as it may leave the machine: a line of a class file.

A line is built field by field from an event of the progress store; nothing is copied unseen. A
text passes only if it is a word of ``vocabulary``, a number only where the course measured it.
"""

import json
import math
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, fields

from labutils.classroom import vocabulary

VERSION = 1
LONGEST_S = 10_000_000  # four months; a larger figure is no time spent on an exercise
MOST_HINTS = 1000
MOST_LINES = 200_000  # of one export: years of a learner's events
LARGEST_SEED = 2**63

_TOKEN = re.compile(r"[0-9a-f]{16}")
_ID = re.compile(r"[a-z0-9_]{1,60}(\.[a-z0-9_]{1,60}){1,4}")
_NAME = re.compile(r"[A-Za-z0-9_]{1,60}([-:.][A-Za-z0-9_]{1,60}){0,12}")


@dataclass(frozen=True)
class Line:
    """What one event says about the class.

    ``learner`` is a random token, the same in every export of one learner. ``n`` of ``of`` is the
    line's place among all of that export. ``t_s`` are seconds since the learner's first event.
    ``seconds`` is what the store measured: of a check its own duration, of a drill the time since
    the question. ``held`` says whether a predicted range held the outcome, ``point`` that it was a
    single value. What an event does not say is None.
    """

    learner: str
    n: int
    of: int
    event: str
    id: str
    t_s: int | None = None
    status: str | None = None
    diagnosis: str | None = None
    hints: int | None = None
    revealed: bool | None = None
    seconds: float | None = None
    held: bool | None = None
    point: bool | None = None
    seed: int | None = None
    link: int | None = None
    mode: str | None = None

    def text(self) -> str:
        """The line as it stands in a file, without what it does not say."""
        said = {name: value for name, value in vars(self).items() if value is not None}
        return json.dumps({"v": VERSION, **said}, separators=(", ", ": "))


def facts(event: Mapping, *, t_s: int | None, hints: int) -> dict | None:
    """The fields of an event that may leave; None where the event is not for a class.

    ``hints`` counts the hints asked for before it. An id that the course does not have, a state
    that no check gives and a mistake that no exercise names are no words: the event stays at home,
    or its mistake becomes ``other``.
    """
    kind, item_id = event.get("event"), event.get("id")
    if kind not in vocabulary.EVENTS or not _is_known(kind, item_id):
        return None
    said = {"event": kind, "id": item_id, "t_s": t_s, "seconds": _seconds(event.get("seconds"))}
    if kind.startswith("drill"):
        said |= _of_drill(event)
    if kind in ("check", "drill"):
        if not _is_one_of(vocabulary.STATUSES, event.get("status")):
            return None
        said |= {"status": event["status"], "hints": _hints(event, hints)}
        said["diagnosis"] = _diagnosis(event, said)
    if kind in ("outcome", "drill_predict"):
        said |= {"held": _flag(event.get("held")), "point": _is_point(event)}
    return said


def read(text: str) -> Line | None:
    """The line that stands in ``text``; None where it is no line of a class file.

    Lines of later versions are read as far as they go. Ids and names need not be of this version
    of the course; they need to look like ids and names.
    """
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(found, dict) or not _looks_right(found):
        return None
    said = {field.name: found.get(field.name) for field in fields(Line)}
    said["t_s"] = _whole(said["t_s"], LONGEST_S)
    said["seconds"] = _seconds(said["seconds"])
    said["hints"] = _whole(said["hints"], MOST_HINTS)
    said["seed"] = _whole(said["seed"], LARGEST_SEED, least=-LARGEST_SEED)
    said["link"] = _whole(said["link"], vocabulary.MOST_LINKS)
    for name in ("revealed", "held", "point"):
        said[name] = _flag(said[name])
    said["mode"] = said["mode"] if _is_one_of(vocabulary.MODES, said["mode"]) else None
    return Line(**said)


def _looks_right(found: dict) -> bool:
    n, of = _whole(found.get("n"), MOST_LINES), _whole(found.get("of"), MOST_LINES)
    named = found.get("diagnosis")
    judged = found.get("event") in ("check", "drill")
    return (
        n is not None
        and of is not None
        and n < of
        and _fits(_TOKEN, found.get("learner"))
        and found.get("event") in vocabulary.EVENTS
        and _fits(_ID, found.get("id"))
        and (
            _is_one_of(vocabulary.STATUSES, found.get("status"))
            if judged
            else "status" not in found
        )
        and (named is None or _fits(_NAME, named))
    )


def _is_known(kind: str, item_id) -> bool:
    if not isinstance(item_id, str):
        return False
    if kind.startswith("drill"):
        return vocabulary.is_drill(item_id)
    known = vocabulary.predictions() if kind in ("predict", "outcome") else vocabulary.exercises()
    return item_id in known


def _of_drill(event: Mapping) -> dict:
    mode = event.get("mode")
    return {
        "seed": _whole(event.get("seed"), LARGEST_SEED, least=-LARGEST_SEED),
        "link": _whole(event.get("link"), vocabulary.MOST_LINKS),
        "mode": mode if _is_one_of(vocabulary.MODES, mode) else None,
        "revealed": _flag(event.get("revealed")),
    }


def _diagnosis(event: Mapping, said: Mapping) -> str | None:
    """The mistake's name, if the course has such a name; of an option, its letter."""
    named = event.get("diagnosis")
    if named is None:
        return None
    where = said["id"], said.get("seed") or 0, said.get("link") or 0
    if isinstance(named, str) and vocabulary.is_drill(said["id"]):
        named = vocabulary.letter_of(*where, named) or named
    return named if _is_one_of(vocabulary.mistakes_of(*where), named) else vocabulary.OTHER


def _hints(event: Mapping, before: int) -> int | None:
    own = event.get("hints")
    return min(before, MOST_HINTS) if own is None else _whole(own, MOST_HINTS)


def _is_point(event: Mapping) -> bool | None:
    """Whether a single value was predicted; a drill's event tells by its two ends."""
    if "point" in event or event.get("low") is None:
        return _flag(event.get("point"))
    return event["low"] == event.get("high")


def _is_one_of(words: Collection[str], value) -> bool:
    return isinstance(value, str) and value in words


def _flag(value) -> bool | None:
    return value if isinstance(value, bool) else None


def _whole(value, most: int, *, least: int = 0) -> int | None:
    is_whole = isinstance(value, int) and not isinstance(value, bool)
    return value if is_whole and least <= value <= most else None


def _seconds(value) -> float | None:
    """Seconds to a tenth: finer digits would tell nothing more."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return round(float(value), 1) if 0 <= value <= LONGEST_S and math.isfinite(value) else None


def _fits(pattern: re.Pattern, value) -> bool:
    return isinstance(value, str) and pattern.fullmatch(value) is not None
