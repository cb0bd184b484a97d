"""The explorer of chapter 10: what a cache hits, what it leaves to the backend, and what users see.

The cache is replayed on 10⁶ requests; what it misses queues at a backend. Beside the points stand
Che's approximation for the hit rate and the M/M/c queue for what the backend does with the rest.
"""

import math
from functools import lru_cache

import numpy as np

from labutils.caching.cache_run import replay
from labutils.caching.streams import zipf_keys, zipf_shares
from labutils.caching.theory import che_hit_rates
from labutils.ground.arguments import whole
from labutils.laws.queueing import MMc
from labutils.metrics.latency.ranks import nearest_rank
from labutils.simulation import fifo_queue
from labutils.viz.controls import choice, slider, steps
from labutils.viz.explorer import Explorer
from labutils.viz.labels import readable
from labutils.viz.style import INK, color, dress, line, new_figure, points

NUM_KEYS = 20_000
SERVERS, SERVICE_S, HIT_S = 20, 0.2, 0.002
SIZES = (100, 250, 500, 1_000, 2_000, 3_000, 4_000, 5_000, 5_500, 6_000, 6_500, 7_000, 8_000,
         9_000, 10_000, 12_000, 15_000)  # fmt: skip
EXPIRY = {"never": None, "from the fill": False, "from the last hit": True}
LIVES_S = (3, 10, 30, 100, 300)
FIGURES = {"mean": "measurement", "p50": "service", "p99": "backlog"}
QUANTILES = (0.5, 0.99)
WARM_UP = 0.2
TOP_S, MOST_LOAD = 10.0, 2.5  # ends of the axes
BEYOND = {1: (MOST_LOAD, "{:.2f}"), 2: (TOP_S, "{:.0f} s"), 3: (TOP_S, "{:.0f} s"),
          4: (TOP_S, "{:.0f} s")}  # fmt: skip
"""Dots that may lie beyond an end, and how they say where: the others cannot."""


def cache_explorer(*, seed: int, num_requests: int = 1_000_000) -> Explorer:
    """Explore hit rate, backend load and latency against the size of an LRU cache.

    20,000 keys of Zipf popularity; a hit takes 2 ms, a miss is computed at one of 20 servers in
    0.2 s on average (exponential), so the backend carries 100 a second. Entries may expire, counted
    from the fill or from the last hit. Every move replays the same ``num_requests`` draws; the
    first fifth fills the cache and is left out.
    """
    view = _View(_Traffic(seed, whole("num_requests", num_requests, at_least=10_000)))
    controls = {
        "size": steps("keys that fit", SIZES, 10_000),
        "skew": slider("skew of popularity", 0.6, 1.4, 1.1, 0.1),
        "rate": slider("requests per second", 100, 2_000, 1_000, 100),
        "expiry": choice("entries expire", list(EXPIRY), "never"),
        "life": steps("after seconds", LIVES_S, 100),
    }
    expiry, life = controls["expiry"], controls["life"]
    life.disabled = True  # as long as nothing expires
    expiry.observe(lambda _: setattr(life, "disabled", EXPIRY[expiry.value] is None), "value")
    return Explorer(view.fig, view.update, controls=controls)


