"""Drive a scheduler by a virtual clock.

Between two arrivals a scheduler often repeats itself: the same requests decode, and only their
contexts grow. Such steps are taken in one jump, whose length has a closed form. The clock counts
whole ticks, so a jump ends exactly where the single steps would.
"""

import math
from collections.abc import Callable

from labutils import arguments
from labutils.metrics import RequestStatus

from .account import Account
from .arrivals import arrivals_of
from .block_manager import OutOfBlocks
from .errors import BadPlan, RequestTooLong
from .ledger import Ledger
from .page_watch import PageWatch
from .plan import StepPlan, WaitUntil
from .recorder import Recorder
from .run import ServingRun
from .scheduler import Scheduler
from .step_cost import TICK_S, StepCost, moment_ticks


def simulate(
    source,
    scheduler: Scheduler,
    step_cost: StepCost,
    *,
    output_tokens=None,
    max_output_tokens: int | None = None,
    jumps: bool = True,
    progress: bool = False,
    until_s: float | None = None,
    watch: Callable[[float, StepPlan, int], None] | None = None,
) -> ServingRun:
    """Serve a trace, or requests in order of arrival, and return what happened.

    ``scheduler`` is a fresh one: a policy of this package, or any object with the four methods of
    ``Scheduler``. A trace brings the lengths of its answers, and each request asks for
    ``max_output_tokens`` (default: the longest answer of the trace). Requests ask for what they
    ask; ``output_tokens`` are the lengths that their answers get (default: all that they ask for).

    ``jumps=False`` walks step by step, to the same result. ``until_s`` breaks off before the first
    step that would begin at that time or later; requests that have not ended by then are recorded
    as cancelled, without a finish. ``watch(now_s, plan, steps)`` is called after each jump.

    Requests that a scheduler refuses with ``RequestTooLong`` are recorded as rejected. ``BadPlan``
    says what was wrong with a plan. Whatever error ends the run carries its records so far in
    ``error.run``.
    """
    arrivals, count = arrivals_of(source, output_tokens, max_output_tokens)
    until = None if until_s is None else moment_ticks(arguments.non_negative("until_s", until_s))
    with _progress_bar(count, shown=progress) as bar:
        simulation = Simulation(arrivals, scheduler, step_cost, jumps, until, watch, bar.update)
        return simulation.run()


