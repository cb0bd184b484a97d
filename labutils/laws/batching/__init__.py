"""Batching: what a batch costs, and what theory says about a server that works in batches.

>>> model = AffineBatchTime(fixed_s=0.004, per_item_s=0.0009)
>>> round(model(16), 4), round(model.throughput_per_s(16)), round(model.limit_per_s)
(0.0184, 870, 1111)
>>> least_stable_batch(800, model)
12

Times in seconds, rates in requests per second. The simulated counterpart is
``labutils.simulation.batch_queue``.
"""

from labutils.laws.batching.batch_time import (
    AffineBatchTime,
    BatchTime,
    LogBatchTime,
    RooflineBatchTime,
)
from labutils.laws.batching.bulk_queue import (
    BulkQueue,
    fill_batch_mean_sojourn,
    take_everything_mean_sojourn,
)
from labutils.laws.batching.fit import BatchFit, fit_affine, fit_log, fit_roofline
from labutils.laws.batching.frontier import frontier
from labutils.laws.batching.full_batch import full_batch_mean_wait
from labutils.laws.batching.inoue import take_everything_bound
from labutils.laws.batching.stability import least_stable_batch

__all__ = [
    "AffineBatchTime",
    "BatchFit",
    "BatchTime",
    "BulkQueue",
    "LogBatchTime",
    "RooflineBatchTime",
    "fill_batch_mean_sojourn",
    "fit_affine",
    "fit_log",
    "fit_roofline",
    "frontier",
    "full_batch_mean_wait",
    "least_stable_batch",
    "take_everything_bound",
    "take_everything_mean_sojourn",
]
