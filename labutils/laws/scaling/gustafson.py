"""The work grows with the machine: what more processors do in the same time (Gustafson 1988)."""

from labutils.ground import arguments


def gustafson_speedup(share: float, processors: float) -> float:
    """Work done by ``processors`` over the work of one, in the same time.

    (1 - share) + share · processors, where ``share`` is the parallel part of the time *as measured
    on the many processors* (Gustafson 1988, "Reevaluating Amdahl's law"). Amdahl's share is
    measured on one; with either measured in its own place both laws say the same.
    """
    part = arguments.non_negative("share", share)
    if part > 1:
        raise ValueError(f"share = {share!r}: expected a share from 0 to 1")
    return 1 - part + part * arguments.positive("processors", processors)
