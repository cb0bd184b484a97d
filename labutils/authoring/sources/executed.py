"""An author's cells beside what they printed when the solution edition was run."""

import ast
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from labutils.authoring.sources import solutions
from labutils.authoring.sources.python import calls
from labutils.authoring.sources.source import Cell, Chapter

PICTURE = re.compile(
    r'<img alt="([^"]*)" width="(\d+)" height="(\d+)"[^>]*? src="(data:image/[^"]+)"', flags=re.S
)
"""A figure in an output: its alternative text, width, height and data."""

_SAID = re.compile(r"It is (.+?)\.(?: You |$)", flags=re.M)


def read_executed(root: Path, chapter: Chapter) -> NotebookNode:
    """The executed solution edition; ``ValueError`` when it is missing."""
    path = root / chapter.solution_path
    if not path.exists():
        raise ValueError(f"{chapter.solution_path}: missing; run: make solutions")
    return nbformat.read(path, as_version=4)


def executed_cells(chapter: Chapter, notebook: NotebookNode) -> Iterator[tuple[Cell, NotebookNode]]:
    """The author's cells beside the executed ones (which begin with title and set-up).

    Raises ``ValueError`` when the notebook is not this source's executed edition.
    """
    ours = [cell for cell in chapter.cells if "learner-only" not in cell.tags]
    theirs = notebook.cells[2 : 2 + len(ours)]
    for cell, node in zip(ours, theirs, strict=False):
        shown = solutions.answered(cell.source) if cell.kind == "code" else cell.source
        if node.source != shown:
            break
        yield cell, node
    else:
        if len(theirs) == len(ours):
            return
    raise ValueError(
        f"{chapter.solution_path} is not what {chapter.source_path} builds; "
        f"run: python -m labutils.authoring build {chapter.name}"
    )


def named(source: str, function: str, known: Mapping) -> list:
    """The catalog's entries that the cell's calls of ``function`` name, in reading order."""
    first = [call.args[0] for _, call in calls(source, (function,), "exercises") if call.args]
    ids = [argument.value for argument in first if isinstance(argument, ast.Constant)]
    return [known[entry_id] for entry_id in ids if entry_id in known]


def values_said(node: NotebookNode) -> list[str]:
    """The outcomes of predictions that a cell showed, each with its unit."""
    texts = [output.get("data", {}).get("text/plain", "") for output in node.get("outputs", ())]
    return [said[1] for text in texts if (said := _SAID.search(text))]
