"""One run of a pipeline: when each request came to each stage, started there, and was done."""

import math
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from labutils.ground.arguments import fraction, non_negative
from labutils.laws.queueing import Stage
from labutils.simulation.draws.draw_checks import arrivals_in_order
from labutils.simulation.pipeline.plan import in_a_row, stages_of
from labutils.simulation.queues.queue_run import fifo_queue

NEAR = 0.005  # "near p99" is from p98.5 to p99.5


@dataclass(frozen=True, eq=False)
class PipelineRun:
    """What became of each request, in order of arrival.

    ``ready_s``, ``start_s`` and ``done_s`` (requests × stages) are when it came to the stage's
    queue, when a server took it, and when it was served; ``service_s`` is how long that took, as
    drawn. Columns follow ``stages``.
    """

    plan: tuple
    arrival_s: np.ndarray
    ready_s: np.ndarray
    start_s: np.ndarray
    done_s: np.ndarray
    service_s: np.ndarray

    @property
    def stages(self) -> tuple[Stage, ...]:
        """The stages in the order of the columns."""
        return stages_of(self.plan)

    @property
    def waiting_time_s(self) -> np.ndarray:
        """Time in the queue of each stage, requests × stages."""
        return self.start_s - self.ready_s

    @cached_property
    def sojourn_time_s(self) -> np.ndarray:
        """From arrival to the end of the last stage, one for each request."""
        return self._end(self.plan) - self.arrival_s

    @cached_property
    def critical(self) -> np.ndarray:
        """Whether the result waited for this stage, requests × stages.

        Of parallel branches the one that ended last is critical, the first of several.
        """
        marks = np.zeros(self.done_s.shape, dtype=bool)
        self._mark(self.plan, np.ones(self.arrival_s.size, dtype=bool), marks)
        return marks

    @cached_property
    def critical_time_s(self) -> np.ndarray:
        """Waiting and service on the critical path; a request's row adds up to its sojourn time."""
        return np.where(self.critical, self.done_s - self.ready_s, 0.0)

    def shares(self, q: float | None = None) -> dict[str, float]:
        """Each stage's share of the time, by name; they add up to 1.

        Over all requests, or over those whose sojourn time is near the quantile ``q`` (half a
        percent of the requests on each side). A moment counts for the stage on the critical path.
        """
        times = self.critical_time_s[self.near(q) if q is not None else slice(None)]
        total = times.sum()
        parts = times.sum(axis=0) / total if total else times.sum(axis=0)
        return {stage.name: float(part) for stage, part in zip(self.stages, parts)}

    def near(self, q: float) -> np.ndarray:
        """The requests (row numbers) whose sojourn time lies near its quantile ``q``."""
        n, q = self.arrival_s.size, fraction("q", q)
        first = int(max(0.0, q - NEAR) * n)
        last = max(math.ceil(min(1.0, q + NEAR) * n), first + 1)
        return np.argpartition(self.sojourn_time_s, [first, last - 1])[first:last]

    def steady(self, warm_up: float = 0.1) -> "PipelineRun":
        """The run without its first requests, a share ``warm_up`` of all: it began empty."""
        if non_negative("warm_up", warm_up) >= 1:
            raise ValueError(f"warm_up = {warm_up!r}: expected a share below 1")
        rest = slice(int(warm_up * self.arrival_s.size), None)
        columns = ("arrival_s", "ready_s", "start_s", "done_s", "service_s")
        return replace(self, **{name: getattr(self, name)[rest] for name in columns})

    def _end(self, parts: tuple) -> np.ndarray:
        """When each request had been through a row of parts."""
        last = parts[-1]
        if isinstance(last, Stage):
            return self.done_s[:, self.stages.index(last)]
        return np.max([self._end(branch) for branch in last.branches], axis=0)

    def _mark(self, parts: tuple, is_critical: np.ndarray, marks: np.ndarray) -> None:
        for part in parts:
            if isinstance(part, Stage):
                marks[:, self.stages.index(part)] = is_critical
                continue
            last = np.argmax([self._end(branch) for branch in part.branches], axis=0)
            for number, branch in enumerate(part.branches):
                self._mark(branch, is_critical & (last == number), marks)


def run_pipeline(plan, arrival_s, service_s) -> PipelineRun:
    """Send requests through a pipeline, first come, first served at every stage.

    ``plan`` is a sequence of ``Stage`` and ``Parallel``, ``arrival_s`` ascends, and ``service_s``
    (requests × stages, see ``stage_services``) is how long each request is served. All visits to a
    stage are one stay there. A request joins a stage when the one before is done, so where several
    servers work it may overtake. Of those that come at one instant the earlier request is first.

    Work flows one way, so each stage is one compiled queue, one after the other.

    Raises ``ValueError`` naming the argument that is wrong.
    """
    parts, arrivals, services = checked(plan, arrival_s, service_s)
    stages = stages_of(parts)
    ready, start, done = np.empty((3, len(stages), arrivals.size))

    def walk(row: tuple, now: np.ndarray) -> np.ndarray:
        for part in row:
            if isinstance(part, Stage):
                i = stages.index(part)
                ready[i] = now
                start[i], done[i] = _serve(now, services[i], part.servers)
                now = done[i]
            else:
                now = np.max([walk(branch, now) for branch in part.branches], axis=0)
        return now

    walk(parts, arrivals)
    return PipelineRun(parts, arrivals, ready.T, start.T, done.T, services.T)


def checked(plan, arrival_s, service_s) -> tuple[tuple, np.ndarray, np.ndarray]:
    """The plan, the arrivals and the services (stages × requests), if a pipeline can run on them.

    Raises ``ValueError`` for a plan, arrivals or services that are not what ``run_pipeline`` takes.
    """
    parts, arrivals = in_a_row(plan), arrivals_in_order(arrival_s)
    services = np.asarray(service_s, dtype=float)
    wanted = (arrivals.size, len(stages_of(parts)))
    if services.shape != wanted:
        raise ValueError(f"service_s = shape {services.shape}: expected {wanted}")
    good = (services >= 0) & (services < np.inf)
    if not good.all():
        row, column = np.argwhere(~good)[0]
        raise ValueError(
            f"service_s[{row}, {column}] = {services[row, column]:.12g}: "
            "expected a finite number of at least 0"
        )
    return parts, arrivals, np.ascontiguousarray(services.T)


def _serve(ready_s, service_s, servers: int) -> tuple[np.ndarray, np.ndarray]:
    """Starts and departures at one stage, of requests that may come out of their order."""
    if (ready_s[1:] >= ready_s[:-1]).all():
        run = fifo_queue(ready_s, service_s, num_servers=servers)
        return run.start_s, run.departure_s
    order = np.argsort(ready_s, kind="stable")
    run = fifo_queue(ready_s[order], service_s[order], num_servers=servers)
    start, done = np.empty((2, ready_s.size))
    start[order], done[order] = run.start_s, run.departure_s
    return start, done
