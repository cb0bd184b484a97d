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


def recorded_prefix_hits(name: str) -> tuple[int, list[tuple[int, float]]]:
    """Tokens of a page, and (pages that a prefix cache holds, share of the pages found) of a trace.

    Measured by ``caching.hit_curve`` on the trace behind the mix ``name``; a test measures it again
    where the trace is there. ``ValueError`` for a mix whose trace names no pages.
    """
    found = row("mixes", name).get("prefix_hits")
    if found is None:
        there = [mix for mix, told in table()["mixes"].items() if "prefix_hits" in told]
        raise ValueError(f"name = {name!r}: expected one of {', '.join(there)}")
    return found["page_tokens"], list(zip(found["pages"], found["hit_rate"], strict=True))
