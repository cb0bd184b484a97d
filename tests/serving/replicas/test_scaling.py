"""An autoscaler by hand: who joins and leaves when, who begins anew, and what is paid."""

from dataclasses import replace

import numpy as np
import pytest

from labutils.engine import Request
from labutils.serving.replicas import Joins, PrefixBounded, RoundRobin, Scaling, serve_replicas
from labutils.serving.simulator import StepCost

from .stories import Told, assert_same
from .test_replicas import replicas

SECOND = StepCost(1.0)


class Wants:
    """As many as were written down, one number for each decision; the last one for ever."""

    def __init__(self, *numbers):
        self.numbers, self.seen = numbers, []

    def replicas(self, pool):
        self.seen.append(pool)
        return self.numbers[min(len(self.seen), len(self.numbers)) - 1]


class Last:
    """A router that sends to the replica with the highest number."""

    def choose(self, request, views):
        return views.up[-1]


def requests(*pairs) -> list[Request]:
    """Of prompts of a token: (when, tokens of the answer)."""
    return [Request(row, 1, tokens, float(at_s)) for row, (at_s, tokens) in enumerate(pairs)]


def test_by_hand_who_joins_who_leaves_and_what_is_paid():
    """Steps of a second. The third replica drains until 23, is ordered again, and idles."""
    some = requests((1, 2), (16, 1), (17, 6), (18, 4), (33, 1), (46, 3))
    wants = Wants(3, 2, 3, 1)
    run = serve_replicas(some, replicas(3), SECOND, RoundRobin(), scaling=Scaling(wants, 10, 5, 1))
    assert run.replica.tolist() == [0, 1, 2, 0, 0, 0]
    assert run.log.ok.all() and run.log.finish_s.max() == 49
    assert run.scaling.tolist() == [(10, 3, 1, 2), (20, 2, 2, 0), (30, 3, 2, 1), (40, 1, 1, 0)]
    assert run.replica_s == 49 + (40 - 10) + (23 - 10) + (40 - 30)
    first, second, third, _ = wants.seen
    assert (first.up, first.booting, first.in_flight, first.busy) == ([0], 0, [0], [0.2])
    assert (second.up, second.in_flight, second.running) == ([0, 1, 2], [1, 0, 1], [1, 0, 1])
    assert second.kv_use == [2 / 99, 0.0, 3 / 99] and second.waiting == [0, 0, 0]
    assert second.busy == [0.2, 0.1, 0.3] and third.busy == [0.2, 0.0]


def test_by_hand_who_is_still_booting_is_called_off_first_and_was_paid():
    some = requests((1, 2), (32, 4))
    scaling = Scaling(Wants(3, 2, 1), 10, 25, 1)
    run = serve_replicas(some, replicas(3), SECOND, RoundRobin(), scaling=scaling)
    assert run.scaling.booting.tolist() == [2, 1, 0] and run.scaling.up.tolist() == [1, 1, 1]
    assert run.replica_s == 36 + (20 - 10) + (30 - 10)
    alone = serve_replicas(some, replicas(3), SECOND, RoundRobin())
    assert alone.scaling is None and alone.replica_s == 3 * 36


def test_a_number_is_free_again_only_when_it_has_drained():
    some = requests((1, 30), (2, 1), (25, 1), (42, 1))
    run = serve_replicas(some, replicas(2), SECOND, Last(), scaling=Scaling(Wants(1, 2), 10, 5, 2))
    assert run.replica.tolist() == [1, 1, 0, 0]
    assert run.scaling.tolist() == [(10, 1, 1, 0), (20, 2, 1, 0), (30, 2, 1, 0), (40, 2, 1, 1)]
    assert run.log.finish_s[0] == 32 and run.replica_s == 43 + 32 + (43 - 40)


def family(*times_s) -> list[Request]:
    """Requests of one step that share their first four tokens."""
    keys = tuple(range(4))
    return [Request(row, 5, 1, float(at_s), keys=keys) for row, at_s in enumerate(times_s)]


def test_a_replica_begins_anew_with_an_empty_cache():
    scaling = Scaling(Wants(1, 2), 10, 5, 2)
    run = serve_replicas(family(1, 6, 26, 28), replicas(2), SECOND, Last(), scaling=scaling)
    assert run.replica.tolist() == [1, 1, 1, 1]
    assert run.requests["cached_tokens"].tolist() == [0, 4, 0, 4]


def test_a_router_forgets_what_it_sent_to_a_replica_that_begins_anew():
    """Where both hold the prefix, equals are drawn; here the first one alone holds it."""
    firsts = set()
    for seed in range(9):
        run = serve_replicas(
            family(1, 12, *range(26, 80, 5)), replicas(2), SECOND, PrefixBounded(9.0), seed=seed,
            scaling=Scaling(Wants(1, 2), 10, 5, 2),
        )  # fmt: skip
        firsts.add(run.replica[0])
        assert not run.replica[1:].any()
    assert firsts == {0, 1}


@pytest.mark.parametrize("seed", range(2, 50, 5))
def test_an_autoscaler_that_never_moves_changes_nothing(seed):
    told = Told.of(seed)
    scaling = told.options.pop("scaling")
    told = told._replace(replicas=scaling.first)
    fixed = told.compiled()
    told.options["scaling"] = replace(scaling, autoscaler=Wants(scaling.first))
    scaled = told._replace(replicas=scaling.first + 2).compiled()
    assert scaled.replica.tolist() == fixed.replica.tolist()
    for one, other in zip(fixed.runs, scaled.runs):
        assert_same(one, other)
    assert len(scaled.scaling) and (scaled.scaling.up == scaling.first).all()


def test_bad_scaling_is_named():
    some = requests((1, 2), (25, 1))
    for wanted in (0, 3, 1.5, None, True):
        with pytest.raises(ValueError, match=f"returned {wanted}: expected a whole number from 1"):
            scaling = Scaling(Wants(wanted), 10)
            serve_replicas(some, replicas(2), SECOND, RoundRobin(), scaling=scaling)
    wants = Wants(np.int64(1))
    for build, message in (
        (lambda: Scaling(3), r"autoscaler = 3: expected a method replicas\(pool\)"),
        (lambda: Scaling(wants, every_s=0), "every_s = 0: expected"),
        (lambda: Scaling(wants, boot_s=-1), "boot_s = -1: expected"),
        (lambda: Scaling(wants, first=0), "first = 0: expected"),
    ):
        with pytest.raises(ValueError, match=message):
            build()
    for router, options, message in (
        (RoundRobin(), {"scaling": Scaling(wants, first=3)}, "first = 3: expected at most 2"),
        ([0, 1], {"scaling": Scaling(wants)}, "expected one that chooses, with scaling"),
        (
            RoundRobin(),
            {"scaling": Scaling(wants), "changes": [Joins(1.0, 1)]},
            "changes = .*: expected none together with scaling",
        ),
    ):
        with pytest.raises(ValueError, match=message):
            serve_replicas(some, replicas(2), SECOND, router, **options)
