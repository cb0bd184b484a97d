"""Many replicas in one loop: as many separate runs, and as many plain ones, to the last bit."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from labutils.serving.replicas import Slows
from labutils.serving.replicas.changes import loses
from labutils.serving.simulator import simulate
from tests.conftest import only_full

from .stories import Told, assert_same

AT_A_TIME = 60
FIRST_STORIES = [0, *only_full(*range(AT_A_TIME, 1_080, AT_A_TIME))]


@pytest.mark.parametrize("first", FIRST_STORIES)
def test_the_plain_telling_chooses_and_serves_alike(first):
    seen = Counter()
    for seed in range(first, first + AT_A_TIME):
        told = Told.of(seed)
        plain, mine = told.plain(), told.what_was_seen()
        twin, theirs = told.compiled(), told.what_was_seen()
        assert mine == theirs
        assert plain.replica.tolist() == twin.replica.tolist(), f"{seed}: {told.router}"
        for mine, theirs in zip(plain.runs, twin.runs, strict=True):
            assert_same(mine, theirs)
        seen["preempted"] += twin.requests["preemptions"].sum()
        seen["cached"] += twin.requests["cached_tokens"].sum()
        seen += Counter(twin.log.status.tolist())
        for name in ("origin", "number"):
            assert plain.attempts[name].tolist() == twin.attempts[name].tolist()
        assert plain.clients.status.tolist() == twin.clients.status.tolist()
        assert plain.replica_s == twin.replica_s
        if twin.scaling is not None:
            assert plain.scaling.tolist() == twin.scaling.tolist()
            for name, changed in (("ordered", "booting"), ("joined", "up")):
                seen[name] += (np.diff(twin.scaling[changed]) > 0).sum()
        seen["again"] += (twin.attempts["number"] > 1).sum()
    hurts = (
        "preempted",
        "cached",
        "rejected",
        "timed_out",
        "failed",
        "ok",
        "again",
        "ordered",
        "joined",
    )
    assert min(seen[name] for name in hurts) > 10, f"the stories do not hurt: {seen}"


@pytest.mark.parametrize("first", FIRST_STORIES)
def test_each_replica_is_a_run_of_its_own(first):
    for seed in range(first, first + AT_A_TIME):
        told = Told.of(seed)
        changes = told.options.get("changes", ())
        if any(isinstance(one, Slows) or loses(one) for one in changes):
            continue  # a run alone cannot slow down or crash
        if "scaling" in told.options:
            continue  # nor begin anew
        together = told.compiled()
        for replica, mine in enumerate(together.runs):
            source, options = told.part(together, replica)
            scheduler = told.story.scheduler()
            alone = simulate(source, scheduler, told.story.cost, compiled=True, **options)
            assert_same(replace(alone, ids=mine.ids), mine)


@pytest.mark.parametrize("seed", range(9))
def test_a_router_that_knows_in_advance_changes_nothing(seed):
    told = Told.of(2 * seed)
    for name in {"scaling", "changes", "retries"} & told.options.keys():
        if name != "changes" or any(map(loses, told.options[name])):
            del told.options[name]
    chosen = told.compiled()
    again = told.compiled(chosen.replica)
    for one, other in zip(chosen.runs, again.runs, strict=True):
        assert_same(one, other)
