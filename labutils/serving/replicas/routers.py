"""Routers of ours: which replica gets a request, by what a router knows.

It knows its own counts at once: whom it sent where, and who of these has ended. What replicas
report (requests waiting and running, pages in use) is up to ``report_every_s`` old; 0: never old.
Among equals the first one wins, counted from a replica at random.
"""

from dataclasses import dataclass

from labutils.ground import arguments


@dataclass(frozen=True)
class Random:
    """Any replica."""


@dataclass(frozen=True)
class RoundRobin:
    """One after the other."""


@dataclass(frozen=True)
class LeastInFlight:
    """The fewest requests in flight, by the router's own counts."""


@dataclass(frozen=True)
class LeastReported:
    """The fewest requests waiting and running, by reports alone."""

    report_every_s: float = 0.1

    def __post_init__(self):
        arguments.non_negative("report_every_s", self.report_every_s)


@dataclass(frozen=True)
class FourWaitingPlusRunning:
    """The least of 4 × waiting + running, as vLLM's data-parallel balancer has it.

    ``counts_own``: each request that was sent since the last report counts as a waiting one.
    """

    report_every_s: float = 0.1
    counts_own: bool = True

    def __post_init__(self):
        arguments.non_negative("report_every_s", self.report_every_s)


@dataclass(frozen=True)
class TwoChoices:
    """Of two replicas at random the one that has less to do (Mitzenmacher, 2001).

    By requests in flight; with ``report_every_s`` by reports of requests waiting and running.
    """

    report_every_s: float | None = None

    def __post_init__(self):
        if self.report_every_s is not None:
            arguments.non_negative("report_every_s", self.report_every_s)


@dataclass(frozen=True)
class PrefixBounded:
    """Where most of the prompt's leading pages were sent before, unless too much is in flight.

    A replica is left out that has ``bound`` times the mean number in flight, the new request
    counted and rounded up (Mirrokni et al., 2018). Of equals the one with the fewest in flight.
    The index is the router's own: it forgets nothing, and no replica tells it what was evicted.
    """

    bound: float = 1.25

    def __post_init__(self):
        if not self.bound >= 1:
            raise ValueError(f"bound = {self.bound}: expected a number of at least 1")


@dataclass(frozen=True)
class WeightedScores:
    """The largest weighted sum of three scores from 0 to 1, with llm-d's weights.

    The share of the prompt's pages that were sent there before; how short the reported queue is
    between the longest (0) and the shortest (1) of all; the reported share of pages that are free.
    """

    prefix: float = 2.0
    queue: float = 1.0
    kv: float = 1.0
    report_every_s: float = 0.05

    def __post_init__(self):
        for name in self.__dataclass_fields__:
            arguments.non_negative(name, getattr(self, name))
