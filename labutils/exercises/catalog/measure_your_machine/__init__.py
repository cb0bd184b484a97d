"""Exercises and predictions of lab 1, measure your machine."""

from labutils.exercises.definition.sheet import predictions

ORDER = 11
TITLE = "Measure your machine"
MINUTES = 83

PREDICTIONS = predictions("""
# machine.cold_start · 1, at least 0
? A pass meets a shape for the first time. How many times as long as later passes of that shape does
  it take?
= The first pass of a shape takes {} times as long as later ones.
! At a new shape the block tries each of its routines before it settles for one, and that takes a
  handful of passes. Beside it memory is asked for and threads are started. The figure is your
  machine's, and the reason why the first run is a figure of its own.

# machine.decode_rate · 1/s, at least 0
? You know how many bytes the weights of a model take and how many bytes a second your machine
  copies. How many tokens a second will one user get?
= One user's tokens come at {}.
! Bytes a second over bytes a token: no token comes sooner than its weights. Most of a step is
  products of a matrix with one row, and on a processor they read more slowly than a copy; small
  operations are the lesser part. So a good prediction lies at the quotient or below it, unless
  reading alone is faster here than copying.
""")
