"""many.prefix · By prefix, with a bound · 6 minutes

> Two questions, one after the other: who has room? And who of these knows the most?
> The limit counts the new request, and is rounded up. `math.ceil(bound * (sum(in_flight) + 1) /
  len(in_flight))`; who is below it has room.
> room = [at for at in range(len(found)) if in_flight[at] < limit]; return max(room, key=lambda at:
  (found[at], -in_flight[at])).

The bound makes a promise that holds in every moment: nobody has more than `bound` times the mean,
rounded up. So a hot prefix costs at most that much waiting, and what does not fit spreads over
others, which then know it too. With a bound of 1 the prefix decides next to nothing; without one
it decides everything.

Somebody has always room. If all stood at the limit, they would have at least `bound` times the mean
with the new request counted, and that is more than there is.
"""

import math

from labutils.exercises.checkers import Function
from labutils.exercises.definition.exercise import Raises
from labutils.exercises.definition.sheet import exercise, mistakes_in, says


def _limit(in_flight, bound):
    return math.ceil(bound * (sum(in_flight) + 1) / len(in_flight))


def _below(count, limit):
    return count < limit


def _known_then_idle(found, in_flight):
    return lambda at: (found[at], -in_flight[at])


def _rule(*, limit=_limit, has_room=_below, key=_known_then_idle, last=False):
    """The rule with another limit, another idea of who has room, or of who is best."""

    def place(found, in_flight, bound):
        most = limit(in_flight, bound)
        room = [at for at in range(len(found)) if has_room(in_flight[at], most)]
        if not room:
            return Raises(ValueError)
        return max(room[::-1] if last else room, key=key(found, in_flight))

    return place


_ROUNDED = "The limit is rounded up: with few requests in flight a fraction decides who has room."
_TIES = "Of equals you take another one than the one with the fewest in flight."


