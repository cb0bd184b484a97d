"""Exercises and predictions of chapter 08, tails and fan-out."""

from labutils.exercises.definition.sheet import predictions

ORDER = 8
TITLE = "Tails and fan-out"
MINUTES = 58

PREDICTIONS = predictions("""
# tails.better_page · 1, at least 0
? A page asks 100 leaves. You bring the share of slow answers of a leaf from 1 % to 0.1 %. By which
  factor does the share of slow pages fall?
= The share of slow pages falls by a factor of {}.
! A page with several slow leaves is slow once. At 1 %, four in ten slow pages have more than one,
  so removing nine slow answers out of ten removes fewer slow pages.

# tails.after_the_peak · s, at least 0
? A fleet hedges without cancellation, with a median of 17 ms at load 0.6. After 40 s at load 0.8
  the load is 0.6 again. What is the median latency 40 s later?
= 40 s after the peak the median latency is {}.
! Behind a long queue every request waits longer than the trigger, so every request is sent twice.
  Twice 0.6 is 1.2: the servers get more than they can do, and the backlog that the peak left goes
  on growing.
""")
