"""Dashboards of tails: percentiles of a fleet, percentiles beyond the last edge."""

import numpy as np

from labutils.drills.definition.writing import Draw, Drill, choice, drill, quantity, template
from labutils.metrics.latency import BucketHistogram, percentile
from labutils.metrics.latency.ranks import nearest_rank

_EDGES = (0.25, 0.5, 1.0, 2.0, 4.0, 10.0)


@template("A11 L02 L11 L15", level=3, decision="limit", form="dashboard", minutes=5, rough=False)
def board_fleet(draw: Draw) -> Drill:
    """The lying panel: an average of percentiles."""
    hosts = [_host(draw, slow) for slow in (False, False, True)]
    fleet = hosts[0].merge(hosts[1]).merge(hosts[2])
    liar = draw.one_of((0.95, 0.99))
    ends = {q: fleet.quantile_bounds(q)[1] for q in (0.5, 0.95, 0.99)}
    each = [host.quantile_bounds(liar)[1] for host in hosts]
    average = float(f"{sum(each) / 3:.3g}")
    counts = [host.count for host in hosts]
    weighted = sum(e * n for e, n in zip(each, counts)) / sum(counts)
    draw.require(average in _EDGES and average != ends[liar])  # no edge would give it away
    draw.require(len({*ends.values()}) == 3)
    shown = {**ends, liar: average}
    texts = {q: f"Fleet, p{100 * q:.0f}: {quantity(shown[q], 's')}" for q in shown}
    panels = {name: _host_panel(name, host) for name, host in zip("ABC", hosts)}
    order = [f"{fleet.count_up_to(e):,} within {e:g} s" for e in _EDGES]
    wrong = {
        **{
            texts[q]: "Add the three hosts' counts up to that time: as many as a "
            f"p{100 * q:.0f} asks for. It holds."
            for q in texts
            if q != liar
        },
        **{
            text: f"Host {name}'s counts agree with its log, says the story. Which panels "
            "are made from the counts?"
            for name, text in panels.items()
        },
    }
    worst = max(each)
    return draw.drill(f"""
    Three hosts serve one queue of requests. Their panels show how many of their requests were
    answered within which time; this morning they were checked against the logs. The fleet's panels
    are made from these counts and show percentiles, each as the upper edge of the bucket in which
    it lies. One of the six panels cannot be true.
    ? What should that panel read?
    = {ends[liar]} s tolerance=0.01
    - as-shown {average}: That is what it reads. How was it made, do you think?
    - weighted-average {weighted}: You average percentiles with weights. Percentiles do not average
      at all: merge what they were taken from.
    - worst-host {worst if worst != ends[liar] else None}: That is the slowest host's own. How many
      of all requests are its?
    ? Which panel is it?
    {choice(texts[liar], wrong)}
    > Which panels are counts, and which are made from others?
    > Add up the counts of all hosts edge by edge; then look for the percentile.
    > Rank: ⌈{liar:g} × {fleet.count:,}⌉ of the sums by edge.
    . All hosts: {", ".join(order)}
    . The p{100 * liar:.0f} has rank {nearest_rank(fleet.count, liar):,} of {fleet.count:,}
    * reading {ends[liar]} s: It lies in the bucket that ends at {quantity(ends[liar], "s")}; the
      panel shows the hosts' percentiles added and divided by three
    ~ Between the fastest host's own percentile and the slowest host's own.

    Percentiles do not average, with or without weights; histograms add. A fleet's panel that reads
    between two edges, or that jumps when one small host is slow, is such an average.
    """)


def _host(draw: Draw, slow: bool) -> BucketHistogram:
    total = 100 * (draw.whole(8, 30) if slow else draw.whole(60, 250))
    late = draw.number(0.15, 0.4) if slow else draw.number(0.002, 0.012)
    shares = [draw.number(1, 3), draw.number(2, 5), draw.number(0.5, 1.5)]
    rest = [draw.number(1, 3), draw.number(1, 3), draw.number(0.3, 1)]
    fast = [s / sum(shares) * (1 - late) for s in shares]
    parts = np.array([*fast, *(r / sum(rest) * late for r in rest)])
    counts = np.floor(parts * total).astype(int)
    counts[0] += total - counts.sum()
    host = BucketHistogram(_EDGES)
    host.counts = np.append(counts, 0)
    return host


def _host_panel(name: str, host: BucketHistogram) -> str:
    edges = ", ".join(f"≤ {e:g} s: {host.count_up_to(e):,}" for e in _EDGES)
    return f"Host {name}, counts {edges}"


