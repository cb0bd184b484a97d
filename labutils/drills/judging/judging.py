"""The verdict on what is handed in for a drill: a number, a choice, both, and steps on the way."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial

from labutils.drills.definition.drill import Drill, judge_step
from labutils.drills.judging.as_written import clock_note, letter, letter_and_rest, readable
from labutils.drills.judging.rough import RoughNumber, can_be_rough, rough_number
from labutils.exercises.definition.exercise import Checker
from labutils.exercises.definition.verdict import Status, Verdict
from labutils.exercises.definition.workings import judged

_KB = re.compile(r"(?<=[0-9]) ?KB\b")


@dataclass(frozen=True)
class _Step(Checker):
    """A named step as a checker of its own."""

    judge: Callable[[object], Verdict]

    def check(self, answer) -> Verdict:
        return self.judge(answer)

    @property
    def reference_answer(self):
        return None


@dataclass(frozen=True)
class _Asked:
    """One part of a drill with its steps, as ``judged`` takes an exercise."""

    part: Callable[[object], Verdict]
    workings: Mapping[str, Checker]

    def judge(self, answer) -> Verdict:
        if answer is ...:
            return Verdict(Status.not_attempted, "Replace the `...` by your answer.")
        return self.part(answer)


def judge(drill: Drill, answer=..., choice=None, steps=None, *, rough: bool = False) -> Verdict:
    """Judge what was handed in; whatever it is, this does not raise.

    Where a number and a choice are asked, both must be right: the verdict says which part is not,
    and gives neither away. ``steps`` are intermediate quantities by name.
    """
    choice = None if choice is ... else choice
    try:
        verdict = _judged(drill, answer, choice, dict(steps or {}), rough and can_be_rough(drill))
        return _with_clock(verdict, drill, answer, choice)
    except Exception as error:  # an object whose own methods raise when they are looked at
        kind = type(error).__name__
        return Verdict(Status.unreadable, f"This object cannot be read as an answer ({kind}).")


def split(drill: Drill, answer, choice=None) -> tuple[object, object]:
    """The number and the letter in what was handed in; ``...`` where one is missing.

    Both may come in one: "b 40 ms", "40 ms, b", or ("b", "40 ms"). Text is given as
    ``labutils.ground.units`` reads it, where it can be.
    """
    number, chosen = _parts(drill, answer, ... if choice is None else choice)
    if isinstance(number, str):
        number = readable(number, drill.unit, drill.question, drill.story)
    if isinstance(chosen, str):
        chosen = letter(chosen) or chosen
    return number, chosen


def _parts(drill: Drill, answer, choice) -> tuple[object, object]:
    if drill.answer is None:
        return ..., (answer if choice is ... else choice)
    if drill.options is None or choice is not ...:
        return answer, choice
    if isinstance(answer, str):
        if found := letter_and_rest(answer, drill.unit):
            return found[1], found[0]
        return (..., answer) if letter(answer) in drill.options.texts else (answer, ...)
    if isinstance(answer, tuple | list) and len(answer) == 2:
        return answer[1], answer[0]
    return answer, ...


def given_value(drill: Drill, answer, choice=None) -> float | None:
    """The number that was handed in, in the drill's unit; ``None`` where there is none to read."""
    try:
        number, _ = split(drill, answer, choice)
        return drill.number.given_value(number) if drill.number else None
    except Exception:  # an object whose own methods raise has no number to record
        return None


