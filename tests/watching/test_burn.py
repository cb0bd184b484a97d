"""Burn-rate alerts: against loops, against published figures, against chances by enumeration."""

import math

import numpy as np
import pytest
from scipy import stats

from labutils.telemetry.watching import (
    MONTH_MIN,
    PAGES,
    TICKETS,
    BurnRule,
    Incident,
    Minutes,
    alarms,
    burn_rates,
    draw_minutes,
    false_alerts_per_month,
    fires_at,
    firing,
    judge,
    windowed,
)


def steady(per_min: int, length_min: int, incident: Incident, base_bad: int = 0) -> Minutes:
    """The same count each minute, and exactly the incident's share of it bad."""
    total, bad = np.full(length_min, per_min), np.full(length_min, base_bad)
    bad[incident.start_min : incident.end_min] = round(per_min * incident.error_share)
    return Minutes(total, bad, (incident,))


@pytest.mark.parametrize("seed", range(12))
def test_the_fast_rules_are_the_loops(seed):
    draws = np.random.default_rng(seed)
    incidents = (Incident(40, 9, 0.5), Incident(101, 23, 0.07), Incident(180, 1, 1.0))
    means = draws.uniform(0, draws.choice([0.3, 4, 60]), 263)  # some minutes without a request
    minutes = draw_minutes(means, 0.013, incidents, rng=draws)
    rules = (BurnRule(9.1, 17, 3, draws.integers(1, 30)), BurnRule(2.3, 71, 11))
    for rule in rules:
        fast = firing(minutes, rule, 0.99)
        plain = [fires_at(minutes, now, rule, 0.99) for now in range(263)]
        assert fast.tolist() == plain
    begun = alarms(minutes, rules, 0.99)
    outcome = judge(minutes, rules, 0.99)
    assert outcome.true_alerts == sum(is_true for _, is_true in begun)
    assert outcome.false_alerts == sum(not is_true for _, is_true in begun)
    for incident, found in zip(incidents, outcome.minutes_to_detect, strict=True):
        detected = [
            now - incident.start_min + 1
            for rule in rules
            for now in range(incident.start_min, min(incident.end_min + rule.short_min - 1, 263))
            if fires_at(minutes, now, rule, 0.99)
        ]
        assert found == min(detected, default=math.inf)


def test_the_twins_were_given_something_to_disagree_on():
    draws = np.random.default_rng(0)
    minutes = draw_minutes(np.full(900, 3.0), 0.02, (Incident(300, 40, 0.4),), rng=draws)
    outcome = judge(minutes, (BurnRule(3, 31, 5),), 0.99)
    assert outcome.true_alerts >= 1 and outcome.false_alerts >= 1


@pytest.mark.parametrize("window", [1, 7, 60, 500])
def test_windowed_sums(window):
    counts = np.random.default_rng(window).integers(0, 9, 261)
    expected = [counts[max(0, now - window + 1) : now + 1].sum() for now in range(261)]
    assert windowed(counts, window).tolist() == expected


def test_published_figures_of_the_workbook():
    # Chapter 5: the recommended windows, and what approaches 1 and 2 detect in a full outage.
    assert [rule.budget_spent() for rule in (*PAGES, *TICKETS)] == pytest.approx([0.02, 0.05, 0.1])
    assert BurnRule(1, 10, 10).detection_min(1.0, 0.999) * 60 == pytest.approx(0.6)
    assert BurnRule(1, 36 * 60, 1).detection_min(1.0, 0.999) * 60 == pytest.approx(129.6)
    assert all(rule.long_min == 12 * rule.short_min for rule in (*PAGES, *TICKETS))


@pytest.mark.parametrize("share", [1.0, 0.31, 0.083, 0.0171, 0.0145])
def test_a_steady_incident_is_detected_when_the_formula_says(share):
    rule = PAGES[0]
    per_min = 10_000
    minutes = steady(per_min, 400, Incident(100, 200, share))
    (found,) = judge(minutes, [rule], 0.999).minutes_to_detect
    assert found == math.floor(rule.detection_min(share, 0.999) + 1e-9) + 1


def test_below_the_threshold_nothing_fires():
    minutes = steady(10_000, 400, Incident(100, 200, 0.0143))
    assert judge(minutes, [PAGES[0]], 0.999).minutes_to_detect == (math.inf,)
    assert PAGES[0].detection_min(0.0143, 0.999) == math.inf
    assert judge(minutes, PAGES, 0.999).minutes_to_detect[0] < 200  # the slower page sees it


