"""The ridge of a machine: from how many tokens on a pass is arithmetic."""

import math

from labutils.exercises.checkers import Function
from labutils.exercises.definition.exercise import Exercise, Misconception


def _ridge_tokens(bandwidth, flops_per_s, bytes_per_weight):
    return flops_per_s * bytes_per_weight / (2 * bandwidth)


def _one_operation(bandwidth, flops_per_s, bytes_per_weight):
    return flops_per_s * bytes_per_weight / bandwidth


def _per_byte(bandwidth, flops_per_s, bytes_per_weight):
    return flops_per_s / bandwidth


def _one_byte(bandwidth, flops_per_s, bytes_per_weight):
    return flops_per_s / (2 * bandwidth)


def _upside_down(bandwidth, flops_per_s, bytes_per_weight):
    return 2 * bandwidth / (flops_per_s * bytes_per_weight)


def _divides_by_the_width(bandwidth, flops_per_s, bytes_per_weight):
    return flops_per_s / (2 * bandwidth * bytes_per_weight)


def _swapped(bandwidth, flops_per_s, bytes_per_weight):
    return bandwidth * bytes_per_weight / (2 * flops_per_s)


def _without_brackets(bandwidth, flops_per_s, bytes_per_weight):
    return flops_per_s * bytes_per_weight / 2 * bandwidth


def _rounded_up(bandwidth, flops_per_s, bytes_per_weight):
    return math.ceil(_ridge_tokens(bandwidth, flops_per_s, bytes_per_weight))


def _some_machines():
    """From a slow laptop to an accelerator; weights of half a byte to four."""
    from hypothesis import strategies as st

    return st.tuples(
        st.integers(4, 8000).map(lambda x: x * 1e9),
        st.integers(20, 90_000).map(lambda x: x * 1e9),
        st.sampled_from((0.5, 1, 2, 4)),
    )


RIDGE = Exercise(
    id="phases.ridge",
    title="The ridge of a machine",
    minutes=5,
    checker=Function(
        reference=_ridge_tokens,
        inputs=_some_machines,
        misconceptions=(
            Misconception(
                "operations-per-byte",
                _per_byte,
                "That is the machine's ridge in operations per byte. The question is about tokens: "
                "how many operations does a token do with each byte of weights that is read?",
            ),
            Misconception(
                "one-operation",
                _one_operation,
                "Count what a weight costs for one token: it is multiplied, and the product is "
                "added to a sum.",
            ),
            Misconception(
                "one-byte",
                _one_byte,
                "You read one byte for each weight. How wide is a weight here?",
            ),
            Misconception(
                "divides-by-the-width",
                _divides_by_the_width,
                "Wider weights take longer to read. Does a pass then need more tokens, or fewer, "
                "before its arithmetic takes as long?",
            ),
            Misconception(
                "rounded-up",
                _rounded_up,
                "Return the number as it comes out, unrounded: later cells compute with it.",
            ),
            Misconception(
                "swapped",
                _swapped,
                "Bandwidth and peak stand in each other's place. Which of them makes a pass wait "
                "for its weights?",
            ),
            Misconception(
                "without-brackets",
                _without_brackets,
                "`a / 2 * b` multiplies by b: Python works from the left. Put brackets around what "
                "you divide by.",
            ),
            Misconception(
                "upside-down",
                _upside_down,
                "Your result is the other way up: a machine with more arithmetic should need "
                "more tokens to keep it busy.",
            ),
        ),
    ),
    hints=(
        "Take a single weight. How long does it take to read it? How long to use it for n tokens?",
        "Reading: bytes_per_weight / bandwidth. Using it for n tokens: 2 n / flops_per_s.",
        "Set the two equal: bytes_per_weight / bandwidth = 2 n / flops_per_s, and solve for n.",
    ),
    explanation=(
        "A weight of $b$ bytes takes $b/\\beta$ to read and $2n/F$ to use for $n$ tokens. The two "
        "are equal at $n = F b / (2\\,\\beta)$. Below it the pass waits for memory, and a further "
        "token is free; above it for arithmetic, and each costs its share. The number of weights "
        "does not appear: the ridge belongs to the machine and the width of a weight, not to the "
        "model."
    ),
)
