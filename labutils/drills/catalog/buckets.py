"""A quantile from a histogram's buckets: an estimate between two hard bounds."""

import math

import numpy as np

from labutils.drills.definition.writing import Draw, Drill, listing, quantity, template
from labutils.latency import PROMETHEUS_DEFAULT_EDGES_S, BucketHistogram

_LADDERS = (
    PROMETHEUS_DEFAULT_EDGES_S[3:],
    (0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 12.8),
    (0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 15.0, 30.0),
    (0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12),
)


@template("L11 A12 C06", level=3, decision="estimate", number=42, minutes=3.5)
def quantile_from_buckets(draw: Draw) -> Drill:
    """A quantile from buckets: interpolated, between hard bounds."""
    histogram, q = _filled(draw), draw.one_of((0.9, 0.95, 0.99))
    low, high = histogram.quantile_bounds(q)
    draw.require(low > 0 and math.isfinite(high))
    total, below = histogram.count, histogram.count_up_to(low)
    inside = histogram.count_up_to(high) - below
    share = (q * total - below) / inside
    draw.require(0.08 < share < 0.92)
    estimate, percent = histogram.quantile(q), f"p{100 * q:g}"
    return draw.drill(f"""
    Over one hour a service has counted its latencies in a histogram. Each line says how many
    requests took at most so long (le, in seconds): {listing(_table(histogram))}

    ? Which {percent} does the dashboard show? It takes the requests inside a bucket as evenly
      spread.
    = {estimate} s tolerance=0.01
    - upper-edge {high}: That is the upper edge of the bucket, the largest value possible. Where
      inside the bucket does the rank fall?
    - lower-edge {low}: That is the lower edge of the bucket. How many of its requests are still
      below the quantile?
    - middle {(low + high) / 2}: You take the middle of the bucket. What share of its requests lies
      below the quantile?
    - quantile-as-position {low + (high - low) * q}: You go {100 * q:g} % of the way through the
      bucket. The quantile is a share of all requests: which share of this bucket is below it?
    > Which rank is the {percent}, and between which two lines does it fall?
    > low + (high - low) × (q·n - count below) / (count in the bucket).
    > {q:g} × {total:,} = {_plain(q * total)}; {below:,} are below {quantity(low, "s")}, {inside:,}
      in the bucket up to {quantity(high, "s")}.
    * rank {q * total}: rank: {q:g} × {total:,} = {_plain(q * total)}
    * inside {share}: bucket: {quantity(low, "s")} to {quantity(high, "s")}, {inside:,} requests, of
      which {_plain(q * total - below)} lie below: {quantity(share, "1")}
    * quantile {estimate} s: {low:g} + {high - low:g} × {quantity(share, "1")} =
      {quantity(estimate, "s")}
    ~ Between {quantity(low, "s")} and {quantity(high, "s")}: that much is certain.

    Linear interpolation, as Prometheus does it: low + width × share of the bucket. The counts alone
    promise no more than the two edges; where the true distribution falls steeply inside a wide
    bucket, the estimate is too high by a good part of its width.
    """).then(_certain(draw, histogram, low, high))


def _filled(draw: Draw) -> BucketHistogram:
    """Some thousand lognormal latencies, dealt into the buckets of one ladder of edges."""
    edges = draw.one_of(_LADDERS)
    total = draw.whole(900, 40_000, 3)
    median, spread = edges[len(edges) // 2 - 1] * draw.number(0.4, 1.4), draw.share(0.5, 1.0)
    shares = np.array([_below(edge / median, spread) for edge in edges])
    counts = np.diff(np.concatenate(([0], np.round(total * shares), [total]))).astype(int)
    draw.require((counts[:-2] >= 0).all() and counts[-1] < 0.008 * total)
    histogram = BucketHistogram(edges)
    histogram.counts = counts
    return histogram


def _below(ratio: float, spread: float) -> float:
    return 1 - math.erfc(math.log(ratio) / spread / math.sqrt(2)) / 2


def _plain(number: float) -> str:
    return f"{number:,.1f}".removesuffix(".0")


def _table(histogram: BucketHistogram) -> str:
    lines = [
        f"    le {edge:g}: {histogram.count_up_to(edge):,}" for edge in histogram.edges_s.tolist()
    ]
    return "\n".join([*lines, f"    le +Inf: {histogram.count:,}"])


def _certain(draw: Draw, histogram: BucketHistogram, low: float, high: float) -> Drill:
    """An objective inside a bucket: what the counts prove."""
    objective = float(f"{low + 0.6 * (high - low):.2g}")
    total = histogram.count
    proven = histogram.count_up_to(low) / total
    at_best = histogram.count_up_to(high) / total
    guess = proven + (at_best - proven) * (objective - low) / (high - low)
    draw.require(low < objective < high and at_best - proven > 0.012)
    return draw.drill(f"""
    The contract promises answers within {quantity(objective, "s")}, and this histogram has no edge
    there. A customer disputes your figure for the hour.

    ? For what share of the requests can you prove from these counts that they took at most
      {quantity(objective, "s")}?
    = {proven} tolerance=0.002
    - interpolated {guess}: You spread the bucket's requests evenly. Would that convince somebody
      who says that they all lie at its upper end?
    - whole-bucket {at_best}: You count the whole bucket. That is the most that it can be; what is
      the least?
    > Which requests are certainly below, wherever those of the bucket lie?
    > The count at the last edge below the limit, over all.
    > {histogram.count_up_to(low):,} / {total:,}.
    * proven {proven}: {histogram.count_up_to(low):,} / {total:,} = {quantity(proven, "1")}; at best
      it is {quantity(at_best, "1")}
    ~ At most {quantity(at_best, "1")}, the share below the edge after it.

    Put an edge at every number that a contract names. Then the share is counted exactly, and the
    counts add up over hosts and hours.
    """)
