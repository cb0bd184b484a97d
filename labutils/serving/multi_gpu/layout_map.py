"""The map of layouts: each simulated once, then judged by any promise at once.

A promise changes nothing in a run, only what counts of it. So runs are kept request by request, and
moving the promise costs a comparison of two columns.
"""

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace
from functools import cached_property
from pathlib import Path

import numpy as np

from labutils.ground import arguments
from labutils.llm.layouts import Deployment, Pools
from labutils.serving.multi_gpu.layout_run import LayoutRun
from labutils.serving.multi_gpu.serve import serve_layout, serve_pools

SETTING = " · "
BLOCKS = 10
_T = 2.262  # 97.5 % of Student's t with 9 degrees of freedom


@dataclass(frozen=True, eq=False)
class MapRun:
    """One layout at one rate: ``ttft_s``, ``tpot_s`` (inf where never reached) and answers.

    A ``name`` may end in a setting of the scheduler behind ``SETTING``: "TP8 · 512".
    """

    name: str
    rate_per_s: float
    cards: int
    span_s: float
    ttft_s: np.ndarray
    tpot_s: np.ndarray
    output_tokens: np.ndarray

    @classmethod
    def of(cls, name: str, rate_per_s: float, run: LayoutRun) -> "MapRun":
        """What a map keeps of a run. A single token has no gap: its TPOT is 0."""
        log = run.log
        ttft = np.where(log.ok, log.ttft_s, np.inf)
        tpot = np.where(log.output_tokens > 1, log.tpot_s, 0.0)
        tpot = np.where(log.ok, tpot, np.inf)
        return cls(name, rate_per_s, run.cards, run.span_s, ttft, tpot, log.output_tokens)

    @cached_property
    def p99_s(self) -> tuple[float, float]:
        """p99 of TTFT and of TPOT, those included that were never reached."""
        last = math.ceil(0.99 * self.ttft_s.size) - 1
        return float(np.sort(self.ttft_s)[last]), float(np.sort(self.tpot_s)[last])


@dataclass(frozen=True)
class MapPoint:
    """A layout under a promise: the share of requests that kept it, and what follows.

    ``kept_low`` and ``kept_high`` are a 95 % interval from ten blocks of consecutive requests:
    neighbours share a queue and are not independent. It is at least 3/n wide to either side, since
    n requests without a miss leave up to 3 in n possible (the rule of three).
    """

    name: str
    cards: int
    kept: float
    kept_low: float
    kept_high: float
    goodput_per_s_per_card: float
    cost_per_million_tokens: float
    ttft_p99_s: float
    tpot_p99_s: float
    on_frontier: bool = False


