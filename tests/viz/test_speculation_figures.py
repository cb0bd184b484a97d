"""The figures of lab 7 say what they show."""

import numpy as np
import pytest

from labutils.serving.speculation import Tally
from labutils.viz.figures import drafted_words, speculation
from labutils.viz.style import title_of


def tally(tried, stayed):
    return Tally(tried=list(tried), stayed=list(stayed))


def texts(ax):
    return [text.get_text() for text in ax.texts]


def drawn(ax):
    return [pytest.approx([*line.get_ydata()]) for line in ax.lines]


def test_a_step_is_drawn_in_milliseconds_by_its_rows():
    figure = speculation.rows_figure({1: 0.004, 3: 0.005, 7: 0.009}, 0.001)
    assert title_of(figure) == "7 rows take 2.25 × as long as one; one of the draft takes 0.25 ×"
    assert [4, 5, 9] in drawn(figure.axes[0]) and [4, 28] in drawn(figure.axes[0])
    assert {"1.25 ×", "2.25 ×", "one row of the draft: 0.25 ×"} < set(texts(figure.axes[0]))


def test_the_price_of_a_step_with_drafts_is_drawn_from_end_to_end():
    figure = speculation.price_figure(0.002, 0.003, 0.0005, drafts=3)
    assert title_of(figure) == "3 drafts and verifying them cost 2.25 steps of the target"
    widths = [box.get_width() for box in figure.axes[0].patches]
    assert widths == pytest.approx([1, 1, 1, 0.25, 0.25, 0.25, 1.5])
    assert figure.axes[0].patches[-1].get_x() == pytest.approx(0.75)
    assert "verify: 1 to 4 tokens" in texts(figure.axes[0])


def test_the_run_fills_what_stays_and_sets_the_targets_own_apart():
    steps = [(["a", "$b"], ["c"]), (["d", "e"], ["d", "e", "f"]), ([], ["g"])]
    figure = drafted_words.run_figure(steps)
    assert title_of(figure) == "3 steps yield 5 tokens: each yields at least 1, step 2 yields 3"
    left, right = figure.axes
    assert texts(left) == ["a", "$b", "c", "d", "e", "f"] and texts(right) == ["g"]
    refused, *_, own = [box.get_facecolor() for box in left.patches[:3]]
    kept = left.patches[3].get_facecolor()
    assert len({refused, own, kept}) == 3 and left.patches[5].get_facecolor() == own


def test_counts_are_held_against_chance():
    chances = {("a",): 0.5, ("b",): 0.3, ("c",): 0.2}
    usual = {("a",): 500, ("b",): 310, ("c",): 190}
    off = {("a",): 450, ("b",): 300, ("c",): 250}
    counted = {"target": usual, "rule": usual, "one": off, "another": {("a",): 1000}}
    figure = drafted_words.counts_figure(counted, chances, {name: f"p {name}" for name in counted})
    assert title_of(figure).startswith(
        "Beyond chance: 0 % of the continuations by the rule, 67 to 100"
    )
    marks = [line for line in figure.axes[2].lines if len(line.get_xdata()) != 2]
    assert [*marks[0].get_ydata()] == pytest.approx([1]) and marks[0].get_xdata()[0] == 300
    crosses = figure.axes[2].lines[2]
    assert [*crosses.get_data()[0]] == [500, 200] and [*crosses.get_ydata()] == [0.9, 1.25]
    assert figure.axes[2].get_title(loc="left") == "one\np one"


def test_first_words_stand_between_target_and_draft():
    shares = np.array([[0.1, 0.9], [0.75, 0.25], [0.3, 0.7]])
    figure = drafted_words.first_words_figure(*shares)
    assert title_of(figure) == "Word 0 begins 30.0 % of their answers, and should begin 10.0 %"
    lines = {line.get_label(): [*line.get_xdata()] for line in figure.axes[0].lines}
    assert lines["draft q"] == pytest.approx([75, 25])
    assert lines["their answers"] == pytest.approx([30, 70])


def test_acceptance_by_place_names_the_range_and_the_counts():
    tallies = {"code": tally([10, 5], [5, 4]), "prose": tally([10, 2], [2, 1])}
    figure = speculation.acceptance_figure(tallies)
    title = "25 to 60 % of the drafts that the target looks at stay, by kind of text"
    assert title_of(figure) == title
    left, right = figure.axes
    assert texts(left) == ["50 %\nof 10", "80 %\nof 5"] and "50 %\nof 2" in texts(right)
    assert [bar.get_height() for bar in left.patches] == [10, 5, 5, 4]


def test_a_kind_without_drafts_is_left_out():
    figure = speculation.acceptance_figure({"code": tally([10], [5]), "prose": tally([], [])})
    assert title_of(figure).startswith("50 to 50 % of the drafts") and len(figure.axes) == 1


def test_the_gain_counts_what_gains_and_which_forecasts_are_too_high():
    measured = {"1 by the model": {1: 0.8, 4: 0.7}, "4 by look-up": {1: 1.1, 4: 0.9}}
    figure = speculation.gain_figure(measured, {"1 by the model": {1: 0.85, 4: 0.65}})
    title = "1 of 4 settings gain, the best is 1.10 ×; 1 of 2 forecasts are too high"
    assert title_of(figure) == title
    left, right = figure.axes
    assert [0.85, 0.65] in drawn(left) and [0.8, 0.7] in drawn(left) and [1.1, 0.9] in drawn(right)
    assert "no forecast" in texts(right) and "no forecast" not in texts(left)


def test_computed_gains_are_named_at_both_ends():
    figure = speculation.computed_gain_figure({0.8: {1: 2.5, 8: 1.2}, 0.3: {1: 0.9, 8: 0.4}})
    assert "2.50 to 1.20 (α = 0.80) and from 0.90 to 0.40 (α = 0.30)" in title_of(figure)
    assert [2.5, 1.2] in drawn(figure.axes[0]) and "α = 0.30" in texts(figure.axes[0])


def test_drafts_pay_from_the_share_where_their_gain_passes_one():
    """One draft at a quarter of a step: 1 + α > 1.25. Two: 1 + α + α² > 1.5."""
    figure = speculation.share_figure(0.42, (1, 2), cost_ratio=0.25)
    assert speculation.break_even(1, 0.25) == 0.26 and speculation.break_even(2, 0.25) == 0.37
    assert title_of(figure) == "1, 2 drafts pay from α = 0.26, 0.37 on; ours is 0.42"
    assert {"0.26", "0.37", "our α: 0.42"} <= set(texts(figure.axes[0]))
    two = next(
        line for line in figure.axes[0].lines if line.get_ydata()[-1] == pytest.approx(2.71 / 1.5)
    )
    assert two.get_ydata()[50] == pytest.approx(1.75 / 1.5)  # at 0.5
    assert np.isnan(speculation.break_even(1, 1.0))
