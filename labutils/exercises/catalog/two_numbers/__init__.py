"""Exercises and predictions of chapter 01, two numbers."""

from labutils.exercises.definition.sheet import predictions

ORDER = 1
TITLE = "Two numbers"
MINUTES = 64

PREDICTIONS = predictions("""
# two.healthy_days · 1, at least 0, at most 100
? The same service, 100 days of 10,000 requests each; every request takes 200 ms instead of 15 ms
  with probability 1 %. On how many of the 100 days does the rule 'p99 below three times p50' call
  it healthy?
= The rule calls the service healthy on {} of 100 days.
! With fewer than 1 % slow requests the p99 is a fast one, with more a slow one; which of the two a
  day has is the toss of a coin.

# two.fleet · ms, at least 0
? Host A answers 98 % of the requests with a p99 of 140 ms, host B the other 2 % with a p99 of 754
  ms. What is the p99 of the two together?
= The p99 of the two hosts together is {}.
! Each host contributes the requests that it has beyond a limit, not its percentile. The two p99s
  alone would allow anything from 140 to 754 ms.

# two.frozen · s, at least 0
? A server answers in 1 ms for 100 s and is then frozen for 100 s. A load generator waits for each
  answer before it sends on. Which mean latency does it report?
= The load generator reports a mean latency of {}.
! While it waits it sends nothing: ten thousand fast answers stand against one slow one.
""")