def test_the_short_window_ends_the_alarm():
    minutes = steady(1_000, 400, Incident(50, 30, 0.2))
    with_short = np.flatnonzero(firing(minutes, BurnRule(14.4, 60, 5), 0.999))
    alone = np.flatnonzero(firing(minutes, BurnRule(14.4, 60, 60), 0.999))
    assert with_short[0] == alone[0] and with_short[-1] == 79 + 4 and alone[-1] > 79 + 50


def test_least_events_silence_thin_traffic():
    total, bad = np.zeros(200, int), np.zeros(200, int)
    total[::7] = 1
    bad[98] = 1  # one bad request: 1 of 9 in the hour, a burn rate of 111
    minutes = Minutes(total, bad)
    assert burn_rates(minutes, 60, 0.999)[98] == pytest.approx(1000 / 9)
    loud, calm = judge(minutes, PAGES, 0.999), BurnRule(14.4, 60, 5, least_events=10)
    assert loud.false_alerts == 1 and loud.true_alerts == 0
    assert judge(minutes, [calm], 0.999).false_alerts == 0


@pytest.mark.parametrize(("per_min", "base", "burn"), [(3.0, 0.01, 14.4), (40.0, 0.02, 5.0)])
def test_false_alarms_are_as_frequent_as_the_chances_say(per_min, base, burn):
    # With windows of a minute, minutes are independent: one begins with chance p (1 - p).
    rule, objective, length = BurnRule(burn, 1, 1), 0.99, 5_003
    totals = np.arange(1, 400)
    # Fires if bad / total > burn (1 - objective), so from the next whole number of bad ones on.
    needs = np.floor(burn * (1 - objective) * totals + 1e-9)
    p = (stats.poisson.pmf(totals, per_min) * stats.binom.sf(needs, totals, base)).sum()
    expected = p + (length - 1) * p * (1 - p)
    found, error = false_alerts_per_month(
        np.full(length, per_min), base, [rule], objective, months=60, rng=np.random.default_rng(3)
    )
    assert error == pytest.approx(math.sqrt(expected / 60), rel=0.5)
    assert abs(found - expected) < 5 * error


def test_an_alarm_is_true_only_while_an_incident_is_in_sight():
    total, bad = np.full(300, 100), np.zeros(300, int)
    bad[[20, 21, 22, 150, 151, 152]] = 80
    minutes = Minutes(total, bad, (Incident(150, 2, 0.8),))
    outcome = judge(minutes, [BurnRule(10, 11, 3)], 0.99)
    assert (outcome.true_alerts, outcome.false_alerts) == (1, 1)
    assert outcome.minutes_to_detect == (2.0,)  # 160 of 1,100 pass a tenth, 80 do not


@pytest.mark.parametrize(("bad_at", "found"), [(9, 1), (10, 1), (12, 3), (13, math.inf)])
def test_an_alarm_counts_as_detection_while_the_short_window_sees_the_incident(bad_at, found):
    bad = np.zeros(40, int)
    bad[bad_at] = 1  # it fires in this minute and the two after it: a third is 3.3 times a tenth
    minutes = Minutes(np.ones(40, int), bad, (Incident(10, 1, 0.5),))
    assert judge(minutes, [BurnRule(3, 3, 3)], 0.9).minutes_to_detect == (found,)


@pytest.mark.parametrize("rules", [[], [BurnRule(2000, 60, 5)]])
def test_an_alarm_that_never_sounds_has_found_nothing(rules):
    minutes = steady(40, 300, Incident(100, 30, 0.5), base_bad=3)
    outcome = judge(minutes, rules, 0.999)
    assert (outcome.true_alerts, outcome.false_alerts) == (0, 0)
    assert outcome.minutes_to_detect == (math.inf,)


def test_a_month_has_its_minutes():
    assert MONTH_MIN == 43_200 and TICKETS[0].threshold(0.995) == pytest.approx(0.005)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: BurnRule(0, 60, 5), "burn = 0: expected a finite number above 0"),
        (lambda: BurnRule(2, 5, 60), "short_min = 60: expected at most long_min = 5"),
        (lambda: BurnRule(2, 60, 5, least_events=0), "least_events = 0: expected a whole number"),
        (lambda: PAGES[0].threshold(1), "objective = 1: expected a number strictly between"),
        (lambda: PAGES[0].detection_min(0, 0.9), "error_share = 0: expected a share above 0"),
        (lambda: windowed([1, 2], 0), "window_min = 0: expected a whole number of at least 1"),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()
