"""How many replicas there are is decided in the course of a run, by anybody's autoscaler."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from labutils.ground import arguments


@dataclass(frozen=True)
class Scaling:
    """Every ``every_s`` the method ``autoscaler.replicas(pool)`` says how many replicas to have.

    ``first`` replicas are up at the beginning. A further one takes requests ``boot_s`` after it
    was ordered, with an empty cache. One too many gets no more requests, serves what it has, and
    is paid until it has drained. Those that are still booting are called off first.
    """

    autoscaler: object
    every_s: float = 30.0
    boot_s: float = 240.0
    first: int = 2

    def __post_init__(self):
        if not callable(getattr(self.autoscaler, "replicas", None)):
            raise ValueError(f"autoscaler = {self.autoscaler!r}: expected a method replicas(pool)")
        arguments.positive("every_s", self.every_s)
        arguments.non_negative("boot_s", self.boot_s)
        arguments.whole("first", self.first)


@dataclass(frozen=True, slots=True)
class Pool:
    """What an autoscaler may know at ``now_s``: in each list one number for each replica in ``up``.

    ``up`` are the numbers of the replicas that take requests, and ``booting`` says how many more
    are on their way. Requests ``in_flight`` are ``waiting``, without memory, or ``running``.
    ``kv_use`` is the share of pages in use. ``busy`` is the share of the time since the last
    decision in which the replica executed a step: a GPU's "activity". All of it is fresh.
    """

    now_s: float
    up: Sequence[int]
    booting: int
    in_flight: Sequence[int]
    waiting: Sequence[int]
    running: Sequence[int]
    kv_use: Sequence[float]
    busy: Sequence[float]


class Look(NamedTuple):
    """What a replica looks like, with the seconds in which it executed steps since some moment.

    Where nothing is in flight it has been free since ``free_s``.
    """

    busy_s: float
    free_s: float
    waiting: int
    running: int
    pages: int
    num_pages: int

    @property
    def in_flight(self) -> int:
        """Requests that were sent there and have not ended."""
        return self.waiting + self.running


DECISION = np.dtype([("at_s", float), ("wanted", int), ("up", int), ("booting", int)])
"""How many replicas were wanted, and how many were up and booting behind that decision."""


class Roster:
    """Which replicas are up, on their way or leaving, and for how long they are paid.

    ``fleet`` has ``looks(now_s, since_s)``, a ``Look`` at each replica, and ``restart(replica)``.
    """

    def __init__(self, scaling: Scaling, fleet, replicas: int):
        arguments.whole("first", scaling.first, at_most=replicas)
        self.scaling, self.fleet, self.replicas = scaling, fleet, replicas
        self.joined = list(range(scaling.first))  # in the order in which they joined
        self.booting: list[tuple[float, int]] = []  # when each will be ready, in that order
        self.left_s: dict[int, float] = {}  # of those that have not drained
        self.ordered_s = dict.fromkeys(self.joined, 0.0)
        self.paid_s, self.decisions = 0.0, []

    @property
    def up(self) -> list[int]:
        """The replicas that take requests."""
        return sorted(self.joined)

    @property
    def next_s(self) -> float:
        """When a replica is ready, or how many are wanted is asked again."""
        return min(self.booting[0][0] if self.booting else np.inf, self._decision_s)

    def go_on(self) -> None:
        """Let happen what happens next."""
        now_s, decision_s = self.next_s, self._decision_s
        while self.booting and self.booting[0][0] <= now_s:
            replica = self.booting.pop(0)[1]
            self.fleet.restart(replica)
            self.joined.append(replica)
        if now_s == decision_s:
            self._decide(now_s)

    def close(self, free_s: Sequence[float]) -> tuple[np.recarray, float]:
        """The decisions, and the seconds that are paid; each replica is free since ``free_s``."""
        end_s = max([*free_s, *(at_s for at_s, *_ in self.decisions[-1:])])
        for replica, left_s in self.left_s.items():
            self._pay(replica, max(left_s, free_s[replica]))
        for replica in [*self.joined, *(replica for _, replica in self.booting)]:
            self._pay(replica, end_s)
        return np.array(self.decisions, dtype=DECISION).view(np.recarray), self.paid_s

    @property
    def _decision_s(self) -> float:
        return (len(self.decisions) + 1) * self.scaling.every_s

    def _decide(self, now_s: float) -> None:
        looks = self.fleet.looks(now_s, since_s=len(self.decisions) * self.scaling.every_s)
        for replica, left_s in list(self.left_s.items()):
            if not looks[replica].in_flight:
                self._pay(replica, max(left_s, looks[replica].free_s))
                del self.left_s[replica]
        wanted = self._ask(now_s, looks)
        more = wanted - len(self.joined) - len(self.booting)
        for replica in self._free()[: max(more, 0)]:
            self.ordered_s[replica] = now_s
            self.booting.append((now_s + self.scaling.boot_s, replica))
        for _ in range(-more):
            if self.booting:
                self._pay(self.booting.pop()[1], now_s)
            else:
                self.left_s[self.joined.pop()] = now_s
        self.decisions.append((now_s, wanted, len(self.joined), len(self.booting)))

    def _ask(self, now_s: float, looks: list[Look]) -> int:
        up, passed_s = self.up, now_s - len(self.decisions) * self.scaling.every_s
        seen = [looks[replica] for replica in up]
        pool = Pool(
            now_s, up, len(self.booting),
            in_flight=[one.in_flight for one in seen], waiting=[one.waiting for one in seen],
            running=[one.running for one in seen],
            kv_use=[one.pages / one.num_pages if one.num_pages else 0.0 for one in seen],
            busy=[one.busy_s / passed_s for one in seen],
        )  # fmt: skip
        wanted = self.scaling.autoscaler.replicas(pool)
        is_whole = isinstance(wanted, (int, np.integer)) and not isinstance(wanted, bool)
        if not (is_whole and 1 <= wanted <= self.replicas):
            expected = f"expected a whole number from 1 to {self.replicas}"
            raise ValueError(f"replicas(pool) returned {wanted!r}: {expected}")
        return int(wanted)

    def _free(self) -> list[int]:
        taken = {*self.joined, *self.left_s, *(replica for _, replica in self.booting)}
        return [replica for replica in range(self.replicas) if replica not in taken]

    def _pay(self, replica: int, until_s: float) -> None:
        self.paid_s += until_s - self.ordered_s[replica]


def paid_for(roster: Roster | None, free_s: Sequence[float]) -> tuple[np.recarray | None, float]:
    """The decisions and the seconds that are paid: for all from beginning to end without any."""
    return (None, len(free_s) * max(free_s)) if roster is None else roster.close(free_s)


def send_as_scaled(replicas, send, roster: Roster) -> None:
    """Send all requests with ``send()``, which stops where the roster may change."""
    while True:
        up = np.array(roster.up, dtype=np.int64)
        replicas.fleet = replicas.fleet._replace(up=up)
        replicas.clock.tick_s = roster.next_s
        send()
        if replicas.all_sent:
            return
        roster.go_on()
