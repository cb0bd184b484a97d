# ---
# jupyter:
#   course:
#     order: 8
#     slug: tails_and_fan_out
#     title: Tails and fan-out
#     question: A hundred servers answer each page. What do their tails cost, and does a second copy help?
#     minutes: 58
#     needs: [two_numbers, mm1_explosion]
#     folder: notebooks
#     gpu: false
#     small: {requests: 60000, runs: 5}
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown] tags=["topic:I09", "topic:B14"]
# Twenty servers answer requests at a load of 0.6, half of them within 17 ms. To shorten the tail, somebody
# has switched on a famous cure: a request that has no answer after 150 ms is sent to a second server as well,
# and whichever answers first counts.
#
# Then comes a peak, forty seconds at load 0.8. After it the load is 0.6 again. No server is broken, no
# release went out, and the dashboards of the single servers are green. Yet the answers stay late until
# somebody turns one switch.
#
# When you are through, you can answer three questions:
#
# 1. What does a page ask of the servers behind it, and when is that calculation wrong?
# 2. How much does a second copy buy, and for which slowness?
# 3. Why does a fleet that hedges stay down when the peak that felled it is over, and what revives it?
#
# New words stand in bold; the glossary at the end of `docs/cards.html` keeps them.

# %%
import heapq

import numpy as np

from labutils import simulation as sim
from labutils.exercises import check, hint, outcome, piece, predict, reveal
from labutils.laws import tails
from labutils.metrics.latency import percentile, required_sample_size
from labutils.simulation.hedging_bench import HedgingBench, hedging_table
from labutils.simulation.incident import incident_runs
from labutils.viz import show
from labutils.viz.explorers.hedging import hedging_explorer
from labutils.viz.figures import tails as figures

# %% tags=["parameters"]
seed = 11  # every random draw in this chapter follows from it
requests = 200_000  # in a simulated run
runs = 20  # repetitions of the incident

# %% [markdown] tags=["topic:I09"]
# ## Forty seconds after the peak: how slow is the fleet?
#
# For ten seconds the load is 0.6 and the median 17 ms. Then the peak: 40 seconds at load 0.8. From second 50
# on the load is 0.6 again. At second 90 somebody turns the switch: from now on a copy that is no longer
# needed is called off.
#
# Before you see it: at second 90, **40 s after the peak is over** and just before the switch, what is the
# median latency of the answers, in seconds?

# %%
### BEGIN SOLUTION
predict("tails.after_the_peak", low=0.02, high=5)
### STUB predict("tails.after_the_peak", ...)
### END SOLUTION

# %% tags=["figure:kill_the_fleet"]
servers, service_s = 20, 0.010
trigger_s = service_s * np.log(20) / (1 - 0.8)  # p95 of M/M/1 at load 0.8: chapter 03
capacity = servers / service_s  # requests per second
clock = np.arange(0.5, 150.25, 0.5)
seen = incident_runs(
    capacity * np.array((0.6, 0.8, 0.6)), (10, 40, 100), clock, trigger_s=trigger_s, runs=runs,
    num_servers=servers, mean_service_time=service_s, cancel_from_s=90,
    rng=np.random.default_rng(seed + 2),
)  # fmt: skip
show(
    figures.incident(seen, peak=(10, 50), switch_s=90),
    alt="Two panels over 150 s. Load: requests alone 0.6, 0.8 in the peak, 0.6 again; with copies 1.6 "
    "in the peak and 1.2 after it, above capacity, until cancellation at second 90. Median latency, "
    "log axis: 17 ms, over 10 s when the peak ends, over 20 s at second 90, 17 ms less than 40 s later.",
)

# %%
was_s, at_90_s, again_s = figures.incident_in_numbers(seen, peak=(10, 50), switch_s=90)
outcome("tails.after_the_peak", at_90_s)

# %% tags=["solution-only"]
assert 0.016 < was_s < 0.019 and 20 < at_90_s < 30 and 30 < again_s - 90 < 42
dead, alive = seen.median_s[:, clock == 90], seen.median_s[:, clock == 9]
assert dead.min() > 100 * alive.max() and (seen.unanswered[:, -1] < 1000).all()

# %% [markdown] tags=["topic:I09"]
# ### The peak is over, and the outage is not
#
# The traffic is what it was before, and half of the answers take longer than twenty seconds. Only the switch
# ends it. Hold on to the picture: at the end of the chapter you can say why the fleet fell, why it stayed
# down, and what else would have revived it.
#
# But why does anybody send copies at all? Because of pages that ask many servers at once.

