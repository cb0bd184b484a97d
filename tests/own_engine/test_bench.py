"""The race: a slow engine is seen to be slow, and shares are of the right thing."""

import pytest

from labutils.measure.timing import Timing
from labutils.own_engine.bench import COURSE, NAIVE, YOURS, Bench, bench
from labutils.own_engine.course import course_sources
from labutils.own_engine.load import load

TABLE = """                tokens/s   of the course   of the floor
yours                200            67 %           20 %
the course's         300           100 %           30 %
one at a time        100            33 %           10 %
the floor          1,000           333 %          100 %"""


def test_shares_are_ratios_of_the_medians():
    timings = {YOURS: Timing((3.0, 3.1, 2.9)), COURSE: Timing((2.0,) * 3), NAIVE: Timing((6.0,))}
    found = Bench(timings, 600, floor_s=0.6)
    assert found.share == pytest.approx(2 / 3) and found.floor_share == pytest.approx(0.2)
    assert repr(found) == TABLE


def test_a_job_is_served_by_three_engines_and_the_room_is_used():
    room, calls = load(course_sources(), fresh=True), []
    serve = room.loop.Engine.generate
    room.loop.Engine.generate = lambda *given, **how: calls.append(1) or serve(*given, **how)
    found = bench(room, requests=3, rounds=2)
    assert len(calls) == 3  # a warm-up and two rounds, of yours alone
    assert list(found.timings) == [YOURS, COURSE, NAIVE] and found.tokens == 72
    assert found.floor_s > 0


def test_an_engine_that_fails_says_why():
    room = load(course_sources(), fresh=True)

    def broken(*_):
        raise LookupError("no such slot")

    room.loop.Engine._forward = broken
    with pytest.raises(LookupError, match="no such slot"):
        bench(room, requests=2, rounds=2)
