"""What the table of The Tail at Scale is compatible with."""

import math

import numpy as np
import pytest

from labutils.laws import tails

Q = tails.TAIL_AT_SCALE_QUANTILES
ONE, MOST, ALL = tails.TAIL_AT_SCALE_MS.values()


def levels(n, correlation):
    """(leaf quantile, milliseconds) of the two lower rows, if a page has n alike leaves."""
    ranks = {math.ceil(0.95 * n): MOST, n: ALL}
    return [
        (tails.order_statistic_quantile(q, k, n, correlation=correlation), ms)
        for k, row in ranks.items()
        for q, ms in zip(Q, row)
    ]


def fit_together(n, correlation):
    """Whether later times stand at higher quantiles of the leaf, as in any distribution."""
    in_time = sorted(levels(n, correlation), key=lambda level: level[1])
    return bool((np.diff([quantile for quantile, _ in in_time]) > 0).all())


def test_the_table_is_in_order():
    for row in (ONE, MOST, ALL):
        assert list(row) == sorted(row)
    assert (np.array(ONE) < MOST).all() and (np.array(MOST) < ALL).all()


@pytest.mark.parametrize("n", (20, 100, 500, 2_000, 100_000))
def test_no_dependence_makes_the_first_row_a_random_leaf_of_the_second(n):
    k = math.ceil(0.95 * n)
    least, _ = tails.leaf_share_bounds(1 - Q[0], k, n)  # later than 12 ms
    assert MOST[0] > ONE[2] and least > 2.4 * (1 - Q[2])  # at most 1 % are later than 10 ms


def test_independent_leaves_put_the_median_of_the_second_row_below_the_leafs_p95():
    assert tails.order_statistic_quantile(0.5, 95, 100) == pytest.approx(0.9435, abs=5e-5)
    assert MOST[0] > 2 * ONE[1]
    for correlation in (0.1, 0.5, 0.9):
        moved = tails.order_statistic_quantile(0.5, 95, 100, correlation=correlation)
        assert moved < 0.9435


def test_the_last_row_alone_is_compatible_with_independence_from_69_leaves_on():
    at = [tails.required_leaf_quantile(q, 100) for q in Q]
    assert at == pytest.approx([0.99309, 0.99949, 0.99990], abs=5e-6)
    # 40 ms lies beyond the leaf's p99 of 10 ms.
    assert tails.required_leaf_quantile(0.5, 69) > 0.99 > tails.required_leaf_quantile(0.5, 68)


def test_the_two_lower_rows_fit_together_at_a_small_correlation_only():
    assert [c for c in range(0, 100, 2) if fit_together(100, c / 100)] == [10, 12, 14, 16, 18, 20]
    assert not any(fit_together(20, c / 100) for c in range(0, 100, 5))
    assert fit_together(1_000, 0.4) and not fit_together(1_000, 0.2)
