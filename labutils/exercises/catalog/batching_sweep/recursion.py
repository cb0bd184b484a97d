r"""batch.next_batch · The batcher's recursion · 8 minutes

> Two questions, one after the other: when is the batch *ready* if the server is idle, and when does
  it start if the server may be busy?
> Ready is the earlier of two moments: the oldest request has waited timeout_s, or request number
  max_batch is there (if there is one). The start is the later of ready and free_s.
> start_s = max(free_s, min(arrivals[0] + timeout_s, arrivals[max_batch - 1])), without the second
  part of the min if fewer than max_batch are left; the size counts the first max_batch arrivals
  that are <= start_s.

$t_\text{ready} = \min(a_1 + \tau,\; a_B)$ and $t_\text{start} = \max(t_\text{free},\;
t_\text{ready})$: the batch waits for company and for the server at the same time, not one after the
other. That is why a window costs little on a busy server: it has passed before the server is free.
Everybody who comes in the meantime joins, so the batch grows with the wait, and the next
$t_\text{free}$ follows from its size.
"""

import math

from labutils.exercises.checkers import Function
from labutils.exercises.definition.sheet import exercise, mistakes_in


def _next_batch(arrivals, free_s, max_batch, timeout_s):
    ready_s = arrivals[0] + timeout_s
    if len(arrivals) >= max_batch:
        ready_s = min(ready_s, arrivals[max_batch - 1])
    start_s = max(free_s, ready_s)
    return start_s, _here(arrivals, start_s, max_batch)


def _here(arrivals, at_s, max_batch):
    return sum(arrival <= at_s for arrival in arrivals[:max_batch])


class Wrong:
    def window_from_the_server(arrivals, free_s, max_batch, timeout_s):
        """Your window opens when the server becomes free. Then a request that has waited all the
        while waits once more. Whose arrival starts the clock?"""
        start_s = max(arrivals[0], free_s) + timeout_s
        if len(arrivals) >= max_batch:
            start_s = max(free_s, min(start_s, arrivals[max_batch - 1]))
        return start_s, _here(arrivals, start_s, max_batch)

    def never_waits(arrivals, free_s, max_batch, timeout_s):
        """Your batch goes as soon as the server is free. What is timeout_s for?"""
        start_s = max(free_s, arrivals[0])
        return start_s, _here(arrivals, start_s, max_batch)

    def counts_too_early(arrivals, free_s, max_batch, timeout_s):
        """Your batch takes those who were there when it was ready. If the server is still busy
        then, others come before the start: is there room for them?"""
        start_s, _ = _next_batch(arrivals, free_s, max_batch, timeout_s)
        full = arrivals[max_batch - 1] if len(arrivals) >= max_batch else start_s
        ready_s = min(start_s, full, arrivals[0] + timeout_s)
        return start_s, _here(arrivals, ready_s, max_batch)

    def never_full(arrivals, free_s, max_batch, timeout_s):
        """Your batch waits for its timeout even when it is full. Whom does it wait for?"""
        start_s = max(free_s, arrivals[0] + timeout_s)
        return start_s, _here(arrivals, start_s, max_batch)

    def ignores_the_server(arrivals, free_s, max_batch, timeout_s):
        """Some of your batches start while the server is busy with the one before."""
        start_s, _ = _next_batch(arrivals, arrivals[0], max_batch, timeout_s)
        return start_s, _here(arrivals, start_s, max_batch)

    def waits_for_full(arrivals, free_s, max_batch, timeout_s):
        """Your batch waits until it is full, however long that takes. What ends the wait of the
        oldest request?"""
        start_s = max(free_s, arrivals[min(max_batch, len(arrivals)) - 1])
        return start_s, min(max_batch, len(arrivals))

    def takes_those_to_come(arrivals, free_s, max_batch, timeout_s):
        """Your batch holds requests that have not arrived when it starts."""
        start_s, _ = _next_batch(arrivals, free_s, max_batch, timeout_s)
        return start_s, min(max_batch, len(arrivals))

    def knows_no_room(arrivals, free_s, max_batch, timeout_s):
        """Your batch takes everyone who waits. How many does it have room for?"""
        start_s, _ = _next_batch(arrivals, free_s, max_batch, timeout_s)
        return start_s, sum(arrival <= start_s for arrival in arrivals)

    def leaves_whoever_comes_then(arrivals, free_s, max_batch, timeout_s):
        """You leave out who arrives at the very moment of the start. The text says what becomes of
        them."""
        start_s, number = Wrong.leaves_the_latest(arrivals, free_s, max_batch, timeout_s)
        return start_s, max(1, number)

    def the_later_of_both(arrivals, free_s, max_batch, timeout_s):
        """Your batch waits until it is full *and* its window has passed. Either is enough."""
        start_s, _ = _next_batch(arrivals, free_s, max_batch, timeout_s)
        full = arrivals[max_batch - 1] if len(arrivals) >= max_batch else 0.0
        start_s = max(free_s, full, arrivals[0] + timeout_s)
        return start_s, _here(arrivals, start_s, max_batch)

    def leaves_the_latest(arrivals, free_s, max_batch, timeout_s):
        """You leave out who arrives at the very moment of the start. The text says what becomes of
        them."""
        start_s, _ = _next_batch(arrivals, free_s, max_batch, timeout_s)
        return start_s, sum(arrival < start_s for arrival in arrivals[:max_batch])

    def full_one_too_late(arrivals, free_s, max_batch, timeout_s):
        """Your batch is full when one more than max_batch are there. At which index does a list
        hold its number max_batch?"""
        full = arrivals[max_batch] if len(arrivals) > max_batch else math.inf
        start_s = max(free_s, min(arrivals[0] + timeout_s, full))
        return start_s, _here(arrivals, start_s, max_batch)

    def last_one_listed_fills_it(arrivals, free_s, max_batch, timeout_s):
        """With you the last one in the list fills the batch, even if there is room for more. If
        fewer than max_batch come, which of the two moments is left?"""
        full = arrivals[min(max_batch, len(arrivals)) - 1]
        start_s = max(free_s, min(arrivals[0] + timeout_s, full))
        return start_s, _here(arrivals, start_s, max_batch)

    def free_is_ready(arrivals, free_s, max_batch, timeout_s):
        """A server that falls free with somebody there starts at once with you. Has the oldest
        request waited for timeout_s by then, or is the batch full?"""
        start_s, number = _next_batch(arrivals, free_s, max_batch, timeout_s)
        if free_s < arrivals[0]:
            return start_s, number
        return free_s, _here(arrivals, free_s, max_batch)

    def newcomers_set_it_back(arrivals, free_s, max_batch, timeout_s):
        """Each newcomer starts the window anew with you. Whose arrival does the timeout count
        from?"""
        ready_s = arrivals[0] + timeout_s
        for arrival in arrivals[1:max_batch]:
            if arrival > max(ready_s, free_s):
                break
            ready_s = arrival + timeout_s
        if len(arrivals) >= max_batch:
            ready_s = min(ready_s, arrivals[max_batch - 1])
        start_s = max(free_s, ready_s)
        return start_s, _here(arrivals, start_s, max_batch)

    def takes_all_listed(arrivals, free_s, max_batch, timeout_s):
        """Your batch takes everybody in the list. How many have come by its start, and for how many
        is there room?"""
        start_s, _ = _next_batch(arrivals, free_s, max_batch, timeout_s)
        return start_s, len(arrivals)


