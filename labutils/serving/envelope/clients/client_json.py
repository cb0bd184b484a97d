"""What stands in a client's JSON: numbers by their path, or a sentence that says what is wrong."""

import json
import math
from collections.abc import Mapping
from pathlib import Path

MOST_BYTES = 1 << 28
_SECONDS = {"": 1.0, "s": 1.0, "sec": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}


class Sheet:
    """A JSON object, called ``where`` in errors.

    A path names keys, and places in lists, with dots (``stages.0.rate``; -1 is the last place). A
    unit may follow after a space, and is ``unit`` where the key of that name beside it tells. Of
    several, between bars, the first that is there counts.
    """

    def __init__(self, content, where: str):
        if not isinstance(content, Mapping):
            raise ValueError(f"{where}: expected a JSON object")
        self.content, self.where = content, where

    def get(self, path: str):
        """What stands there, whatever it is; None where nothing does."""
        known = (_at(self.content, one.split(".")) for one in path.split("|"))
        return next((value for value in known if value is not None), None)

    def number(self, field: str) -> float | None:
        """A number of at least 0, in seconds if it is a time; ``ValueError`` for anything else."""
        path, _, unit = field.partition(" ")
        value = self.get(path)
        if value is None:
            return None
        if not _is_number(value):
            self.refuse(path, value, "a finite number, at least 0")
        return float(value) * self._scale(path, unit)

    def numbers(self, path: str) -> list[float]:
        """Those of a list; none where there is no list."""
        values = self.get(path)
        values = values if isinstance(values, list) else []
        if not all(map(_is_number, values)):
            self.refuse(path, values, "finite numbers, at least 0")
        return values

    def count(self, field: str) -> int | None:
        """A whole number, or how long a list is."""
        value = self.get(field)
        value = len(value) if isinstance(value, list) else self.number(field)
        return None if value is None else int(value)

    def word(self, path: str) -> str | None:
        """A short text, of characters that can be printed."""
        value = self.get(path)
        if not isinstance(value, str):
            return None
        return "".join(filter(str.isprintable, value[:80]))

    def items(self, path: str) -> list["Sheet"]:
        """The objects of a list; none where there is no list."""
        values = self.get(path)
        values = values if isinstance(values, list) else []
        return [Sheet(value, f"{self.where}, {path}.{i}") for i, value in enumerate(values)]

    def quantiles(self, field: str, names: Mapping[str, str]) -> dict[str, float]:
        """Those of ``names`` that are there."""
        found = {name: self.number(field.replace("{}", key)) for name, key in names.items()}
        return {name: value for name, value in found.items() if value is not None}

    def refuse(self, path: str, value, expected: str):
        """Raise the ``ValueError`` about what stands at a path."""
        raise ValueError(f"{self.where}, {path} = {str(value)[:40]!r}: expected {expected}")

    def _scale(self, path: str, unit: str) -> float:
        if unit == "unit":
            beside = path.rpartition(".")[0] + ".unit"
            unit = self.word(beside) or ""
            if unit not in _SECONDS:
                self.refuse(beside, unit, "s, ms, us or ns")
        return _SECONDS[unit]


def _at(here, keys: list[str]):
    for key in keys:
        if isinstance(here, list) and key.lstrip("-").isdigit():
            here = here[int(key)] if -len(here) <= int(key) < len(here) else None
        else:
            here = here.get(key) if isinstance(here, Mapping) else None
    return here


def _is_number(value) -> bool:
    known = isinstance(value, int | float) and not isinstance(value, bool)
    return known and 0 <= value < math.inf


def read_sheets(path: Path) -> list[Sheet]:
    """The objects of a file: one, a list of them, or one on each line."""
    if not path.is_file():
        raise ValueError(f"{path}: there is no such file")
    if path.stat().st_size > MOST_BYTES:
        raise ValueError(f"{path}: expected at most {MOST_BYTES >> 20} MiB")
    text = path.read_text(encoding="utf-8", errors="replace")
    try:
        contents = _parsed(text)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{path}: expected JSON ({error})") from None
    contents = contents if isinstance(contents, list) else [contents]
    return [Sheet(content, f"{path.name}, {i}") for i, content in enumerate(contents)]


def _parsed(text: str):
    lines = text.splitlines()
    if len(lines) > 1 and lines[0].startswith("{") and lines[0].endswith("}"):
        return [json.loads(line) for line in lines if line]
    return json.loads(text)
