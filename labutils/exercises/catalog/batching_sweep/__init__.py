"""Exercises and predictions of chapter 04, the batching sweep."""

from labutils.exercises.definition.sheet import predictions

ORDER = 4
TITLE = "Batching sweep"
MINUTES = 73

PREDICTIONS = predictions("""
# batch.window_by_day · 1, at least 0
? 400 requests a second come at random; a batch of b takes 5 + 0.5 b ms. A batch starts when it is
  full (32), or when its oldest request has waited for the timeout, and the machine is free. How
  many times as large is the mean latency with a timeout of 20 ms as with one of 0?
= With a timeout of 20 ms the mean latency is {} times as large as with none.
! A batch collects while the one before it runs, whatever the timeout. A window of 1 or 2 ms has
  passed by then and changes next to nothing. One of 20 ms delays everyone in the batch, and the
  batch that grows by it saves less time than the wait costs.

# batch.best_full_batch · 1, at least 1, at most 64
? 800 requests a second come at random; a batch of B takes 4 + 0.9 B ms, and the machine waits until
  it is full. Which B, from 1 to 64, gives the lowest mean latency?
= The lowest mean latency comes with batches of {}.
! Below 12 the machine cannot keep up and the queue grows without end. Just above, it keeps up and
  is nearly always busy. Far above, requests wait for their batch to fill. The lowest mean lies a
  little above the edge.
""")
