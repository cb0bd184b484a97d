"""What stands in a client's JSON: numbers by their path, or a sentence that says what is wrong."""

import json
import math
from collections.abc import Mapping
from pathlib import Path

MOST_BYTES = 1 << 28

_SECONDS = {"s": 1.0, "sec": 1.0, "ms": 1e-3, "us": 1e-6, "µs": 1e-6, "ns": 1e-9}


class Sheet:
    """A JSON object. A path names keys and places in lists with dots: ``benchmarks.0.duration``,
    where -1 is the last place.

    ``where`` is how errors call it. What is missing or null is ``None``.
    """

    def __init__(self, content, where: str):
        if not isinstance(content, Mapping):
            raise ValueError(f"{where}: expected a JSON object")
        self.content, self.where = content, where

    def get(self, path: str):
        """What stands there, whatever it is."""
        here = self.content
        for key in path.split("."):
            if isinstance(here, list):
                here = here[int(key)] if _is_place(key, here) else None
            elif isinstance(here, Mapping):
                here = here.get(key)
            else:
                return None
        return here

    def number(self, path: str, scale: float = 1.0) -> float | None:
        """A number of at least 0, times ``scale``; ``ValueError`` for anything else."""
        value = self.get(path)
        if value is None:
            return None
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if not is_number or not 0 <= value < math.inf:
            raise ValueError(
                f"{self.where}, {path} = {str(value)[:40]!r}: expected a finite number, at least 0"
            )
        return float(value) * scale

    def count(self, path: str) -> int | None:
        """A whole number."""
        value = self.number(path)
        return None if value is None else int(value)

    def word(self, path: str) -> str | None:
        """A short text."""
        value = self.get(path)
        return value[:80] if isinstance(value, str) else None

    def items(self, path: str) -> list:
        """A list; empty where there is none."""
        value = self.get(path)
        return value if isinstance(value, list) else []

    def quantiles(
        self, template: str, names: Mapping[str, str], scale: float | None
    ) -> dict[str, float]:
        """Those of ``names`` that are there; a scale of ``None`` is read from the unit beside."""
        if scale is None:
            scale = self._unit(template.format("unit"))
        found = {name: self.number(template.format(key), scale) for name, key in names.items()}
        return {name: value for name, value in found.items() if value is not None}

    def _unit(self, path: str) -> float:
        unit = self.word(path)
        if unit in (None, "tokens"):
            return 1.0
        if unit not in _SECONDS:
            known = ", ".join(_SECONDS)
            raise ValueError(f"{self.where}, {path} = {unit!r}: expected one of {known}")
        return _SECONDS[unit]


def _is_place(key: str, values: list) -> bool:
    return key.lstrip("-").isdigit() and -len(values) <= int(key) < len(values)


def read_text(path: Path) -> str:
    """The text of a file of at most 256 MiB."""
    if not path.is_file():
        raise ValueError(f"{path}: there is no such file")
    if path.stat().st_size > MOST_BYTES:
        raise ValueError(f"{path}: expected at most {MOST_BYTES >> 20} MiB")
    return path.read_text(encoding="utf-8", errors="replace")


def parse(text: str, where: str):
    """JSON as Python has it; ``ValueError`` in words."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{where}: expected JSON ({error})") from None


def read_lines(path: Path) -> list[Sheet]:
    """The objects of a file that has one on each line."""
    numbered = enumerate(read_text(path).splitlines(), 1)
    return [
        Sheet(parse(line, f"{path.name}, line {i}"), f"{path.name}, line {i}")
        for i, line in numbered
        if line.strip()
    ]