def _some_lines():
    """One to eight requests that nobody has served yet, on a grid of quarter seconds.

    Busy machines, crowds, lines that just fill a batch: where the rules differ.
    """
    from hypothesis import strategies as st

    def line(drawn):
        gaps, free_s, max_batch, timeout_s = drawn
        clock, arrivals = 0.0, []
        for gap in gaps:
            clock += gap
            arrivals.append(clock)
        return arrivals, free_s, max_batch or len(gaps), timeout_s

    def quarters(*counts):
        return st.sampled_from([count / 4 for count in counts])

    gap = quarters(1, 2, 0, 3, 4, 6)
    busy = st.tuples(
        st.lists(gap, min_size=4, max_size=8),
        quarters(3, 4, 5, 6, 8),
        st.integers(3, 6),
        quarters(0, 1, 2, 4),
    )
    any_kind = st.tuples(
        st.lists(gap, min_size=1, max_size=6),
        quarters(0, 1, 3, 6, 12),
        st.integers(1, 5),
        quarters(0, 1, 2, 5, 11),
    )
    crowd = st.tuples(
        st.lists(quarters(1, 0, 2), min_size=4, max_size=8),
        quarters(0, 2, 4),
        st.integers(1, 3),
        quarters(3, 5, 11),
    )
    just_full = st.tuples(
        st.lists(gap, min_size=2, max_size=5), quarters(0, 1, 2), st.none(), quarters(9, 13, 16)
    )
    late = st.tuples(
        st.lists(gap, min_size=2, max_size=6),
        quarters(6, 7, 9, 13),
        st.integers(4, 7),
        quarters(2, 3, 5),
    )
    return st.one_of(any_kind, busy, late, crowd, just_full).map(line)


NEXT_BATCH = exercise(
    __doc__,
    Function(
        _next_batch,
        _some_lines,
        always=(
            ([0.0], 0.0, 2, 5.0),
            ([0.0], 2.0, 2, 5.0),
            ([0.0, 3.0], 0.0, 3, 5.0),
            ([0.0, 3.0, 6.0, 9.0], 1.0, 4, 5.0),
        ),
        misconceptions=mistakes_in(Wrong),
    ),
)
