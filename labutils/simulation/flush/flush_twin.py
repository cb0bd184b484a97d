"""The flushed service as a story, in SimPy: read this one, run ``run_flush``.

A request lives through ``request``, a computation through ``compute``. See
``labutils.simulation.queues.twins`` for the words that SimPy uses.
"""

from collections import OrderedDict, deque

import numpy as np
import simpy

from labutils.simulation.flush import flush_kernels as kernels
from labutils.simulation.flush.flush_run import FlushRun, blank, flush_plan


def run_flush(service, draws, *, duration_s, flush_s=np.inf, remedy=None) -> FlushRun:
    """Tell the story of ``run_flush``: same arguments, result and errors."""
    plan = flush_plan(service, draws, duration_s, flush_s, remedy)
    finish_s, table = blank(plan[0], duration_s)
    site = Site(plan, finish_s, table)
    for process in (clock(site), users(site), flush(site), help_comes(site)):
        site.env.process(process)
    site.env.run(until=len(table))
    table[-1, kernels.QUEUE] = len(site.queue)
    return FlushRun(plan[0], finish_s, table, float(flush_s))


class Site:
    """The cache, the backend's queue and servers, the retry budget, and the diary."""

    def __init__(self, plan, finish_s, table):
        self.arrival_s, self.keys, self.service_s, first_s, self.life_s, rules, change = plan
        (self.num_keys, self.capacity, self.idle, self.timeout_s, self.most_tries, self.budget,
         self.burst, self.backoff_s, self.limit) = rules  # fmt: skip
        (self.flush_s, self.remedy_s, self.single, self.limit_then, self.warm, self.drop,
         self.late_fills) = change  # fmt: skip
        self.finish_s, self.table = finish_s, table
        self.env, self.queue, self.tokens = simpy.Environment(), deque(), self.burst
        self.cache, self.flights, self.in_force = OrderedDict(), {}, False  # cache: key, expiry
        for key in range(min(self.capacity, self.num_keys) - 1, -1, -1):
            self.cache[key] = first_s[key]

    def count(self, column):
        self.table[int(self.env.now), column] += 1

    def fill(self, key, since_s):
        """Put a key into the cache as the newest; the oldest makes room."""
        self.cache.pop(key, None)
        if len(self.cache) == self.capacity:
            self.cache.popitem(last=False)
        self.cache[key] = since_s + self.life_s[key]

    def hit(self, key) -> bool:
        """Look a key up; it becomes the newest."""
        if key not in self.cache or self.env.now >= self.cache[key]:
            return False
        self.cache.move_to_end(key)
        return True

    def next_computation(self):
        """Let a free server take what waits longest, if anybody still wants it."""
        while self.idle and self.queue:
            flight = self.queue.popleft()
            if self.in_force and self.drop and not flight.waiters:
                flight.land()
                continue
            self.idle -= 1
            self.env.process(compute(self, flight))


class Flight:
    """A computation of one key, the time it takes, and the events of those who wait for it."""

    def __init__(self, site, key, service_s):
        self.site, self.key, self.service_s, self.waiters = site, key, service_s, []
        site.flights[key] = self

    def land(self):
        """From now on the key needs a new computation."""
        if self.site.flights.get(self.key) is self:
            del self.site.flights[self.key]


def clock(site):
    """Note the length of the queue at the end of every second."""
    for second in range(len(site.table) - 1):
        yield site.env.timeout(1)
        site.table[second, kernels.QUEUE] = len(site.queue)


def users(site):
    """Send every request at its time, whatever became of those before: an open system."""
    for number, arrival in enumerate(site.arrival_s.tolist()):
        yield site.env.timeout(arrival - site.env.now)
        site.tokens = min(site.burst, site.tokens + site.budget)
        site.count(kernels.REQUESTS)
        site.env.process(request(site, number))


def flush(site):
    """Empty the cache."""
    if site.flush_s < np.inf:
        yield site.env.timeout(site.flush_s)
        site.cache.clear()


def help_comes(site):
    """Put the remedy into force."""
    if site.remedy_s == np.inf:
        return
    yield site.env.timeout(site.remedy_s)
    site.in_force, site.limit = True, site.limit_then
    for key in range(site.warm - 1, -1, -1):
        site.fill(key, site.remedy_s)


def request(site, number):
    """Ask, and ask again while there are tries and the budget allows."""
    for tries in range(1, site.most_tries + 1):
        site.count(kernels.ATTEMPTS)
        if (yield from attempt(site, number)):
            site.finish_s[number] = site.env.now
            site.count(kernels.ANSWERED)
            return
        if tries == site.most_tries or site.tokens < 1:
            return
        site.tokens -= 1
        yield site.env.timeout(site.backoff_s)


def attempt(site, number):
    """Look into the cache, else wait for a computation, but not for ever; was it answered?"""
    key = int(site.keys[number])
    if site.hit(key):
        site.count(kernels.HITS)
        return True
    if site.in_force and site.single and key in site.flights:
        flight = site.flights[key]
    elif site.idle or len(site.queue) < site.limit:
        flight = Flight(site, key, site.service_s[number])
        site.queue.append(flight)
    else:
        site.count(kernels.REJECTED)
        return False
    answer = site.env.event()
    flight.waiters.append(answer)
    site.next_computation()
    yield answer | site.env.timeout(site.timeout_s)
    if answer.triggered:
        return True
    flight.waiters.remove(answer)
    site.count(kernels.TIMED_OUT)
    return False


def compute(site, flight):
    """Compute; answer all who wait, and fill the cache if one waits or late fills are on."""
    yield site.env.timeout(flight.service_s)
    flight.land()
    site.count(kernels.COMPUTED)
    if not flight.waiters:
        site.count(kernels.WASTED)
    if flight.waiters or (site.in_force and site.late_fills):
        site.fill(flight.key, site.env.now)
    for answer in flight.waiters:
        answer.succeed()
    site.idle += 1
    site.next_computation()
