r"""tails.bucket · A hedging budget as a token bucket · 6 minutes, optional

> What changes at every request, and what only when a copy is sent?
> At every request the bucket gains `share`, up to `burst`. A copy needs one whole token.
> tokens = min(burst, tokens + share); send = want and tokens >= 1; if send: tokens -= 1.

Of $n$ requests at most $b\,n$ plus one burst are hedged, whatever happens to the latency. That cuts
the loop: with a budget $b$ the servers get at most $\rho(1+b)$, which stays below 1 for every load
below $1/(1+b)$.
"""

from labutils.exercises.checkers import Function
from labutils.exercises.definition.sheet import exercise, mistakes_in, says


def _within_budget(wants, share, burst):
    tokens, sends = burst, []
    for want in wants:
        tokens = min(burst, tokens + share)
        send = bool(want and tokens >= 1)
        tokens -= send
        sends.append(send)
    return sends


def _bucket(wants, share, burst, *, start=None, cap=True, least=1.0, charged=lambda want: want):
    tokens, sends = burst if start is None else start, []
    for want in wants:
        tokens = min(burst, tokens + share) if cap else tokens + share
        send = bool(want and tokens >= least)
        tokens -= tokens >= least and charged(want)
        sends.append(send)
    return sends


_PAYS = """A request that wants a copy and gets none costs a token with you. What is a token paid
    for?"""


class Wrong:
    def never_full(wants, share, burst):
        """Your bucket has no rim. After a quiet hour it would allow a flood of copies at once: what
        does `burst` limit?"""
        return _bucket(wants, share, burst, cap=False)

    def starts_empty(wants, share, burst):
        """Your bucket starts empty. It should start with `burst` tokens."""
        return _bucket(wants, share, burst, start=0.0)

    def on_credit(wants, share, burst):
        """You send a copy for a fraction of a token. How many copies may twenty requests have at a
        share of 1/20?"""
        return _bucket(wants, share, burst, least=1e-12)

    def charges_everybody(wants, share, burst):
        """You take a token from requests that want no copy, too."""
        return _bucket(wants, share, burst, charged=lambda want: True)

    def share_of_those_who_want(wants, share, burst):
        """Your bucket gains only at requests that want a copy. The budget is a share of *all*
        requests."""
        asking = iter(_within_budget([want for want in wants if want], share, burst))
        return [bool(want and next(asking)) for want in wants]

    def gains_where_none_is_sent(wants, share, burst):
        """Your bucket gains only at requests that get no copy. Every request brings its share."""
        tokens, sends = burst, []
        for want in wants:
            sends.append(bool(want and tokens >= 1))
            tokens = tokens - 1 if sends[-1] else min(burst, tokens + share)
        return sends

    def gains_where_one_is_sent(wants, share, burst):
        """Your bucket gains only at requests that get a copy, so once empty it stays empty. Every
        request brings its share."""
        tokens, sends = burst, []
        for want in wants:
            sends.append(bool(want and tokens >= 1))
            tokens = min(burst, tokens - 1 + share) if sends[-1] else tokens
        return sends

    def never_refilled(wants, share, burst):
        """Once empty, your bucket stays empty. Does every request bring its share, and does the
        bucket keep fractions of a token?"""
        return _bucket(wants, 0.0, burst)

    def capped_after_the_copy(wants, share, burst):
        """You cap the bucket after the copy is paid for, so a full one pays out of more than
        `burst`. What runs over before the copy is sent?"""
        tokens, sends = burst, []
        for want in wants:
            sends.append(bool(want and tokens + share >= 1))
            tokens = min(burst, tokens + share - sends[-1])
        return sends

    def drops_what_runs_over(wants, share, burst):
        """A gain for which there is not room enough is lost as a whole, and your bucket never gets
        quite full. How much of it fits?"""
        tokens, sends = burst, []
        for want in wants:
            tokens += share if tokens + share <= burst else 0
            sends.append(bool(want and tokens >= 1))
            tokens -= sends[-1]
        return sends

    @says(_PAYS)
    def pays_for_nothing(wants, share, burst):
        tokens, sends = burst, []
        for want in wants:
            tokens = min(burst, tokens + share)
            sends.append(bool(want and tokens >= 1))
            tokens -= bool(want)
        return sends

    @says(_PAYS)
    def pays_what_it_has_for_nothing(wants, share, burst):
        tokens, sends = burst, []
        for want in wants:
            tokens = min(burst, tokens + share)
            sends.append(bool(want and tokens >= 1))
            tokens = max(0.0, tokens - bool(want))
        return sends

    def more_than_one(wants, share, burst):
        """With exactly one token in the bucket you send no copy. What does a copy cost?"""
        return _bucket(wants, share, burst, least=1 + 1e-12)

    def no_limit(wants, share, burst):
        """Everyone who wants a copy gets one. Do you ask for a whole token, and does a copy take
        it?"""
        return [bool(want) for want in wants]


def _some_wishes():
    """Up to forty requests; shares are powers of two, so that no token hides in a rounding."""
    from hypothesis import strategies as st

    wants = st.lists(st.booleans(), min_size=1, max_size=40)
    return st.tuples(wants, st.sampled_from([0.5, 0.25, 0.125, 0.0625]), st.integers(1, 4))


BUCKET = exercise(
    __doc__,
    Function(
        _within_budget,
        _some_wishes,
        misconceptions=mistakes_in(Wrong),
        always=(([True, False, False, True], 0.375, 1),),  # the third gain fits in part
    ),
)
