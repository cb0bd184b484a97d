"""Exercises and predictions of chapter 02, Little's law."""

from labutils.exercises.definition.sheet import predictions

ORDER = 2
TITLE = "Little's law"
MINUTES = 62

PREDICTIONS = predictions("""
# little.bursts · 1, at least 0
? Evenly spaced, 400 requests a second that stay 50 ms each make 20 in flight at every moment. Now
  they come in bursts of forty, and nine in ten stay 10 ms, the tenth 410 ms. How many are in flight
  on average?
= With bursts {} requests are in flight on average.
! The rate and the mean stay are what they were, and the average in flight is their product. Bursts
  and spread move the peaks.

# little.caught · 1, at least 0
? You stop the clock at random moments and note every request that is in flight. How many times as
  long as the mean request of the log do they take, from arrival to answer, on average?
= Requests caught in flight take {} times as long as the mean request of the log.
! A request that stays ten times as long is in ten times as many photographs. For exponential
  latencies that doubles the mean.
""")
