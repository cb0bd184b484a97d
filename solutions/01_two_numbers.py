# ---
# jupyter:
#   course:
#     order: 1
#     slug: two_numbers
#     title: Two numbers
#     question: The dashboard says p99 = 25 ms. Should you believe it?
#     minutes: 64
#     needs: []
#     folder: notebooks
#     gpu: false
#     small: {num_days: 80}
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown] tags=["topic:U14"]
# The dashboard is green: **p99 = 25 ms, p99/p50 = 1.7, below 3, healthy.** Yet one request in a hundred
# takes 200 ms, because a garbage collector stops the process for a moment. Nobody has lied, and
# nothing is broken. A p99 is not a property of one request or of one replica. It is computed from many
# latencies, and what the dashboard shows was *measured* first. Between the pause and the panel there are
# three places where a pause can get lost. In this chapter you answer:
#
# 1. How far may you trust a percentile, and how many requests does that take?
# 2. What must a tool keep, so that a whole fleet's percentile can be computed from it?
# 3. From which moment does latency count, and what hides if it is another one?
#
# Nothing here needs a GPU. You need sorting, counting, and a `for` loop. One exercise also needs the
# binomial distribution (how many heads in $n$ throws?), which is introduced there. Words that are new to
# you stand in the glossary at the end of `docs/cards.html`.

# %%
import math
from collections import Counter, deque

import numpy as np
from scipy.stats import binom

from labutils import simulation as sim
from labutils.exercises import check, hint, outcome, piece, predict, reveal
from labutils.metrics import latency
from labutils.metrics.latency import percentile
from labutils.simulation.closed_loop import closed_loop, open_loop
from labutils.viz import show
from labutils.viz.explorers.percentiles import percentile_explorer
from labutils.viz.figures import latency as figures

# %% tags=["parameters"]
seed = 7  # every random draw in this chapter follows from it
num_days = 300  # simulated days of 10,000 requests

# %% [markdown] tags=["topic:A01", "topic:A02", "topic:A04", "topic:A19"]
# ## Which of the numbers is it?
#
# “Performance” is at least three quantities, and a quoted figure is one of them.
#
# | quantity | the question it answers | unit |
# | --- | --- | --- |
# | **latency** | how long does one request take, from its arrival to its completion? | seconds |
# | **throughput** | how many requests (tokens, images) are finished per second? | per second |
# | **concurrency** | how many are under way at one moment? | a plain number |
#
# A car that looks out for pedestrians needs low latency: a late answer is worth nothing. A job that
# embeds a billion documents overnight needs throughput: a single document may take a minute. Whoever buys
# memory needs the concurrency. One of the three may be excellent while another is a disaster.
#
# ### Spot the flaw: the capacity report
#
# A report on an embedding service says: (a) *The service finishes 800 documents a second at its busiest
# hour.* (b) *At that hour, therefore, it serves 800 documents at once.* (c) *A document takes 40 ms on
# average, from its arrival to its finished vector.* (d) *On average 32 documents are inside, waiting ones
# included.* One sentence quotes one quantity for another. Which? Put its letter in quotes.

# %% tags=["topic:A03"]
### BEGIN SOLUTION
sentence = "b"
### STUB sentence = ...
### END SOLUTION
check("two.which_number", sentence)

# %% [markdown]
# Stuck? Put `hint("two.which_number")` into a cell of your own, up to three times. Afterwards
# `reveal("two.which_number")` explains the idea. Both work for every exercise.

# %% [markdown] tags=["topic:A12", "topic:A13", "topic:C16"]
# ## On how many days is this service healthy?
#
# A thousand requests have a thousand latencies. To describe them in a few numbers, sort them. The
# **p99** (99th percentile, 0.99-quantile) is the value that 99 of 100 do not exceed: of $n$ sorted
# values number $\lceil q\,n \rceil$, with $q = 0.99$ and rounded up. The p50, or median, is the one in
# the middle; one request in 1,000 lies above the p99.9. A rule of thumb divides p99 by p50: **below 3 is
# healthy**, above, investigate.
#
# Now the service from the beginning. A request takes 15 ms, give or take 3 (a normal distribution). With
# probability 1 % it meets a pause of the garbage collector and takes 200 ms, give or take 50. A day has
# 10,000 requests. The service never changes. **On how many of 100 days does the rule call it healthy?**
# Commit to a number, or to a range that you are 80 % sure of:
# `predict("two.healthy_days", low=..., high=...)`.

# %%
### BEGIN SOLUTION
predict("two.healthy_days", low=80, high=100)
### STUB predict("two.healthy_days", ...)
### END SOLUTION

