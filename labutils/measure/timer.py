"""The timer: warm up, wait for the device, repeat, keep every duration.

What makes a first measurement wrong:

- *Cold start.* The first call loads libraries, fills caches, picks a routine, lets the processor
  raise its clock. Warm-up calls are made and not counted.
- *No synchronisation.* A call on a GPU returns when the work is queued, not when it is done. Pass
  ``synchronize``; the clock then starts on an idle device and stops when the result is there.
- *One run.* The next one differs. Repeat, quote the median and show the spread.
- *One after the other.* If a machine slows down half way, what came second looks slower. Things
  that are compared are timed in turn, so that a noisy moment hits all of them alike.
- *A call near the clock's step.* Make it longer (a loop inside) until thousands of steps pass.
"""

import time
from collections.abc import Callable, Hashable, Mapping

from labutils.ground.arguments import non_negative, whole
from labutils.measure.sharing import turn
from labutils.measure.timing import Timing

Call = Callable[[], object]


def timed(
    call: Call,
    *,
    repeats: int = 9,
    warm_up: int = 2,
    min_total_s: float = 0.2,
    synchronize: Call | None = None,
    clock: Callable[[], float] = time.perf_counter,
) -> Timing:
    """Time ``call()``, at least ``repeats`` times and until ``min_total_s`` seconds have passed.

    ``warm_up`` calls come first and do not count. ``synchronize`` waits until the device is idle
    (``synchronizer``); without it the call itself must return only when its work is done.
    ``clock`` returns seconds. What ``call`` raises goes on to the caller.

    Raises ``ValueError`` for a number of calls or seconds that cannot be.
    """
    return timed_in_turn(
        {"call": call},
        repeats=repeats,
        warm_up=warm_up,
        min_total_s=min_total_s,
        synchronize=synchronize,
        clock=clock,
    )["call"]


def timed_in_turn(
    calls: Mapping[Hashable, Call],
    *,
    repeats: int = 9,
    warm_up: int = 2,
    min_total_s: float = 0.2,
    synchronize: Call | None = None,
    clock: Callable[[], float] = time.perf_counter,
) -> dict[Hashable, Timing]:
    """Time several calls round after round, each once in every round; return a Timing for each.

    Rounds go on until there are ``repeats`` and ``min_total_s`` seconds have passed: a quick
    machine takes more rounds, a slow one is not kept waiting. Otherwise as ``timed``. In a class
    that shares a GPU (``labutils.measure.sharing``) the rounds wait for their turn.
    """
    repeats, warm_up = whole("repeats", repeats), whole("warm_up", warm_up, at_least=0)
    min_total_s = non_negative("min_total_s", min_total_s)
    if not calls:
        raise ValueError(f"calls = {calls!r}: expected at least one call")
    wait = synchronize or _nothing
    samples: dict[Hashable, list[float]] = {name: [] for name in calls}
    with turn("cuda" if synchronize else "cpu"):  # only a GPU is waited for
        _warm(calls, warm_up, wait)
        begin, rounds = clock(), 0
        while rounds < repeats or clock() - begin < min_total_s:
            for name, call in calls.items():
                samples[name].append(_once(call, wait, clock))
            rounds += 1
    return {name: Timing(tuple(durations)) for name, durations in samples.items()}


def _warm(calls: Mapping[Hashable, Call], times: int, wait: Call) -> None:
    for call in calls.values():
        for _ in range(times):
            call()
    wait()


def _once(call: Call, wait: Call, clock: Callable[[], float]) -> float:
    wait()  # what was queued before is not this call's
    begin = clock()
    call()
    wait()
    return clock() - begin


def _nothing() -> None:
    """Wait for nothing: a processor's call returns when its work is done."""
