"""Answers as one reads them: a text file a chapter, in which an answer is a few lines.

``exercise: ID`` begins what one writer gave to an exercise; the lines indented below it are the
base. ``wrong: WHAT [LABELS]`` and ``right: WHAT`` begin an answer. Of the labels those with a ``!``
are false, the others true; they stand below where the first line has no room.

What was given stands behind it or, indented, below; where nothing stands, it was the base. A value
is ``= EXPRESSION``, which may use numpy, ``math``, ``Fraction`` and what the base, run as code,
defines. Code stands in full, or it builds on the base: lines that are indented once more go below
the base's first line, and a patch changes the base from top to bottom. ``- line`` goes out,
``+ line`` comes in, ``  line`` shows where, and ``~ old => new`` changes a piece of a line. A
``right`` code in full is the base of what follows, also for the next writer.
"""

import math
import re
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import numpy as np

from tests.answers.answer import Answer

HERE = Path(__file__).parent
CHAPTERS = sorted(path.stem for path in HERE.glob("*.txt") if path.stem != "failures")
_HEAD = re.compile(
    r"(?P<mark>exercise|wrong|right): (?P<what>.+?)"
    r"(?: \[(?P<labels>[\w!, -]*)\])?(?: (?P<given>[=~] .+))?"
)
_LABELS = re.compile(r"\[([\w!,\s-]*)\](?:\n|$)")


def exercises_of(slug: str) -> list[str]:
    """The exercises of a chapter to which there are answers, in order."""
    found = re.findall(r"^exercise: (\S+)$", _read(slug), re.MULTILINE)
    return list(dict.fromkeys(found))


def answers_of(slug: str, only: str | None = None) -> Iterator[Answer]:
    """The answers to the exercises of a chapter, or to one of them."""
    exercise, base, names, rank = "", "", {}, 0
    for head, text in _entries(_read(slug)):
        if head["mark"] == "exercise":
            base = text or (base if head["what"] == exercise else "")
            exercise, names, rank = head["what"], {}, 0
            continue
        if exercise != (only or exercise):
            continue
        labels, text = _labels(head["labels"], text)
        is_right = head["mark"] == "right"
        rank += not is_right
        text = head["given"] or text
        if text.startswith("= "):
            names = names or _names(base)
            given = eval(text[2:], names)
        else:
            given = _code(base, text)
            base = text if is_right and text == given else base
        yield Answer(exercise, is_right, head["what"], given, *labels, rank=0 if is_right else rank)


def _read(slug: str) -> str:
    return (HERE / f"{slug}.txt").read_text(encoding="utf-8")


def _entries(sheet: str) -> Iterator[tuple[dict[str, str], str]]:
    """What each marked line says, and the text indented below it."""
    for entry in re.split(r"^(?=exercise: |wrong: |right: )", sheet, flags=re.MULTILINE)[1:]:
        line, _, text = entry.partition("\n")
        text = re.sub(r"^ {4}", "", text, flags=re.MULTILINE)
        yield _HEAD.fullmatch(line).groupdict(), text.rstrip()


def _labels(named: str | None, text: str) -> tuple[tuple[tuple[str, ...], ...], str]:
    """True labels and false ones, of the first line or the next, and what is left of the text."""
    if found := _LABELS.match(text):
        named, text = found[1], text[found.end() :]
    labels = re.findall(r"[\w!-]+", named or "")
    true = tuple(label for label in labels if not label.startswith("!"))
    return (true, tuple(label[1:] for label in labels if label not in true)), text


def _names(base: str) -> dict:
    names = {"np": np, "math": math, "Fraction": Fraction}
    exec(base, names)
    return names


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