class _Traffic:
    """One stream of requests, drawn once for each skew; the other controls rescale it."""

    def __init__(self, seed: int, num_requests: int):
        self.n, self._first = num_requests, int(WARM_UP * num_requests)
        self._seed, rng = seed, np.random.default_rng(seed)
        self._unit_times = np.cumsum(rng.standard_exponential(num_requests))
        self._services = SERVICE_S * rng.standard_exponential(num_requests - self._first)
        self._keys = lru_cache(4)(self._draw_keys)
        self.theory = lru_cache(64)(self._theory)
        self._hits = lru_cache(64)(_che_hits)

    def _draw_keys(self, skew: float) -> np.ndarray:
        return zipf_keys(self.n, NUM_KEYS, skew, self._seed)

    def run(self, size: int, skew: float, rate: float, life_s, renew: bool):
        """Hit rate and backend load of one run, and its mean, p50 and p99 in seconds."""
        limits = {} if life_s is None else {"ttl_s": life_s * rate, "renew": renew}
        times = None if life_s is None else self._unit_times  # the life is rescaled instead
        hit = replay(self._keys(skew), times, capacity=size, **limits).hit[self._first :]
        missed = np.flatnonzero(~hit)
        hit_rate = 1 - missed.size / hit.size
        load = (1 - hit_rate) * rate * SERVICE_S / SERVERS
        if not missed.size:
            return hit_rate, load, [HIT_S] * 3
        arrivals = self._unit_times[self._first :][missed] / rate
        waits_s = fifo_queue(arrivals, self._services[missed], num_servers=SERVERS).sojourn_time_s
        mean = HIT_S + waits_s.mean() * (1 - hit_rate)
        ranks = [nearest_rank(hit.size, q) - (hit.size - missed.size) for q in QUANTILES]
        late = np.partition(waits_s, [max(rank - 1, 0) for rank in ranks])
        return hit_rate, load, [mean, *(HIT_S + (late[r - 1] if r > 0 else 0.0) for r in ranks)]

    def _theory(self, skew: float, rate: float, life_s, renew: bool) -> np.ndarray:
        """The same in closed form at each of ``SIZES``: rows hit rate, load, mean, p50, p99."""
        hits = self._hits(skew, None if life_s is None else life_s * rate, renew)
        return np.array([(hit, *_behind(hit, rate)) for hit in hits]).T


def _che_hits(skew: float, life: float | None, renew: bool) -> list[float]:
    """Che's hit rate at each of ``SIZES`` if one request comes in a unit of time.

    Only the ratio of life and time between requests counts: without an end, one solution serves
    every rate.
    """
    limits = {} if life is None else {"ttl_s": life, "renew": renew}
    shares = zipf_shares(NUM_KEYS, skew)
    return [che_hit_rates(shares, size, **limits).total for size in SIZES]


def _behind(hit_rate: float, rate: float) -> tuple[float, ...]:
    """Load, mean, p50 and p99 if misses come as a Poisson process to an M/M/c backend."""
    misses = (1 - hit_rate) * rate
    load = misses * SERVICE_S / SERVERS
    if load >= 1:
        return load, *[math.inf] * 3
    queue = MMc(misses, 1 / SERVICE_S, SERVERS)
    late = [HIT_S if q <= hit_rate else HIT_S + _late(queue, q, hit_rate) for q in QUANTILES]
    return load, HIT_S + (1 - hit_rate) * queue.mean_sojourn_time, *late


def _late(queue: MMc, q: float, hit_rate: float) -> float:
    return queue.sojourn_time_quantile((q - hit_rate) / (1 - hit_rate))


