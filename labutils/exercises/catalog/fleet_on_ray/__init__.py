"""Exercises and predictions of lab 9, a fleet on Ray Serve."""

from labutils.exercises.definition.sheet import predictions

ORDER = 19
TITLE = "A fleet on Ray Serve"
MINUTES = 100

PREDICTIONS = predictions("""
# ray.killed · 1, at least 0
? Nine users ask three replicas without a rest, for long answers. One replica is killed. How many
  answers end in the middle?
= {} answers ended in the middle.
! The router counts what is in flight, so each replica had three. What was written for them is gone
  with the process, and the next request of their users went to the other two.
""")
