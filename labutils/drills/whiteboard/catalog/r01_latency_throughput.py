"""R01: latency and throughput, and when they conflict."""

from labutils.drills.whiteboard.prompt_writing import Page, page, prompt, quantity
from labutils.laws import queueing
from labutils.laws.batching import AffineBatchTime

MACHINE = AffineBatchTime(fixed_s=0.004, per_item_s=0.0009)


@prompt("R01 A01 A02 M12 O21", minutes=10)
def r01() -> Page:
    """Latency against throughput."""
    one, many = MACHINE(1), MACHINE(32)
    busy = [queueing.MM1(load, 1.0).mean_sojourn_time for load in (0.8, 0.9)]
    return page(f"""
    What is the difference between latency and throughput, and when do they conflict?

    ? For which kind of service? A model behind an API. (It decides whether batching is the lever.)
    ? Below or near saturation? Both. (It decides whether waiting matters.)

    + Both defined with their boundary, and concurrency as the third quantity
    + A conflict with numbers (batching, or the last tenth of utilization)
    + Cases without a conflict: load, caching, better kernels
    + Objective first, then maximise within it

    — Two numbers — Latency is the time of one request, from its intended arrival to its last token.
      Throughput is completed work per second. What is inside links them: concurrency = throughput ×
      mean latency.
    — They conflict — When batching is the lever: a machine that takes 4 + 0.9 b ms serves
      {quantity(1 / one, "req/s")} one by one at {quantity(one, "s")} each,
      {quantity(32 / many, "req/s")} in batches of 32 at {quantity(many, "s")} each, waiting not
      counted. And near saturation: from 80 to 90 % busy an M/M/1 server does an eighth more work,
      and a request takes {busy[1]:.0f} service times instead of {busy[0]:.0f}.
    — They do not — Under load the larger batch has the lower latency too, since most of the time is
      spent in the queue. Caching, quantisation, better kernels and shorter prompts help both.
    — Which to serve — Write the objective first: P95 of TTFT below a limit, say, then maximise
      throughput within it. A perception stack needs the latency of each frame; a billion documents
      overnight need throughput alone.

    * commit 3: “P95 of TTFT below 1 s; within that, the largest batch.”

    > Two replicas instead of one: which number moves?
    < Capacity doubles; throughput only if requests were turned away before, else it stays what
      arrives. The service time of one request stays; its waiting falls, since each replica has half
      the load.
    > A dashboard shows throughput flat and latency rising. What happened?
    < Saturation: more comes in than can go out. The queue grows for as long as that lasts, so
      latency depends on how long it has lasted; no steady value exists.
    > Your P95 is 2 s and users complain. Is the objective wrong?
    < Ask what they wait for: first token, gaps, or the whole. One user sends many requests: of 20 a
      day one is slower than the P95 on average.
    """)
