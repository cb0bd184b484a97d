"""Lists of labelled rows in a JSON file: what is wrong with one says in which file and row."""

import json
from collections.abc import Sequence
from pathlib import Path


def read_rows(path: Path, what: str) -> list:
    """The list that ``path`` holds; ``ValueError`` with its name if it is none, or empty."""
    try:
        rows = json.loads(path.read_bytes())
    except ValueError as error:
        raise ValueError(f"{path}: expected {what}s as JSON ({error})") from None
    if not isinstance(rows, list) or not rows:
        raise ValueError(f"{path}: expected a list of {what}s")
    return rows


def refuse_repeats(path: Path, what: str, texts: Sequence[str]) -> None:
    """``ValueError`` that names the first row whose text an earlier one has already."""
    seen: set[str] = set()
    for at, text in enumerate(texts):
        if text in seen:
            raise ValueError(f"{path}, {what} {at}: {text!r} is there twice")
        seen.add(text)
