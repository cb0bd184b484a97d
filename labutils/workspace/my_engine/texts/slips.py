"""Functions of the engine with a mistake, which a patch of the course's text describes."""

from collections.abc import Callable, Sequence
from functools import reduce

from labutils.ground.patches import Patch

from .assemble import from_sources
from .course_engine import course_sources
from .functions import source_of


def with_patch(patch: Patch, targets: Sequence[str]) -> dict[str, Callable]:
    """The course's functions ``targets`` after a patch; ``SheetError`` where it does not fit."""
    room = from_sources(patch.made_in(texts_of(targets)))
    return {target: _found(room, target) for target in targets}


def texts_of(targets: Sequence[str]) -> dict[str, str]:
    """The course's text of each of these functions."""
    apart = {target: target.split(":") for target in targets}
    return {
        target: source_of(course_sources()[file], name) for target, (file, name) in apart.items()
    }


def _found(room, target: str) -> Callable:
    file, name = target.split(":")
    return reduce(getattr, name.split("."), getattr(room, file))
