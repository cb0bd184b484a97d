"""The teaching plans of ``INSTRUCTOR.md``, read from its tables.

A plan is a table behind a comment, and its cut list another::

    <!-- plan: name="90 minutes" minutes=90 given=04,06 -->
    | start | min | part | what happens |
    | --- | --- | --- | --- |
    | 0:00 | 5 | talk 5 | ... |
    | 0:05 | 20 | `03@0-20` | ... |

    <!-- cuts: name="90 minutes" -->
    | lost | leave out | what it costs |

A part is a chapter or lab (`03`), a stretch between two of its checkpoints (`03@0-20`), an
exercise (`mm1.recursion`), ``talk N``, ``break N`` or ``slack N``, minutes for what takes longer;
with ``slack=15`` they are 15 % of the plan or more. ``given`` names chapters that the class knows
or is told in two sentences, ``after`` the plan of the day before.
"""

import re
import shlex
from dataclasses import dataclass

GUIDE_PATH = "INSTRUCTOR.md"
MARK = re.compile(r"^<!-- (plan|cuts): (.*?) -->$")
PART = re.compile(r"`([^`]+)`|\b(talk|break|slack) (\d+)\b")
STRETCH = re.compile(r"(\w+)@(\d+)-(\d+)")
CHECKPOINT = re.compile(r"^\*Checkpoint, (\d+) minutes?", flags=re.M)  # in a notebook's text


@dataclass(frozen=True)
class Part:
    """One piece of a row: ``kind`` is chapter, stretch, exercise, talk, break or slack."""

    kind: str
    name: str  # of the chapter or exercise
    first: int = 0  # minute of the chapter at which a stretch begins
    last: int = 0

    def __str__(self) -> str:
        return f"{self.name}@{self.first}-{self.last}" if self.kind == "stretch" else self.name


@dataclass(frozen=True)
class Row:
    """One row of a plan (``at``: minutes since the beginning) or of a cut list (``at`` is -1)."""

    at: int
    minutes: int
    parts: tuple[Part, ...]
    text: str


@dataclass(frozen=True)
class Plan:
    """A plan or a cut list, as its comment and its table say."""

    kind: str
    name: str
    minutes: int
    given: tuple[str, ...]
    after: str
    rows: tuple[Row, ...]
    slack: int = 0  # per cent of its minutes that a plan keeps free, at least


def read_plans(guide: str) -> list[Plan]:
    """The plans and cut lists of a guide in their order.

    Raises ``ValueError`` naming the line that cannot be read.
    """
    lines, found = guide.splitlines(), []
    for number, line in enumerate(lines):
        if mark := MARK.match(line.strip()):
            settings = dict(entry.split("=", 1) for entry in shlex.split(mark[2]))
            table = _table(lines[number + 1 :])
            rows = tuple(_row(mark[1], text) for text in table)
            given = tuple(name for name in settings.get("given", "").split(",") if name)
            minutes, after = int(settings.get("minutes", 0)), settings.get("after", "")
            slack = int(settings.get("slack", 0))
            found.append(Plan(mark[1], settings["name"], minutes, given, after, rows, slack))
    return found


def _table(lines: list[str]) -> list[str]:
    """The rows of the table that begins here, without its head."""
    end = next((at for at, line in enumerate(lines) if not line.startswith("|")), len(lines))
    return lines[2:end]


def _row(kind: str, line: str) -> Row:
    cells = [cell.strip() for cell in line.strip("|").split("|")]
    try:
        if kind == "cuts":
            return Row(-1, int(cells[0].split()[0]), parts_of(cells[1]), line)
        hours, minutes = cells[0].split(":")
        return Row(60 * int(hours) + int(minutes), int(cells[1]), parts_of(cells[2]), line)
    except (ValueError, IndexError):
        raise ValueError(f"cannot read the row {line!r} of a {kind} table") from None


def parts_of(text: str) -> tuple[Part, ...]:
    """The parts that a cell of a table names."""
    return tuple(_part(found) for found in PART.finditer(text))


def _part(found: re.Match) -> Part:
    if found[2]:
        return Part(found[2], f"{found[2]} {found[3]}", 0, int(found[3]))
    if stretch := STRETCH.fullmatch(found[1]):
        return Part("stretch", stretch[1], int(stretch[2]), int(stretch[3]))
    return Part("exercise" if "." in found[1] else "chapter", found[1])


def find_plan(name: str, guide: str) -> Plan:
    """The plan of that name, which may be shortened: ``half-day-cloud``.

    Raises ``ValueError`` that lists the names there are.
    """
    plans = {plan.name: plan for plan in read_plans(guide) if plan.kind == "plan"}
    by_words = {_words(known): plan for known, plan in plans.items()}
    if _words(name) not in by_words:
        raise ValueError(f"plan = {name!r}: expected one of {', '.join(map(repr, plans))}")
    return by_words[_words(name)]


def _words(name: str) -> tuple[str, ...]:
    found = re.findall(r"\w+", name.lower())
    return tuple(word for word in found if word not in ("a", "an", "the", "in", "of"))
