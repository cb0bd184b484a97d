"""Drive a scheduler by a simulated clock, one step after the other: the specification.

Time is in seconds; the sum is compensated (Kahan, 1965), so that a million steps lose nothing.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from heapq import heappop, heappush

from labutils.engine import Plan, Request, RequestTooLong
from labutils.metrics import RequestStatus
from labutils.serving.runs.run import ServingRun
from labutils.serving.scheduling.audited import Audited
from labutils.serving.scheduling.batches import WaitUntil
from labutils.serving.scheduling.refused import Refused

from .recorder import NEVER, Life, Recorder


class Simulation:
    """One run: the clock, what is still to come, and the books of all that are open."""

    def __init__(
        self, arrivals: Iterator[tuple[Request, int]], scheduler, step_cost, *,
        token_times: bool = False, until_s: float = math.inf,
        patience_s: Sequence[float] | None = None,
        watch: Callable[[float, Plan], None] | None = None,
        on_end: Callable[[int], object] = lambda requests: None,
    ):  # fmt: skip
        self.audited = scheduler if isinstance(scheduler, Audited) else Audited(scheduler)
        self.step_cost = step_cost
        self.recorder, self.token_times = Recorder(token_times=token_times), token_times
        self.until_s = until_s
        self.watch, self.on_end = watch, on_end
        self.now_s = self._carry_s = 0.0
        self._token_s = NEVER  # when the last tokens came out
        self._group: list[Life] = []  # of whom nothing was written since, for _owed steps
        self._owed = self._sure = 0  # and who go on for _sure steps at least
        self.patience_s = patience_s  # of each request in order of arrival
        self._due: list[tuple[float, int, Life]] = []  # a heap: who gives up when
        self._due_s = math.inf  # the first time in it
        self._ids: set = set()
        self._refusals: dict = {}
        self._arrivals = arrivals
        self._await_next()

    def run(self) -> ServingRun:
        """Serve all requests, or until the time is up."""
        try:
            while self._go_on():
                pass
            self.audited.memory.check_books(self.audited.books)
        except Exception as error:
            error.run = self._result()
            raise
        return self._result()

    def _go_on(self) -> bool:
        """Run one step, or wait for the next arrival; ``False`` when no request is left."""
        if self._next_s <= self.now_s:
            self._welcome()
        if self._due_s <= self.now_s:
            self._leave()
        if self.now_s >= self.until_s:
            return False
        answer = self.audited.schedule(self.now_s)
        if hasattr(answer, "chunks"):
            self._carry_out(answer)
            return True
        return self._pause(answer)

    def _welcome(self) -> None:
        """Hand over the requests that have come by now."""
        while self._next_s <= self.now_s:
            request, output_tokens = self._next
            if request.id in self._ids:
                raise ValueError(f"id = {request.id!r}: expected another one for each request")
            row = len(self.recorder.ids)
            self._ids.add(request.id)
            self.recorder.ids.append(request.id)
            life = Life(request, row, output_tokens, token_times=self.token_times)
            try:
                self.audited.add(request, life)
                self.recorder.is_new = True
                if self.patience_s is not None:
                    self._wait_for(life, request.arrival_s + self.patience_s[row])
            except (RequestTooLong, Refused) as error:
                if isinstance(error, Refused):
                    self._refusals[request.id] = error
                self._over(life, NEVER, RequestStatus.REJECTED)
            self._await_next()

    def _wait_for(self, life: Life, due_s: float) -> None:
        """Its client waits until ``due_s``."""
        life.due_s = due_s
        heappush(self._due, (due_s, life.rank, life))
        self._due_s = self._due[0][0]

    def _leave(self) -> None:
        """Let the requests go whose patience is over, in order of arrival."""
        self._settle()
        over = []
        while self._due and self._due[0][0] <= self.now_s:
            over.append(heappop(self._due)[1:])
        self._due_s = self._due[0][0] if self._due else math.inf
        for _, life in sorted(over):
            if life.request in self.audited.books:
                if life.runs:
                    life.stays[-1][2] = self.now_s
                self._over(life, self.now_s, RequestStatus.TIMED_OUT)
                self.audited.finish(life.request)

    def _carry_out(self, plan: Plan) -> None:
        audited, recorder, begin_s = self.audited, self.recorder, self.now_s
        if not audited.repeats:
            self._settle()
            for life in audited.preempted:
                recorder.preempted(life, begin_s)
            for life in audited.started:
                recorder.started(life, begin_s)
        added_s = self.step_cost.time_s(audited.shape) - self._carry_s
        self.now_s = begin_s + added_s
        self._carry_s = (self.now_s - begin_s) - added_s
        recorder.step(begin_s, self.now_s, audited)
        ended = self._hand_out()
        audited.scheduler.commit(plan)
        for life in ended:
            life.stays[-1][2] = self.now_s
            in_time = self.now_s <= life.due_s
            self._over(life, self.now_s, RequestStatus.OK if in_time else RequestStatus.TIMED_OUT)
            audited.finish(life.request)
        if self.watch is not None:
            self.watch(self.now_s, plan)

    def _hand_out(self) -> list[Life]:
        """Note the tokens of the step; returns the requests whose answers end with them."""
        yields, before_s, now_s = self.audited.yields, self._token_s, self.now_s
        if self.token_times:
            for life in yields:
                life.times_s.append(now_s)
        if yields:
            self._token_s = now_s
        if self.audited.repeats and self._owed < self._sure:
            self._owed += 1
            self.recorder.gaps.add(now_s - before_s, len(yields))
            return []
        self._settle(before_s)
        same, ended = 0, []
        for life in yields:
            if life.token_s == before_s:
                same += 1  # the usual case: it got a token in the last step that brought any
            else:
                self._late_token(life)
            life.token_s = now_s
            life.left -= 1
            if not life.left:
                ended.append(life)
        if same:
            self.recorder.gaps.add(now_s - before_s, same)
        if not ended:
            self._group, self._sure = yields, min([life.left for life in yields], default=1) - 1
        return ended

    def _settle(self, token_s: float | None = None) -> None:
        """Write down the tokens that the group got since; the last at ``token_s``."""
        for life in self._group:
            life.left -= self._owed
            life.token_s = self._token_s if token_s is None else token_s
        self._group, self._owed, self._sure = [], 0, 0

    def _late_token(self, life: Life) -> None:
        """The first token of a stay, or the first one after a pause."""
        if life.token_s == life.token_s:  # a number
            self.recorder.gaps.add(self.now_s - life.token_s)
            return
        life.stays[-1][1] = self.now_s
        if life.first_s == life.first_s:
            self.recorder.gaps.add(self.now_s - life.before_s)
        else:
            life.first_s = self.now_s

    def _over(self, life: Life, now_s: float, status: RequestStatus) -> None:
        self.recorder.ended(life, now_s, status)
        self.on_end(1)

    def _pause(self, answer: WaitUntil | None) -> bool:
        """Let the clock run to the next arrival, or to the time that was asked for."""
        self.audited.check_idle()
        wake_s = math.inf if answer is None else answer.t_s
        wake_s = min(wake_s, self._next_s)
        if wake_s == math.inf and not self.audited.books:
            return False
        if not self.now_s < wake_s < math.inf:
            raise self.audited.stuck(self.now_s, answer)
        self.now_s, self._carry_s = min(wake_s, self._due_s, self.until_s), 0.0
        return True

    def _await_next(self) -> None:
        self._next = next(self._arrivals, None)
        self._next_s = math.inf if self._next is None else self._next[0].arrival_s

    def _result(self) -> ServingRun:
        self._settle()
        for life in self.audited.books.values():
            self.recorder.ended(life, NEVER, RequestStatus.CANCELLED)
        self.audited.books = {}
        columns = self.recorder.columns()
        return ServingRun(tuple(self.recorder.ids), **columns, refusals=self._refusals)
