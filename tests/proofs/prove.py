"""The proof of one exercise: what its check must say to right, wrong and untouched answers.

``complaints`` returns one line for everything that is not so. An exercise without evidence (a
``Proof``, a reference answer) is not proved.
"""

import dataclasses
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from labutils.exercises.checkers import (
    Choice,
    Estimate,
    Function,
    Number,
    Piece,
    Rehearsals,
    Stories,
)
from labutils.exercises.definition.exercise import Exercise
from labutils.exercises.definition.verdict import Status, Verdict
from labutils.exercises.definition.workings import judged
from tests.proofs import classes, methods, pieces, values
from tests.proofs.mutants import Mutant
from tests.proofs.planted import planted_answer
from tests.proofs.proof import Proof
from tests.proofs.quick_judge import QuickJudge, shared
from tests.proofs.reference import Answer, Reference

UNTOUCHED, RIGHT = Status.not_attempted, Status.right
CODE = Function | Stories | Rehearsals
LARGEST_ROUNDING = 0.01
SEARCH_SECONDS = 0.1  # for the smallest case of a planted mistake


def complaints(exercise: Exercise, reference: Reference | None, proof: Proof | None) -> list[str]:
    """Everything that the proof of ``exercise`` lacks or refutes; empty when it is proved."""
    if reference is None:
        return [f"{exercise.id}: the chapter's source never hands in an answer to it"]
    if proof is None:
        return [f"{exercise.id}: no proof; add one to its chapter's sheet in tests/proofs"]
    parts = (untouched, right, planted, declared, memorised, slips)
    return _said_by(parts, exercise, reference, proof)


def more_complaints(exercise: Exercise, reference: Reference, proof: Proof) -> list[str]:
    """What takes longer to find: mistakes by other names, idle stories, mutants alive."""
    parts = (searched, misnamed, stories_that_catch_nothing, surviving_mutants)
    return _said_by(parts, exercise, reference, proof)


def _said_by(parts, exercise: Exercise, reference: Reference, proof: Proof) -> list[str]:
    found = [line for part in parts for line in part(exercise, reference, proof)]
    return [f"{exercise.id}: {line}" for line in found]


def untouched(exercise: Exercise, reference: Reference, _proof) -> Iterator[str]:
    """``...``, a raising stub and what was handed out to be repaired are no attempts."""
    attempts, checker = {"`...`": ...}, exercise.checker
    if isinstance(checker, Function):
        attempts["an untouched stub"] = values.stub_like(checker)
    if isinstance(checker, Piece):
        attempts["an untouched stub"] = pieces.stub(checker)
    if isinstance(checker, Stories):
        attempts["an untouched stub"] = classes.stub_class(checker)
        attempts |= {"the class as handed out": checker.start} if checker.start else {}
    if isinstance(checker, Rehearsals):
        attempts["an untouched stub"] = methods.stub(checker)
    for name, answer in attempts.items():
        if (status := shared(exercise, reference)(answer).status) is not UNTOUCHED:
            yield f"{name} is {status}, expected {UNTOUCHED}"


def right(exercise: Exercise, reference: Reference, proof: Proof) -> Iterator[str]:
    """The chapter's answer is right, and every alternative is, on the inputs of the proof.

    The solution editions hand the chapter's own answer to the check itself.
    """
    answers, judge = {"the chapter's own answer": reference.answer}, shared(exercise, reference)
    for name, given in proof.alternatives.items():
        answers[f"alternative {name!r}"] = Answer(planted_answer(exercise, reference, given))
    checker = exercise.checker
    if isinstance(checker, Number):
        number = checker.given_value(reference.answer.value)
        if number is not None and checker.unit != "1":
            answers["its value with the unit"] = Answer(f"{number!r} {checker.unit}")
    for name, answer in answers.items():
        verdict = judge(answer.value, answer.workings)
        if verdict.status is not RIGHT:  # it may be slow, too
            verdict = judged(exercise, answer.value, answer.workings)
        if verdict.status is not RIGHT:
            yield f"{name} is {verdict.status}, expected {RIGHT} ({_words(verdict)})"
        elif isinstance(checker, Piece) and "Kept in" not in verdict.note:
            yield f"{name} is right and is not kept: {verdict.note}"


