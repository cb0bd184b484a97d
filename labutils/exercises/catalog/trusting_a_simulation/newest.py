"""Which checks notice a queue that serves its newest request first: a choice."""

from labutils.exercises.checkers.sheets import choice

NEWEST = choice(
    """
trusting.newest · Which checks notice that the newest is served first? · 4 minutes

- a: No request is lost.
! A request that is overtaken waits long, and leaves in the end. Which one would be missing?
- b: No request waits for nothing.
! With equal gaps and equal services at load 0.7 there is never more than one request to choose
  from.
- c: The mean is exact at load 0.5.
! Swap two waiting requests. One waits longer, the other shorter: by how much does the sum change?
- d: Slow motion is slower.
! Double all times, and the newest is still the newest. What would change?
+ e: A second program agrees on shared draws.
> The order changes which request is served, not when the server is busy. Which checks look at
  single requests?
> The server finishes at the same moments as before. What does that mean for the number of requests
  inside, and by Little's law for the mean latency?
> Four of the five look at counts, means or a case without a queue. The fifth compares request by
  request.

The server is busy at the same times and finishes at the same moments as before; the order decides
only which request it is. So as many are inside at any time, and the *mean* latency is unchanged to
the last digit (Kingman 1962). What changes is the spread: a few unlucky ones are overtaken again
and again, and the p99 more than doubles here. A check of means is blind to it; a comparison request
by request, or of a known p99, is not.
""",
    several=True,
)
