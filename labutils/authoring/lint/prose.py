"""Rules on markdown: ordered headings, links that lead somewhere, pictures described in words."""

import re
from collections.abc import Iterator
from posixpath import normpath
from urllib.parse import unquote

from labutils.authoring.editions.editions import edition_cells
from labutils.authoring.pages.index import headings
from labutils.authoring.sources.course import Course
from labutils.authoring.sources.source import Chapter

LINK = re.compile(r"(!?)\[([^\]]*)\]\(\s*<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\s*\)")
ELSEWHERE = re.compile(r"^([a-z][a-z0-9+.-]*:|#|//)", flags=re.I)


def prose_findings(course: Course, chapter: Chapter) -> Iterator[str]:
    """Findings on the markdown cells of one chapter."""
    yield from _heading_order(chapter)
    for number, cell in enumerate(chapter.cells, start=1):
        if cell.kind == "markdown":
            for fault in _link_faults(course, chapter, cell):
                yield f"{chapter.where(number)}: {fault}"


def _heading_order(chapter: Chapter) -> Iterator[str]:
    """One h1 (the generated title), and below it no level skipped, in either edition."""
    said = set()
    for solution in (False, True):
        level = 1
        for cell in edition_cells(chapter, solution=solution):
            for depth, text in headings(cell.source) if cell.kind == "markdown" else ():
                fault = f"{chapter.source_path}: heading {text!r} is "
                if depth == 1:
                    said.add(fault + "a second title; the first comes from the header, use ##")
                elif depth > level + 1:
                    said.add(fault + f"level {depth} below level {level}; skip none")
                level = depth
    yield from sorted(said)


def _link_faults(course: Course, chapter: Chapter, cell) -> Iterator[str]:
    for picture, text, target in LINK.findall(cell.source):
        if picture and not text.strip():
            yield f"the picture {target} has no text alternative; write it between the brackets"
        if not ELSEWHERE.match(target):
            yield from _dead_ends(course, chapter, cell, unquote(target.partition("#")[0]))


def _dead_ends(course: Course, chapter: Chapter, cell, path: str) -> Iterator[str]:
    """Learners work on copies under ``my/``, from where only other editions can be reached."""
    learners = {chapter.learner_path for chapter in course.chapters}
    solved = {chapter.solution_path for chapter in course.chapters}
    in_learner = normpath(f"{chapter.header.folder}/{path}")
    if "solution-only" not in cell.tags and in_learner not in learners:
        yield f"{path} cannot be reached from the learner's copy; link to a notebook or an address"
    in_solution = normpath(f"solutions/{path}")
    missing = in_solution not in solved and not (course.root / in_solution).exists()
    if "learner-only" not in cell.tags and missing:
        yield f"{path} does not exist, seen from solutions/"
