"""The cache explorer: points are those of a replay, lines those of Che and of the M/M/c queue."""

import re
from collections import OrderedDict

import numpy as np
import pytest

from labutils.caching.theory import che_hit_rates
from labutils.laws.queueing import MMc
from labutils.viz.explorers.hit_rate import NUM_KEYS, SIZES, cache_explorer

N = 60_000


@pytest.fixture(scope="module")
def explorer():
    return cache_explorer(seed=6, num_requests=N)


def replayed(explorer, size, *, rate, life=None, renew=False):
    """Hits of a dictionary that is kept in order of use."""
    keys = explorer._update.__self__._traffic._keys(1.1).tolist()
    times = np.cumsum(np.random.default_rng(6).standard_exponential(N)) / rate
    dies, hits = OrderedDict(), []
    for key, now in zip(keys, times.tolist()):
        is_hit = key in dies and now < dies[key]
        hits.append(is_hit)
        if key not in dies and len(dies) == size:
            dies.popitem(last=False)
        if not is_hit or renew:
            dies[key] = now + (life or np.inf)
        dies.move_to_end(key)
    return np.array(hits)[N // 5 :], times[N // 5 :]


@pytest.mark.parametrize(
    ("expiry", "options"),
    [("never", {}), ("from the fill", {"life": 10}), ("from the last hit", {"life": 3})],
)
def test_the_hit_rate_is_that_of_a_replay(explorer, expiry, options):
    explorer(size=3_000, skew=1.1, rate=700, expiry=expiry, life=options.get("life", 100))
    hits, _ = replayed(explorer, 3_000, rate=700, renew=expiry == "from the last hit", **options)
    dots = explorer._update.__self__._dots
    assert dots[0].get_xydata().tolist() == [[3_000, pytest.approx(100 * hits.mean())]]
    load = (1 - hits.mean()) * 700 / 100
    assert dots[1].get_ydata()[0] == pytest.approx(load if load < 2.5 else 0.93 * 2.5)


def test_a_load_beyond_the_axis_stands_at_its_end_with_its_number(explorer):
    view = explorer._update.__self__
    setting = {"skew": 0.6, "expiry": "never", "life": 100}
    for size, rate, ha in ((100, 2_000, "left"), (9_000, 2_000, "right"), (9_000, 100, "right")):
        finding = explorer(size=size, rate=rate, **setting)
        offered = re.search(r"offered ([\d.]+) of", finding)
        assert bool(offered) == (rate == 2_000)
        text, dot = view._beyond[1], view._dots[1].get_ydata()[0]
        said = f"▲ {offered[1]}" if offered else ""
        assert text.get_text().strip() == said and text.get_ha() == ha
        assert dot == (0.93 * 2.5 if offered else pytest.approx(dot)) and dot < 2.5


def test_latencies_are_those_of_hits_and_of_misses_that_queue(explorer):
    finding = explorer(size=9_000, skew=1.1, rate=300, expiry="never")
    hits, times = replayed(explorer, 9_000, rate=300)
    rng = np.random.default_rng(6)
    rng.standard_exponential(N)
    services = 0.2 * rng.standard_exponential(N - N // 5)[~hits]
    free, waits = np.zeros(20), []
    for now, service in zip(times[~hits], services):  # twenty servers, the first free one serves
        at = free.argmin()
        free[at] = max(now, free[at]) + service
        waits.append(free[at] - now)
    latency = np.concatenate((np.full(hits.sum(), 0.002), np.array(waits) + 0.002))
    told = [float(x.replace(",", "")) for x in re.findall(r"([\d,]+) ms", finding)]
    want = [1e3 * latency.mean(), 2, 1e3 * np.quantile(latency, 0.99)]
    assert told == pytest.approx(want, abs=0.6, rel=0.01)
    assert f"{100 * hits.mean():.1f} % hits" in finding and "48,000 simulated" in finding


def test_lines_are_an_mmc_queue_behind_the_hit_rate(explorer):
    explorer(size=9_000, skew=1.0, rate=400, expiry="never")
    hit, load, mean, p50, p99 = (curve.get_ydata() for curve in explorer._update.__self__._lines)
    assert (np.diff(hit) > 0).all()
    assert load == pytest.approx((1 - hit / 100) * 4)
    i = SIZES.index(9_000)
    queue = MMc(400 * (1 - hit[i] / 100), 5.0, 20)
    assert mean[i] == pytest.approx(0.002 + (1 - hit[i] / 100) * queue.mean_sojourn_time)
    late = queue.sojourn_time_tail(p99[i] - 0.002) * (1 - hit[i] / 100)
    assert late == pytest.approx(0.01) and p50[i] == 0.002
    assert np.isnan(mean[load >= 1]).all() and not np.isnan(mean[load < 1]).any()


def test_lines_with_an_end_are_those_of_entries_that_live_so_long_at_that_rate(explorer):
    for rate in (400, 800):  # the second asks for the same life, and must not get the first's line
        explorer(skew=1.0, rate=rate, expiry="from the fill", life=10)
        hit = explorer._update.__self__._lines[0].get_ydata()
        rates = np.arange(1.0, NUM_KEYS + 1) ** -1.0
        rates *= rate / rates.sum()
        want = [che_hit_rates(rates, size, ttl_s=10).total for size in SIZES[::8]]
        assert hit[::8] / 100 == pytest.approx(want)


def test_without_a_steady_state_no_latency_is_shown(explorer):
    *_, mean, p50, p99 = explorer._update.__self__._dots
    calm = {"size": 9_000, "skew": 1.1, "rate": 300, "expiry": "never"}
    explorer(**calm)
    assert all(np.isfinite(dot.get_ydata()).all() for dot in (mean, p50, p99))
    finding = explorer(**calm | {"size": 1_000, "rate": 1_000})
    assert all(np.isnan(dot.get_ydata()).all() for dot in (mean, p50, p99))
    assert "depends on the length of the run" in finding and " ms" not in finding


def test_the_life_can_be_moved_only_where_entries_expire(explorer):
    life = explorer.controls["life"]
    for expiry in ("never", "from the fill", "never", "from the last hit"):
        explorer(expiry=expiry)
        assert life.disabled == (expiry == "never")
    assert cache_explorer(seed=1, num_requests=10_000).controls["life"].disabled


def test_what_lines_and_dots_are_is_written(explorer):
    fig = explorer._frames.fig
    said = " ".join(text.get_text() for text in fig.texts)
    assert "M/M/c" in said and "Che" in said and "dots: simulated" in said
    place = fig.axes[1].get_yticks().tolist().index(fig.axes[1].lines[0].get_ydata()[0])
    assert "full" in fig.axes[1].get_yticklabels()[place].get_text()


def test_simulated_hits_are_near_ches():
    finding = cache_explorer(seed=1, num_requests=400_000)(size=5_000, rate=1_000, skew=0.9)
    simulated, che = map(float, re.findall(r"([\d.]+) %", finding))
    assert simulated == pytest.approx(che, rel=0.02)
    assert "dies" in finding and f"of {NUM_KEYS:,} keys" in finding


def test_bad_input_is_named(explorer):
    with pytest.raises(ValueError, match="num_requests = 10"):
        cache_explorer(seed=1, num_requests=10)
    with pytest.raises(ValueError, match="size = 17"):
        explorer(size=17)
