"""The same story, told slowly: as many plain simulations as replicas, run to each arrival in turn.

It shares no line with the compiled loop but the rules of a replica, and is what that is held to.
"""

import math
from collections import deque
from collections.abc import Sequence
from dataclasses import replace
from heapq import heappop, heappush
from typing import NamedTuple

import numpy as np

from labutils.engine import Request
from labutils.serving.replicas.changes import Slows, in_order, loses, up_after, up_at_first
from labutils.serving.replicas.replicas_run import ReplicasRun
from labutils.serving.replicas.retries import Retries
from labutils.serving.replicas.scaling import Look, Roster, Scaling, paid_for
from labutils.serving.runs.arrivals import arrivals_of

from .plain_replica import Replica


class Attempt(NamedTuple):
    """A request on its way: ``origin`` is its row among the requests, ``number`` counts from 1."""

    arrival_s: float
    origin: int
    number: int


class Sending:
    """What is sent when: fresh requests, and those whose clients gave up and try again."""

    def __init__(self, fresh, replicas: list[Replica], patience_s, retries: Retries, changes,
                 scaling: Scaling | None, report_every_s: float | None):  # fmt: skip
        self.fresh, self.replicas, self.retries = fresh, replicas, retries
        self.changes = deque(in_order(changes, len(replicas)))
        self.up = up_at_first(self.changes, len(replicas))
        self.roster = None
        if scaling is not None:
            self.roster = Roster(scaling, self, len(replicas))
            self.up = self.roster.up
        self.patience_s = patience_s
        self.report_every_s, self.reported_s = report_every_s, -math.inf
        self.attempts: list[Attempt] = []
        self.chosen: list[int] = []
        self._next_fresh = 0
        self._calls: list[tuple[float, int, bool]] = []  # a heap: when, which attempt, gives up

    def __iter__(self):
        """All attempts, in order of time; each is to be sent before the next one is asked for."""
        while True:
            next_s, call_s = math.inf, self._calls[0][0] if self._calls else math.inf
            if self._next_fresh < len(self.fresh):
                next_s = self.fresh[self._next_fresh][0].arrival_s
            if self._change(min(next_s, call_s)):
                continue
            if next_s == call_s == math.inf:
                return
            if call_s < next_s:
                at_s, row, gives_up = heappop(self._calls)
                if gives_up:
                    self._give_up(at_s, row)
                    continue
                last = self.attempts[row]
                yield Attempt(at_s, last.origin, last.number + 1)
            else:
                yield Attempt(next_s, self._next_fresh, 1)
                self._next_fresh += 1

    def send(self, attempt: Attempt, to: int) -> None:
        """Hand an attempt over to a replica."""
        row, patience_s = len(self.attempts), None
        if self.patience_s is not None:
            patience_s = self.patience_s[attempt.origin]
            due_s = attempt.arrival_s + patience_s
            if attempt.number < self.retries.most_attempts and due_s < math.inf:
                heappush(self._calls, (due_s, row, True))
        request, tokens = self.fresh[attempt.origin]
        lengths = request.prompt_tokens, request.max_output_tokens
        sent = Request(row, *lengths, attempt.arrival_s, keys=request.keys)
        self.attempts.append(attempt)
        self.chosen.append(to)
        self.replicas[to].hand_over(sent, tokens, patience_s)

    def report_by(self, now_s: float) -> None:
        """Let all report, if it is time; before anybody is run further than that."""
        every_s = self.report_every_s
        if every_s is None:
            return
        due_s = min(now_s, now_s // every_s * every_s) if every_s else now_s
        if every_s and due_s <= self.reported_s:
            return
        for replica in self.replicas:
            replica.tell(due_s)
        self.reported_s = due_s

    def looks(self, now_s: float, since_s: float) -> list[Look]:
        """What each replica looks like; who was busy counts ``since_s``."""
        self.report_by(now_s)
        return [
            Look(busy_s, one.simulation.now_s, *seen)
            for one in self.replicas
            for seen, busy_s in [(one.look(now_s), one.busy_s(now_s, since_s))]
        ]

    def restart(self, replica: int) -> None:
        """One that has drained begins anew."""
        self.replicas[replica].restart()

    def _change(self, now_s: float) -> bool:
        """Let the first thing happen to replicas that happens by now; whether there is one."""
        if self.roster is not None and self.roster.next_s <= now_s < math.inf:
            self.roster.go_on()
            self.up = self.roster.up
            return True
        if not self.changes or self.changes[0].at_s > now_s:
            return False
        change = self.changes.popleft()
        if isinstance(change, Slows) or loses(change):
            self.report_by(change.at_s)
        self.up = up_after(change, self.up)
        if isinstance(change, Slows):
            self.replicas[change.replica].slow_down(change.at_s, change.factor)
        if loses(change):
            self._lose(self.replicas[change.replica], change.at_s)
        return True

    def _give_up(self, now_s: float, row: int) -> None:
        """A client gives up, unless its answer has ended or its request was refused."""
        replica = self.replicas[self.chosen[row]]
        self.report_by(now_s)
        replica.run_until(now_s)
        if not replica.simulation.over_s.get(row, math.inf) <= now_s:
            self._try_again(now_s, row)

    def _lose(self, replica: Replica, now_s: float) -> None:
        """A replica is gone. Whoever has given up by the end of its last step is told by that."""
        for life in replica.lose(now_s):
            row, lost_s = life.request.id, replica.simulation.now_s
            if self.attempts[row].number < self.retries.most_attempts and lost_s <= life.due_s:
                self._try_again(lost_s, row)

    def _try_again(self, now_s: float, row: int) -> None:
        retries = self.retries
        wait_s = retries.wait_s * retries.factor ** (self.attempts[row].number - 1)
        heappush(self._calls, (now_s + wait_s, row, False))


def serve_plainly(
    source, schedulers: Sequence, step_costs: Sequence, choose, *, report_every_s: float | None,
    output_tokens=None, max_output_tokens=None, patience_s=None, retries: Retries | None = None,
    changes: Sequence = (), scaling: Scaling | None = None, seed: int = 0,
) -> ReplicasRun:  # fmt: skip
    """``serve_replicas``, where ``choose(request, replicas, now_s, row, draws)`` is the router.

    ``report_every_s`` is None where nobody reports.
    """
    paged, retries = hasattr(schedulers[0].pool, "find"), retries or Retries()
    page_tokens = schedulers[0].pool.page_tokens if paged else None
    fresh, n = arrivals_of(source, output_tokens, max_output_tokens, page_tokens=page_tokens)
    fresh = list(fresh)
    for request, _ in fresh:
        request.keys = request.keys[: request.prompt_tokens // page_tokens] if paged else ()
    replicas = [
        Replica(*both, with_patience=patience_s is not None)
        for both in zip(schedulers, step_costs, strict=True)
    ]
    sending = Sending(fresh, replicas, patience_s, retries, changes, scaling, report_every_s)
    draws = np.random.default_rng(seed).random((n * retries.most_attempts, 2)).tolist()
    for row, attempt in enumerate(sending):
        now_s, request = attempt.arrival_s, fresh[attempt.origin][0]
        sending.report_by(now_s)
        up = [replicas[at] for at in sending.up]
        sending.send(attempt, sending.up[choose(request, up, now_s, row, draws[row])])
    return _result(sending)


def _result(sending: Sending) -> ReplicasRun:
    """Let all replicas serve what they were given."""
    ids = [sending.fresh[one.origin][0].id for one in sending.attempts]
    chosen, runs = np.array(sending.chosen, dtype=np.int32), []
    for at, replica in enumerate(sending.replicas):
        replica.simulation.until_s = math.inf
        mine = [ids[row] for row in np.flatnonzero(chosen == at)]
        runs.append(replace(replica.simulation.run(), ids=mine))
    columns = np.array(
        [(one.origin, one.number) for one in sending.attempts],
        dtype=[("origin", np.int64), ("number", np.int32)],
    )
    paid = paid_for(sending.roster, [one.simulation.now_s for one in sending.replicas])
    return ReplicasRun(ids, chosen, tuple(runs), columns, *paid)
