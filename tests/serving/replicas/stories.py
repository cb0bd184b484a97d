"""The simulator's random stories, told to several replicas behind each of our routers in turn."""

from typing import NamedTuple

import numpy as np

from labutils.engine import Request
from labutils.serving.replicas import (
    Crashes,
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
    Scaling,
    Slows,
    TwoChoices,
    WeightedScores,
    serve_replicas,
)
from labutils.serving.replicas.changes import loses
from labutils.serving.replicas.plain.plain_routers import plain_router
from labutils.serving.replicas.plain.sending import serve_plainly
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
        options, replicas = told.options | {"seed": seed}, 1 + seed % 4
        if seed % 2 and len(told.source):
            waits_s = np.broadcast_to(patience(seed, told), len(told.source))
            options["patience_s"] = waits_s.tolist()
            if seed % 3 == 0:
                wait_s = (0.001, 0.05, 0.3)[seed // 3 % 3]
                options["retries"] = Retries(1 + seed % 4, wait_s, 1.0 + seed % 2)
        if seed % 5 < 2 and len(told.source):
            replicas += 1
            options["changes"] = _changes(np.random.default_rng([seed, 2]), told, replicas)
            if any(map(loses, options["changes"])):
                options.setdefault("retries", Retries(1 + seed % 3, 0.01, 1.5))
        elif seed % 5 < 4 and len(told.source):
            replicas += 2
            options["scaling"] = _scaling(np.random.default_rng([seed, 3]), told, replicas)
        return cls(told, replicas, ROUTERS[seed % len(ROUTERS)], options)

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

    def what_was_seen(self) -> list:
        """All pools that the autoscaler was shown, if there is one; it forgets them."""
        if "scaling" not in self.options:
            return []
        whim = self.options["scaling"].autoscaler
        seen, whim.seen = whim.seen, []
        return seen

    def part(self, run: ReplicasRun, replica: int) -> tuple:
        """What a replica was sent, with the options of a simulation of that alone."""
        rows, source, options = run.rows_of(replica), self.story.source, dict(self.options)
        origin, arrival_s = run.attempts["origin"][rows], run.requests["arrival_s"][rows]
        for name in {"seed", "retries", "changes", "scaling"} & options.keys():
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


class Whim:
    """An autoscaler that likes about as many requests at each, and notes all that it saw.

    Whatever it is shown changes its mind, and every other time it wants any number.
    """

    def __init__(self, likes: int, seed: int, most: int):
        self.likes, self.seed, self.most = likes, seed, most
        self.seen: list = []

    def replicas(self, pool) -> int:
        self.seen.append(pool)
        rng = np.random.default_rng([self.seed, len(self.seen)])
        if rng.random() < 0.5:
            return int(rng.integers(1, self.most + 1))
        load = sum(pool.in_flight) + sum(pool.waiting) + sum(pool.kv_use) + sum(pool.busy)
        return int(np.clip(load // self.likes, 1, self.most))


def _scaling(rng, told: Story, replicas: int) -> Scaling:
    """Decisions in the course of the story, some of them together with an arrival."""
    arrival_s = _arrival_s(told)
    every_s = (arrival_s[-1] - arrival_s[0]) / rng.integers(5, 30) or 0.05
    if arrival_s[0] > 1_000:
        every_s = arrival_s[rng.integers(len(arrival_s))] / rng.integers(1, 9)
    boot_s = every_s * rng.choice([0.0, 0.3, 1.0])
    whim = Whim(int(rng.integers(1, 6)), int(rng.integers(99)), replicas)
    return Scaling(whim, float(every_s), float(boot_s), int(rng.integers(1, replicas + 1)))


def _arrival_s(told: Story) -> list:
    source = told.source
    return source.arrival_s if hasattr(source, "arrival_s") else [r.arrival_s for r in source]


def _changes(rng, told: Story, replicas: int) -> list:
    """Comings, goings and crashes, of all but the first replica, and slow ones."""
    arrival_s = _arrival_s(told)
    kinds = (
        lambda *one: Slows(*one, float(rng.choice([0.5, 1.0, 3.0]))),
        Joins,
        lambda *one: Leaves(*one, drained=bool(rng.random() < 0.7)),
        Crashes,
    )
    changes = []
    for _ in range(int(rng.integers(2, 11))):
        at_s = float(rng.choice(arrival_s)) + float(rng.choice([0.0, 0.0, 0.004, 0.1]))
        replica = int(rng.integers(replicas))
        changes.append(kinds[rng.integers(len(kinds) if replica else 1)](at_s, replica))
    return [*changes, Crashes(float(arrival_s[len(arrival_s) // 2]) + 0.004, 1)]


def _again(request: Request, row: int, arrival_s: float) -> Request:
    lengths = request.prompt_tokens, request.max_output_tokens
    return Request(int(row), *lengths, float(arrival_s), keys=request.keys)


def assert_same(one, other) -> None:
    """Two runs without times of tokens: the same, to the last bit."""
    assert one.times_s is other.times_s is None
    for run in (one, other):
        object.__setattr__(run, "times_s", np.zeros(0))
    assert_equal_runs(one, other)
