"""More practice of lab 5: what a page weighs, and what pools of one size cost."""

from labutils.exercises.checkers.sheets import choice, number

_LAYER_TOKEN = 2 * 2 * 64 * 2  # bytes: a key and a value of 2 KV heads, 64 wide, two bytes each

SIXTEEN_KB = number(f"""
paged.sixteen_kb · A page of 16 KiB · 2 minutes, optional

= {16 * 1024 / _LAYER_TOKEN} 1 tolerance=0.01
- keys-alone {2 * 16 * 1024 / _LAYER_TOKEN}: Half of the bytes are missing. A key and a value, two
  bytes for each number: which of the two did you leave out?
- kilobytes {16 * 1000 / _LAYER_TOKEN}: You count 16 kB. How many bytes has a KiB?
- query-heads {16 * 1024 / (2 * 14 * 64 * 2)}: Which heads have keys and values of their own?
- query-heads-rounded {16 * 1024 // (2 * 14 * 64 * 2)}: Which heads have keys and values of their
  own?
- a-factor-twice {16 * 1024 / _LAYER_TOKEN / 2}: Half of the tokens. Key and value, two KV heads,
  two bytes: which factor of two do you count twice?
- one-number {4 * 16 * 1024 / _LAYER_TOKEN}: A quarter of the bytes. A key and a value, of two
  heads, two bytes for each number: which two of these did you leave out?
- bytes-of-a-token {_LAYER_TOKEN}: Those are the bytes of one token. How many tokens does the page
  hold?
- all-layers {16 * 1024 / _LAYER_TOKEN / 24}: This is a page that holds all layers. The question is
  about one of them.
> How many bytes does one token leave in one layer?
> A key and a value, for each KV head, with two bytes per number.
> 16 · 1024 bytes over (2 · 2 · 64 · 2) bytes.

Eight times as many as for Llama-3.1-8B, in a page of the same bytes. Count pages in tokens, since
what a block table has to find is a token; the bytes follow from the model, and differ by a factor
of ten between models of one size.
""")

POOLS = choice("""
paged.pools · Which fence is worth its price · 2 minutes, optional

- a: A pool for short requests and one for long ones, of the same model.
! A page is a page, whoever holds it. What does each pool need at its own peak?
+ b: A pool for the target model and one for its draft model.
! In which other pair do the pages hold different bytes?
- c: A pool for each tenant, so that all have the same share on average.
! Equal shares on average can be had by admission. What does a fence cost when one tenant is away?
- d: Small pages for chat and large ones for documents, in two pools.
! The waste of a large page is at most a page per request. What does the fence cost in return?
+ e: A pool for layers with a window of 1,024 tokens, and one for those without.
! In which other pair does content die while the request lives?
> A fence is needed where a page of one kind cannot serve the other.
> Two things decide what a page can serve: how many bytes it holds, and for how long its content is
  needed.
> Two of the five have pages of different bytes, or of different lives.

A page of another model has other bytes; a layer with a window needs its old pages no longer, so one
table for all layers would keep them for nothing. Everything else is one kind of page, and one pool
needs the peak of the sum, where fenced pools need the sum of the peaks.
""")
