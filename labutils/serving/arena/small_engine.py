"""The arena on a real engine: the course's own, at an eighth of the arena's size."""

from collections.abc import Mapping
from functools import partial
from typing import NamedTuple

import numpy as np

from labutils.engine import Engine, PagePool, RequestTooLong, Scheduler
from labutils.ground import arguments
from labutils.metrics import RequestLog
from labutils.serving.scheduling.refused import Refused
from labutils.serving.trials.calibration import Calibration, fitted
from labutils.serving.trials.clock import one_core
from labutils.serving.trials.records import StepLog
from labutils.serving.trials.replay import replay
from labutils.serving.trials.stepped_load import SteppedLoad
from labutils.serving.trials.trial_bench import TrialBench, trial_model

from .match import Policy, Score, Server, play, refereed
from .referee import Auditor, Referee, SealedLength
from .scale import SIZE, scaled
from .workload import Workload

LEAST_PASSES = 3
LONGEST_PROMPT, LONGEST_ANSWER, LEVELS = 600, 24, (2, 8, 12)
"""Of the load that the step cost is fitted on: tokens, and requests that are open."""


class EngineRun(NamedTuple):
    """What an engine did, in the words of a simulated run."""

    log: RequestLog
    ids: range
    steps: int


class SmallEngine:
    """A course's engine with a small model, on a clock that withstands a busy machine.

    An eighth of the places, of the memory, of the budget, and of all lengths. ``calibration`` is
    its step cost, fitted for ``seconds`` while requests are served first come, first served;
    ``server`` is what a policy is told of it, and what the simulator knows.

    Time is that of a ``TrialClock``: processor time by a yardstick, pauses skipped. What a policy
    computes counts, as it does in any engine whose scheduler and steps take turns.
    """

    def __init__(self, *, seconds: float = 3.0, model=None):
        arguments.positive("seconds", seconds)
        self.model = trial_model() if model is None else model
        self.bench = TrialBench(self._first_come)
        self.bench.load = SteppedLoad.of(
            self.bench.engine, shortest_prompt=4, longest_prompt=LONGEST_PROMPT,
            longest_answer=LONGEST_ANSWER, levels=LEVELS,
        )  # fmt: skip
        with one_core():
            self.calibration = self._calibrated(seconds)
        self.server = Server(step_cost=self.calibration.cost, **SIZE)

    def scaled(self, workloads: Mapping[str, Workload]) -> dict[str, Workload]:
        """The arena's workloads on this engine's scale; from now on its ``server`` has the scale.

        Lengths are an eighth. All times shrink alike, so that the engine has as much to do as the
        arena's server would (``scale.py``).
        """
        self.server, small = scaled(workloads, self.server)
        return small

    def play(self, name: str, policy: Policy, workload: Workload, *, limit_s: float = 60) -> Score:
        """Run one match on the engine, behind the same referee as in the simulator."""
        serve = partial(self._serve, workload)
        return refereed(name, policy, workload, serve, server=self.server, limit_s=limit_s)

    def simulated(
        self, name: str, policy: Policy, workload: Workload, *, limit_s: float = 60
    ) -> Score:
        """Run the same match in the simulator, which knows the engine by its step cost alone."""
        return play(name, policy, workload, limit_s=limit_s, server=self.server)

    def _serve(self, workload: Workload, referee: Referee) -> EngineRun:
        with one_core():
            self.bench.set_clock(float(np.median(self.calibration.totals_s)))
            auditor = Auditor(referee, self.server)
            engine = RefereedEngine(self.model, auditor, clock=self.bench.clock)
            engine.on_step = log = StepLog(also=lambda *_: self.bench.clock.tick())
            output_tokens = workload.output_tokens
            seen = replay(engine, workload.requests, output_tokens=output_tokens)
        return EngineRun(seen, range(len(workload.requests)), len(log))

    def _first_come(self, clock) -> Engine:
        places, budget = SIZE["max_sequences"], SIZE["token_budget"]
        pool = PagePool(SIZE["num_pages"])
        scheduler = Scheduler(places, pool, token_budget=budget, chunked=True)
        return Engine(self.model, scheduler, prefix_sharing=False, clock=clock)

    def _calibrated(self, seconds: float) -> Calibration:
        bench = self.bench
        bench.warm_up()
        passes, until_s = [], bench.clock() + seconds
        while len(passes) < LEAST_PASSES or bench.clock() < until_s:
            passes.append(bench.pass_s())
        return fitted(bench.load.shapes, np.array(passes))


class RefereedEngine(Engine):
    """An engine whose scheduler stands behind a referee, and learns no length of an answer."""

    def __init__(self, model, auditor: Auditor, *, clock):
        super().__init__(model, auditor, prefix_sharing=False, clock=clock)
        self.referee = auditor.scheduler

    def add_request(self, prompt, *, stop, **options):
        """As in any engine; but whatever the policy raises is its own fault, unless it refuses."""
        id = super().add_request(prompt, stop=SealedLength(stop, self.referee), **options)
        error = self.requests[id].error
        if error is not None and not isinstance(error, (Refused, RequestTooLong)):
            raise error
        return id
