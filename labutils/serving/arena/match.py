"""One policy on one workload: what it kept, for whom, or where it was sent off."""

import copy
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np

from labutils.engine import PagePool, Scheduler
from labutils.ground import arguments
from labutils.ground.alarm import TimeUp, may_use_alarm, under_alarm
from labutils.ground.stopwatch import Stopwatch
from labutils.metrics.latency import percentile
from labutils.serving.promises import Kept, Promises
from labutils.serving.runs.step_cost import StepCost
from labutils.serving.simulator import simulate
from labutils.serving.simulator.choice import WORTH_IT, reason_against
from labutils.serving.simulator.plain import Simulation

from .referee import Auditor, Referee, SealedRequest
from .workload import Workload

COST = StepCost(0.006, 60e-6, 3.4e-9, 30e-6, 65e-9)
"""A step of the arena's server: 6 ms, 60 µs a prompt token, 65 ns a token of context, …"""


@dataclass(frozen=True, kw_only=True)
class Server:
    """What serves: its places, its memory in pages of 16 tokens, its budget, how long it takes.

    ``second_s`` is what a second of the arena lasts here, in seconds: less than 1 on the small
    engine, whose days are shorter. Whoever waits ten seconds waits ``10 * second_s``.
    """

    step_cost: StepCost = COST
    max_sequences: int = 64
    num_pages: int = 4_000
    token_budget: int = 2_048
    second_s: float = 1.0

    def setting(self, promises: Promises) -> "Setting":
        """What a policy is told that is to serve here: a copy of its own."""
        return Setting(promises=promises, **copy.deepcopy(vars(self)))


@dataclass(frozen=True, kw_only=True)
class Setting(Server):
    """All that a policy may know before it starts: the server and the tenants.

    In a match ``promises`` fill up: what was promised to a request is known when it comes.
    """

    promises: Promises

    def server(self) -> tuple[int, PagePool]:
        """Places and a fresh memory, the first two arguments of a ``Scheduler``."""
        return self.max_sequences, PagePool(self.num_pages)

    @property
    def options(self) -> dict:
        """The other arguments of a chunked ``Scheduler``."""
        return {"token_budget": self.token_budget, "chunked": True}


FAIRNESS = (
    "fairness: Jain's index over the shares that the tenants keep; 1 if all keep the same, 1/n if "
    "one of n keeps everything"
)
"""Printed below each table that has such a column."""

Policy = Callable[[Setting], object]
"""Makes a fresh scheduler for a setting."""


@dataclass(frozen=True)
class Score:
    """``kept`` of all requests kept all their promises; ``goodput_per_s`` counts them by time.

    ``fairness`` is Jain's index over the tenants' kept shares, ``worst_tenant`` the lowest of them,
    ``worst_wait_s`` the longest TTFT of an answer, ``p90_wait_s`` the one that a tenth exceeds. A
    policy that was ``sent_off`` has none of them.
    """

    policy: str
    workload: str
    kept: float = float("nan")
    goodput_per_s: float = float("nan")
    fairness: float = float("nan")
    worst_tenant: float = float("nan")
    worst_wait_s: float = float("nan")
    refused: int = 0
    steps: int = 0
    sent_off: str = ""
    p90_wait_s: float = float("nan")

    @property
    def order(self) -> tuple[float, float, float]:
        """Smaller is better: what is kept decides, then the worst tenant, then the worst wait."""
        return -self.kept, -self.worst_tenant, self.worst_wait_s


def play(
    name: str, policy: Policy, workload: Workload, *,
    limit_s: float = 60.0, server: Server = Server(),
) -> Score:  # fmt: skip
    """Run one match in the simulator.

    Whatever the policy does wrong ends it alone: ``sent_off`` has the step.
    """

    def simulated(referee: Referee):
        if _is_plain(referee.scheduler, workload, server):
            scheduler, answers = referee.scheduler, workload.output_tokens
            return simulate(
                workload.requests, scheduler, server.step_cost, output_tokens=answers, compiled=True
            )
        arrivals = _sealed(workload, referee)
        return Simulation(arrivals, Auditor(referee, server), server.step_cost).run()

    return refereed(name, policy, workload, simulated, server=server, limit_s=limit_s)


