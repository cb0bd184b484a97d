"""No message of a check gives an accepted answer away, in any chapter."""

import re

import pytest

from labutils.exercises import catalog
from labutils.exercises.checkers import Number
from labutils.exercises.definition.verdict import Status

NUMBERS = [
    exercise
    for chapter in catalog.chapters()
    for exercise in catalog.exercises_of(chapter)
    if isinstance(exercise.checker, Number)
]
QUANTITY = re.compile(r"\d[\d,]*(?:\.\d+)?k?")


def messages(exercise):
    """What a check says to an answer that is not right: the ladder's rungs, and the diagnoses."""
    right = exercise.checker.reference_answer
    answers = ["x", "", "7 kg", "3 s", "4 furlongs", 1000 * right, 2 * right, right / 60]
    answers += [share * right for share in (1.004, 0.97, 1.03, 0.5, 3.3, -1)]
    heard = [exercise.judge(answer) for answer in answers]
    said = [verdict.message for verdict in heard if verdict.status is not Status.right]
    assert len({verdict.status for verdict in heard}) >= 4
    return said + [item.message for item in exercise.checker.misconceptions]


@pytest.mark.parametrize("exercise", NUMBERS, ids=lambda exercise: exercise.id)
def test_no_message_contains_an_accepted_answer(exercise):
    quoted = {number for text in messages(exercise) for number in QUANTITY.findall(text)}
    assert quoted, 'at least "x" and "7 kg" are answered with an example'
    given_away = [text for text in quoted if exercise.judge(text).status is Status.right]
    assert not given_away
