"""A claim in lines, one of which does not hold: what a spot-the-flaw drill asks about."""

from collections.abc import Callable, Mapping
from textwrap import dedent

from labutils.drills.definition.options import Options

FLAW = ""  # in the place of a message: this is the line that does not hold
FIRST = "Which is the first line that does not hold?"


def in_order(question: str, *lines: tuple[str, str]) -> Options:
    """Lines that follow from each other, as options in their order.

    A line is ``(text, message)``: why this line is not the faulty one, or ``FLAW`` for that one.
    Raises ``ValueError`` unless exactly one is.
    """
    flaws = [text for text, message in lines if message == FLAW]
    if len(flaws) != 1:
        raise ValueError(f"lines = {len(flaws)} of them marked FLAW: expected one")
    keys = dict(zip((text for text, _ in lines), "abcdefgh"))
    return Options(
        question=question,
        texts={key: text for text, key in keys.items()},
        right=keys[flaws[0]],
        against={keys[text]: message for text, message in lines if message != FLAW},
    )


def numbered(code: str) -> str:
    """``code`` with numbers before its lines, set off from the text around it."""
    lines = dedent(code).strip("\n").split("\n")
    return "\n".join(f"    {number:2}  {line}".rstrip() for number, line in enumerate(lines, 1))


def line_of(code: str) -> Callable[[int], str]:
    """How a line of ``code`` is shown as an option, by its number."""
    lines = dedent(code).strip("\n").split("\n")
    return lambda number: f"line {number}: `{lines[number - 1].strip()}`"


def lines_of(code: str, question: str, messages: Mapping[int, str]) -> Options:
    """Some lines of ``code`` as options, by number; ``messages`` as in ``in_order``."""
    line = line_of(code)
    return in_order(question, *((line(n), message) for n, message in messages.items()))
