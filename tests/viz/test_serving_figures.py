"""The figures of the serving chapters show the numbers that they claim."""

import re
from types import SimpleNamespace

import numpy as np
import pytest
from matplotlib.colors import to_hex

from labutils.laws.batching.seats import SeatProblem, SeatRequest
from labutils.metrics import RequestLog, RequestRecord
from labutils.viz.figures import serving as figures
from labutils.viz.style import color, title_of

PROBLEM = SeatProblem(
    (SeatRequest("P", 1, 3, 4), SeatRequest("Q", 1, 2, 2), SeatRequest("R", 2, 5, 3)), 2, 12
)


def texts(ax):
    return [t.get_text() for t in ax.texts]


def bars(ax):
    return [(p.get_x(), p.get_y(), p.get_width()) for p in ax.patches if not p.get_hatch()]


def test_one_schedule_shows_seats_and_memory():
    fig = figures.seat_schedules(PROBLEM, {"a": {"P": 1, "Q": 1, "R": 3}})
    seats, memory = fig.axes
    assert "ends in step 5: 1 of 10 slot-steps" in title_of(fig)
    boxes = [(x, round(y + 0.43), width) for x, y, width in bars(seats)]
    assert sorted(boxes) == [(0.5, 0, 4), (0.5, 1, 2), (2.5, 1, 3)]
    held = [p.get_height() for p in memory.patches]
    assert held == [3 + 2, 4 + 3, 5 + 5, 6 + 6, 7]
    assert "memory: 12 tokens" in texts(memory)


def test_what_has_no_seat_or_no_memory_is_red():
    fig = figures.seat_schedules(PROBLEM, {"a": {"P": 1, "Q": 1, "R": 2}})
    seats, memory = fig.axes
    red = [p for p in seats.patches if to_hex(p.get_facecolor()) == color("limit")]
    assert [(p.get_x(), p.get_width()) for p in red] == [(1.5, 3)]
    assert [p.get_height() for p in memory.patches] == [5, 4 + 3 + 5, 5 + 6, 6 + 7]


def test_a_schedule_with_gaps_is_drawn_as_far_as_it_goes():
    fig = figures.seat_schedules(PROBLEM, {"a": {"P": 1, "Q": ..., "R": ...}})
    assert texts(fig.axes[0]) == ["P"] and "Not everybody" in title_of(fig)


def test_several_schedules_stand_below_each_other():
    later = {"P": 1, "Q": 5, "R": 7}
    fig = figures.seat_schedules(PROBLEM, {"one": {"P": 1, "Q": 1, "R": 3}, "two": later})
    assert len(fig.axes) == 2 and "one 5, two 9" in title_of(fig)


def served(name, arrival, tokens_s):
    return RequestRecord(name, arrival, token_times_s=tokens_s, finish_s=tokens_s[-1])


def test_bystanders_shows_the_longest_gap_and_the_guests_first_token():
    whole = [served("a", 0.0, [0.1, 0.2, 0.9, 1.0]), served("long", 0.25, [0.9, 1.0])]
    chunks = [served("a", 0.0, [0.1, 0.2, 0.5, 0.9]), served("long", 0.25, [1.1, 1.2])]
    fig = figures.bystanders({"x": whole, "y": chunks}, "long", until_s=1.0)
    title = title_of(fig)
    assert "700 against 400 ms" in title and "650 against 850 ms" in title
    assert figures.longest_gap_s(whole, "long") == pytest.approx(0.7)
    ticks = fig.axes[0].collections[0].get_segments()
    assert [segment[0][0] for segment in ticks] == pytest.approx([100, 200, 900, 1000])


def run(rate, latency_s, answers=7):
    """So many answers of five tokens each, one after the other: as much of a run as is drawn."""
    starts = np.arange(answers) / rate
    log = RequestLog.from_times(
        starts, starts + latency_s, first_token_s=starts + latency_s / 2,
        output_tokens=np.full(answers, 5),
    )  # fmt: skip
    return SimpleNamespace(log=log)


def test_frontiers_draw_answers_per_second_against_latency_per_token():
    runs = {"w": {"slow": [run(1, 0.5), run(2, 3.0)], "fast": [run(1, 0.2), run(4, 0.4)]}}
    fig = figures.frontiers(runs)
    slow, fast = fig.axes[0].lines
    assert slow.get_ydata() == pytest.approx([100, 600])
    assert slow.get_xdata() == pytest.approx([7 / 6.5, 7 / 6])
    assert fast.get_xdata() == pytest.approx([7 / 6.2, 7 / 1.9])
    assert re.search(r"against slow: 3\.16 times on w", title_of(fig))
