"""How many copies prefill, and how many decode."""

from labutils.exercises.checkers import Function
from labutils.exercises.definition.exercise import Exercise, Misconception


def _best(copies, rate_of, choices=None, prefer=min):
    rates = {n: rate_of(n) for n in (choices or range(1, copies))}
    most = max(rates.values())
    return prefer(n for n, rate in rates.items() if rate == most)


def _split(copies, prefill_per_s, decode_per_s):
    return _best(copies, lambda n: min(n * prefill_per_s, (copies - n) * decode_per_s))


def _proportional(copies, prefill_per_s, decode_per_s):
    return round(copies * prefill_per_s / (prefill_per_s + decode_per_s))


def _rounded(copies, prefill_per_s, decode_per_s):
    return round(copies * decode_per_s / (prefill_per_s + decode_per_s))


def _down(copies, prefill_per_s, decode_per_s):
    return max(1, int(copies * decode_per_s / (prefill_per_s + decode_per_s)))


def _most_of_both(copies, prefill_per_s, decode_per_s):
    return _best(copies, lambda n: n * prefill_per_s + (copies - n) * decode_per_s)


def _half(copies, prefill_per_s, decode_per_s):
    return copies // 2


def _most_prefill(copies, prefill_per_s, decode_per_s):
    rate = lambda n: min(n * prefill_per_s, (copies - n) * decode_per_s)  # noqa: E731
    return _best(copies, rate, prefer=max)


def _decoding(copies, prefill_per_s, decode_per_s):
    return copies - _split(copies, prefill_per_s, decode_per_s)


def _rate(copies, prefill_per_s, decode_per_s):
    n = _split(copies, prefill_per_s, decode_per_s)
    return min(n * prefill_per_s, (copies - n) * decode_per_s)


def _some_pools():
    """Two to sixteen copies, and rates of one copy that differ up to twentyfold."""
    from hypothesis import strategies as st

    rate = st.sampled_from([0.5, 1.5, 2.0, 3.5, 6.0, 11.0])
    return st.tuples(st.integers(2, 16), rate, rate)


POOL_SPLIT = Exercise(
    id="layouts.pools",
    title="How many copies prefill",
    minutes=4,
    optional=True,
    checker=Function(
        reference=_split,
        inputs=_some_pools,
        always=(
            (8, 6.0, 2.0),
            (7, 2.0, 6.0),
            (5, 3.5, 1.5),
            (2, 11.0, 0.5),
            (3, 2.0, 2.0),
            (9, 1.5, 11.0),
        ),
        misconceptions=(
            Misconception(
                "in-proportion-to-rates",
                _proportional,
                "You give the faster side more copies. It needs fewer.",
            ),
            Misconception(
                "rounded",
                _rounded,
                "You round the balanced share. Copies are whole, and rounding may leave one side "
                "without, or take the worse of two neighbours: compare what they carry.",
            ),
            Misconception(
                "rounded-down",
                _down,
                "You round the balanced share down. One copy more may carry more: compare.",
            ),
            Misconception(
                "sum-of-both",
                _most_of_both,
                "You add what both sides carry, or take the larger. A request needs both: which "
                "side rules?",
            ),
            Misconception(
                "half", _half, "You halve the copies, whatever the rates. Are the two jobs equal?"
            ),
            Misconception(
                "most-where-equal",
                _most_prefill,
                "Two splits carry the same, and you take the one with more prefill. What is asked "
                "for?",
            ),
            Misconception(
                "decoding", _decoding, "Those are the copies that decode. Asked are the others."
            ),
            Misconception(
                "rate", _rate, "That is the rate it carries. Asked is the number of copies."
            ),
        ),
    ),
    hints=(
        "If n copies prefill, what can the prefill side carry, and what the decode side? Which of "
        "the two limits the whole?",
        "Try n from 1 to copies - 1: the whole carries min(n · prefill, (copies - n) · decode).",
        "return max(range(1, copies), key=lambda n: min(n * prefill_per_s, (copies - n) * "
        "decode_per_s)). `max` takes the first of equals.",
    ),
    explanation=(
        "The two sides are balanced where $n\\,\\mu_p = (N - n)\\,\\mu_d$. Few copies cannot be "
        "split there, and what rounding loses is the price of two pools: with four copies it can "
        "be a quarter. And the mix moves over the day, while a split stands."
    ),
)
