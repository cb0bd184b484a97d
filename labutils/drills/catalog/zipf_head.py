"""How much memory a hit rate takes where popularity falls as one over the rank."""

from functools import cache

import numpy as np

from labutils.caching import zipf_shares
from labutils.drills.catalog._serving import percent
from labutils.drills.definition.writing import Draw, Drill, quantity, template

_EULER = 0.5772


@cache
def _held(items: int) -> np.ndarray:
    """Share of the requests for the k most wanted items, k from 1."""
    return np.cumsum(zipf_shares(items, 1.0))


@template("F09 F01 F06", level=3, decision="estimate", minutes=3.5)
def zipf_head(draw: Draw) -> Drill:
    """The head of a Zipf law: what a small cache hits, and what ten points more cost."""
    items = draw.one_of((200_000, 300_000, 500_000, 800_000, 1_000_000))
    part, size = draw.one_of((0.5, 1, 2, 3, 4, 5)), draw.one_of((2, 4, 6, 8, 12))
    kept = round(items * part / 100)
    answer = float(_held(items)[kept - 1])
    return draw.drill(f"""
    Users ask for {items:,} documents, of very different popularity: the second is asked for half as
    often as the first, the third a third as often, and so on to the last. A cache keeps the
    {kept:,} most popular ones, that is {part:g} % of them, at {size} kB each.
    ? Which share of the requests does it answer?
    = {answer} tolerance=0.03
    - share-of-documents {part / 100}: You count documents. How often is each of them asked for?
    - share-of-misses {1 - answer}: That is asked for in vain. Which share is answered?
    > Add up the popularity of those kept, and of all.
    > 1 + 1/2 + … + 1/n ≈ ln n + 0.58; the share is one such sum over another.
    > (ln {kept:,} + 0.58) ÷ (ln {items:,} + 0.58).
    * kept {float(np.log(kept) + _EULER)}: Kept: {np.log(kept) + _EULER:.4g}
    * all {float(np.log(items) + _EULER)}: All: {np.log(items) + _EULER:.4g}
    * share {answer}: The ratio: {quantity(answer, "1")}
    ~ Far more than {part:g} %: the popular ones are asked for most.

    Where popularity falls as one over the rank, the hit rate grows with the logarithm of the cache.
    This is the best a cache of that size can do; LRU comes near, and entries asked for once push
    out better ones.
    """).then(_memory(draw, items=items, hits=answer, size=size))


def _memory(draw: Draw, *, items: int, hits: float, size: int) -> Drill:
    wanted = round(hits + draw.one_of((0.08, 0.1, 0.12, 0.15)), 2)
    draw.require(wanted < 0.93)
    entries = int(np.searchsorted(_held(items), wanted)) + 1
    answer = entries * size * 1e3
    kept = int(np.searchsorted(_held(items), hits)) + 1
    return draw.drill(f"""
    The backend needs a cache that answers {percent(wanted)} of the requests. It still keeps the
    most popular ones.
    ? How much memory does that take?
    = {answer} B tolerance=0.06
    - in-proportion {kept * wanted / hits * size * 1e3}: You let memory grow like the hit rate. How
      popular are the documents that would be added?
    - share-of-documents {wanted * items * size * 1e3}: You keep that share of the documents. How
      many of them make up that share of the requests?
    - all-documents {items * size * 1e3}: That holds them all. Are the last ones asked for often
      enough to matter?
    > Turn the share round: which k has that part of the whole sum?
    > ln k = h (ln n + 0.58) − 0.58.
    > ln k = {wanted:g} × (ln {items:,} + 0.58) − 0.58, times {size} kB.
    * documents {entries}: k = {entries:,} documents
    * memory {answer} B: × {size} kB = {quantity(answer, "B")}
    ~ Less than {quantity(items * size * 1e3, "B")}, which holds them all.

    {100 * (wanted - hits):.0f} points more take {answer / (kept * size * 1e3):.1f} times the
    memory: each further point multiplies it. Beyond the head a faster backend is the cheaper hit.
    """)
