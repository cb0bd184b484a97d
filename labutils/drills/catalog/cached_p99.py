"""Which percentile a cache moves: those of all requests are other percentiles of the misses."""

from itertools import pairwise

from labutils.caching import percentile_with_cache
from labutils.drills.catalog._serving import percent
from labutils.drills.definition.writing import Draw, Drill, quantity, template

# (percentile of all requests, hit rate): each is one of ``_SHOWN`` percentiles of the misses
_CASES = ((99, 0.8), (99, 0.9), (99, 0.95), (99, 0.96), (95, 0.5), (95, 0.75), (95, 0.8))
_SHOWN = (50, 75, 80, 90, 95, 99)
_WHAT = ("answers of a support bot", "summaries of contracts", "plans of a travel agent")


def _misses(shown: dict[int, float]) -> list[float]:
    """A hundred latencies of misses with just those nearest-rank percentiles."""
    return [next((shown[p] for p in shown if p >= rank), 1.5 * shown[99]) for rank in range(1, 101)]


@template("F09 A11 L15 O07", level=2, decision="limit", minutes=3, rough=False)
def cached_p99(draw: Draw) -> Drill:
    """A cache moves the median; the p99 is a percentile of the misses."""
    (of_all, hits), hit_s = draw.one_of(_CASES), draw.number(0.02, 0.09)
    median = draw.number(0.8, 3)
    stretch = (1, 1.3, 1.5, 2, 2.6, 4)
    shown = {p: float(f"{median * by * draw.share(0.94, 1.06):.2g}") for p, by in
             zip(_SHOWN, stretch)}  # fmt: skip
    values = list(shown.values())
    draw.require(all(high > 1.06 * low for low, high in pairwise(values)))
    answer = percentile_with_cache(of_all, hits, [hit_s], _misses(shown))
    rank = round(100 * (of_all / 100 - hits) / (1 - hits))
    table = ", ".join(f"p{p} {quantity(value, 's')}" for p, value in shown.items())
    return draw.drill(f"""
    A cache holds {draw.one_of(_WHAT)} and answers {percent(hits)} of the requests, each within
    {quantity(hit_s, "s")}. The others are generated. The dashboard of the generated ones reads:
    {table}, their look-up included; none is as fast as a hit.
    ? What is the p{of_all} of all requests?
    = {answer} s tolerance=0.02 telling=3
    - own-percentile {shown[of_all]}: That is the p{of_all} of the misses alone. Which part of them
      lies among the slowest {100 - of_all} % of all requests?
    - a-hit {hit_s}: You take a hit. Are {of_all} % of the requests hits?
    - mixed-percentiles {hits * hit_s + (1 - hits) * shown[of_all]}: You weigh two percentiles as if
      they were means. Line up all requests instead: who stands at that place?
    - median-of-the-misses {shown[50]}: That is the middle of the misses. How many of all requests
      are slower than it?
    > Which requests are the slowest {100 - of_all} % of all, and what share of the misses are they?
    > Share of the misses that may be slower = (1 − q) ÷ (1 − h); read the table there.
    > {100 - of_all} % ÷ {percent(1 - hits)}.
    * slower_share {1 - rank / 100}: The slowest {100 - of_all} % of all are {100 - rank} % of the
      misses, which are {percent(1 - hits)} of all
    * time {answer} s: So the p{rank} of the misses: {quantity(answer, "s")}
    ~ Not above {quantity(shown[of_all], "s")}: hits only push it down.

    While misses are more than 1 % of the requests, the p99 is a latency of misses, at another
    percentile of theirs. A cache moves the median first; it buys the tail only by a queue that
    becomes shorter.
    """).then(_needed(draw, of_all=of_all, rank=rank, shown=shown))


def _needed(draw: Draw, *, of_all: int, rank: int, shown: dict[int, float]) -> Drill:
    wanted = draw.one_of([p for p in (50, 75, 80, 90) if p < rank])
    answer = 100 - 100 * (100 - of_all) / (100 - wanted)
    return draw.drill(f"""
    The product wants a p{of_all} of {quantity(shown[wanted], "s")} for all requests. The generated
    ones stay as they are; a larger cache is on offer.
    ? Which hit rate, in percent, does that take?
    = {answer} % tolerance=0 absolute=0.2 telling=3
    - until-it-is-a-hit {of_all}: Then that percentile is a hit. The limit is looser: which misses
      keep it, too?
    - percentile-as-hit-rate {wanted}: That is the share of the misses that keep the limit. What
      share of all requests may be misses that do not?
    - share-of-misses {100 - answer}: So many may miss. Which share hits?
    > Which share of the misses is slower than that limit?
    > Misses × share of them that is slower = 1 − q.
    > (1 − h) × {100 - wanted} % = {100 - of_all} %.
    . Slower than the limit: {100 - wanted} % of the misses
    * misses {100 - answer} %: Misses: {100 - of_all} % ÷ {100 - wanted} % = {100 - answer:.3g} % of
      all
    * hits {answer} %: Hits: {answer:.4g} %
    ~ Below {of_all} %: with that, even a hit would stand there.

    To move a high percentile by hits alone takes a hit rate near that percentile. Mostly it is
    cheaper to make the misses faster, or to bound their wait.
    """)
