"""The hedged fleet as a story, in SimPy: read this one, run ``labutils.simulation.hedged_fleet``.

Every request lives through ``request``, every copy of it through ``copy``, both in time order
as they read. See ``labutils.simulation.queues.twins`` for the words that SimPy uses.
"""

import numpy as np
import simpy

from labutils.simulation.hedging.fleet import fleet_plan
from labutils.simulation.hedging.hedging import HedgedRun


def hedged_fleet(
    arrival_s, draws, *, num_servers: int, trigger_s, cancel="none", cancel_from_s=-np.inf
) -> HedgedRun:
    """Tell the story of ``labutils.simulation.hedged_fleet``: same arguments and errors.

    The run is the same to the last nanosecond, unless two events fall on the same instant.
    """
    plan = fleet_plan(arrival_s, draws, num_servers, trigger_s, cancel, cancel_from_s)
    fleet = Fleet(plan)
    fleet.env.process(clients(fleet))
    fleet.env.process(change_of_rule(fleet))
    fleet.env.run()
    return HedgedRun(
        plan.arrival_s, fleet.finish_s, fleet.hedged, fleet.start_s, fleet.stop_s, plan.service_s
    )


class Fleet:
    """The servers, the rule in force, and a diary of what became of each copy."""

    def __init__(self, plan):
        n = plan.arrival_s.size
        self.plan = plan
        self.env = simpy.Environment(initial_time=float(plan.arrival_s[0]))
        self.servers = [simpy.Resource(self.env) for _ in range(plan.num_servers)]
        self.rule_in_force = "none"
        self.copies = [[] for _ in range(n)]
        self.answers = [self.env.event() for _ in range(n)]
        self.finish_s, self.hedged = np.full(n, np.nan), np.zeros(n, dtype=bool)
        self.start_s, self.stop_s = np.full((2, n, 2), np.nan)

    def has_begun(self, number) -> bool:
        """Whether a copy of this request is, or was, in service."""
        return not np.isnan(self.start_s[number]).all()

    def send(self, number, which):
        """Send the first (0) or second (1) copy of a request to its server."""
        self.copies[number].append(self.env.process(copy(self, number, which)))

    def call_off(self, number, *, queued_only):
        """Take the copies of a request out of their queues, and out of service unless told."""
        for which, process in enumerate(self.copies[number]):
            in_service = not np.isnan(self.start_s[number, which])
            is_me = process is self.env.active_process
            if process.is_alive and not is_me and not (queued_only and in_service):
                process.interrupt()


def clients(fleet):
    """Send every request at its time, whatever became of those before: an open system."""
    for number, arrival in enumerate(fleet.plan.arrival_s.tolist()):
        yield fleet.env.timeout(max(0.0, arrival - fleet.env.now))
        fleet.env.process(request(fleet, number))


def request(fleet, number):
    """Send one copy; hedge when the answer takes too long."""
    fleet.send(number, 0)
    if fleet.plan.trigger_s == np.inf:
        return
    yield fleet.answers[number] | fleet.env.timeout(fleet.plan.trigger_s)
    is_tied = fleet.rule_in_force == "start"
    if fleet.answers[number].triggered or (is_tied and fleet.has_begun(number)):
        return
    fleet.hedged[number] = True
    fleet.send(number, 1)


def copy(fleet, number, which):
    """Queue, be served, answer; an interrupt means that this copy is no longer wanted."""
    server = fleet.servers[fleet.plan.servers[number, which]]
    try:
        with server.request() as turn:
            yield turn
            fleet.start_s[number, which] = fleet.env.now
            if fleet.rule_in_force == "start":
                fleet.call_off(number, queued_only=True)
            yield fleet.env.timeout(fleet.plan.service_s[number, which])
    except simpy.Interrupt:
        pass
    else:
        answer(fleet, number)
    if not np.isnan(fleet.start_s[number, which]):
        fleet.stop_s[number, which] = fleet.env.now


def answer(fleet, number):
    """The first copy that is done answers the request."""
    if fleet.answers[number].triggered:
        return
    fleet.answers[number].succeed()
    fleet.finish_s[number] = fleet.env.now
    if fleet.rule_in_force == "finish":
        fleet.call_off(number, queued_only=False)


def change_of_rule(fleet):
    """Put the rule into force at its time, for what has happened before as for what will."""
    yield fleet.env.timeout(max(0.0, fleet.plan.cancel_from_s - fleet.env.now))
    fleet.rule_in_force = fleet.plan.cancel
    for number in range(fleet.plan.arrival_s.size):
        if fleet.rule_in_force == "finish" and fleet.answers[number].triggered:
            fleet.call_off(number, queued_only=False)
        if fleet.rule_in_force == "start" and fleet.has_begun(number):
            fleet.call_off(number, queued_only=True)
