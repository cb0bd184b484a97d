"""Exercises and predictions of lab 9, a fleet on Ray Serve."""

from labutils.exercises.definition.sheet import predictions

ORDER = 19
TITLE = "A fleet on Ray Serve"
MINUTES = 82

PREDICTIONS = predictions("""
# ray.killed · 1, at least 0
? Nine users ask three replicas without a rest, for long answers. One replica is killed. How many
  answers end in the middle?
= {} answers ended in the middle.
! Two choices among three keep the replicas about level, so each had about three. What was written
  for them is gone with the process. The next requests of their users went to the other two.

# ray.back · s, at least 0
? A replica is killed. Ray looks once a second who is well, and a new process has to load torch and
  a small model. After how many seconds do three answer again?
= After {} s three answered again.
! Most of it is the start of a process. A replica with real weights reads gigabytes first, so plan
  for minutes with one replica less.

# ray.ttft · 1, at least 0
? Fifteen requests a second come at random to three replicas of four places. How long is the median
  time to the first token, in times of that of a request that comes alone?
= At the higher rate the median first token took {} times as long as alone.
! A newcomer waits for the end of a step, then for a place, and on the way for the tokens of all
  others.

# ray.grown · s, at least 0
? Nine users begin at once, with one replica there. Autoscaling allows three, looks back over 2 s
  and waits for 1 s. After how many seconds do three answer?
= Three replicas answered {} s after the first request.
! The look-back and the delay are settings and make up about three seconds. The rest is the start of
  two processes at the same time, on a machine that serves nine users meanwhile.

# ray.changed · 1, at least 0, at most 1
? A version with a smaller model in it answers sixty fixed prompts, greedily, with eight tokens
  each. Which share of the answers differs from those of the larger model?
= A share of {} of the smaller model's answers differed.
! One other token changes the rest of an answer. Where the next words are plain, both models say the
  same, so the first tokens of an answer show less than a whole one.

# ray.rolled · 1, at least 0
? All three replicas are replaced, one after the other, while nine users ask. How many of their
  answers break?
= {} answers broke while the fleet was replaced.
! A replica that is to go gets no new requests and finishes those that it holds. It may take longer
  than `drain_s` allows: then its answers break.
""")
