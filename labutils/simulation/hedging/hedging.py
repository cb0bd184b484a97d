"""A fleet of servers whose clients hedge: a second copy for each request that takes long."""

from dataclasses import dataclass

import numpy as np

from labutils.simulation.hedging.fleet import FleetDraws, fleet_draws, fleet_plan
from labutils.simulation.hedging.hedging_kernels import NEVER, ON_FINISH, ON_START, run_fleet
from labutils.simulation.queues.in_flight import InFlightCurve, in_flight_curve

__all__ = ["FleetDraws", "HedgedRun", "fleet_draws", "hedged_fleet"]

_RULES = {"none": NEVER, "finish": ON_FINISH, "start": ON_START}


@dataclass(frozen=True, eq=False)
class HedgedRun:
    """What became of each request, in order of arrival.

    ``finish_s`` is the first answer, ``hedged`` whether a second copy was sent. ``start_s`` and
    ``stop_s`` (requests, 2) are when each copy began its service and when that ended, by
    completion or by being called off; NaN for a copy that never began. ``service_s`` are the
    demands, as drawn.
    """

    arrival_s: np.ndarray
    finish_s: np.ndarray
    hedged: np.ndarray
    start_s: np.ndarray
    stop_s: np.ndarray
    service_s: np.ndarray

    @property
    def sojourn_time_s(self) -> np.ndarray:
        """From arrival to first answer."""
        return self.finish_s - self.arrival_s

    @property
    def work_s(self) -> np.ndarray:
        """Server-seconds spent on each request, on both copies together."""
        spent = self.stop_s - self.start_s
        spent[np.isnan(spent)] = 0.0  # a copy that never began
        return spent[:, 0] + spent[:, 1]

    @property
    def extra_requests(self) -> float:
        """Share of the requests for which a second copy was sent."""
        return float(self.hedged.mean())

    @property
    def extra_work(self) -> float:
        """Work done, over what the first copies alone ask for, less 1.

        It can be negative: a quick copy may spare the servers the rest of a slow one.
        """
        return float(self.work_s.sum() / self.service_s[:, 0].sum() - 1)

    def in_flight(self) -> InFlightCurve:
        """How many requests wait for their first answer, over time."""
        return in_flight_curve(self.arrival_s, self.finish_s)

    def busy(self, from_s: float, to_s: float) -> float:
        """Mean number of busy servers between two times; over ``num_servers``: utilization."""
        if not from_s < to_s:
            raise ValueError(f"to_s = {to_s!r}: expected a time after from_s = {from_s!r}")
        inside = np.clip(self.stop_s, from_s, to_s) - np.clip(self.start_s, from_s, to_s)
        return float(np.nansum(inside) / (to_s - from_s))


def hedged_fleet(
    arrival_s,
    draws: FleetDraws,
    *,
    num_servers: int,
    trigger_s: float,
    cancel: str = "none",
    cancel_from_s: float = -np.inf,
) -> HedgedRun:
    """Run a fleet in which a late request gets a second copy, until every server is idle.

    Each server has its own queue, first come, first served. Request i goes to server
    ``draws.servers[i, 0]``. If it has no answer ``trigger_s`` after its arrival, a copy joins
    server ``draws.servers[i, 1]``; ``trigger_s`` = inf never hedges, 0 doubles every request.
    ``cancel`` says what becomes of the copy that is not needed:

    - ``"none"``: it is worked off.
    - ``"finish"``: the first answer removes it, from its queue or out of service.
    - ``"start"``: tied requests (Dean & Barroso 2013). The copy whose service starts first
      removes the other from its queue; no copy is sent once the first is in service.

    Calling off takes no time. Before ``cancel_from_s`` nothing is called off; at that moment the
    rule applies to all that has happened so far, then to whatever happens.

    In a tie completions come first, then timers, then arrivals: a request that is answered just
    when its timer rings is not hedged.

    Raises ``ValueError`` naming the argument, and the first row, that is wrong.
    """
    plan = fleet_plan(arrival_s, draws, num_servers, trigger_s, cancel, cancel_from_s)
    n = plan.arrival_s.size
    start_s, stop_s = np.full((2, n, 2), np.nan)
    finish_s, hedged = np.full(n, np.nan), np.zeros(n, dtype=bool)
    run_fleet(
        plan.arrival_s,
        plan.service_s.ravel(),
        plan.servers.ravel(),
        plan.num_servers,
        plan.trigger_s,
        _RULES[plan.cancel],
        plan.cancel_from_s,
        (start_s.ravel(), stop_s.ravel(), finish_s, hedged),
    )
    return HedgedRun(plan.arrival_s, finish_s, hedged, start_s, stop_s, plan.service_s)
