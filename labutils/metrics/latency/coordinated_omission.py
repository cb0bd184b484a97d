"""What a load generator did not send because it waited for an answer (Tene)."""

import numpy as np

from labutils.ground import arguments

from .checks import none_negative

MOST_ADDED = 10_000_000
"""Requests that a correction puts back at most: an interval that asks for more is a slip."""

_ROUNDING = 1 - 1e-12  # 0.07 / 0.01 is 7.000000000000001; 7 are meant


def corrected_for_omission(latencies_s, interval_s: float) -> np.ndarray:
    """``latencies_s`` with the requests put back that a waiting client did not send, in seconds.

    A client that means to send every ``interval_s`` and waits for each answer sends nothing
    during a stall. An answer that took several intervals stands for the requests meant to go out
    meanwhile: they would have waited one interval less each, while anything is left. This is
    ``record_corrected_value`` of the hdrhistogram package; each latency is followed by those it
    adds. (Tene's Java original leaves out the last, which waits less than an interval.)

    It is an estimate: it takes the stall to end for all at once, and the client not to catch up.
    Where the intended send times are known, measure from them instead. ``ValueError`` for an
    interval so short that more than ``MOST_ADDED`` requests would be added.
    """
    latencies = none_negative("latencies_s", latencies_s)
    interval = arguments.positive("interval_s", interval_s)
    with np.errstate(over="ignore"):
        stands_for = np.maximum(np.ceil(latencies / interval * _ROUNDING), 1)
    if not stands_for.sum() - stands_for.size <= MOST_ADDED:
        raise ValueError(
            f"interval_s = {interval}: expected the seconds between two requests, such that a "
            f"latency of {latencies.max()} s stands for at most {MOST_ADDED:,} of them"
        )
    stands_for = stands_for.astype(np.int64)
    first = np.cumsum(stands_for) - stands_for
    intervals_later = np.arange(stands_for.sum()) - np.repeat(first, stands_for)
    return np.repeat(latencies, stands_for) - intervals_later * interval
