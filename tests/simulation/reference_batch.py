"""A batching server in a few lines of plain Python, written without looking at the kernel."""

import math


def batches(arrivals, seconds_of, most, timeout):
    """Each batch starts at the first moment at which it may; return (sizes, starts, finishes)."""
    waiting, free_at, diary = list(arrivals), -math.inf, []
    while waiting:
        head, patience_ends = waiting[:most], waiting[0] + timeout

        def may_start(moment, head=head, patience_ends=patience_ends):
            all_came = timeout == math.inf and moment >= head[-1]
            return moment >= patience_ends or all_came or (len(head) == most and moment >= head[-1])

        moments = (free_at, patience_ends, *head)
        start = min(moment for moment in moments if moment >= free_at and may_start(moment))
        taken = sum(arrival <= start for arrival in head)
        free_at = start + seconds_of[taken]
        diary.append((taken, start, free_at))
        del waiting[:taken]
    return tuple(zip(*diary, strict=True))


def ready(arrivals, sizes, starts, most, timeout):
    """When each request's batch was full or out of patience, seen from that request."""
    moments, first = [], 0
    for size, start in zip(sizes, starts, strict=True):
        batch = arrivals[first : first + size]
        known = [batch[0] + timeout] + [batch[-1]] * int(size == most or timeout == math.inf)
        moments += [min(max(arrival, min(known)), start) for arrival in batch]
        first += size
    return moments
