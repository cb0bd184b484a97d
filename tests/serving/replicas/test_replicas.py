"""Routers by hand, the herd, routers in Python, and that nothing gets lost."""

from dataclasses import dataclass

import numpy as np
import pytest

from labutils.engine import PagePool, Request, Scheduler
from labutils.serving.memory import Unlimited
from labutils.serving.replicas import (
    Crashes,
    FourWaitingPlusRunning,
    Joins,
    LeastInFlight,
    LeastReported,
    Leaves,
    PrefixBounded,
    Random,
    Retries,
    RoundRobin,
    Slows,
    TwoChoices,
    WeightedScores,
    serve_replicas,
)
from labutils.serving.scheduling import Ordered
from labutils.serving.simulator import StepCost
from labutils.workload import RequestTrace, mix, uniform_trace

from .stories import ROUTERS, Told, assert_same

SECOND = StepCost(1.0)
SERVED = StepCost(6e-3, 60e-6, 3.4e-9, 30e-6, 65e-9)


def replicas(n: int, places: int = 4, pages: int = 99) -> list[Scheduler]:
    return [Scheduler(places, PagePool(pages, 1)) for _ in range(n)]


def busy(n: int) -> list[Scheduler]:
    limits = {"token_budget": 2_048, "chunked": True}
    return [Scheduler(256, PagePool(4_000, 16), **limits) for _ in range(n)]


def test_by_hand_who_is_in_flight_at_a_moment():
    """Steps of a second: at 1.5 the first request is in its last step, and still counts."""
    requests = [Request("a", 1, 2), Request("b", 1, 9, 0.5), Request("c", 1, 1, 1.5),
                Request("d", 1, 1, 2.0)]  # fmt: skip
    seen = []

    class Notes:
        report_every_s = 1.0

        def choose(self, request, views):
            seen.append((views.in_flight, views.waiting, views.running, views.age_s))
            return {0: 0, 1: 1, 2: 0, 3: 1}[request.row]

    run = serve_replicas(requests, replicas(2), SECOND, Notes())
    assert run.replica.tolist() == [0, 1, 0, 1]
    assert seen == [
        ([0, 0], [0, 0], [0, 0], 0.0),
        ([1, 0], [0, 0], [0, 0], 0.5),
        ([1, 1], [0, 0], [1, 1], 0.5),  # at 1.0 a's first step is over
        ([1, 1], [1, 0], [0, 1], 0.0),  # at 2.0 a has ended, and c, who came in a step, waits
    ]
    assert run.log.finish_s.tolist() == [2.0, 10.5, 3.0, 3.5]  # b waits for a prompt


def test_a_router_in_python_chooses_as_the_compiled_one_does():
    @dataclass
    class Least:
        draws: np.ndarray

        def choose(self, request, views):
            n = views.replicas
            start = int(self.draws[request.row, 0] * n)
            each = [(start + step) % n for step in range(n)]
            return min(each, key=lambda at: views.in_flight[at])

    trace = mix("azure-conversation").trace(2_000, 12.0, seed=4)
    ours = serve_replicas(trace, busy(3), SERVED, LeastInFlight(), seed=7)
    draws = np.random.default_rng(7).random((len(trace), 2))
    mine = serve_replicas(trace, busy(3), SERVED, Least(draws))
    assert mine.replica.tolist() == ours.replica.tolist()
    for one, other in zip(mine.runs, ours.runs, strict=True):
        assert_same(one, other)


def test_the_herd_grows_with_the_age_of_reports_and_own_counts_cure_it():
    trace = mix("azure-conversation").trace(6_000, 36.0, seed=1)

    def p90_s(router) -> float:
        run = serve_replicas(trace, busy(8), SERVED, router)
        return float(np.quantile(run.log.ttft_s, 0.9))

    ages = [p90_s(LeastReported(every_s)) for every_s in (0.0, 0.05, 0.1, 0.5)]
    assert ages == sorted(ages) and ages[-1] > 3 * ages[0]
    assert p90_s(FourWaitingPlusRunning(0.5)) < 1.2 * ages[0]
    assert p90_s(TwoChoices(0.5)) < ages[-1] / 2
    assert p90_s(LeastInFlight()) == ages[0]


@pytest.mark.parametrize("seed", range(0, 60, 3))
def test_no_request_and_no_token_gets_lost(seed):
    told = Told.of(seed)
    run = told.compiled()
    log, requests = run.log, run.requests
    assert len(run.clients) == len(told.story.source)
    assert len(log) == sum(len(one.ids) for one in run.runs) == len(run.attempts)
    assert set(log.status) <= {"ok", "rejected", "timed_out", "failed"}
    assert (log.status[np.isnan(log.finish_s)] == "rejected").all()
    asked = told.options.get("output_tokens")
    asked = told.story.source.output_tokens if asked is None else np.array(asked)
    asked = asked[run.attempts["origin"]]
    assert (requests["output_tokens"][log.ok] == asked[log.ok]).all()
    assert (requests["output_tokens"] <= asked).all()
    assert len(run.gaps) + np.isfinite(log.ttft_s).sum() == requests["output_tokens"].sum()


