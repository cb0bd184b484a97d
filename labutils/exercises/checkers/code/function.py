"""A function, judged by its results on fresh inputs."""

import secrets
import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from labutils.exercises.checkers.code import feedback, naming
from labutils.exercises.checkers.code.pattern import pattern
from labutils.exercises.comparing import draws
from labutils.exercises.comparing.compare import Comparison
from labutils.exercises.comparing.fault import NOTHING, OTHER_VALUE, UNREADABLE, Fault, beside_all
from labutils.exercises.comparing.trial import Bench, Property, Trial
from labutils.exercises.definition.exercise import Checker, Misconception, named_apart, trusted
from labutils.exercises.definition.verdict import Status, Verdict
from labutils.ground.arguments import non_negative, positive

NUM_INPUTS = 100
SHRINK_SECONDS = 1.2
_ENOUGH_TRIALS = 20  # fewer than these within the time limit, and the function is too slow


@dataclass(frozen=True)
class Function(Checker):
    """A checker for a function that must agree with ``reference``.

    ``inputs`` is a function without arguments that returns a Hypothesis strategy of argument
    tuples (import hypothesis inside it: importing takes 0.2 s). Each check draws fresh ones and
    shrinks a failing one; those of ``always``, which chance might miss, are tried beside them.
    Results agree within ``tolerance`` (relative) or ``absolute``; lists,
    tuples and arrays mean the same. Arguments must end as the reference leaves them.

    A misconception's ``answer`` is a wrong implementation: it is named if the learner's results
    equal its results on every input tried, as the cause where no other one does that, too.
    ``properties`` name what a wrong result violates; ``says(got, expected)`` puts a
    difference into a sentence, or returns "". ``seconds`` bounds the learner's code in one check.
    """

    reference: Callable
    inputs: Callable[[], object]
    tolerance: float = 1e-9
    misconceptions: tuple[Misconception, ...] = ()
    properties: tuple[Property, ...] = ()
    absolute: float = 1e-12
    seconds: float = 5.0
    num_inputs: int = NUM_INPUTS
    says: Callable[[Any, Any], str] | None = None
    always: tuple[tuple, ...] = ()

    def __post_init__(self):
        non_negative("tolerance", self.tolerance)
        non_negative("absolute", self.absolute)
        positive("seconds", self.seconds)
        named_apart(self.misconceptions)

    @property
    def reference_answer(self) -> Callable:
        return self.reference

    def check(self, answer) -> Verdict:
        return self._checked(answer, fresh_seed())

    def _checked(self, answer, seed: int) -> Verdict:
        """The verdict on inputs that ``seed`` decides: the same seed, the same inputs."""
        problem = feedback.misfit(answer, self.reference)
        if problem:
            return problem
        # numpy's warnings about a learner's division by zero would come once per input
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return self._tried(answer, seed)

    def _tried(self, learner: Callable, seed: int) -> Verdict:
        strategy = trusted("choice of inputs", self.inputs)
        draw = partial(draws.draw, strategy, number=self.num_inputs, seed=seed)
        drawn = [*self.always, *trusted("choice of inputs", draw)]
        inputs = sorted(drawn, key=lambda args: len(repr(args)))
        comparison = Comparison(self.tolerance, self.absolute)
        bench = Bench(learner, self.reference, comparison, self.properties, self.says)
        trials = self._trials(bench, inputs)
        outcomes = {trial.status for trial in trials}
        if Status.not_attempted in outcomes:
            return feedback.not_attempted()
        if outcomes == {None}:
            return self._passed(trials, inputs)
        failing = next(trial for trial in trials if trial.fault)
        if Status.timed_out in outcomes:
            rest = inputs[len(trials) :]
            found = naming.named_endless(self.misconceptions, bench, trials, rest)
            return feedback.time_is_up(bench, trials[-1], self.seconds, found)
        case = self._smallest(bench, strategy, seed) or failing
        return feedback.failure(bench, *self._diagnosis(bench, trials, case))

    def _trials(self, bench: Bench, inputs: list[tuple]) -> list[Trial]:
        """Try the inputs, small ones first, until time is up, a result cannot be looked into, or
        nothing is written yet; then the last trial says so."""
        trials: list[Trial] = []
        left = self.seconds
        for args in inputs:
            trial = bench.trial(args, seconds=left)
            trials.append(trial)
            left -= trial.run.seconds
            hopeless = trial.fault and trial.fault.name == UNREADABLE
            untried = trial.status is Status.not_attempted
            if trial.run.timed_out or left <= 0 or hopeless or untried:
                break
        return trials

    def _passed(self, trials: list[Trial], inputs: list[tuple]) -> Verdict:
        if len(trials) < min(_ENOUGH_TRIALS, len(inputs)):
            return feedback.too_slow(self.seconds, trials[-1].run.printed)
        return feedback.right(printed=any(trial.run.printed for trial in trials))

    def _smallest(self, bench: Bench, strategy, seed: int) -> Trial | None:
        """The failing trial with the smallest input that the search finds in its time."""
        found: list[Trial] = []

        def fails(args: tuple) -> bool:
            trial = bench.trial(args, seconds=SHRINK_SECONDS)
            if trial.fault is None or trial.run.timed_out:
                return False
            found.append(trial)
            return True

        args = draws.smallest(
            strategy, fails, number=self.num_inputs, seed=seed, seconds=SHRINK_SECONDS
        )
        return None if args is None else found[-1]

    def _diagnosis(self, bench: Bench, trials: list[Trial], case: Trial) -> tuple[Trial, Fault]:
        """What explains the failures best: no result at all, chance, a known misconception, a
        constant, or just this case; and the case to show, one that it explains."""
        returned = [trial.run.value for trial in trials if not trial.run.error]
        fault = beside_all(case.fault, returned, [trial.expected for trial in trials])
        case = replace(case, fault=fault)
        # None for some of the values, as a rule: a `return` that is missing is the last to suspect
        sometimes = case.fault.name == NOTHING and any(value is not None for value in returned)
        if sometimes and (found := naming.named(self.misconceptions, bench, [*trials, case])):
            return case, found.fault
        if case.fault.final:
            return case, case.fault
        if item := self._shown(bench.learner):
            return case, Fault(Status.misconception, item.message, item.name)
        # what has no equality of its own is never the same twice: its kind comes first
        if case.fault.name != "wrong-type" and not bench.repeats(case):
            return case, feedback.NOT_REPEATABLE
        unseen = [item for item in self.misconceptions if not item.shows]
        if found := naming.named(unseen, bench, [*trials, case]):
            return case, found.fault
        if case.fault.name != "nan" and bench.is_constant([*trials, case]):
            return case, feedback.CONSTANT
        if case.fault == OTHER_VALUE or case.fault.name == "wrong-length":
            return case, pattern(bench, [*trials, case]) or case.fault
        return case, case.fault

    def _shown(self, learner: Callable) -> Misconception | None:
        """The misconception that the learner's code shows by itself, if it shows one."""
        return next(
            (item for item in self.misconceptions if item.shows and item.shows(learner)), None
        )


def fresh_seed() -> int:
    """What decides the inputs of one check."""
    return secrets.randbits(64)
