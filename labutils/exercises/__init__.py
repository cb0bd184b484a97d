"""Exercises: ``predict``, ``check``, ``hint``, ``reveal``, ``outcome``, ``piece``, ``progress``.

Everything goes by explicit ids and explicit arguments. The definitions live in ``catalog``, one
module per chapter; an exercise brings a checker, diagnoses, three hints and an explanation.
"""

from labutils.exercises.actions import check, hint, piece, reveal, tried
from labutils.exercises.assembly import assembled
from labutils.exercises.predictions import outcome, predict
from labutils.exercises.summary import progress

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
