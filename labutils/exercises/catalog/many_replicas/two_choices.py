r"""many.two · Two choices · 6 minutes

> Which numbers may be drawn? And which list tells what the router has sent there itself?
> `self.random.sample(views.up, 2)` draws two different entries of `views.up`: they are numbers of
  replicas, and `views.in_flight` takes such a number. What if there is only one to draw?
> if len(views.up) == 1: return views.up[0]; one, other = self.random.sample(views.up, 2). Return
  the one of both whose views.in_flight[…] is less.

One probe leaves the longest queue to chance, and a second one wins nearly all that can be won. With
as many requests as replicas, the most that one replica gets grows like $\log n / \log \log n$ with
one probe, and like $\log \log n$ with two (Azar and others, 1994). A third probe changes a
constant.

The most loaded replica gets nothing, since it loses against every other one. And two routers that
see the same numbers do not all run to the same replica, as the least loaded of all would make them
do.
"""

import random
from dataclasses import replace
from itertools import combinations, permutations, product

import numpy as np

from labutils.exercises.checkers import Function, Property
from labutils.exercises.checkers.code.feedback import handed_in
from labutils.exercises.comparing.trial import parameter_names, takes
from labutils.exercises.definition.exercise import NeverReturns, Raises
from labutils.exercises.definition.sheet import exercise, mistakes_in, says
from labutils.exercises.definition.verdict import Status, Verdict

from .shown import Arrival, Views

REQUESTS = 16_000
# A share's standard deviation is sqrt(0.25 / REQUESTS) = 0.004 at most. Six of these refuse a right
# answer once in 1e8 checks of some 40 shares; four are left to 0.042, where the nearest law lies.
NEARLY = 0.025
_FEW = 40


def _result(shares, up, in_flight, *, same=True, other=True, untouched=True):
    """Of equals either one is right: each has the mean of their shares."""
    shares, loads = np.array(shares, float), {in_flight[at] for at in up}
    for load in loads:
        equals = [at for at in up if in_flight[at] == load]
        shares[equals] = shares[equals].mean()
    fixed = len(loads) < max(3, len(up))  # of two the lesser wins; a tie may go by the numbers
    return {
        "shares": [round(float(share), 4) for share in shares],
        "same seed, same choices": same,
        "other seed, other choices": other or fixed,
        "leaves the lists as they are": untouched,
    }


def _driven(make):
    """What comes of a learner's class: the share of the requests that each replica gets."""

    def shares(up, in_flight, waiting, running, seed):
        untouched = []

        def sent(router, requests):
            before = [*range(len(in_flight))]  # all were up: who is may change
            router.choose(Arrival((8,)), Views(before, in_flight[:], waiting[:], running[:]))
            for _ in range(requests):
                views = Views(up[:], in_flight[:], waiting[:], running[:])
                at = router.choose(Arrival((3, 8)), views)
                if not (isinstance(at, int | np.integer) and 0 <= at < len(in_flight)):
                    raise ValueError(f"choose returned {at!r}: expected one of {up}")
                untouched.append((views.up, views.in_flight) == (up, in_flight))
                yield int(at)

        chosen = [*sent(make(seed), REQUESTS)]
        again, another = ([*sent(make(which), _FEW)] for which in (seed, seed + 1))
        return _result(
            np.bincount(chosen, minlength=len(in_flight)) / REQUESTS,
            up,
            in_flight,
            same=again == chosen[:_FEW],
            other=another != again,
            untouched=all(untouched),
        )

    return shares


def _two(up, replicas):
    """Pairs of different numbers of those that are up, each as likely as any other."""
    return [*permutations(up, 2)] or [(up[0], up[0])]


def _fewer(pair, in_flight, waiting, running):
    return min(pair, key=lambda at: in_flight[at])


def _law(probes=_two, pick=_fewer, alone=None, **how):
    """The shares by another idea of what is drawn, of which one is taken, or of what repeats.

    ``alone``: what happens where one replica is up.
    """

    def shares(up, in_flight, waiting, running, seed):
        if alone and len(up) == 1:
            if alone is NeverReturns:
                raise NeverReturns
            return Raises(alone)
        drawn = probes(up, len(in_flight))
        chosen = [pick(pair, in_flight, waiting, running) for pair in drawn]
        counted = np.bincount(chosen, minlength=len(in_flight)) / len(drawn)
        varies = len(set(chosen)) > 1
        told = {"other": varies} | {key: of(varies) for key, of in how.items()}
        return _result(counted, up, in_flight, **told)

    return shares


def _on_ties(instead):
    """Where both have equally many, the request goes to the fewest of some ``instead(up)``."""

    def pick(probed, in_flight, *_):
        one, other, *rest = probed
        pair = rest if in_flight[one] == in_flight[other] else (one, other)
        return min(pair, key=lambda at: in_flight[at])

    return _law(
        lambda up, replicas: [
            (*pair, *more) for pair in _two(up, replicas) for more in instead(up)
        ],
        pick,
    )


def _next_if_same(up, replicas):
    """Two draws of all that are up; where they are the same, the neighbour is the second."""
    after = dict(zip(up, up[1:] + up[:1]))
    return [(one, after[one] if one == other else other) for one, other in product(up, up)]