def refereed(
    name: str, policy: Policy, workload: Workload, serve: Callable[[Referee], object], *,
    server: Server, limit_s: float,
) -> Score:  # fmt: skip
    """The score of what ``serve`` does with the policy behind a referee, or why it was sent off.

    Nothing that the policy raises comes through, ``SystemExit`` and a ``KeyboardInterrupt`` of its
    own included; that of somebody at the keyboard does.
    """
    referee = Referee(workload.promises, Stopwatch(arguments.positive("limit_s", limit_s)))

    def match():
        referee.scheduler = policy(server.setting(referee.told))
        run = serve(referee)
        referee.check_arrivals(referee.ended_s)
        return run

    with keyboard() as pressed:
        try:
            run, why = _in_time(lambda: _tried(match, pressed), referee.watch)
        except TimeUp:
            run, why = None, _told(referee.too_long())
    if why:
        why = f"step {referee.step}: {why}"
        return Score(name, workload.name, steps=referee.step, sent_off=why)
    return _score(name, workload, run)


def _in_time(call: Callable, watch: Stopwatch):
    """The result of ``call()``; ``TimeUp`` if it takes too long where an alarm may be used."""
    return under_alarm(call, watch) if may_use_alarm() else call()


def _tried(match: Callable, pressed: list) -> tuple[object, str]:
    """What a match returns, or in words why it ended early."""
    try:
        return match(), ""
    except TimeUp:
        raise
    except BaseException as error:
        if pressed:
            raise
        return None, _told(error)


def _told(error: BaseException) -> str:
    """Type and text of an error; some have no text."""
    try:
        return f"{type(error).__name__}: {error}"
    except TimeUp:
        raise
    except BaseException:
        return f"{type(error).__name__}, whose text cannot be read"


@contextmanager
def keyboard() -> Iterator[list]:
    """A list that is not empty once somebody has interrupted the block by Ctrl-C."""
    pressed: list = []
    before = signal.getsignal(signal.SIGINT)

    def interrupt(signum, frame):
        pressed.append(signum)
        before(signum, frame)

    if not (callable(before) and threading.current_thread() is threading.main_thread()):
        yield pressed
        return
    signal.signal(signal.SIGINT, interrupt)
    try:
        yield pressed
    finally:
        signal.signal(signal.SIGINT, before)


def _is_plain(scheduler, workload: Workload, server: Server) -> bool:
    """Whether it is the course's own scheduler, untouched, and many requests come.

    Then a compiled twin does the same in a hundredth of the time, and there is nothing to referee.
    """
    if len(workload.requests) < WORTH_IT or reason_against(scheduler, server.step_cost, None):
        return False
    setting = server.setting(Promises())
    usual = Scheduler(*setting.server(), **setting.options)
    return vars(scheduler).keys() == vars(usual).keys() and _size(scheduler) == _size(usual)


def _size(scheduler: Scheduler) -> tuple:
    pool = scheduler.pool
    return scheduler.max_sequences, scheduler.token_budget, type(pool), pool.num_pages


def jain(shares) -> float:
    """Jain's index (1984), (Σx)² / (n Σx²): 1 where all get the same, 1/n where one gets all."""
    shares = np.asarray(shares, dtype=float)
    squares = (shares**2).sum()
    return float(shares.sum() ** 2 / (shares.size * squares)) if squares else float("nan")


def _sealed(workload: Workload, referee: Referee) -> Iterator[tuple[SealedRequest, int]]:
    for request, tokens in zip(workload.requests, workload.output_tokens, strict=True):
        yield SealedRequest(request, referee), tokens


def _score(name: str, workload: Workload, run) -> Score:
    kept = Kept.of(run, workload.promises)
    tenants = workload.promises.column("tenant", run.ids)
    shares = [kept.all[tenants == one].mean() for one in np.unique(tenants)]
    end_s = np.nanmax(run.log.finish_s, initial=workload.requests[-1].arrival_s)
    return Score(
        name, workload.name, kept.share, float(kept.all.sum() / end_s), jain(shares),
        float(min(shares)), float(np.nanmax(run.log.ttft_s, initial=0.0)),
        int(kept.refused.sum()), run.steps, p90_wait_s=_p90(run.log.ttft_s),
    )  # fmt: skip


def _p90(waits) -> float:
    known = waits[~np.isnan(waits)]
    return percentile(known, 0.9) if known.size else float("nan")
