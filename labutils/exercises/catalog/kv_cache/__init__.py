"""Exercises and predictions of lab 2, the KV cache.

1. ``workbook``: the workbook's own; ``inputs``: inputs for the learner's
2. ``visible``, ``mixing``, ``keeping``, ``loop``: the first builds
3. ``trial``: the learner designs a test (``design``), run against caches under suspicion
   (``suspects``)
4. ``memory``: functions of the engine; ``field``: the bug hunt
"""

from labutils.exercises.definition.sheet import predictions

ORDER = 12
TITLE = "KV cache"
MINUTES = 81

PREDICTIONS = predictions("""
# cache.recompute_growth · 1, at least 0
? Without a cache every token is computed again in every step. By which factor does token 2,000 of
  an answer take longer than token 10?
= Without a cache token 2,000 takes {} times as long as token 10.
! The work grows at least as the number of tokens does; attention grows as its square, and the fixed
  cost of a call (dozens of operations to be launched) hides part of both at the first position.

# cache.cat_growth · 1, at least 0
? A cache that appends with torch.cat: one token is computed, all kept ones are copied. By which
  factor does token 2,000 of an answer take longer than token 10?
= With torch.cat token 2,000 takes {} times as long as token 10.
! One token's arithmetic in the weights does not grow. What grows is memory traffic: the copy reads
  and writes everything kept, and attention reads it once more.

# cache.room_growth · 1, at least 0
? A cache in room taken beforehand: one token is computed, one written. By which factor does token
  2,000 of an answer take longer than token 10?
= With room taken beforehand token 2,000 takes {} times as long as token 10.
! Nothing is copied, and attention still reads every key and value. A step with a cache does not
  take constant time: its attention is O(n), and n starts to count once the bytes kept are as many
  as the bytes of the weights.

# cache.blind · 1, at least 0, at most 8
? Eight prompts, 32 greedy tokens each, weights drawn with the usual standard deviation of 0.02.
  Every new token is given a position one too large. In how many of the eight answers does any token
  change?
= With every position one too large, {} of eight answers change.
! With small random weights attention hardly moves the stream, so that the model repeats one token
  whatever it reads. A test of its tokens proves that it runs.
""")
