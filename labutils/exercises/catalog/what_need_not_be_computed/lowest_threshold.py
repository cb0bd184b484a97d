"""The lowest threshold of a semantic cache that keeps its promise about errors."""

from dataclasses import dataclass

from labutils.exercises.checkers import Function
from labutils.exercises.definition.exercise import Exercise, Misconception

from . import threshold_ways as ways


@dataclass(frozen=True)
class Upper:
    """An upper end for the exercise, as if a few more errors and hits had been seen.

    A plain function to whoever calls it; printed, it can be pasted.
    """

    errors: float
    hits: int

    def __call__(self, errors, hits):
        return (errors + self.errors) / (hits + self.hits)

    def __repr__(self):
        return f"lambda errors, hits: (errors + {self.errors}) / (hits + {self.hits})"


ONE_OF_ONE, ONE_OF_TWO, HALF_OF_ONE = Upper(1, 1), Upper(1, 2), Upper(0.5, 1)


def _some_pairs():
    """Up to sixteen pairs in any order, some equally similar; mostly the same answer."""
    from hypothesis import strategies as st

    pair = st.tuples(
        st.integers(80, 97).map(lambda n: n / 100),
        st.sampled_from([True, True, True, True, False]),
    )
    return st.tuples(
        st.lists(pair, max_size=4) | st.lists(pair, min_size=7, max_size=16),
        st.sampled_from([0.1, 0.2, 0.25, 0.4]),
        st.sampled_from([ONE_OF_ONE, ONE_OF_TWO, HALF_OF_ONE]),
    )


def _labelled(start, step, labels):
    """Pairs from the least similar one up: T for the same answer, F for another one."""
    return [(round(start + step * k, 2), letter == "T") for k, letter in enumerate(labels)]


_RISING = _labelled(0.8, 0.01, "FFTTTTTFT")
_TWICE = _labelled(0.8, 0.01, "FTTTTTTTTTFFTTTTT")
_TIED = [(0.8, False), (0.8, True), (0.8, True), (0.9, True), (0.9, True), (0.9, True)]

_FROM_ZERO = [(-0.1, False), (0.0, True), (0.5, True), (0.6, True)]
_FROM_BELOW = [(-0.5, False), (-0.25, True), (0.5, True), (0.6, True)]

