"""What a fleet is given: requests with two demands and two servers each, and a rule."""

from dataclasses import dataclass
from numbers import Real

import numpy as np

from labutils.ground.arguments import non_negative, positive, whole
from labutils.simulation.draws.draw_checks import generator, how_many, ordered
from labutils.simulation.draws.variates import draw_unit

RULES = ("none", "finish", "start")


@dataclass(frozen=True, eq=False)
class FleetDraws:
    """The chances of each request: two demands in seconds and two different servers.

    Both arrays have shape (requests, 2); column 0 belongs to the first copy, column 1 to the
    copy that hedging may send.
    """

    service_s: np.ndarray
    servers: np.ndarray


def fleet_draws(
    n: int,
    num_servers: int,
    rng: np.random.Generator,
    *,
    mean_service_time: float,
    correlation: float = 0.0,
    kind: str = "exponential",
    scv: float | None = None,
) -> FleetDraws:
    """Draw demands and servers for ``n`` requests; every server is as likely as any other.

    With probability ``correlation`` the copy takes exactly as long as the first (the request
    itself is slow), otherwise its demand is drawn afresh (the server was slow). That makes
    ``correlation`` the correlation of the two demands. ``kind`` and ``scv`` are those of
    ``draw_unit``. The same ``rng`` state gives the same draws at every ``correlation``, up to
    the copies that are repeats.

    Raises ``ValueError`` naming the argument: one server alone cannot be hedged.
    """
    n, fleet = how_many(n), _fleet_size(num_servers)
    generator("rng", rng)
    share = non_negative("correlation", correlation)
    if share > 1:
        raise ValueError(f"correlation = {correlation!r}: expected a number from 0 to 1")
    unit = draw_unit(kind, 2 * n, rng, scv).reshape(n, 2)
    unit[:, 1] = np.where(rng.random(n) < share, unit[:, 0], unit[:, 1])
    first = rng.integers(fleet, size=n, dtype=np.int32)
    step = rng.integers(1, fleet, size=n, dtype=np.int32)
    servers = np.stack((first, (first + step) % fleet), axis=1)
    return FleetDraws(positive("mean_service_time", mean_service_time) * unit, servers)


@dataclass(frozen=True, eq=False)
class FleetPlan:
    """Checked input of a hedged fleet, as the kernel and its SimPy twin take it."""

    arrival_s: np.ndarray
    service_s: np.ndarray
    servers: np.ndarray
    num_servers: int
    trigger_s: float
    cancel: str
    cancel_from_s: float


def fleet_plan(
    arrival_s, draws: FleetDraws, num_servers, trigger_s, cancel, cancel_from_s
) -> FleetPlan:
    """Check the arguments of ``hedged_fleet``; raise ``ValueError`` for the first wrong one."""
    arrivals = np.require(ordered("arrival_s", arrival_s), requirements=("C", "W"))
    fleet = _fleet_size(num_servers)
    demand_s, homes = _checked(draws, arrivals.size, fleet)
    if cancel not in RULES:
        raise ValueError(f"cancel = {cancel!r}: expected one of {', '.join(RULES)}")
    trigger, since = _trigger(trigger_s), _moment("cancel_from_s", cancel_from_s)
    return FleetPlan(arrivals, demand_s, homes, fleet, trigger, cancel, since)


def _fleet_size(num_servers) -> int:
    fleet = whole("num_servers", num_servers)
    if fleet < 2:
        raise ValueError(
            f"num_servers = {num_servers!r}: expected at least 2, for a copy goes to a server "
            "other than the first"
        )
    return fleet


def _trigger(trigger_s) -> float:
    if isinstance(trigger_s, Real) and trigger_s == np.inf:
        return np.inf
    return non_negative("trigger_s", trigger_s)


def _moment(name, value) -> float:
    if isinstance(value, bool) or not isinstance(value, Real) or value != value:
        raise ValueError(f"{name} = {value!r}: expected a time in seconds, or ±inf")
    return float(value)


def _checked(draws, n: int, fleet: int) -> tuple[np.ndarray, np.ndarray]:
    """Demands and servers as contiguous arrays of shape (n, 2), if a fleet can run on them."""
    demand_s = np.require(draws.service_s, dtype=np.float64, requirements=("C", "W"))
    homes = np.asarray(draws.servers)
    if homes.dtype.kind not in "iu":
        raise ValueError(f"draws.servers = {homes.dtype} values: expected whole numbers")
    homes = np.require(homes, dtype=np.int32, requirements=("C", "W"))
    for name, array in (("draws.service_s", demand_s), ("draws.servers", homes)):
        if array.shape != (n, 2):
            raise ValueError(f"{name} = shape {array.shape}: expected {(n, 2)}, as arrival_s has")
    _every("draws.service_s", demand_s, (demand_s >= 0) & (demand_s < np.inf), "finite, 0 or more")
    _every(
        "draws.servers", homes, (homes >= 0) & (homes < fleet), f"a server from 0 to {fleet - 1}"
    )
    same = np.flatnonzero(homes[:, 0] == homes[:, 1])
    if same.size:
        raise ValueError(
            f"draws.servers[{same[0]}] = {homes[same[0]].tolist()}: expected two different servers"
        )
    return demand_s, homes


def _every(name: str, array, is_good, expected: str) -> None:
    """Raise ``ValueError`` for the first entry of a two-column array that is not good."""
    if not is_good.all():
        row, column = np.argwhere(~is_good)[0]
        raise ValueError(
            f"{name}[{row}, {column}] = {array[row, column]:.12g}: expected {expected}"
        )