# %% tags=["topic:C16"]
rng = np.random.default_rng(seed)
paused = rng.random((num_days, 10_000)) < 0.01
usual_ms, pause_ms = rng.normal(15, 3, paused.shape), rng.normal(200, 50, paused.shape)
days_ms = np.where(paused, pause_ms, usual_ms)  # one row for each day
shares = (0.5, 0.95, 0.99, 0.999)
# "inverted_cdf" takes number ceil(q n); numpy's default goes between two values instead
p50, p95, p99, p999 = np.quantile(days_ms, shares, axis=1, method="inverted_cdf")
show(
    figures.days(p99, limit_ms=45),
    alt="The p99 of each day: about half of the days lie at 25 ms, the other half between 50 and "
    "170 ms, and hardly any in between. The limit of 45 ms runs through the gap.",
)
truth = binom.cdf(100, 10_000, 0.01)  # healthy: at most 100 of the 10,000 are paused
print(f"healthy: {100 * (p99 < 45).mean():.0f} % of {num_days} simulated days")
outcome("two.healthy_days", round(100 * truth))  # exact, whatever the draws

# %% tags=["solution-only"]
# Healthy unless 101 or more of 10,000 are paused: 0.527 of all days. Five standard errors.
assert abs((p99 < 45).mean() - truth) < 0.03 + 2.5 / np.sqrt(num_days)
assert p99.min() < 27 and p99.max() > 120

# %% [markdown] tags=["topic:A20", "topic:A13"]
# ### A percentile on a cliff is the toss of a coin
#
# Sort the 10,000 latencies of a day: the p99 is number 9,900. If at most 100 requests were paused,
# number 9,900 is an ordinary one; with the 101st pause it is a pause. The expected number is 100. The
# number of paused requests is binomial, and with 10,000 requests at 1 % it is 100 or less on 53 of 100
# days. So the day's verdict is the toss of a coin, and the coin says nothing about the service.
#
# Here are four percentiles over all the days, the share of requests above 45 ms, and how often the rule
# would call the service healthy if a little less or more than 1 % of the requests were paused.

# %% tags=["topic:T08", "topic:C17"]
for name, values in (("p50", p50), ("p95", p95), ("p99", p99), ("p99.9", p999)):
    low, high = np.quantile(values, (0.05, 0.95))
    print(f"{name:>6}: on 9 of 10 days between {low:4.0f} and {high:4.0f} ms")
print(f"  mean: {days_ms.mean():.0f} ms")
low, high = 100 * np.quantile((days_ms > 45).mean(axis=1), (0.05, 0.95))
print(f"share above 45 ms: on 9 of 10 days between {low:.2f} and {high:.2f} %")
for share in (0.008, 0.010, 0.011):
    healthy = binom.cdf(100, 10_000, share)
    print(f"{100 * share:.1f} % paused: healthy on {100 * healthy:.0f} of 100 days")

# %% [markdown] tags=["topic:A20", "topic:L15", "topic:O07", "topic:A14", "topic:A11"]
# Only the p99 jumps. The p95 never sees the pauses, the p99.9 sees them every day, and the share above a
# limit just counts them. What to take from this:
#
# - **Exactly 1 % is a knife-edge**, chosen to show the coin. With 0.8 % of pauses the panel is green
#   almost every day, which is worse: the pauses are there, and this panel never shows them.
# - **Choose the percentile for the trouble that you must see.** To see one request in a hundred, look at
#   one in a thousand, or count the requests above a limit. Luck moves such a count a little: the cell
#   prints within which limits it stays on 9 of 10 days. (A real drift can make it jump, where many requests
#   take just about as long as the limit.)
# - **The rule of 3 has no derivation.** A chat service without any fault can have a p50 of 800 ms and a
#   p99 of 5,000 ms: a ratio of 6.25.
# - **Averages hide the tail.** A paused request takes 13 times as long as an ordinary one. The mean goes
#   from 15 to 17 ms, and a mean of 17 ms could as well be a service without pauses that is a little
#   slower. If one request in a hundred takes 8 s and you bring the median from 500 ms to 400, you have
#   helped the users who had no complaint.
#
# For these reasons a *service-level objective* (SLO) is written on a high percentile ("p99 under
# 200 ms"), for the time to the first token and for the whole answer separately.
#
# *Checkpoint, 14 minutes. A percentile that sits on a cliff is decided by luck. Next: how much luck there
# is in each percentile.*
#
# ## What does luck do to each percentile?
#
# Below, the grey dots are requests of one day, a sample if there are many. Above them stand three
# percentiles of that day, each with a bar: values between which the *true* percentile (blue) lies in 95
# of 100 days. You will compute that bar in a moment. Leave the load generator on *waits*, and try:
#
# 1. Move the **day**. Which percentile jumps? (The p99, which sits on the cliff.) The sentence above the
#    figure ends with the true values that a bar misses: one bar in twenty misses, by design.
# 2. Go from 100 to 200,000 **requests**. Which bars shrink, and which one hardly does? At 100 and at 300
#    the p99 has no upper end, at 1,000 it has one. You will compute where that begins.
# 3. Set the **slow requests** to 0.5 % and to 2 %. Why is the p99 calm in both cases?

