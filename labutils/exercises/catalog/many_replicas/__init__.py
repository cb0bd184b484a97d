"""Exercises and predictions of chapter 14, many replicas."""

from labutils.exercises.definition.sheet import predictions

ORDER = 10.95
TITLE = "Many replicas"
MINUTES = 75

PREDICTIONS = predictions("""
# many.doubled · %, at least -100
? Users talk to assistants in sessions; a router goes round four replicas, and none is busy. Then
  there are eight. By how many percent does the median time to the first token change? (Minus:
  it gets shorter.)
= With eight replicas the first token came {} later.
! Each turn repeats what was said before, and lands where its last turn was with half the chance.
  What a replica does not find in its cache it computes again.

# many.herd · ×, at least 0
? Chat, 72 requests a second for eight replicas, reports of load every 100 ms. The router takes the
  replica with the fewest by the last report. How many times as long as with going round is the
  median time to the first token?
= By reports of 100 ms it took {} as long.
! In 100 ms seven requests come, all see the same report, and all go to one replica. The others
  run dry meanwhile.

# many.hot · s, at least 0
? Prompts go where most of their beginning is, and nothing else counts. Six assistants, eight
  replicas, 6.9 requests a second; the first assistant has two fifths of the sessions. Going round,
  nine in ten first tokens come within half a second. Within how many seconds do they come now?
= Nine in ten first tokens came within {}.
! All sessions of an assistant begin with the same pages. They lie on the replica that had the first
  of them, and there all the others follow, more than one replica can serve.

# many.claims · 1, at least 0, at most 4
? Four statements of a published simulation on routers. How many of them hold in this one?
= Of four published claims {} held here.
! Directions carry over more often than sizes. A size hangs on the load, the age of reports and the
  memory of whoever simulated it.

# many.late_percent · %, at least 0, at most 100
? A morning's load grows from 4 to 30 requests a second. The autoscaler orders as many replicas as
  bring those who wait at each to two; a replica takes 240 s to come. How many percent of first
  tokens come after their 2 s?
= Of the morning's first tokens {} came late.
! A queue begins when it is too late: until the next replica is there, four minutes of requests have
  joined it. Then it is gone, and soon the replicas are too.
""")
