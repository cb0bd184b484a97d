"""sealed.tpot · The true time per token · 6 minutes

> One span, two rulers. How many gaps does it hold between tokens, and how many between the client's
  events?
> The client's gap is `reported_tpot_s` long: how many of them fill the span? There is one event
  more than gaps. Divide the events by the tokens, and the span by the gaps between tokens.
> return span / (tokens - 1), (span / reported_tpot_s + 1) / tokens.

A time per token is a time by a count, and the count is what goes wrong. The two times are readings
of a clock, and the length of the answer was forced: these three check the fourth number.

The ends matter. With two events for each token, gaps by gaps are $(2n - 1) / (n - 1)$: 2.5 for the
3 tokens above, 2.004 for 248. Events by tokens are 2 in both.
"""

import math

from labutils.exercises.checkers import Function
from labutils.exercises.definition.sheet import exercise, mistakes_in, says


def _rule(
    tpot=lambda span, n, told: span / (n - 1), events=lambda span, n, told: (span / told + 1) / n
):
    """The pair with another idea of the time per token or of the events for each."""

    def true_tpot(e2e_s, ttft_s, tokens, reported_tpot_s):
        given = e2e_s - ttft_s, tokens, reported_tpot_s
        return tpot(*given), events(*given)

    return true_tpot


_true = _rule()

_ENDS = "The client saw one event more than gaps. Where do you add it, before or after you divide?"
_WHOLE = """You round. The arguments may be means over thousands of answers: what comes out need not
    be whole."""
_SPAN = "You take the whole time, end to end. From when on does the user wait for further tokens?"


class Wrong:
    over_the_tokens = says("""You divide the span by the tokens. It begins with the first of them:
        how many gaps follow?""")(_rule(tpot=lambda span, n, told: span / n))
    as_many_gaps_as_tokens = says("""You count as many gaps as tokens, and as many gaps as events.
        Draw three tokens in a row: how many gaps lie between them?""")(
        _rule(lambda span, n, told: span / n, lambda span, n, told: span / told / n)
    )
    gaps_for_events = says("""Your time is right. You count the client's gaps. How many events does
        it take to have so many between them?""")(
        _rule(events=lambda span, n, told: span / told / n)
    )
    gaps_by_gaps = says("""Your time is right. You set gaps against gaps, or one TPOT against the
        other. That comes near; asked are all events, by all tokens.""")(
        _rule(events=lambda span, n, told: span / told / (n - 1))
    )
    events_by_gaps = says("""Your time is right, and so are the client's events. You share them out
        among the gaps between tokens: asked are events for each token.""")(
        _rule(events=lambda span, n, told: (span / told + 1) / (n - 1))
    )
    all_events = says("""Your time is right. Those are all the events of an answer. How many for
        each token?""")(_rule(events=lambda span, n, told: span / told + 1))
    all_gaps = says("""Your time is right. Those are all the gaps that the client saw. How many
        events is that, and how many for each token?""")(
        _rule(events=lambda span, n, told: span / told)
    )
    upside_down = says("""Your time is right. You return tokens for each event. Asked are events for
        each token.""")(_rule(events=lambda span, n, told: n / (span / told + 1)))
    one_event_less = says("""Your time is right. You take one away from the client's gaps. Are there
        fewer events than gaps between them?""")(
        _rule(events=lambda span, n, told: (span / told - 1) / n)
    )
    added_afterwards = says(_ENDS)(_rule(events=lambda span, n, told: span / told / n + 1))
    one_divided_alone = says(_ENDS)(_rule(events=lambda span, n, told: span / told + 1 / n))
    whole_gaps = says(_WHOLE)(_rule(events=lambda span, n, told: (round(span / told) + 1) / n))
    cut_gaps = says(_WHOLE)(_rule(events=lambda span, n, told: (span // told + 1) / n))
    whole_events = says(_WHOLE)(_rule(events=lambda span, n, told: round((span / told + 1) / n)))
    cut_events = says(_WHOLE)(_rule(events=lambda span, n, told: (span / told + 1) // n))
    next_whole_events = says(_WHOLE)(
        _rule(events=lambda span, n, told: math.ceil((span / told + 1) / n))
    )

    @says(_SPAN)
    def end_to_end(e2e_s, ttft_s, tokens, reported_tpot_s):
        return e2e_s / (tokens - 1), _true(e2e_s, ttft_s, tokens, reported_tpot_s)[1]

    @says(_SPAN)
    def end_to_end_twice(e2e_s, ttft_s, tokens, reported_tpot_s):
        return _true(e2e_s, 0, tokens, reported_tpot_s)

    def end_to_end_over_tokens(e2e_s, ttft_s, tokens, reported_tpot_s):
        """You divide the whole time by all tokens. Part of it is the wait for the first one: which
        time is left, and for how many gaps?"""
        return e2e_s / tokens, _true(e2e_s, ttft_s, tokens, reported_tpot_s)[1]

    as_reported = says("""You return the client's own TPOT. It took the span over the gaps between
        events: how many gaps are there between tokens?""")(_rule(tpot=lambda span, n, told: told))
    doubled = says("""You double what the client reported. Another client may count one event for a
        token, or three. Start from the span.""")(_rule(tpot=lambda span, n, told: 2 * told))
    by_the_events = says("""Your events are right. You multiply the reported TPOT by them, which
        comes near. How many gaps does the span have, between tokens?""")(
        _rule(tpot=lambda span, n, told: told * (span / told + 1) / n)
    )
    per_second = says("""You return tokens a second. Asked is the time that one takes.""")(
        _rule(tpot=lambda span, n, told: (n - 1) / span)
    )
    milliseconds = says("""Your time is in milliseconds. What does `tpot_s` end in?""")(
        _rule(tpot=lambda span, n, told: 1e3 * span / (n - 1))
    )

    def other_way_round(e2e_s, ttft_s, tokens, reported_tpot_s):
        """Both are right, and stand the other way round: (tpot_s, events)."""
        return _true(e2e_s, ttft_s, tokens, reported_tpot_s)[::-1]


def _some_answers():
    """Two to nine tokens, of which the client saw up to four gaps for each.

    No span is a whole number of its gaps: rounding shows, and never decides.
    """
    from hypothesis import strategies as st

    def answer(drawn):
        ttft, span, *others = drawn  # two times, in hundredths of a second
        return (ttft + span) / 100, ttft / 100, *others

    answers = st.tuples(
        st.integers(2, 60),
        st.integers(4, 90),
        st.integers(2, 9),
        st.sampled_from([0.0113, 0.0207, 0.0311, 0.0713, 0.1303]),
    )
    return answers.filter(lambda drawn: 1 <= drawn[1] / 100 / drawn[3] <= 4 * drawn[2]).map(answer)


TRUE_TPOT = exercise(
    __doc__,
    Function(
        _true,
        _some_answers,
        always=(
            (0.5, 0.1, 3, 0.08),
            (2.25, 0.25, 5, 0.5),  # one event for each token
            (1.0, 0.375, 2, 0.125),  # three
            (4.15815, 0.05185, 248, 0.00826),
            (0.9, 0.3, 7, 0.25),  # fewer events than tokens
        ),
        misconceptions=mistakes_in(Wrong),
    ),
)