_NEIGHBOURS = """Your second probe is the neighbour of the first. Then not every pair comes up: draw
    both at random."""
_ON_TIES = "Where both have equally many in flight, you"
_EITHER = "Would either of the two be wrong?"
_ALONE = "With one replica up there are no two to draw. Return that one."
_TAKEN = "You take a place in `views.up` for the number of a replica. Who is up when 0 is not?"
_REPORTS = """You go by what replicas reported. Which list counts what this router has sent, without
    delay?"""

_LISTS = """You change a list that you were shown: `shuffle` and `remove` work in place. The list
    belongs to the simulator: work on a copy."""


def _by_place(compared):
    """Places in ``up`` are drawn, and the place is returned; ``compared`` says how they compare."""

    def shares(up, in_flight, waiting, running, seed):
        by_place = _law(
            lambda numbers, replicas: _two([*range(len(up))], replicas),
            lambda pair, *_: min(pair, key=lambda place: in_flight[compared(up, place)]),
        )
        return by_place(up, in_flight, waiting, running, seed)

    return shares


class Wrong:
    same_twice = says("""Both probes may be the same replica. Then it takes the request whatever it
        has to do: draw two that differ.""")(_law(lambda up, replicas: [*product(up, up)]))
    all_numbers = says("""You draw among all replicas. Which of them take requests?""")(
        _law(lambda up, replicas: _two([*range(replicas)], replicas))
    )
    place_for_number = says(_TAKEN)(_by_place(lambda up, place: place))
    returns_a_place = says(_TAKEN)(_by_place(lambda up, place: up[place]))

    @says(_TAKEN)
    def counts_by_place(up, in_flight, waiting, running, seed):
        by_place = _law(pick=lambda pair, *_: min(pair, key=lambda at: in_flight[up.index(at)]))
        return by_place(up, in_flight, waiting, running, seed)

    most = says("""You send to the one of both that has more to do.""")(
        _law(pick=lambda pair, in_flight, *_: max(pair, key=lambda at: in_flight[at]))
    )
    least_of_all = says("""You send to the least of all that are up. Asked is the lesser of two,
        drawn at random: what will a hundred routers do that all see the same least one?""")(
        _law(lambda up, replicas: [up])
    )
    one_at_random = says("""You send to one at random. What do you compare, and what does the
        comparison change?""")(_law(pick=lambda pair, *_: pair[0]))
    three = says("""You draw three. Asked are two: what more does the third one win?""")(
        _law(lambda up, replicas: [*combinations(up, 3)] or _two(up, replicas))
    )
    by_waiting = says(_REPORTS)(
        _law(pick=lambda pair, _, waiting, running: min(pair, key=lambda at: waiting[at]))
    )
    by_running = says(_REPORTS)(
        _law(pick=lambda pair, _, waiting, running: min(pair, key=lambda at: running[at]))
    )
    by_both_reports = says(_REPORTS)(
        _law(
            pick=lambda pair, _, waiting, running: min(
                pair, key=lambda at: waiting[at] + running[at]
            )
        )
    )
    smaller_number = says("""You send to the smaller number of a replica. Compare what is in flight
        at both, not their names.""")(_law(pick=lambda pair, *_: min(pair)))
    larger_number = says("""You send to the larger number of a replica. Compare what is in flight at
        both, not their names.""")(_law(pick=lambda pair, *_: max(pair)))
    neighbours = says(_NEIGHBOURS)(_law(lambda up, replicas: [*zip(up, up[1:] + up[:1])]))
    neighbours_in_line = says(_NEIGHBOURS)(_law(lambda up, replicas: [*zip(up, up[1:] or up)]))
    next_if_same = says("""Where your two draws are the same, you take the neighbour for the second.
        Then neighbours meet more often than others. How does each pair become as likely as any
        other?""")(_law(_next_if_same))
    third_on_ties = says(f"{_ON_TIES} draw once more among all. {_EITHER}")(
        _on_ties(lambda up: [(at,) for at in up])
    )
    least_on_ties = says(f"{_ON_TIES} send to the least of all. {_EITHER}")(
        _on_ties(lambda up: [up])
    )

    @says(f"{_ON_TIES} return no replica. {_EITHER}")
    def none_on_ties(up, in_flight, waiting, running, seed):
        tied = len({in_flight[at] for at in up}) < len(up)
        return Raises(ValueError) if tied else _law()(up, in_flight, waiting, running, seed)

    first_two = says("""You compare the first two that are up, every time. Draw two of all that
        are.""")(_law(lambda up, replicas: [(up * 2)[:2]]))
    never_the_last = says("""The last one of `views.up` is never drawn. Where does your range
        end?""")(_law(lambda up, replicas: _two(up[:-1] or up, replicas)))
    never_the_first = says("""The first one of `views.up` is never drawn. Where do you begin to
        count?""")(_law(lambda up, replicas: _two(up[1:] or up, replicas)))
    none_with_one_up = says(_ALONE)(_law(alone=ValueError))
    no_other_with_one_up = says(_ALONE)(_law(alone=IndexError))
    never_ends_with_one_up = says(f"You draw until the second differs from the first. {_ALONE}")(
        _law(alone=NeverReturns)
    )
    foreign_generator = says("""Made with the same seed, two routers choose differently: you draw
        from another generator. Draw from `self.random`, or no run can be repeated.""")(
        _law(same=lambda varies: not varies)
    )

    @says("""Whatever the seed, your choices are the same. Draw from `self.random`, or all routers
        of a fleet choose alike.""")
    def deaf_to_the_seed(up, in_flight, waiting, running, seed):
        shares = _law(other=lambda varies: False)
        return shares(up, in_flight, waiting, running, seed)

    changes_the_lists = says(_LISTS)(_law(untouched=lambda varies: False))

    @says(_LISTS)
    def shuffles_the_list(up, in_flight, waiting, running, seed):
        shares = _law(untouched=lambda varies: len(up) == 1)
        return shares(up, in_flight, waiting, running, seed)


