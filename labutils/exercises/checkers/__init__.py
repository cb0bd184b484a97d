"""The kinds of answer that an exercise can ask for."""

from labutils.exercises.checkers.choice import Choice
from labutils.exercises.checkers.estimate import Estimate
from labutils.exercises.checkers.function import Function
from labutils.exercises.checkers.number import Number
from labutils.exercises.trial import Property

__all__ = ["Choice", "Estimate", "Function", "Number", "Property"]