def _judged(drill: Drill, answer, choice, steps: dict, rough: bool) -> Verdict:
    if drill.options is None and choice is not None:
        return Verdict(Status.unreadable, "There is nothing to choose here: hand in a number.")
    if drill.answer is None and choice is not None and answer is not ...:
        return Verdict(Status.unreadable, "No number is asked here: hand in the letter alone.")
    number, letter = split(drill, answer, choice)
    workings = _workings(drill, rough)
    if drill.answer is None:
        return _with_steps(_choice(drill, workings), letter, steps)
    asked = _Asked(partial(_checked, _number(drill, rough)), workings)
    if drill.options is None:
        return _with_steps(asked, number, steps)
    if number is not ... and letter is not ...:
        verdict = _with_steps(asked, number, steps)
        return _together(verdict, _choice(drill, {}).judge(letter))
    if number is ... and letter is ...:
        return _with_steps(asked, number, steps)
    letters = ", ".join(drill.options.texts)
    missing = "number" if number is ... else f"choice ({letters})"
    return Verdict(
        Status.not_attempted,
        f"Two things are asked, and the {missing} is missing: `b 40 ms`, say, in one text.",
    )


def _checked(checker: Checker, number) -> Verdict:
    """The verdict on a number; "256 KB" may mean 1,024 bytes each, as many people say."""
    verdict = checker.check(number)
    if verdict.passed or not isinstance(number, str) or not _KB.search(number):
        return verdict
    again = checker.check(_KB.sub(" KiB", number))
    note = "Your KB is 1,024 bytes, which strictly is a KiB; a kB is 1,000."
    return replace(again, note=note) if again.passed else verdict


def _with_clock(verdict: Verdict, drill: Drill, answer, choice) -> Verdict:
    """The verdict with a note where "3:51" was read as a time; the habit has two readings."""
    if verdict.status in (Status.unreadable, Status.not_attempted):
        return verdict
    typed, _ = _parts(drill, answer, ... if choice is None else choice)
    read, _ = split(drill, answer, choice)
    notes = verdict.note, clock_note(typed, read)
    return replace(verdict, note=" ".join(filter(None, notes)))


def _number(drill: Drill, rough: bool) -> Checker:
    return rough_number(drill) if rough else drill.number


def _choice(drill: Drill, workings: Mapping[str, Checker]) -> _Asked:
    def part(letter) -> Verdict:
        verdict = drill.options.judge(letter)
        if verdict.diagnosis is None:
            return verdict
        # Letters are shuffled: what was chosen has a name only by its text.
        return replace(verdict, diagnosis=f"choice: {drill.options.texts[verdict.diagnosis]}"[:80])

    return _Asked(part, workings)


def _with_steps(asked: _Asked, answer, steps: dict) -> Verdict:
    alone = asked.judge(answer)
    if alone.status is Status.unreadable:
        return alone
    verdict = judged(asked, answer, steps)
    given = [name for name, value in steps.items() if value is not ...]
    if verdict.status is not Status.not_attempted or not given:
        return verdict
    names = ", ".join(f"`{name}`" for name in given)
    return replace(verdict, message=f"Right as far as {names}. Go on to the answer.", note="")


def _together(number: Verdict, choice: Verdict) -> Verdict:
    """One verdict on two parts: an unreadable part first, then the choice, then the number."""
    if number.passed and choice.passed:
        return replace(number, message="Both are right, the choice and the number.")
    if Status.unreadable in (choice.status, number.status):
        name, part = (
            ("choice", choice) if choice.status is Status.unreadable else ("number", number)
        )
        return replace(part, message=f"The {name}: {part.message}")
    if choice.passed:
        return replace(number, message=f"The choice is right. The number: {number.message}")
    if number.passed:
        return replace(choice, message=f"The number is right. The choice, {choice.message}")
    said = f"The choice, {choice.message} The number is not right either: settle the choice first."
    return replace(choice, message=said)


def _workings(drill: Drill, rough: bool) -> dict[str, Checker]:
    def checker(step) -> Checker:
        if rough and step.value > 0:
            return RoughNumber(step.value, step.unit)
        return _Step(partial(_judge_step, step, drill.tolerance))

    return {name: checker(step) for name, step in drill.named_steps.items()}


def _judge_step(step, tolerance: float, given) -> Verdict:
    return judge_step(step, given, tolerance=tolerance)
