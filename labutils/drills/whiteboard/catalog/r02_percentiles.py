"""R02: why percentiles beat the mean."""

import math
from statistics import NormalDist

from labutils.drills.whiteboard.prompt_writing import Page, page, prompt
from labutils.laws import tails
from labutils.metrics.latency import required_sample_size


@prompt("R02 A11 A12 L15 O07 C07", minutes=10)
def r02() -> Page:
    """Percentiles instead of the mean."""
    slow_pages = tails.slow_share(0.05, 10)
    spread = math.log(5 / 0.8) / NormalDist().inv_cdf(0.99)
    mean_s = 0.8 * math.exp(spread**2 / 2)
    day = tails.slow_share(0.01, 20)
    return page(f"""
    Why do we look at P95 and P99 instead of the average latency?

    ? Of requests, or of users? You tell me. (It decides whether to convert one into the other.)
    ? For alarms, or for planning? Both. (It decides which of the two numbers to use.)

    + Skew: the mean is nobody's experience
    + From requests to pages and users, with a number
    + What the mean is good for: capacity and cost
    + Traps: averaging percentiles, small samples, missing failures

    — What the mean hides — Latencies are skewed, so the mean is hardly anybody's experience. A
      lognormal with p50 = 800 ms and p99 = 5 s has a mean of {mean_s:.2f} s, and so has a service
      that always takes {mean_s:.2f} s; only one of them loses users. And one long stall moves the
      mean of a whole minute.
    — Requests are not users — A page that makes 10 calls of which 5 % are slow is slow in
      {100 * slow_pages:.0f} % of cases. A user with 20 requests a day meets a one-in-a-hundred
      latency on {100 * day:.0f} % of days. The tail is what the frequent user sees.
    — What the mean is for — Capacity and cost follow the mean: work per request decides how many
      machines. Percentiles decide whether it was good. Report both.
    — Handle with care — A p99 needs values: below {required_sample_size(0.99):,} its 95 % interval
      has no upper end. Percentiles of hosts cannot be averaged, those of stages cannot be added;
      failures and timeouts belong in the sample; a closed-loop client leaves out the worst.

    * estimate 3: “0.95 to the tenth is 0.6: four pages in ten.”

    > p50 is 800 ms, p99 is 5 s. Is that healthy?
    < The ratio is {5 / 0.8:.2f}. Whether it is healthy depends on the cause: length of answers
      explains ratios like that without any fault. Divide by tokens before you judge.
    > The p99 has not moved and users complain. Where do you look?
    < At p99.9, at failures counted as fast, at one tenant or region inside the total, at
      client-side time, at the top bucket of the histogram.
    > Which percentile would you promise?
    < The one that users meet often enough to remember: with 20 requests a day the p95; for a page
      of 10 calls the p99.9 of each call.
    """)
