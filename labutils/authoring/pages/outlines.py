"""What a learner does in each chapter, and at which minute: ``data/outlines.json``."""

import json
from collections.abc import Iterator
from itertools import pairwise

from labutils.authoring.pages.index import headings
from labutils.authoring.sources.course import Course
from labutils.authoring.sources.python import calls
from labutils.authoring.sources.source import Cell, Chapter
from labutils.authoring.sources.stretches import CHECKPOINT, boundaries

OUTLINES_PATH = "data/outlines.json"


def outlines_text(course: Course) -> str:
    """The outlines as JSON text, in course order; ``labutils.home.outlines`` reads them."""
    rows = [json.dumps(_outline(chapter), ensure_ascii=False) for chapter in course.chapters]
    return "[\n" + ",\n".join(rows) + "\n]\n"


def _outline(chapter: Chapter) -> dict:
    edges = boundaries(chapter)
    stretches = [{"first": first, "last": last, "tasks": {}} for first, last in pairwise(edges)]
    optional, sketches, passed, heading = {}, [], 0, chapter.header.title
    for cell in chapter.cells:
        if cell.kind == "markdown":
            passed += len(CHECKPOINT.findall(cell.source))
            heading = [heading, *(text for _, text in headings(cell.source))][-1]
        for task in _asked(cell):
            tasks = optional if "optional" in cell.tags else stretches[passed]["tasks"]
            tasks.setdefault(task, heading)
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


def _asked(cell: Cell) -> Iterator[str]:
    """Ids of the exercises and predictions that a cell asks."""
    if cell.kind == "code":
        for _, call in calls(cell.source, ("check", "predict"), "exercises"):
            if call.args and isinstance(getattr(call.args[0], "value", None), str):
                yield call.args[0].value


def _title(call) -> str:
    words = {word.arg: getattr(word.value, "value", "") for word in call.keywords}
    return str(words.get("title", ""))
