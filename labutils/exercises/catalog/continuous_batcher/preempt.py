"""scheduler.preempt · Which request gives way · 3 minutes

> Which request has lost least by going, and which one must never go, so that some request is sure
  to end? Where does its arrival put it in the queue?
> The newest stands last in `self.running`; one that has nothing to compute has ended, and does not
  count. It leaves `self.running`, its pages go back, it waits in front, and the plan and its own
  `preemptions` note it.
> newest = next(one for one in reversed(self.running) if one.to_compute);
  self.running.remove(newest); self.pool.release(newest); newest.preemptions += 1; self.wait(newest,
  first=True); plan.preempted.append(newest); return newest.

The newest has lost least when it goes, and the oldest is never touched: it always moves on, so some
request always ends, and memory comes back. That is why this scheduler cannot live-lock. The
preempted request returns to the head of the queue, where its arrival puts it. It loses no token,
only work: its prompt and its answer so far are computed again. vLLM calls this preemption by
recomputing; the older alternative was to swap the pages out to the host's memory.
"""

from labutils.exercises.definition.sheet import exercise

from .small_loads import READS_ITS_PROMPT, piece_of_scheduler

_MISTAKES = """
decodes-go-first: You look for one that decodes, and pass over a newer one that reads its prompt.
    The newest gives way, whatever it computes.
- newest = next(one for one in reversed(self.running) if one.to_compute)
+ newest = next(
+     (one for one in reversed(self.running) if one.to_compute == 1),
+     self.running[-1],
+ )

most-memory-goes: The request with the most memory gives way, and it may be the oldest. The newest
    does: then the oldest is sure to end.
- next(one for one in reversed(self.running) if one.to_compute)
+ max((one for one in self.running if one.to_compute), key=lambda one: len(one.pages))

most-computed-goes: The request that has computed most gives way, and it may be the oldest. The
    newest does: then the oldest is sure to end.
- next(one for one in reversed(self.running) if one.to_compute)
+ max((one for one in self.running if one.to_compute), key=lambda one: one.computed)

least-computed-goes: The request that has computed least gives way: little is lost, but it may be
    an older one. The newest gives way, whatever it has computed.
- next(one for one in reversed(self.running) if one.to_compute)
+ min((one for one in self.running if one.to_compute), key=lambda one: one.computed)

by-arrival: You look for the latest arrival, and several may have come at the same moment.
    `self.running` is in order of admission: where does the newest stand?
- next(one for one in reversed(self.running) if one.to_compute)
+ max((one for one in self.running if one.to_compute), key=lambda one: one.arrival_s)

forgets-its-answer: The answer so far is forgotten. Its tokens are known; only what was computed of
    them is lost.
= newest.preemptions += 1
+ newest.known = newest.prompt_tokens

oldest-gives-way: The oldest request loses its memory. Which one would then be sure to end at all?
- newest = next(one for one in reversed(self.running) if one.to_compute)
+ newest = next(one for one in self.running if one.to_compute)

oldest-even-if-ended: The first of `self.running` loses its memory: the oldest, and its answer may
    have ended. Which request would then be sure to end at all?
- newest = next(one for one in reversed(self.running) if one.to_compute)
+ newest = self.running[0]

to-the-back: A preempted request goes to the end of the queue, and is overtaken by those who came
    later. See `wait`, which is given: it has an option.
- self.wait(newest, first=True)
+ self.wait(newest)

past-the-policy: You put the preempted request into the queue yourself. Where it waits is decided in
    `wait`, which a policy may override.
- self.wait(newest, first=True)
+ self.waiting.appendleft(newest)

lost: A preempted request is lost: it neither waits nor runs.
- self.wait(newest, first=True)

keeps-its-pages: A preempted request keeps its memory. What was it preempted for?
- self.pool.release(newest)

silent: The plan does not say that a request was preempted, so `_may_start` lets another one in, in
    the same step.
- plan.preempted.append(newest)

not-counted: The request does not note that it was preempted: `preemptions` is what a server
    reports.
- newest.preemptions += 1

preempts-what-has-ended: You preempt a request that has nothing to compute: its answer has ended,
    and `finish` has not been called yet. Computing it again would be for nothing.
- newest = next(one for one in reversed(self.running) if one.to_compute)
+ newest = self.running[-1]

returns-no-request: `_preempt` returns nothing. `_decode` has lists of its own, and takes the
    request that you return out of them: without it, it plans for one that is gone.
- return newest
+ return None

still-runs: The preempted request still stands in `self.running`. It waits now, and is found there
    and preempted again.
- self.running.remove(newest)
"""

PREEMPT = exercise(__doc__, piece_of_scheduler(_MISTAKES, "_preempt", always=(READS_ITS_PROMPT,)))
