"""Repair a latency tracker that five stories make look foolish."""

from dataclasses import replace

from labutils.exercises.checkers import Stories
from labutils.exercises.definition.exercise import Exercise, Misconception
from labutils.exercises.definition.verdict import Status, Verdict
from labutils.exercises.trials import guard

from . import trackers
from .tracker_stories import RUSHED, STORIES, WINDOW_MS

PER_S = 2_000  # a busy service: so many requests end in a second
_COUNTS = (
    "Old requests now go, and in a rush new ones go too: how many records does your list hold at "
    "most?"
)


class _Unbounded(Stories):
    """``Stories`` whose trackers must also hold a busy minute, too long a story to be told."""

    def check(self, answer) -> Verdict:
        verdict = super().check(answer)
        most, busy = _most_records(answer), PER_S * WINDOW_MS // 1000
        in_the_rush = verdict.status is Status.wrong and RUSHED in verdict.message
        if most is None or most >= busy or not (verdict.passed or in_the_rush):
            return verdict
        message = (
            f"{_COUNTS} Yours holds {most:,}; at {PER_S:,} requests a second {busy:,} end within "
            "a window."
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


TRACKER = Exercise(
    id="two.tracker",
    title="Repair a latency tracker",
    minutes=12,
    checker=_Unbounded(
        stories=STORIES,
        reference=trackers.LatencyTracker,
        start=trackers.HandedOut,
        misconceptions=(
            Misconception(
                "zero-for-nothing",
                trackers.ZeroForNothing,
                "An empty window has no latency, and 0 ms is one. What stands for it here?",
            ),
            Misconception(
                "drops-failures",
                trackers.DropsFailures,
                "Requests that failed are left out, as if nobody had asked.",
            ),
            Misconception(
                "failures-as-quick-answers",
                trackers.FailuresAsAnswers,
                "A failure now counts as an answer, and a quick one. How long does somebody wait "
                "for an answer that never comes?",
            ),
            Misconception(
                "from-the-send",
                trackers.CountsFromTheSend,
                "Your latency begins with the send. When did the user's wait begin?",
            ),
            Misconception(
                "the-delay-alone",
                trackers.CountsTheDelayAlone,
                "You record how late a request was sent. The user waits longer than that: until "
                "when?",
            ),
            Misconception(
                "interpolates",
                trackers.Interpolates,
                "Your percentile lies between two requests, as np.percentile and np.quantile "
                "compute it. Here it is a request: number ⌈q n⌉ of n, 1 for the fastest.",
            ),
            Misconception(
                "a-place-too-far",
                trackers.APlaceTooFar,
                "Your percentile stands one place too far where q n is a whole number. At which "
                "index does a list hold its number ⌈q n⌉?",
            ),
            Misconception(
                "never-forgets",
                trackers.NeverForgets,
                "Requests of long ago still count. What would your class have to know about a "
                "request, to leave it out in time?",
            ),
            Misconception(
                "still-a-count-window",
                trackers.StillCounts,
                _COUNTS,
            ),
            Misconception(
                "window-not-by-the-end",
                trackers.WindowByDueTime,
                "A request that waited for longer than the window, and has just ended, is missing. "
                "Which of its three times says whether it belongs to the window?",
            ),
            Misconception(
                "never-empty-again",
                trackers.NeverEmptyAgain,
                "A window in which nothing ended is empty, whatever happened before it. What does "
                "your class say then?",
            ),
            Misconception(
                "reports-percentiles",
                trackers.ReportsPercentiles,
                "Your report holds percentiles. Those of two hosts cannot be combined: which "
                "numbers can?",
            ),
            Misconception(
                "reports-answers-only",
                trackers.ReportsAnswersOnly,
                "Your report leaves out the requests that failed. Which key says how late they "
                "are?",
            ),
            Misconception(
                "reports-everything",
                trackers.ReportsEverything,
                "Your report counts requests that ended before the window.",
            ),
        ),
    ),
    hints=(
        "Take the stories one at a time: each is one line of the class, or two. For the next one, "
        "ask what the method should have known or said.",
        "No measurement is float('nan'), no answer is math.inf, and a wait begins when the request "
        "was due. A window in time needs to know when each request ended. Only counts can be "
        "merged.",
        "`return math.nan`; append (done_ms, done_ms - due_ms if ok else math.inf), to a plain "
        "list; let `in_window` end in `if done_ms > now_ms - self.window_ms`; and let `report` "
        "return dict(Counter(self.in_window(now_ms))).",
    ),
    explanation=(
        "Five lines, five ways to look healthy. *Nothing measured* is not 0. *A failure* is an "
        "answer that never comes: counted as infinitely late, it moves the p99 as soon as it "
        "exceeds 1 %, as it should. *The wait* begins when the request was due, or a client that "
        "was held up hides the stall. *A window* in requests spans a second at noon and an hour at "
        "night, and slow hosts, which finish fewer requests, remember for longer. And *a report* "
        "of percentiles is the end of the road: only counts can be added across hosts. "
        "labutils.latency.SlidingWindow is this class, grown up: it also forgets what has left the "
        "window, so that its memory does not grow."
    ),
)
