"""Repair a latency tracker that five stories make look foolish."""

from labutils.exercises.checkers import Call, New, Read, Stories, Story
from labutils.exercises.definition.exercise import Exercise, Misconception
from labutils.exercises.definition.verdict import Status, Verdict
from labutils.exercises.trials import guard

from . import trackers

WINDOW_MS = 60_000
RUSH = 2_200  # requests in a window: no list of a thousand or two holds them


PER_S = 2_000  # a busy service: so many requests end in a second
_COUNTS = (
    "Old requests now go, and in a rush new ones go too: how many records does your list hold at "
    "most?"
)


class _Unbounded(Stories):
    """``Stories`` whose trackers must also hold a busy minute, too long a story to be told."""

    def check(self, answer) -> Verdict:
        verdict = super().check(answer)
        most = _most_records(answer) if verdict.passed else None
        busy = PER_S * WINDOW_MS // 1000
        if most is None or most >= busy:
            return verdict
        message = (
            f"{_COUNTS} Yours holds {most:,}; at {PER_S:,} requests a second {busy:,} end within "
            "a window."
        )
        return Verdict(Status.misconception, message, diagnosis="still-a-count-window")


def _most_records(make) -> int | None:
    """How many entries the shortest bounded deque in a new tracker can hold; None without one."""
    tracker = guard.run(make, WINDOW_MS, seconds=1.0).value
    lengths = [
        getattr(value, "maxlen", None) for value in getattr(tracker, "__dict__", {}).values()
    ]
    return min((length for length in lengths if length is not None), default=None)


def _quiet_night(draw):
    yield New((WINDOW_MS,))
    now_ms = draw.whole(100_000, 999_999)
    yield Call("report", (now_ms,))  # so that a class without it hears of that at once
    yield Read("percentile", (draw.pick([0.5, 0.95, 0.99]), now_ms))


def _outage(draw):
    """Six in fourteen fail, and fast; sent when due, all within the window.

    The median is number 7 of 14: neither number 8 nor a value between the two.
    """
    yield New((WINDOW_MS,))
    latencies_ms = draw.shuffled([*draw.times(8, 15, 60, digits=0), *[None] * 6])
    for due_ms, latency_ms in zip(_moments(draw, 14, 1_000, 40_000), latencies_ms, strict=True):
        ok = latency_ms is not None
        yield Call("record", (due_ms, due_ms, due_ms + (latency_ms if ok else 2)), {"ok": ok})
    now_ms = draw.whole(41_000, 50_000)
    yield Read("percentile", (0.5, now_ms))
    yield Read("percentile", (0.95, now_ms))


def _stall(draw):
    """The server freezes; what was due meanwhile is sent when it goes on."""
    yield New((WINDOW_MS,))
    thaw_ms = draw.whole(9_000, 12_000)
    for due_ms in _moments(draw, 11, 1_000, 15_000):
        sent_ms = due_ms if due_ms < 5_000 else max(due_ms, thaw_ms)
        yield Call("record", (due_ms, sent_ms, sent_ms + _quick(draw)))
    for q in (0.5, 0.95):
        yield Read("percentile", (q, 20_000))


def _morning_after(draw):
    """Old slow requests must go, however few came since; new ones must stay, however many."""
    yield New((WINDOW_MS,))
    for done_ms in _moments(draw, 7, 3_000, 49_000):
        yield _ended(done_ms, draw.whole(2_000, 3_000))
    for done_ms in _moments(draw, 4, 150_000, 199_000):
        yield _ended(done_ms, _quick(draw))
    yield Read("percentile", (0.9, 200_000))
    for number, done_ms in enumerate(_moments(draw, RUSH, 303_000, 355_000)):
        slow = number < RUSH // 8
        yield _ended(done_ms, draw.whole(1_000, 3_000) if slow else _quick(draw))
    yield Read("percentile", (0.9, 359_000))
    yield Read("percentile", (0.9, draw.whole(500_000, 700_000)))
    # One that waited for longer than the window, and has just ended.
    done_ms = draw.whole(880_000, 890_000)
    late_ms, held_ms = draw.whole(150_000, 200_000), draw.whole(61_000, 99_000)
    yield Call("record", (done_ms - late_ms, done_ms - held_ms, done_ms))
    for done_ms in _moments(draw, 3, 891_000, 899_000):
        yield _ended(done_ms, _quick(draw))
    yield Read("percentile", (0.9, 900_000))


def _fleet_page(draw):
    yield New((WINDOW_MS,))
    yield _ended(draw.whole(4_000, 9_000), draw.whole(2_000, 3_000))
    usual = draw.whole(20, 40)
    for number, done_ms in enumerate(_moments(draw, 11, 150_000, 195_000)):
        if number in (2, 7):
            yield Call("record", (done_ms - 2, done_ms - 2, done_ms), {"ok": False})
        else:
            yield _ended(done_ms, draw.pick([usual, usual, usual + 5, draw.whole(60, 300)]))
    yield Read("report", (200_000,))


def _quick(draw) -> int:
    return draw.whole(15, 60)


def _moments(draw, count: int, from_ms: int, to_ms: int) -> list[int]:
    return draw.times(count, from_ms, to_ms, digits=0)


def _ended(done_ms: int, latency_ms: int) -> Call:
    """A request that was sent when it was due, and answered."""
    return Call("record", (done_ms - latency_ms, done_ms - latency_ms, done_ms))


STORIES = (
    Story(
        "a quiet night",
        _quiet_night,
        "From midnight to six nobody came. The panel showed a p99 of 0 ms, the best ever, and the "
        "alert on slow answers stayed green when the balancer broke.",
    ),
    Story(
        "the outage",
        _outage,
        "Two in five requests failed within milliseconds, and the p95 looked better than ever.",
    ),
    Story(
        "the stall",
        _stall,
        "The server stood still for seconds. Users waited, the client held their requests back, "
        "and the panel moved by no millisecond.",
    ),
    Story(
        "the morning after",
        _morning_after,
        "The incident was over at three. With few requests in the night the panel stayed red until "
        "seven. In the rush at nine it forgot within seconds what had just happened.",
    ),
    Story(
        "the fleet page",
        _fleet_page,
        "A page for all hosts was to be built from the reports, and nobody could compute with "
        "them.",
    ),
)

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
            *(
                Misconception(f"still-counts-to-{most}", trackers.counts_to(most), _COUNTS)
                for most in (500, 1000, 2000)
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
