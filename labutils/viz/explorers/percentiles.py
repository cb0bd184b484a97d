"""The explorer of chapter 01: percentiles of one day's latencies, and how far to trust them."""

from functools import lru_cache

import numpy as np
from scipy.special import ndtr

from labutils import simulation as sim
from labutils.ground.arguments import whole
from labutils.metrics.latency import rank_interval
from labutils.metrics.latency.ranks import nearest_rank
from labutils.viz.controls import choice, slider
from labutils.viz.explorer import Explorer
from labutils.viz.labels import readable
from labutils.viz.style import color, line, new_figure, points

QUANTILES = {"p50": 0.5, "p99": 0.99, "p99.9": 0.999}
SIZES = (100, 300, 1_000, 3_000, 10_000, 30_000, 100_000, 200_000)
SHARES = (0, 0.0002, 0.001, 0.005, 0.01, 0.02, 0.05)
TAILS_S = (0.05, 0.1, 0.2, 0.5, 1.0, 5.0)
USUAL_S, SPREAD = 0.015, 0.2  # usual requests: normal; the others as normal, 0.25 of their mean
INTERVAL_S = 0.05  # between the sends of a generator that keeps its schedule
SHORTEST_S = 0.001
RANGE_S = (0.005, 60.0)  # what lies outside is drawn at its end, as an arrow on the right
MARGIN = 1.25  # the axis goes on for as much, so that nothing is cut
STREAM = 3  # with the notebook's seed, 16 of the days 1 to 30 are healthy: as many as to expect
MOST_DOTS = 1500  # in the strip
HEALTHY = 3.0  # the rule of thumb for p99 / p50
LOOPS = {"waits (closed)": "closed", "on time (open)": "open"}
KEYS = {
    "closed": "bar: 95 % interval of the ranks; blue tick: the true value",
    "open": "bar: 95 % interval, if no request had waited for another",
}


def percentile_explorer(*, seed: int, num_requests: int = 10_000) -> Explorer:
    """Explore the percentiles of a day's requests, with the interval that their ranks give.

    Usual requests take 15 ± 3 ms, slow ones ``size`` ± a quarter of it, each with probability
    ``share``. A closed loop records just that. In an open loop a request is sent every 50 ms to one
    worker, and one that is due behind a slow one waits for it. ``num_requests`` is the setting to
    begin with.
    """
    view = _View(_Days(seed))
    controls = {
        "requests": choice(
            "requests", [(f"{n:,}", n) for n in SIZES], whole("num_requests", num_requests)
        ),
        "share": choice("slow requests", [(f"{100 * p:g} %", p) for p in SHARES], 0.01),
        "size": choice("they take", [(in_words(t), t) for t in TAILS_S], 0.2),
        "day": slider("day", 1, 30, 5),
        "loop": choice("load generator", list(LOOPS.items()), "closed"),
    }
    return Explorer(view.fig, view.update, controls=controls)


class _Days:
    """The draws of each day, made once, so that a control moves nothing but its quantity."""

    def __init__(self, seed: int):
        self._seed = seed
        self._day = lru_cache(maxsize=4)(self._draw)
        self._due_s = INTERVAL_S * np.arange(SIZES[-1])

    def _draw(self, day: int) -> tuple[np.ndarray, ...]:
        rng = np.random.default_rng((self._seed, STREAM, day))
        usual = USUAL_S * (1 + SPREAD * rng.standard_normal(SIZES[-1]))
        return rng.random(SIZES[-1]), usual, 1 + 0.25 * rng.standard_normal(SIZES[-1])

    def latencies(self, day: int, n: int, share: float, size_s: float, loop: str) -> np.ndarray:
        """What the load generator records on a day, in seconds, in the order of sending."""
        chance, usual, slow = (column[:n] for column in self._day(day))
        service = np.maximum(np.where(chance < share, size_s * slow, usual), SHORTEST_S)
        if loop == "closed":
            return service
        return sim.waiting_times(self._due_s[:n], service) + service


