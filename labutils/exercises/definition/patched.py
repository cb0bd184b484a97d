"""Wrong answers that a sheet of patches makes of a right one."""

from collections.abc import Callable

from labutils.exercises.definition.exercise import Misconception
from labutils.exercises.definition.sheet import in_its_file
from labutils.ground.patches import patches


@in_its_file
def patched(right: type | Callable, sheet: str) -> tuple[Misconception, ...]:
    """A mistake for each patch on ``right``, a class, a function, or a method of a class.

    A wrong answer is executed when it is first tried, among the names of the module of ``right``.
    """
    return tuple(
        Misconception(patch.name, patch.wrong(right), patch.message) for patch in patches(sheet)
    )
