"""What all wrong results of a function have in common: a factor, an order, one too many."""

from collections.abc import Sequence

from labutils.exercises.checkers.code.slip_rules import Case, Rule, rules_for
from labutils.exercises.comparing.compare import is_sequence, plain
from labutils.exercises.comparing.fault import Fault
from labutils.exercises.comparing.trial import Bench, Trial, parameter_names
from labutils.exercises.definition.verdict import Status

_ENOUGH = 3  # failing cases; fewer may be alike by chance
_MOST_PARTS = 6


def pattern(bench: Bench, trials: Sequence[Trial]) -> Fault | None:
    """The slip that turns each expected result into the learner's, if there is one."""
    if any(trial.run.error or trial.run.timed_out for trial in trials):
        return None
    names = parameter_names(bench.reference)
    cases = [
        Case(plain(t.run.value), plain(t.expected), dict(zip(names, t.args)), t.fault is not None)
        for t in trials
    ]
    whose, cases = _part_that_differs(bench, cases)
    failing = [case for case in cases if case.failed]
    different = len({repr(case.expected) for case in failing}) > 1
    if not different or len({repr(case.args) for case in failing}) < _ENOUGH:
        return None
    rule = next((rule for rule in rules_for(failing) if _holds(rule, bench, failing, cases)), None)
    return rule and Fault(Status.wrong, f"{whose} {rule.says}", rule.name)


def _part_that_differs(bench: Bench, cases: list[Case]) -> tuple[str, list[Case]]:
    """Of results of several parts the only one that goes wrong, and what it is called."""
    places = _places(cases)
    wrong = [at for at in places if not all(bench.agrees(c.got[at], c.expected[at]) for c in cases)]
    if len(places) < 2 or len(wrong) != 1:
        return "Your result", cases
    at = wrong[0]
    parts = [Case(plain(c.got[at]), plain(c.expected[at]), c.args, c.failed) for c in cases]
    return f"The rest is right, but result[{at!r}]", parts


def _places(cases: list[Case]) -> list:
    """Indices or keys that all results have, if they are the same few everywhere."""
    first = cases[0].expected
    if not isinstance(first, dict | tuple) or len(first) > _MOST_PARTS:
        return []
    places = list(first) if isinstance(first, dict) else list(range(len(first)))
    both = (value for case in cases for value in (case.got, case.expected))
    return places if all(_has_just(places, value) for value in both) else []


def _has_just(places: list, value) -> bool:
    if isinstance(value, dict):
        return list(value) == places
    return is_sequence(value) and list(range(len(value))) == places


def _holds(rule: Rule, bench: Bench, failing: list[Case], cases: list[Case]) -> bool:
    for case in cases if rule.everywhere else failing:
        try:
            wrong = rule.wrong(case.expected, case.args)
        except (TypeError, ValueError, ArithmeticError, LookupError):
            return False
        if not bench.agrees(case.got, wrong):
            return False
    return True
