"""A bug from the field: the stage that waits is blamed for the work."""

from labutils.exercises.checkers.sheets import choice

STAGES = choice("""
machine.stages · Which stage is slow? · 3 minutes

- a: Reading the token back takes most of the time: copy it in larger pieces.
! A token is eight bytes. What else happens in the stage in which the host, for the first time,
  needs a result?
- b: The model takes next to no time: it needs no attention.
! Its launch takes next to no time. When is the model done?
+ c: The table adds up to the right total, and says nothing about a single stage of the device.
- d: perf_counter is too coarse for this: take a finer clock.
! Its step is far below a microsecond, and the slow stage takes thousands of them. The clock reads
  correctly: what happens between two readings?
- e: Fifty requests are too few: with five thousand the table comes right.
! More runs shrink what is chance. Here every single run puts the time into the same wrong row.
> In which of the four stages does the host wait for the device?
> Three stages queue or prepare. One has to have a result in hand.
> The last stage waits for all that was launched before it, whosever work that is.

`launch` returns at once, so the stages that launch look free. The first stage that needs a value
waits for everything in the queue and gets the bill. The total is right; the rows are not. Buying a
faster copy on the strength of this table changes nothing. To split a request, wait at every
boundary (and remember that the waiting itself removes overlap), or let the device write its own
times: CUDA events, a profiler.
""")