def planted(
    exercise: Exercise, reference: Reference, proof: Proof, search_seconds: float = 0.0
) -> Iterator[str]:
    """Each planted mistake is rejected with what it should hear."""
    judge = shared(exercise, reference)
    for name, (given, expected) in proof.mistakes.items():
        answer = planted_answer(exercise, reference, given)
        verdict = judge(answer, search_seconds=search_seconds)
        if not _hears(verdict, expected):
            verdict = exercise.judge(answer)  # the hurry gave up too soon, not the check
        if not _hears(verdict, expected):
            yield f"mistake {name!r} hears {_words(verdict)}, expected {expected}"


def searched(exercise: Exercise, reference: Reference, proof: Proof) -> Iterator[str]:
    """What a planted mistake hears does not hang on the case shown: a smaller one is looked for."""
    yield from planted(exercise, reference, proof, SEARCH_SECONDS)


def _hears(verdict: Verdict, expected: Status | str) -> bool:
    heard = verdict.status if isinstance(expected, Status) else verdict.diagnosis
    return heard == expected and verdict.status not in (RIGHT, UNTOUCHED)


def declared(exercise: Exercise, reference: Reference, _proof) -> Iterator[str]:
    """Every declared misconception, and every wrong option, is rejected."""
    if not isinstance(exercise.checker, CODE):  # by its own name, which costs nothing
        yield from misnamed(exercise, reference, _proof)
        return
    judge = shared(exercise, reference)
    for name, answer in _declared_answers(exercise, reference):
        status = judge.status(answer)
        if status in (RIGHT, UNTOUCHED):
            status = exercise.judge(answer).status  # the hurry was short of inputs, not the check
        if status in (RIGHT, UNTOUCHED):
            yield f"declared misconception {name!r} is {status}"


def misnamed(exercise: Exercise, reference: Reference, _proof) -> Iterator[str]:
    """Every declared misconception hears its own name."""
    judge = shared(exercise, reference)
    for name, answer in _declared_answers(exercise, reference):
        verdict = judge(answer)
        if not _hears(verdict, name):
            verdict = exercise.judge(answer)  # as above
        if not _hears(verdict, name):
            yield f"declared misconception {name!r} hears {_words(verdict)}"
    if isinstance(exercise.checker, Choice):
        yield from _wrong_options(exercise)


def stories_that_catch_nothing(
    exercise: Exercise, reference: Reference, proof: Proof
) -> Iterator[str]:
    """Each story is failed by what is handed out, by a misconception or by a planted mistake."""
    checker = exercise.checker
    if not isinstance(checker, Stories | Rehearsals):
        return
    wrong = [planted_answer(exercise, reference, given) for given, _ in proof.mistakes.values()]
    wrong += [item.answer for item in checker.misconceptions]
    wrong += [checker.start] if getattr(checker, "start", None) else []
    for story in checker.stories:
        alone = dataclasses.replace(checker, stories=(story,))
        judge = QuickJudge(dataclasses.replace(exercise, checker=alone), reference)
        if all(judge.is_right(answer) for answer in wrong):
            yield f"story {story.name!r} is survived by every wrong class: what is it told for?"


def memorised(exercise: Exercise, reference: Reference, _proof) -> Iterator[str]:
    """Code that knows its results by heart is rejected; so is a constant sample."""
    answer = reference.answer.value
    if isinstance(exercise.checker, Estimate):
        constant = np.full(len(answer), np.mean(answer))
        if exercise.judge(constant).status is RIGHT:
            yield "a sample of equal values is right"
    if not isinstance(exercise.checker, CODE) or not callable(answer):
        return
    judge, seen = shared(exercise, reference).idle(), False
    for name, stand_in in _memorised_answers(shared(exercise, reference).exercise, answer):
        seen = True
        if (status := judge.status(stand_in)) in (RIGHT, UNTOUCHED):
            yield f"code that returns {name} is {status}"
    if not seen:
        yield "the check never calls the learner's code"


def _memorised_answers(exercise: Exercise, answer: Callable) -> Iterator[tuple[str, Callable]]:
    if isinstance(exercise.checker, Rehearsals | Piece):
        idle = methods.idle if isinstance(exercise.checker, Rehearsals) else pieces.idle
        yield from idle(exercise.checker)
        return
    if isinstance(exercise.checker, Stories):
        notes = classes.noted(exercise, answer)
        yield from classes.memorised_answers(exercise, answer, notes) if any(notes) else ()
        return
    recorder = values.Recorder(answer)
    recorder.judged_by(exercise)
    for name, function in values.memorised_answers(recorder.calls) if recorder.calls else ():
        yield name, values.as_if_called_like(answer, function)


