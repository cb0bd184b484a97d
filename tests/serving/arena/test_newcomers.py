"""Each newcomer plays all four workloads by the rules."""

import pytest

from labutils.serving.arena import contest, policy_of, workloads
from tests.serving.arena.newcomers import NEWCOMERS

FOUR = workloads(40, seed=3, load=2.0)


@pytest.mark.parametrize("name", NEWCOMERS)
def test_it_is_sent_off_nowhere(name):
    table = contest({name: policy_of(NEWCOMERS[name])}, FOUR)
    assert [one.sent_off for one in table.scores] == [""] * 4
