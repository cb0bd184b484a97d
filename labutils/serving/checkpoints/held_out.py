"""Text of the course that its two models were not trained on."""

import json

from labutils import datafile

TRAINED_ON = "2026-11-22"
"""When the weights were trained (``training.json``); the chapters below were begun on the 24th."""

UNSEEN = ("09_where_the_time_goes", "10_what_need_not_be_computed")


def held_out_passages() -> tuple[str, ...]:
    """Passages of chapters that were written after the models were trained, in their order."""
    return _passages(lambda source: source in UNSEEN)


def calibration_passages() -> tuple[str, ...]:
    """Passages of the chapters that they were trained on: to calibrate with, never to judge by."""
    return _passages(lambda source: source[:2] in {f"{number:02}" for number in range(9)})


def _passages(wanted) -> tuple[str, ...]:
    lines = datafile("corpus.jsonl").read_text(encoding="utf-8").splitlines()
    rows = (json.loads(line) for line in lines)
    return tuple(row["text"] for row in rows if wanted(row["source"]))
