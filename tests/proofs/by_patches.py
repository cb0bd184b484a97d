"""Mistakes for a ``Proof`` as patches on right code."""

from collections.abc import Callable

from labutils.exercises.definition.verdict import Status
from labutils.ground.patches import patches

_STATUSES = {status.name: status for status in Status}


def by_patches(sheet: str, right: Callable | None = None) -> dict[str, tuple]:
    """The mistakes of a sheet on ``right``, or on the course's text of a piece of the engine.

    In the place of its message each says what it must be called, or the ``Status`` that it gets.
    """
    return {
        one.name: (one.of(right) if right else one, _STATUSES.get(one.message, one.message))
        for one in patches(sheet)
    }
