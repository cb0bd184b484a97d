"""What happens to a latency tracker: the stories of the repair exercise."""

from labutils.exercises.checkers import Call, New, Read
from labutils.exercises.stories.story import stories_in

RUSHED = "the morning after"
WINDOW_MS = 60_000
RUSH = 2_200  # requests in a window: no list of a thousand or two holds them


def _quick(draw) -> int:
    return draw.whole(15, 60)


def _moments(draw, count: int, from_ms: int, to_ms: int) -> list[int]:
    return draw.times(count, from_ms, to_ms, digits=0)


def _ended(done_ms: int, latency_ms: int) -> Call:
    """A request that was sent when it was due, and answered."""
    return Call("record", (done_ms - latency_ms, done_ms - latency_ms, done_ms))


class Told:
    def a_quiet_night(draw):
        """From midnight to six nobody came. The panel showed a p99 of 0 ms, the best ever, and the
        alert on slow answers stayed green when the balancer broke."""
        yield New((WINDOW_MS,))
        now_ms = draw.whole(100_000, 999_999)
        yield Call("report", (now_ms,))  # so that a class without it hears of that at once
        yield Read("percentile", (draw.pick([0.5, 0.95, 0.99]), now_ms))

    def the_outage(draw):
        """Two in five requests failed within milliseconds, and the p95 looked better than ever."""
        # Six in fourteen fail, and fast; sent when due, all within the window.
        #
        # The median is number 7 of 14: neither number 8 nor a value between the two.
        yield New((WINDOW_MS,))
        latencies_ms = draw.shuffled([*draw.times(8, 15, 60, digits=0), *[None] * 6])
        for due_ms, latency_ms in zip(_moments(draw, 14, 1_000, 40_000), latencies_ms, strict=True):
            ok = latency_ms is not None
            yield Call("record", (due_ms, due_ms, due_ms + (latency_ms if ok else 2)), {"ok": ok})
        now_ms = draw.whole(41_000, 50_000)
        yield Read("percentile", (0.5, now_ms))
        yield Read("percentile", (0.95, now_ms))

    def the_stall(draw):
        """The server stood still for seconds. Users waited, the client held their requests back,
        and the panel moved by no millisecond."""
        # The server freezes; what was due meanwhile is sent when it goes on.
        yield New((WINDOW_MS,))
        thaw_ms = draw.whole(9_000, 12_000)
        for due_ms in _moments(draw, 11, 1_000, 15_000):
            sent_ms = due_ms if due_ms < 5_000 else max(due_ms, thaw_ms)
            yield Call("record", (due_ms, sent_ms, sent_ms + _quick(draw)))
        for q in (0.5, 0.95):
            yield Read("percentile", (q, 20_000))

    def the_morning_after(draw):
        """The incident was over at three. With few requests in the night the panel stayed red until
        seven. In the rush at nine it forgot within seconds what had just happened."""
        # Old slow requests must go, however few came since; new ones must stay, however many.
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

    def the_fleet_page(draw):
        """A page for all hosts was to be built from the reports, and nobody could compute with
        them."""
        yield New((WINDOW_MS,))
        yield _ended(draw.whole(4_000, 9_000), draw.whole(2_000, 3_000))
        usual = draw.whole(20, 40)
        for number, done_ms in enumerate(_moments(draw, 11, 150_000, 195_000)):
            if number in (2, 7):
                yield Call("record", (done_ms - 2, done_ms - 2, done_ms), {"ok": False})
            else:
                yield _ended(done_ms, draw.pick([usual, usual, usual + 5, draw.whole(60, 300)]))
        yield Read("report", (200_000,))


STORIES = stories_in(Told)
