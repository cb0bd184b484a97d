"""Exercises and predictions of lab 8, the streaming server."""

from labutils.exercises.definition.sheet import predictions

ORDER = 18
TITLE = "A streaming server under load"
MINUTES = 96

PREDICTIONS = predictions("""
# streaming.stall · 1, at least 0
? Somebody asks for a long answer, and three others for short ones a moment later. The handler calls
  `generate` in the event loop. How much later does the last of the three get its first token, in
  times of what it takes with the engine in a thread?
= In the event loop the last first token takes {} times as long.
! In the loop the answers are computed one after the other, and nobody hears a token before all that
  came earlier are whole. In a thread the engine computes all of them in the same steps, and each
  token is told as it comes.

# streaming.ttft · 1, at least 0
? Requests come at random, at 0.7 of the capacity. How long is the p90 of the time to the first
  token over HTTP, in times of what a request alone takes?
= At 0.7 of the capacity the p90 of TTFT is {} times that of a request alone.
! The engine takes newcomers in between two steps, so below its limit of places nobody waits for a
  whole answer. But every step is longer than alone: others decode in it, others' prompts are
  computed in it, and their tokens go out over the same loop.

# streaming.burst · 1, at least 0, at most 1
? For a short time requests come at three times the capacity, and the queue holds what can be served
  in a fifth of that time. Which share of the requests is turned away?
= A share of {} is turned away.
! Of three requests one can be served, so in the long run two thirds are turned away. In a short
  burst the queue and the places take in some more. On the other hand each refusal takes time that
  the engine lacks then. Without a bound nobody is turned away, and most wait for an answer that
  they have given up on.
""")
