"""Exercises and predictions of chapter 03, the M/M/1 explosion."""

from labutils.exercises.definition.sheet import predictions

ORDER = 3
TITLE = "The M/M/1 explosion"
MINUTES = 74

PREDICTIONS = predictions("""
# mm1.eight_servers · 1, at least 0
? One server at 90 % load makes a request wait 9 service times on average. Eight servers share one
  queue, again at 90 % load. How many service times does a request wait?
= With eight servers a request waits {} service times.
! All eight servers must be busy before a request waits, and then the queue moves eight times as
  fast.

# mm1.recovery · s, at least 0
? For 30 s the load is 1.2; then it falls back to 0.9. How many seconds after the fall is the
  backlog gone?
= The backlog is gone {} after the load has fallen.
! The backlog grows by 0.2 of the capacity for 30 s and shrinks by what 0.9 leaves free, 0.1 of the
  capacity.
""")