class _View:
    """The artists of the figure, and what moves them."""

    def __init__(self, days: _Days):
        self._days = days
        self.fig, ax = new_figure(
            title="How far may each percentile of a day be trusted?", x="latency", height=4.4
        )
        ends = (RANGE_S[0] / MARGIN, RANGE_S[1] * MARGIN)
        ax.set(xscale="log", xlim=ends, ylim=(-0.15, 4.15))
        self._ax = ax
        ax.set_xticks([0.01, 0.1, 1, 10], ["10 ms", "100 ms", "1 s", "10 s"])
        self._rows = {q: 1.55 + 0.9 * row for row, q in enumerate(QUANTILES.values())}
        ax.set_yticks([0.5, *self._rows.values()], ["requests", *QUANTILES])
        ax.grid(False, axis="y")
        self._heights = np.random.default_rng(0).random(MOST_DOTS)
        (self._strip,) = ax.plot([1], [1], **points("reference", marker=".", markersize=5))
        (self._late,) = ax.plot([1], [1], **points("reference", marker=">", markersize=5))
        self._sampled = ax.annotate("", (1, 1.08), xycoords=("axes fraction", "data"))
        self._sampled.set(ha="right", va="bottom", fontsize=10)
        self._bars = {q: self._bar(ax, y) for q, y in self._rows.items()}
        (self._truth,) = ax.plot(
            [1] * 3, list(self._rows.values()), **points("theory", marker="|", markersize=19)
        )
        self._truth.set_markeredgecolor(self._truth.get_color())
        self._truth.set_markeredgewidth(2.2)
        small = points("measurement", markersize=4.5)
        self._dots = {q: ax.plot(1, y, **small)[0] for q, y in self._rows.items()}
        self._texts = {
            q: ax.annotate(
                "", (1, y), xytext=(0, 13), textcoords="offset points", ha="center", fontsize=10,
                color=readable(color("measurement")),
            )
            for q, y in self._rows.items()
        }  # fmt: skip

        self._key = ax.annotate(
            "", (1, 1), xycoords="axes fraction", ha="right", va="top", fontsize=10
        )

    @staticmethod
    def _bar(ax, y: float):
        look = line("measurement", linestyle="-", linewidth=11, alpha=0.35, solid_capstyle="butt")
        return ax.plot([1, 2], [y, y], **look)[0]

    def update(self, *, requests, share, size, day, loop) -> str:
        """Redraw one day; return each percentile, its interval and how many lie above."""
        latency = self._days.latencies(day, requests, share, size, loop)
        self._ax.set_xlim(right=MARGIN * (RANGE_S[1] if loop == "open" else max(1.0, 2.5 * size)))
        self._draw_strip(latency)
        found = measured(latency)
        true = {q: _true_quantile(q, share, size) for q in found}
        for q, (value, low, high) in found.items():
            self._dots[q].set_xdata([_shown(value)])
            self._dots[q].set_marker(">" if value > RANGE_S[1] else "o")
            self._bars[q].set_xdata([_shown(low), _shown(high)])
            self._name(self._texts[q], value, unbounded=high == np.inf)
        self._truth.set_visible(loop == "closed")
        self._truth.set_xdata([_shown(x) for x in true.values()])
        self._key.set_text(KEYS[loop])
        if loop == "closed":
            remark = _missed(found, true)
        else:
            service = self._days.latencies(day, requests, share, size, "closed")
            remark = _waited(int((latency > service).sum()), share, size)
        return " ".join((_sentence(found, requests), _verdict(found), remark))

    @staticmethod
    def _name(text, value: float, *, unbounded: bool) -> None:
        text.set_text(f"measured {in_words(value)}" + (", no upper bound" if unbounded else ""))
        text.xy = (_shown(value), text.xy[1])
        text.set_ha("right" if value > RANGE_S[1] / 10 else "center")

    def _draw_strip(self, latency: np.ndarray) -> None:
        """Every request once, or every k-th."""
        shown = latency[:: -(-latency.size // MOST_DOTS)]
        late = shown > RANGE_S[1]
        heights = self._heights[: shown.size]
        self._strip.set_data(np.maximum(shown[~late], RANGE_S[0]), heights[~late])
        self._late.set_data(np.full(late.sum(), RANGE_S[1]), heights[late])
        few = shown.size < latency.size
        self._sampled.set_text(
            f"dots: {shown.size:,} of {latency.size:,}" if few else f"dots: all {latency.size:,}"
        )


def measured(latency_s: np.ndarray) -> dict[float, tuple[float, float, float]]:
    """For each quantile: its value, and the values at the ranks that enclose it (inf: none)."""
    n = latency_s.size
    ranks = {q: (int(nearest_rank(n, q)), *rank_interval(n, q)) for q in QUANTILES.values()}
    inside = sorted({r - 1 for row in ranks.values() for r in row if 1 <= r <= n})
    ordered = np.partition(latency_s, inside)

    def at(rank: int) -> float:
        return float(ordered[rank - 1]) if 1 <= rank <= n else np.inf if rank else 0.0

    return {q: tuple(map(at, row)) for q, row in ranks.items()}


def _true_quantile(q: float, share: float, size_s: float) -> float:
    """The quantile of the two bells that the draws come from, to a thousandth."""
    grid = np.geomspace(SHORTEST_S, 20, 10_000)
    usual = ndtr((grid / USUAL_S - 1) / SPREAD)
    return float(np.interp(q, (1 - share) * usual + share * ndtr((grid / size_s - 1) / 0.25), grid))


def _shown(seconds: float) -> float:
    return min(max(seconds, RANGE_S[0]), RANGE_S[1])


def in_words(seconds: float) -> str:
    """A latency as it is read: 25 ms, 1.5 s."""
    if seconds == np.inf:
        return "no bound"
    if seconds < 0.9995:
        return f"{1000 * seconds:.3g} ms"
    return f"{seconds:.3g} s" if seconds < 999.5 else f"{seconds:,.0f} s"


def _sentence(found: dict, n: int) -> str:
    parts = []
    for (name, q), (value, low, high) in zip(QUANTILES.items(), found.values(), strict=True):
        above = n - int(nearest_rank(n, q))
        parts.append(
            f"{name} {in_words(value)} ({in_words(low)} to {in_words(high)}, {above:,} above)"
        )
    return "; ".join(parts) + "."


def _verdict(found: dict) -> str:
    ratio = found[0.99][0] / found[0.5][0]
    return (
        f"The rule says {'healthy' if ratio < HEALTHY else 'investigate'}: p99/p50 = {ratio:.3g}."
    )


def _missed(found: dict, true: dict) -> str:
    """Which bars leave out the true value: where a bar is narrow, no eye can tell."""
    names = [p for p, q in QUANTILES.items() if not found[q][1] <= true[q] <= found[q][2]]
    return f"Missed: the true {' and '.join(names)}." if names else "Each bar holds its true value."


def _waited(number: int, share: float, size_s: float) -> str:
    load = ((1 - share) * USUAL_S + share * size_s) / INTERVAL_S
    if load >= 1:
        return f"Offered load {100 * load:.0f} %: latency grows for as long as you measure."
    if number == 0:
        return "Nobody waited for another."
    return f"{number:,} waited, and neighbours wait together: the bars are too short."