class _View:
    """The artists of the figure, and what moves them."""

    def __init__(self, traffic: _Traffic):
        self._traffic = traffic
        self.fig, axes = new_figure(
            title="How much does a cache of this size leave to the backend?",
            width=8.2,
            height=5.8,
            rows=3,
            sharex=True,
            height_ratios=(1, 1, 1.3),
        )
        for ax, label in zip(axes, ("hit rate (%)", "backend load", "latency")):
            dress(ax, y=label)
        dress(axes[0], title=" ")  # room for the key
        dress(axes[-1], x="keys that fit into the cache")
        axes[0].set(xlim=(0, 1.01 * SIZES[-1]), ylim=(0, 104))
        axes[0].xaxis.set_major_formatter("{x:,.0f}")
        axes[1].set_ylim(0, MOST_LOAD)
        axes[1].set_yticks([0, 1, 2], ["0", "full: 1", "2"])
        axes[2].set(yscale="log", ylim=(HIT_S / 2, TOP_S))
        axes[2].set_yticks([0.001, 0.01, 0.1, 1, 10], ["1 ms", "10 ms", "100 ms", "1 s", "10 s"])
        axes[1].axhline(1, **line("limit", linewidth=1.4))
        panels = (axes[0], axes[1], *[axes[2]] * 3)
        looks = ("theory", "theory", *FIGURES.values())
        start = np.nan_to_num(self._scaled(traffic.theory(1.1, 1_000, None, False)), posinf=TOP_S)
        self._lines = [
            ax.plot(SIZES, values, **line(look, linestyle="-", linewidth=1.8))[0]
            for ax, look, values in zip(panels, looks, start)
        ]
        self._dots = [
            ax.plot(SIZES[0], 1, **points(look, marker="o"))[0]
            for ax, look in zip(panels, ("measurement", "measurement", *FIGURES.values()))
        ]
        look = {"fontsize": 9.5, "color": INK, "va": "top"}
        self._beyond = {at: panels[at].text(0, 0, "", **look) for at in BEYOND}
        above = ((0, "— Che", 0, "theory"), (0, "● simulated", 0.15, "measurement"),
                 (1, "— by Che's hit rate", 0, "theory"),
                 (2, "lines: M/M/c queue, dots: simulated", 0.52, "ink"),
                 *((2, f"— {name}", 0.15 * i, role) for i, (name, role) in
                   enumerate(FIGURES.items())))  # fmt: skip
        for panel, said, x, role in above:
            look = {"color": readable(color(role)), "fontsize": 10, "va": "bottom"}
            self.fig.text(x, 1.02, said, transform=axes[panel].transAxes, **look)

    def update(self, *, size, skew, rate, expiry, life) -> str:
        """Replay the requests at one setting; return what the cache is worth."""
        renew = EXPIRY[expiry]
        setting = skew, rate, None if renew is None else life, bool(renew)
        hit_rate, load, seen_s = self._traffic.run(size, *setting)
        theory = self._traffic.theory(*setting)
        for curve, values in zip(self._lines, self._scaled(theory)):
            curve.set_ydata(values)
        # Without a steady state latencies grow with the run, so none of them is shown.
        latencies = seen_s if load < 1 else [math.nan] * len(seen_s)
        shown = [100 * hit_rate, load, *latencies]
        for at, text in self._beyond.items():
            shown[at] = _at_the_end(text, size, shown[at], *BEYOND[at])
        for dot, value in zip(self._dots, shown):
            dot.set_data([size], [value])
        che = theory[0, SIZES.index(size)]
        return _finding(size, hit_rate, che, load, seen_s, self._traffic.n)

    def _scaled(self, theory: np.ndarray) -> np.ndarray:
        """Rows as the axes show them; what has no steady state is left out."""
        shown = theory.copy()
        shown[0] *= 100
        shown[~np.isfinite(shown)] = np.nan
        return shown


def _at_the_end(text, size: int, value: float, end: float, form: str) -> float:
    """Where a dot stands: one beyond the axis stands at its end, with an arrow and its number."""
    is_beyond, half_way = value > end, size > SIZES[-1] / 2
    text.set_text(f"  ▲ {form.format(value)}  " if is_beyond else "")
    text.set(position=(size, end), ha="right" if half_way else "left")
    return 0.93 * end if is_beyond else value


def _finding(size, hit_rate, che, load, seen_s, num_requests) -> str:
    hits = f"{size:,} of {NUM_KEYS:,} keys: {100 * hit_rate:.1f} % hits (Che: {100 * che:.1f} %)"
    sample = f"({int((1 - WARM_UP) * num_requests):,} simulated requests)"
    if load >= 1:
        return (
            f"{hits}; the backend is offered {load:.2f} of what it can do, and dies: how long "
            f"misses wait depends on the length of the run {sample}."
        )
    mean, p50, p99 = (1e3 * value for value in seen_s)
    return (
        f"{hits}, backend load {load:.2f}; mean {mean:,.0f} ms, p50 {p50:,.0f} ms, "
        f"p99 {p99:,.0f} ms {sample}."
    )
