"""Put a notebook together: one chapter, two editions, deterministic to the last cell id."""

import hashlib
from collections import Counter

import nbformat
from nbformat import NotebookNode

from labutils.authoring.editions.opening import (
    SETUP,
    closing_text,
    recap_text,
    setup_text,
    title_text,
)
from labutils.authoring.sources import solutions
from labutils.authoring.sources.course import Course
from labutils.authoring.sources.python import with_todays_imports, without_asserts, without_comments
from labutils.authoring.sources.source import EDITION_TAGS, Cell, Chapter, SourceError
from labutils.workspace.notebook import cell_id

METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}


def learner_edition(course: Course, chapter: Chapter) -> NotebookNode:
    """The notebook that a learner opens: answers blanked, no outputs."""
    return _assemble(course, chapter, solution=False)


def solution_edition(course: Course, chapter: Chapter) -> NotebookNode:
    """The notebook with its answers, not yet executed."""
    return _assemble(course, chapter, solution=True)


def edition_cells(chapter: Chapter, *, solution: bool) -> list[Cell]:
    """The author's cells as one edition shows them, without the generated ones.

    ``raises-exception`` is for stubs, so the solution edition drops it. Assertions guard the
    course's own figures, so the learner's edition does without those at a cell's top level.
    """
    hidden, dropped = ("learner-only", "raises-exception") if solution else ("solution-only", "")
    render = solutions.answered if solution else _for_learners
    cells = []
    for number, cell in enumerate(chapter.cells, start=1):
        if hidden in cell.tags:
            continue
        try:
            source = render(cell.source) if cell.kind == "code" else cell.source
        except ValueError as error:
            raise SourceError(f"{chapter.where(number)}: {error}") from None
        if not source and cell.source:
            continue  # nothing but assertions
        kept = tuple(tag for tag in cell.tags if tag not in (*EDITION_TAGS, dropped))
        cells.append(Cell(cell.kind, source, kept))
    return cells


def _for_learners(source: str) -> str:
    return without_asserts(solutions.blanked(source))


def code_digest(notebook: NotebookNode) -> str:
    """Digest of a notebook's code, comments left aside: what its outputs were executed from."""
    sources = (cell.source for cell in notebook.cells if cell.cell_type == "code")
    code = "\0".join(without_comments(source) for source in sources)
    return hashlib.sha256(code.encode()).hexdigest()[:16]


def same_code(one: NotebookNode, other: NotebookNode) -> bool:
    """Whether two notebooks run the same code, though it imports from where modules stood before.

    Comments are left aside as in ``code_digest``; ``labutils.moved`` says what stood where. The
    set-up cell, too: the course's address changes no output.
    """
    first, second = (
        [
            without_comments(with_todays_imports(cell.source))
            for cell in notebook.cells
            if cell.cell_type == "code" and not cell.source.startswith(SETUP.splitlines()[0])
        ]
        for notebook in (one, other)
    )
    return first == second


def to_text(notebook: NotebookNode) -> str:
    """The notebook as the bytes of its file: sorted keys, one final newline."""
    return nbformat.writes(notebook).rstrip("\n") + "\n"


def _assemble(course: Course, chapter: Chapter, *, solution: bool) -> NotebookNode:
    opening = [
        Cell("markdown", title_text(course, chapter, solution=solution)),
        Cell("code", setup_text(course)),
    ]
    closing = closing_text(course, chapter, solution=solution)
    cells = opening + edition_cells(chapter, solution=solution)
    cells.append(Cell("code", recap_text(chapter), ("nbval-ignore-output",)))
    cells += [Cell("markdown", closing)] if closing else []
    notebook = nbformat.v4.new_notebook(metadata=METADATA)
    notebook.cells = [
        _node(cell, cell_id) for cell, cell_id in zip(cells, cell_ids(cells), strict=True)
    ]
    return notebook


def cell_ids(cells: list[Cell]) -> list[str]:
    """An id for each cell, from its kind and source; equal cells are numbered.

    Derived, so that rebuilding changes nothing, inserting a cell renames no other, and a cell that
    a learner changed is known (``labutils.workspace.carry``).
    """
    seen: Counter[str] = Counter()
    ids = []
    for cell in cells:
        digest = cell_id(cell.kind, cell.source)
        seen[digest] += 1
        ids.append(digest if seen[digest] == 1 else f"{digest}-{seen[digest]}")
    return ids


def _node(cell: Cell, cell_id: str) -> NotebookNode:
    make = nbformat.v4.new_code_cell if cell.kind == "code" else nbformat.v4.new_markdown_cell
    node = make(cell.source, id=cell_id)
    if cell.tags:
        node.metadata["tags"] = list(cell.tags)
    return node
