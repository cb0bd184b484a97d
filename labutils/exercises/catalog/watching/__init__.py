"""Exercises and predictions of chapter 13, watching."""

from labutils.exercises.definition.sheet import predictions

ORDER = 10.9
TITLE = "Watching"
MINUTES = 74

PREDICTIONS = predictions("""
# watching.late_users · 1, at least 0, at most 1
? On the wall, every replica's p99 of first tokens lies below the promised second. During the bad
  twenty seconds, which share of all users waited longer than that?
= A share of {} of these users waited longer than promised.
! Two things are left out of the p99 on the wall. A refused request has no first token, so it is in
  no histogram; its client tries again, and the histogram then counts the last try alone. And a p99
  over the whole run dilutes twenty seconds.

# watching.search · s, at least 0
? Something happened to one replica. How many seconds do you need, on the wall that the team had, to
  say to which one and when?
= On the wall that the team had you needed {}.
! On panels that sum over replicas and over time, one has to go through the replicas one by one. A
  panel that is made for a question answers it in a glance. In an incident that time is part of what
  users wait for.

# watching.live_before · s, at least 0
? A fault befalls a server that runs now. How many seconds do you need, on a wall of averages, to
  say which one of five it is?
= On the wall of averages you needed {} to name the fault.
! An average over a minute moves for a minute, and some faults move no average at all: who was
  refused is in none, and a worse answer is as fast as a good one.

# watching.live_now · s, at least 0
? And how many seconds, for another fault of the same five, on a wall that shows seconds, tails,
  reasons and a quality?
= On the new wall you needed {} to name the fault.
! Each cause has a panel on which it alone moves. You look for the one that moved, and the panel's
  title is nearly the answer. The seconds that are left are those of the window, and of the requests
  that have to end before a histogram knows them.

# watching.false_pages · 1, at least 0
? A service breaks its promise to 1 request in 2,000, where 1 in 1,000 is allowed, and nothing else
  is wrong. At 40 requests a minute (16 at midnight, 64 at noon) an alarm goes off whenever the last
  five minutes burn the budget 14.4 times too fast. How often a month does it wake somebody for
  nothing?
= It wakes somebody {} times a month for nothing.
! At night five minutes hold about 80 requests, and at this budget two bad ones among them are
  enough, often a single one. By chance that happens about every second night. A window is as good
  as the number of bad requests that it takes to fire.
""")
