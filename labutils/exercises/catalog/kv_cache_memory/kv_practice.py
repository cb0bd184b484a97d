"""More practice: the bytes of a page, and the gauges that paging makes useless."""

from labutils.exercises.checkers.sheets import choice, number

_LAYER = 16 * 2 * 8 * 128 * 2  # bytes of 16 tokens in one layer of Llama-3.1-8B

PAGE = number(f"""
kv.page · The bytes of a page · 3 minutes, optional

= {32 * _LAYER} B tolerance=0.01
- one-layer {_LAYER}: That is one layer of it. A page number stands for a page in every layer.
- one-layer-keys {_LAYER / 2}: Those are the keys of one layer.
- keys-only {16 * _LAYER}: Half of it. A key and a value are kept, and each number takes two bytes:
  which of the two did you leave out?
- query-heads {128 * _LAYER}: You count 32 query heads. How many heads are kept?
- one-token {2 * _LAYER}: That is a single token. The page holds sixteen.
> Start from one token: its bytes over all layers stand in the table of models.
> 131,072 bytes a token, 16 tokens.
> 16 × 2 × 32 × 8 × 128 × 2.

Sixteen tokens of Llama-3.1-8B are 64 KiB in each of 32 layers, 2 MiB in all. The advice to use
*pages of 16 to 32 KB* would mean 4 to 8 tokens of a single layer, or an eighth to a quarter of one
token over all layers. State a page in tokens: the bytes follow from the model.
""")

GAUGES = choice("""
kv.gauges · Gauges that say nothing under paging · 3 minutes, optional

- a: Pages that are free, counting shared ones that nobody uses at the moment.
! That is the number that admission looks at. What would you watch instead?
+ b: The largest contiguous run of free pages.
! Of the others, which asks where free pages lie?
- c: Tokens held, divided by the tokens that the pages in use have room for.
! It tells how much the last, partly filled pages cost: with a large page that can be a lot.
+ d: Compaction debt: bytes that would have to be moved to close all gaps.
! Of the others, which asks where the pages in use lie?
- e: Preemptions per minute.
! It counts work that is thrown away because the pool was too small.
- f: The share of prompt tokens found in shared pages.
! It tells what prefix sharing saves, and drops to zero when somebody puts the date in front of the
  prompt.
> Ask of each: which request is refused, or slowed down, when this number is bad?
> All pages are of one size, and a table says where they are. Two gauges ask where.
> One is about neighbouring free pages, the other about moving pages together. Name both letters.

With pages of one size and a table for each request, any free page is as good as any other. There is
no external fragmentation, so nothing to compact, and a run of neighbours serves nobody. What paging
leaves is in the last page of each sequence (c). The other three say how near the limit is and what
it costs to hit it.
""")
