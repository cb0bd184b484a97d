"""Read a file line by line; when a line is malformed, say which and keep what came before."""

import gzip
import zlib
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import TypeVar

Row = TypeVar("Row")

LONGEST_LINE = 1_000_000
"""Characters. No row is as long: a small packed file may hold a line that fills the memory."""

# What parsing a bad line or unpacking a damaged file raises (JSON and Unicode errors among them).
_MALFORMED = (
    ValueError, KeyError, TypeError, EOFError, OverflowError, gzip.BadGzipFile, zlib.error,
)  # fmt: skip


class MalformedLine(ValueError):
    """A line that cannot be read: ``path`` and ``line`` (from 1) say where.

    ``rows_read`` rows came before it; ``partial`` is what the reader makes of those alone.
    """

    def __init__(self, path: Path, line: int, problem: str, *, rows_read: int, partial):
        super().__init__(
            f"{path.name}, line {line}: {problem} (the {rows_read} rows before it are kept in "
            "this error's `partial`)"
        )
        self.path, self.line, self.rows_read, self.partial = path, line, rows_read, partial


def read_lines(
    path, parse: Callable[[str], Row], build: Callable[[list[Row]], object], *, header: str = ""
):
    """``build`` what ``parse`` makes of the lines of a text or gzip file.

    ``parse`` raises ``ValueError`` for a line that it cannot read, and that becomes a
    ``MalformedLine``. The first line must equal ``header``, if one is given. Empty lines are
    passed over.
    """
    path, rows, line = Path(path), [], 0
    try:
        with _open(path) as file:
            for line in count(1):
                text = file.readline(LONGEST_LINE + 1)
                if not text:
                    break
                if len(text) > LONGEST_LINE:
                    raise ValueError(f"expected at most {LONGEST_LINE:,} characters in a line")
                text = text.strip()
                if line == 1 and header:
                    _check_header(text, header)
                elif text:
                    rows.append(parse(text))
    except _MALFORMED as error:
        raise MalformedLine(
            path, line, _told(error), rows_read=len(rows), partial=build(rows)
        ) from error
    if not rows:
        raise MalformedLine(path, line, "expected rows, found none", rows_read=0, partial=build([]))
    return build(rows)


def _open(path: Path):
    opener = gzip.open if path.suffix == ".gz" else open
    return opener(path, "rt", encoding="utf-8-sig")  # a spreadsheet writes a mark before the text


def _check_header(text: str, header: str) -> None:
    if text != header:
        raise ValueError(f"{text[:80]!r}: expected the header {header!r}")


def _told(error: Exception) -> str:
    if isinstance(error, KeyError):
        return f"expected a field {error}"
    if isinstance(error, (EOFError, gzip.BadGzipFile, zlib.error)):
        return f"the file is damaged: {error}"
    return str(error)


MOST = 2**53
"""Whole numbers above it are not all floats."""


def whole_field(name: str, value, *, at_least: int = 1) -> int:
    """``value`` (text or number) as an int; ``ValueError`` says what was expected of ``name``.

    At most 2**53: what is larger is no count of tokens and no moment of a trace.
    """
    if isinstance(value, str):
        number = int(value) if value.isascii() and value.isdigit() and len(value) < 20 else None
    else:
        number = value
    if type(number) is not int or not at_least <= number <= MOST:
        shown = repr(value) if len(str(value)) <= 40 else f"{str(value)[:40]!r} …"
        expected = f"a whole number of at least {at_least}"
        if type(number) is int and number > MOST:
            expected = f"a whole number of at most 2**53 = {MOST}"
        raise ValueError(f"{name} = {shown}: expected {expected}")
    return number


def columns(text: str, expected: int) -> list[str]:
    """The comma-separated columns of a line; ``ValueError`` unless there are ``expected``."""
    found = text.split(",")
    if len(found) != expected:
        raise ValueError(f"{text[:80]!r}: expected {expected} columns, found {len(found)}")
    return found
