"""The proof proves something: planted faults in checkers, exercises and proofs are all seen."""

import dataclasses

import pytest

from labutils.exercises.checkers import Call, New, Read, Story
from labutils.exercises.definition.verdict import Status, Verdict
from tests.authoring.fake_course import one_chapter
from tests.proofs.proof import Proof
from tests.proofs.prove import (
    complaints,
    misnamed,
    more_complaints,
    stories_that_catch_nothing,
    surviving_mutants,
)
from tests.proofs.reference import references
from tests.proofs.tiny_course import BACKLOG, CHOICE, PROOFS, SAMPLE, SHELF, SOURCE, WAIT, left


@pytest.fixture(scope="module")
def answers(tmp_path_factory):
    course = one_chapter(tmp_path_factory.mktemp("c"), SOURCE, order="1, small: {n: 60000}")
    return references(course.chapters[0])


def with_checker(exercise, change):
    """The exercise with a checker whose ``check`` is replaced by ``change(original, answer)``."""
    original = exercise.checker

    class Broken(type(original)):
        def check(self, answer):
            return change(original.check, answer)

    fields = {f.name: getattr(original, f.name) for f in dataclasses.fields(original)}
    return dataclasses.replace(exercise, checker=Broken(**fields))


def prove(exercise, answers, proof=None):
    evidence = exercise, answers[exercise.id], proof or PROOFS[exercise.id]
    return [*complaints(*evidence), *misnamed(*evidence), *stories_that_catch_nothing(*evidence)]


def some(found, *parts):
    return any(all(part in line for part in parts) for line in found)


@pytest.mark.parametrize("exercise", [BACKLOG, WAIT, CHOICE, SHELF], ids=lambda e: e.id)
def test_sound_exercises_are_proved(exercise, answers):
    assert prove(exercise, answers) == []
    assert more_complaints(exercise, answers[exercise.id], PROOFS[exercise.id]) == []


def test_samples_are_proved(answers):
    reversed_sample = answers["tiny.sample"].answer.value[::-1]
    proof = dataclasses.replace(PROOFS["tiny.sample"], alternatives={"backwards": reversed_sample})
    assert len(reversed_sample) == 60_000  # the header's small size
    assert prove(SAMPLE, answers, proof) == []


def test_the_first_check_is_the_reference_and_sees_the_solution(answers):
    assert answers["tiny.wait"].answer.value == "105.0 s"
    assert answers["tiny.backlog"].answer.value(100, 3, 5) == 85
    assert answers["tiny.choice"].answer.value == "b"


def test_mutants_that_never_end_are_given_up(answers, monkeypatch):
    monkeypatch.setattr("tests.proofs.reference.MUTANT_SECONDS", 0.2)
    cell = "k = 3\nwhile k > 0:\n    k -= 1\ncheck('tiny.wait', 105 + k)"
    looping = dataclasses.replace(
        answers["tiny.wait"], cells=(cell,), lines=frozenset({1, 2, 3, 4})
    )
    handed_in = {m.name: looping.answer_of(m) for m in looping.mutants()}
    assert handed_in["k -= 1 => pass"] is None
    assert handed_in["k = 3 => k = 4"].value == 105
    assert len(handed_in) > 8


def test_what_is_not_proved_fails(answers):
    assert some(complaints(BACKLOG, None, PROOFS["tiny.backlog"]), "never hands in an answer")
    assert some(complaints(BACKLOG, answers["tiny.backlog"], None), "no proof")


@pytest.mark.parametrize("exercise", [BACKLOG, WAIT, CHOICE, SAMPLE, SHELF], ids=lambda e: e.id)
def test_a_checker_that_accepts_everything_is_seen(exercise, answers):
    broken = with_checker(exercise, lambda check, answer: Verdict(Status.right, "Yes."))
    found = prove(broken, answers)
    assert some(found, "mistake")
    assert some(found, "declared misconception")


def test_what_accepting_everything_lets_through(answers):
    accepts = lambda check, answer: Verdict(Status.right, "Yes.")  # noqa: E731
    backlog, wait = with_checker(BACKLOG, accepts), with_checker(WAIT, accepts)
    assert some(prove(backlog, answers), "untouched stub is right")
    assert some(prove(backlog, answers), "never calls the learner's code")
    assert some(prove(wait, answers), "a thousand times")
    assert some(prove(wait, answers), "three tolerances above")
    assert some(prove(wait, answers), "expected unit")
    assert some(prove(with_checker(CHOICE, accepts), answers), "option 'c' is right")
    for broken in (backlog, wait):
        alive = [*surviving_mutants(broken, answers[broken.id], PROOFS[broken.id])]
        assert len(alive) > 5 and some(alive, "a mutant is right")


@pytest.mark.parametrize("exercise", [BACKLOG, WAIT, CHOICE, SHELF], ids=lambda e: e.id)
def test_a_checker_that_rejects_everything_is_seen(exercise, answers):
    broken = with_checker(exercise, lambda check, answer: Verdict(Status.wrong, "No."))
    found = prove(broken, answers)
    assert some(found, "the chapter's own answer is wrong, expected right")
    assert some(found, "alternative")


def test_a_checker_that_runs_the_reference_is_seen(answers):
    broken = with_checker(BACKLOG, lambda check, answer: check(left))
    found = prove(broken, answers)
    assert some(found, "never calls the learner's code")
    assert some(found, "mistake 'no floor'")
    assert some(found, "untouched stub is right")


