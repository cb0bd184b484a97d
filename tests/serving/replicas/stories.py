"""The simulator's random stories, told to several replicas behind each of our routers in turn."""

from typing import NamedTuple

import numpy as np

from labutils.serving.replicas import (
    FourWaitingPlusRunning,
    LeastInFlight,
    LeastReported,
    PrefixBounded,
    Random,
    ReplicasRun,
    RoundRobin,
    TwoChoices,
    WeightedScores,
    serve_replicas,
)
from labutils.serving.replicas.plain import serve_plainly
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
    """A story, for so many replicas behind a router; half of them with clients that give up."""

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

    def part(self, rows) -> tuple:
        """The requests in ``rows``, and the options for these."""
        source, options = self.story.source, dict(self.options)
        del options["seed"]
        for name in {"output_tokens", "patience_s"} & options.keys():
            options[name] = [options[name][row] for row in rows]
        if not hasattr(source, "prompt_tokens"):
            return [source[row] for row in rows], options
        keys = source.prefix_keys
        keys = None if keys is None else tuple(keys[row] for row in rows)
        columns = (source.arrival_s, source.prompt_tokens, source.output_tokens)
        options.setdefault("max_output_tokens", int(np.max(source.output_tokens, initial=1)))
        part = RequestTrace(*(one[rows] for one in columns), keys, source.prefix_page_tokens)
        return part, options


def assert_same(one, other) -> None:
    """Two runs without times of tokens: the same, to the last bit."""
    assert one.times_s is other.times_s is None
    for run in (one, other):
        object.__setattr__(run, "times_s", np.zeros(0))
    assert_equal_runs(one, other)