def slips(exercise: Exercise, reference: Reference, _proof) -> Iterator[str]:
    """Slips of scale and unit, and values just outside the tolerance, are rejected."""
    checker = exercise.checker
    if isinstance(checker, Estimate):
        sample = np.asarray(reference.answer.value, dtype=float)
        for name, factor in values.FACTORS.items():
            if exercise.judge(factor * sample).status is RIGHT:
                yield f"{name} its sample is right"
    if not isinstance(checker, Number):
        return
    value = checker.given_value(reference.answer.value)
    for name, slip in values.wrong_numbers(checker, value):
        if (status := exercise.judge(slip).status) in (RIGHT, UNTOUCHED):
            yield f"{name} is {status}"
    foreign = "kB" if "B" not in checker.unit else "ms"
    if (status := exercise.judge(f"{value!r} {foreign}").status) is not Status.unit:
        yield f"its value in {foreign} is {status}, expected {Status.unit}"


def surviving_mutants(exercise: Exercise, reference: Reference, proof: Proof) -> Iterator[str]:
    """Generated mutants of the reference answer that are neither rejected nor listed."""
    if not isinstance(exercise.checker, CODE | Number):
        return
    judge = shared(exercise, reference)
    generated = reference.mutants()
    alive = [mutant for mutant in generated if _survives(exercise, judge, reference, mutant)]
    unlisted = [mutant.name for mutant in alive if mutant.name not in proof.equivalent]
    stale = [name for name in proof.equivalent if name not in {mutant.name for mutant in alive}]
    yield from (f"a mutant is right; reject it or list it as equivalent: {n!r}" for n in unlisted)
    yield from (f"listed as equivalent, but no mutant of that name is right: {n!r}" for n in stale)
    if not generated:
        yield "its reference answer has no solution block to make mutants of"


def _survives(exercise: Exercise, judge: QuickJudge, reference: Reference, mutant: Mutant) -> bool:
    answer = reference.answer_of(mutant)
    if answer is None or not judge.is_right(answer.value, answer.workings):
        return False
    return not _indistinct(exercise.checker, answer.value, reference.answer.value)


def _indistinct(checker, value, reference) -> bool:
    """Whether a mutant moves a number so little that it is no mistake: by rounding, or the like."""
    if not isinstance(checker, Number):
        return False
    moved, right_value = checker.given_value(value), checker.given_value(reference)
    share = min(checker.tolerance, LARGEST_ROUNDING)
    return abs(moved - right_value) <= max(share * abs(right_value), checker.absolute)


def _declared_answers(exercise: Exercise, reference: Reference) -> Iterator[tuple[str, Any]]:
    checker = exercise.checker
    if isinstance(checker, Choice):
        yield from ((key, key) for key in checker.diagnoses)
        everything = set(checker.reference_answer)
        yield from ((f"without-{key}", everything - {key}) for key in checker.omissions)
    for item in getattr(checker, "misconceptions", ()):
        if isinstance(checker, Estimate):
            sample = np.asarray(reference.answer.value, dtype=float)
            yield item.name, sample * (item.answer() / checker.reference_answer)
        else:
            yield item.name, _declared_answer(checker, item)


def _declared_answer(checker, item):
    """What a misconception answers, as a learner would hand it in."""
    if isinstance(checker, Rehearsals):
        return item.answer
    if isinstance(checker, Piece):
        return pieces.handed_in(checker, item.answer.wrong)
    is_code = isinstance(checker, CODE)
    return values.really_endless(item.answer) if is_code else item.answer()


def _wrong_options(exercise: Exercise) -> Iterator[str]:
    right_keys = exercise.checker.correct
    wanted = {right_keys} if isinstance(right_keys, str) else set(right_keys)
    for key in exercise.checker.options:
        if {key} != wanted and exercise.judge(key).status is RIGHT:
            yield f"option {key!r} is right"
    if exercise.judge(list(exercise.checker.options)).status is RIGHT:
        yield "choosing every option is right"


def _words(verdict: Verdict) -> str:
    return f"{verdict.diagnosis or verdict.status}: {verdict.message[:120]!r}"
