"""The flushed service: its twin, conservation, hit rates against Che, and what brings it back."""

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import brentq

from labutils.simulation.flush import (
    CachedService,
    FlushDraws,
    Remedy,
    flush_draws,
    flush_twin as twin,
    run_flush,
)
from labutils.simulation.flush.flush_run import _lives_s

SMALL = CachedService(
    arrival_rate=40.0, num_keys=300, skew=1.1, capacity=90, ttl_s=25.0, ttl_jitter=0.4, servers=3,
    mean_service_s=0.4, timeout_s=1.3, max_attempts=3, retry_budget=0.7, retry_burst=4.0,
    backoff_s=0.35, queue_limit=33,
)  # fmt: skip
STORIES = {
    "nothing": None,
    "single flight": Remedy(41, single_flight=True),
    "limit": Remedy(41, queue_limit=4),
    "warm-up": Remedy(41, warm_keys=60),
    "drop": Remedy(41.5, drop_abandoned=True),
    "late fills": Remedy(41, late_fills=True),
    "all": Remedy(30, True, 9, 500, True, True),
}


@pytest.mark.parametrize("seed", (2, 13))
@pytest.mark.parametrize("story", STORIES)
def test_the_story_and_the_loop_agree(story, seed):
    draws = flush_draws(SMALL, 75, np.random.default_rng(seed))
    options = {"duration_s": 75, "flush_s": 12.0, "remedy": STORIES[story]}
    fast, slow = (run(SMALL, draws, **options) for run in (run_flush, twin.run_flush))
    assert fast.table.tolist() == slow.table.tolist()
    answered = ~np.isnan(slow.finish_s)
    assert (np.isnan(fast.finish_s) == ~answered).all()
    assert np.abs(fast.finish_s - slow.finish_s)[answered].max() <= 1e-9
    assert fast.timed_out_per_s.sum() > 50 and fast.hit_rate[:12].mean() > 0.5
    if story in ("nothing", "limit", "all"):
        assert fast.rejected_per_s.sum() > 20


@pytest.mark.parametrize("jitter", (0.25, 0.5, 1.0))
def test_keys_that_are_kept_fresh_never_come_to_expire_together(jitter):
    service = CachedService(ttl_jitter=jitter)
    first_s, life_s = _lives_s(service)
    kept = slice(service.capacity)  # the most popular
    at_once = [
        np.bincount((first_s + lives * life_s)[kept].astype(int)).max() for lives in range(13)
    ]
    assert max(at_once) < 30  # of 1,200 within one second; 4 to 8 on average


@pytest.mark.full
@pytest.mark.parametrize("seed", (4, 7, 23))
def test_the_service_of_the_chapter_stays_well_that_nobody_flushes(seed):
    service = CachedService()
    draws = flush_draws(service, 780, np.random.default_rng(seed))
    assert run_flush(service, draws, duration_s=780).back_at_s == 0.0


@pytest.mark.full
def test_five_half_hours_of_forty_fall_ill_that_nobody_flushes():
    service = CachedService()
    draws = (flush_draws(service, 1800, np.random.default_rng(seed)) for seed in range(40))
    assert sum(run_flush(service, one, duration_s=1800).back_at_s > 0 for one in draws) == 5


def test_three_requests_by_hand():
    """One server; the second client leaves too early, and its retry hits what the third filled."""
    service = replace(
        SMALL, num_keys=2, capacity=2, ttl_s=math.inf, servers=1, timeout_s=2.5, backoff_s=1.5,
        max_attempts=2, retry_budget=1.0, queue_limit=1,
    )  # fmt: skip
    draws = FlushDraws(np.array([0.5, 0.75, 1.0]), np.array([1, 0, 0]), np.array([2.0, 2.0, 0.25]))
    run = run_flush(service, draws, duration_s=12, flush_s=0.0)
    # Key 1 is computed from 0.5 to 2.5. The second waits from 0.75, leaves at 3.25, is computed in
    # vain from 2.5 to 4.5 and comes again at 4.75. The third is refused at 1, comes again at 2.5,
    # waits until 4.5 and has its answer at 4.75, just before the second looks.
    assert run.finish_s.tolist() == [2.5, 4.75, 4.75]
    assert (run.computed_per_s.sum(), run.wasted_per_s.sum()) == (3, 1)
    assert run.rejected_per_s.tolist()[:2] == [0, 1] and run.timed_out_per_s[3] == 1
    assert run.queue_length.tolist()[:6] == [1, 1, 1, 1, 0, 0]


def test_every_attempt_has_one_fate():
    draws = flush_draws(SMALL, 60, np.random.default_rng(4))
    last = replace(SMALL, timeout_s=0.9)
    run = run_flush(last, draws, duration_s=200, flush_s=20, remedy=STORIES["limit"])
    settled = run.goodput_per_s + run.timed_out_per_s + run.rejected_per_s
    assert settled.sum() == run.attempts_per_s.sum()
    assert run.goodput_per_s.sum() == np.isfinite(run.finish_s).sum()
    assert run.requests_per_s.sum() == draws.arrival_s.size < run.attempts_per_s.sum()
    waited = run.finish_s - run.arrival_s
    assert np.nanmax(waited) <= 3 * 0.9 + 2 * 0.35 + 1e-9
    assert run.queue_length[-1] == 0


