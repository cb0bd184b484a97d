"""The figures of chapter 12 show the numbers that they claim."""

import numpy as np
import pytest

from labutils.llm.layouts import LayoutStep
from labutils.viz.figures import layouts as figures
from labutils.viz.style import color, title_of


def step(weights, kv, reduce=0.0, launch=0.001):
    return LayoutStep(
        read_weights_s=weights, read_kv_s=kv, arithmetic_s=0.0, all_reduce_s=reduce, launch_s=launch
    )


def texts(ax):
    return [text.get_text().strip() for text in ax.texts]


def test_a_steps_bars_add_up_to_it():
    one = {"TP1": step(0.006, 0.002), "TP3": step(0.002, 0.001, reduce=0.004)}
    fig = figures.steps_apart({1: one, 9: {"TP1": step(0.006, 0.02), "TP3": step(0.002, 0.005)}})
    assert texts(fig.axes[0]) == ["9.0", "8.0"] and texts(fig.axes[1]) == ["27.0", "8.0"]
    bars = [(bar.get_x(), bar.get_width()) for bar in fig.axes[0].patches]
    assert np.ravel(bars[1::2]) == pytest.approx(np.ravel([(0, 2), (2, 1), (3, 0), (3, 4), (7, 1)]))
    assert title_of(fig) == "All-reduces take 0 % of 8.0 ms on TP3 at batch 9; TP1 needs 27.0 ms"


def test_the_title_names_the_leaders_in_their_order():
    steps_s = {"TP4": {8: 0.002, 16: 0.005, 32: 0.02}, "DP4": {8: 0.006, 16: 0.006, 32: 0.008}}
    fig = figures.by_users(steps_s, (16,), cards=4)
    assert title_of(fig) == "Most tokens per card: TP4 up to 16 users, then DP4"
    first, second, *dots, ring = fig.axes[0].lines
    assert first.get_xydata() == pytest.approx(np.array([(2, 1000), (5, 800), (20, 400)]))
    assert ring.get_xydata() == pytest.approx(np.array([(5, 800)]))
    assert second.get_ydata()[-1] == pytest.approx(1000)
    assert np.ravel([dot.get_xydata() for dot in dots]) == pytest.approx([5, 800, 6, 2000 / 3])


def test_an_all_reduce_stands_over_its_message_and_its_floor():
    times_s = {"fast": {1: 4e-6, 8: 12e-6}, "slow": {1: 9e-6, 8: 60e-6}}
    shares = {"fast": {1: 0.1, 8: 0.25}, "slow": {1: 0.3, 8: 0.7}}
    fig = figures.all_reduces(times_s, {"fast": 2e-6, "slow": 6e-6}, shares, 16_000)
    assert title_of(fig) == (
        "At batch 8 all-reduces take 25 % of a step over fast, 70 % of a step over slow"
    )
    curve, floor, *_ = fig.axes[0].lines
    assert curve.get_xydata() == pytest.approx(np.array([(16, 4), (128, 12)]))
    assert set(floor.get_ydata()) == {2}
    said = texts(fig.axes[0])
    assert "fast, batch 1: 10 % of a step" in said and "batch 8: 70 % of a step" in said


def test_a_train_fills_its_stages_one_after_the_other():
    fig = figures.trains({1: 0.3, 4: 0.12}, 3)
    assert title_of(fig).endswith("are idle: 67 % in one piece (300 ms), 33 % in 4 chunks (120 ms)")
    whole, chunked = fig.axes
    blocks = [(bar.get_x(), bar.get_width()) for bar in whole.patches]
    assert np.ravel(blocks) == pytest.approx([0, 100, 100, 100, 200, 100])
    last = chunked.patches[-1]
    assert (last.get_x(), last.get_width()) == pytest.approx((100, 20))
    assert chunked.get_title(loc="left") == "in 4 chunks: 120 ms"


def test_each_layer_names_its_busiest_card():
    loads = np.array([[1, 5, 3], [6, 2, 1], [2, 6, 1], [3, 3, 3]])
    fig = figures.late_cards(loads, layers=3)
    assert (
        title_of(fig)
        == "The busiest card gets 1.67 times the mean; in 3 layers 2 cards had their turn"
    )
    (busiest,) = (one for one in fig.axes[0].lines if one.get_marker() == "^")
    assert list(busiest.get_ydata()) == [5, 6, 6]
    assert texts(fig.axes[0]) == ["2", "1", "2", "mean: 3"]


def test_sampled_experts_stand_beside_what_is_expected():
    touched, busiest = {1: 4.0, 7: 11.0, 50: 16.0}, {1: 2.5, 7: 1.4, 50: 1.1}
    routers = {"even": {1: 2.4, 50: 1.2}, "hot": {1: 2.6, 50: 1.9}}
    fig = figures.expert_batches(touched, {1: 4.0, 50: 15.5}, busiest, routers, 17)
    assert title_of(fig).startswith(
        "7 tokens touch 11 of 17 experts; at 50 the busiest card has 1.20"
    )
    left, right = fig.axes
    dots = [list(one.get_ydata()) for ax in (left, right) for one in ax.lines
            if one.get_color() == color("measurement")]  # fmt: skip
    assert dots == [[4, 11, 16], [2.5, 1.4, 1.1]]
    assert list(left.lines[0].get_ydata()) == [4.0, 15.5]
    assert list(right.lines[1].get_ydata()) == [2.6, 1.9] and texts(right) == ["even", "hot"]


def test_both_ways_have_their_gap_and_their_first_token():
    tpot_ms = {"together": [8.0, 31.0], "apart": [14.0, 15.5]}
    fig = figures.apart((1, 4), tpot_ms, {"together": [0.1, 0.2], "apart": [0.3, 0.9]}, [7.0, 33.0])
    assert title_of(fig).endswith("8.0 to 31.0 ms together, from 14.0 to 15.5 ms apart")
    left, right = fig.axes
    assert [list(one.get_ydata()) for one in left.lines] == [[7, 33], [8, 31], [14, 15.5]]
    assert {one.get_label(): one.get_ydata()[-1] for one in right.lines} == {
        "together": 0.2, "apart": 0.9
    }  # fmt: skip


def test_a_dot_stands_where_drafts_stop_to_pay():
    fig = figures.draft_gains({0.8: [1.9, 1.4, 0.9], 0.2: [0.8, 0.7, 0.5]}, {0.8: 2, 0.2: 0})
    assert title_of(fig).endswith("by acceptance: up to 2 at 0.8, never at 0.2")
    dots = [tuple(one.get_xydata()[0]) for one in fig.axes[0].lines if len(one.get_xdata()) == 1]
    assert dots == [(2, 1.4)]
    assert {"acceptance 0.8", "acceptance 0.2"} <= set(texts(fig.axes[0]))


def test_rounding_says_the_dearest_way_and_which_intervals_hold_nothing():
    fig = figures.rounding({"eight": (-0.002, 0.003), "four": (0.03, 0.01), "two": (0.2, 0.05)})
    assert title_of(fig) == "Dearest: two, +22.1 % perplexity; 1 of 3 intervals hold 0"
    assert texts(fig.axes[0]) == ["−0.2 %", "+3.0 %", "+22.1 %"]
    low, high = fig.axes[0].lines[2].get_xdata()
    assert (low, high) == pytest.approx((100 * np.expm1(0.02), 100 * np.expm1(0.04)))
