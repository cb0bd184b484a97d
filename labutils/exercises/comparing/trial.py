"""One input, tried on the learner's function and on the workbook's."""

import copy
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

import numpy as np

from labutils.exercises.comparing.compare import Comparison
from labutils.exercises.comparing.fault import OF_SHAPE, OTHER_VALUE, Fault, fault_of_value, is_stub
from labutils.exercises.comparing.kept import as_it_is_now
from labutils.exercises.definition.exercise import CheckerError
from labutils.exercises.definition.verdict import Status
from labutils.exercises.running import guard

_HOUSE_SECONDS = 20.0  # for the workbook's own code: a limit that only a fault of ours reaches


@dataclass(frozen=True)
class Trial:
    """The outcome of one input: what was expected, what came, and what is wrong with it."""

    args: tuple
    expected: Any
    run: guard.Run
    fault: Fault | None

    @property
    def status(self) -> Status | None:
        return self.fault.status if self.fault else None


@dataclass(frozen=True)
class Property:
    """A named condition on a result, for a better message than "differs".

    ``holds(result, *args)`` is True for every right result; ``message`` says what it means if not.
    """

    name: str
    holds: Callable[..., bool]
    message: str


@dataclass(frozen=True)
class Bench:
    """Tries inputs on both functions; each call gets copies of its own."""

    learner: Callable
    reference: Callable
    comparison: Comparison
    properties: tuple[Property, ...] = ()
    says: Callable[[Any, Any], str] | None = None

    def trial(self, args: tuple, *, seconds: float) -> Trial:
        """Call both functions with ``args`` and compare."""
        expected, theirs = expected_of(self.reference, args)
        mine = copy.deepcopy(args)
        run = guard.run(self.learner, *mine, seconds=seconds)
        run = replace(run, value=as_it_is_now(run.value, beside=expected))
        fault = self._fault_of_run(run) or self._fault_of_value(run, expected, args)
        return Trial(args, expected, run, fault or self._mutation(mine, theirs))

    def agrees(self, got, expected) -> bool:
        """Whether two results are the same within the tolerance."""
        return self.comparison.agrees(got, expected)

    def repeats(self, trial: Trial) -> bool:
        """Whether the same input gives the same outcome once more."""
        again = self.trial(trial.args, seconds=max(1.0, 3 * trial.run.seconds)).run
        if trial.run.error or again.error:
            return type(trial.run.error) is type(again.error)
        look = self.comparison.look(again.value, trial.run.value)
        return look.timed_out or look.error is not None or look.value is None  # or nobody can tell

    def is_constant(self, trials: list[Trial]) -> bool:
        """Whether the learner's results never change although the expected ones do.

        Only results of the right kind and length count: of others, that is what to say first.
        """
        shapeless = any(trial.fault and trial.fault.name in OF_SHAPE for trial in trials)
        if len(trials) < 3 or shapeless or any(trial.run.error for trial in trials):
            return False
        first = trials[0]
        same = all(self.agrees(trial.run.value, first.run.value) for trial in trials)
        return same and not all(self.agrees(trial.expected, first.expected) for trial in trials)

    def _fault_of_run(self, run: guard.Run) -> Fault | None:
        if run.timed_out:
            return Fault(Status.timed_out, "")
        if is_stub(run.error):
            return Fault(Status.not_attempted, "")
        return Fault(Status.raised, "") if run.error else None

    def _fault_of_value(self, run: guard.Run, expected, args: tuple) -> Fault | None:
        fault = fault_of_value(run.value, expected, self.comparison, printed=run.printed)
        if fault is None or fault.final:
            return fault
        if said := self._said(run.value, expected):
            return replace(fault, message=said)
        return self._violation(run.value, args) or fault if fault is OTHER_VALUE else fault

    def _said(self, value, expected) -> str:
        """What the exercise says of this difference; results of the learner's own type say none."""
        try:
            return self.says(value, expected) if self.says else ""
        except Exception:
            return ""

    def _violation(self, value, args: tuple) -> Fault | None:
        for rule in self.properties:
            try:
                holds = rule.holds(copy.deepcopy(value), *copy.deepcopy(args))
            except Exception:  # a result that the rule cannot look into
                continue
            if not holds:
                return Fault(Status.wrong, rule.message, rule.name)
        return None

    def _mutation(self, mine: tuple, theirs: tuple) -> Fault | None:
        """Arguments must end as the workbook's function leaves them: untouched, as a rule."""
        for name, left, right in zip(parameter_names(self.reference), mine, theirs):
            if is_container(right) and not self.agrees(left, right):
                return Fault(
                    Status.wrong,
                    f"Your function changes its argument `{name}`, which belongs to the caller. "
                    "Work on a copy, or build a new list.",
                    "mutates-input",
                )
        return None


def expected_of(reference: Callable, args: tuple) -> tuple[Any, tuple]:
    """What the reference returns, and its copies of the arguments as it leaves them."""
    theirs = copy.deepcopy(args)
    return reference_value(reference, theirs, "reference"), theirs


def reference_value(function: Callable, args: tuple, what: str):
    """The result of the workbook's own ``function``; its failures are never the learner's."""
    run = guard.run(function, *args, seconds=_HOUSE_SECONDS)
    if run.timed_out or run.error:
        problem = run.error if run.error else f"no result within {_HOUSE_SECONDS:g} s"
        raise CheckerError(
            f"The workbook's own {what} failed on {args!r} ({problem}). "
            "This is a fault of the workbook, not of your answer."
        ) from run.error
    return run.value


def parameter_names(function: Callable) -> list[str]:
    """Names of the parameters, as many as can be known."""
    try:
        return list(inspect.signature(function).parameters)
    except Exception:  # some builtins tell nothing, and a learner's own __getattr__ may raise
        return []


def takes(
    function: Callable, args: tuple, kwargs: Mapping[str, Any] = MappingProxyType({})
) -> bool:
    """Whether it can be called with these, as far as can be known."""
    try:
        signature = inspect.signature(function)
    except Exception:  # the calls will show
        return True
    try:
        signature.bind(*args, **kwargs)
    except TypeError:
        return False
    return True


def is_container(value) -> bool:
    """Whether a callee could change ``value`` under its caller's hands."""
    return isinstance(value, list | dict | set | bytearray | np.ndarray)
