r"""two.rank_interval · The ranks that enclose a percentile · 7 minutes

> In the example, ten requests and the median, the ranks are 2 and 9. What does binom.ppf say there
  for 0.025 and for 0.975?
> binom.ppf(p, n, q) is the smallest count that is not exceeded with probability p. Leave 2.5 % on
  each side.
> low = binom.ppf(0.025, n, q); high = binom.ppf(0.975, n, q) + 1, both as whole numbers, int(...).
  Roughly the same: n q ± 1.96 sqrt(n q (1 - q)), rounded outwards.

The number $K$ of requests below the true $q$-quantile is binomial with $n$ draws and probability
$q$, whatever the latencies look like. The quantile lies above the value of rank $k$ exactly if
$K \ge k$. So take the lower rank such that $K$ stays below it in at most 2.5 % of all samples, and
the upper one such that $K$ reaches it in at most 2.5 %. The width is about $4\sqrt{n\,q(1-q)}$
ranks: four times the sample halves the interval *as a share of the sample*. How wide that is in
milliseconds depends on how far apart the values at these ranks are, and on a cliff they are far
apart. (A rank further out at either end is harmless, and the check lets it pass. A rank further in
is not: without the + 1 the p99 of 400 requests lies above the upper end in 9 % of all samples.)
"""

import math
from dataclasses import replace
from typing import ClassVar

from scipy.special import bdtrc

from labutils.exercises.checkers import Function
from labutils.exercises.comparing.trial import Property
from labutils.exercises.definition.sheet import exercise, mistakes_in
from labutils.exercises.definition.verdict import Status, Verdict
from labutils.exercises.running import guard
from labutils.metrics.latency import rank_interval, required_sample_size

# Neighbouring ranks pass if they enclose: each may differ by 1 from the house's, and both together
# may miss in 5.5 % of all samples. The exact binomial ranks, one more or less where that does no
# harm, and the normal approximation, rounded outwards, keep to that. Samples are drawn only where
# both ends exist, ranks from 1 to n.
QUANTILES = (0.5, 0.75, 0.9, 0.95, 0.99, 0.999)
MOST_MISSED = 0.055  # the normal approximation, rounded outwards, misses in 5.05 % at n = 75


def _rank_interval(n, q):
    return rank_interval(n, q)


class _Enclosing(Function):
    """A ``Function`` that takes ranks one off, where they enclose the quantile often enough."""

    diagnoses: ClassVar = {"a-rank-too-near": "For which K does the quantile lie below rank r?"}

    def check(self, answer) -> Verdict:
        verdict = super().check(answer)
        if not verdict.passed:
            return verdict
        message = (
            "Your ranks lie within one of the workbook's, and enclose the quantile in about 95 % "
            "of all samples, or more."
        )
        return _misses(answer) or replace(verdict, message=message)


def _misses(answer) -> Verdict | None:
    """What to say of ranks that miss the quantile too often; None where they enclose it."""
    sizes = [(times * _smallest(q), q) for q in QUANTILES for times in (1, 2, 5)]
    runs = [(n, q, guard.run(answer, n, q, seconds=1.0).value) for n, q in sizes]
    missed = [(*_missed(n, q, *map(int, ranks)), n, q, ranks) for n, q, ranks in runs]
    below, above, n, q, (low, high) = max(missed, key=lambda case: case[0] + case[1])
    if below + above <= MOST_MISSED:
        return None
    end, side, share = ("upper", "above", above) if above > below else ("lower", "below", below)
    rank = int(high if end == "upper" else low)
    message = (
        f"Your ranks are one away from the workbook's, and that one counts. Of {n} requests the "
        f"value of your {end} rank, {rank}, has the true quantile {side} it in "
        f"{100 * share:.1f} % of all samples; 2.5 % are allowed. K counts the requests below the "
        "quantile: for which K does the quantile lie below the value of rank r? And which way do "
        "you round?"
    )
    detail = f"rank_interval({n}, {q})\ngot       ({int(low)}, {int(high)})"
    return Verdict(Status.misconception, message, detail, diagnosis="a-rank-too-near")