def test_retries_keep_to_their_budget():
    service = replace(SMALL, retry_budget=0.1, max_attempts=50)
    draws = flush_draws(service, 120, np.random.default_rng(1))
    run = run_flush(service, draws, duration_s=120, flush_s=5)
    retries = run.attempts_per_s.sum() - run.requests_per_s.sum()
    assert 0.08 < retries / draws.arrival_s.size <= 0.1 + 4 / draws.arrival_s.size


def test_hit_rate_before_the_flush_is_ches():
    """A backend that keeps up leaves a plain LRU cache: Che's approximation, within 2 %."""
    service = CachedService(
        arrival_rate=300.0, num_keys=3_000, skew=0.9, capacity=800, ttl_s=math.inf, servers=400,
        mean_service_s=1e-4,
    )  # fmt: skip
    draws = flush_draws(service, 300, np.random.default_rng(8))
    run = run_flush(service, draws, duration_s=300)
    rates = 300 * service.popularity
    time = brentq(lambda t: -np.expm1(-rates * t).sum() - 800, 0.01, 1e4)
    want = (service.popularity * -np.expm1(-rates * time)).sum()
    assert run.hit_rate[60:].mean() == pytest.approx(want, abs=0.02 * want)
    assert run.good_share.min() > 0.999 and run.back_at_s == 0


@pytest.fixture(scope="module")
def outage():
    """The default service over 13 minutes, flushed after one: run it with a remedy at three."""
    service = CachedService()
    draws = flush_draws(service, 780, np.random.default_rng(1))

    def run(remedy=None):
        return run_flush(service, draws, duration_s=780, flush_s=60, remedy=remedy)

    return run


def test_without_a_remedy_the_service_stays_dead(outage):
    run = outage()
    assert run.hit_rate[:60].mean() == pytest.approx(0.95, abs=0.01)
    assert run.good_share[20:50].min() > 0.99
    assert (run.good_share[70:] < 0.75).all() and run.back_at_s == math.inf
    assert run.goodput_per_s[-300:].sum() == 0
    assert (run.wasted_per_s[-300:] == run.computed_per_s[-300:]).all()
    assert run.computed_per_s[-300:].mean() == pytest.approx(20, abs=1)
    assert run.queue_length[55] < 20 < run.queue_length[-1] == 300


def test_the_same_traffic_is_fine_without_a_flush():
    service = CachedService()
    draws = flush_draws(service, 600, np.random.default_rng(3))
    run = run_flush(service, draws, duration_s=600)
    assert run.good_share.min() > 0.98 and run.lost == 0


@pytest.mark.parametrize(
    ("enough", "too_little"),
    [
        (Remedy(180, queue_limit=30), Remedy(180, queue_limit=60)),
        (Remedy(180, warm_keys=800), Remedy(180, warm_keys=400)),
        (Remedy(180, single_flight=True), Remedy(180, late_fills=True)),
        (Remedy(180, single_flight=True, drop_abandoned=True), Remedy(180, drop_abandoned=True)),
    ],
)
def test_a_remedy_brings_it_back_if_it_is_strong_enough(outage, enough, too_little):
    assert 180 < outage(enough).back_at_s < 300
    assert outage(too_little).back_at_s == math.inf


def test_keys_that_expire_together_are_the_next_flush():
    spread, together = (
        run_flush(
            service, flush_draws(service, 960, np.random.default_rng(3)), duration_s=960,
            flush_s=60, remedy=Remedy(180, warm_keys=1200),
        )
        for service in (CachedService(), CachedService(ttl_jitter=0.0))
    )  # fmt: skip
    assert spread.back_at_s < 300
    assert together.good_share[300:440].min() > 0.98 > 0.02 > together.good_share[-60:].max()


def test_bad_input_is_named():
    draws = flush_draws(SMALL, 5, np.random.default_rng(1))
    for wrong, words in (
        ({"arrival_rate": 0}, "arrival_rate = 0"),
        ({"capacity": 1.5}, "capacity = 1.5"),
        ({"ttl_s": -1}, "ttl_s = -1"),
        ({"ttl_jitter": 2}, "ttl_jitter = 2"),
        ({"max_attempts": 101}, "max_attempts = 101"),
        ({"skew": math.nan}, "skew = nan"),
    ):
        with pytest.raises(ValueError, match=words):
            replace(SMALL, **wrong)
    for wrong, words in (
        ({"warm_keys": -1}, "warm_keys = -1"),
        ({"queue_limit": 0.5}, "queue_limit = 0.5"),
        ({"from_s": -3}, "from_s = -3"),
    ):
        with pytest.raises(ValueError, match=words):
            Remedy(**wrong)
    with pytest.raises(ValueError, match=r"duration_s = 1\.5"):
        run_flush(SMALL, draws, duration_s=1.5)
    with pytest.raises(ValueError, match="flush_s = -1"):
        run_flush(SMALL, draws, duration_s=5, flush_s=-1)
    with pytest.raises(ValueError, match=r"draws.keys = shape \(3,\)"):
        run_flush(SMALL, replace(draws, keys=np.zeros(3, int)), duration_s=5)
    with pytest.raises(ValueError, match="keys from 0 to 299"):
        run_flush(SMALL, replace(draws, keys=draws.keys + 300), duration_s=5)
    with pytest.raises(ValueError, match=r"arrival_s\[0\] = -"):
        run_flush(SMALL, replace(draws, arrival_s=draws.arrival_s - 9), duration_s=5)
