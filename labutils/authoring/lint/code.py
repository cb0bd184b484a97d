"""Rules on code cells: short, valid in both editions, answers that stay out of sight."""

import ast
import re
from collections.abc import Iterator

from labutils.authoring.editions.editions import edition_cells
from labutils.authoring.sources import solutions
from labutils.authoring.sources.python import calls, syntax_fault
from labutils.authoring.sources.source import Chapter

MOST_LINES = 15
LONGER = {
    "pack": "one loop fills six lists side by side, and one copy takes them to the device",
    "step": "the order of a step is the exercise, errors on its way included; `run` is its loop",
    "_hand_out": "the end of a request and the two that call it: each is wrong without the others",
    "sample": "optional; greedy rows and drawn ones, limited or not, in one pass over all of them",
}
"""Functions of the package of which a learner writes more, those beside them included, and why."""

TELLING_LENGTH = 12
"""From this many characters on (blanks not counted) a line gives an answer away."""


def code_findings(chapter: Chapter) -> Iterator[str]:
    """Findings on the code cells of one chapter."""
    yield from _leaks(chapter)
    for number, cell in enumerate(chapter.cells, start=1):
        if cell.kind == "code":
            for fault in _cell_faults(cell.source, included=cell.included):
                yield f"{chapter.where(number)}: {fault}"


def _cell_faults(source: str, *, included: bool = False) -> Iterator[str]:
    for edition, render in (("solution", solutions.answered), ("learner", solutions.blanked)):
        text = render(source)
        is_ours = included and edition == "solution"  # `written` counts there
        if (count := code_lines(text)) > MOST_LINES and not is_ours:
            yield f"{count} lines in the {edition} edition, at most {MOST_LINES}; split it"
        if fault := syntax_fault(text):
            yield f"the {edition} edition does not compile: {fault}"
    if included and (count := written(source)) > MOST_LINES and included_name(source) not in LONGER:
        yield f"{count} lines to write, at most {MOST_LINES}; split it, or say why in LONGER"
    for block in solutions.blocks(source):
        if not any(code_lines(line) for line in block.answer):
            yield "an empty solution block; write the answer or drop the markers"
        if any(line.strip() in ("pass", "") for line in block.blanked):
            yield "a stub of bare `pass` or nothing; use `...` or raise NotImplementedError"
    yield from _silent_figures(solutions.answered(source))


def code_lines(source: str) -> int:
    """Lines of a cell that hold code: neither blank nor a comment alone."""
    lines = (line.strip() for line in source.splitlines())
    return sum(bool(line) and not line.startswith("#") for line in lines)


def written(source: str) -> int:
    """Lines that a learner writes into a cell: of a function its body, without the docstring."""
    return sum(code_lines(line) for block in solutions.blocks(source) for line in block.answer)


def included_name(source: str) -> str:
    """The first function of the package that a cell holds."""
    return re.search(r"^ *def (\w+)", source, flags=re.M)[1]


def _silent_figures(source: str) -> Iterator[str]:
    for _, call in calls(source, ("show",), "viz"):
        alt = next((keyword.value for keyword in call.keywords if keyword.arg == "alt"), None)
        if alt is None or (isinstance(alt, ast.Constant) and not str(alt.value).strip()):
            yield f"show(...) in line {call.lineno} lacks alt=; describe the figure in words"


def _leaks(chapter: Chapter) -> Iterator[str]:
    shown = [
        _squeezed(line)
        for cell in edition_cells(chapter, solution=False)
        for line in cell.source.splitlines()
    ]
    for number, cell in enumerate(chapter.cells, start=1):
        for line in _secrets(cell):
            if any(_squeezed(line) in other for other in shown):
                yield f"{chapter.where(number)}: the learner edition shows {line.strip()!r}"


def _secrets(cell) -> Iterator[str]:
    """Answer lines long enough to tell, less those that the block's own stub shows on purpose."""
    for block in solutions.blocks(cell.source) if cell.kind == "code" else ():
        stub = {_squeezed(line) for line in block.stub}
        for line in block.answer:
            if len(_squeezed(line)) >= TELLING_LENGTH and _squeezed(line) not in stub:
                yield line


def _squeezed(line: str) -> str:
    return "".join(line.split())