THRESHOLD = Exercise(
    id="reuse.threshold",
    title="The lowest threshold that keeps a promise",
    minutes=4,
    checker=Function(
        reference=ways.lowest,
        inputs=_some_pairs,
        always=(
            ([], 0.1, ONE_OF_ONE),
            ([(0.9, False)], 0.2, ONE_OF_ONE),
            (_RISING, 0.25, ONE_OF_TWO),
            (_RISING[::-1], 0.25, ONE_OF_ONE),
            (_TWICE, 0.2, ONE_OF_TWO),
            (_TWICE, 0.25, HALF_OF_ONE),
            (_TIED, 0.25, ONE_OF_TWO),
            (_TIED[::-1], 0.25, ONE_OF_ONE),
            (_labelled(0.8, 0.01, "TTTTTTTT"), 0.4, ONE_OF_TWO),
            (_labelled(0.8, 0.01, "FTTT"), 0.4, ONE_OF_ONE),
            (_FROM_ZERO, 0.25, ONE_OF_TWO),
            (_FROM_BELOW, 0.25, ONE_OF_TWO),
            ([(0.9, False)], 0.8, HALF_OF_ONE),  # an `upper` with its arguments swapped passes
        ),
        misconceptions=(
            Misconception(
                "point-estimate",
                ways.judged(lambda e, h, m, n, upper: e / h),
                "You promise what you have seen, `errors / hits`. How far above it may the true "
                "share lie?",
            ),
            Misconception(
                "stops-at-the-first-failure",
                ways.until_the_first_failure,
                "You go down from the highest similarity and stop at the first one that fails. "
                "Few hits say little: does it get better with more of them?",
            ),
            Misconception(
                "stops-when-it-fails-again",
                ways.until_it_fails_again,
                "You stop at the first threshold that fails after one that passed. A lower one may "
                "pass again: have you looked at all?",
            ),
            Misconception(
                "by-halves",
                ways.by_halves,
                "You halve the range, as if every threshold passed that is above one that passes. "
                "Two hits prove less than twenty: does it hold?",
            ),
            Misconception(
                "highest",
                ways.highest,
                "You take the highest threshold that passes. Which one gives the most hits?",
            ),
            Misconception(
                "errors-over-all",
                ways.judged(lambda e, h, m, n, upper: upper(e, n)),
                "You set the errors against all pairs. The promise is about those who get an "
                "answer from the cache: how many are they?",
            ),
            Misconception(
                "same-is-an-error",
                ways.judged(lambda e, h, m, n, upper: upper(h - e, h)),
                "You count the hits with the same answer as errors. What does True say?",
            ),
            Misconception(
                "missed-is-an-error",
                ways.judged(lambda e, h, m, n, upper: upper(e + m, h)),
                "You count pairs below the threshold, which could have been hits, as errors. What "
                "do their users get?",
            ),
            Misconception(
                "wrong-of-all",
                ways.judged(lambda e, h, m, n, upper: upper(e + m, n)),
                "You count every pair on the wrong side of the threshold, among all pairs. The "
                "promise is about hits alone: what do users get who miss?",
            ),
            Misconception(
                "right-for-hits",
                ways.judged(lambda e, h, m, n, upper: upper(e, h - e)),
                "You hand `upper` the hits with the same answer. An error is a hit, too.",
            ),
            Misconception(
                "swapped",
                ways.judged(lambda e, h, m, n, upper: upper(h, e)),
                "You hand `upper` the hits first. In which order does it take the two?",
            ),
            Misconception(
                "strictly-above",
                ways.strictly,
                "A pair exactly at the threshold is no hit for you. What does *at least* say?",
            ),
            Misconception(
                "hits-below",
                ways.hits_below,
                "You take the pairs below the threshold as hits. Is it a similarity or a distance?",
            ),
            Misconception(
                "strictly-below-max-error",
                ways.below_max_error,
                "A bound of exactly `max_error` fails for you. What does *at most* say?",
            ),
            Misconception(
                "highest-if-none",
                ways.or_the_highest,
                "You return the highest similarity where no threshold passes. What would the cache "
                "promise with it?",
            ),
            Misconception(
                "one-if-none",
                ways.otherwise(1.0),
                "You return 1.0 where no threshold passes. Nobody has tried it: what is asked for?",
            ),
            Misconception(
                "zero-if-none",
                ways.otherwise(0),
                "You return 0 where no threshold passes: then everything is a hit. What is asked "
                "for?",
            ),
            Misconception(
                "zero-is-none",
                ways.zero_is_none,
                "A threshold of 0 that passes counts as none for you. How do you see that one was "
                "found?",
            ),
            Misconception(
                "above-zero",
                ways.above_zero,
                "You try only similarities above 0. A cosine may be 0, or less: does the promise "
                "fail there?",
            ),
            Misconception(
                "from-zero-up",
                ways.from_zero_up,
                "You leave out similarities below 0. A cosine may be negative: does the promise "
                "fail there?",
            ),
            Misconception(
                "no-errors-at-all",
                ways.without_errors,
                "You allow no error among the hits. `max_error` allows some, and no error in two "
                "hits proves little: what does `upper` say of them?",
            ),
            Misconception(
                "own-bound",
                ways.judged(ways.own_bound),
                "You compute a bound of your own. The one to use comes in as `upper`.",
            ),
            Misconception(
                "reversed",
                ways.reversed_comparison,
                "You collect the thresholds that break the promise. Which way round is the "
                "comparison?",
            ),
            Misconception(
                "smallest-bound",
                ways.safest,
                "You take the threshold with the smallest bound. Of all that keep the promise, "
                "which one gives the most hits?",
            ),
            Misconception(
                "splits-equal-similarities",
                ways.pair_by_pair(),
                "You take the pairs one by one. Those of equal similarity are hits together or not "
                "at all.",
            ),
            Misconception(
                "splits-equals-in-order",
                ways.pair_by_pair(key=lambda pair: pair[0]),
                "You take the pairs one by one, also where they are equally similar. Does a "
                "threshold let one of them in and not the other?",
            ),
            Misconception(
                "all-that-pass",
                ways.all_thresholds,
                "You return every threshold that passes. Asked is the lowest.",
            ),
            Misconception(
                "bound", ways.bound, "You return the bound on the errors. Asked is the threshold."
            ),
        ),
    ),
    hints=(
        "Try each of the similarities as a threshold, and none instead of none.",
        "At a threshold t the hits are the pairs with similarity >= t, and the errors those hits "
        "whose second entry is False. More hits may pass where fewer failed: try all.",
        "Collect every t for which upper(errors, hits) <= max_error, and return "
        "min(collected, default=None).",
    ),
    explanation=(
        "Two things pull at the bound as the threshold falls. There are more errors, and there are "
        "more hits, from which more is known. So it is not monotone: at the top it is high because "
        "two hits prove nothing, further down it falls, and at last the errors carry it up. A "
        "search that stops at the first failure finds nothing, or less than there is.\n\n"
        "Who tries many thresholds on the same pairs and keeps the best has looked often, and one "
        "of the bounds will be too good by luck. Confirm the choice on pairs that had no part in "
        "it, or raise the confidence for the number of tries, as "
        "`labutils.caching.choose_threshold` does."
    ),
)
