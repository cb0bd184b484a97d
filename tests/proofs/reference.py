"""Reference answers, obtained by running a chapter's solution source with ``check`` intercepted."""

import ast
import asyncio
import contextlib
import inspect
import io
import itertools
import linecache
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from labutils import exercises
from labutils.authoring.sources import solutions
from labutils.authoring.sources.python import without_magics
from labutils.authoring.sources.source import Chapter
from labutils.exercises.definition.verdict import Status, Verdict
from labutils.exercises.running import guard
from tests.proofs.mutants import Mutant, mutants

MUTANT_SECONDS = 3.0


@dataclass(frozen=True)
class Answer:
    """What a chapter handed to ``check``: the answer and its workings."""

    value: Any
    workings: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Reference:
    """A chapter's answer to one exercise, and what it takes to compute it again, changed.

    ``cells`` run from the cell that holds the solution to the one that checks it, ``lines`` are
    the solution's lines in the first of them, ``names`` the namespace before it.
    """

    exercise_id: str
    answer: Answer
    cells: tuple[str, ...]
    lines: frozenset[int]
    names: dict[str, Any]

    def mutants(self) -> list[Mutant]:
        """Every small change of the solution's lines."""
        return mutants(self.cells[0], set(self.lines))

    def answer_of(self, mutant: Mutant) -> Answer | None:
        """What the changed solution hands in; None if it raises or loops before that."""
        handed_in: dict[str, Answer] = {}
        names = dict(self.names)

        def run_cells():
            for cell in (mutant.source, *self.cells[1:]):
                run_cell(cell, names, f"mutant of {self.exercise_id}")

        with _recording(handed_in):
            guard.run(run_cells, seconds=MUTANT_SECONDS)
        return handed_in.get(self.exercise_id)


def references(chapter: Chapter) -> dict[str, Reference]:
    """The reference answer of every exercise that the chapter's source checks.

    Small sizes of the header replace those of the ``parameters`` cell. The first check of an
    exercise counts; later ones demonstrate. Cells that only draw or measure are passed over.
    """
    found: dict[str, Reference] = {}
    needed = cells_that_matter(chapter)
    names: dict[str, Any] = {"__name__": "__main__", "display": lambda *shown, **options: None}
    since: list[str] = []
    lines, before = frozenset(), {}
    for number, cell in enumerate(chapter.cells, start=1):
        if number not in needed:
            continue
        if solutions.blocks(cell.source):
            since, lines, before = [], solution_lines(cell.source), dict(names)
        since.append(solutions.answered(cell.source))
        handed_in: dict[str, Answer] = {}
        with _recording(handed_in), contextlib.redirect_stdout(io.StringIO()):
            run_cell(since[-1], names, f"{chapter.name}, cell {number}")
        for exercise_id, answer in handed_in.items():
            reference = Reference(exercise_id, answer, tuple(since), lines, before)
            found.setdefault(exercise_id, reference)
        if "parameters" in cell.tags:
            names.update(chapter.header.small)
    return found


def cells_that_matter(chapter: Chapter) -> set[int]:
    """Numbers (from 1) of the cells that check an answer, and of those that they build on.

    A cell builds on every cell before it that binds or changes a name which it reads.
    """
    kept, wanted, answering = set(), set(), False
    for number, cell in reversed([*enumerate(chapter.cells, start=1)]):
        if cell.kind != "code" or "learner-only" in cell.tags:
            continue
        bound, read = _names_of(solutions.answered(cell.source))
        answering = answering or "check" in read
        if answering or bound & wanted or "parameters" in cell.tags:
            kept.add(number)
            wanted |= read
        answering = answering and not solutions.blocks(cell.source)
    return kept


def _names_of(source: str) -> tuple[set[str], set[str]]:
    """The names that a cell binds or may change, and all that it mentions."""
    bound, read = set(), set()
    for node in ast.walk(ast.parse(without_magics(source))):
        if isinstance(node, ast.Name):
            read.add(node.id)
            if not isinstance(node.ctx, ast.Load):
                bound.add(node.id)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            bound.add(node.name)
        elif isinstance(node, ast.alias):
            bound.add((node.asname or node.name).partition(".")[0])
        elif isinstance(node, ast.Attribute | ast.Subscript) and isinstance(node.ctx, ast.Store):
            bound |= {part.id for part in ast.walk(node.value) if isinstance(part, ast.Name)}
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            owner = getattr(node.value.func, "value", None)  # log.append(...)
            bound |= {owner.id} if isinstance(owner, ast.Name) else set()
    return bound, read


def run_cell(source: str, names: dict[str, Any], label: str) -> None:
    """Run a cell's code in ``names``; top-level ``await`` works, magics are left out."""
    file = f"<{label}, run {next(_runs)}>"
    code = without_magics(source)
    linecache.cache[file] = (len(code), None, code.splitlines(keepends=True), file)
    flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
    pending = eval(compile(code, file, "exec", flags=flags, dont_inherit=True), names)
    if inspect.iscoroutine(pending):
        asyncio.run(pending)


def solution_lines(source: str) -> frozenset[int]:
    """Numbers (from 1) of the answer's lines in the cell as the solution edition shows it."""
    found, at = set(), 0
    for part in solutions.split(source):
        size = len(part.answer) if isinstance(part, solutions.Block) else 1
        if isinstance(part, solutions.Block):
            found.update(range(at + 1, at + size + 1))
        at += size
    return frozenset(found)


_runs = itertools.count()
_listening: list[dict[str, Answer]] = []


def _note(exercise_id, answer, **workings):
    """Stands in for ``check``: notes what it is given. Chapters keep it under its name."""
    if _listening:
        _listening[-1].setdefault(exercise_id, Answer(answer, workings))
    return Verdict(Status.right, "noted")


@contextlib.contextmanager
def _recording(handed_in: dict[str, Answer]) -> Iterator[None]:
    """Let ``check`` note what it is given in ``handed_in`` instead of judging it."""
    original, exercises.check = exercises.check, _note
    _listening.append(handed_in)
    try:
        yield
    finally:
        _listening.pop()
        exercises.check = original
