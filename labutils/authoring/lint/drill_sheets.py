"""Every drill and every whiteboard prompt can be read as a sheet, whatever numbers are filled in.

The values of an f-string are not known here: a neutral word stands for each. A value alone on a
line at the margin puts in a piece of another sheet, and is passed over.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent

from labutils.drills.definition.sheet import check
from labutils.drills.whiteboard.prompt_sheet import page
from labutils.ground.sheets import SheetError

CATALOG = "labutils/drills/catalog"
PROMPTS = "labutils/drills/whiteboard/catalog"
_WORD = "1"  # passes for a number, a unit, a name and a text
_PIECE = re.compile(r"(?:\A\n|(?<=\S\n))1(?=\n\S)")


def sheet_findings(root: Path) -> Iterator[str]:
    """Findings on the sheets of all drills and prompts below ``root``."""
    for path in sorted([*(root / CATALOG).glob("*.py"), *(root / PROMPTS).glob("*.py")]):
        for line, problem in slips(path.read_text(encoding="utf-8")):
            yield f"{path.relative_to(root)}:{line}: {problem}"


def slips(source: str) -> Iterator[tuple[int, str]]:
    """The line of each sheet that cannot be read, and its mark with what is wrong."""
    for node in ast.walk(ast.parse(source)):
        kind = _name(node.func) if isinstance(node, ast.Call) and node.args else ""
        text = _neutral(node.args[0]) if kind in ("drill", "piece", "page") else None
        if text is not None:
            yield from _slip(text, node.args[0].lineno, kind)


def _slip(text: str, first: int, kind: str) -> Iterator[tuple[int, str]]:
    margin = dedent(text)
    sheet = _PIECE.sub("", margin)
    try:
        if kind == "page":
            page(margin)
        else:
            check(sheet, whole=kind == "drill" and sheet == margin)
    except SheetError as error:
        at = re.match(r"line (\d+) of the sheet, ", str(error))
        blank = len(margin) - len(margin.lstrip("\n"))
        line = first + blank + int(at[1]) - 1 if at else first
        yield line, str(error)[at.end() :] if at else str(error)


def _name(function: ast.expr) -> str:
    return getattr(function, "attr", getattr(function, "id", ""))


def _neutral(node: ast.expr) -> str | None:
    """The text of a string, a word in the place of each value; None for what is no string."""
    if isinstance(node, ast.JoinedStr):
        return "".join(_neutral(value) or _WORD for value in node.values)
    is_text = isinstance(node, ast.Constant) and isinstance(node.value, str)
    return node.value if is_text else None
