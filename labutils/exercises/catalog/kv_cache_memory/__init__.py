"""Exercises and predictions of chapter 06, KV-cache memory."""

from labutils.exercises.definition.sheet import predictions

ORDER = 6
TITLE = "KV-cache memory"
MINUTES = 74


_INT8 = """Llama-3.1-8B, weights in 16 bits, and memory for whole sequences of 4,096 tokens on 90 %
  of a card with {card} GB. You store the weights in 8 bits. By which factor does the number of
  sequences grow?"""

PREDICTIONS = predictions(f"""
# kv.small_card · 1, at least 0
? {_INT8.format(card=24)}
= On 24 GB weights in 8 bits make room for {{}} times as many sequences.
! Half the weights are about 8 GB, and the sequences had less than that to begin with: what is saved
  on the large part is a large share of the small rest.

# kv.large_card · 1, at least 0
? {_INT8.format(card=80)}
= On 80 GB it is {{}} times as many.
! The same 8 GB, added to a rest that was seven times the size of what is saved. A remainder that is
  large already hardly feels it.

# kv.oracle · 1, at least 0, at most 1
? A queue of requests with the lengths of the public Azure conversation trace never empties. An
  oracle knows how long each answer will be, and reserves its prompt and its answer to the token, in
  one piece. Which share of the memory holds a token, on average over time?
= A share of {{}} of the memory holds a token.
! Two losses multiply. At a random moment half of an answer is still unwritten, and its place is
  taken: 13 % of what is given. And free pieces are too short for the request that is next in line:
  a fifth of the memory is never given.
""")