class Wrong:
    at_the_limit = says("""Who stands at the limit has no room for one more: the request that
        comes would lift it above.""")(_rule(has_room=lambda count, limit: count <= limit))
    without_the_new = says("""Your limit does not count the request that is coming. What is the
        mean once it is there?""")(
        _rule(limit=lambda in_flight, bound: math.ceil(bound * sum(in_flight) / len(in_flight)))
    )
    rounded_down = says(_ROUNDED)(
        _rule(limit=lambda loads, bound: math.floor(bound * (sum(loads) + 1) / len(loads)))
    )
    rounded = says(_ROUNDED)(
        _rule(limit=lambda loads, bound: round(bound * (sum(loads) + 1) / len(loads)))
    )
    a_whole_one_more = says("""You cut the fraction off and add one. Where nothing is left over,
        that is one too many: what does rounding up do there?""")(
        _rule(limit=lambda loads, bound: int(bound * (sum(loads) + 1) / len(loads)) + 1)
    )
    bound_of_its_own = says("""Your limit is the same whatever `bound` is. The caller decides it: is
        there a number in its place?""")(
        _rule(limit=lambda in_flight, bound: _limit(in_flight, 1.25))
    )
    one_more_for_each = says("""You add one for each replica. One request comes, to all of them
        together.""")(
        _rule(limit=lambda loads, bound: math.ceil(bound * (sum(loads) / len(loads) + 1)))
    )
    one_added_last = says("""You add the new request to the limit. It belongs to the sum: the mean
        of all requests, the new one among them, times the bound.""")(
        _rule(limit=lambda loads, bound: math.ceil(bound * sum(loads) / len(loads)) + 1)
    )
    one_unscaled = says("""You take the sum `bound` times, and add one. The request that comes
        belongs to the sum: bound times all of it.""")(
        _rule(limit=lambda loads, bound: math.ceil((bound * sum(loads) + 1) / len(loads)))
    )
    mean_rounded_first = says("""You round the mean and then take it `bound` times. Round once, at
        the end.""")(
        _rule(
            limit=lambda loads, bound: math.ceil(bound * math.ceil((sum(loads) + 1) / len(loads)))
        )
    )
    no_bound = says("""Nobody is left out (nor by a multiple of all that is in flight together).
        Where does everybody go whose prompt begins alike?""")(
        _rule(limit=lambda loads, bound: math.inf)
    )
    bound_is_the_limit = says("""You take `bound` for the limit itself. It is a multiple of the
        mean in flight.""")(_rule(limit=lambda loads, bound: max(bound, min(loads) + 1)))
    prefix_alone = says(_TIES)(_rule(key=lambda found, in_flight: lambda at: found[at]))
    last_of_equals = says(_TIES)(_rule(key=lambda found, _: lambda at: found[at], last=True))
    most_in_flight = says("""Of equals you take the one with the most in flight. A minus sign?""")(
        _rule(key=lambda found, in_flight: lambda at: (found[at], in_flight[at]))
    )
    least_known = says("""You take the replica that knows the least of the prompt.""")(
        _rule(key=lambda found, in_flight: lambda at: (-found[at], -in_flight[at]))
    )
    idle_then_known = says("""You take the fewest in flight, and look for pages only among equals.
        Who has room is decided: among these the pages come first.""")(
        _rule(key=lambda found, in_flight: lambda at: (-in_flight[at], found[at]))
    )
    least_loaded = says("""You take the fewest in flight, whatever anybody knows.""")(
        _rule(key=lambda found, in_flight: lambda at: -in_flight[at])
    )
    pages_less_requests = says("""You subtract requests from pages. A request more is then worth a
        page; here it decides only among equals.""")(
        _rule(key=lambda found, in_flight: lambda at: found[at] - in_flight[at])
    )

    def best_or_idlest(found, in_flight, bound):
        """The one that knows most is full, and you take the one with the fewest in flight. Who of
        those with room knows the most?"""
        best = max(range(len(found)), key=_known_then_idle(found, in_flight))
        if in_flight[best] < _limit(in_flight, bound):
            return best
        return min(range(len(found)), key=lambda at: in_flight[at])

    def all_where_none_has_room(found, in_flight, bound):
        """Your limit does not count the request that is coming. So there are moments in which
        nobody has room, and you let all in: what is the mean once the request is there?"""
        most = math.ceil(bound * sum(in_flight) / len(in_flight))
        room = [at for at, count in enumerate(in_flight) if count < most]
        return max(room or range(len(found)), key=_known_then_idle(found, in_flight))

    def mean_of_the_others(found, in_flight, bound):
        """You leave a replica out of the mean that it is compared with. The limit is the
        same for each: how many are under way in all?"""
        whole, others = sum(in_flight) + 1, max(1, len(in_flight) - 1)
        room = [
            at
            for at, count in enumerate(in_flight)
            if count < math.ceil(bound * (whole - count) / others)
        ]
        return max(room or range(len(found)), key=_known_then_idle(found, in_flight))

    def first_that_knows_as_much(found, in_flight, bound):
        """You look up the most pages, and take the first of all replicas that has as many. Has it
        room, and the fewest in flight?"""
        return found.index(found[_rule()(found, in_flight, bound)])

    def place_among_those_with_room(found, in_flight, bound):
        """You return a place in the list of those that have room. Asked is the place among all."""
        most = _limit(in_flight, bound)
        room = [at for at in range(len(found)) if in_flight[at] < most]
        return room.index(max(room, key=_known_then_idle(found, in_flight)))

    def pages_for_a_place(found, in_flight, bound):
        """You return how many pages are found. Asked is where."""
        return found[_rule()(found, in_flight, bound)]


def _some_replicas():
    """Two or four replicas, no two of which are equal in both: a mean of these is exact."""
    from hypothesis import strategies as st

    def replicas(drawn):
        pairs, bound = drawn
        return [p for p, _ in pairs], [n for _, n in pairs], bound

    pair = st.tuples(st.sampled_from([0, 0, 3, 5, 5, 9]), st.integers(0, 9))
    two, four = (st.lists(pair, min_size=n, max_size=n, unique=True) for n in (2, 4))
    return st.tuples(two | four, st.sampled_from([1.0, 1.25, 1.5, 2.0, 4.0])).map(replicas)


PREFIX = exercise(
    __doc__,
    Function(
        _rule(),
        _some_replicas,
        always=(
            ([9, 0], [3, 0], 1.25),
            ([5, 3], [0, 0], 1.0),
            ([9, 0], [2, 1], 1.0),
            ([9, 0], [3, 1], 1.25),
            ([9, 0, 5, 4], [2, 3, 1, 3], 1.0),
            ([9, 0], [2, 0], 1.5),
            ([9, 4], [2, 0], 1.25),
            ([9, 5, 0, 4], [3, 2, 0, 1], 1.0),
            ([9, 0, 0], [1, 0, 2], 1.5),
            ([0, 5, 5, 5], [1, 4, 2, 3], 2.0),
            ([5, 5, 0], [3, 2, 0], 4.0),
            ([9, 3, 0, 0, 0], [6, 1, 0, 2, 3], 2.0),
            ([9, 0, 0, 0], [3, 4, 5, 7], 1.25),
            ([0, 0], [0, 1], 1.25),
            ([7], [5], 1.25),
        ),
        misconceptions=mistakes_in(Wrong),
    ),
)
