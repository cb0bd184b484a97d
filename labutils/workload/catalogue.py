"""The tables of ``data/workloads.json``, read once."""

import json
from functools import cache

from labutils import datafile


@cache
def table() -> dict:
    """The whole file: ``levels``, ``mixes``, ``traces``."""
    return json.loads(datafile("workloads.json").read_text(encoding="utf-8"))


def row(kind: str, name: str) -> dict:
    """One row of ``kind`` ("mixes" or "traces"); ``ValueError`` lists the names that there are."""
    rows = table()[kind]
    if name not in rows:
        raise ValueError(f"name = {name!r}: expected one of {', '.join(rows)}")
    return rows[name]