class LayoutMap:
    """Runs of several layouts at several rates, and their points under any promise."""

    def __init__(self, runs: Iterable[MapRun]):
        self.runs = tuple(runs)
        if not self.runs:
            raise ValueError("runs = (): expected at least one")

    @classmethod
    def simulate(
        cls,
        placed: Mapping[str, Deployment | Pools],
        mix,
        rates_per_s: Iterable[float],
        *,
        requests: int = 1000,
        seed: int = 0,
    ) -> "LayoutMap":
        """Serve the same requests, drawn from ``mix`` for each rate, by every layout that fits."""
        runs = []
        for rate in rates_per_s:
            trace = mix.trace(requests, rate_per_s=rate, seed=seed)
            for name, where in placed.items():
                serve = serve_pools if isinstance(where, Pools) else serve_layout
                runs.append(MapRun.of(name, float(rate), serve(trace, where)))
        return cls(runs)

    @property
    def rates_per_s(self) -> tuple[float, ...]:
        """The rates, ascending."""
        return tuple(sorted({run.rate_per_s for run in self.runs}))

    def points(
        self,
        rate_per_s: float,
        *,
        ttft_s: float,
        tpot_s: float,
        price_per_hour: float,
        tuned: bool = False,
    ) -> tuple[MapPoint, ...]:
        """All layouts at one of the rates under a promise, most goodput a card first.

        ``tuned`` leaves of each layout only the setting that keeps this promise most often, of
        equals the one with the earlier first token. On the frontier is what no other layout beats
        in goodput a card, p99 TTFT and p99 TPOT at once.
        """
        promise = arguments.positive("ttft_s", ttft_s), arguments.positive("tpot_s", tpot_s)
        price = arguments.non_negative("price_per_hour", price_per_hour)
        runs = [run for run in self.runs if run.rate_per_s == rate_per_s]
        if not runs:
            rates = ", ".join(f"{rate:g}" for rate in self.rates_per_s)
            raise ValueError(f"rate_per_s = {rate_per_s!r}: expected one of {rates}")
        found = [_point(run, *promise, price) for run in runs]
        found = _tuned(found) if tuned else found
        marked = [_marked(point, found) for point in found]
        return tuple(sorted(marked, key=lambda point: -point.goodput_per_s_per_card))

    def save(self, path: str | Path) -> None:
        """Write the runs as JSON, times to four digits."""
        names = [one.name for one in fields(MapRun)]
        rows = [{name: _plain(getattr(run, name)) for name in names} for run in self.runs]
        Path(path).write_text(json.dumps(rows), encoding="utf-8")

    @classmethod
    def load(cls, path: str | Path) -> "LayoutMap":
        """Read what ``save`` wrote."""
        rows = json.loads(Path(path).read_text(encoding="utf-8"))
        columns = ("ttft_s", "tpot_s", "output_tokens")
        return cls(
            MapRun(**{**row, **{name: np.array(row[name], dtype=float) for name in columns}})
            for row in rows
        )


def _point(run: MapRun, ttft_s: float, tpot_s: float, price: float) -> MapPoint:
    good = (run.ttft_s <= ttft_s) & (run.tpot_s <= tpot_s)
    kept, half = float(good.mean()), _half_width(good)
    tokens = float(run.output_tokens[good].sum())
    paid = run.cards * price * run.span_s / 3600
    ttft_p99_s, tpot_p99_s = run.p99_s
    return MapPoint(
        name=run.name,
        cards=run.cards,
        kept=kept,
        kept_low=max(0.0, kept - half),
        kept_high=min(1.0, kept + half),
        goodput_per_s_per_card=float(good.sum()) / run.span_s / run.cards,
        cost_per_million_tokens=paid / tokens * 1e6 if tokens else math.inf,
        ttft_p99_s=ttft_p99_s,
        tpot_p99_s=tpot_p99_s,
    )


def _tuned(points: list[MapPoint]) -> list[MapPoint]:
    best: dict[str, MapPoint] = {}
    for point in points:
        layout = point.name.split(SETTING)[0]
        rank = point.kept, -point.ttft_p99_s
        if layout not in best or rank > (best[layout].kept, -best[layout].ttft_p99_s):
            best[layout] = point
    return list(best.values())


def _half_width(good: np.ndarray) -> float:
    """Of a 95 % interval around the mean of ten blocks; of fewer requests than that, everything."""
    if good.size < BLOCKS:
        return 1.0
    means = np.array([block.mean() for block in np.array_split(good, BLOCKS)])
    return max(float(_T * means.std(ddof=1) / math.sqrt(BLOCKS)), 3 / good.size)


def _marked(point: MapPoint, others: list[MapPoint]) -> MapPoint:
    mine = _merits(point)
    beaten = any(
        all(theirs >= ours for theirs, ours in zip(_merits(other), mine)) and _merits(other) != mine
        for other in others
    )
    return replace(point, on_frontier=not beaten)


def _merits(point: MapPoint) -> tuple[float, float, float]:
    return point.goodput_per_s_per_card, -point.ttft_p99_s, -point.tpot_p99_s


def _plain(value):
    if not isinstance(value, np.ndarray):
        return value
    if value.dtype.kind == "i":
        return value.tolist()
    return [float(f"{number:.4g}") for number in value]
