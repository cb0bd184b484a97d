"""The kinds of answer that an exercise can ask for, each with its verdicts.

Read ``number`` first (with ``scale`` and ``tolerance``), then ``estimate``, ``choice`` and
``sorting``. ``function``, ``stories`` and ``rehearsals`` run a learner's code; what they say of a
failure stands in ``feedback``, ``story_feedback`` and ``rehearsal_feedback``. ``piece`` tries
functions of the engine in their places. ``sheets`` reads exercises whose checker stands in the
text: a number, a choice, cards.
"""

from labutils.exercises.checkers.choice import Choice
from labutils.exercises.checkers.estimate import Estimate
from labutils.exercises.checkers.function import Function
from labutils.exercises.checkers.number import Number
from labutils.exercises.checkers.piece import Piece, piece_of
from labutils.exercises.checkers.rehearsals import Rehearsals
from labutils.exercises.checkers.sorting import SortedCard, Sorting
from labutils.exercises.checkers.stories import Stories
from labutils.exercises.stories.script import Call, New, Read
from labutils.exercises.stories.story import Story
from labutils.exercises.trials.trial import Property

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
