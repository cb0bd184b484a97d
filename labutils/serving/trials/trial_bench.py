"""The engine, the simulator and the requests of an envelope, on one clock."""

import time
from collections import deque
from collections.abc import Callable
from statistics import median
from types import ModuleType

import numpy as np

from labutils import engine as course
from labutils.metrics import RequestLog
from labutils.serving.runs.run import ServingRun
from labutils.serving.simulator import StepCost, simulate
from labutils.workload import RequestTrace

from .clock import TrialClock
from .load_figures import capacity_per_s
from .records import StepLog
from .replay import replay
from .stepped_load import SteppedLoad

SEATS, TOKEN_BUDGET, NUM_PAGES = 8, 128, 400
PROMPTS, MEAN_ANSWER, LONGEST_ANSWER = (48, 80), 12, 32
"""Prompts of much the same length: a ``StepCost`` counts their tokens, and not how many they are.
"""

LEVELS = (1, 2, 4, SEATS, 2 * SEATS, 2 * SEATS)
"""Requests in the system during a calibrating pass; at last more than there are places."""

FEWEST_PASSES = 5
_WARM_PASSES = 3


def engines_of(room: ModuleType = course, model=None) -> Callable:
    """Makes fresh engines of ``room`` (default: the course's) for a trial: ``new_engine(clock)``.

    A small model by default: a step takes a millisecond, so a thousand requests take seconds.
    """
    model = trial_model() if model is None else model

    def new_engine(clock: Callable[[], float]):
        pool = room.PagePool(NUM_PAGES)
        scheduler = room.Scheduler(SEATS, pool, token_budget=TOKEN_BUDGET, chunked=True)
        return room.Engine(model, scheduler, prefix_sharing=False, clock=clock)

    return new_engine


def trial_model(**options):
    """Two layers, 64 wide, with random weights; ``options`` are those of ``LlamaModel``."""
    spec = course.small_spec(
        layers=2, hidden_size=64, num_heads=4, num_kv_heads=2, head_dim=16, ffn_size=128,
        vocab_size=256,
    )  # fmt: skip
    return course.LlamaModel(spec, **options)


class TrialBench:
    """Runs calibrating passes and loads on engines of ``new_engine(clock)``, on one clock.

    The yardstick is a step of another engine, after every step: whatever slows a step slows it by
    the same factor. (A pass of the model alone is slowed more than a step by a neighbour on the
    core, and repeats itself three times worse.)
    """

    def __init__(self, new_engine: Callable):
        self.new_engine, self.yardstick = new_engine, Yardstick(new_engine(time.perf_counter))
        on_cpu = self.yardstick.engine.device.type == "cpu"
        source = time.thread_time if on_cpu else time.perf_counter
        self.clock = TrialClock(self.yardstick, source=source)
        self.engine = self.fresh_engine()
        self._passes_s: deque[float] = deque(maxlen=3)
        self.load = SteppedLoad.of(
            self.engine, shortest_prompt=PROMPTS[0], longest_prompt=PROMPTS[1],
            longest_answer=2 * MEAN_ANSWER, levels=LEVELS,
        )  # fmt: skip

    def fresh_engine(self):
        """An engine that sets the clock after each step."""
        engine = self.new_engine(self.clock)
        engine.on_step = self._tick
        return engine

    def warm_up(self) -> None:
        """A few passes, after which the clock knows what is usual."""
        for _ in range(_WARM_PASSES):
            self.pass_s()
        self.clock.calibrate()

    def pass_s(self) -> np.ndarray:
        """A calibrating pass: seconds of each of its steps."""
        return self.load.run(self.engine)

    def passes(self, most: int, *, at_most_s: float) -> tuple[np.ndarray, float]:
        """``most`` passes, or as many as ``at_most_s`` on the wall allow, ``FEWEST_PASSES`` anyway.

        Returns the seconds of each step [passes, steps], and what a step takes on the wall: it is
        watched and the yardstick follows, and other programs take their share.
        """
        begin_s, found = time.perf_counter(), []
        while len(found) < most:
            found.append(self.pass_s())
            took_s = time.perf_counter() - begin_s
            if len(found) >= FEWEST_PASSES and took_s > at_most_s:
                break
        return np.array(found), took_s / len(found) / len(self.load.shapes)

    def set_clock(self, usual_s: float) -> float:
        """Run a pass, and scale the clock so that the median of the last passes takes ``usual_s``.

        Returns what this one would have taken on the clock of the beginning.
        """
        scale = self.clock.scale
        self._passes_s.append(float(self.pass_s().sum()) / scale)
        self.clock.scale = usual_s / median(self._passes_s)
        return self._passes_s[-1]

    def measure(self, trace: RequestTrace, *, seed: int) -> RequestLog:
        """What a fresh engine does with ``trace``, in an open loop.

        It is watched as in a calibrating pass, so that watching takes the same time in both.
        """
        engine = self.fresh_engine()
        engine.on_step = StepLog(also=engine.on_step)
        return replay(engine, trace, seed=seed)

    def predict(self, trace: RequestTrace, cost: StepCost) -> ServingRun:
        """What the simulator says of ``trace``, served by a fresh scheduler of the engine's."""
        return simulate(trace, InTheCourse(self.new_engine(self.clock).scheduler), cost)

    def capacity_per_s(self, lengths: RequestTrace, cost: StepCost) -> float:
        """Answers a second, says the simulator, while all of ``lengths`` wait from the start."""
        return capacity_per_s(self.predict(lengths, cost).log)

    @property
    def speed_range(self) -> float:
        """By which factor the slowest tenth of the yardsticks took longer than the fastest."""
        low, high = np.quantile(self.clock.yards_s, (0.1, 0.9))
        return float(high / low)

    def _tick(self, engine, plan) -> None:
        self.clock.tick()


class Yardstick:
    """The same step of an ``engine`` each time: a chunk, and two rows of one token."""

    PROMPTS = [0], [1], [2, 3, 4, 5, 6, 7]

    def __init__(self, engine):
        self.engine = engine

    def __call__(self) -> None:
        self.engine.generate(self.PROMPTS, max_output_tokens=1)
        self.engine.requests.clear()


class InTheCourse:
    """A scheduler of another package, whose plans the simulator takes for the course's."""

    def __init__(self, scheduler):
        self._scheduler = scheduler

    def __getattr__(self, name: str):
        return getattr(self._scheduler, name)

    def schedule(self, now_s: float):
        """The scheduler's own plan, as a ``labutils.engine.Plan``."""
        plan = self._scheduler.schedule(now_s)
        return course.Plan(*plan) if hasattr(plan, "chunks") else plan


def some_lengths(requests: int, *, seed) -> RequestTrace:
    """Prompts uniform, answers geometric and capped, all there at once."""
    draws = np.random.default_rng(seed)
    prompts = draws.integers(*PROMPTS, requests, endpoint=True)
    answers = np.minimum(1 + draws.geometric(1 / (MEAN_ANSWER - 1), requests), LONGEST_ANSWER)
    return RequestTrace(np.zeros(requests), prompts, answers)


def arriving(requests: int, rate_per_s: float, *, seed) -> RequestTrace:
    """Such requests at the times of a Poisson process, stretched to just this mean rate."""
    lengths, draws = some_lengths(requests, seed=seed), np.random.default_rng((*seed, 1))
    gaps = draws.exponential(size=requests)
    arrival_s = np.cumsum(gaps) - gaps[0]
    arrival_s *= (requests - 1) / (rate_per_s * arrival_s[-1])
    return RequestTrace(arrival_s, lengths.prompt_tokens, lengths.output_tokens)
