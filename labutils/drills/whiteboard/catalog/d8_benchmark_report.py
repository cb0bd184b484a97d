"""D8: a benchmark report, to be taken apart."""

from labutils import llm
from labutils.drills.whiteboard.prompt_writing import Page, page, prompt, quantity
from labutils.metrics.latency import rank_interval, required_sample_size

CLIENTS, REQUESTS, TPOT_S, ANSWER, TOP_S = 64, 1000, 0.02, 200, 10.0
CLAIMED = 4100.0


@prompt("L12 L13 L14 L19 A09", minutes=45)
def d8() -> Page:
    """Take a benchmark report apart."""
    model, device = llm.model("Llama-3.1-8B"), llm.accelerator("H100 SXM")
    stay = 0.3 + (ANSWER - 1) * TPOT_S
    tokens = CLIENTS * ANSWER / stay
    low, high = rank_interval(REQUESTS, 0.99)
    needed = required_sample_size(0.99, low_q=0.985, high_q=0.995)
    alone, crowd = (llm.decode_step(model, device, batch, 1000) for batch in (1, CLIENTS))
    return page(f"""
    A vendor's report: “{CLIENTS} concurrent clients, {REQUESTS:,} requests of equal length
    ({ANSWER} tokens out), an 8B model on one H100. {CLAIMED:,.0f} output tokens a second, TTFT 0.3
    s, TPOT {1e3 * TPOT_S:.0f} ms, p99 = {TOP_S:.1f} s.” Your team has to decide by it. What do you
    say?

    ? Does a client wait for its answer before it sends the next? Yes. (It decides whether the loop
      is open or closed.)
    ? Are the first requests counted? All requests are. (It decides whether warm-up is in the
      figures.)
    ? Where do the percentiles come from? A histogram, top edge {TOP_S:.0f} s. (It decides whether
      the p99 is a value or an edge.)

    + Closed loop named, with what it hides
    + The figures checked against each other by Little's law
    + The interval of a p99 from 1,000 values
    + The top bucket: a p99 at the edge is a lower bound
    + Warm-up and length mix
    + What to ask for instead: open-loop sweep, goodput, raw records

    — What was measured — {CLIENTS} clients that send again when answered: a closed loop. It never
      offers more than the service takes, so it says nothing about independent users who keep
      coming; and a stall shows in {CLIENTS} requests at most, not in all those that would have
      arrived meanwhile.
    — Do the numbers agree? — Little: {CLIENTS} inside, {quantity(stay, "s")} each (0.3 s +
      {ANSWER - 1} × {quantity(TPOT_S, "s")}) make {quantity(CLIENTS / stay, "req/s")} or
      {quantity(tokens, "tok/s")}. The report says {quantity(CLAIMED, "tok/s")}:
      {100 * (CLAIMED / tokens - 1):.0f} % more than its own latency allows. Ask: are prompt tokens
      counted as output, are failed requests left out of the time? If the two latencies are medians,
      their means are probably larger, and the gap too.
    — The p99 — Of {REQUESTS:,} values, sorted, the true p99 lies between number {low} and number
      {high} (95 %): fewer than twenty slow requests decide it. To pin it between the sample's p98.5
      and p99.5 takes {needed:,} values. And the histogram's last edge is {quantity(TOP_S, "s")}: a
      p99 that reads exactly that is a lower bound, not a value.
    — What is missing — Warm-up (graphs, caches, compilation in the first requests), the length mix
      (equal lengths flatter every batcher), the arrival process, goodput under a stated limit,
      failures and timeouts, versions and precision, spread over repeated runs, and the same run at
      50, 80 and 110 % of capacity.
    — Sanity — The hardware allows both figures: {CLIENTS} streams of 1,000 tokens could have a
      token every {quantity(crowd.time_s, "s")} on an {device.name} in bf16, or
      {quantity(crowd.tokens_per_s, "tok/s")}. A single stream cannot beat the reading of the
      weights: {quantity(alone.time_s, "s")} a token, {quantity(alone.tokens_per_s, "tok/s")}; more
      is another precision, speculation, or a mistake.
    — Verdict — The report shows that the service survives 64 patient clients. It does not show
      latency under load, so we do not decide by it. I ask for an open-loop sweep with the
      production mix, a p99 with its interval, and the raw records.

    * measure 3: “Intended arrivals, after warm-up, with the real mix, at three loads.”
    * estimate 3: “64 over 4.3 seconds is 15 a second, 3,000 tokens: not 4,100.”

    > They rerun with arrivals at a fixed rate and a cap of 64 in flight. Better?
    < Only if latency counts from the intended send. With a cap, requests wait in the client once it
      is reached, and a clock that starts at the real send leaves that out.
    > Two hosts report a p99 of 90 ms and 400 ms. The average is in the summary.
    < Percentiles cannot be averaged. Merge the raw values, or add the histograms bucket by bucket,
      and read the p99 of the whole.
    > Which one number would you put on a slide?
    < Goodput: requests a second within stated TTFT and TPOT limits, for the production mix, with
      the interval over five runs.
    """)
