"""Every answer before its check."""

import functools
import os
import random
import secrets
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, chdir
from pathlib import Path
from unittest import mock

from labutils.authoring.sources.course import read_course
from labutils.authoring.sources.definitions import read_definitions
from labutils.exercises.definition.exercise import Exercise
from tests.answers.answer import Answer
from tests.answers.outcome import Outcome
from tests.answers.sheet import answers_of
from tests.proofs.planted import planted_answer
from tests.proofs.reference import Reference, references

ROOT = Path(__file__).resolve().parents[2]


def trial(slug: str, only: str | None = None) -> Iterator[Outcome]:
    """The outcome of every answer to a chapter's exercises, or to one; the same each time."""
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        settings = {"MPLBACKEND": "agg", "LABUTILS_MY": str(Path(folder) / "my")}
        stack.enter_context(mock.patch.dict(os.environ, settings))
        stack.enter_context(chdir(ROOT / "solutions"))
        chapters = _references(slug)
        for answer in answers_of(slug, only):
            draw = random.Random(f"{answer.exercise} {answer.what}").getrandbits
            with mock.patch.object(secrets, "randbits", draw):
                yield _outcome(answer, _exercises(slug)[answer.exercise], chapters)


def _outcome(answer: Answer, exercise: Exercise, chapters: dict[str, Reference]) -> Outcome:
    limit = sys.getrecursionlimit()
    try:
        given = planted_answer(exercise, chapters[exercise.id], answer.given)
        return Outcome(answer, exercise.judge(given))
    except Exception as error:
        return Outcome(answer, None, f"{type(error).__name__}: {error}")
    finally:  # raised by an answer, it would have what nests too deep crash the process, much later
        sys.setrecursionlimit(limit)


@functools.cache
def _exercises(slug: str) -> dict[str, Exercise]:
    return {one.id: one for one in read_definitions().exercises[slug]}


@functools.cache
def _references(slug: str) -> dict[str, Reference]:
    course = read_course(ROOT)
    return references(next(one for one in course.chapters if one.header.slug == slug))
