"""The universal scalability law against 40 digits, against every whole number, and as a fit."""

import math

import mpmath as mp
import numpy as np
import pytest

from labutils.laws.scaling import UniversalScalability, amdahl_speedup, fit_scalability

ROWS = (  # contention, coherency, machines
    (0.0, 0.0, 7),
    (0.05, 0.0, 13),
    (0.0, 0.003, 11),
    (0.04, 0.0006, 40),
    (0.04, 0.0006, 77),
    (0.17, 0.0021, 5),
    (0.31, 1e-7, 1023),
    (0.02, 0.015, 3.5),
    (0.9, 0.2, 2),
    (1.0, 0.01, 9),
    (0.0007, 3.3e-5, 257),
)


def in_digits(alpha, beta, n):
    """The law from its story: one machine's time for a unit, and what the others add to it."""
    with mp.workdps(40):
        alpha, beta, n = mp.mpf(alpha), mp.mpf(beta), mp.mpf(n)
        waits_and_talks = alpha * (n - 1) + beta * n * (n - 1)
        return float(1 / ((1 + waits_and_talks) / n))


@pytest.mark.parametrize(("alpha", "beta", "n"), ROWS)
def test_speedup_and_efficiency_to_the_last_digit(alpha, beta, n):
    law = UniversalScalability(alpha, beta, one_per_s=37.5)
    assert law.speedup(n) == pytest.approx(in_digits(alpha, beta, n), rel=1e-14)
    assert law.efficiency(n) == pytest.approx(in_digits(alpha, beta, n) / n, rel=1e-14)
    assert law.throughput_per_s(n) == pytest.approx(37.5 * in_digits(alpha, beta, n), rel=1e-14)
    assert law.speedup(1) == law.efficiency(1) == 1


@pytest.mark.parametrize(("alpha", "beta", "n"), [row for row in ROWS if row[1]])
def test_the_peak_is_beside_the_best_whole_number(alpha, beta, n):
    law = UniversalScalability(alpha, beta)
    best = max(range(1, 3_300), key=lambda k: in_digits(alpha, beta, k))
    assert abs(law.peak_at - best) < 1
    assert law.ceiling >= in_digits(alpha, beta, best) * (1 - 1e-12)
    assert law.ceiling == pytest.approx(in_digits(alpha, beta, law.peak_at))


def test_without_coherency_it_is_amdahls_law_and_has_no_peak():
    law = UniversalScalability(0.3, 0)
    assert law.speedup(10) == pytest.approx(amdahl_speedup(0.7, 10))
    assert law.peak_at == math.inf and law.ceiling == pytest.approx(1 / 0.3)
    assert UniversalScalability(0, 0).ceiling == math.inf
    assert UniversalScalability(1, 0).ceiling == UniversalScalability(0.5, 3).ceiling == 1


@pytest.mark.parametrize("row", [(0.04, 0.0006, 812.0), (0.0, 0.003, 3.1), (0.17, 0.0021, 95.0)])
def test_a_fit_returns_the_law_that_made_the_points(row):
    law = UniversalScalability(*row)
    counts = [1, 2, 3, 5, 9, 17, 33]
    for some in (counts, counts[2:], [2, 7, 19]):
        fit = fit_scalability(some, [law.throughput_per_s(n) for n in some])
        assert fit.law.contention == pytest.approx(law.contention, abs=1e-9)
        assert fit.law.coherency == pytest.approx(law.coherency, rel=1e-6)
        assert fit.law.one_per_s == pytest.approx(law.one_per_s)
        assert fit.relative_error < 1e-9 and fit.most_measured == some[-1]


def test_a_fit_finds_the_peak_through_noise():
    law, counts = UniversalScalability(0.03, 0.001, 640.0), np.repeat([1, 2, 4, 8, 16, 32, 64], 3)
    true = [law.throughput_per_s(n) for n in counts]
    peaks = []
    for seed in range(40):
        noise = np.random.default_rng(seed).normal(1, 0.02, counts.size)
        fit = fit_scalability(counts, true * noise)
        assert fit.relative_error == pytest.approx(0.02, rel=0.6)
        peaks.append(fit.law.peak_at)
    assert np.mean(peaks) == pytest.approx(law.peak_at, rel=0.02)
    assert np.std(peaks) < 0.05 * law.peak_at


def test_a_fit_says_when_there_is_no_peak():
    law, counts = UniversalScalability(0.08, 0), np.repeat([1, 2, 4, 8, 16], 2)
    true = np.array([law.throughput_per_s(n) for n in counts])
    exact = fit_scalability(counts, true)
    assert exact.law.coherency == 0 and exact.law.contention == pytest.approx(0.08)
    assert exact.verdict.startswith("No peak") and "12.5" in exact.verdict
    noisy = [
        fit_scalability(counts, true * np.random.default_rng(seed).normal(1, 0.02, counts.size))
        for seed in range(200)
    ]
    # One side of a two-sided test at 5 %: five standard deviations above 2.5 % of 200.
    assert sum(fit.law.coherency > 0 for fit in noisy) <= 5 + 5 * math.sqrt(5)


def test_a_peak_beyond_the_points_is_called_a_guess():
    law = UniversalScalability(0.02, 0.0002)
    few, many = ([n for n in (1, 3, 9, 27, 81, 243) if n <= most] for most in (27, 243))
    assert "lies beyond the 27 measured: a guess" in fit_of(law, few).verdict
    assert fit_of(law, many).verdict.startswith("The peak lies at 70 machines, ")


def fit_of(law, counts):
    return fit_scalability(counts, [law.throughput_per_s(n) for n in counts])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: UniversalScalability(1.2, 0.1), "contention = 1.2: expected a share"),
        (lambda: UniversalScalability(0.1, -1e-9), "coherency = -1e-09"),
        (lambda: UniversalScalability(0.1, 0.1, 0), "one_per_s = 0"),
        (lambda: UniversalScalability(0.1, 0.1).speedup(0.5), "machines = 0.5: expected at least"),
        (lambda: fit_scalability([1, 2], [10, 18]), "at least three different numbers"),
        (lambda: fit_scalability([1, 2, 2, 1], [10, 18, 19, 10]), "three different numbers"),
        (lambda: fit_scalability([1, 2, 4], [10, 18]), "2 values: expected 3"),
        (lambda: fit_scalability([0, 2, 4], [10, 18, 30]), r"machines\[0\] = 0: expected at least"),
        (lambda: fit_scalability([1, -2, 4], [10, 18, 30]), r"machines\[1\] = -2"),
        (lambda: fit_scalability([1, 2, 4], [10, 0, 30]), r"throughput_per_s\[1\] = 0"),
        (lambda: fit_scalability([1, 2, 4], [10, 18, -3]), r"throughput_per_s\[2\] = -3"),
        (lambda: fit_scalability([1, 2, 4], [10, 18, math.nan]), r"throughput_per_s\[2\] = nan"),
        (lambda: fit_scalability([2, 4, 8], [1, 1 / 3, 1 / 7]), "falls so steeply"),
        (lambda: fit_scalability([], []), "machines = "),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()
