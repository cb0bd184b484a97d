"""Write everything that is generated: editions, topic index, map and routes in the README."""

import time
from collections.abc import Iterable
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from labutils.authoring.editions.editions import (
    METADATA,
    code_digest,
    learner_edition,
    same_code,
    solution_edition,
    to_text,
)
from labutils.authoring.editions.execute import ExecutionError, execute
from labutils.authoring.editions.figures import tagged_figures
from labutils.authoring.editions.outputs import LARGEST_BYTES
from labutils.authoring.pages.card_page import printed
from labutils.authoring.pages.index import INDEX_PATH, index_text
from labutils.authoring.pages.measured import GUIDE_PATH, measured_text
from labutils.authoring.pages.outlines import OUTLINES_PATH, outlines_text
from labutils.authoring.pages.passages import corpus_file
from labutils.authoring.pages.plan_page import plans_file
from labutils.authoring.pages.readme import README_PATH, readme_text
from labutils.authoring.pages.topic_page import PAGE_PATH, topic_page
from labutils.authoring.sources.course import Course
from labutils.authoring.sources.source import Chapter


def build(course: Course, names: Iterable[str] = (), *, afresh: bool = False) -> list[str]:
    """Build the named chapters (all without names), the index, map and routes.

    A chapter whose code has not changed keeps its outputs, and so what it measured; ``afresh``
    executes it all the same. Prints one line a chapter and returns one line for each that
    failed; a chapter that does not run cleanly keeps its former solution edition.
    """
    chapters = [course.chapter(name) for name in names] or course.chapters
    write(course.root / OUTLINES_PATH, outlines_text(course))  # a chapter's last cell reads it
    built = [_build_chapter(course, chapter, afresh) for chapter in chapters]
    failures = [failure for failure in built if failure]
    index = index_text(course)
    write(course.root / INDEX_PATH, index)
    write(course.root / PAGE_PATH, topic_page(course, index))
    for path, text in {**printed(course), **plans_file(course), **corpus_file(course)}.items():
        write(course.root / path, text)
    readme = course.root / README_PATH
    write(readme, readme_text(course, readme.read_text(encoding="utf-8")))
    guide = course.root / GUIDE_PATH
    if guide.exists():
        write(guide, measured_text(course, guide.read_text(encoding="utf-8")))
    return failures


def write(path: Path, content: str | bytes) -> None:
    """Write text (UTF-8, plain line ends) or bytes, and only where it changes something."""
    wanted = content.encode() if isinstance(content, str) else content
    if not path.exists() or path.read_bytes() != wanted:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(wanted)


def _build_chapter(course: Course, chapter: Chapter, afresh: bool) -> str:
    started = time.perf_counter()
    write(course.root / chapter.learner_path, to_text(learner_edition(course, chapter)))
    kept = None if afresh else kept_edition(course, chapter)
    try:
        notebook = kept or executed_edition(course, chapter)
        figures = dict(tagged_figures(notebook))
    except (ExecutionError, ValueError) as error:
        return f"{chapter.source_path}: {error}"
    write(course.root / chapter.solution_path, to_text(notebook))
    for path, picture in figures.items():
        write(course.root / path, picture)
    how = "outputs kept" if kept else f"{time.perf_counter() - started:.1f} s"
    print(f"{chapter.name}: both editions, {how}")
    return ""


def kept_edition(course: Course, chapter: Chapter) -> NotebookNode | None:
    """The solution edition with the outputs that stand in its file; None if these are stale."""
    path = course.root / chapter.solution_path
    former = nbformat.read(path, as_version=4) if path.exists() else None
    notebook = solution_edition(course, chapter)
    digest = code_digest(notebook)
    if former is None or not (_executed_from(former, digest) or _only_moved(former, notebook)):
        return None
    cells, before = (
        [cell for cell in one.cells if cell.cell_type == "code"] for one in (notebook, former)
    )
    for cell, old in zip(cells, before, strict=True):
        cell.outputs, cell.execution_count = old.outputs, old.execution_count
    if "widgets" in former.metadata:
        notebook.metadata["widgets"] = former.metadata["widgets"]
    notebook.metadata["executed_from"] = digest
    return notebook


def _executed_from(notebook: NotebookNode, digest: str) -> bool:
    return notebook.metadata.get("executed_from") == digest


def _only_moved(former: NotebookNode, notebook: NotebookNode) -> bool:
    """Whether ``former`` ran the same code, imported from where it and the course stood then."""
    return _executed_from(former, code_digest(former)) and same_code(former, notebook)


def executed_edition(course: Course, chapter: Chapter) -> NotebookNode:
    """The solution edition, executed, and marked with what it was executed from.

    Raises ``ExecutionError`` when it does not run cleanly or grows beyond the size limit.
    """
    notebook = solution_edition(course, chapter)
    digest = code_digest(notebook)
    execute(notebook, root=course.root, folder="solutions")
    notebook.metadata["language_info"] = METADATA["language_info"]
    notebook.metadata["executed_from"] = digest
    size = len(to_text(notebook).encode())
    if size > LARGEST_BYTES:
        raise ExecutionError(f"{size} bytes with its outputs; at most {LARGEST_BYTES} are kept")
    return notebook