# %% tags=["nbval-ignore-output", "topic:A12"]
explorer = percentile_explorer(seed=seed)
explorer

# %% [markdown]
# ### Two ranks enclose a percentile
#
# Where does the bar come from? From counting alone. Let $x$ be the true $q$-quantile of the service.
# Each request falls below $x$ with probability $q$. So of $n$ independent requests the number $K$ below
# $x$ is **binomial**: the heads in $n$ throws of a coin that shows heads with probability $q$. A place in
# the sorted list is called a **rank**, 1 for the fastest.
#
# **By hand.** Take ten requests and the median, $n = 10$ and $q = 0.5$. Ten throws of a fair coin give:
#
# | at most this many below $x$ | 0 | 1 | 2 | 3 | … | 7 | 8 | 9 |
# | --- | --- | --- | --- | --- | --- | --- | --- | --- |
# | probability | 0.1 % | 1.1 % | 5.5 % | 17.2 % | … | 94.5 % | 98.9 % | 99.9 % |
#
# - *Lower end.* Number $r$ of the sorted list lies above $x$ if at most $r - 1$ requests lie below $x$.
#   For number 2 that is 1.1 %, for number 3 it is 5.5 %.
# - *Upper end.* Number $r$ lies below $x$ if at least $r$ requests lie below $x$, so not "at most
#   $r - 1$". For number 9 that is 100 - 98.9 = 1.1 %, for number 8 it is 100 - 94.5 = 5.5 %.
#
# Allow 2.5 % of mistakes on either side: then numbers **2 and 9** enclose the true median, in at least 95
# of 100 samples. The only assumption on the latencies is that they are independent.
#
# In the table the two ends are not read off in the same way. The first count whose probability reaches
# 2.5 % is 2, and 2 is the lower rank. The first count whose probability reaches 97.5 % is 8, and the upper
# rank is one more: number 9 is the first for which "at most $r - 1$" has reached 97.5 %. Without that one
# more, number 8 would miss in 5.5 % of all samples, instead of 2.5 % at most.
#
# ### Build: the ranks around a percentile
#
# Write the function for any $n$ and $q$. `binom.ppf(p, n, q)` is the smallest count that $K$ does not
# exceed with probability `p` or more: the first count in the table whose probability reaches `p`. Try ten
# requests and the median first.
#
# The usual approximation
# $nq \pm 1.96\sqrt{n\,q\,(1-q)}$, rounded outwards, passes as well, and so does one rank further out at
# either end. (The check draws samples of up to 20,000 in which both ends exist. In smaller ones the upper
# rank is $n + 1$: there is no such request, and no upper end.)


# %%
def rank_interval(n, q):
    """Return two ranks (1 = fastest of n) that enclose the true q-quantile with 95 %."""
    ### BEGIN SOLUTION
    lower = int(binom.ppf(0.025, n, q))
    upper = int(binom.ppf(0.975, n, q)) + 1
    return lower, upper
    ### END SOLUTION


# %%
check("two.rank_interval", rank_interval)

# %% [markdown] tags=["topic:T08"]
# Put it to work on the first day: this is what a summary of latencies should print.

# %% tags=["topic:T08"]
ranks_around = piece("two.rank_interval", rank_interval)
one_day, n = np.sort(days_ms[0]), 10_000
for q in shares:
    low, high = (one_day[int(rank) - 1] for rank in ranks_around(n, q))
    value, above = one_day[math.ceil(q * n) - 1], n - math.ceil(q * n)
    print(f"p{100 * q:<4g}: {value:6.1f} ms ({low:.1f} to {high:.1f}), {above:,} requests above")

print("\nrequests   for two ends   for two ends between the sample's")
for q in shares[:-1]:
    near, far = q - (1 - q) / 2, q + (1 - q) / 2
    ends = latency.required_sample_size(q)
    close = latency.required_sample_size(q, low_q=near, high_q=far)
    print(f"p{100 * q:<4g} {ends:17,} {close:17,} (p{100 * near:.4g} to p{100 * far:.4g})")

# %% tags=["solution-only"]
assert latency.required_sample_size(0.99) == 368 == math.ceil(math.log(0.025) / math.log(0.99))
assert 1_850 < latency.required_sample_size(0.99, low_q=0.985, high_q=0.995) < 1_950

# %% [markdown] tags=["topic:A13"]
# A p99 has an upper end from **368 requests** on. The largest of $n$ values is below the true p99 with
# probability $0.99^n$, and that must fall to 2.5 %. For both ends of its bar to lie between the
# sample's p98.5 and p99.5, it takes some 1,900 requests, and each further nine takes ten times as many. Requests that wait in one queue
# are not independent: then the true interval is wider.
#
# *Checkpoint, 30 minutes. First idea: a percentile is a measurement. Which ranks enclose it follows from
# n and q alone. How many milliseconds lie between these ranks, only the data can say.*

