"""Answers between markers: kept for the solution edition, blanked for the learner's.

::

    ### BEGIN SOLUTION
    answer = 42
    ### STUB answer = ...
    ### END SOLUTION

The solution edition shows the lines without the markers. The learner edition shows the STUB
lines in their place, or one line that raises ``NotImplementedError`` where there is none.
"""

import re
from dataclasses import dataclass

BEGIN, END, STUB = "### BEGIN SOLUTION", "### END SOLUTION", "### STUB"
FORMATTER = re.compile(r"  # fmt: \w+$")
"""What the author tells a formatter, and no reader need know."""

DEFAULT_STUB = 'raise NotImplementedError("replace this line by your code")'


@dataclass(frozen=True)
class Block:
    """One solution block: its answer lines and the stub lines that stand in for them."""

    indent: str
    answer: tuple[str, ...]
    stub: tuple[str, ...]

    @property
    def blanked(self) -> tuple[str, ...]:
        """What the learner sees in place of the answer."""
        return self.stub or (self.indent + DEFAULT_STUB,)


def split(source: str) -> list[str | Block]:
    """Split a cell into plain lines and solution blocks, in order.

    Raises ``ValueError`` when a marker has no partner or a STUB stands outside a block.
    """
    parts: list[str | Block] = []
    opened: list[str] | None = None
    for line in source.splitlines():
        mark = line.strip()
        if mark == BEGIN and opened is None:
            opened = [line]
        elif mark == END and opened is not None:
            parts.append(_block(opened))
            opened = None
        elif mark in (BEGIN, END) or (opened is None and mark.startswith(STUB)):
            raise ValueError(f"{mark!r} without its partner")
        else:
            (parts if opened is None else opened).append(line)
    if opened is not None:
        raise ValueError(f"{BEGIN!r} is never closed by {END!r}")
    return parts


def blocks(source: str) -> list[Block]:
    """The solution blocks of a cell."""
    return [part for part in split(source) if isinstance(part, Block)]


def answered(source: str) -> str:
    """The cell as the solution edition shows it."""
    return _join(split(source), lambda block: block.answer)


def blanked(source: str) -> str:
    """The cell as the learner edition shows it."""
    return _join(split(source), lambda block: block.blanked)


def _join(parts, lines_of) -> str:
    lines: list[str] = []
    for part in parts:
        lines.extend(lines_of(part) if isinstance(part, Block) else (part,))
    return "\n".join(FORMATTER.sub("", line) for line in lines)


def _block(lines: list[str]) -> Block:
    begin, *body = lines
    stub = [line for line in body if line.strip().startswith(STUB)]
    return Block(
        indent=begin[: len(begin) - len(begin.lstrip())],
        answer=tuple(line for line in body if line not in stub),
        stub=tuple(re.sub(rf"{STUB} ?", "", line, count=1).rstrip() for line in stub),
    )
