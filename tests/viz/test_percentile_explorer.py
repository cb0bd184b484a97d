"""The percentile explorer: its ranks, its luck, and what a generator that waits leaves out."""

import math
import re

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.stats import binom, norm

from labutils.viz.explorers.percentiles import (
    INTERVAL_S,
    _Days,
    in_words,
    measured,
    percentile_explorer,
)


@pytest.fixture(scope="module")
def explorer():
    return percentile_explorer(seed=11)


def p99_ms(finding):
    value, unit = re.search(r"p99 ([\d.,]+) (ms|s)", finding).groups()
    return float(value.replace(",", "")) * (1000 if unit == "s" else 1)


@pytest.mark.parametrize(("n", "seed"), [(100, 1), (367, 2), (1_000, 3), (20_011, 4)])
def test_each_bar_ends_at_the_binomial_ranks_of_the_sorted_values(n, seed):
    values = np.random.default_rng(seed).lognormal(0, 1, n)
    ordered = [0.0, *sorted(values), math.inf]
    for q, (value, low, high) in measured(values).items():
        assert value == ordered[math.ceil(q * n - 1e-9)]
        assert low == ordered[int(binom.ppf(0.025, n, q))]
        assert high == ordered[int(binom.ppf(0.975, n, q)) + 1]


def test_a_generator_on_time_sees_what_waits_behind_a_slow_request():
    days = _Days(5)
    services = days.latencies(3, 2_000, 0.02, 0.5, "closed")
    free, expected = 0.0, []
    for k, service in enumerate(services):
        free = max(free, k * INTERVAL_S) + service
        expected.append(free - k * INTERVAL_S)
    assert days.latencies(3, 2_000, 0.02, 0.5, "open") == pytest.approx(expected, abs=1e-9)
    assert (services > 0.1).mean() == pytest.approx(0.02, abs=0.02)


def test_p99_jumps_from_day_to_day_where_one_percent_is_slow(explorer):
    days = [p99_ms(explorer(day=day, share=0.01, size=0.2)) for day in range(1, 31)]
    assert min(days) < 27 and max(days) > 110
    steady = [p99_ms(explorer(day=day, share=0.002 / 2)) for day in range(1, 31)]
    assert max(steady) < 26
    explorer(share=0.01)


def test_who_waits_does_not_see_the_stall(explorer):
    closed = p99_ms(explorer(requests=10_000, share=0.001, size=5.0, loop="closed", day=2))
    opened = p99_ms(explorer(loop="open"))
    assert closed < 30 and opened > 1_000
    explorer(loop="closed", share=0.01, size=0.2)


def test_the_bar_has_no_upper_end_below_368_requests(explorer):
    assert "no bound" in explorer(requests=300, share=0.0).split("p99.9")[0]
    assert "no bound" not in explorer(requests=1_000).split("p99.9")[0]
    assert "no bound" in explorer(requests=3_000)
    assert "no bound" not in explorer(requests=10_000)


@pytest.mark.parametrize(("share", "size"), [(0.05, 0.2), (0.0, 0.05), (0.005, 1.0), (0.02, 0.05)])
def test_the_blue_marks_are_the_true_quantiles(explorer, share, size):
    explorer(requests=1_000, share=share, size=size, loop="closed")
    (truth,) = [
        line for line in explorer._frames.fig.axes[0].lines if line.get_marker() == "|"
    ]  # fmt: skip
    assert truth.get_visible()
    for shown, q in zip(truth.get_xdata(), (0.5, 0.99, 0.999), strict=True):

        def beyond(x, q=q):
            return (1 - share) * norm.cdf(x, 0.015, 0.003) + share * norm.cdf(x, size, size / 4) - q

        assert shown == pytest.approx(brentq(beyond, 1e-4, 60), rel=2e-3)
    explorer(loop="open")
    assert not truth.get_visible()
    explorer(loop="closed")


@pytest.mark.parametrize(("n", "shown"), [(100, 100), (3_000, 1_500), (200_000, 1_493)])
def test_the_strip_shows_each_request_at_most_once_and_slow_ones_in_proportion(explorer, n, shown):
    explorer(requests=n, share=0.02, size=0.2, loop="closed", day=4)
    ax = explorer._frames.fig.axes[0]
    (strip,) = (line for line in ax.lines if line.get_marker() == ".")
    x = strip.get_xdata()
    assert x.size == np.unique(x).size == shown
    assert (x > 0.06).mean() == pytest.approx(0.02, abs=5 * math.sqrt(0.02 / shown))
    words = f"dots: {shown:,} of {n:,}" if shown < n else f"dots: all {n:,}"
    assert words in [text.get_text() for text in ax.texts]


