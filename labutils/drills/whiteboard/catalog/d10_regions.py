"""D10: a gateway in several regions, with quotas in tokens."""

import math

from labutils import llm
from labutils.drills.whiteboard.prompt_writing import Page, page, prompt, quantity
from labutils.drills.whiteboard.sketches.regions import regions
from labutils.laws.queueing import mean_num_inside
from labutils.llm.steps.stream import stream_duration_s

RATES = (500.0, 350.0, 250.0)  # requests a second: east, west, south, at the worst hour
PROMPT_TOKENS, ANSWER, MOST_ANSWER, USUAL_ANSWER = 1500, 300, 4096, 600
INTERACTIVE, BUSY, SHARED = 0.5, 0.8, 0.7
TTFT_S, TPOT_S, MFU, REACHED = 0.5, 0.04, 0.5, 0.6
TENANTS, QUOTA, BURST_S = 400, 10_000, 20  # tokens a second each, and seconds of it at once
FAR_S, PROBES, PROBE_S, LEASE_S, SYNC_S = 0.08, 3, 5.0, 2, 2.0


def _request_s(model, device, cached: float) -> float:
    """Device time of one request: its prefill, and its share of decode steps in a full batch."""
    batch = llm.max_sequences(model, device.memory_bytes, PROMPT_TOKENS + ANSWER)
    context = PROMPT_TOKENS + ANSWER / 2
    step = llm.decode_step(model, device, batch, context, bandwidth_share=REACHED)
    prefill = llm.prefill_time_s(
        model, device, PROMPT_TOKENS, cached_tokens=cached, flops_share=MFU
    )
    return prefill + ANSWER * step.time_s / batch


