"""Comparing a learner's result with the expected one: lists, tuples and arrays mean the same."""

import math
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, replace
from decimal import Decimal
from numbers import Complex

import numpy as np

from labutils.exercises.comparing.kept import length
from labutils.exercises.running import guard

_LOOK_SECONDS = 2.0
DEEPEST_SHAPE = 16  # levels of lists that are looked into for a shape
_ATOMS = (int, float, bool, str, type(None))
SINGLE = 1e-6  # relative: 17 roundings of a float32, whose step is 1.2e-7; float64 has 2.2e-16


@dataclass(frozen=True)
class Mismatch:
    """Where two results part: ``kind`` is "type", "length", "keys" or "value"."""

    kind: str
    text: str


@dataclass(frozen=True)
class Comparison:
    """Equality within ``relative`` of the expected number or ``absolute``, whichever is wider.

    A result in float32 (torch's default) agrees within ``SINGLE``: its digits end there.
    """

    relative: float
    absolute: float

    def mismatch(self, got, expected, where: str = "the result") -> Mismatch | None:
        """The first place where ``got`` differs from ``expected``, or ``None``."""
        if self.relative < SINGLE and is_single_precision(got):
            return replace(self, relative=SINGLE).mismatch(got, expected, where)
        got, expected = plain(got), plain(expected)
        for kind, compare in (
            (is_number, self._numbers),
            (is_sequence, self._sequences),
            (_is_mapping, self._mappings),
        ):
            if kind(expected):
                return compare(got, expected, where) if kind(got) else _types(got, expected, where)
        return self._others(got, expected, where)

    def agrees(self, got, expected) -> bool:
        """Whether both are the same; what raises or never ends when looked into is not."""
        look = self.look(got, expected)
        return not look.timed_out and look.error is None and look.value is None

    def look(self, got, expected) -> guard.Run:
        """``mismatch`` as the value of a run, which a type of the learner's own may break."""
        if _is_built_in(got):
            return guard.Run(self.mismatch(got, expected))
        return guard.run(self.mismatch, got, expected, seconds=_LOOK_SECONDS)

    def _numbers(self, got, expected, where) -> Mismatch | None:
        if isinstance(expected, bool) != isinstance(got, bool):
            return _types(got, expected, where)
        return None if self._equal(got, expected) else Mismatch("value", f"{where} differs")

    def _equal(self, got, expected) -> bool:
        if got == expected or (got != got and expected != expected):
            return True
        try:
            distance, size = abs(complex(got) - complex(expected)), abs(complex(expected))
        except OverflowError:  # integers beyond a float's range, and not equal
            return False
        return math.isfinite(distance) and distance <= max(self.relative * size, self.absolute)

    def _sequences(self, got, expected, where) -> Mismatch | None:
        if length(got) != length(expected):
            text = f"{where} has length {length(got)}, expected {length(expected)}"
            return Mismatch("length", text)
        for index, (mine, theirs) in enumerate(zip(got, expected)):
            found = self.mismatch(mine, theirs, f"{where}[{index}]")
            if found:
                return found
        return None

    def _mappings(self, got, expected, where) -> Mismatch | None:
        if got.keys() != expected.keys():
            return Mismatch("keys", f"{where} has other keys than expected")
        for key, theirs in expected.items():
            found = self.mismatch(got[key], theirs, f"{where}[{key!r}]")
            if found:
                return found
        return None

    def _others(self, got, expected, where) -> Mismatch | None:
        if isinstance(expected, Set) and isinstance(got, Set):
            return None if got == expected else Mismatch("value", f"{where} differs")
        if type(got) is not type(expected) and not _equal_objects(got, expected):
            return _types(got, expected, where)
        return None if _equal_objects(got, expected) else Mismatch("value", f"{where} differs")


def is_single_precision(value) -> bool:
    """Whether an array, a tensor or a number of numpy's holds 32-bit floats."""
    return str(getattr(value, "dtype", "")) in ("float32", "torch.float32")


def type_in_words(value) -> str:
    """What a value is, as a learner would say it."""
    value = plain(value)
    names = ((bool, "True or False"), (Complex, "a number"), (str, "a text"), (type(None), "None"))
    for kind, name in names:
        if isinstance(value, kind):
            return name
    if is_sequence(value):
        return "a list, a tuple or an array"
    if _is_mapping(value) and "shape" in value:  # the workbook's own record of a tensor
        return f"a tensor of shape {list(value['shape'])}"
    name = type(value).__name__
    return f"{'an' if name[:1].lower() in 'aeiou' else 'a'} {name}"


def scalar(value: np.generic):
    """A number of numpy's as one of Python's: a float for one that is longer than Python's."""
    item = value.item()
    if isinstance(item, np.generic):
        return complex(item) if isinstance(item, np.complexfloating) else float(item)
    return item


def plain(value):
    """Arrays and tensors as nested lists, numpy's scalars and decimals as Python's numbers."""
    if isinstance(value, np.generic):
        return scalar(value)
    if isinstance(value, Decimal) and not value.is_snan():
        return float(value)
    if hasattr(value, "detach"):  # a torch tensor that tracks gradients refuses to become an array
        value = value.detach().cpu()
    if hasattr(value, "__array__") and hasattr(value, "ndim"):
        return np.asarray(value).tolist()
    return value


def _is_built_in(value) -> bool:
    """Whether it is a plain value or a flat list of them: nothing in it can raise or hang."""
    flat = type(value) in (list, tuple)
    return all(type(one) in _ATOMS for one in (value if flat else (value,)))


def shape(value, levels: int = DEEPEST_SHAPE) -> tuple[int, ...] | None:
    """The shape of an array or a tensor, or of lists that could be one; None of anything else.

    Lists may be ``levels`` deep; numpy's own limit is 64.
    """
    if hasattr(value, "whole"):  # the beginning of a result, not the whole of it
        return None
    if hasattr(value, "shape"):
        return tuple(value.shape)
    if is_number(value):
        return ()
    if type(value) not in (list, tuple) or not value or not levels:
        return None
    inner = {shape(one, levels - 1) for one in value}
    return None if len(inner) > 1 or None in inner else (len(value), *inner.pop())


def is_number(value) -> bool:
    """Whether it is a number of any kind, a truth value too."""
    return isinstance(value, Complex)


def is_sequence(value) -> bool:
    """Whether it has its items in an order, and is no text."""
    return isinstance(value, Sequence) and not isinstance(value, str | bytes)


def _is_mapping(value) -> bool:
    return isinstance(value, Mapping)


def _types(got, expected, where) -> Mismatch:
    return Mismatch("type", f"{where} is {type_in_words(got)}, expected {type_in_words(expected)}")


def _equal_objects(got, expected) -> bool:
    try:
        return bool(got == expected)
    except Exception:  # a learner's own __eq__, or one that answers with an array
        return False