# %% [markdown]
# ## What is the p99 of two hosts?
#
# Host A answers 98 % of the requests, with a p99 of 140 ms. Host B has just been restarted, is still
# cold and gets 2 %; its p99 is 754 ms. The fleet's page shows one number for both. **What is the p99 of
# all requests together?** `predict("two.fleet", low=..., high=...)`, in ms.

# %%
### BEGIN SOLUTION
predict("two.fleet", low=140, high=450)
### STUB predict("two.fleet", ...)
### END SOLUTION


# %%
def log_of(p99_ms, n):
    """Lay n latencies out on an exponential curve with this p99, so that no luck enters."""
    return p99_ms * np.log(1 - (np.arange(n) + 0.5) / n) / np.log(0.01)


hosts_ms = {"A": log_of(140, 980_000), "B": log_of(754, 20_000)}
show(
    figures.two_hosts(hosts_ms),
    alt="Share of requests that take longer, on a log axis: a steep line for host A, a flat one for "
    "host B; the fleet follows A at first and bends towards B at 1 %, where it passes 175 ms.",
)
fleet_ms = np.concatenate(list(hosts_ms.values()))
outcome("two.fleet", f"{percentile(fleet_ms, 0.99):.0f} ms")

# %% [markdown]
# ### Percentiles do not combine, counts do
#
# The average of the two p99s, 447 ms, is far from the fleet's p99. Weighting by traffic,
# $0.98 \cdot 140 + 0.02 \cdot 754 = 152$ ms, is wrong too. No other formula can help: the two p99s *and* the
# traffic do not determine the fleet's p99. Here are two other hosts B, both with a p99 of 754 ms.

# %%
always_slow = np.full(20_000, 754.0)
rarely_slow = np.where(np.arange(20_000) < 201, 754.0, 20.0)  # one in a hundred
for name, b_ms in (("always slow", always_slow), ("rarely slow", rarely_slow)):
    both = np.concatenate([hosts_ms["A"], b_ms])
    own, fleet = percentile(b_ms, 0.99), percentile(both, 0.99)
    print(f"B {name}: its own p99 {own:.0f} ms, the fleet's {fleet:.0f} ms")

# %% tags=["solution-only"]
assert round(percentile(fleet_ms, 0.99)) == 175
assert round(sum(percentile(host, 0.99) for host in hosts_ms.values()) / 2) == 447

# %% [markdown] tags=["topic:C06"]
# Anything from 140 to 754 ms is possible. What does add up is **how many requests lie below a limit**:
# those of A plus those of B. So a host should report counts: a *histogram*, the number of requests in
# each of a few hundred buckets.
#
# ### Two hosts and four counts, by hand
#
# | requests | up to 10 ms | up to 100 ms, but more than 10 |
# | --- | --- | --- |
# | host A | 89 | 1 |
# | host B | 2 | 8 |
# | both together | 91 | 9 |
#
# A's own p90 is 10 ms: 89 of its 90 requests are in the first bucket. B's own p90 is 100 ms. The average of
# the two, 55 ms, is the edge of no bucket. For the fleet add the counts, bucket by bucket. Its p90 is the
# first edge that 90 of the 100 requests do not exceed: 91 stay within 10 ms, so it is **10 ms**. For the p95
# that is too few. With the second bucket 100 of 100 are reached, so the p95 is **100 ms**.
#
# ### Build: the percentile of a fleet
#
# Each host hands you a dict from the upper edge of a bucket (ms) to the number of requests in it, in no
# particular order; a host that was idle hands you an empty one. Return the **smallest edge that at
# least a share `q` of all requests does not exceed**.


# %%
def fleet_percentile(hosts, q):
    """Return the q-quantile of all hosts' requests, as the upper edge of its bucket in ms."""
    ### BEGIN SOLUTION
    merged = Counter()
    for host in hosts:
        merged.update(host)
    seen = 0
    for edge_ms in sorted(merged):
        seen += merged[edge_ms]
        if seen >= q * merged.total():
            return edge_ms
    ### END SOLUTION


# %%
check("two.fleet_percentile", fleet_percentile)

# %% [markdown]
# Put it to work: each host reports how many requests took up to 1 ms, up to 2 ms, and so on.

# %%
percentile_of = piece("two.fleet_percentile", fleet_percentile)
reports = [Counter(np.ceil(host).astype(int).tolist()) for host in hosts_ms.values()]
num_counts = sum(map(len, reports))
print(f"p99 {percentile_of(reports, 0.99)} ms, from {num_counts:,} counts, not 1,000,000 latencies")

# %% tags=["solution-only"]
assert fleet_percentile(reports, 0.99) == 175

# %% [markdown] tags=["topic:C06"]
# In production the edges grow by a constant factor, so that a few hundred buckets hold 20 ms and 20 s
# alike, to within 1 %. HdrHistogram and DDSketch do so, and `LogHistogram` here. What a short list of
# edges hides is shown at the end of the chapter.
#
# *Checkpoint, 43 minutes. Second idea: store counts. From counts you can compute any percentile later, for
# any group of hosts or minutes.*