class Simulation:
    """One run: the clock, what is still to come, and the books of who is here."""

    def __init__(self, arrivals, scheduler, step_cost, jumps, until, watch, on_end):
        self.scheduler, self.step_cost, self.jumps = scheduler, step_cost, jumps
        self.until, self.watch, self.on_end = until, watch, on_end
        self.now = 0  # ticks
        limits = (getattr(scheduler, name, None) for name in ("max_sequences", "token_budget"))
        self.ledger = Ledger(PageWatch(getattr(scheduler, "blocks", None)), *limits)
        self.recorder = Recorder()
        self._arrivals = iter(arrivals)
        self._num_arrived = 0
        self._await_next()

    def run(self) -> ServingRun:
        """Serve everybody, or until the time is up."""
        try:
            while self._go_on():
                pass
            self.ledger.pages.check_books()
        except OutOfBlocks as error:
            raise BadPlan(str(error), run=self._result()) from error
        except Exception as error:
            error.run = self._result()
            raise
        return self._result()

    def _go_on(self) -> bool:
        """One step, one jump or one pause; False when nothing is left to do."""
        if self._next_tick <= self.now:
            self._welcome()
        if self.until is not None and self.now >= self.until:
            return False
        answer = self.scheduler.schedule(self.now * TICK_S)
        if isinstance(answer, StepPlan):
            self._carry_out(answer)
            return True
        return self._pause(answer)

    def _welcome(self) -> None:
        """Hand over whoever has arrived by now."""
        while self._next_tick <= self.now:
            account = Account(self._num_arrived, *self._next)
            self._num_arrived += 1
            self.recorder.ids.append(account.id)
            if account.id in self.ledger.open:
                raise ValueError(f"id = {account.id!r}: expected another one for each request")
            try:
                self.scheduler.add(account.request)
                self.ledger.open[account.id] = account
            except RequestTooLong:
                self.recorder.request(account, None, RequestStatus.REJECTED)
                self.on_end(1)
            self._await_next()

    def _carry_out(self, plan: StepPlan) -> None:
        ledger, now = self.ledger, self.now
        shape = ledger.check(plan, now)
        first, growth = self.step_cost.ticks(shape)
        steps = self._num_steps(plan.repeat, first, growth)
        preempted = len(plan.preempted)
        self.recorder.step(now, first, growth, steps, shape, ledger, preempted)
        self.now = now + ticks_of(steps, first, growth)
        ended = ledger.carry_out(shape, steps, self.now)
        self.scheduler.commit(plan if plan.shape else plan._replace(shape=shape), steps)
        for account in ended:
            self._end(account)
        if self.watch is not None:
            self.watch(self.now * TICK_S, plan, steps)

    def _num_steps(self, repeat: int, first: int, growth: int) -> int:
        """How often a plan runs: until an answer ends or somebody arrives, if it may repeat."""
        if repeat == 1 or not self.jumps:
            return 1
        most = min(repeat, self.ledger.decoding.steps_to_limit)
        horizon = self._next_tick if self.until is None else min(self._next_tick, self.until)
        if horizon == math.inf:
            return most
        return steps_to_cover(horizon - self.now, first, growth, most)

    def _end(self, account: Account) -> None:
        self.ledger.close(account, self.now)
        self.recorder.request(account, self.now, RequestStatus.OK)
        self.scheduler.finish(account.id)
        self.ledger.pages.check_released(account.id, "has ended")
        self.on_end(1)

    def _pause(self, answer: WaitUntil | None) -> bool:
        """Let the clock run to the next arrival, or to the time that was asked for."""
        wake = self._wake_tick(answer)
        self.ledger.pages.check_unused(nobody_runs=not self.ledger.num_running)
        wake = min(wake, self._next_tick)
        if self.until is not None:
            wake = min(wake, self.until)
        if wake == math.inf and not self.ledger.open:
            return False
        if wake == math.inf or wake <= self.now:
            idle = next(iter(self.ledger.open), None)
            raise BadPlan(
                f"schedule returned {answer} at {self.now * TICK_S:.6g} s: expected a step, "
                f"or a later time; request {idle!r} waits"
            )
        self.now = wake
        return True

    def _wake_tick(self, answer) -> float:
        if answer is None:
            return math.inf
        if not isinstance(answer, WaitUntil) or not math.isfinite(answer.t_s):
            raise BadPlan(f"schedule returned {answer!r}: expected a StepPlan, WaitUntil or None")
        return moment_ticks(answer.t_s)

    def _await_next(self) -> None:
        self._next = next(self._arrivals, None)
        self._next_tick = math.inf if self._next is None else moment_ticks(self._next[0].arrival_s)

    def _result(self) -> ServingRun:
        for account in list(self.ledger.open.values()):
            self.ledger.break_off(account)
            self.recorder.request(account, None, RequestStatus.CANCELLED)
        return ServingRun(tuple(self.recorder.ids), *self.recorder.columns())


def ticks_of(steps: int, first: int, growth: int) -> int:
    """Ticks of ``steps`` steps: the first takes ``first``, each later one ``growth`` more."""
    return steps * first + growth * (steps * (steps - 1) // 2)


def steps_to_cover(gap: int, first: int, growth: int, most: int) -> int:
    """The fewest steps, up to ``most``, that take at least ``gap`` ticks."""
    if ticks_of(most, first, growth) < gap:
        return most
    # The positive root of growth/2·k² + (first - growth/2)·k = gap; rounding is put right after.
    b = 2 * first - growth
    guess = 2 * gap / (b / 2 + math.sqrt(b * b / 4 + 2 * growth * gap)) if gap > 0 else 1
    steps = min(max(math.ceil(guess), 1), most)
    while steps > 1 and ticks_of(steps - 1, first, growth) >= gap:
        steps -= 1
    while ticks_of(steps, first, growth) < gap:
        steps += 1
    return steps


def _progress_bar(total: int, *, shown: bool):
    from tqdm.auto import tqdm

    return tqdm(total=total, disable=not shown, unit="request", mininterval=0.2)
