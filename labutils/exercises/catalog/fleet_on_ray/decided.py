"""ray.canary · Go on, wait or roll back · 7 minutes

> Three questions in order: does its alarm ring? Has it answered as many requests as was planned?
  What does each column say?
> The alarm does not wait for the plan. The plan holds for the column in which the canary has the
  fewest requests. At the plan there is no later: whatever is not good enough goes back.
> if is_burning: "roll back"; if min(canary[1] for canary, _, _ in columns) < planned: "wait"; then
  "go on" if every compare(canary, rest, tolerated=most).word is "good enough", else "roll back".

Every look is a chance to be wrong. Of 100 equal versions 5 seem to differ at one look at 95 %, and
19 at one of ten looks (Armitage, McPherson & Rowe 1969). So the number is fixed before. The alarm
is no such look: it asks whether users suffer now. At the plan "too early" is an answer as well. As
many requests as you meant to risk did not show that the new version is good, and the old one works.
Several columns need no correction here, since all of them have to be good enough: a bad canary
would need luck in the very column in which it is bad.
"""

import operator

from labutils.exercises.checkers import Function
from labutils.exercises.definition.sheet import exercise, mistakes_in, says
from labutils.telemetry.watching import compare

GO, WAIT, BACK = "go on", "wait", "roll back"


def _fewest(columns) -> int:
    return min(canary[1] for canary, _, _ in columns)


def _words(columns) -> list[str]:
    return [compare(canary, rest, tolerated=most).word for canary, rest, most in columns]


def _all_good(words) -> str:
    return GO if set(words) == {"good enough"} else BACK


def _share(counts) -> float:
    return counts[0] / counts[1]


def _decided(
    *, seen=_fewest, early=operator.lt, meanwhile=lambda words: WAIT, words=_words, then=_all_good,
    is_heard=lambda is_early: True,
):  # fmt: skip
    """``words`` of the columns decide ``then``, or ``meanwhile`` if too few were ``seen``."""

    def decided(columns, planned, is_burning=False):
        is_early = early(seen(columns), planned)
        if is_burning and is_heard(is_early):
            return BACK
        return (meanwhile if is_early else then)(words(columns))

    return decided


def _points(is_good):
    """Words from the two shares alone."""

    def words(columns):
        good = (is_good(_share(canary), _share(rest), most) for canary, rest, most in columns)
        return ["good enough" if one else "worse" for one in good]

    return words


def _pooled(columns) -> list[str]:
    canary, rest = ([*map(sum, zip(*(one[side] for one in columns)))] for side in (0, 1))
    return _words([(canary, rest, columns[0][2])])


def _surer(columns) -> list[str]:
    sure = 1 - 0.05 / len(columns)
    return [compare(*sides, tolerated=most, confidence=sure).word for *sides, most in columns]


def _one_by_one(columns, planned, is_burning=False):
    for column in columns:
        if (word := _decided()([column], planned, is_burning)) != GO:
            yield word


def _worst_first(words) -> str:
    return BACK if "worse" in words else WAIT if "too early" in words else GO


