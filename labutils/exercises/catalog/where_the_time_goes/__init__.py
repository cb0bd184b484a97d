"""Exercises and predictions of chapter 09, where the time goes."""

from labutils.exercises.definition.sheet import predictions

ORDER = 9
TITLE = "Where the time goes"
MINUTES = 71

PREDICTIONS = predictions("""
# where.total_p99 · ms, at least 0
? Ten stages, one after the other and slow independently of each other, each keep their own p99
  limit, and the limits add up to 2,850 ms. What is the p99 of the whole?
= The p99 of the whole is {}.
! A request is rarely slow in all ten stages at once. If the stages are slow independently of each
  other, the p99 of the sum lies well below the sum of the p99s. If they stall together, it comes
  close to it, and rare stalls can carry it far above.

# where.reranker · ×, at least 1
? A reranker has an eighth of the time on an empty system. At load 0.9 it becomes twice as fast. By
  which factor does the mean latency fall?
= Before, the mean latency was {} as large.
! It is the bottleneck: at load 0.9 about half of a request's time is waiting in its queue. Twice as
  fast, its load falls to 0.45, and the queue is almost gone. Amdahl's law assumes that no other
  time changes.
""")