def test_the_finding_names_the_bars_that_leave_out_the_true_value(explorer):
    said = []
    for day in range(1, 31):
        finding = explorer(requests=1_000, share=0.05, size=0.2, loop="closed", day=day)
        ax = explorer._frames.fig.axes[0]
        (truth,) = (line for line in ax.lines if line.get_marker() == "|")
        bars = [line.get_xdata() for line in ax.lines if line.get_linewidth() == 11]
        rows = zip(("p50", "p99", "p99.9"), bars, truth.get_xdata(), strict=True)
        names = [name for name, (low, high), x in rows if not low <= x <= high]
        tail = finding.split(". ")[-1]
        assert tail == (
            f"Missed: the true {' and '.join(names)}."
            if names
            else "Each bar holds its true value."
        )
        said += names
    assert 0 < len(said) < 15  # 4.5 to be expected
    explorer(share=0.01, requests=10_000)


def test_waiting_is_told_only_where_somebody_waited(explorer):
    assert "Nobody waited" in explorer(requests=300, share=0.0, loop="open", day=2)
    finding = explorer(share=0.05, size=0.5)
    assert re.search(r"[1-9]\d* waited", finding) and "too short" in finding
    explorer(requests=10_000, share=0.01, size=0.2, loop="closed")


def test_what_lies_beyond_the_axis_is_an_arrow_at_its_end(explorer):
    explorer(requests=10_000, share=0.05, size=5.0, loop="open")
    ax = explorer._frames.fig.axes[0]
    arrows = [line for line in ax.lines if line.get_marker() == ">"]
    assert len(arrows) == 4 and all(np.all(np.asarray(line.get_xdata()) == 60) for line in arrows)
    assert ax.get_xlim()[1] > 60
    explorer(share=0.01, size=0.2, loop="closed")
    assert [len(line.get_xdata()) for line in ax.lines if line.get_marker() == ">"] == [0]


@pytest.mark.parametrize(("share", "size"), [(0.01, 0.2), (0.01, 1.0), (0.001, 5.0)])
def test_requests_take_most_of_the_axis_and_its_values_are_named(explorer, share, size):
    explorer(requests=10_000, share=share, size=size, loop="closed", day=5)
    (ax,) = explorer._frames.fig.axes
    slowest = ax.transData.transform((max(ax.lines[0].get_xdata()), 1))
    assert 0.7 < ax.transAxes.inverted().transform(slowest)[0] < 1
    names = [text for text in ax.texts if "measured" in text.get_text()]
    assert len(names) == 3 and len({text.get_color() for text in names}) == 1
    explorer(share=0.01, size=0.2)


def test_overload_is_called_by_its_name(explorer):
    # 5 % of 5 s and 95 % of 15 ms make 264 ms of work each 50 ms.
    finding = explorer(requests=10_000, share=0.05, size=5.0, loop="open")
    assert "Offered load 528 %" in finding
    assert "Offered" not in explorer(share=0.02, size=1.0)
    explorer(loop="closed")


def test_the_rule_of_three_calls_out_both_ways(explorer):
    assert "healthy" in explorer(requests=10_000, share=0.0, size=0.2)
    assert "investigate" in explorer(share=0.05)


def test_all_settings_at_their_ends_draw(explorer):
    for n in (100, 200_000):
        for share in (0, 0.05):
            for size in (0.05, 5.0):
                for loop in ("closed", "open"):
                    finding = explorer(requests=n, share=share, size=size, loop=loop, day=30)
                    assert finding.startswith("p50 ") and "nan" not in finding


def test_the_same_seed_gives_the_same_days_and_another_does_not():
    findings = [percentile_explorer(seed=seed, num_requests=1_000).finding for seed in (1, 1, 2)]
    assert findings[0] == findings[1] != findings[2]


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0.0254, "25.4 ms"),
        (0.99949, "999 ms"),
        (1.5, "1.5 s"),
        (99.96, "100 s"),
        (21270, "21,270 s"),
    ],
)
def test_latencies_are_written_as_they_are_read(seconds, words):
    assert in_words(seconds) == words


def test_bad_input_is_named(explorer):
    with pytest.raises(ValueError, match="requests = 5"):
        explorer(requests=5)
    with pytest.raises(ValueError, match="num_requests = 0"):
        percentile_explorer(seed=1, num_requests=0)
