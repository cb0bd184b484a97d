"""Sheets: the text of a drill or an exercise as one reads it, with a mark before each part.

A sheet is an ordinary string of Python, so that the linter sees every name in it. A part begins at
the margin with its mark and a blank, and goes on in indented lines; a paragraph without a mark
stands at the margin. Within such a paragraph no line is taken for a marked one, whatever a value
that is filled in begins with: a mark counts after an empty line, or after another marked part.

>>> for part in parts('''
...     Nobody waits. Everybody
...     - nearly - has left.
...
...     ? How many
...       are there?
...     > Count.
... ''', "?>"):
...     print(part)
Part(mark='', text='Nobody waits. Everybody - nearly - has left.', line=1)
Part(mark='?', text='How many are there?', line=4)
Part(mark='>', text='Count.', line=6)
"""

import inspect
from dataclasses import dataclass


class SheetError(ValueError):
    """A sheet that cannot be read; the message names the line of the sheet and its mark."""


@dataclass(frozen=True)
class Part:
    """A paragraph or a marked part on one line of text; ``line`` counts those of the sheet."""

    mark: str
    text: str
    line: int

    def error(self, problem: str) -> SheetError:
        """An error that says where it is."""
        return SheetError(
            f"line {self.line} of the sheet, {self.mark + ' ' + self.text!r}: {problem}"
        )

    def head(self) -> tuple[list[str], str]:
        """The words before the first colon, and the text behind it: ``name value: message``."""
        words, colon, text = self.text.partition(": ")
        if not colon:
            raise self.error("expected a colon between what is named and what is said")
        return words.split(), text


def parts(sheet: str, marks: str, *, closing: str = "") -> list[Part]:
    """The parts of ``sheet`` in order, each with one of the characters ``marks`` or with none.

    A mark of ``closing`` counts right behind a paragraph too: one that no line of it begins with.
    """
    found: list[Part] = []
    mark, line, words = "", 0, []

    def close() -> None:
        if words:
            found.append(Part(mark, " ".join(" ".join(words).split()), line))
            words.clear()

    for number, text in enumerate(inspect.cleandoc(sheet).split("\n"), 1):
        if not text.strip():
            close()
        elif text[1:2] == " " and text[0] in (marks if mark or not words else closing):
            close()
            mark, line = text[0], number
            words.append(text[2:])
        elif not words:
            mark, line = "", number
            words.append(text)
        elif mark and not text.startswith("  "):
            raise Part(mark, text, number).error("indent what goes on, or begin it with a mark")
        else:
            words.append(text)
    close()
    return found
