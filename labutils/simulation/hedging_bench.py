"""One stream of requests through a hedged fleet, once for each rule of hedging."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from labutils.ground.arguments import positive, whole
from labutils.metrics.latency import percentile
from labutils.simulation.hedging.fleet import FleetDraws, fleet_draws
from labutils.simulation.hedging.hedge_budget import budgeted_fleet
from labutils.simulation.hedging.hedging import HedgedRun, hedged_fleet


@dataclass(frozen=True, eq=False)
class HedgingBench:
    """Requests drawn once, so that two runs at one load differ in the rule alone.

    Services are exponential with mean ``mean_service_time`` (s), copies independent, arrivals
    Poisson; ``num_servers`` servers have a queue each and requests are routed at random.
    """

    unit_arrivals: np.ndarray
    draws: FleetDraws
    num_servers: int
    mean_service_time: float

    @classmethod
    def drawn(
        cls, num_requests: int, *, num_servers: int, mean_service_time: float, rng
    ) -> "HedgingBench":
        """Draw the requests. Raises ``ValueError`` naming the argument that is wrong."""
        size = whole("num_requests", num_requests, at_least=10)
        mean = positive("mean_service_time", mean_service_time)
        gaps = rng.exponential(size=size)
        draws = fleet_draws(size, num_servers, rng, mean_service_time=mean)
        return cls(np.cumsum(gaps), draws, num_servers, mean)

    def run(
        self,
        load: float,
        trigger_s: float = np.inf,
        *,
        cancel: str = "none",
        budget: float | None = None,
    ) -> HedgedRun:
        """Send the requests at ``load``; a ``budget`` limits the copies and cancels nothing."""
        scale = self.mean_service_time / (self.num_servers * positive("load", load))
        fleet = {"num_servers": self.num_servers, "trigger_s": trigger_s}
        if budget is None:
            return hedged_fleet(self.unit_arrivals * scale, self.draws, cancel=cancel, **fleet)
        if cancel != "none":
            raise ValueError(f"cancel = {cancel!r}: expected 'none' together with a budget")
        return budgeted_fleet(self.unit_arrivals * scale, self.draws, budget=budget, **fleet)

    def utilization(self, run: HedgedRun) -> float:
        """Load at the servers, copies included, from a tenth of the run to its last arrival."""
        from_s, to_s = np.quantile(run.arrival_s, (0.1, 1))
        return run.busy(from_s, to_s) / self.num_servers


def hedging_table(title: str, runs: Mapping[str, HedgedRun]) -> str:
    """Return a table: p50 and p99 of each run without its first tenth, copies and extra work."""
    rows = [f"{title:32} {'p50':>8} {'p99':>8} {'copies':>9} {'work':>8}"]
    for name, run in runs.items():
        latency_s = run.sojourn_time_s[run.arrival_s.size // 10 :]
        p50, p99 = map(_in_words, percentile(latency_s, (0.5, 0.99)))
        copies, work = round(100 * run.extra_requests), round(100 * run.extra_work)
        rows.append(f"{name:32} {p50:>8} {p99:>8} {copies:+7} % {work:+6} %")
    return "\n".join(rows)


def _in_words(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds >= 1 else f"{1000 * seconds:.0f} ms"
