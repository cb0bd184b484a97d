"""The chapters as data for what runs without their sources: routes, a home, an installed wheel."""

import json
from dataclasses import asdict

from labutils.authoring.sources.course import Course
from labutils.authoring.sources.stretches import boundaries
from labutils.workspace.routes import Chapter

CHAPTERS_PATH = "data/chapters.json"


def listed(course: Course) -> tuple[Chapter, ...]:
    """Every chapter as routes know it, in the order of the course."""
    return tuple(
        Chapter(
            name=chapter.short_name,
            title=chapter.heading,
            path=chapter.learner_path,
            minutes=chapter.header.minutes,
            checkpoints=boundaries(chapter)[1:-1],
            optional=chapter.header.optional,
            group=course.group_of(chapter),
        )
        for chapter in course.chapters
    )


def chapters_text(course: Course) -> str:
    """The list as JSON text, a line for each chapter."""
    lines = [json.dumps(asdict(chapter), ensure_ascii=False) for chapter in listed(course)]
    return "[\n " + ",\n ".join(lines) + "\n]\n"
