"""Which clock a learner's code reads, told from the code: what a clock says is chance."""

import inspect
from collections.abc import Callable, Iterator
from types import CodeType, FunctionType

CLOCKS = ("monotonic", "perf_counter", "process_time", "default_timer", "datetime", "utcnow")
LOOPS = ("get_running_loop", "get_event_loop")


def clock_read_by(function: Callable) -> str | None:
    """The name of a clock of the machine that ``function`` reads, by itself or by a helper that
    stands beside it; None if it reads none. A loop's own ``time()`` is none of them.
    """
    read = (_clock_in(one) for one in _with_helpers(inspect.unwrap(function)))
    return next(filter(None, read), None)


def _with_helpers(function: Callable, known: tuple = ()) -> Iterator[FunctionType]:
    """``function`` and the functions of the same module, or notebook, whose names it uses."""
    if not isinstance(function, FunctionType) or function in known:
        return
    yield function
    for name in names_in(function.__code__):
        helper = function.__globals__.get(name)
        if getattr(helper, "__globals__", None) is function.__globals__:
            yield from _with_helpers(helper, (*known, function))


def _clock_in(function: FunctionType) -> str | None:
    """The clock that a function reads itself."""
    names = list(names_in(function.__code__))
    for name in names:
        real = getattr(function.__globals__.get(name), "__name__", name)  # from time import … as …
        if str(real).removesuffix("_ns") in CLOCKS:
            return real
    return "time.time" if _reads_time(function, names) else None


def _reads_time(function: FunctionType, names: list[str]) -> bool:
    """Whether ``time`` in the code is the module, and not the method of a loop."""
    is_local = "time" in function.__code__.co_varnames
    is_module = is_local or inspect.ismodule(function.__globals__.get("time"))
    return is_module and "time" in names and not set(LOOPS) & set(names)


def names_in(code: CodeType) -> Iterator[str]:
    """The global names and attributes that a code uses, also in functions defined in it."""
    yield from code.co_names
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from names_in(inner)
