"""Text of the course that its two models were not trained on, and some that they were.

It is the text of one day (``data/held_out.json``, of 2026-11-29): else each new word in a chapter
would move what is measured with the models.
"""

import json

from labutils import datafile

TRAINED_ON = "2026-11-22"
"""When the weights were trained (``training.json``); chapters 09 and 10 were begun on the 24th."""


def held_out_passages() -> tuple[str, ...]:
    """Passages of chapters 09 and 10, written after the models were trained, in their order."""
    return _passages("held_out")


def calibration_passages() -> tuple[str, ...]:
    """Passages of the chapters that they were trained on: to calibrate with, never to judge by."""
    return _passages("calibration")


def _passages(which: str) -> tuple[str, ...]:
    return tuple(json.loads(datafile("held_out.json").read_text(encoding="utf-8"))[which])
