"""In what way a result is wrong: the same words for functions and for the methods of a class."""

import inspect
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from labutils.exercises.comparing.compare import (
    Comparison,
    is_number,
    is_sequence,
    is_single_precision,
    plain,
    shape,
    type_in_words,
)
from labutils.exercises.comparing.literal import shortened
from labutils.exercises.definition.verdict import Status


@dataclass(frozen=True)
class Fault:
    """In what way one call failed; ``name`` becomes the diagnosis where it is not empty.

    ``final`` faults need no further diagnosis: there is no result that could be like another.
    """

    status: Status
    message: str
    name: str = ""
    final: bool = False


OTHER_VALUE = Fault(Status.wrong, "")
"""A result of the right kind and shape with another value."""

_NEARLY = 1e-3  # relative; farther off, rounding is not what to look at first

UNREADABLE = "unreadable-result"
"""Name of the fault of a result whose entries cannot be had: it is not to be looked into again."""

NOTHING = "returns-nothing"
"""Name of the fault of a result that is None and should not be."""

OF_SHAPE = ("wrong-type", "wrong-length", "wrong-keys", "wrong-shape")
"""Names of faults that are to be said before anything about values."""


def is_stub(error) -> bool:
    """Whether this is the error of a line that is still to be replaced.

    A finished function, or torch, may raise ``NotImplementedError`` with words of its own.
    """
    if not isinstance(error, NotImplementedError):
        return False
    try:
        words = str(error)
    except Exception:  # words of a learner's own class
        return False
    return not words or "replace this line" in words


def beside_all(fault: Fault, results: Iterable, expected: Iterable) -> Fault:
    """The fault as it reads beside all ``results``, where None can be right ("nothing serves").

    None for a value, or a value for None, is then a wrong value like others. If every result is
    None, a `return` is missing all the same.
    """
    if fault.name not in (NOTHING, "wrong-type"):
        return fault
    found, kinds = set(map(type_in_words, results)), set(map(type_in_words, expected))
    nothing = type_in_words(None)
    is_value = nothing in kinds and found <= kinds and found != {nothing}
    return OTHER_VALUE if is_value else fault


def fault_of_value(
    value, expected, comparison: Comparison, *, printed: str = "", whose: str = "Your function"
) -> Fault | None:
    """What is wrong with a result, ``None`` if nothing is; ``whose`` begins the sentences."""
    look = comparison.look(value, expected)
    if look.error or look.timed_out:  # a type of the learner's own that cannot be looked into
        how = f"raises {shortened(repr(look.error))}" if look.error else "does not come to an end"
        message = f"Your result cannot be compared: looking into it {how}."
        return Fault(Status.wrong, message, UNREADABLE, final=True)
    found = look.value
    if found is None:
        return None
    if value is None:
        return _returns_nothing(printed, whose)
    if isinstance(value, Iterator) or inspect.isawaitable(value):
        return _returns_promise(value, expected, whose)
    if found.kind == "value":
        return _nan_for_a_number(value, expected) or _imprecise(value, expected) or OTHER_VALUE
    if found.kind in ("type", "length") and (shapes := _other_shapes(value, expected)):
        return shapes
    sentence = f"{found.text[0].upper()}{found.text[1:]}."
    return Fault(Status.wrong, sentence, f"wrong-{found.kind}")


def _other_shapes(value, expected) -> Fault | None:
    """Both shapes, where they differ and either result has more than one dimension."""
    mine, theirs = shape(value), shape(expected)
    if mine is None or theirs is None or mine == theirs or max(len(mine), len(theirs)) < 2:
        return None
    message = f"Your result has the shape {list(mine)}, expected {list(theirs)}."
    return Fault(Status.wrong, message, "wrong-shape")


def _returns_nothing(printed: str, whose: str) -> Fault:
    if printed:
        return Fault(
            Status.wrong,
            f"{whose} prints its result and returns None. Use `return` instead of `print`.",
            "prints-instead",
            final=True,
        )
    message = f"{whose} returns None. Is a `return` missing on this path, or does one say None?"
    return Fault(Status.wrong, message, NOTHING, final=True)


def _nan_for_a_number(value, expected) -> Fault | None:
    """NaN where a number was expected; it differs from itself, so no other words fit."""
    for index, (mine, theirs) in enumerate(_numbers(value, expected)):
        if mine != mine and theirs == theirs:
            where = "" if is_number(plain(value)) else f" at index {index}"
            message = (
                f"Your result is nan{where}. Dividing 0 by 0 gives it, inf - inf, and whatever is "
                "computed with nan: where does the first one come from?"
            )
            return Fault(Status.wrong, message, "nan")
    return None


def _numbers(value, expected) -> list[tuple]:
    """Numbers of both, side by side; of lists only the outermost ones."""
    mine, theirs = plain(value), plain(expected)
    if is_number(mine):
        return [(mine, theirs)]
    pairs = zip(mine, theirs) if is_sequence(mine) and is_sequence(theirs) else ()
    return [pair for pair in pairs if all(map(is_number, pair))]


def _imprecise(value, expected) -> Fault | None:
    """Numbers of 32 bits that are nearly right: their rounding may be all that is wrong."""
    nearly = Comparison(_NEARLY, 0.0)
    if not is_single_precision(value) or nearly.mismatch(value, expected):
        return None
    message = (
        "Your result is close, and its numbers are float32: they carry about seven digits, and "
        "sums and differences lose some. Compute in float64, and see whether that is all."
    )
    return Fault(Status.wrong, message, "single-precision")


def _returns_promise(value, expected, whose: str) -> Fault:
    if inspect.isawaitable(value):
        if inspect.iscoroutine(value):
            value.close()  # or Python warns that nobody awaited it
        message = f"{whose} returns a coroutine. Await it."
        return Fault(Status.wrong, message, "coroutine", final=True)
    kind = "a generator" if inspect.isgenerator(value) else f"a {type(value).__name__} object"
    return Fault(
        Status.wrong,
        f"{whose} returns {kind}, which yields its values later. {_instead(expected)}",
        "generator",
        final=True,
    )


def _instead(expected) -> str:
    """What to return in place of an iterator."""
    wanted = type_in_words(expected)
    if wanted.startswith("a list"):
        return "Return a list of them."
    end = ": did you mean `return` where it says `yield`?"
    return f"Return {wanted}{end}"
