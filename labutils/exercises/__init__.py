"""Exercises: ``predict``, ``check``, ``hint``, ``reveal``, ``outcome``, ``piece``, ``progress``.

Everything goes by explicit ids and explicit arguments. The definitions live in ``catalog``, one
module per chapter; an exercise brings a checker, diagnoses, three hints and an explanation.
"""

from types import ModuleType

from labutils.exercises import progress
from labutils.exercises.actions import check, hint, piece, reveal
from labutils.exercises.predictions import outcome, predict
from labutils.exercises.summary import summary


class _ProgressModule(ModuleType):
    """Lets ``progress()`` show the table: the word names the store's module and the learner's
    question, and a function of that name would hide the module from whoever imports it."""

    def __call__(self):
        return summary()


progress.__class__ = _ProgressModule

__all__ = ["check", "hint", "outcome", "piece", "predict", "progress", "reveal"]
