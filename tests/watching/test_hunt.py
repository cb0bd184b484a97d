"""How long somebody needs to name a fault, on a clock that the test moves."""

from itertools import islice

import pytest

from labutils.live import FAULTS, Hunt
from labutils.live.hunt import WRONG_S, faults_to_come


class Clock:
    now_s = 100.0

    def __call__(self):
        return self.now_s


def test_the_clock_stands_at_the_right_answer_and_wrong_ones_cost():
    clock = Clock()
    hunt = Hunt("burst", clock)
    clock.now_s = 105.0
    assert not hunt.says("memory") and hunt.seconds is None
    clock.now_s = 107.0
    assert hunt.says("burst")
    clock.now_s = 200.0
    assert hunt.says("burst") and hunt.seconds == 7 + WRONG_S


@pytest.mark.parametrize("call", [Hunt, Hunt("burst").says])
def test_a_fault_that_there_is_not_is_refused(call):
    with pytest.raises(ValueError, match="fault = 'fire': expected one of neighbour, memory"):
        call("fire")


def test_the_seed_draws_all_faults_before_one_comes_again():
    first, again, other = (list(islice(faults_to_come(seed), 5)) for seed in (7, 7, 8))
    assert sorted(first) == sorted(FAULTS) and first == again != other
    assert set(islice(faults_to_come(7), 5, 10)) == set(FAULTS)
