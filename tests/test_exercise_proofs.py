"""Every exercise of the catalog is proved; one without a proof fails."""

import functools
from pathlib import Path

import pytest

from labutils.authoring.sources.course import read_course
from labutils.authoring.sources.definitions import read_definitions
from tests.proofs.prove import complaints, more_complaints
from tests.proofs.reference import references
from tests.proofs.sheet import proofs_in

ROOT = Path(__file__).resolve().parents[1]
DEFINITIONS = read_definitions()
EXERCISES = [(s, exercise) for s, group in DEFINITIONS.exercises.items() for exercise in group]


proofs = functools.cache(proofs_in)


@functools.cache
def references_of(slug):
    course = read_course(ROOT)
    by_slug = {chapter.header.slug: chapter for chapter in course.chapters}
    return references(by_slug[slug]) if slug in by_slug else {}


@pytest.fixture(autouse=True)
def chapter_folder(monkeypatch, tmp_path):
    """Chapters run where their notebooks stand, draw to files and keep progress to themselves."""
    monkeypatch.chdir(ROOT / "solutions")
    monkeypatch.setenv("MPLBACKEND", "agg")
    monkeypatch.setenv("LABUTILS_MY", str(tmp_path / "my"))


def evidence(slug, exercise):
    return exercise, references_of(slug).get(exercise.id), proofs(slug).get(exercise.id)


each_exercise = pytest.mark.parametrize(
    ("slug", "exercise"),
    [pytest.param(slug, exercise, id=exercise.id) for slug, exercise in EXERCISES],
    scope="module",  # the tests of one exercise follow each other: they share its judge
)


def say_all(found: list[str]) -> None:
    """Fail with every line, which the comparison of two lists would shorten."""
    if found:
        pytest.fail("\n".join(found), pytrace=False)


@each_exercise
def test_exercise_is_proved(slug, exercise):
    say_all(complaints(*evidence(slug, exercise)))


@pytest.mark.rotates
@each_exercise
def test_declared_mistakes_hear_their_names_and_no_mutant_passes(slug, exercise):
    _, reference, proof = evidence(slug, exercise)
    assert reference and proof, f"{exercise.id} has no proof"
    say_all(more_complaints(exercise, reference, proof))


@pytest.mark.parametrize("slug", DEFINITIONS.exercises)
def test_no_proof_is_left_over(slug):
    ids = {exercise.id for exercise in DEFINITIONS.exercises[slug]}
    assert set(proofs(slug)) <= ids


def test_there_are_exercises_to_prove():
    assert len(EXERCISES) >= 4
