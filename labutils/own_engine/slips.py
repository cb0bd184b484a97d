"""Mistakes in a function of the engine, written as what they change in the course's text."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce

from labutils.patches import Patch

from .assemble import from_sources
from .course import course_sources
from .functions import source_of


@dataclass(frozen=True)
class Slip:
    """The course's functions with a few passages exchanged; make it with ``slip``."""

    edits: tuple[tuple[str, str], ...]

    def functions(self, targets: Sequence[str]) -> dict[str, Callable]:
        """The changed functions of ``targets``. ``ValueError`` for a passage not there once."""
        texts = {target: _text(target) for target in targets}
        for old, new in self.edits:
            places = [target for target, text in texts.items() for _ in range(text.count(old))]
            if len(places) != 1:
                raise ValueError(f"old = {old!r}: expected once in {targets}, not {len(places)} ×")
            texts[places[0]] = texts[places[0]].replace(old, new)
        room = from_sources(texts)
        return {target: _found(room, target) for target in targets}


def slip(*passages: str) -> Slip:
    """A mistake for ``piece_of``: old and new passages of the course's code, in turn.

    >>> slip("contexts.append(end)", "contexts.append(start)").edits
    (('contexts.append(end)', 'contexts.append(start)'),)
    """
    if not passages or len(passages) % 2:
        raise ValueError(f"passages = {passages!r}: expected pairs of an old and a new one")
    return Slip(tuple(zip(passages[::2], passages[1::2])))


def with_patch(patch: Patch, targets: Sequence[str]) -> dict[str, Callable]:
    """The course's functions ``targets`` after a patch; ``SheetError`` where it does not fit."""
    room = from_sources(patch.made_in({target: _text(target) for target in targets}))
    return {target: _found(room, target) for target in targets}


def _text(target: str) -> str:
    file, name = target.split(":")
    return source_of(course_sources()[file], name)


def _found(room, target: str) -> Callable:
    file, name = target.split(":")
    return reduce(getattr, name.split("."), getattr(room, file))