@prompt("I06 I05 I08 O12", minutes=45)
def d10() -> Page:
    """A gateway in three regions, with quotas."""
    model, device = llm.model("Llama-3.1-8B"), llm.accelerator("H100 SXM")
    total, east = sum(RATES), RATES[0]
    warm, cold = (_request_s(model, device, share * PROMPT_TOKENS) for share in (SHARED, 0))
    gpus = tuple(math.ceil(rate * warm / BUSY) for rate in RATES)
    left = sum(gpus[1:])
    interactive = INTERACTIVE * total * warm
    first_minute = interactive + INTERACTIVE * east * (cold - warm)
    equal = len(RATES) * math.ceil(total / (len(RATES) - 1) * warm)
    stay = stream_duration_s(TTFT_S, TPOT_S, ANSWER)
    cut = mean_num_inside(east, stay)
    found = PROBES * PROBE_S
    bought = QUOTA / (PROMPT_TOKENS + ANSWER)
    burst = QUOTA * BURST_S
    greedy = burst / ((MOST_ANSWER - ANSWER) * stay)  # Little: those inside hold the bucket
    usual = mean_num_inside(bought, stay) * (USUAL_ANSWER - ANSWER)
    lease = QUOTA * LEASE_S
    per_lease = lease // (PROMPT_TOKENS + USUAL_ANSWER)
    sold, capacity = TENANTS * QUOTA, sum(gpus) / warm * (PROMPT_TOKENS + ANSWER)
    return page(f"""
    {TENANTS} customers call your 8B model in three regions, at most {RATES[0]:g}, {RATES[1]:g} and
    {RATES[2]:g} requests a second. Each has bought a rate in tokens, valid in all regions together.
    A region may disappear at the busiest hour. Design the gateway: quotas, routing, failover, and
    what a client sees.

    ? How long are prompts and answers? {PROMPT_TOKENS:,} and {ANSWER} tokens on average; clients
      set max_tokens to {MOST_ANSWER:,}, and the p95 of answers is {USUAL_ANSWER}. (It decides what
      a request costs, and what may be reserved for it.)
    ? Must everything survive the loss of a region? Interactive requests must,
      {100 * INTERACTIVE:.0f} % of them; batch may pause. (It decides how many GPUs stand idle on
      other days.)
    ? How exact is a quota? A few seconds' worth may be overspent; the bill must be exact. (It
      decides where the counters may live.)
    ? How far are the regions from each other? {1e3 * FAR_S:g} ms there and back; clients may use
      any, most use one. (It decides whether a call between regions may be on the path.)

    + Quota in tokens: a bucket with rate and burst; reserve at the door, settle at the end
    + What reserving max_tokens does to a tenant, in numbers; refund or reserve less
    + Where counters live: central, copies, shares, leases, each with what may be overspent
    + What happens when counters cannot be reached
    + Capacity with a region lost, in GPUs; what pauses to make room
    + Detection, streams that are cut (Little), retries with a budget, a slow way back
    + 429 and 503 apart, with Retry-After; admission by pages beside the quota
    + A drawing, and calls with their fields, errors and what may come twice

    — Capacity by region — A request takes {quantity(warm, "s")} of an {device.name} (8B,
      {100 * SHARED:.0f} % of the prompt cached), so at {100 * BUSY:.0f} % busy the regions hold
      {gpus[0]} + {gpus[1]} + {gpus[2]} = {sum(gpus)} GPUs for {quantity(total, "req/s")}. If any
      two had to carry everything: {equal}, three equal parts, {100 * total * warm / equal:.0f} %
      busy on all other days and {100 * total * warm / (2 * equal / 3):.0f} % on that one.
    — A region is lost — East goes. {left} GPUs are left, and all the interactive traffic needs
      {interactive:.1f}; the conversations that move have no cache there, so in the first minute
      {first_minute:.1f}. It fits, {100 * first_minute / left:.0f} % busy, if batch work pauses:
      {100 * (1 - INTERACTIVE):.0f} % of the load is the spare. So {sum(gpus)} and two classes, not
      {equal}.
    — How it fails over — {cut:,.0f} streams are cut ({quantity(east, "req/s")} ×
      {quantity(stay, "s")}); each hears an error event and asks again elsewhere, prompt and tokens
      so far. By health checks alone ({PROBES} × {quantity(PROBE_S, "s")}) {east * found:,.0f}
      requests more meet a dead region, so gateways and clients also count their own failures, and
      try the next region once. Back in steps of a tenth, by tenant, since the caches there are cold
      by then.
    — Quota in tokens — A bucket: {QUOTA:,} tokens a second, {burst:,} at once. The length of an
      answer is unknown, so reserve and settle. Reserve max_tokens of {MOST_ANSWER:,} and a tenant
      that bought {quantity(bought, "req/s")} gets {quantity(greedy, "req/s")}: the bucket is held
      by tokens that are never made. Reserve its own p95, {USUAL_ANSWER}, and only {usual:,.0f} are
      held; what an answer takes beyond is charged when it is known, and the bucket may go below
      zero by that much.
    — Where the counter lives — In one place for all: every request pays {quantity(FAR_S, "s")} from
      afar and nobody is served when that place is down. A copy each, compared every
      {quantity(SYNC_S, "s")}: a tenant that asks everywhere at once gets {len(RATES)} bursts,
      {(len(RATES) - 1) * burst:,} tokens too many, and then up to
      {(len(RATES) - 1) * QUOTA * SYNC_S:,.0f} between two comparisons. A fixed third each: nothing
      too many, and a tenant with one region gets a third. So leases: the home lends {lease:,}
      tokens, {quantity(LEASE_S, "s")} of the rate, to whoever asks; {per_lease} requests are then
      decided on the spot.
    — When the home is silent — A region spends its lease ({quantity(LEASE_S, "s")}), then a third
      of the rate without a burst, while a new home is elected; a home that hears nobody does the
      same. Three thirds are the contract, so even then only the leases that are out are overspent,
      {len(RATES) * lease:,} tokens. Billing is not the counter: the ledger has each request once,
      by its id.
    — Two kinds of no — Sold are {quantity(sold, "tok/s")}, the machines make
      {quantity(capacity, "tok/s")}: {sold / capacity:.1f} times oversold, since not all come at
      once. So a quota does not protect the pool: 429 says: your limit, come back in so many
      seconds; 503 says: ours, try another region. Clients must not treat them alike.
    — How I would know — Per tenant and region: granted, denied, used over reserved, leases unused;
      the ledger against the buckets every hour. Added latency at the p99. A region switched off at
      the peak every quarter: cut streams, seconds until goodput is back, batch work paused, and the
      way back.

    * estimate 0: “We need enough capacity in each region.”
    * estimate 1: “N + 1: two regions must carry what three do.”
    * estimate 2: “37 + 26 + 19 GPUs at 80 %; with east gone 45 are left and interactive needs
      31.7.”
    * estimate 3: “… and 40.4 in the first minute, since caches are cold there. It fits if batch
      pauses; to carry everything I would buy 96.”
    * failure 0: “Traffic is rerouted automatically.”
    * failure 1: “Health checks take the region out after 15 s.”
    * failure 2: “6,230 streams are cut, and 7,500 requests meet a dead region within 15 s.”
    * failure 3: “… so clients count their own failures and try the next region once; retries have a
      budget, and the way back is in tenths, for the caches are cold.”
    * commit 0: “Redis.”
    * commit 1: “Eventually consistent counters.”
    * commit 2: “Leases of 20,000 tokens from a home: nothing overspent while they can talk.”
    * commit 3: “… and if they cannot, a third each: at most three leases too many. A strict quota
      would cost 80 ms a request, or a 503 when the home is silent.”

    > A tenant's data must not leave its region.
    < Then its failover is a second zone there, bought for it, or a 503 that says so. The flag is
      checked in the gateway before routing, and in the pool again; the ledger for it stays, too.
    > Somebody asks for strict quotas, not one token too many.
    < One counter, and {quantity(FAR_S, "s")} for whoever is far, or leases alone with no share to
      fall back on: then a silent home means 503 after {quantity(LEASE_S, "s")}. I would ask what a
      token too many costs: the bill is exact either way.
    > All three regions have their worst hour together.
    < That is what was sized: {quantity(total, "req/s")}. If the worst hours lie eight hours apart
      the sum is smaller than the parts, and traffic follows the night: {quantity(FAR_S, "s")} more
      TTFT against idle GPUs. Batch work first, since nobody waits for it.
    """).sketched(regions(gpus, lease))
