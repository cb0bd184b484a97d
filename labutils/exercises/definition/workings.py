"""Intermediate quantities handed in with an answer: the first wrong one is where the error lies."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from labutils.exercises.definition.exercise import Exercise
from labutils.exercises.definition.verdict import Status, Verdict


def judged(exercise: Exercise, answer, given: Mapping[str, Any]) -> Verdict:
    """Judge an answer; where it is not right, name the first of the given steps that is wrong."""
    strangers = [name for name in given if name not in exercise.workings]
    if strangers:
        known = ", ".join(f"`{name}`" for name in exercise.workings) or "none"
        message = f"`{strangers[0]}` is no step of this exercise. Its steps: {known}."
        return Verdict(Status.unreadable, message)
    steps = {name: given[name] for name in exercise.workings if given.get(name, ...) is not ...}
    verdict = exercise.judge(answer)
    if verdict.passed:
        return verdict
    for name, value in steps.items():
        step = exercise.workings[name].check(value)
        if not step.passed:
            diagnosis = f"{name}:{step.diagnosis or step.status}"
            message = f"The first step that goes wrong is `{name}`. {step.message}"
            return replace(step, message=message, diagnosis=diagnosis)
    if not steps:
        return verdict
    names = ", ".join(f"`{name}`" for name in steps)
    return replace(verdict, note=f"Right as far as {names}: the error comes after.")
