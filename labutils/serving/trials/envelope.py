"""The envelope: what the simulator says before the engine runs, against what the engine then does.

Both serve the same requests: same arrivals, same lengths, the same scheduler. The simulator knows
the engine by its ``StepCost`` alone, fitted on other requests. In a notebook:

    sealed = seal(engines_of(mine))           # mine: labutils.engine, or my_engine()
    print(sealed.digest)                      # predictions stand; nothing has been served yet
    measured = sealed.run()                   # the loads, with calibration passes in between
    reveal = sealed.open(measured)
    print(reveal.verdict(), *reveal.lines(), sep="\\n")
    show(envelope_figure(reveal, guesses))    # guesses: {(0.7, "ttft_p99_s"): seconds, …}

Graded are TTFT and TPOT, p50 and p99, below capacity, and the growth of the backlog above it. To
make a guess from, there are ``sealed.capacity_per_s`` and ``sealed.calibration``. On a slow machine
fewer and smaller pieces are run, so that it all takes about a minute (``sealed.plan`` says which);
``TrialPlan(requests=20, pieces=2, passes=3)`` takes a second or two, and grades no percentile.

Time is that of a ``TrialClock``: processor time by a yardstick, without pauses. So what other
programs take does not count, and no run waits for an arrival.
"""

import hashlib
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import astuple, dataclass, replace
from statistics import median

from labutils.ground import arguments
from labutils.metrics import RequestLog
from labutils.workload import RequestTrace

from .calibration import Calibration, fitted
from .clock import one_core
from .load_figures import BACKLOG, LATENCIES, LEAST_REQUESTS, TAILS, LoadFigures
from .reveal import Reveal, Row, Steadiness, band, spread
from .trial_bench import TrialBench, arriving, engines_of, some_lengths

BACKLOG_REQUESTS = 300
"""From so many at once the simulator says what the capacity is."""

__all__ = ["Measured", "Sealed", "TrialPlan", "engines_of", "seal"]


@dataclass(frozen=True, kw_only=True)
class TrialPlan:
    """How much is run: ``pieces`` of ``requests`` for each load, given as shares of capacity.

    ``passes`` of the calibrating load are run before the predictions, and one before each piece.
    All pieces together are to take ``at_most_s`` on the wall, and the passes half of that.
    """

    shares: tuple[float, ...] = (0.5, 0.7, 1.5)
    requests: int = 250
    pieces: int = 7
    passes: int = 20
    at_most_s: float = 40.0
    seed: int = 0

    def __post_init__(self):
        for share in self.shares:
            if arguments.positive("shares", share) == 1:
                raise ValueError("shares has 1: expected others; there no run repeats itself")
        for name, least in (("requests", 2), ("pieces", 1), ("passes", 2)):
            arguments.whole(name, getattr(self, name), at_least=least)
        arguments.positive("at_most_s", self.at_most_s)

    def fitting(self, round_s: float) -> "TrialPlan":
        """This plan, or less of it where a round, a piece of each load, takes ``round_s``.

        First pieces go down to ``LEAST_REQUESTS``, then there are fewer, an odd number, since the
        one in the middle counts. One that is still too long gets smaller, and is not graded.
        """
        if self.pieces * round_s <= self.at_most_s:
            return self
        requests = min(self.requests, LEAST_REQUESTS)
        rounds = self.at_most_s / (round_s * requests / self.requests)
        pieces = min(self.pieces, max(1, int(rounds)))
        return replace(
            self, pieces=pieces - (pieces % 2 == 0), requests=max(2, int(requests * min(1, rounds)))
        )

    def traces(self, capacity_per_s: float) -> dict[float, list[RequestTrace]]:
        """The pieces of each load, by share of capacity: different requests in every piece.

        All loads get the same draws, only faster: so a percentile rises with the load.
        """
        return {
            share: [
                arriving(self.requests, share * capacity_per_s, seed=(self.seed, piece))
                for piece in range(self.pieces)
            ]
            for share in self.shares
        }


@dataclass(frozen=True, eq=False)
class Measured:
    """What the engine did: figures of each piece by share of capacity, and the ``pass_s``."""

    figures: Mapping[float, list[LoadFigures]]
    pass_s: tuple[float, ...]


