"""Rules that every source obeys; each finding is one line that says where, what and how to mend.

``headers`` looks at headers and tags, ``code`` and ``prose`` at cells, ``exercises`` at what a
chapter and the catalog say of each other, ``pace`` at what a stretch asks of its minutes,
``minutes`` at the instructor's guide, ``routes`` at the routes by goal, ``sheets`` at the drills,
``unfinished`` at what a scaffold has left open.
"""

import json
from collections.abc import Iterator

from labutils.authoring.lint.code import code_findings
from labutils.authoring.lint.drill_sheets import sheet_findings
from labutils.authoring.lint.exercises import catalog_findings, exercise_findings
from labutils.authoring.lint.headers import header_findings
from labutils.authoring.lint.minutes import guide_findings
from labutils.authoring.lint.pace import pace_findings
from labutils.authoring.lint.prose import prose_findings
from labutils.authoring.lint.routes import route_findings
from labutils.authoring.lint.unfinished import unfinished_findings
from labutils.authoring.sources.course import Course
from labutils.authoring.sources.definitions import Definitions, read_definitions
from labutils.authoring.sources.source import SourceError

TOPICS_PATH = "data/topics.json"


def lint(course: Course, definitions: Definitions | None = None) -> list[str]:
    """All findings on all chapters; ``definitions`` stand in for the catalog (tests)."""
    known = read_definitions() if definitions is None else definitions
    return [*_course_findings(course, known)]


def _course_findings(course: Course, definitions: Definitions) -> Iterator[str]:
    topics = set(json.loads((course.root / TOPICS_PATH).read_text(encoding="utf-8")))
    for chapter in course.chapters:
        yield from header_findings(course, chapter, topics)
        try:
            yield from code_findings(chapter)
            yield from prose_findings(course, chapter)
            yield from exercise_findings(chapter, definitions)
            yield from pace_findings(chapter, definitions)
        except SourceError as error:  # unpaired markers: the other rules cannot look inside
            yield str(error)
    yield from catalog_findings(course, definitions)
    yield from guide_findings(course, definitions)
    yield from route_findings(course, definitions)
    yield from sheet_findings(course.root)
    yield from unfinished_findings(course)
