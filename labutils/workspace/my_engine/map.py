"""Whose lines an engine has: the map of ``my/engine``."""

import html
from dataclasses import dataclass

from .store import Row, Store


@dataclass(frozen=True)
class EngineMap:
    """One row per function. ``repr`` is a table of text; a notebook shows it in colour.

    ``lines`` are those of code in the whole engine, docstrings left out and the model apart;
    ``yours`` are those in the bodies of the learner's functions, ``share`` their part.
    """

    rows: tuple[Row, ...]
    lines: int

    @property
    def yours(self) -> int:
        """Lines that the learner wrote: bodies alone, since signatures are given."""
        return sum(row.lines for row in self.rows if row.yours)

    @property
    def share(self) -> float:
        """The learner's part of the engine's lines."""
        return self.yours / self.lines

    @property
    def is_whole(self) -> bool:
        """Whether every function that the labs write is the learner's."""
        return all(row.yours for row in self.rows if row.lab)

    def __repr__(self) -> str:
        lines = [f"{'file':10} {'function':24} {'whose':20} lines"]
        for row in self.rows:
            lines.append(f"{row.file:10} {row.function:24} {_whose(row):20} {row.lines:5}")
        return "\n".join([*lines, self.finding])

    @property
    def finding(self) -> str:
        """One line: how much of the engine is the learner's."""
        whole = " Every function that decides something is yours." if self.is_whole else ""
        share = f"{100 * self.share:.0f} %"
        return f"{self.yours} of {self.lines} lines of code are yours: {share}.{whole}"

    def _repr_html_(self) -> str:
        blocks = "".join(self._block(file) for file in dict.fromkeys(r.file for r in self.rows))
        return f"<div>{blocks}<p>{html.escape(self.finding)}</p></div>"

    def _block(self, file: str) -> str:
        rows = [row for row in self.rows if row.file == file]
        cells = "".join(_cell(row) for row in rows)
        name = f'<code style="display:inline-block;width:6.5em">{file}</code>'
        boxes = f'<span style="display:inline-flex;gap:2px;vertical-align:middle">{cells}</span>'
        return f'<div style="margin:2px 0">{name}{boxes}</div>'


def engine_map(store: Store | None = None) -> EngineMap:
    """The map of the engine in ``my/engine``."""
    store = store or Store()
    return EngineMap(tuple(store.rows()), store.code_lines())


def _whose(row: Row) -> str:
    if row.yours:
        return "yours"
    return f"the course's ({row.lab.replace('lab', 'lab ')})" if row.lab else "given"


def _cell(row: Row) -> str:
    """A box as wide as its function is long: filled if it is the learner's, else an outline."""
    label = html.escape(f"{row.function}: {_whose(row)}, {row.lines} lines")
    fill = "background:#0072b2;border:1px solid #0072b2" if row.yours else "border:1px solid #999"
    dashed = "" if row.yours or row.lab else ";border-style:dotted"
    style = f"display:inline-block;height:1.1em;width:{5 + 5 * row.lines}px;{fill}{dashed}"
    return f'<span role="img" aria-label="{label}" title="{label}" style="{style}"></span>'
