"""A reference card: a table to look things up in, with its sources."""

import re
from dataclasses import dataclass

from labutils.cards.plain import plain


@dataclass(frozen=True, repr=False)
class ReferenceCard:
    """One card. Cells are text with ``$LaTeX$``, ``**bold**`` and `` `code` ``.

    ``note`` says what the card assumes; ``sources`` names where figures come from that the course
    does not compute.
    """

    id: str
    title: str
    topics: tuple[str, ...]
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""
    sources: tuple[str, ...] = ()

    def __post_init__(self):
        if not re.fullmatch(r"[a-z-]+", self.id):
            raise ValueError(f"id = {self.id!r}: expected small letters and hyphens")
        for row in self.rows:
            if len(row) != len(self.header):
                raise ValueError(f"row {row!r}: expected a cell for each of {self.header}")

    def __repr__(self) -> str:
        lines = [self.title, "=" * len(self.title)]
        for row in self.rows:
            first, *rest = map(plain, row)
            lines.append(f"\n{first}")
            lines += [f"    {name}: {text}" for name, text in zip(self.header[1:], rest) if text]
        lines += [f"\n{plain(self.note)}"] if self.note else []
        return "\n".join([*lines, *(f"Source: {plain(source)}" for source in self.sources)])

    def _repr_markdown_(self) -> str:
        cells = [[cell.replace("|", "\\|") for cell in row] for row in (self.header, *self.rows)]
        table = ["| " + " | ".join(row) + " |" for row in cells]
        table.insert(1, "|" + " --- |" * len(self.header))
        parts = [f"**{self.title}**", "\n".join(table), self.note]
        parts += ["Sources: " + "; ".join(self.sources) + "."] if self.sources else []
        return "\n\n".join(part for part in parts if part)
