"""One script, told to an implementation: what its reads gave, and where it stopped."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from labutils.exercises.comparing.compare import Comparison
from labutils.exercises.comparing.fault import Fault, fault_of_value, is_stub
from labutils.exercises.comparing.kept import as_it_is_now
from labutils.exercises.comparing.trial import is_container
from labutils.exercises.definition.exercise import CheckerError
from labutils.exercises.definition.verdict import Status
from labutils.exercises.running import guard
from labutils.exercises.stories.script import Read, Step, Unusable, act, own_arguments

HOUSE_SECONDS = 20.0  # for the workbook's own code: a limit that only a fault of ours reaches


@dataclass(frozen=True)
class Telling:
    """What an implementation did in a script: results by the number of their step.

    ``done`` steps were finished; where that is not all, ``run`` says what stopped it, and
    ``waited_s`` how long the next one had taken by then. ``arguments`` are the script's as they
    were left.
    """

    results: Mapping[int, Any]
    done: int
    waited_s: float
    run: guard.Run
    arguments: list = field(repr=False)

    @property
    def outcomes(self) -> dict[int, Any]:
        """Results by step, and the type of the error at the step that raised one."""
        stop = {self.done: type(self.run.error)} if self.run.error else {}
        return {**self.results, **stop}


def tell(script: Sequence[Step], make: Callable, *, seconds: float) -> Telling:
    """Perform the script on a new object of ``make``; nothing that it raises comes through."""
    results: dict[int, Any] = {}
    arguments, ends_s = own_arguments(script), [time.monotonic()]

    def perform():
        thing = None
        for number, (step, (args, kwargs)) in enumerate(zip(script, arguments)):
            thing, result = act(step, thing, make, args, kwargs)
            if isinstance(step, Read):
                results[number] = as_it_is_now(result)
            ends_s.append(time.monotonic())

    run = guard.run(perform, seconds=seconds)
    return Telling(results, len(ends_s) - 1, time.monotonic() - ends_s[-1], run, arguments)


def reference_telling(script: Sequence[Step], make: Callable, what: str) -> Telling:
    """What the workbook's own class does, errors included; only its endless loops are faults."""
    telling = tell(script, make, seconds=HOUSE_SECONDS)
    if telling.run.timed_out or isinstance(telling.run.error, Unusable):
        problem = telling.run.error or f"no end within {HOUSE_SECONDS:g} s"
        raise CheckerError(
            f"The workbook's own {what} failed ({problem}). "
            "This is a fault of the workbook, not of your answer."
        )
    return telling


def first_fault(
    script: Sequence[Step], got: Telling, wanted: Telling, comparison: Comparison
) -> tuple[int, Fault] | None:
    """The first step at which a telling goes wrong, and how; ``None`` where it never does."""
    for number, expected in wanted.results.items():
        if number >= got.done:
            break
        whose, printed = f"`{script[number].method}`", got.run.printed
        value = got.results[number]
        fault = fault_of_value(value, expected, comparison, printed=printed, whose=whose)
        if fault:
            return number, fault
    stop = _fault_of_run(got.run)
    return (got.done, stop) if stop else _mutation(script, got, wanted, comparison)


def same(one, other, comparison: Comparison) -> bool:
    """Whether two outcomes are the same: equal results, or errors of one type."""
    if isinstance(one, type) or isinstance(other, type):
        return one is other
    return comparison.agrees(one, other)


def differing(one: Telling, other: Telling, comparison: Comparison) -> set[int]:
    """Numbers of the steps whose outcomes differ."""
    mine, theirs = one.outcomes, other.outcomes
    shared = mine.keys() & theirs.keys()
    return (mine.keys() ^ theirs.keys()) | {
        number for number in shared if not same(mine[number], theirs[number], comparison)
    }


def _fault_of_run(run: guard.Run) -> Fault | None:
    if run.timed_out:
        return Fault(Status.timed_out, "", final=True)
    if is_stub(run.error):
        return Fault(Status.not_attempted, "", final=True)
    if isinstance(run.error, Unusable):
        return Fault(Status.unreadable, str(run.error), "no-such-method", final=True)
    return Fault(Status.raised, "") if run.error else None


def _mutation(script, got: Telling, wanted: Telling, comparison) -> tuple[int, Fault] | None:
    """Arguments must end as the workbook's class leaves them: untouched, as a rule."""
    for number, (mine, theirs) in enumerate(zip(got.arguments, wanted.arguments)):
        pairs = [
            *zip(mine[0], theirs[0]),
            *((mine[1][name], theirs[1][name]) for name in theirs[1]),
        ]
        if any(is_container(b) and not same(a, b, comparison) for a, b in pairs):
            called = getattr(script[number], "method", "__init__")
            message = (
                f"`{called}` changes an argument, which belongs to the caller. Work on a copy."
            )
            return number, Fault(Status.wrong, message, "mutates-input")
    return None