@template("A11 L11 L03 L15", level=3, decision="limit", form="dashboard", minutes=4, rough=False)
def board_top_edge(draw: Draw) -> Drill:
    """The lying panel: what lies beyond the last edge."""
    total, top = draw.one_of((800, 900, 1000, 1100, 1200)), draw.one_of((5, 10, 20, 30))
    late = sorted(
        {float(f"{top * draw.number(1.05, 6):.2g}") for _ in range(round(total * 0.017))},
        reverse=True,
    )
    median, high = draw.number(0.1, 0.25) * top, draw.number(0.4, 0.8) * top
    draw.require(len(late) >= 0.0125 * total)
    times = np.concatenate([np.linspace(0.01, top, total - len(late)), late])
    p99 = percentile(times, 0.99)
    share, failed = len(late) / total, draw.one_of((0.2, 0.3, 0.4, 0.6))
    liar = draw.one_of(("p99", "share"))
    shown_p99, shown_share = (float(top), share) if liar == "p99" else (p99, share * 0.3)
    texts = {
        "p50": f"First token, p50: {quantity(median, 's')}",
        "p95": f"First token, p95: {quantity(high, 's')}",
        "p99": f"First token, p99: {quantity(shown_p99, 's')}",
        "share": f"First token later than {top} s: {100 * shown_share:.2f} % of requests",
        "failed": f"Failed: {failed:g} % (not among the requests of the other panels)",
        "log": f"Access log, all first tokens later than {top} s: "
        + ", ".join(f"{value:g}" for value in late),
    }
    wrong = {text: _no_contradiction(key, liar) for key, text in texts.items() if key != liar}
    return draw.drill(f"""
    {total:,} requests were answered in the last quarter of an hour. The panels come from three
    exporters, one of which was set up in a hurry; the log is the gateway's, which misses nothing.
    Six panels, and one cannot be true beside the others.
    ? Commit to one of them. What it should read comes next.
    ? Which panel is it?
    {choice(texts[liar], wrong)}
    > Count the entries of the log, and compare with the percentiles and the share.
    > By nearest rank, 1 % of the requests are slower than the p99.
    > {total:,} requests, {len(late)} of them in the log.
    . The log has {len(late)} entries: {100 * share:.2f} % of {total:,}.
    . More than 1 %, so the p99 lies beyond {top} s.
    . “{texts[liar]}” contradicts that, and everything else on the board holds.
    ~ More than 1 % in the log, so the 99th of a hundred came after {top} s.

    {_MORALS[liar]}
    """).then(_FOLLOW_UPS[liar](texts[liar], total, top, late))


_MORALS = {
    "p99": "A percentile equal to an edge is an edge. Beyond the last one a histogram counts and "
    "does not measure: compare with the log, and add edges where users still wait.",
    "share": "A percentile and a share beyond a limit are one fact seen from two sides: if the p99 "
    "lies beyond the limit, more than 1 % of the requests do.",
}


def _p99_reads(wrong: str, total: int, top: int, late: list[float]) -> Drill:
    place = total - nearest_rank(total, 0.99) + 1  # counted from the slowest
    p99 = late[place - 1]
    return drill(f"""
    So “{wrong}” is wrong. Percentiles are taken by nearest rank.
    ? What should that panel read?
    = {p99} s tolerance=0.01
    - as-shown {top}: That is what it reads. What does the log say?
    - slowest {late[0]}: That is the slowest of all. How many may be slower than the 99th of a
      hundred?
    - fastest-of-the-late {late[-1]}: That is the first beyond the edge. Count from the slowest: how
      many requests are 1 %?
    > The log has every request that is later than the edge.
    > The rank of the p99 is ⌈0.99 × all⌉, counted from the fastest.
    > {total:,} − ⌈0.99 × {total:,}⌉ requests are slower than the p99: leave out so many, from the
      slowest on.
    * reading {p99} s: Number {place} from the slowest: {quantity(p99, "s")}
    ~ More than {top} s, and less than the slowest.

    Show the percentile and the share beyond a limit together: each tests the other.
    """)


def _share_reads(wrong: str, total: int, top: int, late: list[float]) -> Drill:
    share = len(late) / total
    return drill(f"""
    So “{wrong}” is wrong. Percentiles are taken by nearest rank.
    ? What should that panel read?
    = {100 * share} % tolerance=0.01
    - as-shown {100 * (share * 0.3)}: That is what it reads. What does the log say?
    - count {len(late)}: That is a count. Of how many requests?
    - one-per-cent 1.0: Those beyond the p99 are 1 %. And those beyond the edge?
    > The log has every request that is later than the edge.
    > Number late ÷ number of all.
    > {len(late)} ÷ {total:,}.
    * reading {100 * share} %: {len(late)} ÷ {total:,} = {quantity(100 * share, "%")}
    ~ More than 1 %, or the p99 would not lie beyond the edge.

    Such a share comes from an exporter that sees one replica of three, or that divides the count of
    one window by that of another. Print the counts beside it.
    """)


_FOLLOW_UPS = {"p99": _p99_reads, "share": _share_reads}


def _no_contradiction(key: str, liar: str) -> str:
    return {
        "p50": "Half of the requests are faster: nothing on the board speaks against it.",
        "p95": "Fewer than 5 % are in the log, so the p95 lies within the edges: it holds.",
        "p99": "Count from the slowest in the log to the 99th of a hundred: it holds.",
        "share": "Entries of the log over all requests: it holds.",
        "failed": "Failures are counted apart: nothing on the board speaks against it.",
        "log": "The gateway misses nothing, says the story. Which panels count the same requests?",
    }[key]
