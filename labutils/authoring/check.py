"""Compare what stands in the checkout with what its sources would build."""

from collections.abc import Callable, Iterator
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from labutils.authoring.editions.editions import code_digest, learner_edition, solution_edition
from labutils.authoring.editions.figures import tagged_figures
from labutils.authoring.editions.outputs import LARGEST_BYTES, faults, private_paths
from labutils.authoring.pages.card_page import printed
from labutils.authoring.pages.index import INDEX_PATH, index_text
from labutils.authoring.pages.measured import GUIDE_PATH, measured_text
from labutils.authoring.pages.outlines import OUTLINES_PATH, outlines_text
from labutils.authoring.pages.passages import corpus_file
from labutils.authoring.pages.plan_page import plans_file
from labutils.authoring.pages.readme import README_PATH, readme_text
from labutils.authoring.pages.topic_page import PAGE_PATH, topic_page
from labutils.authoring.sources.course import Course
from labutils.authoring.sources.source import FOLDERS, Chapter

COMMAND = "python -m labutils.authoring build"


def differences(course: Course) -> list[str]:
    """One line for each thing that differs from its source, with the command that mends it."""
    found = [line for chapter in course.chapters for line in _chapter_differences(course, chapter)]
    return [*found, *_strays(course), *_collected(course)]


def _chapter_differences(course: Course, chapter: Chapter) -> list[str]:
    mend = f"run: {COMMAND} {chapter.name}"
    editions = (
        (chapter.learner_path, learner_edition, _carries_outputs),
        (chapter.solution_path, solution_edition, _not_executed),
    )
    found = []
    for path, edition, about_outputs in editions:
        file = course.root / path
        if not file.exists():
            found.append(f"{path}: missing; {mend}")
            continue
        try:
            actual = nbformat.read(file, as_version=4)
        except Exception as error:
            found.append(f"{path}: cannot be read as a notebook ({error}); {mend}")
            continue
        reasons = _cell_differences(actual, edition(course, chapter))
        reasons = reasons or list(about_outputs(actual, file, course.root))
        found += [f"{path}: {reason}; {mend}" for reason in reasons]
    return found


def _cell_differences(actual: NotebookNode, wanted: NotebookNode) -> list[str]:
    """How cells and metadata differ, outputs left aside: the first cell of each kind of fault."""
    if len(actual.cells) != len(wanted.cells):
        return [f"{len(actual.cells)} cells where the source gives {len(wanted.cells)}"]
    found = [
        f"cell {_first_unequal(actual, wanted, part)} differs in {name}"
        for name, part in PARTS.items()
        if _first_unequal(actual, wanted, part)
    ]
    if len(found) > 1 and "source" in found[0]:
        found = found[:1]  # ids follow from sources
    ours = {k: v for k, v in actual.metadata.items() if k not in ("widgets", "executed_from")}
    return found + (["the metadata differ"] if ours != wanted.metadata else [])


def _tags(cell: NotebookNode) -> list[str]:
    return list(cell.metadata.get("tags", []))


def _other_metadata(cell: NotebookNode) -> dict:
    return {k: v for k, v in cell.metadata.items() if k != "tags"}


PARTS: dict[str, Callable[[NotebookNode], object]] = {
    "source": lambda cell: (cell.cell_type, cell.source),
    "tags": _tags,
    "metadata": _other_metadata,
    "id": lambda cell: cell.id,
}


def _first_unequal(actual, wanted, part) -> int:
    """Number (from 1) of the first cell that differs in ``part``, 0 if none does."""
    pairs = enumerate(zip(actual.cells, wanted.cells, strict=True), start=1)
    return next((number for number, (one, other) in pairs if part(one) != part(other)), 0)


def _carries_outputs(notebook: NotebookNode, _file: Path, _root: Path) -> Iterator[str]:
    for number, cell in enumerate(notebook.cells, start=1):
        if cell.cell_type == "code" and (cell.outputs or cell.execution_count is not None):
            yield f"cell {number} carries outputs"
            return


def _not_executed(notebook: NotebookNode, file: Path, root: Path) -> Iterator[str]:
    counts = [cell.execution_count for cell in notebook.cells if cell.cell_type == "code"]
    if counts != list(range(1, len(counts) + 1)):
        yield "not executed once from top to bottom"
    elif notebook.metadata.get("executed_from") != code_digest(notebook):
        yield "its outputs come from an older source"
    yield from faults(notebook, private=private_paths(root))
    if (size := file.stat().st_size) > LARGEST_BYTES:
        yield f"{size} bytes, at most {LARGEST_BYTES}"
    try:
        for path, picture in tagged_figures(notebook):
            if not (root / path).exists() or (root / path).read_bytes() != picture:
                yield f"{path} is not the figure that it shows"
    except ValueError as error:
        yield str(error)


def _strays(course: Course) -> list[str]:
    known = {path for c in course.chapters for path in (c.learner_path, c.solution_path)}
    present = [
        f"{folder}/{file.name}"
        for folder in (*FOLDERS, "solutions")
        for file in sorted((course.root / folder).glob("*.ipynb"))
    ]
    return [
        f"{path}: has no source in solutions/; remove it" for path in present if path not in known
    ]


def _collected(course: Course) -> list[str]:
    found = []
    index, page = index_text(course), course.root / PAGE_PATH
    readme = course.root / README_PATH
    if _text(course.root / INDEX_PATH) != index:
        found.append(f"{INDEX_PATH}: differs from the topic tags of the sources; run: {COMMAND}")
    if _text(page) != topic_page(course, index):
        found.append(f"{PAGE_PATH}: differs from the topic index; run: {COMMAND}")
    if _text(course.root / OUTLINES_PATH) != outlines_text(course):
        found.append(f"{OUTLINES_PATH}: differs from the sources; run: {COMMAND}")
    for path, wanted in printed(course).items():
        if _text(course.root / path) != wanted:
            found.append(f"{path}: differs from labutils/cards; run: {COMMAND}")
    for path, wanted in plans_file(course).items():
        if _text(course.root / path) != wanted:
            found.append(f"{path}: differs from the guide's plans; run: {COMMAND}")
    for path, wanted in corpus_file(course).items():
        if _text(course.root / path) != wanted:
            found.append(f"{path}: differs from the text it is cut from; run: {COMMAND}")
    text = _text(readme)
    try:
        if readme_text(course, text) != text:
            found.append(f"{README_PATH}: map or routes differ from the sources; run: {COMMAND}")
    except ValueError as error:
        found.append(f"{error}; put them where these belong")
    guide = _text(course.root / GUIDE_PATH)
    try:
        if measured_text(course, guide) != guide:
            found.append(f"{GUIDE_PATH}: differs from what was measured; run: {COMMAND}")
    except ValueError as error:
        found.append(str(error))
    return found


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8") if path.exists() else ""
