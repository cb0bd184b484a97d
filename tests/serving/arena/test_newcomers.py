"""Each policy of the room plays all four workloads by the rules, a new one too."""

import pytest

from labutils.serving.arena import contest, policy_of, workloads
from labutils.serving.promises.policies import every

FOUR = workloads(40, seed=3, load=2.0)


@pytest.mark.parametrize("name", every())
def test_it_is_sent_off_nowhere(name):
    kind = every()[name]
    table = contest({name: policy_of(kind, **kind.tried_with)}, FOUR)
    assert [one.sent_off for one in table.scores] == [""] * 4
