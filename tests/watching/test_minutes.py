"""Drawn minutes against their means, and incidents where they were planted."""

import numpy as np
import pytest

from labutils.telemetry.watching import (
    MINUTES_A_DAY,
    Incident,
    Minutes,
    daily_wave,
    draw_minutes,
    error_shares,
)


def test_shares_add_up_as_chances_do():
    incidents = [Incident(2, 3, 0.25), Incident(4, 2, 0.5)]
    shares = error_shares(0.1, incidents, 7)
    once, both, other = 1 - 0.9 * 0.75, 1 - 0.9 * 0.75 * 0.5, 1 - 0.9 * 0.5
    assert shares == pytest.approx([0.1, 0.1, once, once, both, other, 0.1])


@pytest.mark.parametrize("seed", range(4))
def test_counts_have_the_means_that_were_asked_for(seed):
    means = daily_wave(37.0, swing=0.6, length_min=2 * MINUTES_A_DAY)
    incident = Incident(1_000, 300, 0.3)
    minutes = draw_minutes(means, 0.02, [incident], rng=np.random.default_rng(seed))
    inside = slice(incident.start_min, incident.end_min)
    total, expected = minutes.total[inside].sum(), means[inside].sum()
    assert abs(total - expected) < 5 * np.sqrt(expected)
    share = 1 - 0.98 * 0.7
    assert abs(minutes.bad[inside].sum() - total * share) < 5 * np.sqrt(total * share * (1 - share))
    rest = minutes.bad.sum() - minutes.bad[inside].sum()
    asked = minutes.total.sum() - total
    assert abs(rest - asked * 0.02) < 5 * np.sqrt(asked * 0.02)


def test_the_wave_is_quiet_at_midnight():
    wave = daily_wave(50.0, swing=0.6, length_min=3 * MINUTES_A_DAY)
    assert wave.mean() == pytest.approx(50)
    assert wave[MINUTES_A_DAY // 2] == pytest.approx(4 * wave[MINUTES_A_DAY])
    assert np.ptp(daily_wave(5.0, swing=0, length_min=9)) == 0


@pytest.mark.parametrize("window", [1, 4])
def test_touched_minutes(window):
    incidents = (Incident(3, 2, 0.5), Incident(10, 2, 1))
    minutes = Minutes(np.ones(12, int), np.zeros(12, int), incidents)
    expected = [
        any(minute in (3, 4, 10, 11) for minute in range(now - window + 1, now + 1))
        for now in range(12)
    ]
    assert minutes.touched(window).tolist() == expected


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Incident(-1, 2, 0.5), "start_min = -1: expected a whole number of at least 0"),
        (lambda: Incident(1, 0, 0.5), "length_min = 0: expected a whole number of at least 1"),
        (lambda: Incident(1, 2, 0), "error_share = 0: expected a share above 0"),
        (lambda: Minutes([3, 4], [1]), r"bad = shape \(1,\): expected that of total, \(2,\)"),
        (lambda: Minutes([3, 4], [1, 5]), r"bad\[1\] = 5: expected 0 to total\[1\] = 4"),
        (lambda: Minutes([3], [0], (Incident(0, 2, 1),)), "expected an end within 1 minutes"),
        (lambda: daily_wave(3, swing=1.5), "swing = 1.5: expected a share from 0 to 1"),
        (lambda: error_shares(0, [], 3), "base = 0: expected a number strictly between"),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()
