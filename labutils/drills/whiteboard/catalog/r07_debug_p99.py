"""R07: the p99 went from 50 to 500 ms."""

import math

from labutils.drills.whiteboard.prompt_writing import Page, page, prompt, quantity
from labutils.laws import queueing

LOAD, MORE = 0.5, 0.95


@prompt("R07 C22 M13 L16 L17", minutes=10)
def r07() -> Page:
    """Debug a p99 that went from 50 to 500 ms."""
    service_s = 0.05 * (1 - LOAD) / math.log(100)  # so that the p99 was 50 ms
    before, after = (queueing.MM1(load / service_s, 1 / service_s) for load in (LOAD, MORE))
    return page(f"""
    You are paged: the p99 of a service went from 50 to 500 ms within five minutes. p50 is 12 ms, as
    before. Walk me through the next ten minutes.

    ? Is it still going on? Yes. (It decides whether to mitigate before explaining.)
    ? Was anything deployed? Nothing in the last hour. (It decides where to search first.)

    + One host or all, first
    + Traffic, then inputs, then model and features, then runtime
    + What p50 unchanged rules out
    + Mitigation before explanation
    + What would have shown it sooner

    — First: is it the service? — Or is it the measurement: another window or boundary, a new client
      in the sample, failures now counted, a p99 at the histogram's last edge. One minute, then on.
    — One host or all — One: take it out of rotation, look later. All: something they share. It is
      the cheapest question and halves the search.
    — Traffic — Less than twice the traffic is enough for ten times the p99: an M/M/1 server goes
      from {quantity(before.sojourn_time_quantile(0.99), "s")} at a load of {LOAD:g} to
      {quantity(after.sojourn_time_quantile(0.99), "s")} at {MORE:g}. But then its p50 rises tenfold
      too. Here it did not, so expect a queue on one host or in one class, not everywhere. Look at
      arrivals, retries, utilization and queue length by host. A long queue: shed, then scale.
    — Inputs — Prompt and output lengths by tenant, hit rate. A tenant with inputs two to five times
      as long moves the p99 of all. Limit it, chunk it, give it a queue of its own.
    — Model and features — What was deployed at the time of the step? A flag, a cold cache, a
      dependency. Roll back first, explain afterwards.
    — Runtime — Garbage collection, throttling, preemptions, memory pressure, a noisy neighbour. The
      shape helps: pauses of one length show as a second hump, a queue as a long slope; a model that
      is slower for all would have moved p50.
    — Afterwards — Write down which panel would have said it in a minute, and add it.

    * failure 3: “I shed batch traffic while I look; no user notices that.”

    > p50 is unchanged. What does that rule out?
    < Everything that slows all requests: a slower model, higher load on all hosts. It leaves
      pauses, one host of many, long inputs, a slow dependency met by few.
    > p50 and p99 both went up tenfold.
    < More load, or a slower service for all. The time in service, without the queue, tells them
      apart: under load it is as before, with a slower model it is not.
    > It is over before you found it. Now what?
    < Reconstruct from counters that were there: arrivals, completions, in flight. Little gives the
      mean latency minute by minute; the minute in which arrivals first exceed completions is when
      it began.
    """)
