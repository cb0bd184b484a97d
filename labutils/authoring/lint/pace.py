"""Rules on minutes: no stretch between two checkpoints asks for more than its minutes hold."""

import ast
import re
from collections.abc import Iterator

from labutils.authoring.editions.editions import edition_cells
from labutils.authoring.sources.definitions import Definitions
from labutils.authoring.sources.python import calls, parse
from labutils.authoring.sources.source import Cell, Chapter
from labutils.authoring.sources.stretches import CHECKPOINT, boundaries

WORDS_A_MINUTE, LINES_A_MINUTE = 125, 12
PREDICTION_MINUTES, EXPLORER_MINUTES = 1, 4
LONGEST_CHAPTER = 75  # minutes of a chapter's core; a lab may take longer
MOST_STATED = 1.25  # times what is asked; readers took longest over 10 to 12
UNREAD = re.compile(r"\$\$.*?\$\$|\$[^$]*\$|\]\([^)]*\)|^\|[-| :]+\|$", flags=re.S | re.M)
WORD = re.compile(r"[^\W\d_][\w'’.-]*")
LOOKED_UP = ("## Sources", "## Cheat sheet")
"""Headings of what is there to be looked up, not read."""


def pace_findings(chapter: Chapter, definitions: Definitions) -> Iterator[str]:
    """Findings on the minutes of one chapter: each stretch, and the whole."""
    path, edges = chapter.source_path, boundaries(chapter)
    minutes = stretch_minutes(chapter, definitions)
    for first, last, needed in zip(edges, edges[1:], minutes):
        if round(needed) > last - first:
            yield (
                f"{path}: minutes {first} to {last} ask for {needed:.1f} (words, code, exercises, "
                f"predictions, explorers); cut, mark cells optional, or state more"
            )
    # without checkpoints there is no path to be timed: the drills
    if len(edges) > 2 and edges[-1] > MOST_STATED * sum(minutes):
        yield (
            f"{path}: states {edges[-1]} minutes and asks for {sum(minutes):.0f}; state at most a "
            "quarter more"
        )
    if chapter.header.folder == "notebooks" and sum(minutes) > LONGEST_CHAPTER:
        yield (
            f"{path}: asks for {sum(minutes):.0f} minutes; a chapter's core has at most "
            f"{LONGEST_CHAPTER}, so mark sections optional or make a chapter of its own"
        )


def stretch_minutes(chapter: Chapter, definitions: Definitions) -> list[float]:
    """The minutes that each stretch between checkpoints asks of a learner.

    Words of prose at 125 a minute, lines of code at 12 (imports left out), a prediction 1, an
    explorer 4, a core exercise its own minutes. What is optional or a list of sources is free.
    """
    own = {
        exercise.id: 0 if exercise.optional else exercise.minutes
        for exercise in definitions.exercises.get(chapter.header.slug, ())
    }
    needed, is_looked_up = [0.0], False
    for cell in edition_cells(chapter, solution=False):
        is_looked_up = _looks_up(cell, is_looked_up)
        if "optional" not in cell.tags and not is_looked_up:
            needed[-1] += _minutes(cell, own)
        if cell.kind == "markdown":
            needed += [0.0] * len(CHECKPOINT.findall(cell.source))
    return needed


def _looks_up(cell: Cell, before: bool) -> bool:
    is_heading = cell.kind == "markdown" and cell.source.lstrip().startswith("## ")
    return cell.first_line.startswith(LOOKED_UP) if is_heading else before


def _minutes(cell: Cell, own: dict[str, int]) -> float:
    if cell.kind == "markdown":
        return len(WORD.findall(UNREAD.sub(" ", cell.source))) / WORDS_A_MINUTE
    minutes = _lines(cell.source) / LINES_A_MINUTE
    for name, call in calls(cell.source, ("check", "predict"), "exercises"):
        exercise_id = getattr(call.args[0], "value", "") if call.args else ""
        is_asked = name == "check" and not _is_literal(call)
        minutes += PREDICTION_MINUTES if name == "predict" else is_asked * own.get(exercise_id, 0)
    return minutes + EXPLORER_MINUTES * _explorers(cell.source)


def _is_literal(call: ast.Call) -> bool:
    return (
        len(call.args) > 1
        and isinstance(call.args[1], ast.Constant)
        and (call.args[1].value is not ...)
    )


def _lines(source: str) -> int:
    imports = {
        line
        for node in parse(source).body
        if isinstance(node, ast.Import | ast.ImportFrom)
        for line in range(node.lineno, node.end_lineno + 1)
    }
    lines = enumerate(source.splitlines(), start=1)
    return sum(1 for number, line in lines if line.strip() and number not in imports)


def _explorers(source: str) -> int:
    """Explorers and sketches that the cell makes."""
    found = (node.func for node in ast.walk(parse(source)) if isinstance(node, ast.Call))
    names = (getattr(one, "id", getattr(one, "attr", "")) for one in found)
    return sum(1 for name in names if name.endswith("_explorer") or name in ("LiveWall", "Sketch"))
