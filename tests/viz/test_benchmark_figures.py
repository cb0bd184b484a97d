"""The figures of lab 1 on made-up measurements: positions, levels, titles."""

import numpy as np
import pytest

from labutils.measure.stream import Work
from labutils.viz.figures import benchmark as figures
from labutils.viz.style import title_of


def texts(ax):
    return [text.get_text() for text in ax.texts]


def test_claims_stand_in_their_order_and_say_their_share():
    fig = figures.claims({"handed over": 850.0, "waits": 0.043, "median": 0.624})
    ax = fig.axes[0]
    assert ax.lines[1].get_xdata() == pytest.approx([85_000, 4.3, 62.4])
    assert ax.lines[1].get_ydata().tolist() == [0, 1, 2]
    assert [label.get_text() for label in ax.get_yticklabels()] == [
        "handed over",
        "waits",
        "median",
    ]
    assert {"85,000 %", "4.3 %", "62.4 %", "roofline"} <= set(texts(ax))
    assert title_of(fig).startswith("From 85,000 % of the roofline to 62.4 %")
    low, high = ax.get_xlim()
    assert low < 4.3 < 85_000 < high


def test_a_single_claim_has_a_title_of_its_own():
    assert "claims 250 % of what" in title_of(figures.claims({"one": 2.5}))


@pytest.mark.parametrize(
    ("share", "text"),
    [(0.0432, "4.3 %"), (0.8, "80 %"), (1.2345, "123 %"), (3917.68, "392,000 %")],
)
def test_shares_are_written_with_few_digits(share, text):
    assert figures.percent_text(share) == text


def test_host_and_device_lie_on_one_time_axis():
    works = [Work(10.001, 10.002, 10.012), Work(10.0015, 10.012, 10.0295)]
    fig = figures.host_and_device(works, watch_s=(10.0, 10.002))
    ax = fig.axes[0]
    assert ax.lines[0].get_xdata() == pytest.approx([1.0, 1.5])
    bars = [patch for patch in ax.patches if patch.get_y() < 0]
    assert [bar.get_x() for bar in bars] == pytest.approx([2, 12])
    assert [bar.get_width() for bar in bars] == pytest.approx([10, 17.5])
    assert title_of(fig) == "The clock stops after 2 ms; the work is done after 29.5 ms"


def test_levels_count_the_warm_runs_alone():
    durations = [0.9, 0.010, 0.012, 0.010, 0.040, 0.011]
    ax = figures.runs(durations, title="Runs", cold=1).axes[0]
    warm, cold, *levels = ax.lines
    assert cold.get_ydata() == pytest.approx([900])
    assert warm.get_xdata().tolist() == [2, 3, 4, 5, 6]
    found = sorted(level.get_ydata()[0] for level in levels)
    assert found == pytest.approx([11, 16.6, 40])  # median, mean, p95
    assert {"median 11 ms", "mean 16.6 ms", "p95 40 ms", "cold"} <= set(texts(ax))


def test_level_names_never_lie_on_each_other():
    ax = figures.runs([0.01] * 9, title="Equal").axes[0]
    heights = sorted(text.xy[1] for text in ax.texts)
    assert np.diff(heights).min() > 0.07


def test_the_launch_floor_is_read_off_the_smallest():
    fig = figures.launch_floor([1, 100, 10_000, 1_000_000], [2e-6, 2.2e-6, 3.9e-6, 4e-4])
    level, curve, *_ = fig.axes[0].lines
    assert level.get_ydata()[0] == pytest.approx(2)
    assert curve.get_ydata() == pytest.approx([2, 2.2, 3.9, 400])
    assert title_of(fig) == "Up to 10,000 numbers, an operation costs at most two launches of 2 µs"


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: figures.claims({}), "shares = "),
        (lambda: figures.claims({"x": 0}), "shares"),
        (lambda: figures.host_and_device([], watch_s=(0, 1)), "works = "),
        (lambda: figures.runs([1.0, 2.0], title="x", cold=2), "cold = 2"),
        (lambda: figures.launch_floor([1, 2], [1.0]), "times_s has 1"),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()
