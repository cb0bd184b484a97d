"""The race: lanes that show what the records say, and a score that counts tokens."""

import re

import numpy as np
import pytest

from labutils.metrics import RequestRecord
from labutils.serving.simulator import StepCost
from labutils.viz.controls import slider
from labutils.viz.explorers.race import race_explorer
from labutils.viz.figures.lanes import Lane, mixed

COST = StepCost(base_s=0.005, per_prefill_token_s=40e-6)
PROMPTS, LENGTHS = np.array([30, 700, 80, 2000, 5, 41, 300]), np.array([9, 2, 31, 4, 17, 3, 12])


def record(name, arrival, admitted, tokens):
    return RequestRecord(
        name, arrival, admitted_s=admitted, token_times_s=tokens, finish_s=tokens[-1]
    )


def three():
    """B reads from 4 to 6, and A has to stand still; C takes the slot that A leaves."""
    return [
        record("A", 0.0, 0.0, [1.0, 2.0, 3.0, 7.0]),
        record("B", 3.5, 4.0, [6.0, 7.0, 8.0]),
        record("C", 0.5, 8.0, [9.0, 10.0]),
    ]


@pytest.fixture(scope="module")
def explorer():
    workloads = {"mixed": (PROMPTS, LENGTHS), "all equal": (np.full(9, 50), np.full(9, 6))}
    return race_explorer(workloads, seed=5, step_cost=COST, slots=3)


def numbers(finding):
    return [float(x.replace(",", "")) for x in re.findall(r"\d[\d,]*\.?\d*", finding)]


def test_a_lane_seats_whoever_is_admitted_in_the_lowest_free_slot():
    lane = Lane(three(), slots=2, mixed=False)
    assert [(stay.slot, stay.guest) for stay in lane.stays] == [(0, 0), (1, 0), (0, 1)]
    assert lane.end_s == 10.0
    assert [lane.tokens(at) for at in (0.5, 3.0, 7.0, 99)] == [0, 3, 6, 9]
    assert [lane.answers(at) for at in (6.9, 7.0, 8.5, 10.0)] == [0, 1, 2, 3]


def test_boxes_say_who_writes_reads_and_stands_still():
    boxes = Lane(three(), slots=2, mixed=False).boxes()
    rows = list(zip(boxes.slot, boxes.start_s, boxes.end_s, map(tuple, boxes.colors)))
    reads = {row[:3] for row in rows if row[3] == mixed("theory", 1.0)}
    assert reads == {(0, 0.0, 1.0), (1, 4.0, 6.0), (0, 8.0, 9.0)}
    stalls = {row[:3] for row in rows if row[3] == mixed("waiting", 0.45)}
    assert stalls == {(0, 4.0, 6.0)}
    writes = {row[:3] for row in rows} - reads - stalls
    assert writes == {(0, 1.0, 7.0), (1, 6.0, 8.0), (0, 9.0, 10.0)}


def test_in_mixed_steps_nobody_stands_still():
    boxes = Lane(three(), slots=2, mixed=True).boxes()
    assert list(zip(boxes.slot, boxes.start_s, boxes.end_s)) == [(0, 0, 7), (1, 4, 8), (0, 8, 10)]


def test_corners_are_in_per_cent_and_centred_in_their_row():
    corners = Lane(three(), slots=2, mixed=True).boxes().corners(20.0, height=0.8)
    assert corners.shape == (3, 4, 2)
    expected = np.array([[20, 1.1], [40, 1.1], [40, 1.9], [20, 1.9]])
    assert corners[1] == pytest.approx(expected)


def test_more_guests_than_slots_are_refused():
    with pytest.raises(ValueError, match="expected a free slot at 4 s"):
        Lane(three(), slots=1, mixed=True)


def test_static_needs_the_longest_of_each_batch_and_continuous_less(explorer):
    finding = explorer(prompts="left out", time=100, shuffle=0)
    tokens, static_s, continuous_s, ratio = numbers(finding)
    longest = LENGTHS[:3].max() + LENGTHS[3:6].max() + LENGTHS[6]
    assert tokens == LENGTHS.sum() and static_s == pytest.approx(0.01 * longest, rel=0.01)
    # first come, first served on three slots, by hand: 34 steps
    free = [0, 0, 0]
    for length in LENGTHS:
        at = free.index(min(free))
        free[at] += length
    assert continuous_s == pytest.approx(0.01 * max(free), rel=0.01)
    assert ratio == pytest.approx(longest / max(free), abs=0.01)


def test_equal_lengths_leave_nothing_to_gain(explorer):
    assert numbers(explorer(answers="all equal", prompts="left out", time=100))[-1] == 1.0


def test_half_way_the_score_counts_what_has_been_written(explorer):
    explorer(prompts="left out", shuffle=0, time=50)
    finding = explorer.finding
    at_s, static, continuous = numbers(finding)[:3]
    steps = round(at_s / 0.01)
    written = np.minimum(LENGTHS[:3], steps).sum()
    if steps > LENGTHS[:3].max():
        written += np.minimum(LENGTHS[3:6], steps - LENGTHS[:3].max()).sum()
    assert abs(static - written) <= 3 and continuous > static


def test_a_shuffle_moves_no_token_and_changes_the_order(explorer):
    findings = [explorer(prompts="left out", time=100, shuffle=k) for k in range(5)]
    assert {numbers(finding)[0] for finding in findings} == {LENGTHS.sum()}
    assert len({numbers(finding)[1] for finding in findings}) > 1


def test_prompts_that_count_take_from_the_gain(explorer):
    gains = [numbers(explorer(prompts=p, time=100))[-1] for p in ("left out", "counted")]
    assert 1 <= gains[1] < gains[0]


def test_what_lies_ahead_is_not_shown(explorer):
    explorer(time=30)
    _, lane = explorer._frames.fig.axes
    (boxes,) = [c for c in lane.collections if c.get_clip_box() and len(c.get_paths()) > 3]
    edges = lane.transData.inverted().transform(boxes.get_clip_box().get_points())
    assert edges[:, 0].tolist() == pytest.approx([0, 30])


def test_it_begins_when_the_faster_lane_has_just_ended(explorer):
    begin = explorer.values["time"]
    texts = [t.get_text() for ax in explorer._frames.fig.axes for t in ax.texts]
    assert 0 < begin < 100
    assert ["all done" in text for text in texts] == [False, True]
    written = int(re.search(r"(\d) of 7 answers", texts[0])[1])
    assert 0 < written < 7


def test_the_player_moves_the_slider_and_is_not_a_control(explorer):
    (play,) = [w for w in explorer._panel.children if type(w).__name__ == "Play"]
    assert (play.min, play.max) == (0, 100) and "play" not in explorer.values
    assert play.link.target[0] is explorer.controls["time"]


def test_the_player_takes_the_range_of_its_slider():
    from labutils.viz.controls import player

    play = player(slider("step", 3, 27, 9, 2), interval_ms=40)
    assert (play.min, play.max, play.value, play.step, play.interval) == (3, 27, 9, 2, 40)


def test_bad_input_is_named():
    with pytest.raises(ValueError, match="slots = 0"):
        race_explorer({"x": (PROMPTS, LENGTHS)}, seed=1, step_cost=COST, slots=0)
