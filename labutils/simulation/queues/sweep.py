"""Latency against load, the whole curve in one compiled call.

Every load sees the same customers: the same gaps, stretched, and the same services (common
random numbers), so the curve is smooth although each point is noisy, and a slider that moves
the load reuses the draws. The loads are independent of each other, so the processor works on
several of them at once, and quantiles come from counting, not sorting. Twenty loads at 200,000
customers take some 7 ms, six to ten times less than a run and a percentile for each.
"""

from dataclasses import dataclass

import numpy as np

from labutils.ground.arguments import fraction, positive, sample, whole
from labutils.simulation.draws.draw_checks import none_negative, same_length
from labutils.simulation.queues.batch_means import half_width_of_mean
from labutils.simulation.queues.compiled import compiled, pasted

_BUCKET_SHIFT = 45
"""Bits dropped from a float64 to name its bucket: 7 bits of fraction stay, 128 per doubling."""
_FIRST_BUCKET = int(np.float64(2.0**-10).view(np.int64)) >> _BUCKET_SHIFT
_NUM_BUCKETS = 30 * 128


@dataclass(frozen=True, eq=False)
class LoadCurve:
    """What a simulation says about latency at each utilization, in mean service times.

    ``batch_waits`` (batches × loads) holds mean waits of successive stretches of customers;
    ``sojourn_counts`` (loads × buckets) counts sojourn times, 128 buckets per doubling.
    """

    utilizations: np.ndarray
    mean_service_time: float
    batch_waits: np.ndarray
    sojourn_counts: np.ndarray

    @property
    def mean_waiting_time(self) -> np.ndarray:
        """Mean time in the queue at each load."""
        return self.batch_waits.mean(axis=0)

    @property
    def mean_sojourn_time(self) -> np.ndarray:
        """Mean waiting plus service at each load."""
        return self.mean_waiting_time + self.mean_service_time

    def half_width(self, *, confidence: float = 0.95) -> np.ndarray:
        """Half width of each mean's confidence interval, by batch means."""
        return half_width_of_mean(self.batch_waits, confidence=confidence)

    def sojourn_time_quantile(self, q: float) -> np.ndarray:
        """Sojourn time that a share ``q`` of customers does not exceed, at each load.

        Read from the buckets, so it is right to 0.4 % of its value between 2⁻¹⁰ and 2²⁰ mean
        service times; beyond them it sticks to the last bucket.
        """
        counted = np.cumsum(self.sojourn_counts, axis=1)
        rank = np.ceil(fraction("q", q) * counted[:, -1])
        bucket = (counted < rank[:, None]).sum(axis=1)
        edges = (np.stack((bucket, bucket + 1)) + _FIRST_BUCKET) << _BUCKET_SHIFT
        return edges.view(np.float64).mean(axis=0)


def load_curve(
    utilizations, unit_gaps, unit_services, *, num_servers: int = 1, num_batches: int = 20
) -> LoadCurve:
    """Simulate one queue at many utilizations with the same draws.

    ``unit_gaps`` and ``unit_services`` have mean 1 (see ``draw_unit``) and equal length. At
    utilization u the gaps are divided by u × ``num_servers``; times come out in mean service
    times, so multiply by yours. Customers that fill no batch at the end are left out. At a
    utilization of 1 or more the queue has no steady state: the answer is about this run.

    Raises ``ValueError`` naming the argument that is wrong.
    """
    loads = _loads(utilizations)
    servers = whole("num_servers", num_servers)
    batches = whole("num_batches", num_batches, at_least=2)
    gaps = none_negative("unit_gaps", unit_gaps)
    services = none_negative("unit_services", unit_services)
    same_length("unit_services", services, "unit_gaps", gaps)
    used = gaps.size - gaps.size % batches
    if used == 0:
        raise ValueError(f"unit_gaps = {gaps.size} values: expected at least {batches}")
    batch_waits = np.zeros((batches, loads.size))
    sojourn_counts = np.zeros((loads.size, _NUM_BUCKETS), dtype=np.int32)
    _sweep(1 / (loads * servers), gaps, services, servers, batch_waits, sojourn_counts)
    return LoadCurve(loads, float(services[:used].mean()), batch_waits, sojourn_counts)


def _loads(utilizations) -> np.ndarray:
    loads = sample("utilizations", utilizations)
    for i, load in enumerate(loads.tolist()):
        positive(f"utilizations[{i}]", load)
    return loads


@pasted
def _serve(now, gap, gap_scale, service, free_at, later, sojourn, waits):
    for k in range(now.size):
        now[k] += gap * gap_scale[k]
        start = max(now[k], free_at[0, k])
        waits[k] += start - now[k]
        later[k] = start + service
        sojourn[k] = later[k] - now[k]


@pasted
def _walk(free_at, later):
    """The walk up the sorted row of ``starts_at_few_servers``, at all loads in step."""
    for j in range(free_at.shape[0] - 1):
        for k in range(later.size):
            mine, neighbour = later[k], free_at[j + 1, k]
            free_at[j, k] = mine if mine < neighbour else neighbour
            later[k] = neighbour if mine < neighbour else mine


@pasted
def _count(sojourn_bits, counts):
    """Count each sojourn time by the leading bits of its float64, which sort like the number."""
    for k in range(sojourn_bits.size):
        bucket = (sojourn_bits[k] >> _BUCKET_SHIFT) - _FIRST_BUCKET
        counts[k, min(max(bucket, 0), _NUM_BUCKETS - 1)] += 1


@compiled
def _sweep(gap_scale, unit_gaps, unit_services, num_servers, batch_waits, sojourn_counts):
    """Serve each customer at every load before the next one: loads lie side by side in memory."""
    num_batches, num_loads = batch_waits.shape
    batch = unit_gaps.size // num_batches
    now, later, waits = np.zeros(num_loads), np.zeros(num_loads), np.zeros(num_loads)
    sojourn = np.zeros(num_loads)
    sojourn_bits = sojourn.view(np.int64)
    free_at = np.zeros((num_servers + 1, num_loads))
    free_at[num_servers] = np.inf
    for b in range(num_batches):
        for i in range(b * batch, (b + 1) * batch):
            gap, service = unit_gaps[i], unit_services[i]
            _serve(now, gap, gap_scale, service, free_at, later, sojourn, waits)
            _walk(free_at, later)
            _count(sojourn_bits, sojourn_counts)
        for k in range(num_loads):
            batch_waits[b, k] = waits[k] / batch
            waits[k] = 0.0
