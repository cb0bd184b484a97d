"""Rules between a chapter and the catalog: every id exists, every exercise is checked once.

A check of a literal, ``check("mm1.launch", 600)``, demonstrates what a check says; it may stand
any number of times, after the learner's own.
"""

import ast
import re
from collections import Counter
from collections.abc import Iterator
from difflib import get_close_matches

from labutils.authoring.editions.editions import edition_cells
from labutils.authoring.sources.course import Course
from labutils.authoring.sources.definitions import Definitions
from labutils.authoring.sources.python import calls
from labutils.authoring.sources.source import Chapter

DEMONSTRATION = "check of a literal:"
OF_EXERCISES = ("check", "hint", "reveal", "piece")
OF_PREDICTIONS = ("predict", "outcome")
IMPORT = "from labutils.exercises import "
OTHER_BLOCKS = ("$", "|", "-", "#", ">", "`")
"""What makes Markdown read a formula, a table, a list, a heading, a quotation or code."""

Mention = tuple[str, str]
"""A function's name and the id that it is called with (empty if that is no literal)."""


def exercise_findings(chapter: Chapter, definitions: Definitions) -> Iterator[str]:
    """Findings on the ids that one chapter names."""
    editions = [_mentions(chapter, solution=solution) for solution in (True, False)]
    said = dict.fromkeys(
        fault for edition in editions for fault in _id_faults(edition, definitions)
    )
    for mentions, edition in zip(editions, ("solution", "learner"), strict=True):
        for fault in _count_faults(chapter, mentions, definitions):
            said[f"{fault} in the {edition} edition"] = None
    for fault in (*said, *_not_there(chapter), *_untold(chapter, definitions)):
        yield f"{chapter.source_path}: {fault}"


def catalog_findings(course: Course, definitions: Definitions) -> Iterator[str]:
    """Catalog modules that belong to no chapter."""
    slugs = {chapter.header.slug for chapter in course.chapters}
    for slug in definitions.exercises:
        if slug not in slugs:
            yield f"labutils/exercises/catalog/{slug}.py: no chapter has the slug {slug!r}"


def _mentions(chapter: Chapter, *, solution: bool) -> list[Mention]:
    names = (*OF_EXERCISES, *OF_PREDICTIONS)
    return [
        (DEMONSTRATION if name == "check" and _is_demonstration(call) else name, _literal(call))
        for cell in edition_cells(chapter, solution=solution)
        if cell.kind == "code"
        for name, call in calls(cell.source, names, "exercises")
    ]


def _is_demonstration(call: ast.Call) -> bool:
    try:
        return ast.literal_eval(call.args[1]) is not ...
    except (IndexError, ValueError):
        return False


def _literal(call: ast.Call) -> str:
    first = call.args[0] if call.args else None
    is_text = isinstance(first, ast.Constant) and isinstance(first.value, str)
    return first.value if is_text else ""


def _id_faults(mentions: list[Mention], definitions: Definitions) -> Iterator[str]:
    for name, mentioned in mentions:
        kind, known = (
            ("prediction", definitions.prediction_ids)
            if name in OF_PREDICTIONS
            else ("exercise", definitions.exercise_ids)
        )
        if not mentioned:
            yield f"{name}(...) without an id in quotes as its first argument"
        elif mentioned not in known:
            close = get_close_matches(mentioned, known, n=1)
            meant = f"; did you mean {close[0]!r}?" if close else "; the catalog has none like it"
            yield f"{name.split()[0]}({mentioned!r}): no such {kind}{meant}"


def _count_faults(chapter, mentions, definitions) -> Iterator[str]:
    counts, slug = Counter(mentions), chapter.header.slug
    at = {mention: place for place, mention in reversed(list(enumerate(mentions)))}
    never = len(mentions)
    for exercise in definitions.exercises.get(slug, ()):
        if (times := counts["check", exercise.id]) != 1:
            yield f"exercise {exercise.id!r} is checked {times} times, expected once,"
        elif at.get((DEMONSTRATION, exercise.id), never) < at["check", exercise.id]:
            yield f"exercise {exercise.id!r} is demonstrated before the learner's own check"
    for prediction in definitions.predictions.get(slug, ()):
        if (times := counts["predict", prediction.id]) != 1:
            yield f"prediction {prediction.id!r} is asked {times} times, expected once,"
        elif ("outcome", prediction.id) not in at:
            yield f"prediction {prediction.id!r} never meets its outcome(...)"
        elif at["outcome", prediction.id] < at["predict", prediction.id]:
            yield f"prediction {prediction.id!r} meets its outcome before it is asked"


def _not_there(chapter: Chapter) -> Iterator[str]:
    """A verdict offers hints, and hints offer an explanation: the notebook has to know both."""
    code = "\n".join(cell.source for cell in chapter.cells if cell.kind == "code")
    imported = set(re.findall(r"\w+", " ".join(re.findall(rf"{IMPORT}([^#\n]*)", code))))
    if "check" in imported:
        for name in {"hint", "reveal"} - imported:
            yield f"check(...) offers {name}(...), which is not imported from labutils.exercises"


def _untold(chapter: Chapter, definitions: Definitions) -> Iterator[str]:
    """A slide shows an explanation as a paragraph, which a formula at its start would not be."""
    for prediction in definitions.predictions.get(chapter.header.slug, ()):
        if prediction.explanation[:1] in OTHER_BLOCKS:
            begins = prediction.explanation.split()[0]
            yield (
                f"prediction {prediction.id!r}: its explanation begins with {begins!r}; begin with "
                "words, since it becomes a paragraph on a slide"
            )