# %% [markdown] tags=["topic:L02", "topic:T02"]
# ## Repair a tracker that looks fine
#
# This class is short, plausible, and a relative of many in production. All times are whole milliseconds
# on one clock. `record` is called when a request has ended, and told when it was *due* (when the user
# wanted it), when it was *sent*, when it was *done*, and whether it ended with an answer. `percentile`
# shows what the last `window_ms` were like, as seen at `now_ms`. `report` is what the host sends to the
# fleet's page.
#
# In five stories it shows a wrong number. Check it as it is: the verdict tells the first story and the
# shortest script that shows it. Repair that line, check again, take the next. The conventions:
#
# - Where nothing can be said, the answer is `math.nan`. A request that failed is `math.inf` ms late.
# - A percentile is number $\lceil q\,n \rceil$ of the $n$ sorted latencies, as the last line has it.
# - A request belongs to the window in which it ended. A rush brings thousands of them.
# - A report is a dict {latency in ms: number of requests}, one key for each value in the window.


# %% tags=["topic:L02", "topic:T02"]
### BEGIN SOLUTION
class LatencyTracker:
    """Latencies of the requests that ended in the last `window_ms` milliseconds."""

    def __init__(self, window_ms):
        self.window_ms, self.ended = window_ms, []

    def record(self, due_ms, sent_ms, done_ms, ok=True):
        self.ended.append((done_ms, done_ms - due_ms if ok else math.inf))

    def in_window(self, now_ms):
        begin_ms = now_ms - self.window_ms
        return sorted(late_ms for done_ms, late_ms in self.ended if done_ms > begin_ms)

    def percentile(self, q, now_ms):
        ranked = self.in_window(now_ms)
        return ranked[math.ceil(q * len(ranked)) - 1] if ranked else math.nan

    def report(self, now_ms):
        return dict(Counter(self.in_window(now_ms)))


### STUB class LatencyTracker:
### STUB     """Latencies of the requests that ended in the last `window_ms` milliseconds."""
### STUB     def __init__(self, window_ms):
### STUB         self.window_ms = window_ms
### STUB         self.ended = deque(maxlen=100)
### STUB     def record(self, due_ms, sent_ms, done_ms, ok=True):
### STUB         if ok:
### STUB             self.ended.append((done_ms, done_ms - sent_ms))
### STUB     def in_window(self, now_ms):
### STUB         return sorted(late_ms for done_ms, late_ms in self.ended)
### STUB     def report(self, now_ms):
### STUB         return f"p99 {self.percentile(0.99, now_ms)} ms"
### STUB     def percentile(self, q, now_ms):
### STUB         ranked = self.in_window(now_ms)
### STUB         return ranked[math.ceil(q * len(ranked)) - 1] if ranked else 0.0
### END SOLUTION


# %%
check("two.tracker", LatencyTracker)

# %% [markdown]
# *Checkpoint, 58 minutes. One of the stories was about a stall that the panel did not see. It deserves a
# closer look: many load generators have it built in.*

# %% [markdown] tags=["topic:L19", "topic:U04"]
# ## What does a load test report about a frozen server?
#
# A server answers each request in 1 ms. After 100 s it freezes for 100 s, and then goes on. A load
# generator with one connection sends a request, **waits for the answer**, pauses for 9 ms and sends the
# next: 100 a second, while all is well. It stops when the server has thawed, after 200 s, half of them
# frozen. **Which mean latency does it report?** `predict("two.frozen", low="... s", high="... s")`.

# %%
### BEGIN SOLUTION
predict("two.frozen", low="10 s", high="50 s")
### STUB predict("two.frozen", ...)
### END SOLUTION

# %% tags=["topic:L19"]
freeze = [(100, 200)]
waiting = closed_loop(np.full(10_001, 0.001), think_s=0.009, stalls_s=freeze)
on_time = open_loop(0.010 * np.arange(20_000), np.full(20_000, 0.001), stalls_s=freeze)
show(
    figures.frozen(on_time, waiting),
    alt="Recorded latency over the time of the send. On schedule: 1 ms until the freeze, then a line "
    "from 100 s down to 0. Waiting: 1 ms until the freeze and a single point at 100 s.",
)
outcome("two.frozen", f"{1000 * waiting.latency_s.mean():.0f} ms")

# %% [markdown] tags=["topic:L19", "topic:U04"]
# ### A generator that waits for its answer sends nothing during the stall
#
# A user who comes at any moment of the 200 s meets the frozen server every other time, and then waits
# 50 s on average: 25 s over all users. The generator that waits has one slow request among ten thousand, because it sends nothing while
# the server is frozen. Gil Tene, who named it, calls this **coordinated omission**. Your tracker cannot
# help: it counts from the due time, but the requests that were never sent never reach it.