# %% [markdown] tags=["topic:B14", "topic:B16", "topic:B17", "topic:C11"]
# ## A page is as slow as its slowest leaf
#
# A search page asks 100 servers, the **leaves**, and shows its results when the last of them has answered.
# Each leaf is slow once in a hundred requests. What share of the pages is slow?
#
# Let $u$ be the share of a leaf's answers that are fast, whatever limit you choose. The page is fast
# only if all $n$ leaves are. If the leaves are **independent**, the shares multiply:
#
# $$P(\text{page slow}) = 1 - u^n .$$
#
# The page's latency is the largest of $n$ draws, and the largest comes from the tail: the mean of a
# leaf hardly enters. Four stories, one formula:

# %% tags=["topic:C07", "topic:C11", "topic:C12", "topic:B16"]
stories = (
    ("a page with 10 AI components, each within its limit 95 % of the time", 0.95, 10),
    ("an answer from 40 parallel calls, 1 % slow", 0.99, 40),
    ("the search page", 0.99, 100),
    ("2,000 leaves, one slow answer in 10,000", 0.9999, 2000),
)
for text, fast, leaves in stories:
    print(f"{100 * (1 - fast**leaves):3.0f} % slow: {text}")

# %% [markdown] tags=["topic:S05"]
# ### Ten times better leaves: how much better is the page?
#
# You spend three months on the search page's leaves, and the slow share of a leaf falls from 1 % to
# 0.1 %, a factor of ten. By which **factor** does the share of slow *pages* fall? Commit to a number,
# or to a range that you are 80 % sure of.

# %%
### BEGIN SOLUTION
predict("tails.better_page", low=5, high=10)
### STUB predict("tails.better_page", ...)
### END SOLUTION

# %% tags=["topic:S05"]
print("leaves   slow pages at 1 %   at 0.1 %   better by")
for leaves in (10, 50, 100, 200):
    before, after = 1 - 0.99**leaves, 1 - 0.999**leaves
    print(f"{leaves:6} {100 * before:14.1f} % {100 * after:9.1f} % {before / after:9.1f} ×")
outcome("tails.better_page", (1 - 0.99**100) / (1 - 0.999**100))

# %% [markdown] tags=["topic:S05", "topic:B17"]
# The gain shrinks as the page grows: ten times fewer slow answers make the page of 200 leaves less
# than five times better. Most of those pages have two slow leaves or more, and a page with two
# slow leaves stays slow when one of them is mended. So on a wide page the first improvement of a leaf is
# hardly seen. It shows once nearly all pages have at most one slow leaf.

# %% [markdown] tags=["topic:B14"]
# ## Independence is an assumption, and no leaf's dashboard shows whether it holds
#
# Multiplying shares assumes that leaves are slow at different times for different reasons. But leaves
# share racks, switches, power caps, a garbage collector that runs everywhere at once, and the query
# itself.

# %% [markdown] tags=["topic:B14", "optional"]
# How much does it matter (optional)? A model: each leaf of a page draws a normal number, and it is slow if
# that number is among the lowest 1 %. Part of the number is common to all leaves of the page (a one-factor
# model, Vasicek 1987). The **latent correlation** is the correlation of two leaves' normal numbers. It is 0
# for independent leaves and 1 when all stall together; the correlation of their *slowness* is smaller.

# %% tags=["optional"]
show(
    figures.slow_pages(0.01),
    alt="Share of slow pages against the number of leaves, 1 to 2,000 on a log axis, each leaf slow "
    "1 % of the time. Independent leaves: 63 % at 100 leaves, nearly all at 1,000. The more "
    "correlated, the lower the line; leaves that all stall together stay at 1 %.",
)

# %% [markdown]
# If all leaves stall together, 1 % slow answers make 1 % slow pages, whatever the number of leaves.
# So the same dashboards of leaves are compatible with pages that are 1 % or 63 % slow. Do not argue
# about it: **count slow pages and slow leaves on the same requests**. The ratio tells you whether your
# leaves stall together. It does not tell you the cure. A second try helps if it is fast when the first
# is slow, and that is another dependence: leaves that share nothing can each be slow because the
# request is large. **For the cure, measure how often the copy is slow when the original is.**

# %% [markdown] tags=["topic:C18", "topic:O07"]
# ## Does the page's p99 sit at the leaf's p90?
#
# A rule of thumb: *"With ten calls in parallel, your effective p99 is the single call's p90."* Test it.
# An answer needs ten independent calls, and the p90 of a single call is 8 ms. **What share of the
# answers is complete within 8 ms?**

