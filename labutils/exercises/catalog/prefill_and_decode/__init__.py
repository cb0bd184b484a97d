"""Exercises and predictions of chapter 05, prefill and decode."""

from labutils.exercises.definition.sheet import predictions

ORDER = 5
TITLE = "Prefill and decode"
MINUTES = 75

PREDICTIONS = predictions("""
# phases.thirty_two_users · 1/s, at least 0
? One user alone on an H100 gets 207 tokens a second from an 8B model. How many does each of 32
  users get when they share it?
= Each of the 32 users gets tokens at {}.
! The weights are read once for all 32. Each further user adds no more than a token's arithmetic,
  for which there was time, and a cache of 0.8 % of the weights.

# phases.doubled_prompt · 1, at least 0
? A prompt of an 8B model grows from 2,048 to 4,096 tokens. By which factor does the arithmetic
  before its first token grow?
= The arithmetic before the first token grows by a factor of {}.
! Two thousand tokens are few for a model this wide: 97 % of the arithmetic is in the weights'
  matrices, and that part grows with the number of tokens, not its square.
""")
