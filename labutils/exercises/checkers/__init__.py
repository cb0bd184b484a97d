"""The kinds of answer that an exercise can ask for, each with its verdicts.

Two rooms: ``numbers`` (a value, an estimate) and ``code`` (a function, a class, asyncio code, a
piece of the engine), which runs it. Beside them ``choice`` and ``sorting``. Begin with
``numbers/number``.
"""

from labutils.exercises.checkers.choice import Choice
from labutils.exercises.checkers.code.function import Function
from labutils.exercises.checkers.code.piece import Piece, piece_of
from labutils.exercises.checkers.code.rehearsals import Rehearsals
from labutils.exercises.checkers.code.stories import Stories
from labutils.exercises.checkers.numbers.estimate import Estimate
from labutils.exercises.checkers.numbers.number import Number
from labutils.exercises.checkers.sorting import SortedCard, Sorting
from labutils.exercises.comparing.trial import Property
from labutils.exercises.stories.script import Call, New, Read
from labutils.exercises.stories.story import Story

__all__ = [
    "Call",
    "Choice",
    "Estimate",
    "Function",
    "New",
    "Number",
    "Piece",
    "Property",
    "Read",
    "Rehearsals",
    "SortedCard",
    "Sorting",
    "Stories",
    "Story",
    "piece_of",
]
