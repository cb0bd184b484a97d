"""The batching server as a story, in SimPy: read this one, run ``labutils.simulation.batch_queue``.

Same arguments and result, a thousand times more slowly. Chapter 03b's ``batcher_in_simpy`` is
another story: there the reader writes how a batch is collected, and patience begins when the server
looks.

A trap lies in every batcher of this kind. It waits for "another request, or the end of my
patience", and when patience ends first, its request to the store still stands. Unless it is
taken back (``cancel``), the store hands the next arrival to someone who has stopped listening,
and that arrival is lost.
"""

import math

import numpy as np
import simpy

from labutils.ground.arguments import whole
from labutils.simulation.batches.batch_run import BatchRun, patience, service_table
from labutils.simulation.draws.draw_checks import ordered


def batch_queue(arrival_s, service_s, *, max_batch: int, batch_timeout_s: float) -> BatchRun:
    """Tell the story of ``labutils.simulation.batch_queue``: same arguments, result, errors."""
    arrivals = ordered("arrival_s", arrival_s)
    timeout = patience(batch_timeout_s)
    most = min(whole("max_batch", max_batch), arrivals.size)
    services = service_table(service_s, most).tolist()
    env = simpy.Environment(initial_time=float(arrivals[0]))
    store, over, diary = simpy.Store(env), env.event(), []
    env.process(users(env, store, arrivals.tolist(), over))
    env.run(until=env.process(server(env, store, services, most, timeout, over, diary)))
    sizes, ready, start, finish = np.array(diary).T.copy()
    return BatchRun(arrivals, sizes.astype(np.int64), ready, start, finish)


def users(env, store, arrival_s, over):
    """Let each request arrive at its time; after the last one, announce that no more come."""
    come = 0
    while come < len(arrival_s):
        yield env.timeout(max(0.0, arrival_s[come] - env.now))
        together = arrival_s[come]
        while come < len(arrival_s) and arrival_s[come] == together:
            store.put(together)
            come += 1
    over.succeed()


def server(env, store, service_s, max_batch, timeout_s, over, diary):
    """Collect a batch, run it, note its times, until every request has departed."""
    while not (over.triggered and not store.items):
        oldest = yield store.get()
        closes = over if timeout_s == math.inf else _at(env, oldest + timeout_s)
        batch = [oldest]
        yield env.process(collect(env, store, batch, max_batch, closes))
        start, full = env.now, len(batch) == max_batch
        deadline = batch[-1] if timeout_s == math.inf else oldest + timeout_s
        yield env.timeout(service_s[len(batch)])
        ready = min(batch[-1], deadline) if full else deadline
        diary.append((len(batch), ready, start, env.now))


def collect(env, store, batch, max_batch, closes):
    """Take requests until the batch is full, or ``closes`` has happened and none waits."""
    while len(batch) < max_batch:
        another = store.get()
        yield another | closes
        if not another.triggered:
            yield env.timeout(0)  # whoever comes in this very instant still comes along
        if not another.triggered:
            another.cancel()  # without this line the next arrival is lost
            return
        batch.append(another.value)


def _at(env, moment):
    """An event at ``moment``, or at once if that has passed."""
    return env.timeout(max(0.0, moment - env.now))
