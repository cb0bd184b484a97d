"""What a command says, whatever its terminal can show: no character stops it, no name steers it."""

import io
import sys


def forgive_characters() -> None:
    """Let standard input and output replace what their encoding lacks, as a container's may."""
    for stream in (sys.stdin, sys.stdout):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


def printable(text: str) -> str:
    """A stranger's text on one line: escapes stand for what steers a terminal or is no character.

    >>> print(printable("class-\\x1b[2J\\n.jsonl"))
    class-\\x1b[2J\\n.jsonl
    """
    return "".join(one if one.isprintable() else ascii(one)[1:-1] for one in text)
