"""D6: more traffic than capacity, and how to stay useful."""

import math

from labutils import llm
from labutils.drills.whiteboard.prompt_writing import Page, page, prompt, quantity
from labutils.laws.queueing import Overload

CAPACITY, PEAK, AFTER, MINUTES = 550.0, 700.0, 400.0, 10
DEADLINE_S, SERVICE_S, RETRIES, BUDGET = 1.0, 0.1, 3, 0.1


@prompt("I08 I10 O04 O12 C13", minutes=45)
def d6() -> Page:
    """Overload and brown-out."""
    flood = Overload(PEAK, CAPACITY, 60 * MINUTES, AFTER)
    arriving = PEAK * (1 + BUDGET)  # those who are refused try again, within their budget
    shed = 1 - CAPACITY / arriving
    bound = math.floor((DEADLINE_S - SERVICE_S) * CAPACITY)
    refused = PEAK - CAPACITY
    storm = AFTER * (1 + RETRIES)
    calm = AFTER * (1 + BUDGET)
    model, device = llm.model("Llama-3.1-8B"), llm.accelerator("H100 SXM")
    short, long = (llm.max_sequences(model, device.memory_bytes, n) for n in (2000, 8000))
    return page(f"""
    Your fleet completes {CAPACITY:g} requests a second. A launch brings {PEAK:g} a second for
    {MINUTES} minutes, then {AFTER:g}. Callers give up after {DEADLINE_S:g} s and retry up to
    {RETRIES} times. Last time latency stayed high for an hour after the peak. Design what happens
    this time.

    ? Do callers retry on refusal as on timeout? On both. (It decides how large the storm of retries
      gets.)
    ? May quality drop for a while? Yes, if it is marked. (It decides whether there is a brown-out.)
    ? Are some requests worth more? Interactive before batch. (It decides what is shed first.)

    + A bounded queue, its bound from the deadline, in numbers
    + Refuse at once; drop what has expired before serving it
    + A retry budget, and why retries keep the overload alive
    + Admission by cache pages, not by requests
    + Degraded modes in order, with a way back
    + Goodput, not throughput, as the measure

    — What an unbounded queue does — {quantity(PEAK, "req/s")} on {quantity(CAPACITY, "req/s")} for
      {MINUTES} min: {quantity(flood.peak_backlog, "req")} wait at the end, the last of them
      {quantity(flood.peak_waiting_time, "s")}, and the queue needs {quantity(flood.drain_s, "s")}
      more to empty at {quantity(AFTER, "req/s")}. Nearly every answer comes after its caller has
      left: throughput at the limit, goodput near zero.
    — Bound it — If service takes {quantity(SERVICE_S, "s")}, a deadline of
      {quantity(DEADLINE_S, "s")} leaves {quantity(DEADLINE_S - SERVICE_S, "s")} of waiting: {bound}
      places at {quantity(CAPACITY, "req/s")}. What comes beyond is refused at once. Callers try
      again on refusal: within the budget below {quantity(arriving, "req/s")} arrive at this peak,
      and {100 * shed:.1f} % of these attempts are refused; of the callers
      {100 * (1 - CAPACITY / PEAK):.0f} % go without. What expires in the queue is dropped before it
      is served, not after.
    — Retries — While everything is late, each request is sent {1 + RETRIES} times: after the peak
      {quantity(AFTER, "req/s")} become {quantity(storm, "req/s")} on {quantity(CAPACITY, "req/s")},
      an overload that keeps itself alive. That was last time's hour. A budget of
      {100 * BUDGET:.0f} % retries on top of a client's own requests keeps it at
      {quantity(calm, "req/s")}. Retries with jitter, and in one layer only: two layers multiply.
    — Admission by what is scarce — For a language model the scarce thing is cache: a replica holds
      {short} sequences of 2,000 tokens but {long} of 8,000 (8B on an H100). Admit by free pages,
      not by requests, and keep a reserve for sequences that grow: else they are preempted and
      computed twice, just when throughput is short.
    — Brown-out — Before refusing, in this order: pause batch work, shorter answers, no reranking,
      the small model, cached answers; each marked. Each step has a threshold to enter and a lower
      one to leave, and a switch for a person. Come back in steps: caches are cold.
    — Measured by — Goodput beside throughput; refused, expired and retried apart; age of the oldest
      waiting request; pages in use. Tested by an open-loop run at 130 % for ten minutes: goodput
      must stay near capacity, and latency must be normal a minute after the end.

    * failure 3: “Shedding a fifth keeps four fifths; a queue without bound keeps nobody.”
    * measure 3: “I run 130 % for ten minutes and look at the minute after.”
    * estimate 3: “150 a second too many for 600 seconds: 90,000 waiting, 164 s of work.”

    > Why not scale up?
    < Do, but a cold start of five minutes at {quantity(refused, "req/s")} of surplus is a backlog
      of {quantity(300 * refused, "req")} before the first new replica answers. Scaling is for the
      next quarter of an hour, shedding for the next second.
    > Last in, first out for the queue?
    < In overload it serves the newest in time and lets the oldest expire: better goodput than first
      in, first out, but unfair to those who waited. With a bounded queue and expiry the difference
      shrinks.
    > The peak is over, and latency stays. What is it?
    < Load that feeds itself: retries ({quantity(storm, "req/s")}), hedges without cancellation,
      cold caches. Cut the feedback first (stop retries), then let
      {quantity(CAPACITY - AFTER, "req/s")} of slack drain the rest.
    """)
