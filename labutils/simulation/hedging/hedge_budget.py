"""A fleet whose clients hedge on a budget: a late request gets a copy only if one is left."""

import numpy as np

from labutils.ground.arguments import non_negative, positive
from labutils.simulation.hedging.fleet import FleetDraws, fleet_plan
from labutils.simulation.hedging.hedging import HedgedRun
from labutils.simulation.queues.compiled import compiled


def budgeted_fleet(
    arrival_s,
    draws: FleetDraws,
    *,
    num_servers: int,
    trigger_s: float,
    budget: float,
    burst: float = 10.0,
) -> HedgedRun:
    """Run ``hedged_fleet`` without cancellation, with a token bucket in front of the copies.

    All clients share one bucket. It begins with ``burst`` tokens, gains ``budget`` of one with
    each arrival and never holds more than ``burst``. A request that is still unanswered
    ``trigger_s`` after its arrival takes one token and sends its copy; without a whole token it
    goes on waiting and does not ask again. So of n requests at most ``budget * n + burst`` are
    hedged, whatever the latency is.

    Raises ``ValueError`` naming the argument that is wrong.
    """
    plan = fleet_plan(arrival_s, draws, num_servers, trigger_s, "none", -np.inf)
    limits = non_negative("budget", budget), positive("burst", burst)
    start_s, stop_s = np.full((2, *plan.service_s.shape), np.nan)
    free_s = np.full(plan.num_servers, -np.inf)
    stream = (plan.arrival_s, plan.service_s, plan.servers)
    hedged = _serve(*stream, free_s, plan.trigger_s, *limits, start_s, stop_s)
    finish_s = np.fmin(stop_s[:, 0], stop_s[:, 1])
    return HedgedRun(plan.arrival_s, finish_s, hedged, start_s, stop_s, plan.service_s)


@compiled
def _serve(arrival_s, demand_s, homes, free_s, trigger_s, budget, burst, start_s, stop_s):
    """Serve arrivals and copies in order of time; nothing is called off, so each joins a queue
    whose end is known: the moment its server falls free."""
    hedged = np.zeros(arrival_s.size, dtype=np.bool_)
    tokens, came, timer = burst, 0, 0
    while timer < arrival_s.size:
        now = arrival_s[timer] + trigger_s if timer < came else np.inf
        row, copy = timer, 1
        if came < arrival_s.size and arrival_s[came] < now:
            now, row, copy = arrival_s[came], came, 0
            tokens = min(burst, tokens + budget)
            came += 1
        else:
            timer += 1
            if stop_s[row, 0] <= now or tokens < 1:
                continue
            tokens -= 1
            hedged[row] = True
        server = homes[row, copy]
        start_s[row, copy] = max(now, free_s[server])
        free_s[server] = stop_s[row, copy] = start_s[row, copy] + demand_s[row, copy]
    return hedged
