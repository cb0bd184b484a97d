"""Values and calls as text that can be pasted into a cell."""

import inspect
from collections.abc import Callable, Sequence

import numpy as np

from labutils.exercises.comparing.compare import scalar
from labutils.exercises.running import guard

MOST_CHARACTERS = 1200
_REPR_SECONDS = 0.5
_MOST_UNNAMED = 4
_DEEPEST = 20  # levels of lists in lists; a list may even hold itself


def call_text(
    function: Callable, fallback: Callable, args: tuple, *, names: Sequence[str] = ()
) -> str:
    """``name(arg, ...)`` with the learner's function name, or the workbook's for a lambda.

    With ``names`` every argument but the first is written with its name. Many arguments bear their
    names anyhow, or nobody could tell which is which.
    """
    name = name_for(function, fallback, "your_function")
    given = [literal(arg) for arg in args]
    if names:
        given[1:] = [f"{key}={text}" for key, text in zip(names[1:], given[1:])]
    elif len(args) > _MOST_UNNAMED:
        given = [f"{key}{text}" for key, text in zip(_keys(function, len(args)), given)]
    return shortened(f"{name}({', '.join(given)})")


def _keys(function: Callable, number: int) -> list[str]:
    """``name=`` for each of the arguments, or nothing where they cannot be given by name."""
    try:
        named = [*inspect.signature(function).parameters.values()][:number]
    except (TypeError, ValueError):
        return [""] * number
    if len(named) < number or any(one.kind is not one.POSITIONAL_OR_KEYWORD for one in named):
        return [""] * number
    return [f"{one.name}=" for one in named]


def name_for(learners: Callable, ours: Callable, otherwise: str) -> str:
    """The learner's name for what they wrote, or the workbook's where they gave it none."""
    names = (_own_name(learners), _own_name(ours).lstrip("_"))
    return next((name for name in names if name.isidentifier()), otherwise)


def literal(value, levels: int = _DEEPEST) -> str:
    """``value`` as Python source, where there is one; numpy goes by the name ``np``.

    What lies more than ``levels`` lists deep is left out.
    """
    if isinstance(value, np.generic):
        return literal(scalar(value))
    if isinstance(value, np.ndarray):
        dtype = "" if value.size else f", dtype=np.{value.dtype}"
        return f"np.array({literal(value.tolist())}{dtype})"
    if not levels:
        return "..."
    if type(value) in (list, tuple):
        return _bracketed(value, levels - 1)
    if type(value) is dict:
        inner = levels - 1
        pairs = (f"{literal(key, inner)}: {literal(item, inner)}" for key, item in value.items())
        return f"{{{', '.join(pairs)}}}"
    return _float(value) if isinstance(value, float) else _own(value)


def shortened(text: str) -> str:
    """``text``, cut in the middle where it is too long to read."""
    if len(text) <= MOST_CHARACTERS:
        return text
    half = MOST_CHARACTERS // 2
    return f"{text[:half]} ... {text[-half:]}"


def _bracketed(value, levels: int) -> str:
    inner = ", ".join(literal(item, levels) for item in value)
    if type(value) is list:
        return f"[{inner}]"
    return f"({inner},)" if len(value) == 1 else f"({inner})"


def _float(value: float) -> str:
    text = repr(float(value))
    return f"float({text!r})" if text in ("nan", "inf", "-inf") else text


def _own_name(function) -> str:
    try:
        return str(getattr(function, "__name__", ""))
    except Exception:  # a learner's own __getattr__
        return ""


def _digits(value) -> str:
    try:
        return repr(value)
    except ValueError:  # Python refuses to write thousands of digits
        return f"<an integer of {value.bit_length()} bits>"


def _own(value) -> str:
    """A value's own words, of a long text the beginning; a ``__repr__`` may raise, or never end."""
    if type(value) in (str, bytes):
        return repr(value[: 2 * MOST_CHARACTERS])
    if type(value) in (int, bool, type(None)):
        return _digits(value)
    words = guard.run(repr, value, seconds=_REPR_SECONDS).value
    return f"<{type(value).__name__}>" if words is None else words
