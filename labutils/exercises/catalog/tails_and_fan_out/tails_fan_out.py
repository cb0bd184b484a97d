"""What a page needs of its leaves, and what ten calls make of a percentile."""

from labutils.exercises.checkers import Function, Number
from labutils.exercises.definition.exercise import Exercise, Misconception


def _leaf_quantile(page_quantile, num_leaves):
    return page_quantile ** (1 / num_leaves)


def _page_from_leaf(page_quantile, num_leaves):
    return page_quantile**num_leaves


def _divides_the_slow_share(page_quantile, num_leaves):
    return 1 - (1 - page_quantile) / num_leaves


def _multiplies_the_slow_share(page_quantile, num_leaves):
    return 1 - (1 - page_quantile) * num_leaves


def _root_of_the_slow_share(page_quantile, num_leaves):
    return 1 - (1 - page_quantile) ** (1 / num_leaves)


def _all_slow(page_quantile, num_leaves):
    return 1 - (1 - page_quantile) ** num_leaves


def _square_root(page_quantile, num_leaves):
    return page_quantile**0.5


def _one_leaf_fewer(page_quantile, num_leaves):
    return page_quantile ** (1 / max(num_leaves - 1, 1))


def _divides_the_quantile(page_quantile, num_leaves):
    return page_quantile / num_leaves


def _slow_share(page_quantile, num_leaves):
    return 1 - page_quantile ** (1 / num_leaves)


def _in_per_cent(page_quantile, num_leaves):
    return 100 * page_quantile ** (1 / num_leaves)


def _unchanged(page_quantile, num_leaves):
    return page_quantile


def _some_pages():
    """Page quantiles from 0.3 to 0.999, pages of 1 to 400 leaves."""
    from hypothesis import strategies as st

    return st.tuples(st.integers(300, 999).map(lambda k: k / 1000), st.integers(1, 400))


LEAF_QUANTILE = Exercise(
    id="tails.leaf_quantile",
    title="The leaf quantile that a page needs",
    minutes=4,
    checker=Function(
        reference=_leaf_quantile,
        inputs=_some_pages,
        tolerance=1e-9,
        misconceptions=(
            Misconception(
                "page-from-leaf",
                _page_from_leaf,
                "You go from the leaf to the page. The page's quantile is given here: which leaf "
                "quantile, multiplied with itself once per leaf, yields it?",
            ),
            Misconception(
                "divides-the-slow-share",
                _divides_the_slow_share,
                "You divide the slow share among the leaves. That comes close while slow pages "
                "are rare, and counts a page with two slow leaves twice. What multiplies when "
                "all leaves must be fast?",
            ),
            Misconception(
                "multiplies-the-slow-share",
                _multiplies_the_slow_share,
                "Your leaf may be slow more often than the page. If each leaf of many were, could "
                "the page keep its promise?",
            ),
            Misconception(
                "root-of-the-slow-share",
                _root_of_the_slow_share,
                "You take the root of the slow share. One slow leaf is enough to make a page "
                "slow: it is the fast shares that multiply.",
            ),
            Misconception(
                "all-leaves-slow",
                _all_slow,
                "Your formula calls a page slow when all of its leaves are slow. How many slow "
                "leaves does it take?",
            ),
            Misconception(
                "square-root",
                _square_root,
                "You take the root for two leaves, as in the case by hand. How many there are is "
                "an argument.",
            ),
            Misconception(
                "one-leaf-fewer",
                _one_leaf_fewer,
                "You take the root for one leaf fewer than there are.",
            ),
            Misconception(
                "divides-the-quantile",
                _divides_the_quantile,
                "Your result is the quantile divided by the number of leaves, so a leaf of a large "
                "page may be slow nearly always. (Python reads `q ** 1 / n` as `(q ** 1) / n`.)",
            ),
            Misconception(
                "slow-share",
                _slow_share,
                "That is the share in which a leaf may be slow. Its quantile is the share in "
                "which it is fast.",
            ),
            Misconception(
                "in-per-cent",
                _in_per_cent,
                "Your result is in per cent. The page's quantile comes as a share, such as 0.99: "
                "return the leaf's as a share too.",
            ),
            Misconception(
                "ignores-the-leaves",
                _unchanged,
                "Your result does not depend on num_leaves. Can a page of 100 leaves do with the "
                "same leaf as a page of one?",
            ),
        ),
    ),
    hints=(
        "A page is fast if the first leaf is fast and the second is fast and so on. Which "
        "operation turns independent 'and's into one probability?",
        "With leaf quantile u the page has u ** num_leaves. Set that equal to page_quantile.",
        "Solve u ** num_leaves = page_quantile for u: take the num_leaves-th root.",
    ),
    explanation=(
        "All $n$ leaves are within a limit with probability $u^n$ if each is with probability $u$ "
        "and they are independent. So $u = q^{1/n}$. Because $q^{1/n} \\approx 1 - (1-q)/n$ for "
        "$q$ near 1, the leaf has about $1/n$ of the page's allowance: 1 % for a page of 100 "
        "leaves is 0.01 % for each."
    ),
)


CALLS, PERCENTILE = 10, 0.90

TEN_CALLS = Exercise(
    id="tails.ten_calls",
    title="Which pages are within the single call's p90?",
    minutes=3,
    checker=Number(
        expected=lambda: PERCENTILE**CALLS,
        unit="1",
        tolerance=0.01,
        misconceptions=(
            Misconception(
                "the-slide",
                lambda: 0.99,
                "99 % is what the rule claims, and near the tenth root of 0.9. Can all of ten "
                "calls be within 8 ms more often than one of them is?",
            ),
            Misconception(
                "one-call",
                lambda: PERCENTILE,
                "That holds for one call. The answer waits for the slowest of ten.",
            ),
            Misconception(
                "all-late",
                lambda: (1 - PERCENTILE) ** CALLS,
                "That is the share of answers with all ten calls late. One late call is enough.",
            ),
            Misconception(
                "nine-calls",
                lambda: PERCENTILE ** (CALLS - 1),
                "Nine calls. An answer needs ten, and each of them in time.",
            ),
            Misconception(
                "at-least-one-late",
                lambda: 1 - PERCENTILE**CALLS,
                "That is the share with at least one late call. The question asks for the others.",
            ),
            Misconception(
                "at-least-one-in-time",
                lambda: 1 - (1 - PERCENTILE) ** CALLS,
                "You computed the chance that at least one call is in time. All ten have to be.",
            ),
            Misconception(
                "single-p99",
                lambda: 0.99**CALLS,
                "That is the share within the single call's p99. The 8 ms are its p90.",
            ),
        ),
    ),
    hints=(
        "An answer is within 8 ms only if each of its ten calls is.",
        "One call: 0.9. Two independent calls: 0.9 times 0.9.",
        "0.9 ** 10, as a share or in per cent.",
    ),
    explanation=(
        "$P(\\max \\le p_{90}) = 0.9^{10} = 0.35$: the single call's p90 is the system's p35. The "
        "single p99 is about the system's p90 ($0.99^{10} = 0.904$), and the system's p99 needs "
        "the single call's p99.9 ($0.99^{1/10} = 0.999$). The rule has the direction backwards."
    ),
)
