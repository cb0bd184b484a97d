"""A percentile that reads exactly the last edge of its histogram."""

import math

import numpy as np

from labutils.drills.definition.writing import Draw, Drill, quantity, template
from labutils.latency import BucketHistogram

_EDGES = ((0.1, 0.25, 0.5, 1, 2.5, 5, 10), (0.5, 1, 2, 5, 10, 20, 30), (0.25, 1, 3, 10, 30, 60))


@template(
    "A11 L02 L11 L15", level=4, decision="limit", form="verdict", number=50, minutes=4, rough=False
)
def top_edge(draw: Draw) -> Drill:
    """p99 reads exactly the top edge."""
    edges = draw.one_of(_EDGES)
    histogram = _filled(draw, edges)
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


def _filled(draw: Draw, edges) -> BucketHistogram:
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
