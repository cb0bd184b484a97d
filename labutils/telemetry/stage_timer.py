"""Stages of a request as spans, and the tokens of an answer as marks on one.

A stopwatch around a call loses the time of a call that raises, times an ``async`` function's making
instead of its running, and counts a stage within a stage twice. A span ends in every case, the
decorator awaits inside of it, and ``exclusive_times`` counts every moment once.
"""

import functools
import inspect
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import pairwise

from labutils.telemetry import conventions
from labutils.telemetry.attributes import flat_attributes


@contextmanager
def stage(tracer, name: str, **attributes) -> Iterator:
    """``with stage(tracer, "embed", texts=3) as span:`` times a stretch of code, awaits included.

    What it raises is recorded as the span's error, a cancellation too, and goes on. ``tracer`` is
    OpenTelemetry's; without an SDK set up it costs next to nothing and records nothing.
    """
    with tracer.start_as_current_span(name, attributes=flat_attributes(attributes)) as span:
        try:
            yield span
        except BaseException as error:
            span.set_attribute(conventions.ERROR_TYPE, type(error).__qualname__)
            if not isinstance(error, Exception):  # the API passes these over: a cancelled stage
                _record(span, error)
            raise


def staged(tracer, name: str | None = None, **attributes) -> Callable:
    """Decorator: each call of the function, plain or ``async``, is a stage, named after it.

    Raises ``ValueError`` for a generator, whose work is done by whoever reads it: put ``stage``
    around the loop that does.
    """

    def decorate(function: Callable) -> Callable:
        if inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
            raise ValueError(f"function = {function!r}: expected no generator")
        called = name or function.__name__

        @functools.wraps(function)
        def run(*args, **kwargs):
            with stage(tracer, called, **attributes):
                return function(*args, **kwargs)

        @functools.wraps(function)
        async def run_async(*args, **kwargs):
            with stage(tracer, called, **attributes):
                return await function(*args, **kwargs)

        return run_async if inspect.iscoroutinefunction(function) else run

    return decorate


class TokenMarks:
    """What one span for a whole answer hides: time to the first token, and the gaps between them.

    Make it where the generation starts, call ``token`` for each token and ``finish`` at the end,
    whatever that is.
    """

    def __init__(self, span, *, clock: Callable[[], float] = time.perf_counter):
        self._span, self._clock = span, clock
        self._times_s = [clock()]

    def token(self) -> None:
        """A token came out. The first one is an event of the span, and its time an attribute."""
        self._times_s.append(self._clock())
        if len(self._times_s) == 2:
            self._span.add_event("first token")
            waited = self._times_s[1] - self._times_s[0]
            self._span.set_attribute(conventions.TIME_TO_FIRST_CHUNK, waited)

    def finish(self) -> None:
        """Write down the number of tokens, their mean gap and the longest one, in seconds."""
        tokens = self._times_s[1:]
        gaps = [later - earlier for earlier, later in pairwise(tokens)]
        self._span.set_attribute(conventions.OUTPUT_TOKENS, len(tokens))
        if gaps:
            self._span.set_attribute(conventions.TIME_PER_OUTPUT_TOKEN, sum(gaps) / len(gaps))
            self._span.set_attribute(conventions.LONGEST_GAP, max(gaps))


def _record(span, error: BaseException) -> None:
    from opentelemetry.trace import StatusCode

    span.record_exception(error)
    span.set_status(StatusCode.ERROR, f"{type(error).__name__}: {error}".rstrip(": "))
