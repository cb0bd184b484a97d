"""What happens to replicas in the course of a run.

A change takes hold before the requests of the same moment, and of the steps that begin then.
"""

from dataclasses import dataclass

import numpy as np

from labutils.ground import arguments
from labutils.serving.runs.step_cost import StepCost


@dataclass(frozen=True)
class Joins:
    """From ``at_s`` on the router may send to a replica. One that joins first is not up before."""

    at_s: float
    replica: int


@dataclass(frozen=True)
class Leaves:
    """From ``at_s`` on the router sends nothing more; what is in flight there is served.

    Not ``drained``: it is lost, as if the replica had crashed.
    """

    at_s: float
    replica: int
    drained: bool = True


@dataclass(frozen=True)
class Crashes:
    """A replica is gone, and all that is in flight there fails when the step under way ends.

    It counts until then, with the tokens that were sent. One that joins again has an empty cache.
    """

    at_s: float
    replica: int


@dataclass(frozen=True)
class Slows:
    """From ``at_s`` on each step takes ``factor`` times its first cost (1: as at first)."""

    at_s: float
    replica: int
    factor: float


def loses(change) -> bool:
    """Whether what is in flight at the replica is lost."""
    return isinstance(change, Crashes) or (isinstance(change, Leaves) and not change.drained)


def in_order(changes, replicas: int) -> list:
    """The changes, checked, in order of time."""
    for row, change in enumerate(changes):
        if not isinstance(change, (Joins, Leaves, Crashes, Slows)):
            expected = "expected Joins, Leaves, Crashes or Slows"
            raise ValueError(f"changes[{row}] = {change!r}: {expected}")
        arguments.non_negative("at_s", change.at_s)
        if not 0 <= change.replica < replicas:
            expected = f"expected a replica from 0 to {replicas - 1}"
            raise ValueError(f"replica = {change.replica} of {change}: {expected}")
        if isinstance(change, Slows):
            arguments.positive("factor", change.factor)
    return sorted(changes, key=lambda change: change.at_s)


def up_at_first(changes: list, replicas: int) -> list[int]:
    """Replicas whose first coming or going is not that they join."""
    first = {}
    for change in changes:
        if not isinstance(change, Slows):
            first.setdefault(change.replica, change)
    up = [at for at in range(replicas) if not isinstance(first.get(at), Joins)]
    if not up:
        raise ValueError("changes: expected a replica that is up at first, not only ones that join")
    return up


def up_after(change, up: list[int]) -> list[int]:
    """The replicas that are up once a change has taken hold; ``ValueError`` if none is left."""
    if isinstance(change, Joins):
        return sorted({*up, change.replica})
    if isinstance(change, (Leaves, Crashes)):
        up = [at for at in up if at != change.replica]
    if not up:
        raise ValueError(f"{change}: expected a replica that stays up")
    return up


COSTS = tuple(StepCost.__dataclass_fields__)


def send_through(replicas, send, changes: list) -> None:
    """Send all requests with ``send()``, which stops at each change."""
    first = replicas.fleet.rules.copy()
    up = up_at_first(changes, len(first))
    for change in changes:
        replicas.fleet = replicas.fleet._replace(up=np.array(up, dtype=np.int64))
        replicas.clock.tick_s = change.at_s
        send()
        up = up_after(change, up)
        if loses(change):
            replicas.lose(change.replica, change.at_s)
        if isinstance(change, Slows):
            replicas.run_until(change.at_s)
            for name in COSTS:
                replicas.fleet.rules[name][change.replica] = (
                    first[name][change.replica] * change.factor
                )
    replicas.fleet = replicas.fleet._replace(up=np.array(up, dtype=np.int64))
    replicas.clock.tick_s = np.inf
    send()