# %%
### BEGIN SOLUTION
within_8_ms = 0.9**10  # all ten calls
### STUB within_8_ms = ...
### END SOLUTION
check("tails.ten_calls", within_8_ms)

# %% [markdown] tags=["topic:C18"]
# ### The page's percentile lies far below the leaf's
#
# Each row is one latency: which percentile is it of a single call, and which of the answer that needs
# ten?

# %% tags=["topic:C18"]
for share in (0.90, 0.99, 0.999):
    page = 100 * tails.page_quantile(share, 10)
    print(f"one call's p{100 * share:<4g} is the p{page:<4.3g} of ten")

# %% [markdown] tags=["topic:B15"]
# The rule has the direction backwards, by far: the single p90 is about the p35. A p99 for the
# answer needs the p99.9 of the call.
#
# **One case by hand.** A page asks two independent leaves, each fast in 9 of 10 answers. Of 100 pages:
#
# | first leaf | second leaf | pages |
# | --- | --- | --- |
# | fast | fast | 90 × 0.9 = 81 |
# | fast | slow | 90 × 0.1 = 9 |
# | slow | fast | 10 × 0.9 = 9 |
# | slow | slow | 10 × 0.1 = 1 |
#
# So 81 of 100 pages are fast. Now backwards: for 81 of 100 pages, each of the two leaves must be fast in 9 of
# 10 answers. What did you do with 0.81 to get 0.9, and what would you do with three leaves?
#
# ### Build: the leaf quantile that a page needs
#
# Write the general rule. A page asks `num_leaves` independent leaves and wants a share
# `page_quantile` of the pages within a limit. Which share of the *leaf's* answers must be within it?


# %%
def leaf_quantile(page_quantile, num_leaves):
    """Return the share of a leaf's answers that must be within the page's limit."""
    ### BEGIN SOLUTION
    return page_quantile ** (1 / num_leaves)
    ### END SOLUTION


# %%
check("tails.leaf_quantile", leaf_quantile)

# %% [markdown]
# Now the bill. The last column is from chapter 01: so many answers of a leaf are needed before its
# own percentile is known at all, with 95 % confidence and bounds on both sides.

# %% tags=["topic:B15"]
needed = piece("tails.leaf_quantile", leaf_quantile)
print("a p99 for the page: leaves   leaf percentile   answers to know it")
for leaves in (1, 2, 5, 10, 20, 100, 1000):
    share = needed(0.99, leaves)
    print(f"{leaves:26} {f'p{100 * share:.3f}':>17} {required_sample_size(share):20,}")

# %% [markdown] tags=["topic:B15", "topic:T09", "topic:O07", "topic:U03"]
# A page of 100 leaves is governed by one leaf answer in ten thousand. Whoever tunes the median of a
# leaf, or its mean, mends answers that such a page hardly ever waits for.
#
# **Code review.** This helper was found in a service. What is wrong with it?
#
# ```python
# def effective_p99_with_fanout(latencies_ms: dict, num_calls: int) -> float:
#     return 0.99 ** (1 / num_calls)
# ```
#
# It takes latencies and never reads them; its name promises milliseconds and it returns a
# probability. With the number in the right place it is *your* function under an honest name. (You
# can repair it under *More practice*.)
#
# Two warnings, both worked out under *More practice*. **Percentiles do not add up along a chain**: the
# sum of the stages' p99s can be far above the p99 of the whole, and far below. And the best known
# table of fan-out (Dean and Barroso 2013, table 1) contradicts itself under *any* dependence between
# leaves, so fit no model to it: its leaf is not a random one of the leaves below it.
#
# *Checkpoint, 22 minutes. One idea so far: a page multiplies the fast shares of its leaves, as long
# as they are independent. Next: the cure.*

# %% [markdown] tags=["topic:I09"]
# ## How much does a second copy buy?
#
# **Hedging**: if a leaf has not answered after a delay $\tau$, the **trigger**, send a copy of the
# request to another server that holds the same data, and take whichever answers first.
#
# Let $T$ be the
# time that a leaf needs for one request, and $G(t) = P(T > t)$ the share of requests that need longer
# than $t$ seconds. The copy leaves $\tau$ seconds after the original: at time $t$ it has been under way for
# $t - \tau$. If its time is independent of the first's, both must be late:
#
# $$P(\text{no answer by } t) = G(t) \quad (t \le \tau), \qquad G(t)\,G(t-\tau) \quad (t > \tau).$$
#
# The extra requests are $G(\tau)$: with the trigger at the leaf's p95, 5 %. Below $\tau$ nothing
# changes, so the p95 itself stays where it is. How far does the p99.9 fall? Two leaves: one needs
# 1 ms on average (exponential); the other is the same, except that one request in a hundred hits a
# straggler that needs 50 ms on average.