@pytest.mark.parametrize("router", ROUTERS, ids=str)
def test_one_replica_gets_everything(router):
    run = serve_replicas(uniform_trace(9, rate_per_s=2, prompt_tokens=3, output_tokens=4),
                         replicas(1), SECOND, router)  # fmt: skip
    assert run.replica.tolist() == [0] * 9 and run.log.ok.all()
    nobody = RequestTrace(np.zeros(0), np.zeros(0, dtype=int), np.zeros(0, dtype=int))
    assert len(serve_replicas(nobody, replicas(3), SECOND, router).log) == 0


def sessions(prefixes: list[int], every_s: float) -> list[Request]:
    """Requests of a step each; those of one family share their four pages of one token."""
    return [
        Request(row, 5, 1, row * every_s, keys=tuple((family, at) for at in range(4)))
        for row, family in enumerate(prefixes)
    ]


@pytest.mark.parametrize("router", [PrefixBounded(), WeightedScores()])
def test_a_prefix_goes_where_it_went_before(router):
    run = serve_replicas(sessions([1, 2, 1, 2, 1, 2], 5.0), replicas(2), SECOND, router, seed=1)
    ones, twos = run.replica[::2], run.replica[1::2]
    assert len(set(ones)) == len(set(twos)) == 1
    assert run.requests["cached_tokens"].tolist() == [0, 0, 4, 4, 4, 4]
    assert run.hit_share == 16 / 30


def test_a_bound_sends_a_popular_prefix_elsewhere():
    popular = sessions([1] * 8, 0.01)
    tight = serve_replicas(popular, replicas(4), SECOND, PrefixBounded(1.0))
    loose = serve_replicas(popular, replicas(4), SECOND, PrefixBounded(99.0))
    assert np.bincount(tight.replica, minlength=4).tolist() == [2, 2, 2, 2]
    assert sorted(np.bincount(loose.replica, minlength=4)) == [0, 0, 0, 8]


def test_two_kinds_of_replica():
    slow, quick = StepCost(4.0), StepCost(0.1)
    trace = uniform_trace(40, rate_per_s=1, prompt_tokens=3, output_tokens=4)
    run = serve_replicas(trace, replicas(2), [slow, quick], LeastInFlight())
    assert run.runs[0].rows["duration_s"].min() == 4.0
    assert np.bincount(run.replica)[1] > 30


def test_tables_that_are_too_short_grow():
    trace = uniform_trace(5_000, rate_per_s=50, prompt_tokens=2, output_tokens=3)
    everything = np.zeros(len(trace), dtype=int)
    one, other = (
        serve_replicas(trace, replicas(n), StepCost(0.001), everything).runs[0] for n in (1, 8)
    )
    assert_same(one, other)


@pytest.mark.parametrize(
    ("schedulers", "router", "message"),
    [
        (lambda: [], Random(), r"len\(schedulers\) = 0: expected"),
        (lambda: [Ordered(2, PagePool(9))], Random(), "schedulers: scheduler = .*Ordered"),
        (lambda: [Scheduler(2, PagePool(9))] * 2, Random(), "expected a pool for each"),
        (
            lambda: [Scheduler(2, PagePool(9)), Scheduler(2, Unlimited())],
            RoundRobin(),
            "all with pages of one size",
        ),
        (lambda: replicas(2), [0, 1, 2], "router = .*: expected one of ours"),
        (lambda: replicas(2), "random", "router = 'random': expected one of ours"),
    ],
)
def test_bad_input_is_named(schedulers, router, message):
    with pytest.raises(ValueError, match=message):
        serve_replicas([Request(at, 1, 1) for at in range(3)], schedulers(), SECOND, router)


def test_bad_routers_are_named():
    for build, message in (
        (lambda: LeastReported(-1.0), "report_every_s = -1.0: expected"),
        (lambda: TwoChoices(-1.0), "report_every_s = -1.0: expected"),
        (lambda: PrefixBounded(0.9), "bound = 0.9: expected a number of at least 1"),
        (lambda: WeightedScores(kv=-1.0), "kv = -1.0: expected"),
    ):
        with pytest.raises(ValueError, match=message):
            build()

    class Nowhere:
        def choose(self, request, views):
            return views.replicas

    with pytest.raises(ValueError, match="choose returned 2: expected one of \\[0, 1\\]"):
        serve_replicas([Request(0, 1, 1)], replicas(2), SECOND, Nowhere())


