"""What a page needs of its leaves, and what ten calls make of a percentile."""

from labutils.exercises.checkers import Function
from labutils.exercises.checkers.sheets import number
from labutils.exercises.definition.sheet import exercise, mistakes_in


def _leaf_quantile(page_quantile, num_leaves):
    return page_quantile ** (1 / num_leaves)


class WrongLeafQuantile:
    def page_from_leaf(page_quantile, num_leaves):
        """You go from the leaf to the page. The page's quantile is given here: which leaf quantile,
        multiplied with itself once per leaf, yields it?"""
        return page_quantile**num_leaves

    def divides_the_slow_share(page_quantile, num_leaves):
        """You divide the slow share among the leaves. That comes close while slow pages are rare,
        and counts a page with two slow leaves twice. What multiplies when all leaves must be
        fast?"""
        return 1 - (1 - page_quantile) / num_leaves

    def multiplies_the_slow_share(page_quantile, num_leaves):
        """Your leaf may be slow more often than the page. If each leaf of many were, could the page
        keep its promise?"""
        return 1 - (1 - page_quantile) * num_leaves

    def root_of_the_slow_share(page_quantile, num_leaves):
        """You take the root of the slow share. One slow leaf is enough to make a page slow: it is
        the fast shares that multiply."""
        return 1 - (1 - page_quantile) ** (1 / num_leaves)

    def all_leaves_slow(page_quantile, num_leaves):
        """Your formula calls a page slow when all of its leaves are slow. How many slow leaves does
        it take?"""
        return 1 - (1 - page_quantile) ** num_leaves

    def square_root(page_quantile, num_leaves):
        """You take the root for two leaves, as in the case by hand. How many there are is an
        argument."""
        return page_quantile**0.5

    def one_leaf_more(page_quantile, num_leaves):
        """You take the root for one leaf more than there are."""
        return page_quantile ** (1 / (num_leaves + 1))

    def one_leaf_fewer(page_quantile, num_leaves):
        """You take the root for one leaf fewer than there are."""
        return page_quantile ** (1 / max(num_leaves - 1, 1))

    def divides_the_quantile(page_quantile, num_leaves):
        """Your result is the quantile divided by the number of leaves, so a leaf of a large page
        may be slow nearly always. (Python reads `q ** 1 / n` as `(q ** 1) / n`.)"""
        return page_quantile / num_leaves

    def slow_share(page_quantile, num_leaves):
        """That is the share in which a leaf may be slow. Its quantile is the share in which it is
        fast."""
        return 1 - page_quantile ** (1 / num_leaves)

    def whole_exponent(page_quantile, num_leaves):
        """`1 // num_leaves` is 0 as soon as there are two leaves, and q to the power of 0 is 1."""
        return page_quantile ** (1 // num_leaves)

    def quantile_as_per_cent(page_quantile, num_leaves):
        """You divide the quantile by 100. It comes as a share already, such as 0.99."""
        return (page_quantile / 100) ** (1 / num_leaves)

    def in_per_cent(page_quantile, num_leaves):
        """Your result is in per cent. The page's quantile comes as a share, such as 0.99: return
        the leaf's as a share too."""
        return 100 * page_quantile ** (1 / num_leaves)

    def ignores_the_leaves(page_quantile, num_leaves):
        """Your result does not depend on num_leaves. Can a page of 100 leaves do with the same leaf
        as a page of one?"""
        return page_quantile


def _some_pages():
    """Page quantiles from 0.3 to 0.999, pages of 1 to 400 leaves."""
    from hypothesis import strategies as st

    return st.tuples(st.integers(300, 999).map(lambda k: k / 1000), st.integers(1, 400))


LEAF_QUANTILE = exercise(
    r"""
    tails.leaf_quantile · The leaf quantile that a page needs · 4 minutes

    > A page is fast if the first leaf is fast and the second is fast and so on. Which operation
      turns independent 'and's into one probability?
    > With leaf quantile u the page has u ** num_leaves. Set that equal to page_quantile.
    > Solve u ** num_leaves = page_quantile for u: take the num_leaves-th root.

    All $n$ leaves are within a limit with probability $u^n$ if each is with probability $u$ and
    they are independent. So $u = q^{1/n}$. Because $q^{1/n} \approx 1 - (1-q)/n$ for $q$ near 1,
    the leaf has about $1/n$ of the page's allowance: 1 % for a page of 100 leaves is 0.01 % for
    each.
    """,
    Function(
        _leaf_quantile, _some_pages, tolerance=1e-9, misconceptions=mistakes_in(WrongLeafQuantile)
    ),
)

CALLS, PERCENTILE = 10, 0.90

TEN_CALLS = number(rf"""
tails.ten_calls · Which pages are within the single call's p90? · 3 minutes

= {PERCENTILE**CALLS} 1 tolerance=0.01
- the-slide 0.99: 99 % is what the rule claims, and near the tenth root of 0.9. Can all of ten calls
  be within 8 ms more often than one of them is?
- one-call {PERCENTILE}: That holds for one call. The answer waits for the slowest of ten.
- all-late {(1 - PERCENTILE) ** CALLS}: That is the share of answers with all ten calls late. One
  late call is enough.
- nine-calls {PERCENTILE ** (CALLS - 1)}: Nine calls. An answer needs ten, and each of them in time.
- at-least-one-late {1 - PERCENTILE**CALLS}: That is the share with at least one late call. The
  question asks for the others.
- at-least-one-in-time {1 - (1 - PERCENTILE) ** CALLS}: You computed the chance that at least one
  call is in time. All ten have to be.
- single-p99 {0.99**CALLS}: That is the share within the single call's p99. The 8 ms are its p90.
> An answer is within 8 ms only if each of its ten calls is.
> One call: 0.9. Two independent calls: 0.9 times 0.9.
> 0.9 ** 10, as a share or in per cent.

$P(\max \le p_{{90}}) = 0.9^{{10}} = 0.35$: the single call's p90 is the system's p35. The single
p99 is about the system's p90 ($0.99^{{10}} = 0.904$), and the system's p99 needs the single call's
p99.9 ($0.99^{{1/10}} = 0.999$). The rule has the direction backwards.
""")
