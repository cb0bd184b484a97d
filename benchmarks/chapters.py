"""How long a learner's Run All takes: each solution edition, kernel start included."""

import statistics
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from labutils.authoring.editions.editions import solution_edition
from labutils.authoring.editions.execute import run
from labutils.authoring.sources.course import Course, read_course
from labutils.authoring.sources.source import Chapter

from .registry import Goal, Row, Settings, benchmark

ROOT = Path(__file__).resolve().parents[1]
GOAL = Goal(12)


@benchmark
def run_all(settings: Settings) -> Iterator[Row]:
    """Run All of each chapter, answers filled in, in a fresh kernel"""
    course = read_course(ROOT)
    for chapter in course.chapters:
        rounds = settings.choose(3, 1)
        seconds = [_seconds(course, chapter) for _ in range(rounds)]
        yield Row(chapter.heading, min(seconds), "s", statistics.median(seconds), GOAL)


def _seconds(course: Course, chapter: Chapter) -> float:
    notebook = solution_edition(course, chapter)
    with tempfile.TemporaryDirectory() as scratch:
        start = time.perf_counter()
        run(notebook, cwd=ROOT / "solutions", my=Path(scratch) / "my")
        return time.perf_counter() - start
