"""many.scores · Three scores in one number · 6 minutes

> Three numbers for each replica, each from 0 to 1, and 1 is best. Which two of the three lists have
  to be turned round?
> The longest queue has a queue score of 0, the shortest 1. What does the formula divide by where
  all are equally long?
> longest, shortest = max(waiting), min(waiting); queue = 1.0 if longest == shortest else (longest -
  n) / (longest - shortest); and the sum is 2 * share + queue + (1 - used).

The weights say what a queue is worth in shares of a prompt. But the queue score knows no lengths:
with queues of 3 and 4 it says 1 and 0, as with 0 and 100. So a single request more can weigh as
much as half of a prompt, and next to one long queue all others look alike. Nor does the prefix
score know how long the prompt is: half of 200 tokens counts as much as half of 20,000.
"""

from labutils.exercises.checkers import Function
from labutils.exercises.definition.exercise import Raises
from labutils.exercises.definition.sheet import exercise, mistakes_in, says


def _queues(waiting):
    longest, shortest = max(waiting), min(waiting)
    if longest == shortest:
        return [1.0] * len(waiting)
    return [(longest - n) / (longest - shortest) for n in waiting]


def _where_alike(value):
    """Queue scores with another value where all are equally long."""
    return lambda waiting: _queues(waiting) if len({*waiting}) > 1 else [value] * len(waiting)


def _sums(
    *,
    weights=(2, 1, 1),
    prefixes=lambda found: found,
    queues=_queues,
    frees=lambda kv_use: [1 - used for used in kv_use],
    total=lambda sums: sums,
):
    """The weighted sums with another idea of a weight or of a score."""

    def scores(found, waiting, kv_use):
        rows = zip(prefixes(found), queues(waiting), frees(kv_use))
        return total([sum(w * one for w, one in zip(weights, row)) for row in rows])

    return scores


def _turned(waiting):
    longest, shortest = max(waiting), min(waiting)
    return [(n - shortest) / (longest - shortest) for n in waiting]


def _ranked(waiting):
    lengths = sorted({*waiting})
    return [1 - lengths.index(n) / max(1, len(lengths) - 1) for n in waiting]


def _raising(alike):
    """``alike(waiting)`` says where the mistake divides by zero."""

    def wrapped(answer):
        def scores(found, waiting, kv_use):
            if alike(waiting):
                return Raises(ZeroDivisionError)
            return answer(found, waiting, kv_use)

        return scores

    return wrapped


def _alike(waiting):
    return len({*waiting}) == 1


_TURNED = "Your longest queue has the best score. Who should get the next request?"
_DIVISOR = """You divide by the longest queue. The shortest one should have a score of 1: what does
    the range between both divide by?"""
_ALIKE = "Where all queues are equally long, each is the shortest. Which score has that one?"