# %% tags=["topic:L19"]
tracker_class = piece("two.tracker", LatencyTracker)
for name, log in (("waits", waiting), ("on schedule", on_time)):
    tracker = tracker_class(window_ms=300_000)
    for sent_ms, done_ms in zip(np.rint(1000 * log.sent_s), np.rint(1000 * log.done_s)):
        tracker.record(int(sent_ms), int(sent_ms), int(done_ms))
    p50_ms, p99_ms, p999_ms = (tracker.percentile(q, 200_001) for q in (0.5, 0.99, 0.999))
    print(f"{name:12} p50 {p50_ms} ms, p99 {p99_ms:,} ms, p99.9 {p999_ms:,} ms")

# %% tags=["solution-only"]
assert abs(waiting.latency_s.mean() - 0.011) < 0.0001 and abs(on_time.latency_s.mean() - 25) < 0.01

# %% [markdown] tags=["topic:L12"]
# The cure is to send on schedule, whatever has been answered: an **open loop**. Where a tool cannot, it
# must at least count from the moment at which each request *should* have been sent. Whether a record can
# be mended afterwards is a question for the end of the chapter.
#
# *Third idea: latency counts from the moment at which a request was due. Counted from the moment of
# sending, a stall shows up as one slow request instead of thousands.*
#
# ## What to do on Monday morning
#
# 1. **Print n and an interval beside every percentile**, and none below 368 requests for a p99.
# 2. **Count the requests above your promise.** Luck moves that share by little, counts of several hosts
#    can be added, and an SLO is written as such a share.
# 3. **Store histograms, never percentiles.** Then hosts, minutes and versions can be merged later.
# 4. **Let nothing drop out**: failures and timeouts are infinitely late, an empty window has no latency
#    (not 0 ms), and a window is a number of seconds, not a number of requests.
# 5. **Freeze the server under your load generator for ten seconds.** If the report does not show ten
#    seconds times your rate in slow requests, it does not show stalls.
#
# And the line from the beginning, for the first of the days? A count $k$ of rare events scatters by
# about $\sqrt{k}$, so $\pm 1.96\sqrt{k}$ covers 95 %.

# %%
over, value = (one_day > 45).sum(), one_day[math.ceil(0.99 * n) - 1]
low, high = (one_day[int(rank) - 1] for rank in ranks_around(n, 0.99))
spread = 1.96 * math.sqrt(over)
print(f"p99 {value:.0f} ms ({low:.0f} to {high:.0f} ms, n = {n:,})")
print(f"above 45 ms: {over} requests, {100 * over / n:.2f} ± {100 * spread / n:.2f} %")

# %% [markdown] tags=["optional"]
# ## More practice (optional)
#
# **Requests are not users.** One request in a hundred is slow, independently of the others. A user sends
# 20 of them in a session. Which share of the users meets at least one slow request?

# %% tags=["optional"]
### BEGIN SOLUTION
unlucky_users = 1 - 0.99**20
### STUB unlucky_users = ...
### END SOLUTION
check("two.users", unlucky_users)

# %% [markdown] tags=["topic:A13", "optional"]
# **One nine more.** From how many requests on does a p99.9 have an upper end, at 95 % confidence (2.5 % on
# each side)?

# %% tags=["optional"]
### BEGIN SOLUTION
enough = math.ceil(math.log(0.025) / math.log(0.999))
### STUB enough = ...
### END SOLUTION
check("two.enough", enough)

# %% [markdown] tags=["topic:A03", "topic:A04", "optional"]
# **Latency-bound or throughput-bound?** (a) Embed one billion documents by tomorrow morning. (b) Decide
# whether the object ahead of the car is a pedestrian. (c) Summarise last year's contracts over the
# weekend. (d) Complete the line that a programmer is typing. Which of them are latency-bound? Name all
# letters, as in `"a, c"`.

# %% tags=["optional", "topic:A04"]
### BEGIN SOLUTION
latency_bound = "b, d"
### STUB latency_bound = ...
### END SOLUTION
check("two.workload", latency_bound)

# %% [markdown] tags=["optional"]
# ## Also worth knowing (optional)

# %% [markdown] tags=["optional", "topic:L19"]
# **Can a record be corrected afterwards?** An answer that took 100 s stands for the requests that were
# meant for 10, 20, 30 ms … later. HdrHistogram adds them; so does `corrected_for_omission`.

# %% tags=["optional", "topic:L19"]
one_by_one = np.full(20_000, 0.001)
one_by_one[10_000] += 100  # a server that works the backlog off one by one after the freeze
backlog = sim.fifo_queue(0.010 * np.arange(20_000), one_by_one).sojourn_time_s
print("                          mean      p50      p75      p99")
for name, latency_s in (
    ("waiting, as recorded", waiting.latency_s),
    ("the same, corrected", latency.corrected_for_omission(waiting.latency_s, 0.010)),
    ("sent on schedule", on_time.latency_s),
    ("on schedule, one by one", backlog),
):
    p50_s, p75_s, p99_s = percentile(latency_s, [0.5, 0.75, 0.99])
    print(f"{name:23} {latency_s.mean():6.3f} {p50_s:8.3f} {p75_s:8.3f} {p99_s:8.3f} s")