@pytest.mark.parametrize("exercise", [BACKLOG, WAIT, CHOICE, SAMPLE, SHELF], ids=lambda e: e.id)
def test_a_checker_without_diagnosis_is_seen(exercise, answers):
    def mute(check, answer):
        verdict = check(answer)
        named = verdict.status is Status.misconception
        return dataclasses.replace(verdict, diagnosis=None) if named else verdict

    found = prove(with_checker(exercise, mute), answers)
    assert some(found, "declared misconception")


def test_weak_inputs_are_seen(answers):
    from hypothesis import strategies as st

    def replaced(inputs):
        checker = dataclasses.replace(BACKLOG.checker, inputs=inputs, misconceptions=())
        return dataclasses.replace(BACKLOG, checker=checker)

    never_negative = replaced(lambda: st.tuples(st.just(900), st.integers(1, 9), st.integers(1, 9)))
    alive = [*surviving_mutants(never_negative, answers["tiny.backlog"], PROOFS["tiny.backlog"])]
    assert some(alive, "return max(-1, arrived - done)")
    fixed = replaced(lambda: st.sampled_from([(100, 3, 5), (7, 2, 9), (40, 6, 5)]))
    assert some(prove(fixed, answers), "the results of an earlier check is right")
    single = replaced(lambda: st.just((100, 3, 5)))
    assert some(prove(single, answers), "always its first result is right")


def retold(script, **changes):
    """The shelf exercise with one story only."""
    story = Story("retold", script, "The baker saw something.")
    checker = dataclasses.replace(SHELF.checker, stories=(story,), **changes)
    return dataclasses.replace(SHELF, checker=checker)


def always_the_same(draw):
    yield New((3,))
    yield Call("bake", (5, 20))
    yield Read("fresh", (7,))
    yield Read("fresh", (9,))


def one_day(draw):
    day = draw.whole(3, 300)
    yield New((3,))
    yield Call("bake", (day, draw.whole(2, 40)))
    yield Read("fresh", (day,))


def test_weak_stories_are_seen(answers):
    memorised = prove(retold(always_the_same), answers)
    assert some(memorised, "the results of an earlier check in their order is right")
    assert some(memorised, "the results of an earlier check for equal calls is right")
    weak = retold(one_day, misconceptions=())
    alive = [*surviving_mutants(weak, answers["tiny.shelf"], PROOFS["tiny.shelf"])]
    assert some(alive, "a mutant is right", "self.days - today < day")
    assert some(alive, "a mutant is right", "=> self.loaves[day] = count")


def test_a_story_that_every_wrong_class_survives_is_seen(answers):
    def nothing_baked(draw):
        yield New((draw.whole(2, 5),))
        yield Read("fresh", (draw.whole(0, 300),))

    story = Story("nothing baked", nothing_baked, "The baker saw nothing.")
    stories = (*SHELF.checker.stories, story)
    idle = dataclasses.replace(SHELF, checker=dataclasses.replace(SHELF.checker, stories=stories))
    (found,) = prove(idle, answers)
    assert "story 'nothing baked' is survived by every wrong class" in found


def test_a_class_that_is_handed_out_and_not_recognised_is_seen(answers):
    right = dataclasses.replace(SHELF.checker, start=SHELF.checker.reference)
    found = prove(dataclasses.replace(SHELF, checker=right), answers)
    assert some(found, "the class as handed out is right, expected not_attempted")


def test_a_tolerance_that_swallows_mistakes_is_seen(answers):
    wide = dataclasses.replace(WAIT.checker, tolerance=0.5)
    loose = dataclasses.replace(WAIT, checker=wide)
    assert some(surviving_mutants(loose, answers["tiny.wait"], PROOFS["tiny.wait"]), "minutes")


def test_wrong_expectations_in_a_proof_are_seen(answers):
    proof = Proof(
        mistakes={"right": ("1.75 min", Status.wrong), "other": ("420 s", "some-name")},
        alternatives={"wrong": "99 s"},
    )
    found = prove(WAIT, answers, proof)
    assert some(found, "mistake 'right' hears right")
    assert some(found, "mistake 'other' hears no-servers", "expected some-name")
    assert some(found, "alternative 'wrong' is")


def test_equivalent_mutants_are_listed_with_reasons_and_no_longer_than_needed(answers):
    floored = dataclasses.replace(
        BACKLOG, checker=dataclasses.replace(BACKLOG.checker, absolute=1.0, misconceptions=())
    )
    reference, proof = answers["tiny.backlog"], PROOFS["tiny.backlog"]
    alive = [*surviving_mutants(floored, reference, proof)]
    names = [line.split(": ", 1)[1] for line in alive]
    key = "return max(0, arrived - done) => return max(1, arrived - done)"
    assert repr(key) in names
    listed = dataclasses.replace(proof, equivalent={key: "within the tolerance", "gone": "x"})
    after = [*surviving_mutants(floored, reference, listed)]
    assert not some(after, "reject it", repr(key)) and len(after) == len(alive)
    assert some(after, "no mutant of that name is right: 'gone'")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"mistakes": {"one": (1, "x")}}, "mistakes = .*: expected at least two"),
        ({"alternatives": {}}, "alternatives = .*: expected at least one"),
        ({"equivalent": {"a => b": " "}}, "expected a reason"),
    ],
)
def test_thin_proofs_are_refused(changes, message):
    with pytest.raises(ValueError, match=message):
        dataclasses.replace(PROOFS["tiny.wait"], **changes)
