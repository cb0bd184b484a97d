"""where.stage_limits · Limits for stages that add up to a promise · 6 minutes

> Sort the times of each stage. Which times stand at the same rank, and what is their sum?
> Try ranks from the highest down: the first whose sum is within the limit is the answer.
> ordered = [sorted(times) for times in stages]; for k in reversed(range(n)): limits = [times[k] for
  times in ordered]; if sum(limits) <= limit: return limits.

At the same rank $k$ each stage keeps its limit in $k$ of $n$ requests. If all keep theirs, the
whole keeps the promise. How often *all* keep it is not $k/n$: between $1 - m(1 - k/n)$ for $m$
stages that fail in turn, and $k/n$ for stages that fail together.
"""

from labutils.exercises.checkers import Function
from labutils.exercises.definition.sheet import exercise, mistakes_in, says


def _at_rank(stages, rank):
    return [sorted(times)[rank - 1] for times in stages]


def _stage_limits(stages, limit):
    for rank in range(len(stages[0]), 0, -1):
        limits = _at_rank(stages, rank)
        if sum(limits) <= limit:
            return limits
    return None


_ONE_UP = "Your limits add up to more than the promise: you are one rank too far."


class Wrong:
    def strictly_below(stages, limit):
        """Your limits stay strictly below the promise. They may add up to it exactly."""
        for rank in range(len(stages[0]), 0, -1):
            if sum(_at_rank(stages, rank)) < limit:
                return _at_rank(stages, rank)
        return _at_rank(stages, 1)

    def strictly_below_or_none(stages, limit):
        """Your limits stay strictly below the promise, and you find none where only a sum equal to
        it is left. They may add up to it exactly."""
        limits = Wrong.strictly_below(stages, limit)
        return limits if sum(limits) < limit else None

    def lowest_rank_untried(stages, limit):
        """You find no limits where only the smallest times fit. Down to which rank do you try?"""
        limits = _stage_limits(stages, limit)
        return limits if limits != _at_rank(stages, 1) else None

    @says(_ONE_UP)
    def one_rank_up(stages, limit):
        for rank in range(len(stages[0]), 1, -1):
            if sum(_at_rank(stages, rank - 1)) <= limit:
                return _at_rank(stages, rank)
        return _at_rank(stages, 1)

    @says(_ONE_UP)
    def first_that_reaches_it(stages, limit):
        for rank in range(1, len(stages[0])):
            if sum(_at_rank(stages, rank)) >= limit:
                return _at_rank(stages, rank)
        return _at_rank(stages, len(stages[0]))

    def each_stage_alone(stages, limit):
        """You hold each stage alone to the whole promise. It is their sum that has to keep it."""
        return [max([time for time in times if time <= limit]) for times in stages]

    def first_stages_first(stages, limit):
        """You give the first stage what it can use and the others what is left. All stages take
        the same rank."""
        limits = []
        for times in stages:
            fit = [time for time in times if time <= limit - sum(limits)]
            limits.append(max(fit, default=min(times)))
        return limits

    def largest_of_those_kept(stages, limit):
        """You take the largest times of the requests that keep the promise. They need not fit
        together: which times stand at one rank?"""
        kept = [row for row in zip(*stages) if sum(row) <= limit]
        return [max(times) for times in zip(*kept)]

    def one_rank_down(stages, limit):
        """One rank higher would still fit into the promise."""
        for rank in range(len(stages[0]), 1, -1):
            if sum(_at_rank(stages, rank)) <= limit:
                return _at_rank(stages, rank - 1)
        return _at_rank(stages, 1)

    def times_of_one_request(stages, limit):
        """Those are the stage times of one request. A limit of a stage comes from that stage's own
        times, in order."""
        return list(max((row for row in zip(*stages) if sum(row) <= limit), key=sum))

    def whole_numbers(stages, limit):
        """You cut the times to whole milliseconds. A limit is one of the stage's own times, as it
        was measured."""
        return [int(each) for each in _stage_limits(stages, limit)]

    def equal_parts(stages, limit):
        """You give every stage the same limit. A stage that needs 3 ms then gets as much as one
        that needs 300: read the samples."""
        return [limit / len(stages)] * len(stages)

    def by_means(stages, limit):
        """You share the promise out in proportion to the means. A stage that varies much needs more
        room than its mean says, or it fails far more often than the others."""
        whole = sum(sum(times) for times in stages)
        return [limit * sum(times) / whole for times in stages]

    def by_maxima(stages, limit):
        """You share the promise out in proportion to the stages' largest times (which are their p99
        among so few). Take the same rank in each stage, as high as the sum allows."""
        whole = sum(max(times) for times in stages)
        return [limit * max(times) / whole for times in stages]

    def scaled_up(stages, limit):
        """You hand out what is left over too. Each limit is to be one of the stage's own times; the
        rest is margin."""
        limits = _stage_limits(stages, limit)
        return [limit * each / sum(limits) for each in limits]

    def unsorted(stages, limit):
        """You take the k-th time in the order in which the requests came. Sort each stage first."""
        for place in range(len(stages[0]) - 1, -1, -1):
            if sum(times[place] for times in stages) <= limit:
                break
        return [times[place] for times in stages]

    def smallest(stages, limit):
        """Those are the smallest times. Their sum fits, and so do larger ones: start from the other
        end."""
        # Stops at the first rank that fits, from the smallest.
        return _at_rank(stages, 1)

    def the_share(stages, limit):
        """That is the share of requests within the limits. Return the limits themselves, one for
        each stage."""
        size = len(stages[0])
        return next(
            rank / size for rank in range(size, 0, -1) if sum(_at_rank(stages, rank)) <= limit
        )


def _some_stages():
    """Two to four stages of 3 to 12 requests each, and a limit that some rank meets.

    Some request meets it too: whoever takes the times of one then finds one each time.
    """
    from hypothesis import strategies as st

    def _tells(stages):  # no two requests of one sum: none depends on which of them comes first
        return len({sum(row) for row in zip(*stages)}) == len(stages[0])

    def with_limit(drawn):
        stages, rank, slack = drawn
        of_rank = sum(_at_rank(stages, 1 + rank % len(stages[0]))) + slack
        return stages, max(of_rank, min(map(sum, zip(*stages))))

    def table(size):
        num_stages, num_requests = size
        times = st.lists(st.integers(1, 90), min_size=num_requests, max_size=num_requests)
        stages = st.lists(times, min_size=num_stages, max_size=num_stages).filter(_tells)
        return st.tuples(stages, st.integers(0, 11), st.sampled_from([0, 0, 1, 5, 20]))

    size = st.tuples(st.integers(2, 4), st.integers(3, 12))
    return size.flatmap(table).map(with_limit)


STAGE_LIMITS = exercise(
    __doc__,
    Function(
        _stage_limits,
        _some_stages,
        always=(
            ([[4, 1, 9], [20, 50, 30]], 34),
            ([[4, 1, 9], [20, 50, 30]], 33),
            ([[4, 1, 9], [50, 20, 30]], 21),
            ([[4.5, 1.25, 9.75], [20.5, 50.25, 30.75]], 35.25),
        ),
        misconceptions=mistakes_in(Wrong),
    ),
)
