"""The simulator's random stories, told to several replicas behind each of our routers in turn."""

from typing import NamedTuple

import numpy as np

from labutils.engine import Request
from labutils.serving.replicas import (
    FourWaitingPlusRunning,
    Joins,
    LeastInFlight,
    LeastReported,
    Leaves,
    PrefixBounded,
    Random,
    ReplicasRun,
    Retries,
    RoundRobin,
    Slows,
    TwoChoices,
    WeightedScores,
    serve_replicas,
)
from labutils.serving.replicas.plain_replicas import serve_plainly
from labutils.serving.replicas.plain_routers import plain_router
from labutils.workload import RequestTrace
from tests.serving.simulator.stories import Story, assert_equal_runs, patience, story

ROUTERS = (
    Random(), RoundRobin(), LeastInFlight(), LeastReported(0.0), LeastReported(0.05),
    FourWaitingPlusRunning(), FourWaitingPlusRunning(0.02, counts_own=False), TwoChoices(),
    TwoChoices(0.1), PrefixBounded(), PrefixBounded(4.0), WeightedScores(),
    WeightedScores(1.0, 0.5, 3.0, 0.0),
)  # fmt: skip


class Told(NamedTuple):
    """A story, for so many replicas behind a router; in half of them clients give up.

    In some of these they try again.
    """

    story: Story
    replicas: int
    router: object
    options: dict

    @classmethod
    def of(cls, seed: int) -> "Told":
        told = story(seed)
        told.options.pop("until_s", None)
        options = told.options | {"seed": seed}
        if seed % 2 and len(told.source):
            waits_s = np.broadcast_to(patience(seed, told), len(told.source))
            options["patience_s"] = waits_s.tolist()
            if seed % 3 == 0:
                wait_s = (0.001, 0.05, 0.3)[seed // 3 % 3]
                options["retries"] = Retries(1 + seed % 4, wait_s, 1.0 + seed % 2)
        if seed % 5 < 2 and len(told.source):
            options["changes"] = _changes(np.random.default_rng([seed, 2]), told, 1 + seed % 4)
        return cls(told, 1 + seed % 4, ROUTERS[seed % len(ROUTERS)], options)

    def schedulers(self) -> list:
        return [self.story.scheduler() for _ in range(self.replicas)]

    def compiled(self, router=None) -> ReplicasRun:
        router = self.router if router is None else router
        told = self.story
        return serve_replicas(told.source, self.schedulers(), told.cost, router, **self.options)

    def plain(self) -> ReplicasRun:
        choose, every_s = plain_router(self.router)
        costs = [self.story.cost] * self.replicas
        return serve_plainly(
            self.story.source, self.schedulers(), costs, choose, report_every_s=every_s,
            **self.options,
        )  # fmt: skip

    def part(self, run: ReplicasRun, replica: int) -> tuple:
        """What a replica was sent, with the options of a simulation of that alone."""
        rows, source, options = run.rows_of(replica), self.story.source, dict(self.options)
        origin, arrival_s = run.attempts["origin"][rows], run.requests["arrival_s"][rows]
        for name in {"seed", "retries", "changes"} & options.keys():
            del options[name]
        for name in {"output_tokens", "patience_s"} & options.keys():
            options[name] = [options[name][row] for row in origin]
        if not hasattr(source, "prompt_tokens"):
            return [
                _again(source[row], *new) for row, *new in zip(origin, rows, arrival_s)
            ], options
        keys = source.prefix_keys
        keys = None if keys is None else tuple(keys[row] for row in origin)
        columns = arrival_s, source.prompt_tokens[origin], source.output_tokens[origin]
        options.setdefault("max_output_tokens", int(np.max(source.output_tokens, initial=1)))
        return RequestTrace(*columns, keys, source.prefix_page_tokens), options


def _changes(rng, told: Story, replicas: int) -> list:
    """Comings and goings, of all but the first replica, and slow ones."""
    source = told.source
    arrival_s = (
        source.arrival_s if hasattr(source, "arrival_s") else [one.arrival_s for one in source]
    )
    kinds = (lambda *one: Slows(*one, float(rng.choice([0.5, 1.0, 3.0]))), Joins, Leaves)
    changes = []
    for _ in range(int(rng.integers(1, 6))):
        at_s = float(rng.choice(arrival_s)) + float(rng.choice([0.0, 0.0, 0.004, 0.1]))
        replica = int(rng.integers(replicas))
        changes.append(kinds[rng.integers(3 if replica else 1)](at_s, replica))
    return changes


def _again(request: Request, row: int, arrival_s: float) -> Request:
    lengths = request.prompt_tokens, request.max_output_tokens
    return Request(int(row), *lengths, float(arrival_s), keys=request.keys)


def assert_same(one, other) -> None:
    """Two runs without times of tokens: the same, to the last bit."""
    assert one.times_s is other.times_s is None
    for run in (one, other):
        object.__setattr__(run, "times_s", np.zeros(0))
    assert_equal_runs(one, other)
