"""Best scores by name, kept in ``my/arena.json``.

A file that cannot be read is moved aside when the next score is written, never deleted; one that
can is replaced in one step. Who wrote in the meantime is read first, so no entry is lost.
"""

import json
import math
from dataclasses import asdict, dataclass, fields
from datetime import date
from pathlib import Path

from labutils.ground.files import locked, make_folder, overwrite_own, set_aside
from labutils.ground.folder import my_folder

from .arena import Table
from .match import FAIRNESS, Score

FORMAT, NAME = 1, "arena.json"


class UnreadableBoard(ValueError):
    """The file is there, but is no leaderboard; the message says what is wrong."""


@dataclass(frozen=True)
class Entry:
    """The best that a policy of one name has done on the workloads ``played``, and when."""

    played: str
    score: Score
    day: str


class Leaderboard:
    """The best score of each name, apart for each set of workloads (``Table.played``).

    >>> board = Leaderboard()  # my/arena.json
    >>> board.enter(table, "mine")  # doctest: +SKIP
    >>> print(board.table(table.played))  # doctest: +SKIP

    ``path`` is the file, by default ``arena.json`` in the learner's folder.
    """

    def __init__(self, path: Path | str | None = None):
        self.path = my_folder() / NAME if path is None else Path(path)

    def enter(self, table: Table, *names: str) -> bool:
        """Enter the policies of these ``names`` (default: all); whether the file was written.

        A score replaces that of the same name on the same workloads where it is better. A policy
        that was sent off is not entered. Where nothing can be written, a line says so.
        """
        totals = {score.policy: score for score in table.totals()}
        if unknown := [name for name in names if name not in totals]:
            raise ValueError(f"names has {unknown[0]!r}: expected some of {', '.join(totals)}")
        new = [Entry(table.played, totals[name], date.today().isoformat())
               for name in names or totals if not totals[name].sent_off]  # fmt: skip
        try:
            make_folder(self.path.parent)
            with locked(self.path.parent):
                self._write(_best([*self._kept(), *new]))
        except OSError as error:
            print(f"{self.path} cannot be written ({error.strerror or error}); nothing was saved.")
            return False
        return True

    def entries(self, played: str | None = None) -> list[Entry]:
        """All entries, best first; with ``played`` those of these workloads alone.

        A file that cannot be read counts as empty; a line says so.
        """
        try:
            known = _read(self.path)
        except UnreadableBoard as error:
            print(f"{self.path} cannot be used: {error}. The next score that you enter keeps it.")
            known = []
        chosen = [one for one in known if played is None or one.played == played]
        return sorted(chosen, key=lambda one: (one.played, one.score.order))

    def table(self, played: str | None = None) -> str:
        """The entries as lines, best first."""
        lines = [
            "place  policy                  kept  good/s  fairness  worst tenant  worst wait  day"
        ]
        place, before = 0, None
        for one in self.entries(played):
            if one.played != before:
                place, before = 0, one.played
                lines.append(f"workloads {one.played}")
            place, got = place + 1, one.score
            lines.append(
                f"{place:<7}{got.policy:<22}{got.kept:6.1%} {got.goodput_per_s:7.2f}"
                f"{got.fairness:10.3f}{got.worst_tenant:14.1%}{got.worst_wait_s:10.1f} s  {one.day}"
            )
        return "\n".join([*lines, FAIRNESS])

    __str__ = table

    def _kept(self) -> list[Entry]:
        try:
            return _read(self.path)
        except UnreadableBoard:
            aside = set_aside(self.path, self.path.with_stem(f"{self.path.stem}.unreadable"))
            print(f"{self.path} could not be read; it lies at {aside} now.")
            return []

    def _write(self, entries: list[Entry]) -> None:
        rows = [{"played": one.played, "day": one.day, **_told(one.score)} for one in entries]
        text = json.dumps({"format": FORMAT, "entries": rows}, indent=1, allow_nan=False)
        overwrite_own(self.path, text.encode() + b"\n")


def _best(entries: list[Entry]) -> list[Entry]:
    """For each name and its workloads the best one; of equals the first."""
    best: dict[tuple[str, str], Entry] = {}
    for one in entries:
        key = one.played, one.score.policy
        if key not in best or one.score.order < best[key].score.order:
            best[key] = one
    return list(best.values())


def _told(score: Score) -> dict:
    """A score for JSON, which has no NaN."""
    return {
        name: None if isinstance(value, float) and not math.isfinite(value) else value
        for name, value in asdict(score).items()
    }


def _read(path: Path) -> list[Entry]:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return []
    except (OSError, ValueError, RecursionError) as error:  # UnicodeDecodeError is a ValueError
        raise UnreadableBoard(str(error)) from None
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise UnreadableBoard(f'it lacks "format": {FORMAT}')
    rows = content.get("entries")
    if not isinstance(rows, list):
        raise UnreadableBoard('"entries" is no list')
    return [_entry(number, row) for number, row in enumerate(rows)]


def _entry(number: int, row) -> Entry:
    if not isinstance(row, dict):
        raise UnreadableBoard(f"entry {number} is no object")
    values = {}
    for field in fields(Score):
        kind, value = field.type, row.get(field.name)
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if kind is float and (is_number or value is None):
            values[field.name] = math.nan if value is None else float(value)
        elif kind is not float and type(value) is kind:
            values[field.name] = value
        else:
            raise UnreadableBoard(f"{field.name} of entry {number} is {value!r}")
    for name in ("played", "day"):
        if not isinstance(row.get(name), str):
            raise UnreadableBoard(f"{name} of entry {number} is {row.get(name)!r}")
    return Entry(row["played"], Score(**values), row["day"])