# %%
def steady(t):
    return np.exp(-t)


def with_stragglers(t):
    return 0.99 * np.exp(-t) + 0.01 * np.exp(-t / 50)


show(
    figures.hedged_tails({"a leaf with stragglers": with_stragglers, "a steady leaf": steady}),
    alt="Two log-log plots of the share of requests that take longer than t, with and without a copy "
    "sent at the p95. With stragglers the p99.9 falls from 115 to 5.8 ms, for the steady leaf from "
    "6.9 to about 5 ms.",
)

# %% [markdown] tags=["topic:I09", "topic:O05"]
# For 5 % more requests the leaf with stragglers becomes twenty times faster at the p99.9, and the
# steady leaf gains little: its slow requests are slow because exponential times vary, and a copy
# needs its own time after the trigger. **Hedging at the p95 removes stragglers, not variance.** The measured
# classic: reading 1,000 keys from 100 servers, a copy after 10 ms brought the p99.9 from 1,800 to
# 74 ms for 2 % more requests (Dean and Barroso 2013).
#
# The formula assumes two things. *Independent copies*: a request that is slow because it is large is
# just as slow the second time. *Copies that cost nothing*: $G$ stays what it was although more
# requests are sent. Both are controls in the explorer.

# %% [markdown]
# ### Play: what a formula for one leaf leaves out
#
# Twenty servers, each with a queue of its own; every request goes to one of them at random, and
# service times vary widely (scv 4). *Cancel at* says when the copy that is not needed is called off:
# never (by code `explorer(cancel="none")`), at the other's answer, or at the start of the other's
# service. The trigger is a quantile of the latency without hedging *at the same load*, so it follows
# the load. The grey line is the fleet without hedging; the dots are the p99.
#
# - (a) At load 0.4, which trigger gives the lowest p99 if a copy is never cancelled? And with
#   cancellation at the answer?
# - (b) Trigger at 0.95, *cancel at* answer, load 0.4. Set the correlation to 1: a copy takes exactly
#   as long as its original. What is left?
# - (c, optional) Trigger at 0.95, *cancel at* never, and raise the load step by step, once with correlation 0
#   and once with 1. What happens, and where?

# %% tags=["nbval-ignore-output"]
explorer = hedging_explorer(seed=seed)
explorer

# %% [markdown]
# (a) Without cancellation there is a best trigger, somewhere below the p95: an earlier copy helps its
# own request and delays everybody's. With cancellation, and independent copies, earlier is better.
# (b) What is left is the shorter of two queues. (c) Somewhere between load 0.55 and 0.75 the fleet
# dies, at a lower load if the copies are like their originals. No traffic was added except the
# copies. The rest of the chapter is about this.
#
# *Checkpoint, 31 minutes. Two ideas: pages multiply the fast shares, and a copy after the p95 removes
# stragglers, or a queue. Now the third.*

# %% [markdown]
# ## A fleet at load 0.8, and one switch
#
# Twenty servers, 10 ms per request on average (exponential, independent copies), load 0.8. The
# trigger is the p95 of the fleet before hedging. `cancel` says what becomes of the copy that is no
# longer needed: `"none"` works it off, `"finish"` removes it when the other has answered, and
# `"start"` removes it as soon as the other's service *begins*: these are **tied requests**, two
# copies that know of each other.

# %% tags=["topic:I09"]
fleet = HedgingBench.drawn(
    requests, num_servers=servers, mean_service_time=service_s,
    rng=np.random.default_rng(seed + 1),
)  # fmt: skip
rules = {
    "no hedging": fleet.run(0.8),
    "cancel at the other's answer": fleet.run(0.8, trigger_s, cancel="finish"),
    "cancel at the other's start": fleet.run(0.8, trigger_s, cancel="start"),
    "cancel nothing": fleet.run(0.8, trigger_s),
    "two tied copies at once": fleet.run(0.8, 0.0, cancel="start"),
}
print(hedging_table(f"load 0.8, trigger {1000 * trigger_s:.0f} ms", rules))

