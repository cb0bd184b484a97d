"""Rules on headers and tags."""

import ast
from collections.abc import Iterator

from labutils.authoring.sources.course import Course
from labutils.authoring.sources.python import parse
from labutils.authoring.sources.source import (
    EDITION_TAGS,
    FIGURE_TAG,
    PLAIN_TAGS,
    SLIDE_TAGS,
    TOPIC_TAG,
    Chapter,
)

FIXED_TAGS = (*EDITION_TAGS, *PLAIN_TAGS, *SLIDE_TAGS)


def header_findings(course: Course, chapter: Chapter, topics: set[str]) -> Iterator[str]:
    """Findings on one chapter's header and on the tags of its cells."""
    yield from _naming(course, chapter)
    yield from _parameters(chapter)
    for number, cell in enumerate(chapter.cells, start=1):
        for fault in _tag_faults(cell, topics):
            yield f"{chapter.where(number)}: {fault}"


def _naming(course: Course, chapter: Chapter) -> Iterator[str]:
    path, header = chapter.source_path, chapter.header
    if chapter.name.partition("_")[2] != header.slug:
        yield f"{path}: slug {header.slug!r} does not match the file name; use NN_{header.slug}.py"
    if not header.question.strip().endswith("?"):
        yield f"{path}: question = {header.question!r} asks nothing; end it with a question mark"
    by_slug = {other.header.slug: other for other in course.chapters}
    for need in header.needs:
        if need not in by_slug:
            yield f"{path}: needs {need!r}, which is no chapter's slug; known: {', '.join(by_slug)}"
        elif by_slug[need].header.order >= header.order:
            yield f"{path}: needs {need!r}, which comes later; change the order or the need"
        elif by_slug[need].header.optional and not header.optional:
            yield f"{path}: needs {need!r}, which is optional; mark this one optional too"


def _parameters(chapter: Chapter) -> Iterator[str]:
    cells = [cell for cell in chapter.cells if "parameters" in cell.tags]
    if len(cells) > 1:
        yield f"{chapter.source_path}: {len(cells)} cells tagged 'parameters'; keep one"
    assigned = {
        target.id
        for cell in cells
        for node in ast.walk(parse(cell.source))
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    for name in chapter.header.small:
        if name not in assigned:
            yield f"{chapter.source_path}: small names {name!r}; assign it in the parameters cell"


def _tag_faults(cell, topics: set[str]) -> Iterator[str]:
    for tag in cell.tags:
        plain = not tag.startswith((TOPIC_TAG, FIGURE_TAG))
        if plain and tag not in FIXED_TAGS:
            known = ", ".join((*FIXED_TAGS, TOPIC_TAG + "ID", FIGURE_TAG + "NAME"))
            yield f"unknown tag {tag!r}; known are {known}"
    for topic in cell.topics:
        if topic not in topics:
            yield f"topic {topic!r} is not in data/topics.json"
    if set(EDITION_TAGS) <= set(cell.tags):
        yield "tagged for one edition and for the other; keep one of the two tags"
    if cell.kind == "markdown" and (wrong := {"parameters", "raises-exception"} & set(cell.tags)):
        yield f"{sorted(wrong)} on a markdown cell; these tags are for code"