def test_by_hand_who_joins_leaves_and_slows_down():
    """Steps of a second; one request every two seconds, of one step."""
    trace = uniform_trace(6, rate_per_s=0.5, prompt_tokens=1, output_tokens=1)
    changes = [Joins(4.0, 1), Leaves(8.0, 0), Slows(10.0, 1, 3.0)]
    run = serve_replicas(trace, replicas(2), SECOND, RoundRobin(), changes=changes)
    assert run.replica.tolist() == [0, 0, 0, 1, 1, 1]
    assert run.log.e2e_s.tolist() == [1, 1, 1, 1, 1, 3]
    for bad, message in (
        ([Leaves(1.0, 0), Leaves(1.0, 1)], "expected a replica that stays up"),
        ([Joins(1.0, 0), Joins(1.0, 1)], "expected a replica that is up at first"),
        ([Slows(1.0, 0, 2.0), "crash"], "changes\\[1\\] = 'crash': expected Joins, Leaves, Crash"),
        ([Crashes(1.0, 0), Crashes(2.0, 1)], "Crashes.*: expected a replica that stays up"),
        ([Slows(1.0, 2, 2.0)], "replica = 2 of .*: expected a replica from 0 to 1"),
    ):
        with pytest.raises(ValueError, match=message):
            serve_replicas(trace, replicas(2), SECOND, RoundRobin(), changes=bad)
    with pytest.raises(ValueError, match="expected one that chooses, with scaling or a replica"):
        serve_replicas(trace, replicas(2), SECOND, [0] * 6, changes=[Crashes(1.0, 1)])


def test_by_hand_who_loses_a_replica_fails_or_tries_again():
    """Steps of a second. The crash at 2.5 lets the step end: b ends with it, c has two tokens."""
    some = [Request("a", 1, 9), Request("b", 1, 3), Request("c", 1, 9), Request("d", 1, 2, 2.2)]
    where = {0: 0, 1: 1, 2: 1, 3: 1, 4: 0, 5: 0}

    class There:
        def choose(self, request, views):
            return where[request.row]

    run = serve_replicas(some, replicas(2), SECOND, There(), changes=[Crashes(2.5, 1)])
    assert run.log.status.tolist() == ["ok", "ok", "failed", "failed"]
    assert run.log.finish_s.tolist() == [9, 3, 3, 3] and run.lost == 2
    assert run.log.output_tokens.tolist() == [9, 3, 3, 0]
    assert np.isnan(run.log.admitted_s[3]) and len(run.gaps) == 8 + 2 + 2
    gone = serve_replicas(some, replicas(2), SECOND, There(), changes=[Leaves(2.5, 1, False)])
    for one, other in zip(run.runs, gone.runs, strict=True):
        assert_same(one, other)

    again = serve_replicas(some, replicas(2), SECOND, There(), changes=[Crashes(2.5, 1)],
                           retries=Retries(2, wait_s=1.5))  # fmt: skip
    assert again.attempts["arrival_s"].tolist() == [0, 0, 0, 2.2, 4.5, 4.5]
    assert again.attempts["origin"][4:].tolist() == [2, 3] and again.lost == 0
    assert again.clients.ok.all() and again.replica[4:].tolist() == [0, 0]
    none = serve_replicas(some, replicas(2), SECOND, There(), changes=[Leaves(2.5, 1)])
    assert none.log.ok.all() and none.lost == 0


def test_by_hand_a_client_that_gives_up_before_it_hears_of_the_crash_tries_again_once():
    """The step ends at 3: whoever is patient until 2.8 gives up, whoever until 3.7 fails."""
    some = [Request(row, 1, 9) for row in range(2)]
    run = serve_replicas(some, replicas(2), SECOND, LeastInFlight(), patience_s=[2.8, 3.7],
                         changes=[Joins(2.0, 1), Crashes(2.5, 0)],
                         retries=Retries(2, wait_s=0.5))  # fmt: skip
    assert run.log.status.tolist() == ["timed_out", "failed", "timed_out", "timed_out"]
    assert run.attempts["arrival_s"].tolist() == [0, 0, 3.3, 3.5]
    assert run.replica.tolist() == [0, 0, 1, 1]


def test_a_replica_that_crashed_begins_anew():
    times_s = (0.0, 2.0, 6.0, 8.0)
    same = [Request(row, 5, 1, at_s, keys=(1, 2, 3, 4)) for row, at_s in enumerate(times_s)]

    class Last:
        def choose(self, request, views):
            return views.up[-1]

    for gone, cached in (
        (Crashes(4.0, 1), [0, 4, 0, 4]),
        (Leaves(4.0, 1, drained=False), [0, 4, 0, 4]),
        (Leaves(4.0, 1), [0, 4, 4, 4]),  # it only took no more
    ):
        run = serve_replicas(same, replicas(2), SECOND, Last(), changes=[gone, Joins(5.0, 1)])
        assert run.replica.tolist() == [1, 1, 1, 1]
        assert run.requests["cached_tokens"].tolist() == cached


def test_by_hand_who_gives_up_tries_again():
    """Two steps are too long for the patience of all: each attempt costs a place for nothing."""
    one = [Request("a", 1, 3)]
    run = serve_replicas(one, replicas(2), SECOND, RoundRobin(), patience_s=1.5,
                         retries=Retries(3, wait_s=2.0, factor=2.0))  # fmt: skip
    assert run.attempts["arrival_s"].tolist() == [0.0, 3.5, 9.0]
    assert run.attempts["number"].tolist() == [1, 2, 3]
    assert run.replica.tolist() == [0, 1, 0]
    assert run.clients.status.tolist() == ["timed_out"] and run.clients.e2e_s.tolist() == [11.0]
    with pytest.raises(ValueError, match="retries are given without patience_s"):
        serve_replicas(one, replicas(2), SECOND, RoundRobin(), retries=Retries())