# %% [markdown] tags=["optional", "topic:L19", "topic:L12"]
# The correction restores what was measured on schedule, *in this case*. It invents the missing requests
# instead of sending them. It needs the one interval that was meant. And it supposes that the whole
# backlog vanishes in the moment of the thaw: a server that has to work it off one by one makes users wait
# longer, as the last row shows, and a correction cannot know. Send on schedule.
#
# Here is the explorer again, with 0.1 % of requests that take 5 s. Change the load generator from *waits*
# to *on time*: the same server, and 20 requests a second.

# %% tags=["optional", "nbval-ignore-output", "topic:L19"]
stalls = percentile_explorer(seed=seed)
stalls(share=0.001, size=5.0)
stalls

# %% [markdown] tags=["optional", "topic:C06"]
# **Edges that somebody chose.** A *classic* Prometheus histogram counts up to a list of edges, here those
# that its Python client sets unless told otherwise. (Its *native* histograms grow by a factor, as above.)

# %% tags=["optional", "topic:C06"]
ttft_s = rng.lognormal(math.log(0.35), 0.9, 200_000)  # times to first token, median 0.35 s
fine, common = latency.LogHistogram(0.01), latency.BucketHistogram()
fine.record_many(ttft_s)
common.record_many(ttft_s)
print("edges in s:", *(f"{edge:g}" for edge in common.edges_s))
true, shown = percentile(ttft_s, 0.95), common.quantile(0.95)
low, high = common.quantile_bounds(0.95)
print(f"true p95 {true:.2f} s, log buckets {fine.quantile(0.95):.2f} s, these edges {shown:.2f} s")
print(f"{100 * (shown / true - 1):.0f} % too much: they know no more than “{low:g} to {high:g} s”")

# %% tags=["optional", "solution-only"]
assert 0.25 < shown / true - 1 < 0.35 and abs(fine.quantile(0.95) / true - 1) < 0.011

# %% [markdown] tags=["optional", "topic:C06"]
# **Such edges can overstate a p95 by 30 %.** Between 1 s and 2.5 s the tool draws a straight line through
# a bucket whose requests crowd at its lower end. And whatever lies beyond the last edge reads *as* the
# last edge: a panel that stands still at exactly 10 s is full, not calm. Choose edges around the promise
# that you made, and ask for the bounds.

# %% [markdown] tags=["optional", "topic:L02", "topic:T02"]
# **A p99 of the last hundred requests.** The tracker that you repaired kept 100. Let latencies be
# lognormal with a median of 1,097 ms: their logarithms are normal with mean 7 and standard deviation
# 0.5. How far apart are the p99s that such trackers show of one and the same service?

# %% tags=["optional", "topic:L02", "topic:T02"]
hundreds = np.sort(rng.lognormal(7, 0.5, (4_000, 100)), axis=1)
low, high = 100 * np.round(np.quantile(hundreds[:, 98], (0.05, 0.95)) / 100)
p50_ms, p95_ms, p99_ms = (math.exp(7 + 0.5 * z) for z in (0, 1.6449, 2.3263))
mean_ms = math.exp(7 + 0.5**2 / 2)
print(f"true: p50 {p50_ms:,.0f}, p95 {p95_ms:,.0f}, p99 {p99_ms:,.0f}, mean {mean_ms:,.0f} ms")
print(f"p99 on 9 of 10 trackers: {low:,.0f} to {high:,.0f} ms (to the nearest 100)")

# %% [markdown] tags=["optional", "topic:U13", "topic:C06", "topic:L15"]
# **The usual shape.** Latencies of a chat service with a p50 of 800, a p95 of 2,500 and a p99 of 5,000 ms:
# most of the mass on the left, a long tail on the right, and a mean above the median. This is the
# service with the ratio of 6.25.

# %% tags=["optional", "topic:U13", "topic:C06"]
hard = rng.random(200_000) < 0.07  # long questions among short ones
long_ms, short_ms = rng.lognormal(7.953, 0.526, hard.size), rng.lognormal(6.638, 0.5, hard.size)
chat_ms = np.where(hard, long_ms, short_ms)
show(
    figures.right_skew(chat_ms),
    alt="Histogram of latencies with its peak near 600 ms and a long tail to the right; lines at the "
    "median 800, the mean near 1,000, the p95 at 2,500 and the p99 at 5,000 ms.",
)

