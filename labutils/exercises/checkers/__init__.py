"""The kinds of answer that an exercise can ask for."""

from labutils.exercises.checkers.choice import Choice
from labutils.exercises.checkers.estimate import Estimate
from labutils.exercises.checkers.function import Function
from labutils.exercises.checkers.number import Number
from labutils.exercises.checkers.piece import Piece, piece_of
from labutils.exercises.checkers.rehearsals import Rehearsals
from labutils.exercises.checkers.sorting import SortedCard, Sorting
from labutils.exercises.checkers.stories import Stories
from labutils.exercises.script import Call, New, Read
from labutils.exercises.story import Story
from labutils.exercises.trial import Property

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