# %% tags=["solution-only"]
before_s, cancelled_s = (
    percentile(rules[name].sojourn_time_s[requests // 10 :], 0.99)
    for name in ("no hedging", "cancel at the other's answer")
)
assert 0.2 < 1 - cancelled_s / before_s < 0.4

# %% [markdown] tags=["topic:I09"]
# With cancellation a few per cent of copies take about 30 % off the p99, and they cost no work. Two
# independent exponential services that race end, on average, after half the time of one. So the two servers
# together spend as much as one alone would have (Gardner and others 2017). The explorer shows services for which that is not so. Two tied
# copies at once do far better, and cost nothing whatever the services are: the request ends up in the
# queue with less work. That holds if the message that calls off the copy takes no time. On an idle
# cluster both copies would start before it arrives, so the published ones were sent 1 ms apart: p99.9
# from 98 to 61 ms on an otherwise idle cluster (Dean and Barroso 2013).
#
# Without cancellation latency grows for as long as the run lasts. The median in that row depends on how long
# somebody simulated, so it says nothing about the fleet.

# %% [markdown] tags=["topic:I09"]
# ### The model behind it, in fourteen lines
#
# Nothing is hidden in the fleet. Here it is without cancellation: a request goes to a server at random, queues
# there, and a copy follows after the trigger if it has no answer by then. Change a line and run it again.


# %% tags=["topic:I09"]
def plain_fleet(arrival_s, rng):
    """Return when each request is answered; a copy follows after trigger_s, nothing is cancelled."""
    free_s = np.zeros(servers)  # when each server has worked off what it holds
    finish_s, first = np.full(len(arrival_s), np.inf), rng.integers(servers, size=len(arrival_s))
    events = [(moment, n, 0) for n, moment in enumerate(arrival_s)]
    while events:
        now, n, is_copy = heapq.heappop(events)
        if is_copy and finish_s[n] <= now:
            continue  # answered in time: no copy
        server = (first[n] + is_copy * rng.integers(1, servers)) % servers
        free_s[server] = max(free_s[server], now) + rng.exponential(service_s)
        finish_s[n] = min(finish_s[n], free_s[server])
        if not is_copy:
            heapq.heappush(events, (now + trigger_s, n, 1))
    return finish_s


# %% [markdown] tags=["topic:I09"]
# The outage needs no more than arrivals whose rate changes: 1,200 a second, 1,600 in the peak, 1,200 again.

# %% tags=["topic:I09"]
rng = np.random.default_rng(seed + 3)
stretches = ((0, 10, 0.6), (10, 50, 0.8), (50, 90, 0.6))  # from, until, load
arrival_s = np.concatenate([
    np.sort(rng.uniform(start, end, rng.poisson((end - start) * load * capacity)))
    for start, end, load in stretches
])  # fmt: skip
finish_s = plain_fleet(arrival_s, rng)
for second in (10, 50, 90):
    answered = (finish_s > second - 1) & (finish_s <= second)
    median_s = np.median((finish_s - arrival_s)[answered])
    print(f"second {second}: half of the answers take longer than {median_s:6.3f} s")

# %% tags=["solution-only"]
assert 0.012 < np.median((finish_s - arrival_s)[finish_s < 10]) < 0.025 and 15 < median_s < 32

# %% [markdown] tags=["topic:I09"]
# ## Why did the fleet stay down?
#
# Back to the outage of the first page. It is the same fleet. It copied after 150 ms and cancelled nothing:
# the last row but one of the table.

# %% [markdown]
# ### The trap closes as soon as twice the load exceeds 1
#
# Once the queues are long, every request waits longer than the trigger. Then **every** request is
# sent twice, and the servers get $2\rho$: at load 0.6 that is 1.2, more than they can do, so the
# backlog grows although the peak is over. The traffic would have to fall below load 0.5 before the
# backlog shrinks. The cause of the collapse
# (the peak) is gone, and the effect keeps itself alive: a **metastable failure** (Bronson and others
# 2021).
#
# How did it get there? Let $x$ be the load at the servers, copies included. A request is copied
# if it needs longer than the trigger, and that depends on $x$. The clients then send
#
# $$\rho_\text{sent} = \rho\,\bigl(1 + P(T > \tau \mid x)\bigr), \qquad
# P(T > \tau \mid x) \approx e^{-(1-x)\,\tau/S} \;\text{ for } x < 1, \quad 1 \text{ from there on,}$$
#
# with $S$ the mean service time: chapter 03's latency of one server at load $x$. That is a loop:
# copies make load, load makes latency, latency makes copies. The fleet settles where the load that is
# sent equals the load that was assumed: on the diagonal of the next figure.

# %%
show(
    figures.loop(trigger_s / service_s),
    alt="Load sent against load at the servers. The curve for load 0.45 meets the diagonal at 0.45 only. "
    "That for 0.6 meets it at 0.60, at a tipping point near 0.97 and at 1.2, beyond capacity. That "
    "for 0.8 lies above the diagonal up to 1.6.",
)

# %% [markdown]
# A filled circle is a healthy fleet, an open one a tipping point, and a square a dead fleet: it is sent
# that much, and its queues grow. At load 0.6 the fleet stays near 0.6 until something carries it beyond the open dot: a peak, a pause, a deployment. Does
# the approximation hold? It treats the copies as if they came by chance, like fresh requests.

# %%
print("load   at the servers: by the loop, measured")
for load in (0.4, 0.5, 0.6, 0.7):
    rest, _ = tails.effective_loads(load, trigger_s, mean_service_time=service_s)
    busy = fleet.utilization(fleet.run(load, trigger_s))
    print(f"{load:4} {rest:27.3f} {busy:10.3f}")
most = tails.collapse_load(trigger_s, mean_service_time=service_s)
print(f"above load {most:.2f} the loop has no healthy state")

# %% [markdown]
# It holds for the healthy state. The edge is softer than the formula says: twenty servers fluctuate,
# and somewhere between load 0.7 and 0.77 a bad minute is enough to tip them over.

# %% [markdown]
# And the recovery? After the switch each request costs one service again, so the
# unanswered requests, $N$ of them, drain at the headroom: $t = N / (\mu_\text{fleet} - \lambda)$, the
# fluid line of chapter 03. (*More practice* compares it with the runs.)

# %% [markdown]
# ### Which measures revive the fleet?
#
# The fleet is in the trap: load 0.6, no cancellation, median above ten seconds. Which of these would
# bring it back without anything else? Several may be right: answer like `"a, b"`.
#
# - **a** Wait: the peak is over, and this load was fine before.
# - **b** Raise the trigger from 150 ms to 1.5 s.
# - **c** Cancel the other copy as soon as one has answered.
# - **d** Limit the copies to 5 % of the requests.
# - **e** Add two servers to the twenty.
# - **f** Turn a third of the requests away.

# %%
### BEGIN SOLUTION
measures = "c, d, f"
### STUB measures = ...
### END SOLUTION
check("tails.revive", measures)

# %% [markdown]
# *Checkpoint, 46 minutes. A copy is cheap if few are sent, or if the one not needed is called off in time.*
#
# ## Build: a trigger that keeps a budget
#
# You may spend 5 % extra requests. Write the function that reads a log of latencies, in any order,
# and returns the **smallest delay** after which at most a share `budget` of these requests would
# still be unanswered. Return one of the log's latencies; a request that is answered exactly at the
# delay gets no copy.


# %%
def hedge_delay(latencies, budget):
    """Return the smallest latency of the log that at most a share budget of it exceeds."""
    ### BEGIN SOLUTION
    spared = len(latencies) - int(budget * len(latencies))
    return sorted(latencies)[spared - 1]
    ### END SOLUTION


# %%
check("tails.trigger", hedge_delay)

# %% [markdown]
# Your function gets a log of 5,000 requests of the fleet at load 0.5, and the delay goes into
# production. The next cell verifies it at load 0.5 and, some growth later, at 0.7. The budget cancels
# nothing and sends at most 5 % copies: each request adds 0.05 of a token to a bucket that holds ten,
# each copy takes one.

# %%
choose = piece("tails.trigger", hedge_delay)
log = fleet.run(0.5).sojourn_time_s[:: requests // 5000]  # 5,000 requests, far apart
delay_s = choose(log.tolist(), 0.05)
for load in (0.5, 0.7):
    rules = {
        "no hedging": fleet.run(load),
        "fixed delay": fleet.run(load, delay_s),
        "fixed delay, cancellation": fleet.run(load, delay_s, cancel="finish"),
        "fixed delay, 5 % budget": fleet.run(load, delay_s, budget=0.05),
    }
    print(hedging_table(f"load {load}, delay {1000 * delay_s:.0f} ms", rules))

# %% tags=["solution-only"]
assert fleet.run(0.5, delay_s).extra_requests > 0.05
assert rules["fixed delay"].extra_requests > 0.9

# %% [markdown]
# A delay that was tuned on one load is a promise about that load. Already at 0.5 it sends more than 5
# % copies, because the log did not contain the load of the copies. At 0.7 it kills the fleet.
# Cancellation makes these copies free (independent, exponential ones). The budget keeps the fleet
# alive without it, and that is all: at 0.7 the p99 is no better than without hedging. So you want
# both: **cancellation to make hedging pay, a budget to make it safe** on the day when cancelling does
# not work.

# %% [markdown] tags=["topic:O02", "topic:O05", "topic:I09", "topic:I12"]
# ## What to do on Monday morning
#
# | why a leaf is slow | does a copy help? | what to do |
# | --- | --- | --- |
# | its server is busy, collecting garbage, next to a noisy neighbour | yes, if the copy's server is not | hedge after the p95, tie the copies; route by observed latency, and keep probing the slow server |
# | a short request stands behind a long one (head-of-line blocking) | partly: the copy may stand behind another | a pool of its own for long requests, sorting by size, steps that can be interleaved |
# | the input is large or its data is cold | no: the copy takes as long, and you pay twice | limit the size, answer in part, a dedicated pool |
# | all stall together: a rack, a switch, a storm of collections, a deployment | no | remove the common cause; spread replicas; stagger maintenance |
# | the fleet is near its limit | only if the copies are cancelled; uncancelled copies are load | headroom, shedding, fewer copies |
#
# 1. **Count slow pages and slow leaves on the same requests**, and compare with $1 - u^n$. Then measure
#    how often the copy is slow when the original is.
# 2. **Derive the leaf's target from the page's**, $q^{1/n}$, and check that you have enough samples to
#    see it.
# 3. **Build cancellation before hedging**, then a budget, and alert on the share of copies. A copy
#    that nobody waits for must not be worked off.
# 4. **Treat a timeout with a retry as a hedge, and a worse one.** It sends the same second copy, but a
#    hedge takes either answer and a retry drops the first. Aggressive timeouts are a small trigger
#    without cancellation: give retries the same budget.
# 5. **Let the page answer without its last leaves** where a part is good enough: in the published
#    table, waiting for 95 % of the leaves halves the page's p99, from 140 to 70 ms.
# 6. **Know what you would switch off** when the share of copies climbs: the incident above ends with
#    a switch, or not at all.

# %% [markdown] tags=["topic:T09", "optional"]
# ## More practice (optional, outside the minutes)
#
# **Repair the helper.** Given a sample of one leaf's latencies in any order, return the latency that
# a share `page_quantile` of the pages stays within, each page asking `num_leaves` independent leaves.
# Take the nearest rank of the leaf quantile $u$ that the page needs: the $\lceil u m \rceil$-th
# smallest of $m$ latencies.


# %% tags=["optional"]
def page_latency(leaf_latencies, page_quantile, num_leaves):
    """Return the latency within which a share page_quantile of the pages is complete."""
    ### BEGIN SOLUTION
    u = leaf_quantile(page_quantile, num_leaves)
    return sorted(leaf_latencies)[int(np.ceil(u * len(leaf_latencies))) - 1]
    ### END SOLUTION


# %% tags=["optional"]
check("tails.page_latency", page_latency)

# %% [markdown] tags=["optional"]
# **The budget as a token bucket.** For each request, in order, `wants` says whether it would send a
# copy. The bucket starts with `burst` tokens. At every request it gains `share`, never above `burst`;
# then a request that wants a copy sends it if there is a whole token, and takes it. Return a list of
# True (sent) and False.


# %% tags=["optional"]
def within_budget(wants, share, burst):
    """Return for each request whether its copy is sent."""
    ### BEGIN SOLUTION
    tokens, sends = burst, []
    for want in wants:
        tokens = min(burst, tokens + share)
        sends.append(want and tokens >= 1)
        tokens -= sends[-1]
    return sends
    ### END SOLUTION


# %% tags=["optional"]
check("tails.bucket", within_budget)

# %% [markdown] tags=["optional"]
# ### Percentiles do not add up along a chain
#
# Calls one after the other are another case. It is common to give each stage of a pipeline a p99 and
# to add them up. Three pipelines of ten stages, all times in ms: lognormal stages that are
# independent; the same stages in step; and stages of 1 ms each that stall for 100 ms, independently,
# once in 200 requests.

# %% tags=["optional"]
rng = np.random.default_rng(seed)
normal, stall = rng.normal(size=(10, requests)), rng.random((10, requests)) < 1 / 200
pipelines = {
    "independent, lognormal": np.exp(0.5 * normal),
    "the same, all in step": np.exp(0.5 * normal[:1].repeat(10, axis=0)),
    "independent, rare stalls": np.where(stall, 100.0, 1.0),
}
for name, stages in pipelines.items():
    added, whole = sum(percentile(stage, 0.99) for stage in stages), percentile(sum(stages), 0.99)
    print(f"{name:24}: p99s added {added:5.1f}, p99 of the sum {whole:5.1f}")

# %% tags=["optional", "solution-only"]
# Five standard errors of an empirical p99 stay below 2 % at 60,000 requests.
assert abs(percentile(sum(pipelines["independent, lognormal"]), 0.99) / 16.6 - 1) < 0.02
assert percentile(sum(pipelines["independent, rare stalls"]), 0.99) > 100

# %% [markdown] tags=["optional"]
# The sum is twice too large, exact, and ten times too small. So a sum of p99s is no bound in either
# direction. The third case is fan-out again: ten chances to meet a stall that no stage's p99 shows.
# Budget by simulating the whole chain, with the dependence that you measured.

# %% [markdown] tags=["optional", "topic:U03"]
# ### A published table that no dependence can explain
#
# The best known measurement of fan-out, taken at the root of a large service tree, has three rows, in
# ms (Dean and Barroso 2013, table 1):
#
# | finishing time of | p50 | p95 | p99 |
# | --- | --- | --- | --- |
# | one random leaf | 1 | 5 | 10 |
# | 95 % of all leaves | 12 | 32 | 70 |
# | all leaves | 40 | 87 | 140 |
#
# Try to get the second row from the first. The number of leaves is not stated; take 100 or 1,000.

# %% tags=["optional", "topic:U03"]
for leaves in (100, 1000):
    k = int(0.95 * leaves)  # wait for the k-th leaf
    low, high = (100 * tails.order_statistic_quantile(q, k, leaves) for q in (0.5, 0.99))
    least = 100 * tails.leaf_share_bounds(0.5, k, leaves)[0]
    print(f"{leaves:4} leaves, independent: row 2 is between a leaf's p{low:.1f} and p{high:.1f}")
    print(f"     any dependence: at least {least:.1f} % of the leaves take 12 ms or longer")

# %% [markdown] tags=["optional", "topic:U03"]
# Independent leaves would put the second row near a leaf's p95, between about 5 and 10 ms. The table
# says 12 to 70. Are the leaves correlated? They may be, but that is not enough: in half of the
# requests the last twentieth of the leaves comes after 12 ms. So at least 2.5 % of all leaves do,
# *whatever ties them together*. The first row allows 1 % beyond 10 ms, and no rounding of its entries
# bridges that. This is counting, not a model: the leaf of the first row is not a random one of the
# leaves below it. Perhaps
# the rows were measured on different requests or in different places; the paper does not say. Before you
# fit a model to a table, check that the table agrees with itself.

# %% [markdown] tags=["optional"]
# ### Does the fluid argument give the time of recovery?
#
# For each run of the incident: the unanswered requests at second 90 over the headroom, and the time
# until the fleet holds no more than twice what is normal at load 0.6.

# %% tags=["optional"]
drain = seen.unanswered[:, clock == 90][:, 0] / (capacity * (1 - 0.6))
normal = 2 * 0.6 / (1 - 0.6) * servers  # twice what is inside at load 0.6 on average
healthy = (seen.unanswered <= normal) & (clock >= 90)
measured = clock[healthy.argmax(axis=1)] - 90
for name, times in (("fluid argument", drain), ("measured", measured)):
    low, middle, high = np.quantile(times, (0.1, 0.5, 0.9))
    print(f"{name:15}: {middle:.0f} s in the median run, {low:.0f} to {high:.0f} s in 8 of 10")

# %% tags=["optional", "solution-only"]
assert np.abs(measured - drain).max() < 3

# %% [markdown] tags=["optional", "topic:O07"]
# ### Is a shorter p99 worth more than a shorter mean?
#
# Each counts for something else. A page of 100 leaves waits for the slowest: its *median* lies at the
# leaf's p99.3, so for its users only the tail counts. The bill follows mostly from the mean: the busy
# servers are $\lambda S$, and the headroom on top depends on the variance too (chapter 03: the ceilings
# by scv). And a median that improves while the tail stays is a gain on the leaf's dashboard alone. Ask how
# wide the fan-out is before you choose.

# %% [markdown]
# ## Sources
#
# - J. Dean and L. A. Barroso, *The tail at scale*, Communications of the ACM 56(2), 2013: fan-out,
#   hedged and tied requests, and the table.
# - O. Vasicek, *Probability of loss on loan portfolio*, 1987: the one-factor model of dependence.
# - H. A. David and H. N. Nagaraja, *Order Statistics*, 2003: the largest, and the k-th largest, of n.
# - N. Bronson, A. Aghayev, A. Charapko and T. Zhu, *Metastable failures in distributed systems*,
#   HotOS 2021: the trap that outlives its cause.
# - K. Gardner and others, *Redundancy-d: the power of d choices for redundancy*, Operations Research
#   65(4), 2017: independent exponential copies that are cancelled at the first answer.
