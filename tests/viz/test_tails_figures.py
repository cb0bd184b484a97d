"""The figures of chapter 08 show the numbers that they claim, by an independent calculation."""

import itertools
import re

import numpy as np
import pytest
from scipy.stats import norm

from labutils.simulation.incident import IncidentRuns
from labutils.viz.figures import tails as tail_figures
from labutils.viz.style import title_of


def texts(ax):
    return [t.get_text() for t in ax.texts]


@pytest.mark.parametrize(("share", "leaves"), [(0.01, 100), (0.03, 17)])
def test_slow_pages_are_powers_when_independent_and_lower_when_correlated(share, leaves):
    fig = tail_figures.slow_pages(share, read_at=leaves)
    ax = fig.axes[0]
    curves = [line for line in ax.lines if len(line.get_xdata()) > 10]
    assert len(curves) == len(tail_figures.CORRELATIONS)
    n = curves[0].get_xdata()
    assert curves[0].get_ydata() == pytest.approx(100 * (1 - (1 - share) ** n))
    for higher, lower in itertools.pairwise(curves):
        assert (higher.get_ydata()[1:] > lower.get_ydata()[1:]).all()
        assert higher.get_ydata()[0] == pytest.approx(100 * share)
    assert f"{100 * (1 - (1 - share) ** leaves):.0f} % of the pages" in title_of(fig)


def test_a_correlated_curve_is_the_average_over_the_common_factor():
    """Vasicek 1987, by drawing the factor; the second curve has correlation 0.1."""
    ax = tail_figures.slow_pages(0.02).axes[0]
    curve = [line for line in ax.lines if len(line.get_xdata()) > 10][1]
    n, slow = (column[30] for column in curve.get_data())
    factor = np.random.default_rng(2).normal(size=400_000)
    given = norm.sf((norm.isf(0.02) - np.sqrt(0.1) * factor) / np.sqrt(0.9))
    pages = 1 - (1 - given) ** n
    assert slow == pytest.approx(100 * pages.mean(), abs=500 * pages.std() / np.sqrt(pages.size))


def test_hedged_tails_of_an_exponential_leaf_have_a_closed_form():
    """S(t) S(t - tau) with S = exp(-t / 4): exp(-(2 t - tau) / 4) = 0.001."""
    fig = tail_figures.hedged_tails({"one": lambda t: np.exp(-t / 4)}, trigger_quantile=0.9)
    tau = 4 * np.log(10)
    copied = (4 * np.log(1000) + tau) / 2
    alone, hedged, sent, *_ = fig.axes[0].lines
    assert sent.get_xdata()[0] == pytest.approx(tau)
    t, late = hedged.get_data()
    assert late == pytest.approx(np.exp(-t / 4) * np.exp(-np.maximum(0, t - tau) / 4))
    assert alone.get_ydata() == pytest.approx(np.exp(-t / 4))
    assert {f"{copied:.3g} ms", f"{4 * np.log(1000):.3g} ms"} <= set(texts(fig.axes[0]))
    assert "10 % more requests" in title_of(fig)
    assert f"by {4 * np.log(1000) / copied:.2g} for one" in title_of(fig)


PEAK = {"peak": (3, 6), "switch_s": 9}


def an_incident(**changes):
    """Three runs: 0.5 s before the peak (median run), 7 s from 7 to 10, healthy from 11 on."""
    times = np.arange(1.0, 13.0)
    scale = np.array([1.2, 1.0, 0.9])[:, None]
    medians = scale * np.where((times > 3) & (times < 11), 7.0, 0.5)
    loads = scale * np.where((times > 3) & (times <= 6), 0.7, 0.4)
    sent = loads * np.where((times > 3) & (times <= 9), 2.0, 1.0)
    unanswered = np.ones(medians.shape, dtype=int)
    return IncidentRuns(times, **{
        "median_s": medians, "unanswered": unanswered, "asked": loads, "sent": sent, **changes
    })  # fmt: skip


