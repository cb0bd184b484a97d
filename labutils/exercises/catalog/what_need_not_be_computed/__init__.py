"""Exercises and predictions of chapter 10, what need not be computed."""

from labutils.exercises.definition.sheet import predictions

ORDER = 10
TITLE = "What need not be computed"
MINUTES = 74

PREDICTIONS = predictions("""
# reuse.backend_factor · ×, at least 1
? The hit rate falls from 95 to 90 %. By which factor does the backend's load grow?
= The backend has {} as much to do.
! The backend sees the misses. They were 5 % of the requests, and now they are 10 %: twice as many.
  The last few per cent of a hit rate carry most of what a cache does for the backend, and a small
  loss there is a large one behind it.

# reuse.p99_ms · ms, at least 0
? A service without a cache has a median of 400 ms and a p99 of 1,200 ms (lognormal). A cache that
  answers 97 % of the requests in 2 ms is put in front, and the backend behind it is no faster or
  slower than before. What is the p99 now?
= The p99 with the cache is {}.
! Three requests in a hundred miss. The slowest one in a hundred is the slowest third of those, so
  the new p99 is the 67th percentile of the misses: about 490 ms. Those who miss are served no
  faster than before. What has moved is who stands at the 99th place.
""")
