"""many.scores · The weighted scorer · 6 minutes

> Three lists, one sum for each replica. Only the queue needs all replicas at once.
> queue: (longest - waiting) / (longest - shortest), and 1 where that would divide by zero. Free
  memory is what is not in use.
> span = max(waiting) - min(waiting); queue = [(max(waiting) - one) / span if span else 1 for one in
  waiting]; return [2 * f + q + (1 - u) for f, q, u in zip(found, queue, kv_use)].

Each score is between 0 and 1, so the weights say what a full prefix is worth: two queues. But the
queue's score is relative. Between the longest and the shortest lies always 1, whether they differ
by one request or by a hundred: a single waiting request can outweigh half a prompt. Absolute
scores do not have this fault, and need somebody who says what a long queue is.
"""

from labutils.exercises.checkers import Function
from labutils.exercises.definition.exercise import Raises
from labutils.exercises.definition.sheet import exercise, mistakes_in, says


def _queue(waiting):
    span = max(waiting) - min(waiting)
    return [(max(waiting) - one) / span if span else 1 for one in waiting]


def _sum(*, weights=(2, 1, 1), queue=_queue, prefix=lambda f: f, free=lambda use: 1 - use):
    """The sum with other weights or another idea of one of its parts."""

    def scores(found, waiting, kv_use):
        try:
            short = queue(waiting)
        except ZeroDivisionError:
            return Raises(ZeroDivisionError)
        p, q, k = weights
        return [p * prefix(f) + q * s + k * free(u) for f, s, u in zip(found, short, kv_use)]

    return scores


def _rising(waiting):
    return [1 - one for one in _queue(waiting)] if len(set(waiting)) > 1 else [1] * len(waiting)


def _equal(value):
    def queue(waiting):
        return _queue(waiting) if len(set(waiting)) > 1 else [value] * len(waiting)

    return queue


_SHORTEST = """You divide by the longest queue. The shortest gets 1, the longest 0, whatever they
    are: divide by what lies between them."""
_WEIGHTS = "The weights belong to other scores: 2 for the prefix, 1 for the queue, 1 for memory."


class Wrong:
    long_is_good = says("""The longest queue gets the most. Who waits longest there?""")(
        _sum(queue=_rising)
    )
    by_the_longest = says(_SHORTEST)(
        _sum(queue=lambda w: [1 - one / max(w) if max(w) else 1 for one in w])
    )
    by_the_longest_alone = says(_SHORTEST)(_sum(queue=lambda w: [1 - one / max(w) for one in w]))
    by_all = says("""You divide by the requests that wait at all together. Between the longest and
        the shortest lies always 1.""")(
        _sum(queue=lambda w: [1 - one / sum(w) if sum(w) else 1 for one in w])
    )
    not_scaled = says("""Your queue's score is a number of requests. Bring it to between 0 and 1,
        or it outweighs all the rest.""")(_sum(queue=lambda w: [max(w) - one for one in w]))
    negative = says(
        """You subtract the requests that wait. Bring them to between 0 and 1 first."""
    )(_sum(queue=lambda w: [-one for one in w]))
    divides_by_nothing = says("""All queues are equally long, and you divide by nothing. What does
        each get then?""")(_sum(queue=lambda w: [(max(w) - one) / (max(w) - min(w)) for one in w]))
    equal_get_nothing = says("""Where all queues are equally long you give 0. All are the shortest
        then: each gets 1.""")(_sum(queue=_equal(0)))
    equal_get_half = says("""Where all queues are equally long you give a half. Each gets 1.""")(
        _sum(queue=_equal(0.5))
    )
    in_whole_steps = says("""Your queue's score is 1 or 0. In between it goes in proportion. (Do
        you divide with `//`?)""")(_sum(queue=lambda w: [int(one) for one in _queue(w)]))
    use_for_free = says("""You add the share of pages in use. A full replica gets the most.""")(
        _sum(free=lambda use: use)
    )
    no_memory = says("You leave memory out.")(_sum(free=lambda use: 0))
    subtracts_use = says("""You subtract what is in use, and leave out the 1. Then this score lies
        between -1 and 0.""")(_sum(free=lambda use: -use))
    no_queue = says("You leave the queue out.")(_sum(queue=lambda w: [0] * len(w)))
    not_found = says("""You add the share of pages that is not found.""")(
        _sum(prefix=lambda f: 1 - f)
    )
    equal_weights = says("""The prefix weighs 2.""")(_sum(weights=(1, 1, 1)))
    two_for_the_queue = says(_WEIGHTS)(_sum(weights=(1, 2, 1)))
    two_for_memory = says(_WEIGHTS)(_sum(weights=(1, 1, 2)))
    a_mean = says("""You divide by the weights' sum. Asked is the sum itself.""")(
        _sum(weights=(0.5, 0.25, 0.25))
    )

    def the_best(found, waiting, kv_use):
        """You return a single number. Asked are all sums, in the order of the replicas."""
        return max(_sum()(found, waiting, kv_use))

    def the_place(found, waiting, kv_use):
        """You return which replica is best. Asked are all sums, in the order of the replicas."""
        sums = _sum()(found, waiting, kv_use)
        return sums.index(max(sums))

    def in_order(found, waiting, kv_use):
        """You sort the sums. They stand in the order of the replicas."""
        return sorted(_sum()(found, waiting, kv_use), reverse=True)


def _some_replicas():
    """Two to six replicas."""
    from hypothesis import strategies as st

    def replicas(rows):
        found, waiting, kv_use = zip(*rows)
        return [f / 8 for f in found], list(waiting), [u / 16 for u in kv_use]

    row = st.tuples(st.integers(0, 8), st.sampled_from([0, 1, 3, 7, 20]), st.integers(1, 15))
    return st.lists(row, min_size=2, max_size=6).map(replicas)


SCORES = exercise(
    __doc__,
    Function(
        _sum(),
        _some_replicas,
        always=(
            ([0.0, 0.5, 0.25], [4, 0, 1], [0.5, 0.25, 0.75]),
            ([0.75, 0.25], [3, 3], [0.25, 0.5]),
            ([0.0, 1.0, 0.5], [0, 0, 0], [0.125, 0.5, 0.0]),
            ([0.5, 0.0, 0.25, 1.0], [9, 2, 4, 3], [0.75, 0.25, 0.5, 1.0]),
            ([0.5], [6], [0.25]),
        ),
        misconceptions=mistakes_in(Wrong),
    ),
)
