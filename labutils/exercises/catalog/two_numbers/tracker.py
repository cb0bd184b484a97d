"""two.tracker · Repair a latency tracker · 12 minutes

> Take the stories one at a time: each is one line of the class, or two. For the next one, ask what
  the method should have known or said.
> No measurement is float('nan'), no answer is math.inf, and a wait begins when the request was due.
  A window in time needs to know when each request ended. Only counts can be merged.
> `return math.nan`; append (done_ms, done_ms - due_ms if ok else math.inf), to a plain list; let
  `in_window` end in `if done_ms > now_ms - self.window_ms`; and let `report` return
  dict(Counter(self.in_window(now_ms))).

Five lines, five ways to look healthy. *Nothing measured* is not 0. *A failure* is an answer that
never comes: counted as infinitely late, it moves the p99 as soon as it exceeds 1 %, as it should.
*The wait* begins when the request was due, or a client that was held up hides the stall. *A window*
in requests spans a second at noon and an hour at night, and slow hosts, which finish fewer
requests, remember for longer. And *a report* of percentiles is the end of the road: only counts can
be added across hosts. labutils.latency.SlidingWindow is this class, grown up: it also forgets what
has left the window, so that its memory does not grow.
"""

from dataclasses import replace

from labutils.exercises.checkers import Stories
from labutils.exercises.definition.sheet import exercise, mistakes_in
from labutils.exercises.definition.verdict import Status, Verdict
from labutils.exercises.running import guard

from . import trackers
from .tracker_stories import RUSHED, STORIES, WINDOW_MS

PER_S = 2_000  # a busy service: so many requests end in a second


class _Unbounded(Stories):
    """``Stories`` and one check more: a tracker holds all requests of a busy minute."""

    def check(self, answer) -> Verdict:
        verdict = super().check(answer)
        most, busy = _most_records(answer), PER_S * WINDOW_MS // 1000
        in_the_rush = verdict.status is Status.wrong and RUSHED in verdict.message
        if most is None or most >= busy or not (verdict.passed or in_the_rush):
            return verdict
        message = (
            f"{trackers.COUNTS} Yours holds {most:,}; at {PER_S:,} requests a second {busy:,} end "
            "within a window."
        )
        return replace(
            verdict,
            status=Status.misconception,
            message=message if verdict.passed else f"{message} {verdict.message}",
            diagnosis="still-a-count-window",
        )


def _most_records(make) -> int | None:
    """How many entries the shortest bounded deque in a new tracker can hold; None without one."""
    tracker = guard.run(make, WINDOW_MS, seconds=1.0).value
    lengths = [
        getattr(value, "maxlen", None) for value in getattr(tracker, "__dict__", {}).values()
    ]
    return min((length for length in lengths if length is not None), default=None)


TRACKER = exercise(
    __doc__,
    _Unbounded(
        stories=STORIES,
        reference=trackers.LatencyTracker,
        start=trackers.HandedOut,
        misconceptions=mistakes_in(trackers.Wrong),
    ),
)
