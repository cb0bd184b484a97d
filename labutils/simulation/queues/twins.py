"""The same queue as a story, in SimPy: read this one, run the compiled one.

A twin takes the arrays that its kernel takes and returns the same run, to the last nanosecond,
some thousand times more slowly. Reading it tells you what the kernel claims; a test holds the
two together. SimPy keeps a clock (``env.now``) and a list of future events. A process is a
generator: each ``yield`` names what it waits for next.
"""

import numpy as np
import simpy

from labutils.ground.arguments import whole
from labutils.simulation.draws.draw_checks import visits
from labutils.simulation.queues.queue_run import QueueRun


def fifo_queue(arrival_s, service_s, *, num_servers: int = 1) -> QueueRun:
    """Tell the story of ``labutils.simulation.fifo_queue``: same arguments, result and errors."""
    arrivals, services = visits(arrival_s, service_s)
    env = simpy.Environment(initial_time=float(arrivals[0]))
    servers = simpy.Resource(env, capacity=whole("num_servers", num_servers))
    diary = [None] * arrivals.size
    env.process(users(env, servers, arrivals.tolist(), services.tolist(), diary))
    env.run()
    return QueueRun(*np.array(diary).T.copy())


def users(env, servers, arrival_s, service_s, diary):
    """Send every request at its time, whatever became of those before: an open system."""
    for number, arrival in enumerate(arrival_s):
        # The clock may stand one rounding error past the arrival, and no delay is negative.
        yield env.timeout(max(0.0, arrival - env.now))
        env.process(request(env, servers, service_s[number], diary, number))


def request(env, servers, service_s, diary, number):
    """Live through one request: arrive, wait for your turn, be served, leave."""
    arrival = env.now
    with servers.request() as turn:
        yield turn
        start = env.now
        yield env.timeout(service_s)
    diary[number] = (arrival, start, env.now)
