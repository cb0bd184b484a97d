"""One replica in plain Python: a simulation that is handed its requests one by one."""

import math
from collections import deque
from typing import NamedTuple

from labutils.engine import Request, RequestTooLong
from labutils.metrics import RequestStatus
from labutils.serving.replicas.changes import COSTS
from labutils.serving.runs.step_cost import StepCost
from labutils.serving.scheduling.audited import Audited
from labutils.serving.simulator.plain import Simulation
from labutils.serving.simulator.recorder import Life

FAILED, TIMED_OUT = RequestStatus.FAILED, RequestStatus.TIMED_OUT


class Report(NamedTuple):
    """What a replica says: requests waiting and running, pages in use of all its pages."""

    waiting: int = 0
    running: int = 0
    pages: int = 0
    num_pages: int = 0


class Noted(Simulation):
    """A simulation that keeps when each request was over, unless it was refused.

    ``spans`` are the times, from when to when, in which step followed step.
    """

    def __init__(self, *arguments, **options):
        self.over_s: dict = {}
        self.spans: list[list[float]] = []
        super().__init__(*arguments, **options)

    def _carry_out(self, plan) -> None:
        begin_s = self.now_s
        super()._carry_out(plan)
        if self.spans and self.spans[-1][1] == begin_s:
            self.spans[-1][1] = self.now_s
        else:
            self.spans.append([begin_s, self.now_s])

    def _over(self, life, now_s, status) -> None:
        if status is not RequestStatus.REJECTED:
            self.over_s[life.request.id] = now_s
        super()._over(life, now_s, status)


class Replica:
    """One replica: a simulation that is handed its requests one by one."""

    def __init__(self, scheduler, step_cost, *, with_patience: bool):
        self.inbox: deque = deque()
        self.step_cost = self.first_cost = step_cost
        patience_s = [] if with_patience else None
        self.simulation = Noted(_Taken(self.inbox), scheduler, self, patience_s=patience_s)
        self.simulation.until_s = 0.0
        self.audited = self.simulation.audited
        self.is_paged = hasattr(scheduler.pool, "find")
        self.num_pages = scheduler.pool.num_pages
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

    def slow_down(self, now_s: float, factor: float) -> None:
        """From now on steps cost ``factor`` times what they cost at first."""
        self.run_until(now_s)
        costs = {name: getattr(self.first_cost, name) * factor for name in COSTS}
        self.step_cost = StepCost(**costs)

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

    def busy_s(self, now_s: float, since_s: float) -> float:
        """Seconds since ``since_s`` in which it executed steps."""
        seconds = 0.0
        for begin_s, end_s in reversed(self.simulation.spans):
            if end_s <= since_s:
                break
            seconds += min(end_s, now_s) - max(begin_s, since_s)
        return seconds

    def lose(self, now_s: float) -> list[Life]:
        """It is gone: all that is in flight fails at the end of the step under way."""
        self.run_until(now_s)
        simulation = self.simulation
        simulation._welcome()
        simulation._settle()
        lost, now_s = list(self.audited.books.values()), simulation.now_s
        for life in lost:
            if life.runs:
                life.stays[-1][2] = now_s
            is_late = now_s >= life.due_s
            simulation._over(life, now_s, TIMED_OUT if is_late else FAILED)
            self.audited.finish(life.request)
        self.restart()
        return lost

    def restart(self) -> None:
        """It is empty, and begins anew without a cache."""
        old = self.audited.scheduler
        pool = type(old.pool)(*([self.num_pages, old.pool.page_tokens] if self.is_paged else ()))
        limits = {"token_budget": old.token_budget, "chunked": old.chunked}
        self.audited = Audited(type(old)(old.max_sequences, pool, **limits))
        self.simulation.audited = self.audited
        self.sent_pages.clear()
        self.report, self.sent_since = Report(num_pages=self.num_pages), 0
        self._step = (0, 0)

    def hand_over(self, request: Request, output_tokens: int, patience_s: float | None) -> None:
        """One more request. If it is refused it is over before it comes."""
        try:
            self.audited.pool.refuse_too_long(request)
        except RequestTooLong:
            self.simulation.over_s[request.id] = -math.inf
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
