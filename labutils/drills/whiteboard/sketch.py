"""What stands on the board at the end: boxes and arrows, what a box holds, who calls whom."""

import textwrap
from collections.abc import Mapping
from dataclasses import dataclass

WIDEST = 74  # characters of a line: a terminal of 80 columns, indented


@dataclass(frozen=True)
class Interface:
    """One call between two components: its fields, what it returns, and its errors by cause."""

    call: str
    takes: str
    returns: str
    errors: str

    def lines(self) -> list[str]:
        """As it stands on the board."""
        rows = {"takes": self.takes, "returns": self.returns, "errors": self.errors}
        return [
            self.call,
            *(line for name, text in rows.items() for line in _hung(f"  {name:8}{text}")),
        ]


@dataclass(frozen=True)
class Sketch:
    """A drawing as text, the components in it with their tasks, and the interfaces.

    Raises ``ValueError`` for a drawing that a terminal of 80 columns cannot show.
    """

    drawing: str
    components: Mapping[str, str]
    interfaces: tuple[Interface, ...]

    def __post_init__(self):
        wide = [line for line in self.drawing.splitlines() if len(line) > WIDEST]
        if wide or not self.drawing.isascii():
            raise ValueError(f"drawing: expected ASCII of at most {WIDEST} columns, {wide}")

    def calls(self) -> str:
        """All interfaces, one under the other."""
        return "\n".join(line for item in self.interfaces for line in item.lines())


def _hung(text: str) -> list[str]:
    return textwrap.wrap(text, WIDEST, subsequent_indent=" " * 10, break_on_hyphens=False)
