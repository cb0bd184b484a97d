"""A closed-form upper bound for take-everything batching with affine batch times."""

from labutils.ground import arguments
from labutils.laws.batching.batch_time import AffineBatchTime
from labutils.laws.queueing import UnstableQueueError


def take_everything_bound(arrival_rate: float, model: AffineBatchTime) -> float:
    """An upper *bound* on the mean seconds from arrival to finish, with no limit on the batch.

    Not the mean itself: ``take_everything_mean_sojourn`` is exact. Poisson arrivals, batch time
    affine. Attributed to Inoue (2021, "Queueing analysis of GPU-based inference servers with
    dynamic batching", arXiv 1912.06322), whose text it was not compared with.

    It can be derived: balancing the batch and its square over one cycle leaves the mean with one
    unknown, the chance p that a batch leaves nobody behind, and more of it means less latency.
    p is at least 0 and, as no batch is below 1, at least 1 - arrival_rate · model(1). The two
    give one bound each, and the smaller one counts.

    Raises ``UnstableQueueError`` from ``model.limit_per_s`` on, ``ValueError`` for another model.
    """
    rate = arguments.positive("arrival_rate", arrival_rate)
    if not isinstance(model, AffineBatchTime):
        raise ValueError(
            f"model = {model!r}: expected an AffineBatchTime; the bound knows no other"
        )
    if rate >= model.limit_per_s:
        raise UnstableQueueError("arrival_rate", rate, model.limit_per_s)
    fixed, item = model.fixed_s, model.per_item_s
    work = rate * item
    light = (item + fixed) / (2 * (1 - work))
    light *= 1 + 2 * rate * fixed + (1 - rate * fixed) / (1 + work)
    heavy = 1.5 * fixed / (1 - work) + item / 2 * (work + 2) / (1 - work**2)
    return min(light, heavy)
