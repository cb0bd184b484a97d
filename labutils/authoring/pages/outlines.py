"""What a learner does in each chapter, and at which minute: ``data/outlines.json``."""

import json
from collections.abc import Iterator
from itertools import pairwise

from labutils.authoring.editions.editions import learner_edition
from labutils.authoring.pages.index import headings
from labutils.authoring.sources.course import Course
from labutils.authoring.sources.python import calls
from labutils.authoring.sources.source import Chapter
from labutils.authoring.sources.stretches import CHECKPOINT, boundaries
from labutils.workspace.outlines import Outline, read_outline

OUTLINES_PATH = "data/outlines.json"


def outlined(course: Course) -> tuple[Outline, ...]:
    """Every chapter as home and routes know it, in course order."""
    return tuple(read_outline(_outline(course, one)) for one in course.chapters)


def outlines_text(course: Course) -> str:
    """The outlines as JSON text, in course order; ``labutils.workspace.outlines`` reads them."""
    rows = [json.dumps(_outline(course, one), ensure_ascii=False) for one in course.chapters]
    return "[\n" + ",\n".join(rows) + "\n]\n"


def _outline(course: Course, chapter: Chapter) -> dict:
    """The tasks by their ids, each with the heading above it and the cell of that heading."""
    stretches = [
        {"first": first, "last": last, "tasks": {}} for first, last in pairwise(boundaries(chapter))
    ]
    optional, sketches, passed, place = {}, [], 0, ["", ""]
    for cell in learner_edition(course, chapter).cells:
        if cell.cell_type == "markdown":
            passed += len(CHECKPOINT.findall(cell.source))
            place = [place, *([text, cell.id] for _, text in headings(cell.source))][-1]
            continue
        is_optional = "optional" in cell.metadata.get("tags", ())
        tasks = optional if is_optional else stretches[passed]["tasks"]
        for task in _asked(cell.source):
            tasks.setdefault(task, place)
        sketches += [_title(call) for _, call in calls(cell.source, ("Sketch",), "viz")]
    return {
        "name": chapter.name,
        "heading": chapter.heading,
        "path": chapter.learner_path,
        "is_optional": chapter.header.optional,
        "stretches": stretches,
        "optional": optional,
        "sketches": sketches,
    }


def _asked(source: str) -> Iterator[str]:
    """Ids of the exercises and predictions that a cell asks."""
    for _, call in calls(source, ("check", "predict"), "exercises"):
        if call.args and isinstance(getattr(call.args[0], "value", None), str):
            yield call.args[0].value


def _title(call) -> str:
    words = {word.arg: getattr(word.value, "value", "") for word in call.keywords}
    return str(words.get("title", ""))
