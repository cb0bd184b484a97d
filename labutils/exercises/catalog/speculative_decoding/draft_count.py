"""speculative.count · How many drafts pay · 7 minutes

> For each number of drafts from 0 on: how many tokens come from such a step, and how long does it
  take? The ratio decides.
> Tokens: 1, plus by_place[0], plus by_place[0] · by_place[1], … up to k terms. Time: verify_s[k] +
  k · draft_s. Zero drafts are a choice, too.
> tokens, reach, rates = 1.0, 1.0, [1 / verify_s[0]]; for drafts, share in enumerate(by_place, 1):
  reach *= share; tokens += reach; append tokens / (verify_s[drafts] + drafts * draft_s). The best
  is rates.index(max(rates)); times verify_s[0] it is the gain.

Place i is reached only if all before it stayed, so the expected tokens are 1 + a₁ + a₁a₂ + …; with
the same a everywhere that is (1 − aᵏ⁺¹)/(1 − a) of Leviathan and others. Each further draft adds
fewer tokens than the one before. If each costs the same, the ratio rises to a peak and falls. If
the first one is the dearest, it may fall and rise again, so every number is tried. Where the best
number is 0 an engine should be able to switch speculation off.
"""

from labutils.exercises.checkers import Function
from labutils.exercises.definition.sheet import exercise, mistakes_in


def _rates(by_place, verify_s, draft_s, *, own=1.0, chained=True, per_draft=True, verify=None):
    """Tokens per second with 0 drafts, 1 draft and so on; the options are faults."""
    tokens, reach, rates = own, 1.0, []
    costs = [verify_s[verify] if verify is not None else one for one in verify_s]
    for drafts in range(len(by_place) + 1):
        if drafts:
            share = by_place[drafts - 1]
            reach = reach * share if chained else share
            tokens += reach
        cost = draft_s * (drafts if per_draft else bool(drafts))
        rates.append(tokens / (costs[drafts] + cost))
    return rates


def _best(rates, verify_s):
    best = rates.index(max(rates))
    return best, rates[best] * verify_s[0]


def _chosen(by_place, verify_s, draft_s, **faults):
    return _best(_rates(by_place, verify_s, draft_s, **faults), verify_s)


def _house(by_place, verify_s, draft_s):
    return _chosen(by_place, verify_s, draft_s)


class Wrong:
    def no_own_token(by_place, verify_s, draft_s):
        """A step without any accepted draft yields nothing in your count. The target's own token
        always comes."""
        return _chosen(by_place, verify_s, draft_s, own=0.0)

    def not_chained(by_place, verify_s, draft_s):
        """You add up the shares. The second draft is looked at only if the first stayed: with which
        probability does a place count at all?"""
        return _chosen(by_place, verify_s, draft_s, chained=False)

    def verifying_is_free(by_place, verify_s, draft_s):
        """Verifying costs one row in your sum, however many it has. `verify_s[k]` is the step with
        k drafts."""
        return _chosen(by_place, verify_s, draft_s, verify=0)

    def drafts_are_free(by_place, verify_s, draft_s):
        """The draft's own steps cost nothing in your sum."""
        return _chosen(by_place, verify_s, 0.0)

    def drafted_at_once(by_place, verify_s, draft_s):
        """You count one step of the draft. It drafts token by token, and k tokens take k."""
        return _chosen(by_place, verify_s, draft_s, per_draft=False)

    def first_place_for_all(by_place, verify_s, draft_s):
        """Every place counts with the first one's share. They differ: `by_place[i]` is that of
        place i."""
        return _chosen(by_place[:1] * len(by_place), verify_s, draft_s)

    def a_draft_at_least(by_place, verify_s, draft_s):
        """You draft at least one token. Where drafts lose, none is the best number."""
        rates = _rates(by_place, verify_s, draft_s)
        return _best([0.0, *rates[1:]], verify_s)

    def a_rate_for_the_gain(by_place, verify_s, draft_s):
        """Those are tokens per second. How many times as many are they as without drafts?"""
        best, gain = _house(by_place, verify_s, draft_s)
        return best, gain / verify_s[0]

    def only_what_is_more(by_place, verify_s, draft_s):
        """You say by how much the rate rises. Asked for is how many times as high it is: 1 where
        nothing changes."""
        best, gain = _house(by_place, verify_s, draft_s)
        return best, gain - 1

    def a_step_with_less(by_place, verify_s, draft_s):
        """You take the step that verifies one draft less. `verify_s[0]` is the step without any."""
        return _chosen(by_place, [verify_s[0], *verify_s[:-1]], draft_s)

    def stops_at_the_first_loss(by_place, verify_s, draft_s):
        """You stop where one draft more is worse than one less. Does it stay so? A first draft may
        cost more than it brings, and the next ones come cheaper."""
        rates = _rates(by_place, verify_s, draft_s)
        falls = [k for k in range(1, len(rates)) if rates[k] < rates[k - 1]]
        return _best(rates[: falls[0]] if falls else rates, verify_s)


def _some_costs():
    """Two to five places; steps that grow with the rows, and a draft's that is shorter."""
    from hypothesis import strategies as st

    share = st.integers(1, 19).map(lambda n: n / 20.3)

    def with_costs(places):
        grow = st.lists(st.integers(3, 61), min_size=len(places), max_size=len(places))
        cost = st.tuples(grow, st.integers(90, 300), st.integers(7, 80))
        return cost.map(lambda one: (places, _steps(one[1], one[0]), one[2] / 10_000))

    return st.lists(share, min_size=2, max_size=5).flatmap(with_costs)


def _steps(first, more):
    found = [first]
    for one in more:
        found.append(found[-1] + one)
    return [one / 10_000 for one in found]


COUNT = exercise(
    __doc__,
    Function(
        _house,
        _some_costs,
        always=(
            ([0.8, 0.7, 0.9, 0.6], [0.020, 0.021, 0.022, 0.023, 0.024], 0.002),
            ([0.3, 0.35], [0.010, 0.013, 0.016], 0.004),
            ([0.7, 0.2, 0.9], [0.010, 0.012, 0.013, 0.015], 0.001),
            ([0.25, 0.9, 0.9], [1.0, 1.2, 1.2, 1.2], 0.1),  # one draft loses, three gain
        ),
        misconceptions=mistakes_in(Wrong),
    ),
)
