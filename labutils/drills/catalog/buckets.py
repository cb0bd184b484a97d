"""Quantiles from a histogram's buckets: bounds, estimates, and what lies beyond the last."""

import math

import numpy as np

from labutils.drills.definition.writing import Draw, Drill, listing, quantity, template
from labutils.metrics.latency import PROMETHEUS_DEFAULT_EDGES_S, BucketHistogram

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


_EDGES = ((0.1, 0.25, 0.5, 1, 2.5, 5, 10), (0.5, 1, 2, 5, 10, 20, 30), (0.25, 1, 3, 10, 30, 60))


@template(
    "A11 L02 L11 L15", level=4, decision="limit", form="verdict", number=50, minutes=4, rough=False
)
def top_edge(draw: Draw) -> Drill:
    """p99 reads exactly the top edge."""
    edges = draw.one_of(_EDGES)
    histogram = _overflowing(draw, edges)
    top, total = edges[-1], histogram.count
    within = histogram.count_up_to(top)
    known = within / total
    shown = histogram.quantile(0.99)
    lines = ", ".join(f"≤ {edge:g} s: {histogram.count_up_to(edge):,}" for edge in edges)
    draw.require(shown == top and histogram.quantile(0.95) < top)
    return draw.drill(f"""
    Since noon the p99 of the first token has read {quantity(shown, "s")}, to the digit, whatever
    the team does; the p95 moves. The exporter counts up to these edges (each count includes those
    before it): {lines}, all: {total:,}. The gateway gives up on a request after
    {math.ceil(10 * top / 60)} minutes.
    ? Up to which quantile can these counts say anything better than “late”? (Give it as a share,
      four digits.)
    = {known} tolerance=0.0005 scale=off
    - the-late-share {1 - known}: That is the share beyond the last edge. Which quantile lies just
      below it?
    - quantile-on-the-panel 0.99: That is the quantile on the panel. Does it lie inside the counted
      edges?
    - edge-before {histogram.count_up_to(edges[-2]) / total}: You stop one edge early. Is the last
      counted bucket not bounded on both sides?
    ? What does the panel tell you?
    + The p99 lies beyond the last edge, and reads {quantity(top, "s")} however late it is
    x A timeout of {quantity(top, "s")} cuts requests off, and the slowest pile up there
    ! After how long does the gateway give up, and on which side of the last edge are those requests
      counted?
    x The p99 has settled at {quantity(top, "s")}: the service is slow and steady
    ! A quantile between two edges is interpolated, and moves. What would make it stand still to the
      digit?
    x Too few requests for a p99: the panel falls back to {quantity(top, "s")}
    ! How many requests lie beyond the p99 of so many?
    > In which bucket does the 99th of a hundred lie?
    > Quantiles up to (count within the last edge ÷ all) lie between two known edges.
    > {within:,} ÷ {total:,}.
    * within {within}: Within {quantity(top, "s")}: {within:,}
    . {within:,} ÷ {total:,} = {known:.4f}: the p99 is above it, in the bucket that has no upper
      edge
    * known {known}: So the counts say something up to {known:.4f}
    ~ Below 0.99, or the panel would show a figure between two edges.

    histogram_quantile returns the top edge for every quantile in the overflow bucket: a floor that
    looks like a measurement. Alert on the count beyond the edge, and choose edges past the slowest
    answer that anybody waits for.
    """).then(_mean_of_the_late(draw, histogram=histogram, edges=edges))


def _overflowing(draw: Draw, edges) -> BucketHistogram:
    """A histogram whose p99 lies in the overflow and whose p95 does not."""
    histogram, late = BucketHistogram(edges), draw.share(0.012, 0.045, 4)
    parts = [draw.number(1, 6) for _ in edges]
    parts[0], parts[-1] = parts[0] * 3, parts[-1] / 4
    total = 100 * draw.whole(80, 900)
    counts = np.floor(np.array(parts) / sum(parts) * total * (1 - late)).astype(int)
    histogram.counts = np.append(counts, total - counts.sum())
    return histogram


def _mean_of_the_late(draw: Draw, *, histogram: BucketHistogram, edges) -> Drill:
    late, total = int(histogram.counts[-1]), histogram.count
    most = float(np.dot(histogram.counts[:-1], edges))  # all at their upper edges
    least = float(np.dot(histogram.counts[:-1], (0, *edges[:-1])))
    mean = float(f"{(most + late * edges[-1] * draw.number(2, 6)) / total:.3g}")
    bound = (total * mean - most) / late
    draw.require(bound > 1.3 * edges[-1])
    return draw.drill(f"""
    The exporter also keeps the sum of all times: divided by the count it gives a mean of
    {quantity(mean, "s")}. So the late ones are not lost altogether.
    ? What is the mean time of the {late:,} requests beyond the last edge at the least?
    = {bound} s tolerance=0.03
    - lower-edges {(total * mean - least) / late}: You give those within the edges as little time as
      possible: what remains is the most for the late ones.
    - whole-sum {total * mean / late}: You give the whole sum to the late ones. How much of it may
      the others have taken?
    - the-last-edge {float(edges[-1])}: That bound holds without the mean. What does the sum add to
      it?
    > Total seconds, less the most that the others can have taken.
    > (N × mean − Σ count in bucket × its upper edge) ÷ number late.
    > ({total:,} × {quantity(mean, "s")} − {most:,.0f} s) ÷ {late:,}.
    * all {total * mean} s: All seconds: {total:,} × {quantity(mean, "s")} = {total * mean:,.0f} s
    * others {most} s: Those within the edges took at most {most:,.0f} s
    * mean_late {bound} s: ({total * mean:,.0f} − {most:,.0f}) s ÷ {late:,} = {quantity(bound, "s")}
    ~ More than {quantity(float(edges[-1]), "s")}: each of them took longer than that.

    Sum and count are exact whatever the edges are. A mean that exceeds what the buckets can hold is
    the cheapest alarm for a histogram that is too short.
    """)
