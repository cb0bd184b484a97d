"""Where the learner's class and the workbook's play the same script."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any

from labutils.exercises.comparing.compare import Comparison, type_in_words
from labutils.exercises.comparing.fault import Fault
from labutils.exercises.comparing.shortest import needed
from labutils.exercises.definition.exercise import CheckerError
from labutils.exercises.stories.script import Step
from labutils.exercises.stories.telling import (
    Telling,
    differing,
    first_fault,
    reference_telling,
    same,
    tell,
)


@dataclass(frozen=True)
class Case:
    """One script as both played it, and at which step the learner's class goes wrong, if it does.

    ``story`` is the number of the story that it tells.
    """

    story: int
    script: Sequence[Step]
    wanted: Telling
    got: Telling
    at: int = 0
    fault: Fault | None = None

    @property
    def signature(self) -> tuple:
        """What kind of failure it is; a shorter script must fail in the same way."""
        how = self.fault and (self.fault.status, self.fault.name)
        return how, *(_kind(telling.outcomes.get(self.at)) for telling in (self.wanted, self.got))


@dataclass(frozen=True)
class Stage:
    """Plays scripts on new objects of the learner's class and of the workbook's."""

    learner: Callable
    reference: Callable
    comparison: Comparison

    def play(self, story: int, script: Sequence[Step], *, seconds: float) -> Case:
        """Tell both the script and compare."""
        wanted = reference_telling(script, self.reference, "reference")
        if wanted.run.error:
            raise CheckerError(
                f"The workbook's own reference failed in its story ({wanted.run.error!r}). "
                "This is a fault of the workbook, not of your answer."
            ) from wanted.run.error
        got = tell(script, self.learner, seconds=seconds)
        found = first_fault(script, got, wanted, self.comparison)
        return Case(story, script, wanted, got, *(found or ()))

    def same(self, one, other) -> bool:
        """Whether two results are the same within the tolerance."""
        return same(one, other, self.comparison)

    def differing(self, one: Telling, other: Telling) -> set[int]:
        """Numbers of the steps at which two implementations part."""
        return differing(one, other, self.comparison)

    def shortest(
        self, case: Case, like: Callable[[Case], bool], *, seconds: float, each: float
    ) -> Case:
        """The same failure with no more steps than it needs, as far as time allows.

        ``like`` says whether a failure of the same kind has the same cause, too. ``each`` bounds
        the learner's code in one attempt.
        """
        first, *middle = case.script[: case.at + 1]
        last = [middle.pop()] if middle else []
        found = [case]

        def still(rest: list) -> bool:
            script = (first, *rest, *last)
            try:
                tried = self.play(case.story, script, seconds=each)
                good = tried.signature == case.signature and tried.at == len(script) - 1
                good = good and like(tried)
            except CheckerError:  # nobody wrote this script: the workbook's class may refuse it
                return False
            if good:
                found.append(tried)
            return good

        needed(middle, still, seconds=seconds)
        return found[-1]


def _kind(outcome: Any) -> object:
    """The kind of an outcome, so that a script is shortened only while it fails in the same way."""
    if isinstance(outcome, type):
        return outcome
    try:
        endless = isinstance(outcome, Real) and not math.isfinite(outcome)
        return repr(float(outcome)) if endless else type_in_words(outcome)
    except Exception:  # a type of the learner's own that cannot be looked into
        return type(outcome)
