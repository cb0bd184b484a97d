"""Budgets by hand, on dependent and independent stages, and the ten stages that add up to 2,850."""

import math

import numpy as np
import pytest

from labutils.metrics.latency import audit_budget, percentile, split_budget
from labutils.simulation.pipeline import dependent_stage_times

TEN_MS = dict(zip("abcdefghij", (30, 20, 50, 100, 100, 50, 400, 2000, 50, 50)))
TEN_S = {name: ms / 1000 for name, ms in TEN_MS.items()}


def rng(seed=5):
    return np.random.default_rng(seed)


def test_four_requests_by_hand():
    times = {"a": [1.0, 2.0, 3.0, 10.0], "b": [8.0, 5.0, 6.0, 4.0]}
    audit = audit_budget(times, limit_s=9.0, p=0.75, rng=rng())
    # totals 9, 7, 9, 14; sorted columns 1 2 3 10 and 4 5 6 8, whose rows add to 5, 7, 9, 18
    assert audit.stage_s == {"a": 3.0, "b": 6.0} and audit.sum_s == 9.0
    assert audit.total_s == 9.0 and audit.kept == 0.75
    assert audit.equal_q == 0.75 and audit.equal_s == {"a": 3.0, "b": 6.0}
    assert audit.equal_guarantee == 0.5
    assert audit.union_q == 0.875 and audit.union_s == 18.0


def test_a_slow_request_that_is_slow_everywhere_makes_quantiles_add():
    pace = rng(3).lognormal(0, 1, 4001)
    audit = audit_budget(np.outer(pace, [0.2, 0.7, 0.05]), limit_s=4.0, rng=rng())
    assert audit.total_s == pytest.approx(audit.sum_s)
    assert audit.kept == pytest.approx(audit.equal_q)
    assert audit.independent_s < 0.93 * audit.sum_s


def test_quantiles_may_add_up_to_less_than_the_total():
    """Two stages that each keep p99 at 1 ms, and a total whose p99 is a second."""
    a, b = np.full(1000, 0.001), np.full(1000, 0.001)
    a[:9], b[9:18] = 1.0, 1.0
    audit = audit_budget({"a": a, "b": b}, limit_s=0.5, rng=rng())
    assert audit.sum_s == pytest.approx(0.002) and audit.total_s == pytest.approx(1.001)
    assert audit.kept == 0.982 == pytest.approx(audit.equal_guarantee)
    assert audit.union_s == 2.0  # at 1 - 0.01 / 2 the promises show what can happen


def test_ten_stages_that_keep_their_p99_do_better_together_than_their_sum():
    assert sum(TEN_MS.values()) == 2850
    n = 100_003
    apart = dependent_stage_times(TEN_S, n, rng(11))
    audit = audit_budget(apart, limit_s=3.0, rng=rng())
    assert audit.sum_s == pytest.approx(2.85, rel=0.02)
    assert audit.stage_s["h"] == pytest.approx(2.0, rel=0.03)
    assert audit.interval_s[0] <= audit.total_s <= audit.interval_s[1] < 0.92 * audit.sum_s
    assert audit.independent_s == pytest.approx(audit.total_s, rel=0.02)
    assert audit.kept > 0.997 and audit.equal_q < audit.kept
    assert audit.union_q == pytest.approx(0.999) and audit.union_s > 3.0
    together = dependent_stage_times(TEN_S, n, rng(11), correlation=1.0)
    tied = audit_budget(together, limit_s=3.0, rng=rng())
    assert tied.total_s == pytest.approx(tied.sum_s) and tied.independent_s < tied.total_s


def test_stages_measured_apart_have_an_independent_total_alone():
    pace = rng(8).exponential(1.0, 5001)
    apart = audit_budget({"a": pace, "b": 2 * pace}, limit_s=9.0, rng=rng(), joint=False)
    assert apart.total_s == apart.independent_s
    assert apart.total_s < audit_budget({"a": pace, "b": 2 * pace}, limit_s=9, rng=rng()).total_s


