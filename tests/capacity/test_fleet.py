"""Machine counts against brute force: the first count that is enough."""

import random
from fractions import Fraction

import pytest

from labutils.laws.capacity import (
    Stage,
    bottleneck,
    gpus_for_tokens,
    replicas_for_concurrency,
    spare_replicas,
    utilization_after_loss,
)


def first_enough(enough) -> int:
    return next(count for count in range(1, 10**6) if enough(count))


@pytest.mark.parametrize("seed", range(12))
def test_counts_are_the_first_that_suffice(seed):
    source = random.Random(seed)
    requests, tokens = Fraction(source.randint(3, 90)), Fraction(source.randint(40, 900))
    rate, used = Fraction(source.randint(400, 5000)), Fraction(source.randint(40, 90), 100)
    assert gpus_for_tokens(
        float(requests), float(tokens), float(rate), utilization=float(used)
    ) == first_enough(lambda n: n * rate * used >= requests * tokens)
    stay, slots = Fraction(source.randint(5, 300), 10), source.randint(3, 64)
    assert replicas_for_concurrency(
        float(requests), float(stay), slots, utilization=float(used)
    ) == first_enough(lambda n: n * slots * used >= requests * stay)


def test_a_count_that_fits_exactly_is_not_rounded_up_by_rounding_errors():
    assert 2.2 * 45 / 3 > 33  # the sum that goes wrong
    assert gpus_for_tokens(2.2, 45, 3) == 33
    assert replicas_for_concurrency(2.2, 45, 3) == 33
    assert spare_replicas(2.2, 45, 3) == 33


def test_spare_covers_the_growth_of_one_cold_start_second_by_second():
    growth, start, capacity = 0.35, 140, 6.0
    grown = sum(growth for _ in range(start))
    assert spare_replicas(growth, start, capacity) == first_enough(lambda n: n * capacity >= grown)


def test_what_a_lost_replica_did_falls_to_the_rest():
    assert utilization_after_loss(0.6, 5, 2) == pytest.approx(5 * 0.6 / 3)
    assert utilization_after_loss(0.8, 3) == pytest.approx(1.2)
    assert utilization_after_loss(0.37, 4, 0) == 0.37


def test_the_bottleneck_is_the_stage_that_falls_behind_first():
    stages = [Stage("embed", 2, 0.03), Stage("search", 8, 0.2), Stage("write", 5, 0.09)]
    assert bottleneck(stages).name == "search"
    at_limit = bottleneck(stages).capacity_per_s
    assert [s.name for s in stages if s.utilization(at_limit * 1.01) > 1] == ["search"]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: gpus_for_tokens(1, 2, 3, utilization=1.2), "utilization = 1.2"),
        (lambda: gpus_for_tokens(0, 2, 3), "requests_per_s = 0"),
        (lambda: replicas_for_concurrency(1, 2, 2.5), "slots = 2.5"),
        (lambda: spare_replicas(1, -2, 3), "cold_start_s = -2"),
        (lambda: utilization_after_loss(0.5, 3, 3), "lost = 3: expected fewer than replicas = 3"),
        (lambda: bottleneck([]), "stages = "),
        (lambda: Stage("x", 0, 1.0), "workers = 0"),
        (lambda: Stage("x", 2, 0.0), "seconds = 0.0"),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()
