"""Which known mistake a learner's results show, and whether it alone explains them."""

import copy
from collections.abc import Sequence
from dataclasses import dataclass

from labutils.exercises.comparing.fault import Fault
from labutils.exercises.comparing.trial import Bench, Trial, reference_value
from labutils.exercises.definition.exercise import Misconception, NeverReturns, Raises
from labutils.exercises.definition.verdict import Status

_PROBES = 3  # inputs of each kind that are tried beside an endless loop
_PROBE_SECONDS = 0.3


@dataclass(frozen=True)
class Explanation:
    """A mistake that explains the failures; ``certain`` if nothing else known explains them too.

    ``other`` is a second one that does, with words of its own.
    """

    item: Misconception
    certain: bool
    other: Misconception | None = None

    @property
    def message(self) -> str:
        """What to say: of several possible causes two are named, as possible only."""
        said = self.item.message
        if self.certain:
            return said
        also = f" Another one is: {self.other.message}" if self.other else ""
        return f"One mistake that does this is: {said}{also}"

    @property
    def fault(self) -> Fault:
        return Fault(Status.misconception, self.message, self.item.name)


def first_of(items: Sequence[Misconception], *, sure: bool = True) -> Explanation | None:
    """The first of the mistakes that explain everything, as the cause if it is the only one."""
    if not items:
        return None
    first, *others = items
    other = next((item for item in others if item.message != first.message), None)
    return Explanation(first, sure and not others, other)


def named(
    items: Sequence[Misconception], bench: Bench, trials: Sequence[Trial]
) -> Explanation | None:
    """The mistake that explains every failing trial, if one does."""
    failing_first = sorted(trials, key=lambda trial: trial.fault is None)
    return first_of([item for item in items if _fits(item, bench, failing_first)])


def named_endless(
    items: Sequence[Misconception], bench: Bench, trials: Sequence[Trial], rest: Sequence[tuple]
) -> Explanation | None:
    """The mistake that explains a call that never returned, the last of ``trials``.

    Some of the other inputs, ``rest``, are tried too. It is the cause only if the learner's
    function gave a wrong result of its as well.
    """
    for item in items:
        if _fits(item, bench, trials):
            more = [bench.trial(args, seconds=_PROBE_SECONDS) for args in _probes(item, rest)]
            tried = [*trials, *more]
            if _fits(item, bench, tried):
                returned = any(one.fault and not one.run.timed_out for one in tried)
                return Explanation(item, returned)
    return None


def _probes(item: Misconception, inputs: Sequence[tuple]) -> list[tuple]:
    """A few inputs on which the mistake loops for ever, and a few on which it does not."""
    loops, returns = [], []
    for args in inputs:
        kind = loops if _wrong_value(item, args) is NeverReturns else returns
        if len(kind) < _PROBES:
            kind.append(args)
    return loops + returns


def _fits(item: Misconception, bench: Bench, trials: Sequence[Trial]) -> bool:
    """Whether the mistake explains all that failed, and is wrong nowhere else."""
    explains = False
    for trial in trials:
        alike = _alike(_wrong_value(item, trial.args), trial, bench)
        if alike is False:
            return False
        explains = explains or alike is True
    return explains


def _alike(wrong, trial: Trial, bench: Bench) -> bool | None:
    """Whether a trial came out as the wrong value says; None where both are right."""
    if (wrong is NeverReturns) or trial.run.timed_out:
        return wrong is NeverReturns and trial.run.timed_out
    if isinstance(wrong, Raises):
        return type(trial.run.error).__name__ == wrong.kind.__name__
    if bench.agrees(wrong, trial.expected):
        return False if trial.fault else None
    return not trial.run.error and bench.agrees(trial.run.value, wrong)


def _wrong_value(item: Misconception, args: tuple):
    """What the wrong implementation returns, or ``NeverReturns`` where it says that it does not."""

    def answer(*args):
        try:
            return item.answer(*args)
        except NeverReturns:
            return NeverReturns

    return reference_value(answer, copy.deepcopy(args), f"misconception {item.name!r}")
