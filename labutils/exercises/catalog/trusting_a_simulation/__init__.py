"""Exercises and predictions of chapter 03b, trusting a simulation."""

from labutils.exercises.definition.sheet import predictions

ORDER = 3.5
TITLE = "Trusting a simulation"
MINUTES = 58

PREDICTIONS = predictions("""
# trusting.run_length · 1, at least 0
? One server at load 0.9, exponential services, Poisson arrivals. How many requests must a
  simulation have so that its mean latency is within ±2 % of the true one in 95 runs out of 100?
= The run must have {} requests.
! Neighbours wait behind the same queue, so their latencies are no independent measurements: at load
  0.9 it takes 361 requests to learn what one independent one would tell.

# trusting.coverage · %, at least 0, at most 100
? How often does the textbook's 95 % interval for independent values, computed from 200,000
  successive latencies at load 0.9, hold the true mean? (per cent)
= The textbook's 95 % interval holds the true mean in {} of the runs.
! The textbook's standard error is 19 times too small at load 0.9, and an interval of ±1.96/19
  standard deviations holds the truth that seldom.
""")
