"""What a router's choices gave up, one router beside another, and the table of a real trace."""

import math

import pytest

from labutils.serving.replicas import Arrival, Thrown, Views, leading, recorded_routers
from labutils.serving.replicas.compared import times_as_long


class Says:
    def __init__(self, *choices):
        self.choices = iter(choices)

    def choose(self, request, views):
        return next(self.choices)


def test_a_page_counts_if_all_before_it_were_sent():
    assert leading((4, 7, 9), {4, 9}) == 1 and leading((4, 7), {4, 7, 1}) == 2
    assert leading((), {1}) == 0 and leading((5,), set()) == 0


def test_a_choice_gives_up_what_the_best_replica_knows_and_it_does_not():
    views, router = Views(3, up=[0, 2]), Thrown(Says(0, 2, 0, 2))
    for pages, so_far in (((1, 2, 3), 0), ((1, 2, 8), 2), ((1, 2, 8, 9), 3), ((1, 2, 3), 4)):
        router.choose(Arrival(0, 0.0, 99, pages), views)
        assert router.pages == so_far
    # the second was known to 0 by two pages; the third to 2 by three, of which 0 knows two; the
    # last to 0 whole, of which 2 knows two


def test_a_replica_that_left_is_no_alternative():
    router = Thrown(Says(1, 0))
    router.choose(Arrival(0, 0.0, 9, (1, 2)), Views(2, up=[0, 1]))
    router.choose(Arrival(1, 1.0, 9, (1, 2)), Views(2, up=[0]))
    assert router.pages == 0


def test_an_interval_of_ratios_is_students_on_logarithms():
    times = {
        ("a", 0): 2.0,
        ("b", 0): 1.0,
        ("a", 1): 8.0,
        ("b", 1): 1.0,
        ("a", 2): 4.0,
        ("b", 2): 1.0,
    }
    low, middle, high = times_as_long(lambda *who: times[who], "a", "b", draws=3)
    assert middle == pytest.approx(4.0)
    half = 4.302653 * math.log(2) / math.sqrt(3)  # t with 2 degrees of freedom, sd = log 2
    assert (low, high) == pytest.approx((4 * math.exp(-half), 4 * math.exp(half)), rel=1e-6)
    with pytest.raises(ValueError, match="draws = 1"):
        times_as_long(lambda *who: 1.0, "a", "b", draws=1)


def test_the_recorded_routers_by_their_rates():
    rates, found = recorded_routers("hit_share")
    assert rates[0] == 3.4 and rates == sorted(rates)
    assert found["WeightedScores"][0] > found["PrefixBounded"][0] > found["TwoChoices"][0]
    assert all(len(row) == len(rates) for row in found.values())
    with pytest.raises(ValueError, match="figure = 'p99'"):
        recorded_routers("p99")
