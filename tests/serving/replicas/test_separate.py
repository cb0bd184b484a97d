"""Many replicas are as many separate runs, once it is known who went where."""

import numpy as np
import pytest

from labutils.engine import PagePool, Request, Scheduler
from labutils.serving.replicas import (
    FourWaitingPlusRunning,
    LeastInFlight,
    LeastReported,
    PrefixBounded,
    Random,
    RoundRobin,
    TwoChoices,
    WeightedScores,
    serve_replicas,
)
from labutils.serving.replicas.replica_set import ReplicaSet
from labutils.serving.simulator import simulate
from labutils.workload import RequestTrace
from tests.conftest import only_full
from tests.serving.simulator.stories import assert_equal_runs, patience, story

ROUTERS = (
    Random(), RoundRobin(), LeastInFlight(), LeastReported(0.0), LeastReported(0.05),
    FourWaitingPlusRunning(), FourWaitingPlusRunning(0.02, counts_own=False), TwoChoices(),
    TwoChoices(0.1), PrefixBounded(), PrefixBounded(4.0), WeightedScores(),
    WeightedScores(1.0, 0.5, 3.0, 0.0),
)  # fmt: skip
AT_A_TIME = 60
FIRST_STORIES = [0, *only_full(*range(AT_A_TIME, 540, AT_A_TIME))]


def part(source, rows):
    """The requests of a source in ``rows``, in order."""
    if not hasattr(source, "prompt_tokens"):
        return [source[row] for row in rows]
    keys = source.prefix_keys
    keys = None if keys is None else tuple(keys[row] for row in rows)
    columns = (source.arrival_s, source.prompt_tokens, source.output_tokens)
    return RequestTrace(*(one[rows] for one in columns), keys, source.prefix_page_tokens)


def options_of_part(told, rows) -> dict:
    """The options of a story, for the requests in ``rows``."""
    given = dict(told.options)
    if given.get("output_tokens") is not None:
        given["output_tokens"] = [given["output_tokens"][row] for row in rows]
    if hasattr(told.source, "prompt_tokens") and len(told.source):
        given.setdefault("max_output_tokens", int(told.source.output_tokens.max()))
    return given


def replicas_of(seed: int) -> int:
    return 1 + seed % 4


@pytest.mark.parametrize("first", FIRST_STORIES)
def test_each_replica_is_a_run_of_its_own(first):
    for seed in range(first, first + AT_A_TIME):
        told, n, router = story(seed), replicas_of(seed), ROUTERS[seed % len(ROUTERS)]
        options = {k: v for k, v in told.options.items() if k != "until_s"}
        told = told._replace(options=options)
        patience_s = np.broadcast_to(patience(seed, told), len(told.source)) if seed % 2 else None
        schedulers = [told.scheduler() for _ in range(n)]
        run = serve_replicas(
            told.source, schedulers, told.cost, router, patience_s=patience_s, **options
        )
        for replica, mine in enumerate(run.runs):
            rows = run.rows_of(replica)
            alone = simulate(
                part(told.source, rows), told.scheduler(), told.cost, compiled=True,
                patience_s=None if patience_s is None else patience_s[rows],
                **options_of_part(told, rows),
            )  # fmt: skip
            if hasattr(told.source, "prompt_tokens"):
                assert list(mine.ids) == rows.tolist()
                object.__setattr__(alone, "ids", rows.tolist())
            assert_equal_runs_without_times(alone, mine)


def assert_equal_runs_without_times(alone, mine):
    for run in (alone, mine):
        assert run.times_s is None
        object.__setattr__(run, "times_s", np.zeros(0))
    assert_equal_runs(alone, mine)
