"""The chapters as data for what runs without their sources: routes, a home, an installed wheel."""

import json

from labutils.authoring.sources.course import Course
from labutils.authoring.sources.source import Chapter
from labutils.authoring.sources.stretches import boundaries

CHAPTERS_PATH = "data/chapters.json"


def chapters_text(course: Course) -> str:
    """Name, title, path, minutes, checkpoints and group of each chapter, a line each."""
    lines = [json.dumps(_entry(course, c), ensure_ascii=False) for c in course.chapters]
    return "[\n " + ",\n ".join(lines) + "\n]\n"


def _entry(course: Course, chapter: Chapter) -> dict:
    return {
        "name": chapter.short_name,
        "title": chapter.heading,
        "path": chapter.learner_path,
        "minutes": chapter.header.minutes,
        "checkpoints": boundaries(chapter)[1:-1],
        "optional": chapter.header.optional,
        "group": course.group_of(chapter),
    }
