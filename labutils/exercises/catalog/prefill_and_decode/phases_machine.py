r"""phases.ridge · The ridge of a machine · 5 minutes

> Take a single weight. How long does it take to read it? How long to use it for n tokens?
> Reading: bytes_per_weight / bandwidth. Using it for n tokens: 2 n / flops_per_s.
> Set the two equal: bytes_per_weight / bandwidth = 2 n / flops_per_s, and solve for n.

A weight of $b$ bytes takes $b/\beta$ to read and $2n/F$ to use for $n$ tokens. The two are equal at
$n = F b / (2\,\beta)$. Below it the pass waits for memory, and a further token is free; above it
for arithmetic, and each costs its share. The number of weights does not appear: the ridge belongs
to the machine and the width of a weight, not to the model.
"""

import math

from labutils.exercises.checkers import Function
from labutils.exercises.definition.sheet import exercise, mistakes_in, says


def _ridge_tokens(bandwidth, flops_per_s, bytes_per_weight):
    return flops_per_s * bytes_per_weight / (2 * bandwidth)


_UPSIDE_DOWN = (
    "Your result is the other way up: a machine with more arithmetic should need more tokens to "
    "keep it busy."
)


class Wrong:
    def operations_per_byte(bandwidth, flops_per_s, bytes_per_weight):
        """That is the machine's ridge in operations per byte. The question is about tokens: how
        many operations does a token do with each byte of weights that is read?"""
        return flops_per_s / bandwidth

    def one_operation(bandwidth, flops_per_s, bytes_per_weight):
        """Count what a weight costs for one token: it is multiplied, and the product is added to a
        sum."""
        return flops_per_s * bytes_per_weight / bandwidth

    def one_byte(bandwidth, flops_per_s, bytes_per_weight):
        """You read one byte for each weight. How wide is a weight here?"""
        return flops_per_s / (2 * bandwidth)

    def divides_by_the_width(bandwidth, flops_per_s, bytes_per_weight):
        """Wider weights take longer to read. Does a pass then need more tokens, or fewer, before
        its arithmetic takes as long?"""
        return flops_per_s / (2 * bandwidth * bytes_per_weight)

    def divides_by_the_width_of_one(bandwidth, flops_per_s, bytes_per_weight):
        """Wider weights take longer to read. Does a pass then need more tokens, or fewer? And how
        many operations does a token do with each weight?"""
        return flops_per_s / (bandwidth * bytes_per_weight)

    def rounded_up(bandwidth, flops_per_s, bytes_per_weight):
        """Return the number as it comes out, unrounded: later cells compute with it."""
        return math.ceil(_ridge_tokens(bandwidth, flops_per_s, bytes_per_weight))

    def swapped(bandwidth, flops_per_s, bytes_per_weight):
        """Bandwidth and peak stand in each other's place. Which of them makes a pass wait for its
        weights?"""
        return bandwidth * bytes_per_weight / (2 * flops_per_s)

    def without_brackets(bandwidth, flops_per_s, bytes_per_weight):
        """`a / 2 * b` multiplies by b: Python works from the left. Put brackets around what you
        divide by."""
        return flops_per_s * bytes_per_weight / 2 * bandwidth

    @says(_UPSIDE_DOWN)
    def upside_down(bandwidth, flops_per_s, bytes_per_weight):
        return 2 * bandwidth / (flops_per_s * bytes_per_weight)

    @says(_UPSIDE_DOWN)
    def bytes_per_operation(bandwidth, flops_per_s, bytes_per_weight):
        return bandwidth / flops_per_s


def _some_machines():
    """From a slow laptop to an accelerator; weights of half a byte to four."""
    from hypothesis import strategies as st

    return st.tuples(
        st.integers(4, 8000).map(lambda x: x * 1e9),
        st.integers(20, 90_000).map(lambda x: x * 1e9),
        st.sampled_from((0.5, 1, 2, 4)),
    )


RIDGE = exercise(
    __doc__, Function(_ridge_tokens, _some_machines, misconceptions=mistakes_in(Wrong))
)
