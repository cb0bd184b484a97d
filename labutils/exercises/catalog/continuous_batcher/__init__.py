"""Exercises and predictions of lab 4, the continuous batcher."""

from labutils.exercises.definition.sheet import predictions

ORDER = 14
TITLE = "Continuous batcher"
MINUTES = 82

PREDICTIONS = predictions("""
# engine.fast_model · 1, at least 0
? The draft has about an eighth of the weights of the target. The same engine serves the same
  requests with it. By which factor do the tokens per second rise?
= With the draft the tokens per second rise by a factor of {}.
! Only the part of a step that the model takes can shrink, and of that only what is spent on
  weights. Scheduling, inputs and the launch of each operation stay.

# engine.reserved_share · 1, at least 0, at most 1
? Each request reserves slots for its prompt and for the longest answer that it may get. Averaged
  over the run, which share of all slots holds a token?
= A share of {} of the reserved slots holds a token.
! Three things stay empty: what an answer never needs, what it does not need yet, and the rest of
  the line that is too short for the next request.
""")