def test_the_incident_draws_what_is_asked_and_what_is_sent_against_capacity():
    top, _ = tail_figures.incident(an_incident(), **PEAK).axes
    *_, capacity, sent, asked = top.lines
    assert list(capacity.get_ydata()) == [1, 1]
    assert asked.get_ydata() == pytest.approx([0.4] * 3 + [0.7] * 3 + [0.4] * 6)
    assert sent.get_ydata() == pytest.approx([0.4] * 3 + [1.4] * 3 + [0.8] * 3 + [0.4] * 3)
    assert "all is sent twice: 0.8" in texts(top) and "requests alone: 0.4" in texts(top)


def test_the_incident_draws_the_median_run_and_names_the_recovery():
    fig = tail_figures.incident(an_incident(), **PEAK)
    bottom = fig.axes[1]
    curve = next(line for line in bottom.lines if len(line.get_xdata()) == 12)
    assert curve.get_ydata() == pytest.approx([0.5] * 3 + [7] * 7 + [0.5] * 2)
    assert {"healthy\n2 s later", "median run of 3;\nshaded: 8 of 10 runs"} == set(texts(bottom))
    assert "3 s later the same load has a median of 7 s, no longer 500 ms" in title_of(fig)


def test_the_numbers_of_the_incident():
    seen = an_incident()
    assert tail_figures.incident_in_numbers(seen, **PEAK) == pytest.approx((0.5, 7.0, 11.0))
    lost = an_incident(median_s=np.where(seen.times_s > 3, 9.0, seen.median_s))
    assert tail_figures.incident_in_numbers(lost, **PEAK)[2] == np.inf
    assert not any("healthy" in t for t in texts(tail_figures.incident(lost, **PEAK).axes[1]))


def test_a_moment_without_answers_leaves_a_gap_and_no_warning(recwarn):
    medians = an_incident().median_s.copy()
    medians[:, 4] = np.nan
    bottom = tail_figures.incident(an_incident(median_s=medians), **PEAK).axes[1]
    curve = next(line for line in bottom.lines if len(line.get_xdata()) == 11)
    assert 5.0 not in curve.get_xdata()


@pytest.mark.parametrize("trigger", [9.0, 14.98])
def test_the_loop_rests_where_its_curve_meets_the_diagonal(trigger):
    ax = tail_figures.loop(trigger).axes[0]
    curves = [line for line in ax.lines if len(line.get_xdata()) > 10][1:]
    dots = [line for line in ax.lines if len(line.get_xdata()) == 1]
    for curve, (_, load) in zip(curves, tail_figures.LOOPS, strict=True):
        x, sent = curve.get_data()
        late = np.where(x < 1, np.exp(-(1 - x) * trigger), 1.0)
        assert sent == pytest.approx(load * (1 + late))
        crossings = np.flatnonzero(np.diff(np.sign(sent - x + 1e-9)))
        own = [dot for dot in dots if dot.get_color() == curve.get_color()]
        assert sorted(dot.get_xdata()[0] for dot in own) == pytest.approx(x[crossings], abs=0.002)
        open_ = [dot for dot in own if dot.get_markerfacecolor() == "none"]
        assert len(open_) == len(own) // 2  # between two states lies one tipping point


def test_the_title_of_the_loop_names_its_loads():
    fig = tail_figures.loop(12.0, loads=(("queue", 0.9), ("theory", 0.55), ("service", 0.3)))
    assert re.findall(r"0\.\d+", title_of(fig)) == ["0.55", "0.9", "0.3"]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: tail_figures.slow_pages(1.5), "leaf_slow_share = 1.5"),
        (lambda: tail_figures.loop(0), "trigger = 0"),
        (lambda: tail_figures.hedged_tails({"x": np.exp}, trigger_quantile=2), "trigger_quantile"),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()