# %% [markdown] tags=["optional", "topic:A14", "topic:A15", "topic:A16", "topic:A17", "topic:A18"]
# **What is promised, and on which percentile.** Promises exist on several levels: one for the whole service
# (often monthly, with money behind it), one per request (a deadline), one for the tail (a percentile).
#
# | quantity | interactive | batch |
# | --- | --- | --- |
# | TTFT, time to first token | p95 or p99: the user sees that something happens | hardly ever promised |
# | gaps between tokens | p99: the text must not stutter | not promised |
# | E2E, end to end | p99 where the whole answer is needed at once | a deadline for the *last* request |
# | goodput | answers per second that kept **all** promises | finished work per second |
#
# Streaming improves what a user perceives, not what is computed: the first token comes early, the last
# one when it always came. TTFT and the gaps at p99 are also what decides whether *prefill* (reading the
# prompt) and *decode* (writing the answer, token by token) get machines of their own. And
# batching has a price that no mean shows. A request waits if it shares a batch with a long one, or has just
# missed a batch. So for a single user latency *jitters*, although the load is steady.

# %% [markdown] tags=["optional", "topic:L16", "topic:L17"]
# **What makes tails.** They are where trouble shows first.
#
# | cause | how it looks | where to look |
# | --- | --- | --- |
# | garbage collection, memory pressure | pauses of similar length, all requests of a process at once | collector log, swap, page faults |
# | scheduling jitter | a few milliseconds, worse when cores are full | run queue, throttled containers |
# | lost packets | jumps by a retransmission timeout, 200 ms and more | retransmits per second |
# | contention for cache, memory bus or PCIe; noisy neighbours | slow while somebody else is busy | the same host's other tenants |
# | hard requests | slow each time, with long inputs | latency against input length |
# | head-of-line blocking | short requests slow, right behind long ones | waiting and service time apart |

# %% [markdown] tags=["optional", "topic:L12", "topic:L13"]
# **Load generators and arrivals.** A closed loop of $N$ clients is a model of $N$ users who each wait for
# their answer: right for a call centre with $N$ seats, wrong for the public. (Schroeder, Wierman and
# Harchol-Balter, 2006.) In an open loop the pattern of arrivals matters. Here the same server, busy for
# 70 % of the time, gets three of them: by the clock; *Poisson*, where every moment is as likely to bring
# a request as any other; and in bursts. The *scv* is the variance of the gaps over their squared mean: 0
# by the clock, 1 for Poisson, 6 in these bursts. A fourth kind, load *sustained* for hours, finds leaks
# and full disks.

# %% tags=["optional", "topic:L12"]
service_s = rng.gamma(2, 0.005, 200_000)  # 10 ms on average
for name, arrival_s in (
    ("clockwork", np.arange(1, service_s.size + 1) / 70),
    ("Poisson", sim.poisson_arrivals(70, service_s.size, rng)),
    ("bursty, scv 6", sim.gamma_arrivals(70, service_s.size, rng, scv_arrival=6)),
):
    run = sim.fifo_queue(arrival_s, service_s)
    p50_s, p99_s = percentile(run.sojourn_time_s, [0.5, 0.99])
    print(f"{name:14} p50 {1000 * p50_s:3.0f} ms, p99 {1000 * p99_s:4.0f} ms")

# %% [markdown] tags=["optional", "topic:L13"]
# Mix what you send as well: short and long inputs, small and large answer limits, and the worst input
# that is allowed. A test with one prompt measures that prompt.

# %% [markdown] tags=["optional", "topic:M02"]
# **How good is the evidence?** "Users leave an AI product after 2 to 3 seconds." Before you build on such a
# sentence, grade it: who measured what, when, on whom?
#
# | claim | what is known | grade |
# | --- | --- | --- |
# | users abandon AI answers after 2 to 3 s | no study of AI answers behind it; the known figure is that 53 % of visits to *mobile pages* were abandoned when loading took over 3 s (Google, 2016) | other product, other decade: do not quote |
# | p99/p50 below 3 is healthy | a rule of thumb without derivation or data | compute your own limit |
# | your users leave | your own log: abandonment against TTFT, with n | the only one that counts |

# %% [markdown] tags=["topic:U04"]
# ## Sources
#
# - G. Tene, *How NOT to Measure Latency*, talk, 2013 and later: coordinated omission, and HdrHistogram.
# - H. A. David and H. N. Nagaraja, *Order Statistics*, 2003, section 7.1: intervals from ranks.
#   R. J. Hyndman and Y. Fan, *Sample Quantiles in Statistical Packages*, 1996: the nine definitions.
# - C. Masson, J. E. Rim and H. K. Lee, *DDSketch*, 2019: buckets with a relative error, merged exactly.
# - Prometheus documentation, *Histograms and summaries*: interpolation between edges, and why summaries
#   cannot be aggregated.
# - B. Schroeder, A. Wierman and M. Harchol-Balter, *Open Versus Closed: A Cautionary Tale*, 2006.
# - Google (DoubleClick), *The Need for Mobile Speed*, 2016: the 53 % of mobile visits.