def _missed(n: int, q: float, low: int, high: int) -> tuple[float, float]:
    """How often the quantile lies below the value of rank ``low``, and above that of ``high``."""
    return float(1 - bdtrc(low - 1, n, q)), float(bdtrc(high - 1, n, q))


class Wrong:
    def spread_of_requests(n, q):
        """Between these ranks lie 95 % of the requests. The question is another one: between which
        ranks does one number, the true quantile, lie?"""
        return round(0.025 * n), round(0.975 * n)

    def forgets_the_other_side(n, q):
        """Your interval is as wide as if the count below the quantile were a Poisson count. What is
        the variance of a binomial count?"""
        return _width(n, 1.96 * math.sqrt(n * q))(q)

    def forgets_the_root(n, q):
        """Your interval widens in proportion to n. Is that a variance or a standard deviation?"""
        return _width(n, 1.96 * n * q * (1 - q))(q)

    def one_deviation(n, q):
        """Your ranks lie one standard deviation to either side. How often does a count fall outside
        of that?"""
        return _width(n, math.sqrt(n * q * (1 - q)))(q)

    def five_percent_a_side(n, q):
        """Each side of your interval misses with 5 %. How much do both together miss?"""
        return rank_interval(n, q, confidence=0.9)

    def ninety_nine_percent(n, q):
        """Your interval misses in one sample of a hundred. How many may it miss, and how many on
        each side?"""
        return rank_interval(n, q, confidence=0.99)

    def halved_twice(n, q):
        """Each side of your interval misses with 1.25 %: the 5 % are halved twice. How many sides
        are there?"""
        return rank_interval(n, q, confidence=0.975)

    def error_of_a_share(n, q):
        """You add the spread of a share, or of a single request, to a rank. By how many requests
        does a count of n deviate?"""
        return _width(n, 1.96 * math.sqrt(q * (1 - q) / n))(q)

    def part_of_the_ranks(n, q):
        """You go 2.5 % of all ranks to either side. Allowed are 2.5 % of mistakes: in so many
        samples may the true quantile lie beyond your rank."""
        return max(1, math.floor(n * (q - 0.025))), min(n, math.ceil(n * (q + 0.025)))

    def mirrored(n, q):
        """Your ends are mirror images in the list, as they are for the median. Where does the
        number of requests below the p99 lie?"""
        low = rank_interval(n, q)[0]
        return low, n + 1 - low

    def variance(n, q):
        """You go as far as the variance of the count. By how many ranks does a count usually
        deviate, and by how many at most in 95 % of all samples?"""
        return _width(n, n * q * (1 - q))(q)

    def shares(n, q):
        """These are shares of the sample. Ranks are asked for: the places, counted from 1, in the
        sorted list."""
        low, high = rank_interval(n, q)
        return low / n, high / n

    def whole_list(n, q):
        """The fastest and the slowest request do enclose the quantile, nearly always. That is safe
        and says nothing: which ranks are the nearest that suffice?"""
        return 1, n

    def from_the_top(n, q):
        """Your ranks count from the slowest request down. Rank 1 is the fastest."""
        return rank_interval(n, 1 - q)


def _width(n, deviation):
    return lambda q: (math.floor(n * q - deviation), math.ceil(n * q + deviation))


def _some_samples():
    """Up to 20,000 values, enough for both ends, and the quantiles that dashboards show."""
    from hypothesis import strategies as st

    quantiles = st.sampled_from(QUANTILES)

    def with_a_size(q):
        return st.tuples(st.integers(_smallest(q), 20_000), st.just(q))

    return quantiles.flatmap(with_a_size)


def _smallest(q: float) -> int:
    """The size from which on there is a rank at either end, and 50 at least."""
    return max(50, required_sample_size(q))


def _whole(result, n, q) -> bool:
    try:
        return all(float(rank).is_integer() for rank in result)
    except (TypeError, ValueError):  # no numbers: another sentence says so
        return True


RANK_INTERVAL = exercise(
    __doc__,
    _Enclosing(
        reference=_rank_interval,
        inputs=_some_samples,
        tolerance=0.0,
        absolute=1.0,
        properties=(
            Property(
                "not-whole",
                _whole,
                "A rank is a place in a list: 9 or 10, not 9.4. Round it.",
            ),
        ),
        misconceptions=mistakes_in(Wrong),
    ),
)
