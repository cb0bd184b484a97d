"""Answers as one reads them: a text file a chapter, in which an answer is a few lines.

``exercise: ID`` begins what one writer gave to an exercise; the lines indented below it are the
base. ``wrong: WHAT [LABELS]`` and ``right: WHAT`` begin an answer; labels stand below where the
first line has no room.

What was given stands behind it or, indented, below; where nothing stands, it was the base. A value
is ``= EXPRESSION``, which may use numpy, ``math``, ``Fraction`` and what the base, run as code,
defines. Code stands in full, or it builds on the base: lines that are indented once more go below
the base's first line, and a patch changes the base from top to bottom. ``- line`` goes out,
``+ line`` comes in, ``  line`` shows where, and ``~ old => new`` changes a piece of a line. A
``right`` code in full is the base of what follows, also for the next writer. ``patch: WHAT`` is a
wrong answer as well, which changes the course's own text as ``labutils.ground.patches`` says, or
with ``~``.
"""

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

NAMES = {"np": np, "math": math, "Fraction": Fraction}
_MARKS = ("exercise: ", "wrong: ", "patch: ", "right: ", "equivalent: ")
_HEAD = re.compile(
    r"(?P<mark>\w+): (?P<what>.+?)"
    r"(?: \[(?P<labels>[\w!., -]*)\])?(?: (?P<given>[=~] .+))?"
)
_LABELS = re.compile(r"\[([\w!.,\s-]*)\](?:\n|$)")


@dataclass(frozen=True)
class Entry:
    """One answer of a sheet.

    ``mark`` is that of its line, ``given`` a value, or for code its text;
    ``rank`` counts the wrong answers of one writer to the exercise from 1.
    """

    exercise: str
    mark: str
    what: str
    labels: tuple[str, ...]
    given: Any
    is_code: bool
    rank: int = 0


def exercises_in(path: Path) -> list[str]:
    """The exercises of a sheet, in order."""
    found = re.findall(r"^exercise: (\S+)$", path.read_text(encoding="utf-8"), re.MULTILINE)
    return list(dict.fromkeys(found))


def preamble_of(path: Path) -> str:
    """The text before the first exercise of a sheet."""
    return re.split(r"^exercise: ", path.read_text(encoding="utf-8"), flags=re.MULTILINE)[0]


def entries_of(path: Path, only: str | None = None, names: Mapping = NAMES) -> Iterator[Entry]:
    """The answers of a sheet, or those to one exercise; expressions may use ``names``."""
    exercise, base, known, rank = "", "", {}, 0
    for mark, what, labels, text in _parts(path.read_text(encoding="utf-8")):
        if mark == "exercise":
            base = text or (base if what == exercise else "")
            exercise, known, rank = what, {}, 0
            continue
        if exercise != (only or exercise):
            continue
        rank += mark == "wrong"
        as_it_stands = mark in ("equivalent", "patch")
        is_code = as_it_stands or not text.startswith("= ")
        if is_code:
            given = text if as_it_stands else _code(base, text)
            base = text if mark == "right" and text == given else base
        else:
            given = _value(text[2:], base, names, known)
        yield Entry(exercise, mark, what, labels, given, is_code, rank * (mark == "wrong"))


def _parts(sheet: str) -> Iterator[tuple[str, str, tuple[str, ...], str]]:
    """Of each marked line the mark, what it says, its labels, and what stands behind or below."""
    for part in re.split(rf"^(?={'|'.join(_MARKS)})", sheet, flags=re.MULTILINE)[1:]:
        line, _, text = part.partition("\n")
        text = re.sub(r"^ {4}", "", text, flags=re.MULTILINE).rstrip()
        head = _HEAD.fullmatch(line.rstrip())
        if head is None:
            raise ValueError(f"{line!r}: expected «mark: what [labels]», and a value or a change")
        labels = head["labels"] or ""
        if found := _LABELS.match(text):
            labels, text = found[1], text[found.end() :]
        labels = tuple(re.findall(r"[\w!.-]+", labels))
        yield head["mark"], head["what"], labels, head["given"] or text


def _value(expression: str, base: str, names: Mapping, known: dict) -> Any:
    """The value of an expression; ``known`` are the names that the base defines, once needed."""
    try:
        return eval(expression, {**names, **known})
    except NameError:
        known.update(names)
        exec(base, known)
        return eval(expression, known)


def _code(base: str, text: str) -> str:
    """The code that a text, or what it says of the base, stands for."""
    if not text:
        return base
    if re.search(r"^[-+~] ", text, re.MULTILINE):
        return "\n".join(_changed(base.split("\n"), text.split("\n")))
    head = base.partition("\n")[0] + "\n"
    return head + text if text.startswith("    ") else text


def _changed(rest: list[str], patch: list[str]) -> Iterator[str]:
    """The lines of the base with a patch applied from top to bottom."""
    for line in patch:
        mark, text = line[:1], line[2:]
        if mark == "+":
            yield text
            continue
        old, _, new = text.removesuffix(" =>").partition(" => ") if mark == "~" else (text, "", "")
        is_meant = old.__eq__ if mark in "- " else lambda one, old=old: old in one
        at = next((n for n, one in enumerate(rest) if is_meant(one)), None)
        if at is None:
            raise ValueError(f"{line!r}: expected such a line in what is left of the base: {rest}")
        yield from rest[:at]
        yield from () if mark == "-" else [rest[at].replace(old, new) if mark == "~" else text]
        rest = rest[at + 1 :]
    yield from rest