@dataclass(frozen=True, eq=False)
class Sealed:
    """Predictions by share of capacity, made before the engine ran; ``plan`` says of how much."""

    plan: TrialPlan
    bench: TrialBench
    calibration: Calibration
    capacity_per_s: float
    traces: Mapping[float, list[RequestTrace]]
    predicted: Mapping[float, list[LoadFigures]]

    @property
    def digest(self) -> str:
        """Eight letters that no other predictions have (the beginning of their SHA-256)."""
        numbers = [
            (share, *map(astuple, self.predicted[share])) for share in sorted(self.predicted)
        ]
        return hashlib.sha256(repr(numbers).encode()).hexdigest()[:8]

    @property
    def pass_s(self) -> float:
        """How long a calibrating pass takes."""
        return median(self.calibration.totals_s)

    @property
    def repeatability(self) -> float:
        """How far passes of the same steps differ, relative to the middle one."""
        return spread(self.calibration.totals_s)

    def run(self) -> Measured:
        """Serve every piece of every load, the loads in turn, a calibrating pass before each.

        On a machine that has become slower it ends early, at twice the plan's ``at_most_s``.
        """
        logs: dict[float, list[RequestLog]] = {share: [] for share in self.traces}
        pass_s: list[float] = []
        until_s = time.perf_counter() + 2 * self.plan.at_most_s
        with one_core():
            for piece, group in enumerate(zip(*self.traces.values())):
                if piece and time.perf_counter() > until_s:
                    break
                for share, trace in zip(self.traces, group):
                    pass_s.append(self.bench.set_clock(self.pass_s))
                    logs[share].append(self.bench.measure(trace, seed=piece))
        return Measured(_figures(self.traces, logs), tuple(pass_s))

    def open(self, measured: Measured) -> Reveal:
        """Put what was measured beside the predictions."""
        rows = [row for share in self.predicted for row in self._rows(share, measured)]
        steady = Steadiness(
            self.repeatability, spread(measured.pass_s), median(measured.pass_s) / self.pass_s - 1,
            self.bench.speed_range,
        )  # fmt: skip
        return Reveal(tuple(rows), steady)

    def _rows(self, share: float, measured: Measured) -> list[Row]:
        """Above capacity the growth of the backlog, below it latencies."""
        said, found = self.predicted[share], measured.figures[share]
        rows = []
        for name in (BACKLOG,) if share > 1 else LATENCIES:
            pieces = tuple((getattr(a, name), getattr(b, name)) for a, b in zip(said, found))
            row = Row(share, name, pieces, 0.0, _why_not(name, found))
            rows.append(replace(row, band=band(share, self.repeatability, row.ratios)))
        return rows


def seal(new_engine: Callable, plan: TrialPlan = TrialPlan()) -> Sealed:
    """Fit a step cost to the engine of ``new_engine(clock)``, and predict every load of ``plan``.

    Nothing of the loads is served. The capacity is the simulator's, too: answers a second while
    more requests wait than there are places.
    """
    bench = TrialBench(new_engine)
    with one_core():
        bench.warm_up()
        passes, step_s = bench.passes(plan.passes, at_most_s=plan.at_most_s / 2)
    calibration = fitted(bench.load.shapes, passes)
    capacity = bench.capacity_per_s(
        some_lengths(BACKLOG_REQUESTS, seed=plan.seed), calibration.cost
    )
    a_round = [pieces[0] for pieces in plan.traces(capacity).values()]
    steps = sum(bench.predict(trace, calibration.cost).steps for trace in a_round)
    plan = plan.fitting(step_s * (steps + len(a_round) * len(bench.load.shapes)))
    traces = plan.traces(capacity)
    logs = {
        share: [bench.predict(trace, calibration.cost).log for trace in pieces]
        for share, pieces in traces.items()
    }
    return Sealed(plan, bench, calibration, capacity, traces, _figures(traces, logs))


def _why_not(quantity: str, found: Sequence[LoadFigures]) -> str:
    """Why these pieces of a load cannot judge a quantity; empty if they can."""
    fewest = min(one.requests for one in found)
    if fewest < LEAST_REQUESTS:
        return f"{fewest} answers a piece, expected {LEAST_REQUESTS}"
    return "a single p99 has no spread" if quantity in TAILS and len(found) == 1 else ""


def _figures(traces: Mapping, logs: Mapping) -> dict[float, list[LoadFigures]]:
    return {
        share: [LoadFigures.of(log, trace.duration_s) for log, trace in zip(logs[share], pieces)]
        for share, pieces in traces.items()
    }
