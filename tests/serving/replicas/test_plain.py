"""The compiled loop against as many plain simulations, run to each arrival in turn."""

from collections import Counter

import numpy as np
import pytest

from labutils.serving.replicas import serve_replicas
from labutils.serving.replicas.plain import serve_plainly
from labutils.serving.replicas.plain_routers import plain_router
from tests.conftest import only_full
from tests.serving.simulator.stories import patience, story

from .test_separate import ROUTERS, assert_equal_runs_without_times

AT_A_TIME = 60
FIRST_STORIES = [0, *only_full(*range(AT_A_TIME, 540, AT_A_TIME))]


@pytest.mark.parametrize("first", FIRST_STORIES)
def test_random_stories(first):
    seen = Counter()
    for seed in range(first, first + AT_A_TIME):
        told, n, router = story(seed), 1 + seed % 4, ROUTERS[seed % len(ROUTERS)]
        options = {k: v for k, v in told.options.items() if k != "until_s"} | {"seed": seed}
        told = told._replace(options={k: v for k, v in options.items() if k != "seed"})
        if seed % 2 and len(told.source):
            waits_s = np.broadcast_to(patience(seed, told), len(told.source))
            options["patience_s"] = waits_s.tolist()
        twin = serve_replicas(
            told.source, [told.scheduler() for _ in range(n)], told.cost, router, **options
        )
        choose, every_s = plain_router(router)
        plain = serve_plainly(
            told.source, [told.scheduler() for _ in range(n)], [told.cost] * n, choose,
            report_every_s=every_s, **options,
        )  # fmt: skip
        assert plain.replica.tolist() == twin.replica.tolist(), (seed, router)
        for at, (alone, mine) in enumerate(zip(plain.runs, twin.runs)):
            assert_equal_runs_without_times(alone, mine)
        seen["preempted"] += twin.requests["preemptions"].sum()
        seen["cached"] += twin.requests["cached_tokens"].sum()
        seen += Counter(twin.log.status.tolist())
    assert min(seen[one] for one in ("preempted", "cached", "rejected", "timed_out")) > 20, seen
