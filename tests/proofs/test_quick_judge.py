"""The hasty check says what the check says, and draws as often as it says."""

import dataclasses
import functools
from types import SimpleNamespace

import pytest

from labutils.exercises.catalog.what_need_not_be_computed.single_flight import FLIGHT
from labutils.exercises.checkers.code import rehearsals
from labutils.exercises.definition.verdict import Status
from tests.authoring.fake_course import one_chapter
from tests.proofs.quick_judge import ROUNDS, QuickJudge
from tests.proofs.reference import Answer, references
from tests.proofs.tiny_course import BACKLOG, SHELF, SOURCE


@pytest.fixture(scope="module")
def answers(tmp_path_factory):
    course = one_chapter(tmp_path_factory.mktemp("c"), SOURCE, order="1, small: {n: 60000}")
    return references(course.chapters[0])


def inputs_of(judge, right):
    """What a right function is called with while it is judged."""
    seen = []
    verdict = judge(lambda *args: (seen.append(args), right(*args))[1])
    assert verdict.status is Status.right
    return seen


def scripts_of(judge, right):
    """What objects of a right class are made with, and asked, while it is judged."""
    seen = []

    class Watched(right):
        def __init__(self, *args):
            seen.append(args)
            super().__init__(*args)

        def fresh(self, *args, **kwargs):
            seen.append((args, kwargs))
            return super().fresh(*args, **kwargs)

    assert judge(Watched).status is Status.right
    return seen


@pytest.mark.parametrize(("exercise", "noted"), [(BACKLOG, inputs_of), (SHELF, scripts_of)])
def test_all_answers_meet_the_same_inputs_and_those_of_another_proof_meet_others(
    exercise, noted, answers
):
    reference = answers[exercise.id]
    right = reference.answer.value
    one, other = QuickJudge(exercise, reference), QuickJudge(exercise, reference)
    first = noted(one, right)
    assert len(first) >= 10 and noted(one, right) == first
    assert noted(other, right) != first
    assert noted(exercise.judge, right) != first


def test_the_workbooks_function_meets_each_input_once(answers):
    seen, reference = [], BACKLOG.checker.reference

    @functools.wraps(reference)
    def noting(*args):
        seen.append(args)
        return reference(*args)

    checker = dataclasses.replace(BACKLOG.checker, reference=noting)
    judge = QuickJudge(dataclasses.replace(BACKLOG, checker=checker), answers[BACKLOG.id])
    once = len(seen)
    assert len(set(seen)) == once >= 10
    for answer in (reference, *(item.answer for item in checker.misconceptions)):
        judge(answer)
    assert len(seen) == once


@pytest.mark.parametrize("exercise", [BACKLOG, SHELF], ids=lambda e: e.id)
def test_a_misconception_is_named_as_ever_and_leaves_the_next_answer_alone(exercise, answers):
    judge, right = QuickJudge(exercise, answers[exercise.id]), answers[exercise.id].answer.value
    for item in exercise.checker.misconceptions:
        assert judge(item.answer).diagnosis == exercise.judge(item.answer).diagnosis == item.name
        assert judge(right).status is Status.right


def test_slow_answers_are_given_up_sooner(answers):
    hasty = QuickJudge(BACKLOG, answers["tiny.backlog"])
    assert hasty.exercise.checker.seconds < BACKLOG.checker.seconds

    def endless(arrived, per_round, rounds):
        while True:
            pass

    assert hasty(endless).status is Status.timed_out
    assert hasty.idle().exercise.checker.seconds < hasty.exercise.checker.seconds
    assert hasty.idle().status(endless) is Status.timed_out


@pytest.mark.parametrize("exercise", [BACKLOG, SHELF], ids=lambda e: e.id)
def test_right_or_not_is_found_as_in_the_verdict(exercise, answers):
    judge, right = QuickJudge(exercise, answers[exercise.id]), answers[exercise.id].answer.value
    wrong = [item.answer for item in exercise.checker.misconceptions]
    for answer in (right, *wrong, ..., right):
        assert judge.is_right(answer) == (judge(answer).status is Status.right) == (answer is right)


def test_nothing_more_is_tried_after_the_first_wrong_result(answers):
    judge, calls = QuickJudge(BACKLOG, answers["tiny.backlog"]), []

    def nonsense(arrived, per_round, rounds):
        calls.append(arrived)
        return "nonsense"

    assert not judge.is_right(nonsense) and len(calls) < 5
    assert judge(nonsense).status is not Status.right and len(calls) > 20


def test_all_answers_play_the_same_scenes_and_the_workbooks_class_plays_them_once(monkeypatch):
    right = FLIGHT.checker.reference_answer
    judge = QuickJudge(FLIGHT, SimpleNamespace(answer=Answer(right)))
    played, rehearse = [], rehearsals.rehearse

    def noting(make, scene, **options):
        played.append(scene)
        return rehearse(make, scene, **options)

    monkeypatch.setattr(rehearsals, "rehearse", noting)
    assert judge(right).status is Status.right
    first, played[:] = [*played], []
    assert judge(right).status is Status.right
    assert played == first and len(first) == ROUNDS * len(FLIGHT.checker.stories)
    played.clear()
    assert FLIGHT.judge(right).status is Status.right
    assert len(played) > 2 * len(first) and not any(scene in first for scene in played)