class Wrong:
    looks_at_once = says("""You judge before the planned number is there. Who looks again and again
        will see a difference in the end: when is the one look?""")(_decided(meanwhile=_all_good))
    bad_news_early = says("""You roll back before the planned number is there, since it looks worse.
        Every look is a chance to be wrong. What is the alarm for?""")(
        _decided(meanwhile=lambda words: BACK if "worse" in words else WAIT)
    )
    good_news_early = says("""You go on before the planned number is there, since it looks good.
        Every look is a chance to be wrong: when is the one look?""")(
        _decided(meanwhile=lambda words: GO if set(words) == {"good enough"} else WAIT)
    )
    any_news_early = says("""You decide before the planned number is there, as soon as it looks good
        or worse. Every look is a chance to be wrong: when is the one look?""")(
        _decided(meanwhile=_worst_first)
    )
    as_chapter_13_has_it = says("""That is chapter 13's rule. What waits for the planned number
        here, and who has to show what when it is there?""")(
        _decided(meanwhile=_worst_first, then=_worst_first)
    )
    never_waits = says("""You roll back where the planned number is not there yet. What would a
        canary ever be judged by?""")(_decided(meanwhile=lambda words: BACK))
    one_more = says("""You wait where the planned number is just there. `planned` are enough.""")(
        _decided(early=operator.le)
    )
    requests_of_the_others = says("""You count the others' requests. Whose are planned?""")(
        _decided(seen=lambda columns: min(rest[1] for _, rest, _ in columns))
    )
    requests_of_both = says("""You count the requests of both sides. Whose are planned?""")(
        _decided(seen=lambda columns: min(canary[1] + rest[1] for canary, rest, _ in columns))
    )
    sum_of_columns = says("""You add up the requests of all columns. A request may be in each of
        them, and each has to have its number.""")(
        _decided(seen=lambda columns: sum(canary[1] for canary, _, _ in columns))
    )
    fullest_column = says("""You judge as soon as one column has its number. What are the others
        judged by?""")(_decided(seen=lambda columns: max(canary[1] for canary, _, _ in columns)))
    first_column_for_the_plan = says("""You count the requests of the first column alone. What are
        the others judged by?""")(_decided(seen=lambda columns: columns[0][0][1]))
    column_by_column = says("""You judge a column before you know whether all the others have their
        number. What comes first?""")(lambda *given: next(_one_by_one(*given), GO))
    returns_in_the_loop = says("""Your loop returns at the first column, whatever it says. When do
        you know that all are good enough?""")(
        lambda columns, *more: next(_one_by_one(columns[:1], *more), GO)
    )
    one_good_column = says("""One column that is good enough lets the canary go on. What of users
        who meet the other one?""")(
        _decided(then=lambda words: GO if "good enough" in words else BACK)
    )
    waits_for_ever = says("""At the plan you wait on where a column is too early. For how long, and
        how often will you look?""")(_decided(then=_worst_first))
    waits_before_worse = says("""At the plan you wait on where one column is too early, although
        another may be worse. For how long, and how often will you look?""")(
        _decided(
            then=lambda words: WAIT if "too early" in words else BACK if "worse" in words else GO
        )
    )
    not_worse_is_good = says("""You go on where nothing is shown to be worse. With few requests
        nothing ever is: who has to show what?""")(
        _decided(then=lambda words: BACK if "worse" in words else GO)
    )
    only_if_all_are_worse = says("""You roll back where every column is worse. How many bad ones
        does it take?""")(_decided(then=lambda words: BACK if set(words) == {"worse"} else GO))
    alarm_unheard = says("""The alarm rings, and you judge as ever. What do users have of the plan
        now?""")(_decided(is_heard=lambda is_early: False))
    alarm_waits = says("""The alarm rings, and you wait for the planned number. Who pays for those
        requests?""")(_decided(is_heard=lambda is_early: not is_early))
    shares_alone = says("""You compare the two shares as they are. By chance alone they differ: what
        does `compare` put around the difference?""")(
        _decided(words=_points(lambda canary, rest, most: canary - rest <= most))
    )
    no_worse_share = says("""You go on where the canary's share is no higher than the others'. Half
        of all equal canaries are rolled back so. What is tolerated, and how sure are you?""")(
        _decided(words=_points(lambda canary, rest, most: canary <= rest))
    )
    a_verdict_is_no_word = says("""At the plan you always roll back. `compare` returns a `Verdict`,
        which is no text and equals none. What is in it?""")(_decided(then=lambda words: BACK))
    surer_of_more_columns = says("""You ask for more confidence since there are several columns. All
        have to be good enough: does a bad canary get through more easily for that?""")(
        _decided(words=_surer)
    )
    first_tolerance = says("""You take the first column's tolerance for all. Each has its own.""")(
        _decided(
            words=lambda columns: _words([(*one[:2], columns[0][2]) for one in columns]),
        )
    )
    sides_swapped = says("""You hand the others in as the canary. Who must not be worse than whom?
        """)(_decided(words=lambda columns: _words([(b, a, most) for a, b, most in columns])))
    first_column_alone = says("""You judge by the first column. What do the others say?""")(
        _decided(words=lambda columns: _words(columns[:1]))
    )
    last_column_alone = says("""The last column overrules those before it. How many bad ones does
        it take?""")(_decided(words=lambda columns: _words(columns[-1:])))
    pools_the_columns = says("""You add up the columns and compare once. What becomes of a bad one
        beside a larger good one?""")(_decided(words=_pooled))


def _some_canaries():
    """One to three columns, with fewer requests than planned, just so many, or more."""
    from hypothesis import strategies as st

    def canary(drawn):
        planned, columns, is_burning = drawn
        made = []
        for more, ratio, bad, off, most in columns:
            asked, others = planned + more, int(ratio * (planned + more))
            wrong = min(asked, max(0, round(asked * (bad + off))))
            made.append(((wrong, asked), (round(others * bad), others), most))
        return made, planned, is_burning

    column = st.tuples(
        st.sampled_from([-90, -1, 0, 1, 300]),
        st.sampled_from([0.6, 3.0, 9.0]),
        st.sampled_from([0.01, 0.04, 0.1]),
        st.sampled_from([-0.03, 0.0, 0.01, 0.05, 0.12]),
        st.sampled_from([0.013, 0.027, 0.061]),
    )
    columns = st.lists(column, min_size=1, max_size=3)
    burning = st.sampled_from([False, False, False, True])
    return st.tuples(st.sampled_from([100, 400, 2000]), columns, burning).map(canary)


_GOOD, _WORSE = ((4, 400), (12, 1200), 0.03), ((60, 400), (12, 1200), 0.03)
_UNSURE = (14, 400), (12, 1200), 0.03

DECIDED = exercise(
    __doc__,
    Function(
        _decided(),
        _some_canaries,
        always=(
            ([_GOOD], 400, False),
            ([_UNSURE], 300, False),
            ([((20, 400), (12, 1200), 0.03)], 300, False),
            ([((20, 400), (12, 1200), 0.08)], 300, False),
            ([((1, 400), (60, 1200), 0.03)], 300, False),
            ([_WORSE, _UNSURE], 300, False),
            ([_WORSE, _GOOD], 300, False),
            ([_GOOD], 401, False),
            ([_WORSE], 500, False),
            ([_UNSURE], 500, False),
            ([_GOOD], 1300, False),
            ([_GOOD], 2000, False),
            ([((4, 400), (3, 300), 0.05)], 350, False),
            ([_GOOD, _GOOD], 700, False),
            ([(*_GOOD[:2], 0.0145)] * 2, 400, False),
            ([_GOOD, ((10, 1000), (12, 1200), 0.03)], 500, False),
            ([((150, 1000), (12, 1200), 0.03), _GOOD], 500, False),
            ([((10, 1000), (12, 1200), 0.03), _GOOD], 500, False),
            ([_GOOD], 500, True),
            ([_GOOD], 300, True),
            ([((14, 400), (12, 1200), 0.08), _UNSURE], 300, False),
            ([((30, 300), (9, 900), 0.03), ((40, 4000), (90, 9000), 0.03)], 300, False),
            ([((40, 4000), (90, 9000), 0.03), ((30, 300), (9, 900), 0.03)], 300, False),
        ),
        misconceptions=mistakes_in(Wrong),
    ),
)
