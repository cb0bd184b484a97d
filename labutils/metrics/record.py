"""What is recorded about one request."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from labutils.ground import arguments

from .definitions import LatencyDefinitions
from .status import RequestStatus, as_status

NOT_REACHED = math.nan


@dataclass(frozen=True, eq=False)
class RequestRecord(LatencyDefinitions):
    """One request, from the moment it was meant to arrive to its end. Times are seconds.

    ``intended_arrival_s`` is when the user asked, ``sent_s`` when the load generator got round to
    it, ``admitted_s`` when the server began to work on it, ``token_times_s`` when each output
    token came out (kept as a read-only array), ``finish_s`` when it ended, in whatever way
    ``status`` says. A time that was not reached is NaN. ``output_tokens`` may be left out where
    the token times are given; ``cached_tokens`` are those of the prompt that needed no work;
    ``preemptions`` count how often it lost its place.

    Times must be in that order and an "ok" request must have finished: ``ValueError`` otherwise.
    """

    id: str | int
    intended_arrival_s: float
    sent_s: float = NOT_REACHED
    admitted_s: float = NOT_REACHED
    token_times_s: Sequence[float] = ()
    finish_s: float = NOT_REACHED
    status: RequestStatus = RequestStatus.OK
    prompt_tokens: int = 0
    cached_tokens: int = 0
    output_tokens: int | None = None
    preemptions: int = 0
    tags: Mapping[str, object] = field(default_factory=dict)

    def __post_init__(self):
        for name, value in (
            *self._clean_times(),
            *self._clean_counts(),
            ("status", as_status("status", self.status)),
            ("tags", dict(self.tags)),
        ):
            object.__setattr__(self, name, value)
        self._check_order()
        self._check_tokens()
        if self.status is RequestStatus.OK and math.isnan(self.finish_s):
            raise ValueError("finish_s = nan: expected the time at which an 'ok' request finished")

    @property
    def first_token_s(self) -> float:
        """When the first token came out; NaN if none did or their times were not kept."""
        return float(self.token_times_s[0]) if self.token_times_s.size else NOT_REACHED

    @property
    def last_token_s(self) -> float:
        """When the last token came out, as ``first_token_s``."""
        return float(self.token_times_s[-1]) if self.token_times_s.size else NOT_REACHED

    @property
    def itl_s(self) -> np.ndarray:
        """Inter-token latencies: each single gap between one token and the next."""
        return np.diff(self.token_times_s)

    def _clean_times(self):
        yield "intended_arrival_s", _time("intended_arrival_s", self.intended_arrival_s)
        for name in ("sent_s", "admitted_s", "finish_s"):
            yield name, _time(name, getattr(self, name), may_be_missing=True)
        yield "token_times_s", _token_times(self.token_times_s)

    def _clean_counts(self):
        for name in ("prompt_tokens", "cached_tokens", "preemptions"):
            yield name, arguments.whole(name, getattr(self, name), at_least=0)
        tokens = self.output_tokens
        tokens = len(self.token_times_s) if tokens is None else tokens
        yield "output_tokens", arguments.whole("output_tokens", tokens, at_least=0)

    def _check_order(self):
        """Each time that was reached is no earlier than the one reached before it."""
        tokens = self.token_times_s
        steps = [
            (name, getattr(self, name)) for name in ("intended_arrival_s", "sent_s", "admitted_s")
        ]
        steps += [(f"token_times_s[{i}]", float(tokens[i])) for i in self._token_ends()]
        steps += [("finish_s", self.finish_s)]
        reached = [step for step in steps if not math.isnan(step[1])]
        for (before, earlier), (name, time) in pairwise(reached):
            if time < earlier:
                raise ValueError(f"{name} = {time!r}: expected at least {before} = {earlier!r}")

    def _token_ends(self) -> list[int]:
        """First and last token, and around the first one that runs backwards, if any does."""
        backwards = np.flatnonzero(np.diff(self.token_times_s) < 0)[:1]
        ends = {0, *backwards, *(backwards + 1), self.token_times_s.size - 1}
        return sorted(int(i) for i in ends) if self.token_times_s.size else []

    def _check_tokens(self):
        if self.token_times_s.size not in (0, self.output_tokens):
            raise ValueError(
                f"output_tokens = {self.output_tokens}: expected "
                f"{self.token_times_s.size}, the number of token_times_s"
            )
        if self.cached_tokens > self.prompt_tokens:
            raise ValueError(
                f"cached_tokens = {self.cached_tokens}: expected at most "
                f"prompt_tokens = {self.prompt_tokens}"
            )


def _time(name: str, value, *, may_be_missing: bool = False) -> float:
    if may_be_missing and isinstance(value, float) and math.isnan(value):
        return NOT_REACHED
    return arguments.finite(name, value)


def _token_times(times) -> np.ndarray:
    if hasattr(times, "__len__") and len(times) == 0:
        return _read_only(np.empty(0))
    return _read_only(arguments.sample("token_times_s", times).copy())


def _read_only(array: np.ndarray) -> np.ndarray:
    array.setflags(write=False)
    return array