def test_the_independent_total_is_that_of_a_convolution():
    """Sum of exponentials with means 1 and 3: P(total > t) in closed form."""
    tables = rng(2).exponential([1.0, 3.0], size=(200_000, 2))
    audit = audit_budget(np.sort(tables, axis=0), limit_s=12.0, rng=rng(4))
    left = (3 * math.exp(-audit.independent_s / 3) - math.exp(-audit.independent_s)) / 2
    assert abs(left - 0.01) < 5 * math.sqrt(0.01 * 0.99 / 200_000)


@pytest.mark.parametrize("how", ("equal-quantile", "proportional"))
@pytest.mark.parametrize("correlation", (0.0, 0.6))
def test_a_split_adds_up_and_its_guarantee_holds(how, correlation):
    times = dependent_stage_times(TEN_S, 20_001, rng(6), scv=1.5, correlation=correlation)
    split = split_budget(times, limit_s=3.0, how=how)
    assert sum(split.limits_s.values()) == pytest.approx(3.0)
    assert split.guarantee <= split.all_kept <= split.total_kept
    kept = list(split.stage_kept.values())
    if how == "equal-quantile":
        assert max(kept) - min(kept) < 1e-3
        assert kept[0] == pytest.approx(audit_budget(times, limit_s=3.0, rng=rng()).equal_q, 1e-3)
    else:
        tops = {name: percentile(times[name], 0.99) for name in times}
        ratios = [split.limits_s[name] / tops[name] for name in times]
        assert max(ratios) == pytest.approx(min(ratios))


def test_unequal_spreads_part_the_two_ways_of_splitting():
    tame, wild = rng(1).gamma(100, 0.01, 30_001), rng(2).exponential(1.0, 30_001)
    even = split_budget({"tame": tame, "wild": wild}, limit_s=4.0).stage_kept
    part = split_budget({"tame": tame, "wild": wild}, limit_s=4.0, how="proportional").stage_kept
    assert even["tame"] == pytest.approx(even["wild"], abs=1e-3)
    assert part["tame"] < 0.8 < part["wild"]


def test_draws_have_the_correlation_and_the_quantile_that_were_asked_for():
    times = dependent_stage_times({"a": 0.3, "b": 2.0}, 100_000, rng(9), p=0.9, correlation=0.4)
    logs = np.log([times["a"], times["b"]])
    assert np.corrcoef(logs)[0, 1] == pytest.approx(0.4, abs=0.02)
    assert (times["b"] <= 2.0).mean() == pytest.approx(0.9, abs=5e-3)
    assert logs[0].var() == pytest.approx(math.log(1.5), rel=0.03)


def test_bad_input_is_named():
    good = {"a": [1.0, 2.0], "b": [2.0, 1.0]}
    for wrong, words in (
        ({"a": [1.0], "b": [1.0, 2.0]}, "one for each request"),
        ({}, "expected requests and stages"),
        ([1.0, 2.0], "1 axes"),
        ([[1.0, -2.0]], r"\[0, 'stage 2'\] = -2"),
        ({"a": [1.0, math.nan]}, "finite"),
    ):
        with pytest.raises(ValueError, match=words):
            audit_budget(wrong, limit_s=1.0, rng=rng())
    with pytest.raises(ValueError, match="rng = 3"):
        audit_budget(good, limit_s=1.0, rng=3)
    with pytest.raises(ValueError, match="limit_s = 0"):
        audit_budget(good, limit_s=0, rng=rng())
    with pytest.raises(ValueError, match="how = 'fair'"):
        split_budget(good, limit_s=1.0, how="fair")
    with pytest.raises(ValueError, match="expected at least 2, the fastest"):
        split_budget(good, limit_s=1.5)
    with pytest.raises(ValueError, match="expected some time"):
        split_budget([[0.0, 0.0]], limit_s=1.5)
    with pytest.raises(ValueError, match="correlation = 2"):
        dependent_stage_times({"a": 1.0}, 3, rng(), correlation=2)
    assert audit_budget(good, limit_s=1.0, rng=rng()).equal_q == 0
