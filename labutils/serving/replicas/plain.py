"""The same story, told slowly: as many plain simulations as replicas, run to each arrival in turn.

It shares no line with the compiled loop but the rules of a replica, and is what that is held to.
"""

import math
from collections import deque
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from labutils.engine import Request
from labutils.serving.runs.arrivals import arrivals_of
from labutils.serving.simulator.plain import Simulation

from .replicas_run import ReplicasRun


class Report(NamedTuple):
    """What a replica says: requests waiting and running, pages in use of all its pages."""

    waiting: int = 0
    running: int = 0
    pages: int = 0
    num_pages: int = 0


class Replica:
    """One replica: a simulation that is handed its requests one by one."""

    def __init__(self, scheduler, step_cost, *, with_patience: bool):
        self.inbox: deque = deque()
        self.step_cost = step_cost
        patience_s = [] if with_patience else None
        self.simulation = Simulation(_Taken(self.inbox), scheduler, self, patience_s=patience_s)
        self.simulation.until_s = 0.0
        self.audited = self.simulation.audited
        self.num_pages = getattr(scheduler.pool, "num_pages", 0)
        self.sent_pages: set = set()  # names of pages in the prompts that the router sent here
        self.report, self.sent_since = Report(num_pages=self.num_pages), 0
        self._step = (0, 0)

    def time_s(self, shape) -> float:
        """The cost of the step that is under way now; who runs in it is kept."""
        self._step = (self.audited.num_running, self.audited.memory.in_use)
        return self.step_cost.time_s(shape)

    def run_until(self, now_s: float) -> None:
        """Run the steps that begin before ``now_s``; let those wait who came in the last one."""
        simulation = self.simulation
        if simulation.now_s >= now_s:
            return
        simulation.until_s = now_s
        while simulation.now_s < now_s and simulation._go_on():
            pass
        simulation._welcome()

    def look(self, now_s: float) -> Report:
        """What it looks like: until a step is over, all whom it serves still run."""
        self.run_until(now_s)
        audited = self.audited
        running, pages = audited.num_running, audited.memory.in_use
        waiting = len(audited.books) - running + self._unseen()
        if self.simulation.now_s > now_s:
            running, pages = self._step
        return Report(waiting, running, pages, self.num_pages)

    def in_flight(self, now_s: float) -> int:
        """Requests that were sent here and have not ended."""
        now = self.look(now_s)
        return now.waiting + now.running

    def tell(self, now_s: float) -> None:
        """Report."""
        self.report, self.sent_since = self.look(now_s), 0

    def hand_over(self, request: Request, output_tokens: int, patience_s: float | None) -> None:
        """One more request."""
        self.inbox.append((request, output_tokens))
        self.sent_pages.update(request.keys)
        self.sent_since += 1
        if patience_s is not None:
            self.simulation.patience_s.append(patience_s)
        if self.simulation._next is None:
            self.simulation._await_next()

    def _unseen(self) -> int:
        """Requests that came in the step under way."""
        return len(self.inbox) + (self.simulation._next is not None)


class _Taken:
    """An iterator over what is in an inbox, which may get more after it was empty."""

    def __init__(self, inbox: deque):
        self.inbox = inbox

    def __next__(self):
        if not self.inbox:
            raise StopIteration
        return self.inbox.popleft()


def serve_plainly(
    source, schedulers: Sequence, step_costs: Sequence, choose, *, report_every_s: float | None,
    output_tokens=None, max_output_tokens=None, patience_s=None, seed: int = 0,
) -> ReplicasRun:  # fmt: skip
    """``serve_replicas``, where ``choose(request, replicas, now_s, row, draws)`` is the router.

    ``report_every_s`` is None where nobody reports.
    """
    paged = hasattr(schedulers[0].pool, "find")
    page_tokens = schedulers[0].pool.page_tokens if paged else None
    arrivals, n = arrivals_of(source, output_tokens, max_output_tokens, page_tokens=page_tokens)
    replicas = [
        Replica(*both, with_patience=patience_s is not None)
        for both in zip(schedulers, step_costs, strict=True)
    ]
    patience_s = [None] * n if patience_s is None else patience_s
    draws = np.random.default_rng(seed).random((n, 2)).tolist()
    chosen, reported_s, ids = np.zeros(n, dtype=np.int32), -math.inf, []
    for row, (request, tokens) in enumerate(arrivals):
        now_s = request.arrival_s
        request.keys = request.keys[: request.prompt_tokens // page_tokens] if paged else ()
        if report_every_s is not None:
            reported_s = _report(replicas, reported_s, report_every_s, now_s)
        chosen[row] = choose(request, replicas, now_s, row, draws[row])
        replicas[chosen[row]].hand_over(request, tokens, patience_s[row])
        ids.append(request.id)
    for replica in replicas:
        replica.simulation.until_s = math.inf
    return ReplicasRun(ids, chosen, tuple(replica.simulation.run() for replica in replicas))


def _report(replicas, reported_s: float, every_s: float, now_s: float) -> float:
    """Let all report if it is time; returns when they did last."""
    due_s = min(now_s, now_s // every_s * every_s) if every_s else now_s
    if every_s and due_s <= reported_s:
        return reported_s
    for replica in replicas:
        replica.tell(due_s)
    return due_s
