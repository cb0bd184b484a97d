"""Exercises: ``predict``, ``check``, ``hint``, ``reveal``, ``outcome``, ``piece``, ``progress``.

Everything goes by explicit ids and explicit arguments. Beside this door lie the learner's calls:
``actions``, ``predictions``, ``summary``. The rooms, each built on those before it:

- ``display`` (cards), ``journal`` (what is kept), ``definition`` (exercise and verdict)
- ``trials`` (a learner's code is run), ``stories`` (a class), ``rehearsals`` (asyncio code)
- ``checkers`` (the kinds of answer) and ``catalog`` (every exercise, one module a chapter)
"""

from labutils.exercises.actions import check, hint, piece, reveal, tried
from labutils.exercises.predictions import outcome, predict
from labutils.exercises.summary import progress
from labutils.exercises.trials.assembly import assembled

__all__ = [
    "assembled",
    "check",
    "hint",
    "outcome",
    "piece",
    "predict",
    "progress",
    "reveal",
    "tried",
]