class Wrong:
    queue_turned = says(_TURNED)(
        _sums(queues=lambda waiting: [1.0] * len(waiting) if _alike(waiting) else _turned(waiting))
    )
    queue_turned_zero = says(_TURNED)(
        _sums(queues=lambda waiting: [0.0] * len(waiting) if _alike(waiting) else _turned(waiting))
    )
    queue_turned_unguarded = says(f"{_TURNED} And what if all are equally long?")(
        _raising(_alike)(_sums(queues=_turned))
    )
    by_the_longest = says(_DIVISOR)(
        _sums(queues=lambda waiting: [1 - n / max(*waiting, 1) for n in waiting])
    )
    by_the_longest_unguarded = says(f"{_DIVISOR} And nobody may be waiting at all.")(
        _raising(lambda waiting: not any(waiting))(
            _sums(queues=lambda waiting: [1 - n / max(waiting) for n in waiting])
        )
    )
    by_the_longest_one_where_alike = says(_DIVISOR)(
        _sums(
            queues=lambda waiting: (
                [1.0] * len(waiting) if _alike(waiting) else [1 - n / max(waiting) for n in waiting]
            )
        )
    )
    zero_where_alike = says(_ALIKE)(_sums(queues=_where_alike(0.0)))
    half_where_alike = says(_ALIKE)(_sums(queues=_where_alike(0.5)))
    nan_where_alike = says(_ALIKE)(_sums(queues=_where_alike(float("nan"))))
    divides_by_zero = says("""Where all queues are equally long, you divide by zero. Each is the
        shortest then: which score has that one?""")(_raising(_alike)(_sums()))
    whole_queue_scores = says("""You divide with `//`, so a queue in between has a score of 0. Where
        does it lie between the longest and the shortest?""")(
        _sums(queues=lambda waiting: [score // 1 for score in _queues(waiting)])
    )
    queue_ranked = says("""You go by the ranks of the queues, which are all equally far apart. Where
        between the longest and the shortest does each queue lie?""")(_sums(queues=_ranked))
    inverse_queue = says("""You take the inverse of the queue. Asked is its place between the
        longest, 0, and the shortest, 1.""")(
        _sums(queues=lambda waiting: [1 / (1 + n) for n in waiting])
    )
    shares_of_the_queue = says("""You take each queue's share of all that wait. Asked is its place
        between the longest and the shortest.""")(
        _sums(queues=lambda waiting: [1 - n / max(1, sum(waiting)) for n in waiting])
    )
    queue_not_scaled = says("""You subtract the queue from the longest and leave it there. A score
        lies between 0 and 1.""")(_sums(queues=lambda waiting: [max(waiting) - n for n in waiting]))
    memory_turned = says("""You add `kv_use` as it is, so a full memory is best. Which share is
        free?""")(_sums(frees=lambda kv_use: kv_use))
    both_turned = says("""Long queues and full memories are best with you. Turn both round.""")(
        _sums(
            queues=lambda waiting: [1.0] * len(waiting) if _alike(waiting) else _turned(waiting),
            frees=lambda kv_use: kv_use,
        )
    )
    memory_subtracted = says("""You subtract `kv_use`. That sorts them rightly; but asked is the
        score 1 - `kv_use`, so that all lie between 0 and 1.""")(
        _sums(frees=lambda kv_use: [-used for used in kv_use])
    )
    memory_scaled = says("""You scale the memory between the fullest and the emptiest, as a queue.
        It is a share already: how much of it is free?""")(
        _sums(frees=lambda kv_use: _queues(kv_use))
    )
    prefix_turned = says("""You take the share of pages that were not found. Which replica has less
        to compute?""")(_sums(prefixes=lambda found: [1 - share for share in found]))
    prefix_scaled = says("""You scale `found` by the best one. It is a share of the prompt
        already.""")(_sums(prefixes=lambda found: [share / (max(found) or 1) for share in found]))
    prefix_scaled_as_queues = says("""You scale `found` between the worst and the best one, as a
        queue. It is a share of the prompt already: what is left to scale?""")(
        _sums(prefixes=lambda found: _queues([-share for share in found]))
    )
    equal_weights = says("""All three weigh the same with you. Which one counts twice?""")(
        _sums(weights=(1, 1, 1))
    )
    weights_on_the_queue = says("""The queue counts twice with you. Which score does?""")(
        _sums(weights=(1, 2, 1))
    )
    weights_on_the_memory = says("""The memory counts twice with you. Which score does?""")(
        _sums(weights=(1, 1, 2))
    )
    without_the_queue = says("""Your sum has no queue in it.""")(_sums(weights=(2, 0, 1)))
    without_the_memory = says("""Your sum has no memory in it.""")(_sums(weights=(2, 1, 0)))
    without_the_prefix = says("""Your sum has no prefix in it.""")(_sums(weights=(0, 1, 1)))
    mean = says("""You divide by the sum of the weights. That changes no order; asked is the
        sum.""")(_sums(weights=(0.5, 0.25, 0.25)))
    third = says("""You divide by three. Asked is the weighted sum.""")(
        _sums(weights=(2 / 3, 1 / 3, 1 / 3))
    )
    of_the_best = says("""You divide by the largest sum. Asked are the sums.""")(
        _sums(total=lambda sums: [one / max(sums) for one in sums])
    )
    shares_of_all = says("""You divide by the sum over all replicas. Asked are the sums of
        each.""")(_sums(total=lambda sums: [one / sum(sums) for one in sums]))
    the_best_place = says("""You return the place of the best. Asked are the sums of all, in the
        order of the lists.""")(_sums(total=lambda sums: sums.index(max(sums))))
    the_best_sum = says("""You return the best sum. Asked are the sums of all.""")(_sums(total=max))
    ordered = says("""You sort the sums. Then nobody knows whose they are: keep the order of the
        lists.""")(_sums(total=lambda sums: sorted(sums, reverse=True)))


def _some_replicas():
    """One to five replicas; shares in eighths and sixteenths, and queues of which two are alike."""
    from hypothesis import strategies as st

    replica = st.tuples(st.integers(0, 8), st.sampled_from([0, 1, 2, 5, 9]), st.integers(1, 15))

    def lists(drawn):
        rows, more = drawn
        found, waiting, used = zip(*rows)
        return (
            [share / 8 for share in found],
            [n + more for n in waiting],
            [share / 16 for share in used],
        )

    return st.tuples(st.lists(replica, min_size=1, max_size=5), st.integers(0, 3)).map(lists)


SCORES = exercise(
    __doc__,
    Function(
        _sums(),
        _some_replicas,
        always=(
            ([0.5], [0], [0.25]),
            ([0.25], [6], [0.75]),
            ([0.5, 0.0], [4, 4], [0.125, 0.5]),
            ([0.125, 0.0, 0.25], [0, 0, 0], [0.5, 0.25, 0.125]),
            ([0.75, 0.0, 0.25], [7, 3, 4], [0.875, 0.25, 0.5]),
            ([0.0, 0.0, 0.0, 0.0], [9, 2, 0, 5], [0.5, 0.75, 0.0625, 0.25]),
            ([0.25, 0.5], [1, 0], [1.0, 0.0]),
        ),
        misconceptions=mistakes_in(Wrong),
    ),
)
