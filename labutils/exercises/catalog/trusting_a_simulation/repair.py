"""trusting.repair · A batcher that drops nobody · 4 minutes

> At the deadline the last `get` has not been answered. What will the store do with it when the next
  request comes?
> It hands that request to the old `get`, which nobody reads any more. What has to become of this
  event before the batch goes?
> Withdraw it: call the method `cancel` of the `get`, then `return`, and the batch goes as it is.

A `get` is a promise that stays in the store's line until it is answered or withdrawn; losing a race
against a timeout does not withdraw it. `cancel()` does. Ask `get.triggered` and not the value of
the race: if a request arrives at the very moment of the deadline, the `get` may have been answered
although the deadline won. The same trap waits wherever something is raced against a timeout, in
`asyncio` as in SimPy.
"""

import math

from labutils.exercises.checkers import Function
from labutils.exercises.comparing.trial import Property
from labutils.exercises.definition.patched import patched
from labutils.exercises.definition.sheet import exercise, made


def _told_by(collect):
    """A function to judge: the departures from a batcher that collects with ``collect``."""

    def departures(arrival_s, batch_s, max_batch, timeout_s):
        from labutils.simulation.batches.batcher_in_simpy import batcher_run  # numba: not at import

        return batcher_run(collect, arrival_s, batch_s, max_batch, timeout_s).departure_s.tolist()

    return departures


def _collects_all(env, store, batch, max_batch, timeout_s):
    batch.append((yield store.get()))
    deadline = env.timeout(timeout_s)
    while len(batch) < max_batch:
        get = store.get()
        yield get | deadline
        if not get.triggered:
            get.cancel()
            return
        batch.append(get.value)


def _leaves_in_time(departure_s, *stream) -> bool:
    """Whether the batches are others, or leave at their moments: not all of them a little late."""
    late_s = [mine - right for mine, right in zip(departure_s, _told_by(_collects_all)(*stream))]
    return max(late_s) < 1e-9 or not all(0 <= late < 0.05 for late in late_s)


def _some_streams():
    """One to eight requests.

    Arrivals lie on a grid of quarter seconds that no deadline ever hits: batch times end in 7 ms
    and timeouts in 100 ms. What comes first in a tie is a matter of taste.
    """
    from hypothesis import strategies as st

    def stream(numbers):
        requests, max_batch, timeout = numbers
        clock, arrival_s = 0.0, []
        for gap, _ in requests:
            clock += gap / 4
            arrival_s.append(clock)
        batch_s = [round(work / 4 + 0.007, 3) for _, work in requests]
        return arrival_s, batch_s, max_batch, round(timeout / 4 + 0.1, 1)

    requests = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 8)), min_size=1, max_size=8)
    return st.tuples(requests, st.integers(2, 5), st.sampled_from((0, 2, 4))).map(stream)


# Who of those that wait goes first shows only where more wait than fit into a batch.
_MORE_WAIT_THAN_FIT = ([0.0, 0.25, 0.5, 0.75, 1.0, 1.25], [2.007] + 5 * [0.507], 2, 0.1)
# The second comes at the deadline itself; whichever batch it joins, it departs in that moment.
_AT_THE_DEADLINE = ([0.0, 0.0], [0.0, 0.0], 2, 0.0)


_MISTAKES = """
still-drops: Some requests still never depart (nan). When the batch goes at its deadline, who is
    left standing in the store's line?
- get.cancel()

waits-for-it: After its deadline your batch still waits for one more request. It leaves late, and if
    no other request comes it waits for ever (nan).
- get.cancel()
+ batch.append((yield get))

deadline-anew: Every request that joins sets your deadline anew, so the first one waits longer than
    the timeout. From when does the timeout count?
- yield get | deadline
+ yield get | env.timeout(timeout_s)

# it never leaves the loop: a deadline that has passed wins every further race at once
stays-at-the-deadline: The deadline has passed, and your loop goes on: the next race is lost at
    once, and the next. What ends the function when the get is withdrawn?
- get.cancel()
- return
+ from labutils.exercises.definition.exercise import NeverReturns
+
+ raise NeverReturns

asks-the-deadline: A request that comes at the very moment of the deadline is lost (nan): its `get`
    was answered, and you looked at the deadline alone.
- if not get.triggered:
+ if deadline.processed:

waits-though-full: Your batch waits for the whole timeout, even when it is full.
- while len(batch) < max_batch:
- ...
+ yield deadline
+ while len(batch) < max_batch and store.items:
+     batch.append((yield store.get()))

before-the-first: Your timeout begins before the first request has come. Whose wait does it bound?
- batch.append((yield store.get()))
- deadline = env.timeout(timeout_s)
+ deadline = env.timeout(timeout_s)
+ batch.append((yield store.get()))

one-too-many: Your batch takes one request more than `max_batch`.
- while len(batch) < max_batch:
+ while len(batch) <= max_batch:

never-waits: Your batch goes as soon as the store is empty. It should wait for more until its
    deadline.
- deadline = env.timeout(timeout_s)
- ...
+ while len(batch) < max_batch and store.items:
+     batch.append((yield store.get()))
"""

REPAIR = exercise(
    __doc__,
    Function(
        _told_by(_collects_all),
        _some_streams,
        always=(_MORE_WAIT_THAN_FIT, _AT_THE_DEADLINE),
        misconceptions=made(_told_by, patched(_collects_all, _MISTAKES)),
        properties=(
            Property(
                "loses",
                lambda result, *_: not any(math.isnan(time) for time in result),
                "A request never departs (nan).",
            ),
            Property(
                "a-little-late",
                _leaves_in_time,
                "Your batch leaves a little late. Do you look again and again whether somebody has "
                "come? Which two events would wake you at the moment itself?",
            ),
        ),
    ),
)
