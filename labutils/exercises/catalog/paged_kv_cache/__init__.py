"""Exercises and predictions of lab 5, the paged KV cache.

1. ``pages``: the pool's functions, tried in walks; ``attention``: slots, reading pages, one call
2. ``field`` with its ``shelf`` and stories: the bug hunt; ``practice``: what is optional
3. ``lab5_runs``, ``decode_step``: what the lab runs and times
"""

from labutils.exercises.definition.sheet import predictions

ORDER = 15
TITLE = "Paged KV cache"
MINUTES = 106

PREDICTIONS = predictions("""
# paged.more · 1, at least 0
? The same bytes, the same requests: how many requests run at a time with pages of 16 tokens, for
  each one that runs with 320 tokens reserved?
= For each request that runs over reservations, {} run in pages.
! A reservation is as long as the longest request that is allowed; a table is as long as what has
  been computed so far, rounded up to a page. The ratio is about 320 over the mean of what a request
  holds, and less where not enough wait to fill the memory.

# paged.step · 1, at least 0
? Attention of one decode step, sixteen requests of equal length: how long in one call over pages,
  for each millisecond with caches in one piece?
= For each millisecond in one piece, attention over pages takes {} ms.
! The scores and the mixing are the same numbers in the same amount. What is added is finding and
  copying every key and value, so the ratio is above 1; how far above, depends on the machine and on
  the path.

# paged.shared · 1, at least 0
? All prompts begin with the same 42 tokens. How many requests run at a time when these pages are
  shared, for each one that runs with pages alone?
= For each request that runs with pages alone, {} run when pages are shared.
! Of 42 tokens two pages of 16 are full, and only full pages have a name. A request that held six
  pages takes four of its own now: the ratio is about six over four.
""")
