"""Amdahl and Gustafson against time lines counted part by part."""

import random

import pytest

from labutils.laws.scaling import (
    amdahl_ceiling,
    amdahl_speedup,
    combined_speedup,
    factor_for_speedup,
    gustafson_speedup,
    share_after,
    share_from_speedup,
)

SEEDS = range(8)


def drawn(seed: int) -> tuple[float, float]:
    source = random.Random(seed)
    return source.uniform(0.05, 0.98), source.uniform(1.2, 40)


def test_published_figures():
    assert amdahl_speedup(0.7, 2) == pytest.approx(1 / 0.65)
    assert amdahl_speedup(0.7, 10) == pytest.approx(2.7027, abs=1e-4)
    # Gustafson 1988: 1,024 processors, serial part 0.4 % of the parallel run: about 1,020.
    assert gustafson_speedup(0.996, 1024) == pytest.approx(1019.9, abs=0.05)


@pytest.mark.parametrize("seed", SEEDS)
def test_speedup_is_the_ratio_of_two_time_lines(seed):
    share, factor = drawn(seed)
    part, rest = 900 * share, 900 * (1 - share)
    assert amdahl_speedup(share, factor) == pytest.approx(900 / (rest + part / factor))
    assert share_after(share, factor) == pytest.approx(part / factor / (rest + part / factor))


@pytest.mark.parametrize("seed", SEEDS)
def test_the_inverses_return_what_went_in(seed):
    share, factor = drawn(seed)
    gained = amdahl_speedup(share, factor)
    assert factor_for_speedup(share, gained) == pytest.approx(factor)
    assert share_from_speedup(gained, factor) == pytest.approx(share)
    assert gained < amdahl_ceiling(share) == pytest.approx(amdahl_speedup(share, 1e15))


@pytest.mark.parametrize("seed", SEEDS)
def test_several_parts_against_stage_times(seed):
    source = random.Random(seed)
    times = [source.uniform(10, 900) for _ in range(4)]
    factors = [source.uniform(0.5, 9) for _ in range(3)]
    new = sum(t / f for t, f in zip(times, factors)) + times[3]
    parts = [(t / sum(times), f) for t, f in zip(times, factors)]
    assert combined_speedup(parts) == pytest.approx(sum(times) / new)
    assert combined_speedup(parts[:1]) == pytest.approx(amdahl_speedup(*parts[0]))


@pytest.mark.parametrize("seed", SEEDS)
def test_both_laws_agree_when_each_share_is_measured_in_its_own_place(seed):
    share, processors = drawn(seed)
    assert gustafson_speedup(share_after(share, processors), processors) == pytest.approx(
        amdahl_speedup(share, processors)
    )


def test_ends_of_the_range():
    assert amdahl_speedup(0, 7) == 1 and amdahl_speedup(1, 7) == pytest.approx(7)
    assert amdahl_ceiling(1) == float("inf") and combined_speedup([]) == 1
    assert amdahl_speedup(0.25, 0.5) == pytest.approx(0.8)  # slower parts slow the whole


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: amdahl_speedup(1.2, 3), "share = 1.2"),
        (lambda: amdahl_speedup(0.3, 0), "factor = 0"),
        (lambda: factor_for_speedup(0.6, 2.5), "speedup = 2.5: expected less than 2.5"),
        (lambda: combined_speedup([(0.7, 2), (0.4, 3)]), "sum to 1.1"),
        (lambda: share_from_speedup(3.5, 3), "speedup = 3.5"),
        (lambda: share_from_speedup(1.0, 1.0), "factor = 1.0"),
        (lambda: gustafson_speedup(-0.1, 3), "share = -0.1"),
        (lambda: gustafson_speedup(1.1, 3), "share = 1.1"),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()