class TwoChoices:
    """What stands in for a learner's own."""

    def __init__(self, seed):
        self.random = random.Random(seed)

    def choose(self, request, views):
        """The lesser of two that are up, or the one that is."""
        two = self.random.sample(views.up, min(2, len(views.up)))
        return min(two, key=lambda at: views.in_flight[at])


class _Driven(Function):
    """A ``Function`` for a class: its routers send, and their shares are the result."""

    @property
    def reference_answer(self):
        return TwoChoices

    def check(self, answer) -> Verdict:
        names = parameter_names(self.reference)
        if parameter_names(answer) == names:  # shares, and no class
            return super().check(answer)
        if not callable(answer) or not takes(answer, (1,)):
            wanted = "Expected: a class of which `TwoChoices(7)` makes an object with `choose`; you"
            problem = f"{wanted} handed in {handed_in(answer)}. Hand in the class itself."
            return Verdict(Status.unreadable, problem)
        verdict = super().check(_driven(answer))
        told = "Your router sends as two choices do, whatever is up, and its seed decides the rest."
        return replace(verdict, message=told) if verdict.passed else verdict


def _goes_elsewhere(result, up, *_):
    return not any(share for at, share in enumerate(result["shares"]) if at not in up)


PROPERTIES = (
    Property(
        "sends-where-nobody-is-up",
        _goes_elsewhere,
        "You send to a replica that takes no requests. `views.up` has the numbers of those that "
        "do.",
    ),
    Property(
        "always-the-same",
        lambda result, up, *_: max(result["shares"]) < 1 or len(up) < 3,
        "All requests go to one replica. Is a new generator made for each of them? It begins from "
        "its seed again: draw from `self.random`.",
    ),
    Property(
        "other-shares",
        lambda *_: False,
        f"Of {REQUESTS:,} requests the replicas get other shares than by two choices.",
    ),
)

# For these the shares by an idea above are within 0.015 of the right ones, or 0.04 away somewhere.
# The least is the first or the last of several: who draws neighbours does not send all to it.
_SITUATIONS = (
    ([2], [0, 1, 5, 0], [0, 0, 4, 0], [1, 0, 6, 2]),
    ([1, 3], [0, 6, 1, 4], [0, 2, 0, 5], [1, 7, 0, 9]),
    ([1, 2], [0, 3, 8, 1], [0, 7, 4, 1], [2, 9, 6, 0]),
    ([0, 2, 3], [4, 0, 8, 3], [6, 1, 3, 9], [9, 0, 4, 2]),
    ([1, 3, 4], [0, 9, 1, 5, 2], [1, 3, 0, 8, 4], [0, 6, 2, 3, 9]),
    ([0, 1, 3], [2, 2, 1, 7], [5, 8, 3, 2], [9, 4, 6, 1]),
    ([0, 1, 2, 3], [2, 7, 4, 7, 1], [6, 1, 8, 4, 3], [9, 0, 7, 5, 2]),
    (
        [1, 2, 4, 5, 6, 7, 8, 9, 10, 11],
        [0, 2, 12, 1, 5, 9, 3, 13, 4, 8, 14, 6],
        [0, 6, 1, 1, 9, 4, 7, 3, 8, 2, 5, 10],
        [1, 8, 9, 0, 2, 5, 3, 1, 6, 4, 10, 7],
    ),
)


def _some_situations():
    """The same replicas with more in flight at each, and another seed."""
    from hypothesis import strategies as st

    def situation(drawn):
        (up, in_flight, *reports), more, seed = drawn
        return up, [count + more for count in in_flight], *reports, seed

    drawn = st.tuples(st.sampled_from(_SITUATIONS), st.integers(0, 9), st.integers(1, 10**6))
    return drawn.map(situation)


_shares = _law()
_shares.argument_names = parameter_names(_shares)

TWO = exercise(
    __doc__,
    _Driven(
        _shares,
        _some_situations,
        tolerance=0.0,
        absolute=NEARLY,
        num_inputs=4,
        seconds=10.0,
        properties=PROPERTIES,
        always=tuple((*one, 7 + number) for number, one in enumerate(_SITUATIONS)),
        misconceptions=mistakes_in(Wrong),
    ),
)
