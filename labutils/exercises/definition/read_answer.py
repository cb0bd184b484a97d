"""Reading a number out of what a learner hands in: numbers of every make, text with units."""

import math
from decimal import Decimal
from numbers import Complex, Real

import numpy as np

from labutils.ground.units import UnreadableQuantity, parse

_WORDS = {
    "1": "a plain number, without a unit",
    "s": "one number in seconds",
    "B": "one number in bytes",
    "1/s": "one number per second",
    "$": "one number in dollars",
}


def read_number(answer, unit: str) -> float:
    """Return ``answer`` as a finite float in ``unit``.

    Takes numbers (numpy's, fractions, decimals, arrays and tensors without dimensions too) and
    text with a unit of the same kind ("40 ms" for "s"). Raises ``UnreadableQuantity`` with a
    sentence for the learner, or ``WrongDimension`` where the text measures something else.
    """
    answer = _without_dimensions(answer)
    if isinstance(answer, str):
        return parse(answer, unit)
    if isinstance(answer, bool) or not isinstance(answer, Real | Decimal):
        raise UnreadableQuantity(f"{_kind(answer)} Expected: {expected_in_words(unit)}.")
    return _finite(answer, unit)


def expected_in_words(unit: str) -> str:
    """What a number in ``unit`` is called in a sentence."""
    return _WORDS.get(unit, f"one number in {unit}")


def _finite(answer, unit: str) -> float:
    try:
        value = float(answer)
    except (OverflowError, ValueError):  # an integer of 400 digits, a signalling NaN
        value = math.inf
    if math.isnan(value):
        problem = "That is not a number (nan): somewhere 0/0 or a missing value went in."
    elif math.isinf(value):
        problem = "That is infinite or too large to hold: was something divided by zero?"
    else:
        return value
    raise UnreadableQuantity(f"{problem} Expected: {expected_in_words(unit)}.")


def _without_dimensions(answer):
    """Unwrap arrays and tensors that hold one number without a dimension."""
    if getattr(answer, "ndim", None) == 0 and hasattr(answer, "item"):
        return answer.item()
    return answer


def _kind(answer) -> str:
    """A sentence on what the answer is instead of a number; never its contents."""
    if answer is None:
        return "That is None: does a function lack its return?"
    if answer is ...:
        return "That is still the placeholder `...`."
    if isinstance(answer, bool):
        return "That is a truth value."
    if isinstance(answer, Complex):
        return "That is a complex number."
    if callable(answer):
        return "That is a function: call it, and hand in the result."
    if isinstance(answer, np.ndarray):
        return f"That is an array of shape {answer.shape}."
    if isinstance(answer, list | tuple | set | frozenset | dict):
        entries = "1 entry" if len(answer) == 1 else f"{len(answer)} entries"
        return f"That is a {type(answer).__name__} with {entries}."
    return f"That is an object of type {type(answer).__name__}."
