r"""reuse.early · Renew it before it dies · 3 minutes, optional

> Each request looks a little ahead: it acts as if it were later than it is. By how much?
> The lead is exponential with mean cost_s: -cost_s * ln(u), which is not negative.
> return now_s - cost_s * math.log(u) >= dies_s

$-\ln u$ is exponential with mean 1, so a request at time $t$ before the death renews with
probability $e^{-t/\delta}$, where $\delta$ is the cost: hardly ever while there is time, certainly
at the end. Values that take long begin earlier. With many requests one of them draws a long lead
and renews alone, while the others still have the old value (XFetch: Vattani, Chierichetti and
Lowenstein, 2015).
"""

import math

from labutils.exercises.checkers import Function
from labutils.exercises.definition.exercise import Raises
from labutils.exercises.definition.sheet import exercise, mistakes_in, says


def _refresh_early(now_s, dies_s, cost_s, u):
    from labutils.caching import refreshes_early

    return refreshes_early(now_s, dies_s, cost_s, 1.0, u)


def _rule(moment):
    """The rule with another idea of the moment that is compared with the death."""

    def refresh(now_s, dies_s, cost_s, u):
        return moment(now_s, cost_s, u) >= dies_s

    return refresh


class Wrong:
    plus_sign = says("""You add the logarithm. Of a number below 1 it is negative: do you renew
        earlier or later?""")(_rule(lambda now_s, cost_s, u: now_s + cost_s * math.log(u)))
    log10 = says("""Your logarithm is to the base 10. Which one belongs to an exponential?""")(
        _rule(lambda now_s, cost_s, u: now_s - cost_s * math.log10(u))
    )
    log2 = says("""Your logarithm is to the base 2. Which one belongs to an exponential?""")(
        _rule(lambda now_s, cost_s, u: now_s - cost_s * math.log2(u))
    )
    at_its_death_only = says("""You renew when the value has died. Then everybody who asks comes at
        once.""")(_rule(lambda now_s, cost_s, u: now_s))
    without_the_cost = says("""The cost is not in it. Whom does it pay to begin earlier, the cheap
        value or the dear one?""")(_rule(lambda now_s, cost_s, u: now_s - math.log(u)))
    divided_by_the_cost = says("""You divide by the cost. Should a value that takes long be renewed
        earlier or later?""")(_rule(lambda now_s, cost_s, u: now_s - math.log(u) / cost_s))
    fixed_margin = says("""You renew a fixed time before the death, all at once. What is `u`
        for?""")(_rule(lambda now_s, cost_s, u: now_s + cost_s))
    no_logarithm = says("""You take a share of the cost. How does `u` become an exponential
        time?""")(_rule(lambda now_s, cost_s, u: now_s + cost_s * u))
    no_logarithm_minus = says("""You take a share of the cost off, and renew after the death. How
        does `u` become an exponential time, and in which direction does it go?""")(
        _rule(lambda now_s, cost_s, u: now_s - cost_s * u)
    )

    time_left = says("""You compare the lead with `dies_s` itself. It is a moment, as `now_s` is:
        how much time is left?""")(_rule(lambda now_s, cost_s, u: -cost_s * math.log(u)))

    def strictly_later(now_s, dies_s, cost_s, u):
        """At the moment of its death the value is not renewed. May it still be served?"""
        return now_s - cost_s * math.log(u) > dies_s

    def reversed_(now_s, dies_s, cost_s, u):
        """You renew when there is time, and not when the value is dead. Which way round is the
        comparison?"""
        return now_s - cost_s * math.log(u) <= dies_s

    def lead_the_wrong_way(now_s, dies_s, cost_s, u):
        """The time that is left has the wrong sign: with much of it you renew, with little you do
        not. What is left of the value's life at now_s?"""
        return now_s - dies_s <= -cost_s * math.log(u)

    def never_when_dead(now_s, dies_s, cost_s, u):
        """A value that is dead is not renewed."""
        return now_s < dies_s <= now_s - cost_s * math.log(u)

    def probability(now_s, dies_s, cost_s, u):
        """That is the probability of a renewal. Does this request renew, True or False?"""
        return min(1.0, math.exp((now_s - dies_s) / cost_s))

    def cost_over_what_is_left(now_s, dies_s, cost_s, u):
        """You compare `u` with the cost as a share of the time that is left, and at the death none
        is left. How does `u` become an exponential time?"""
        if now_s == dies_s:
            return Raises(ZeroDivisionError)
        return u < cost_s / (dies_s - now_s)

    def one_less_u(now_s, dies_s, cost_s, u):
        """You take the logarithm of 1 - u. It is an exponential time as well, and another one: the
        check says which request leads by how much, a small `u` by a lot."""
        return Raises(ValueError) if u == 1 else now_s - cost_s * math.log(1 - u) >= dies_s

    def moment(now_s, dies_s, cost_s, u):
        """That is a moment. Does this request renew, True or False?"""
        return now_s - cost_s * math.log(u)


def _some_requests():
    """Whole moments around a death, a cost, and luck; no rule is met by a rounding."""
    from hypothesis import strategies as st

    return st.tuples(
        st.integers(20, 60),
        st.integers(20, 60),
        st.sampled_from([0.5, 1.5, 3.0, 8.0, 20.0]),
        st.sampled_from([0.01, 0.05, 0.2, 0.35, 0.6, 0.8, 0.95, 1.0]),
    )


EARLY = exercise(
    __doc__,
    Function(
        _refresh_early,
        _some_requests,
        always=(
            (30, 30, 3.0, 1.0),
            (31, 30, 3.0, 0.6),
            (29, 30, 3.0, 0.6),
            (29, 30, 3.0, 0.8),
            (25, 30, 3.0, 0.05),
            (28, 30, 20.0, 0.8),
            (20, 21, 8.0, 0.05),
            (25, 30, 20.0, 0.8),
            (20, 22, 0.5, 0.2),
        ),
        misconceptions=mistakes_in(Wrong),
    ),
)
