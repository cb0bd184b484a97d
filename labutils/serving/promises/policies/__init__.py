"""Schedulers that look at promises, each a few lines in the interface of the taught one.

1. ``promising``: what they share
2. ``lined_up``, ``ageing``, ``earliest_deadline``: another order of the queue
3. ``shedding``, ``token_buckets``: who is refused at the door
4. ``token_counters`` over ``counted`` and ``tenant_lines``: fair shares of tokens
5. ``promised_chunks``: how much of a prompt a step takes

A policy is found by its class in a file of this room (``every``); nothing has to list it.
"""

from importlib import import_module
from pkgutil import iter_modules

from .ageing import Ageing
from .counted import Counted
from .earliest_deadline import EarliestDeadline
from .lined_up import LinedUp, Waiting
from .promised_chunks import PromisedChunks
from .promising import Promising
from .shedding import Shedding
from .token_buckets import TokenBuckets
from .token_counters import TokenCounters, fairness_bound

__all__ = [
    "Ageing", "Counted", "EarliestDeadline", "LinedUp", "PromisedChunks", "Promising", "Shedding",
    "TokenBuckets", "TokenCounters", "Waiting", "every", "fairness_bound",
]  # fmt: skip


def every() -> dict[str, type[Promising]]:
    """Each policy of this room by the name of its class in words, such as "earliest deadline"."""
    files = [import_module(f"{__name__}.{file.name}") for file in iter_modules(__path__)]
    kinds = [kind for file in files for kind in vars(file).values() if isinstance(kind, type)]
    return {
        _in_words(kind.__name__): kind
        for kind in kinds
        if issubclass(kind, Promising) and kind.__module__.startswith(f"{__name__}.")
    }


def _in_words(name: str) -> str:
    """``"EarliestDeadline"`` as ``"earliest deadline"``."""
    return "".join(f" {one.lower()}" if one.isupper() else one for one in name).strip()


def __getattr__(name: str) -> type[Promising]:
    """A policy of the room that no line above imports."""
    if kind := every().get(_in_words(name)):
        return kind
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
