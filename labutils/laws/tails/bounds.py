"""What holds for any dependence between leaves: counting alone."""

from labutils.ground import arguments
from labutils.laws.tails.order import rank


def leaf_share_bounds(late_share: float, k: int, n: int) -> tuple[float, float]:
    """The (least, most) slow leaves there can be, when the k-th of n is slow in ``late_share``.

    A page whose k-th leaf is slow has n - k + 1 to n slow leaves; any other page has none to
    n - k. Averaged over pages that bounds the share of slow leaves, whatever ties them together.
    It assumes only that "a leaf" means one of the n drawn at random.
    """
    late = arguments.fraction("late_share", late_share)
    n = arguments.whole("n", n)
    k = rank("k", k, n)
    return late * (n - k + 1) / n, late + (1 - late) * (n - k) / n


def page_share_bounds(leaf_slow_share: float, num_leaves: int) -> tuple[float, float]:
    """The (least, most) slow pages there can be, when a page waits for all of its leaves.

    Least when all leaves are slow together; most when no two are (Boole's inequality).
    """
    share = arguments.fraction("leaf_slow_share", leaf_slow_share)
    return share, min(1.0, arguments.whole("num_leaves", num_leaves) * share)
