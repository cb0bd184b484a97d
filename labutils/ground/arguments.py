"""Argument checks that every room shares: one wording for every bad input.

Each check takes the argument's name and value, returns the value in its clean form, and raises
``ValueError`` naming the argument, the value and what was expected.
"""

import math
from numbers import Real

import numpy as np


def positive(name: str, value) -> float:
    """``value`` as a float, if it is finite and above zero."""
    return _number(name, value, lambda x: x > 0, "a finite number above 0")


def non_negative(name: str, value) -> float:
    """``value`` as a float, if it is finite and at least zero."""
    return _number(name, value, lambda x: x >= 0, "a finite number of at least 0")


def finite(name: str, value) -> float:
    """``value`` as a float, if it is finite (a moment on some clock, which may be negative)."""
    return _number(name, value, lambda x: True, "a finite number")


def fraction(name: str, value) -> float:
    """``value`` as a float, if it lies strictly between 0 and 1 (a quantile, a confidence)."""
    return _number(name, value, lambda x: 0 < x < 1, "a number strictly between 0 and 1")


def share(name: str, value) -> float:
    """``value`` as a float, if it lies above 0 and at most at 1 (a share that may be whole)."""
    return _number(name, value, lambda x: 0 < x <= 1, "a share above 0 and at most 1")


def whole(name: str, value, *, at_least: int = 1, at_most: float = math.inf) -> int:
    """``value`` as an int, if it is a whole number from ``at_least`` to ``at_most``."""
    if not _is_finite(value) or value != math.floor(value) or value < at_least:
        raise _bad(name, value, f"a whole number of at least {at_least}")
    if value > at_most:
        raise _bad(name, value, f"at most {at_most:,}")
    return int(value)


def sample(name: str, values) -> np.ndarray:
    """``values`` as a one-dimensional float array, if it is non-empty and all finite."""
    try:
        array = np.asarray(values, dtype=float)
    except (TypeError, ValueError, OverflowError):
        raise _bad(name, values, "a one-dimensional sequence of numbers") from None
    if array.ndim != 1:
        raise _bad(name, f"shape {array.shape}", "a one-dimensional sequence of numbers")
    if array.size == 0:
        raise _bad(name, values, "at least one number")
    if not np.isfinite(array).all():
        at = int(np.flatnonzero(~np.isfinite(array))[0])
        raise ValueError(f"{name}[{at}] = {array[at]}: expected finite numbers only")
    return array


def _number(name, value, accepts, expected) -> float:
    if not _is_finite(value) or not accepts(value):
        raise _bad(name, value, expected)
    return float(value)


def _is_finite(value) -> bool:
    if not isinstance(value, Real) or isinstance(value, bool):
        return False
    try:
        return math.isfinite(value)
    except OverflowError:  # a whole number that no float can hold
        return False


def _bad(name, value, expected) -> ValueError:
    return ValueError(f"{name} = {value!r}: expected {expected}")
