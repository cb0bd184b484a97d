"""A script: what happens to one object, step by step, written as data.

Since steps are data, those that a failure does not need can be dropped, and what is left can be
printed as lines to paste.
"""

import copy
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from keyword import iskeyword
from typing import Any

from labutils.exercises.comparing.compare import type_in_words
from labutils.exercises.comparing.literal import literal, shortened

MOST_LINES = 16
_UNCHANGING = (int, float, str, bool, type(None))


class Unusable(Exception):
    """The object lacks what a script calls; the message is a sentence for the learner."""


@dataclass(frozen=True)
class New:
    """Make the object: ``New((60,), {})`` stands for ``tracker = LatencyTracker(60)``.

    In the middle of a script it makes another one, which must know nothing of the first.
    """

    args: tuple = ()
    kwargs: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self):
        _refuse_bad("New", self.args, self.kwargs)


@dataclass(frozen=True)
class Call:
    """Call a method for its effect: ``Call("record", (12.5, 0.04))``; its result is ignored."""

    method: str
    args: tuple = ()
    kwargs: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self):
        _refuse_bad(type(self).__name__, self.args, self.kwargs, self.method)


@dataclass(frozen=True)
class Read(Call):
    """Call a method for its result, which is compared: ``Read("percentile", (0.99,))``."""


@dataclass(frozen=True)
class Beside(Call):
    """Call a method of another object, ``made`` for this step, which must leave the first alone."""

    made: tuple = ()


@dataclass(frozen=True)
class Holds(Read):
    """Look whether all that the object holds is short when printed: fewer than so many characters.

    What grows with every call is not: ``Holds("vars", (1_000,))``.
    """


Step = New | Call


def act(step: Step, thing, make: Callable, args: tuple, kwargs: Mapping[str, Any]):
    """Perform one step; return the object and the result. Raises what the learner's code raises."""
    if isinstance(step, New):
        return make(*args, **kwargs), None
    if isinstance(step, Holds):
        return thing, len(repr(getattr(thing, "__dict__", ""))) < args[0]
    if isinstance(step, Beside):
        getattr(make(*step.made), step.method)(*args, **kwargs)
        return thing, None
    if not hasattr(thing, step.method) and not hasattr(type(thing), step.method):
        raise Unusable(
            f"The stories call the method `{step.method}`, and {type_in_words(thing)} has no "
            "method of that name."
        )
    method = getattr(thing, step.method)
    if not callable(method):
        raise Unusable(
            f"The stories call `{step.method}`, and yours is no method: it holds a value. Is "
            "there a `@property` above it, or an attribute of the same name?"
        )
    return thing, method(*args, **kwargs)


def own_arguments(script: Sequence[Step]) -> list[tuple[tuple, dict]]:
    """Copies of all arguments, for one run of the script."""
    given = [(step.args, dict(step.kwargs)) for step in script]
    if all(type(value) in _UNCHANGING for args, kwargs in given for value in _values(args, kwargs)):
        return given  # copying thousands of numbers would take longer than the learner's code
    return copy.deepcopy(given)


def _values(args: tuple, kwargs: Mapping[str, Any]) -> tuple:
    return (*args, *kwargs.values()) if kwargs else args


def lines(script: Sequence[Step], class_name: str, variable: str) -> list[str]:
    """The script as Python, one line a step; a long one without its middle."""
    written = [_line(step, class_name, variable) for step in script]
    if len(written) <= MOST_LINES:
        return written
    half = MOST_LINES // 2
    gap = f"# … {len(written) - 2 * half} more lines like these …"
    return [*written[:half], gap, *written[-half:]]


def variable_for(class_name: str) -> str:
    """What an object of the class is called: ``tracker`` for ``LatencyTracker``."""
    start = max((k for k, letter in enumerate(class_name) if letter.isupper()), default=0)
    word = class_name[start:].lower().strip("_")
    usable = word.isidentifier() and not iskeyword(word) and word != class_name
    return word if usable else "it"


def _line(step: Step, class_name: str, variable: str) -> str:
    if isinstance(step, Holds):
        return f"len(repr(vars({variable}))) < {step.args[0]:,}".replace(",", "_")
    given = [literal(value) for value in step.args]
    given += [f"{name}={literal(value)}" for name, value in step.kwargs.items()]
    if isinstance(step, New):
        called = f"{variable} = {class_name}"
    elif isinstance(step, Beside):
        called = f"{class_name}({', '.join(map(literal, step.made))}).{step.method}"
    else:
        called = f"{variable}.{step.method}"
    return shortened(f"{called}({', '.join(given)})")


def _refuse_bad(kind: str, args, kwargs, method: str = "a") -> None:
    if not isinstance(method, str) or not method.isidentifier():
        raise ValueError(f"{kind}: method = {method!r}: expected a method's name")
    if not isinstance(args, tuple):
        raise ValueError(f"{kind}({method!r}): args = {args!r}: expected a tuple of arguments")
    if not isinstance(kwargs, Mapping):
        raise ValueError(f"{kind}({method!r}): kwargs = {kwargs!r}: expected a dict by name")
