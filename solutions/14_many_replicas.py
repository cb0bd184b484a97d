# ---
# jupyter:
#   course:
#     order: 10.95
#     slug: many_replicas
#     title: Many replicas
#     question: You doubled the replicas, and the first token got slower. What did the router throw away?
#     minutes: 75
#     needs: [kv_cache_memory, continuous_batching, what_need_not_be_computed]
#     folder: notebooks
#     gpu: false
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown] tags=["topic:K06", "topic:I12"]
# One replica is a queue, and chapters 03 to 13 were about it. A service has eight, or eighty, and in front of them stands a
# router: a few lines that nobody tuned. It decides who waits, which caches stay warm, and what a GPU hour buys.
#
# When you are through, you can answer:
#
# 1. What must a router know, and how old may its knowledge be?
# 2. When does sending a session back to its cache make the whole fleet slower?
# 3. Which number should start the next replica, if it takes four minutes to come?
#
# All of it runs on the simulator of chapter 07, many times over: a router, and behind it replicas with schedulers, pages and
# prefix caches of their own. A million requests take a few seconds. A router is a Python class of ten lines, and those that
# you write here are used again in lab 9.

# %%
import json
import math
import random
from collections import defaultdict
from dataclasses import replace

import numpy as np

from labutils import datafile, llm
from labutils.engine import PagePool, Scheduler
from labutils.exercises import check, hint, outcome, piece, predict, reveal

# %%
from labutils.serving import replicas as fleet
from labutils.serving.replicas import serve_replicas
from labutils.serving.simulator import StepCost
from labutils.viz.explorers.herd import herd_explorer
from labutils.viz.figures import replicas as figures
from labutils.viz.show import show
from labutils.workload import Sessions, mix

# %% tags=["parameters"]
seed = 1  # every random draw in this chapter follows from it
num_sessions = 1_000
num_requests = 10_000

# %%
small = llm.model("Llama-3.1-8B")
h100 = llm.accelerator("H100 SXM")
step_cost = StepCost.from_roofline(small, h100, bandwidth_share=0.8, per_layer_s=25e-6)
kv_tokens = int((0.9 * h100.memory_bytes - small.weight_bytes(2)) / small.kv_bytes_per_token(2))


def of(n, page_tokens=64, tokens=kv_tokens):
    """Schedulers of n replicas, each with pages for so many tokens."""
    return [
        Scheduler(256, PagePool(tokens // page_tokens, page_tokens), token_budget=2_048, chunked=True)
        for _ in range(n)
    ]


def ttft_s(run, quantile=0.5):
    """A quantile of the time to the first token."""
    log = run.log
    return float(np.quantile((log.first_token_s - log.sent_s)[log.ok], quantile))


print(f"{small.name} on {h100.name}: room for {kv_tokens:,} tokens of cache in each replica")

# %% [markdown] tags=["topic:K06"]
# ## Twice the replicas
#
# Users talk to six assistants. Each session begins with its assistant's 2,000 tokens, and each turn sends all that was said
# before: some 8,000 tokens on average, of which a replica that served the turn before knows nearly all. (Chapter 10's prefix
# cache; chapter 06 counted its bytes.) The router goes round: one replica after the other.
#
# Four replicas serve 1.8 requests a second without effort. Somebody makes it eight, to be on the safe side. By how many
# percent does the median time to the first token change? (A minus sign: it gets shorter.)

# %%
### BEGIN SOLUTION
predict("many.doubled", low=5, high=60)
### STUB predict("many.doubled", ...)
### END SOLUTION

# %% tags=["topic:K06"]
talks = Sessions().trace(num_sessions, 0.4, seed=seed)
print(talks.summary())
by_replicas = {}
for router in (fleet.RoundRobin(), fleet.LeastInFlight(), fleet.WeightedScores()):
    runs = [serve_replicas(talks, of(n), step_cost, router, seed=seed) for n in (2, 4, 8, 16)]
    by_replicas[type(router).__name__] = runs
_, four, eight, _ = map(ttft_s, by_replicas["RoundRobin"])
outcome("many.doubled", round(100 * (eight / four - 1)))

# %% tags=["topic:K06", "topic:I07"]
hits = {name: [run.hit_share for run in runs] for name, runs in by_replicas.items()}
waits = {name: [ttft_s(run) for run in runs] for name, runs in by_replicas.items()}
title = f"From four replicas to eight: first tokens {100 * (eight / four - 1):.0f} % later, going round"
show(
    figures.by_replicas([2, 4, 8, 16], hits, waits, title=title),
    alt="Share of prompt tokens found in a cache, and median TTFT, at 2, 4, 8 and 16 replicas. "
    + " ".join(
        f"{name}: {', '.join(f'{100 * hit:.0f} % and {1e3 * wait:.0f} ms' for hit, wait in zip(hits[name], waits[name]))}."
        for name in hits
    ),
)

# %% tags=["solution-only"]
assert eight > 1.15 * four and hits["RoundRobin"][2] < hits["RoundRobin"][1] - 0.08
assert waits["WeightedScores"][2] < 0.5 * eight

# %% [markdown] tags=["topic:K06", "topic:I07"]
# ### A replica more is a cache more, and nobody knows what is in it
#
# Replicas do not make one request faster; they shorten the queue. Here there was no queue to shorten. But each turn of a
# session lands anywhere, and the chance that it lands where its last turn was halves. So the replicas compute again what
# another one knows: with eight of them half of all prompt tokens. The router threw it away.
#
# `LeastInFlight`, the fewest requests under way, does no better, for it knows loads and no prompts. `WeightedScores` asks for
# both. Before prompts, loads: there a router can already be wrong by far.
#
# *Checkpoint, 13 minutes. Capacity is what replicas add. Memory is what the router adds, or loses.*

# %% [markdown] tags=["topic:I12", "topic:I08"]
# ## The herd
#
# Now short prompts that nobody knows: chat, 72 requests a second for eight replicas. A router has two kinds of knowledge.
# What it did itself it knows at once: whom it sent where, and who has ended. What the replicas tell, how many wait and run
# there, is a report, and a report has an age. Every 100 ms is usual.
#
# The router sends each request to the replica with the fewest, by the last reports. How many times as long as with a router
# that just goes round is the median time to the first token?

# %%
### BEGIN SOLUTION
predict("many.herd", low=1, high=8)
### STUB predict("many.herd", ...)
### END SOLUTION

# %% tags=["topic:I12"]
chat = mix("azure-conversation").trace(num_requests, 72, seed=seed)


def serve_chat(router, n=8, **options):
    """Chat on n replicas with pages of 16 tokens."""
    return serve_replicas(chat, of(n, page_tokens=16), step_cost, router, seed=seed, **options)


routers = {
    "least, by reports": fleet.LeastReported(0.1),
    "the same, own choices added": fleet.FourWaitingPlusRunning(0.1),
    "going round": fleet.RoundRobin(),
}
runs = {name: serve_chat(router) for name, router in routers.items()}
times = ttft_s(runs["least, by reports"]) / ttft_s(runs["going round"])
outcome("many.herd", round(times, 1))

# %% tags=["topic:I12"]
title = f"Reports 100 ms old: all run to one replica, and a first token takes {times:.1f} times as long"
show(
    figures.queues(runs, between_s=(20.0, 23.0), title=title),
    alt="Requests that wait for a first token at each of eight replicas, for three seconds and three "
    "routers. By reports one replica after the other fills while the others run dry. "
    + "; ".join(f"{name}: median {1e3 * ttft_s(run):.0f} ms" for name, run in runs.items())
    + ".",
)

# %% tags=["solution-only"]
assert 2 < times < 6

# %% [markdown] tags=["topic:I12"]
# ### Everybody reads the same news
#
# In 100 ms seven requests come. All of them see the same report, and all go to the replica that was best in it. When the next
# report comes, that one is the worst. A herd is made of news, not of load: with twice the replicas and twice the requests
# twice as many run. Drag the age of the reports, and look for the age at which a report is worth nothing:

# %% tags=["topic:I12"]
herd_explorer(seed=seed)

# %% [markdown] tags=["topic:I12"]
# ### Build: two choices
#
# One cure is to count what oneself has sent since (above, in the middle; vLLM's balancer does it). Another needs no reports at
# all: draw **two different replicas at random, and take the one with fewer requests in flight**. Nobody runs after anybody,
# and two probes are nearly as good as all.
#
# `views.up` are the numbers of the replicas that take requests, such as `[0, 2, 3]`; the others may be down.
# `views.in_flight[2]` is how many this router has under way at replica 2. Draw with `self.rng`. If only one is up, return it.


# %% tags=["topic:I12"]
class TwoChoices:
    def __init__(self, seed):
        self.rng = random.Random(seed)

    def choose(self, request, views):
        """Return the number of the replica that gets the request."""
        ### BEGIN SOLUTION
        two = self.rng.sample(views.up, min(2, len(views.up)))
        return min(two, key=lambda at: views.in_flight[at])
        ### END SOLUTION


# %%
check("many.two", TwoChoices)

# %% tags=["topic:I12"]
mine = piece("many.two", TwoChoices)
ages_s = [0, 0.01, 0.05, 0.1, 0.5, 2]
aged = {
    "least, by reports": [fleet.LeastReported(age) for age in ages_s],
    "two choices, by reports": [fleet.TwoChoices(age) for age in ages_s],
    "your two, own counts": [mine(seed)] * len(ages_s),
    "going round": [fleet.RoundRobin()] * len(ages_s),
}
told = {name: [ttft_s(serve_chat(router)) for router in row] for name, row in aged.items()}
title = "Old news ruins the least loaded, and hardly touches two choices"
show(
    figures.by_age(ages_s, told, title=title),
    alt=f"Median TTFT by the age of reports, {ages_s} s. "
    + " ".join(f"{name}: {', '.join(f'{1e3 * t:.0f}' for t in row)} ms." for name, row in told.items()),
)

# %% tags=["solution-only"]
assert told["least, by reports"][4] > 5 * told["two choices, by reports"][4]
assert told["your two, own counts"][0] < 1.4 * told["going round"][0]

# %% [markdown] tags=["topic:I12"]
# Two honest remarks. Going round, which knows nothing, is the best of all here: the requests are many and alike, and so are
# the replicas. And two choices lose a little against all replicas *if* the news is fresh. Now let one of eight replicas be
# slow, as one always is (a card that throttles, a noisy neighbour):

# %% tags=["topic:I12"]
print("p99 of the TTFT in s; replica 3 takes   1     1.5       2       3  times as long a step")
for name, router in {
    "going round": fleet.RoundRobin(),
    "least in flight, own counts": fleet.LeastInFlight(),
    "your two": mine(seed),
}.items():
    slowed = [serve_chat(router, changes=[fleet.Slows(0.0, 3, f)]) for f in (1, 1.5, 2, 3)]
    print(f"{name:35}" + "".join(f"{ttft_s(run, 0.99):8.2f}" for run in slowed))

# %% [markdown] tags=["topic:I12"]
# Who goes round sends the slow one its eighth, whatever becomes of it. Counting in flight is latency-based routing in its
# simplest form: who is slow has more under way, and gets less.
#
# *Checkpoint, 29 minutes. Own counts are never old. Reports are, and then chance beats knowledge.*

# %% [markdown] tags=["topic:I07", "topic:I12"]
# ## Back to one's cache
#
# Loads are under control; the caches are still thrown away. The idea is plain: remember which pages were sent where, and send
# a prompt where most of its beginning is. Six assistants, eight replicas, and now 5.8 requests a second instead of 1.8. The first
# assistant has two fifths of all sessions. How many times its fair share (an eighth) does the busiest replica get?

# %%
### BEGIN SOLUTION
predict("many.hot", low=1, high=5)
### STUB predict("many.hot", ...)
### END SOLUTION

# %% tags=["topic:I07"]
busy = Sessions().trace(2 * num_sessions, 2.0, seed=seed)


def serve_busy(router, **options):
    """Sessions at 5.8 requests a second on eight replicas."""
    return serve_replicas(busy, of(8), step_cost, router, seed=seed, **options)


def hottest(run):
    """The share of the busiest replica, by a fair one."""
    return max(len(run.rows_of(at)) for at in range(8)) * 8 / len(run.replica)


blind = serve_busy(fleet.PrefixBounded(1e9))
outcome("many.hot", round(hottest(blind), 1))
print(f"p90 of the TTFT: {ttft_s(blind, 0.9):.0f} s; going round: {ttft_s(serve_busy(fleet.RoundRobin()), 0.9):.2f} s")

# %% [markdown] tags=["topic:I07", "topic:I12"]
# Affinity made a hot replica. Every session of the first assistant begins with the same 2,000 tokens, and they lie on one
# replica, so all its sessions go there, and wait for minutes beside seven idle ones. The cure is a bound: **whoever has much
# more than the average under way is left out**, whatever it knows (consistent hashing with bounded loads, 2018).
#
# ### Build: prefix-aware, with a bound
#
# Among the replicas of `views.up` with fewer than
#
# $$\left\lceil \text{bound} \cdot \frac{\text{in flight at all that are up} + 1}{\text{number that are up}} \right\rceil$$
#
# requests in flight, choose the one that was sent the most *leading* pages of the prompt: a page counts only if all before
# it were sent there too. Of equals take the one with the fewest in flight. Then remember all pages of the prompt there.
#
# `request.pages` names the prompt's pages, in order; `self.sent[at]` is the set of those that went to replica `at`.
#
# *By hand:* bound 1.25, in flight `[3, 0]`, both up: the limit is ⌈1.25 · 4/2⌉ = 3. Replica 0 is left out.


# %% tags=["topic:I07"]
class PrefixBounded:
    def __init__(self, bound):
        self.bound = bound
        self.sent = defaultdict(set)

    def choose(self, request, views):
        """Return the number of the replica that gets the request."""
        ### BEGIN SOLUTION
        load = views.in_flight
        limit = math.ceil(self.bound * (sum(load[at] for at in views.up) + 1) / len(views.up))
        room = [at for at in views.up if load[at] < limit]
        best = max(room, key=lambda at: (self.found(request.pages, at), -load[at]))
        self.sent[best].update(request.pages)
        return best
        ### END SOLUTION

    def found(self, pages, at):
        """How many leading pages of a prompt were sent to replica `at`."""
        ### BEGIN SOLUTION
        return next((n for n, page in enumerate(pages) if page not in self.sent[at]), len(pages))
        ### STUB return ...
        ### END SOLUTION


# %%
check("many.prefix", PrefixBounded)

# %% tags=["topic:I07", "topic:I12"]
with_bound = piece("many.prefix", PrefixBounded)
bounds = [1, 1.25, 1.5, 2, 4, 1_000]
bounded = [serve_busy(with_bound(bound)) for bound in bounds]
found, tails = [run.hit_share for run in bounded], [ttft_s(run, 0.99) for run in bounded]
best = bounds[int(np.argmin(tails))]
title = f"A bound of {best:g} costs few hits and saves the tail; none costs {tails[-1] / min(tails):.0f} times the p99"
show(
    figures.by_bound(bounds, found, tails, title=title),
    alt="Share of prompt tokens found, and p99 of TTFT, by the bound. "
    + "; ".join(f"{b:g}: {100 * h:.0f} %, {t:.2f} s" for b, h, t in zip(bounds, found, tails))
    + ".",
)

# %% tags=["solution-only"]
assert tails[-1] > 20 * min(tails) and found[3] > found[0] + 0.1

# %% [markdown] tags=["topic:I07"]
# ### What each decision threw away
#
# A dashboard shows the hit share. It does not show who is to blame. Ask each decision instead: how many pages did some other
# replica know that the chosen one did not? Summed, and in seconds of prefill, this is the *counterfactual regret* of the
# router. `Thrown` stands before any router and counts:


# %% tags=["topic:I07"]
def leading(pages, sent):
    """How many pages at the beginning of a prompt are among those that were sent."""
    return next((n for n, page in enumerate(pages) if page not in sent), len(pages))


class Thrown:
    """Counts the pages that another replica was sent before, and the chosen one was not."""

    def __init__(self, router):
        self.router, self.sent, self.pages = router, defaultdict(set), 0

    def choose(self, request, views):
        chosen = self.router.choose(request, views)
        known = {at: leading(request.pages, self.sent[at]) for at in views.up}
        self.pages += max(known.values()) - known[chosen]
        self.sent[chosen].update(request.pages)
        return chosen


# %% tags=["topic:I07"]
judged = {
    "your two": Thrown(mine(seed)),
    "bound 1.25": Thrown(with_bound(1.25)),
    f"bound {best:g}": Thrown(with_bound(best)),
    "no bound": Thrown(with_bound(1_000)),
}
last_s = [ttft_s(serve_busy(one), 0.9) for one in judged.values()]
page_s = 64 * step_cost.per_linear_token_s
lost_s = [one.pages * page_s / len(busy) for one in judged.values()]
title = "Who throws nothing away pays elsewhere"
show(
    figures.thrown(list(judged), lost_s, last_s, title=title),
    alt="Seconds of prefill thrown away for each request, and p90 of TTFT. "
    + "; ".join(f"{n}: {lost:.3f} s, {p90:.2f} s" for n, lost, p90 in zip(judged, lost_s, last_s))
    + ".",
)

# %% tags=["solution-only"]
assert lost_s[-1] == 0 and last_s[-1] > 10 * min(last_s) and lost_s[0] > 4 * min(lost_s[1:3])

# %% [markdown] tags=["topic:I07", "topic:I12"]
# Regret by one measure is no verdict. Without a bound not one page is thrown away, and the p90 is the worst of all. A router
# needs both terms, and somebody has to say what a page is worth in waiting requests.
#
# *Checkpoint, 45 minutes. Affinity without a bound is a queue of one.*

# %% [markdown] tags=["topic:I12"]
# ## What production routers do
#
# llm-d, the router of several large clusters, gives each replica three scores between 0 and 1 and sends a request to the
# largest weighted sum: 2 for the prefix, 1 for a short queue, 1 for free memory. They are its defaults.
#
# ### Build: the weighted scorer
#
# `found`, `waiting`, `kv_use` hold a number for each replica, in the same order: the share of the prompt's pages that is
# found there, the requests that wait, the share of its pages in use. Return the list of
# $2 \cdot \text{prefix} + 1 \cdot \text{queue} + 1 \cdot \text{memory}$, where
#
# - prefix is `found` as it is;
# - queue is 1 for the shortest, 0 for the longest, and in between in proportion; 1 for all if all are equally long;
# - memory is the share of pages that are free.
#
# *By hand:* waiting `[4, 0, 1]` gives the queue scores 0, 1 and 0.75.


# %% tags=["topic:I12"]
def scores(found, waiting, kv_use):
    """Return the weighted sum for each replica."""
    ### BEGIN SOLUTION
    longest, span = max(waiting), max(waiting) - min(waiting)
    queue = [(longest - one) / span if span else 1 for one in waiting]
    return [2 * f + q + 1 - kv for f, q, kv in zip(found, queue, kv_use)]
    ### END SOLUTION


# %%
check("many.scores", scores)

# %% [markdown] tags=["topic:I12", "topic:L15"]
# ### Four published claims
#
# A large search over routers, made in a simulator (BLIS), has published what it found. Here are four of its statements. Each
# can be asked of this simulator too: the same model, H100s, eight replicas.
#
# 1. With fresh reports looking at all replicas beats two choices, up to about 16 replicas.
# 2. Free memory *alone* as the signal is fragile: reports 100 ms old cost 354 % of p99 TTFT (10 ms: 14 %).
# 3. A prefix weight above about 4/3 of the queue's makes a hot replica.
# 4. Under memory pressure, free memory as a score does harm: the full replicas hold the useful prefixes.
#
# How many of the four hold here, in direction and within half to twice the published size where there is one?

# %%
### BEGIN SOLUTION
predict("many.claims", low=1, high=3)
### STUB predict("many.claims", ...)
### END SOLUTION


# %% tags=["topic:L15"]
def times(make, one, other, draws=6):
    """How many times as long `one` makes the p99 of TTFT as `other`: low, middle, high (95 %)."""
    logs = [math.log(make(one, d) / make(other, d)) for d in range(draws)]
    half = 2.57 * np.std(logs, ddof=1) / math.sqrt(draws)  # Student's t with 5 degrees of freedom
    return tuple(np.exp(np.mean(logs) + np.array([-half, 0, half])))


def chats(n):
    """p99 of TTFT of chat on n replicas, 12 requests a second each."""

    def make(router, draw):
        trace = mix("azure-conversation").trace(num_requests, 12 * n, seed=draw)
        run = serve_replicas(trace, of(n, page_tokens=16), step_cost, router, seed=draw)
        return ttft_s(run, 0.99)

    return make


def talking(per_s, tokens=kv_tokens):
    """The same of sessions on eight replicas with so many tokens of cache."""

    def make(router, draw):
        trace = Sessions().trace(num_sessions, per_s, seed=draw)
        return ttft_s(serve_replicas(trace, of(8, tokens=tokens), step_cost, router, seed=draw), 0.99)

    return make


# %% tags=["topic:L15", "topic:I12"]
Weighted, reports = fleet.WeightedScores, fleet.LeastReported
memory_alone = [Weighted(0, 0, 1, age) for age in (0, 0.01, 0.1)]
two, crowded = fleet.TwoChoices(0.0), talking(1.0, tokens=kv_tokens // 8)
rows = {
    "1: all against two, 16 replicas": (chats(16), reports(0.0), two, None),
    "1: all against two, 64 replicas": (chats(64), reports(0.0), two, None),
    "2: memory alone, 10 ms old": (chats(8), memory_alone[1], memory_alone[0], 1.14),
    "2: memory alone, 100 ms old": (chats(8), memory_alone[2], memory_alone[0], 4.54),
    "3: prefix weight 1, not 1/2": (talking(3.5), Weighted(1, 1, 0), Weighted(0.5, 1, 0), None),
    "3: prefix weight 4, not 1/2": (talking(3.5), Weighted(4, 1, 0), Weighted(0.5, 1, 0), None),
    "4: memory as a score, crowded": (crowded, Weighted(2, 1, 1), Weighted(2, 1, 0), None),
}
told = {name: (*times(make, one, other), said) for name, (make, one, other, said) in rows.items()}
low, middle, high, said = zip(*told.values())
holds = [high[0] < 1, said[3] / 2 < middle[3] < 2 * said[3], high[4] < 1.2 < low[5], low[6] > 1]
outcome("many.claims", sum(holds))

# %% tags=["topic:L15", "topic:I12"]
title = f"Of four published claims {sum(holds)} hold here, and one is turned round"
show(
    figures.claims([(name, one[3], *one[:3]) for name, one in told.items()], title=title),
    alt="p99 of TTFT with one router by that with another, with intervals of 95 %. "
    + "; ".join(f"{n}: {one[1]:.2f} ({one[0]:.2f} to {one[2]:.2f})" for n, one in told.items())
    + ".",
)

# %% tags=["solution-only"]
assert holds == [True, False, True, False] and told["4: memory as a score, crowded"][2] < 0.7

# %% [markdown] tags=["topic:L15", "topic:I12"]
# ### A simulation is an argument, not a fact
#
# The first holds, but has no end at 16 replicas here. The second holds in direction, and its size is another: by a factor, a
# number from somebody else's simulator tells you nothing about yours. The third holds. The fourth is turned round: here
# free memory as a score keeps pages from being evicted, and prompts find more of them, not less. Which of the two is yours,
# your own traffic decides. So here is real traffic: an hour of Mooncake's conversations, 12,000 requests with the names of
# their pages. The trace is not in the course; these are its figures, recorded with `python -m benchmarks.mooncake_routers`:

# %% tags=["topic:I12", "topic:I07"]
recorded = json.loads(datafile("mooncake_routers.json").read_text(encoding="utf-8"))
loads = sorted({row["load"] for row in recorded["rows"]})
seen = {
    name: {
        row["router"]: [r[name][1] for r in recorded["rows"] if r["router"] == row["router"]]
        for row in recorded["rows"]
    }
    for name in ("hit_share", "ttft_p50_s", "ttft_p90_s")
}
for name, row in seen["ttft_p90_s"].items():
    print(f"{name:15} p90 of the TTFT: " + ", ".join(f"{value:6.2f}" for value in row), "s")
title = "On a real hour the scorer wins at every load; the bound of 1.25 loses beyond twice the load"
show(
    figures.by_replicas(
        [3.4 * load for load in loads], seen["hit_share"], seen["ttft_p50_s"], title=title, x="requests a second"
    ),
    alt="Mooncake's conversations on eight replicas, at 1 to 3 times their rate: share of prompt tokens "
    "found, and median TTFT. "
    + " ".join(
        f"{name}: {', '.join(f'{100 * h:.0f} % and {t:.2f} s' for h, t in zip(row, seen['ttft_p50_s'][name]))}."
        for name, row in seen["hit_share"].items()
    ),
)

# %% [markdown] tags=["topic:I12", "topic:I07"]
# Hit shares are low: half of the requests repeat an earlier prompt's beginning, but eight caches of 430,000 tokens forget most
# of it before it is asked for again. What is left is enough. Knowing prompts, and loads, beats knowing loads alone, by a
# quarter of the median. And the bound shows its weak side: it counts requests, and here one has 200 tokens and the next
# has 100,000.
#
# *Checkpoint, 59 minutes. Each claim about routers names a load, an age and a memory, or it is none.*

# %% [markdown] tags=["topic:I08", "topic:O03", "topic:C23"]
# ## The morning
#
# How many replicas, then? Here is a morning: from half past six to half past nine the load grows from 4 requests a second to
# 30, and at nine it jumps. A replica is a 70B model on four cards now, good for five a second. It takes **240 s** to come: a
# node, 140 GB of weights, a warm-up, a probe that says *ready*. Two are there. The promise: a first token within 2 s.


# %% tags=["topic:I08"]
large = llm.model("Llama-3.1-70B")
large_cost = StepCost.from_roofline(large, h100, bandwidth_share=0.8, per_layer_s=25e-6, tp=4)
room = 4 * 0.9 * h100.memory_bytes - large.weight_bytes(2)
large_tokens = int(room / large.kv_bytes_per_token(2))


def at_rates(rate_per_s):
    """Chat with so many requests in each second."""
    due = np.concatenate([[0], np.cumsum(rate_per_s)])
    even = mix("azure-conversation").trace(int(due[-1]), 1.0, seed=seed)
    return replace(even, arrival_s=np.interp(even.arrival_s, due, np.arange(len(due))))


second = np.arange(3 * 3_600)
rates = 4 + 26 / (1 + np.exp(-(second - 5_400) / 1_300))
rates[9_000:9_480] *= 1.4  # at nine everybody opens the same page
morning = at_rates(rates)
print(f"{len(morning):,} requests in three hours, {rates.max():.0f} a second at most")


# %% tags=["topic:I08", "topic:O03"]
def serve_morning(autoscaler, **numbers):
    """The morning with at most twelve replicas, and whether each first token came in time."""
    scaling = fleet.Scaling(autoscaler, **numbers)
    most = of(12, page_tokens=16, tokens=large_tokens)
    run = serve_replicas(
        morning, most, large_cost, fleet.LeastInFlight(), scaling=scaling, seed=seed
    )
    return run, run.log.first_token_s - run.log.sent_s <= 2.0


# %% [markdown] tags=["topic:I08"]
# ### Build: an autoscaler
#
# Kubernetes' rule is a proportion: as many replicas as bring the signal to its target. Here the signal is requests in flight.
# `wanted` is the sum of `pool.in_flight` by `target`, rounded up, at least 1 and at most `self.most`. Growing is urgent and
# shrinking is not: return the **largest that was wanted within the last `window_s` seconds**, now included (a decision exactly
# `window_s` ago still counts). `self.asked` is a list for what you need to keep.
#
# `pool.now_s` is the time, and `pool.in_flight` has a number for each replica that is up. Those that are still booting
# serve nobody yet, and are no part of the rule.


# %% tags=["topic:I08"]
class Autoscaler:
    def __init__(self, target, window_s, most=12):
        self.target, self.window_s, self.most = target, window_s, most
        self.asked = []

    def replicas(self, pool):
        """Return how many replicas there should be."""
        ### BEGIN SOLUTION
        wanted = min(max(math.ceil(sum(pool.in_flight) / self.target), 1), self.most)
        self.asked.append((pool.now_s, wanted))
        since_s = pool.now_s - self.window_s
        self.asked = [(at_s, n) for at_s, n in self.asked if at_s >= since_s]
        return max(n for _, n in self.asked)
        ### END SOLUTION


# %%
check("many.scale", Autoscaler)

# %% [markdown] tags=["topic:I08", "topic:O04"]
# Which signal? Many dashboards offer the queue: nobody waits, all is well. So: one more replica for every two requests that
# wait at each, on average. How many percent of the first tokens of this morning come late?

# %%
### BEGIN SOLUTION
predict("many.late_percent", low=1, high=40)
### STUB predict("many.late_percent", ...)
### END SOLUTION


# %% tags=["topic:I08", "topic:O04"]
rule = piece("many.scale", Autoscaler)


class By:
    """As many replicas as bring the mean of a signal to 1, with your window."""

    def __init__(self, signal):
        self.signal, self.rule = signal, rule(1, 240)

    def replicas(self, pool):
        wanted = len(pool.up) * self.signal(pool)
        return self.rule.replicas(replace(pool, in_flight=[round(wanted, 9)]))


class Knows:
    """The oracle: it knows the morning, and orders what will be needed when it has come."""

    def replicas(self, pool):
        now = int(pool.now_s)
        return max(2, math.ceil(rates[now : now + 300].max(initial=0) / 5))


# %% tags=["topic:I08", "topic:O04"]
rivals = {
    "GPU activity 80 %": By(lambda pool: np.mean(pool.busy) / 0.8),
    "2 that wait": By(lambda pool: np.mean(pool.waiting) / 2),
    "KV 80 %, or 5 that wait": By(
        lambda pool: max(np.mean(pool.kv_use) / 0.8, np.mean(pool.waiting) / 5)
    ),
    "32 in flight": rule(32, 240),
    "the oracle": Knows(),
}
mornings = {name: serve_morning(one) for name, one in rivals.items()}
bills = {
    name: (4 * run.replica_s / 3_600, 100 * np.mean(~in_time))
    for name, (run, in_time) in mornings.items()
}
for name, (hours, late) in bills.items():
    print(f"{name:24} {hours:4.0f} GPU hours, {late:6.2f} % late")
outcome("many.late_percent", round(bills["2 that wait"][1]))

# %% tags=["topic:I08", "topic:O04"]
minutes = np.arange(180)


def by_minute(run, in_time):
    """Replicas ordered and up in each minute, and the minutes in which over 1 % came late."""
    last = np.searchsorted(run.scaling.at_s, 60 * minutes, side="right") - 1
    up = np.where(last < 0, 2, run.scaling.up[last])
    ordered = up + np.where(last < 0, 0, run.scaling.booting[last])
    which = (run.log.sent_s // 60).astype(int)
    late = np.bincount(which[~in_time], minlength=180) / np.bincount(which, minlength=180)
    return ordered, up, minutes[late[:180] > 0.01]


shown = {name: by_minute(*mornings[name]) for name in ("GPU activity 80 %", "2 that wait", "32 in flight")}
title = "One signal is always red, one turns red too late, one grows with the load"
show(
    figures.morning(minutes, rates[::60], shown, title=title),
    alt="Requests a second over three hours, and replicas ordered and up by three signals. "
    + " ".join(
        f"{name}: at most {max(up)} up, {len(late)} minutes with late tokens."
        for name, (_, up, late) in shown.items()
    ),
)

# %% tags=["solution-only"]
assert bills["2 that wait"][1] > 10 > 1 > bills["32 in flight"][1]
assert bills["GPU activity 80 %"][0] > 2 * bills["the oracle"][0]

# %% [markdown] tags=["topic:I08", "topic:O04", "topic:N03"]
# ### A signal must move before it is too late, and with the load
#
# *GPU activity* is the share of time in which a kernel runs. One user is enough for that, so it says nothing: all twelve come,
# and none ever leaves. The *queue* says nothing for an hour, and then everything at once. From then on it is four
# minutes until the first replica comes, with 30 requests a second; then the queue is gone, and so are the replicas, one
# window later. *KV use* would be fine for long prompts; here memory is not what runs out. *Requests in flight* are Little's
# law: they grow with the load and with the step, before anybody waits.
#
# Now set the four numbers yourself: what a replica should have in flight, the window, how often the rule is asked, and how
# many replicas are there before the morning. Who stays below 0.1 % late with the fewest GPU hours?

# %% tags=["topic:I08", "topic:N02"]
yours, at_first, asked_every_s = rule(target=32, window_s=240), 2, 30
run, in_time = serve_morning(yours, first=at_first, every_s=asked_every_s)
bills["yours"] = 4 * run.replica_s / 3_600, 100 * np.mean(~in_time)
bills["eight, all morning"] = 4 * 8 * 3.0, 0.0
title = "Late and dear at once: the queue as a signal"
show(
    figures.bills(bills, title=title, log=True),
    alt="Promises broken by GPU hours. "
    + "; ".join(f"{name}: {hours:.0f} h, {late:.2f} %" for name, (hours, late) in bills.items())
    + ".",
)

# %% [markdown] tags=["topic:N02", "topic:O12", "topic:P03"]
# ### Money is saved before the morning, promises are kept during it
#
# Fewer in flight for each replica buys headroom and costs hours; the window decides how long a fleet stays large; asking more often
# gains nothing against a boot of 240 s. Only the oracle is cheaper, and every operator has a bit of it: yesterday's
# morning. A schedule for what repeats, a signal for what does not, and some replicas that are warm for what comes within a
# boot.
#
# *Checkpoint, 72 minutes. An autoscaler cannot help within one boot. What is warm by then can.*

# %% [markdown] tags=["topic:P03", "topic:O03", "topic:I09", "topic:P06"]
# ## Break it
#
# Three things that look right, each as a few lines of numbers. First a burst: for 20 s three times as many requests come.

# %% tags=["topic:P03", "topic:O03"]
class Warm:
    """A rule that never has fewer than `least`."""

    def __init__(self, least):
        self.least, self.rule = least, rule(32, 60)

    def replicas(self, pool):
        return max(self.least, self.rule.replicas(pool))


# %% tags=["topic:P03", "topic:O03"]
second = np.arange(900)
burst = at_rates(np.where((second >= 300) & (second < 320), 36, 12))
for least, boot_s in ((3, 240), (3, 40), (5, 240)):
    numbers = fleet.Scaling(Warm(least), every_s=15, boot_s=boot_s, first=least)
    pools = of(12, page_tokens=16, tokens=large_tokens)
    run = serve_replicas(burst, pools, large_cost, fleet.LeastInFlight(), scaling=numbers)
    sent_s, up = run.log.sent_s, run.scaling.up
    late = (run.log.first_token_s - sent_s > 2)[(sent_s >= 300) & (sent_s < 600)].mean()
    print(f"{least} warm, boot {boot_s:3} s: {late:4.0%} late in five minutes; at most {max(up)} were up")

# %% [markdown] tags=["topic:O03", "topic:O04", "topic:I09"]
# Forty seconds or four minutes: the replicas come when the burst is over, and then they are there for nothing. Two more that
# are warm keep every promise. Second: clients that give up after 15 s and ask
# again. Eight small replicas, nine tenths busy; for 30 s half as many again come. How many clients are served?

# %% tags=["topic:O04", "topic:I09"]
second = np.arange(300)
crowd = at_rates(np.where((second >= 60) & (second < 90), 156, 104))
for tries in (1, 2, 3):
    run = serve_replicas(
        crowd, of(8, page_tokens=16), step_cost, fleet.LeastInFlight(), patience_s=15.0, seed=seed,
        retries=fleet.Retries(tries, wait_s=1.0, factor=1.0),
    )  # fmt: skip
    sent_s, ok = run.clients.sent_s, run.clients.ok
    told = [ok[(sent_s >= a) & (sent_s < b)].mean() for a, b in ((0, 60), (60, 90), (90, 150), (150, 250))]
    print(f"{tries} tries: before {told[0]:.0%}, burst {told[1]:.0%}, after {told[2]:.0%}, later {told[3]:.0%}")

# %% [markdown] tags=["topic:O04", "topic:I09"]
# The burst is over, and with three tries the outage stays. Whoever gave up left work behind that nobody reads, and sends it
# again: the fleet is busy with the dead. (Chapter 10 saw it with a cache, chapter 08 with hedges.) Three layers with three
# tries each send a request 27 times. One layer retries, within a budget, a tenth of all requests, say; or admission refuses
# early, as in chapter 11.
#
# Third: a canary. Replica 7 joins with a new version, which is the old one, byte for byte. After ten minutes you compare:

# %% tags=["topic:P06", "topic:I12"]
joined_s = 0.4 * busy.arrival_s[-1]
for router in (fleet.WeightedScores(), fleet.LeastInFlight()):
    run = serve_busy(router, changes=[fleet.Joins(joined_s, 7)])
    log, new = run.log, run.replica == 7
    since = (log.sent_s >= joined_s) & (log.sent_s < joined_s + 600)
    for name, rows in (("canary", since & new), ("others", since & ~new)):
        waits = (log.first_token_s - log.sent_s)[rows]
        each = rows.sum() / (1 if name == "canary" else 7)
        print(
            f"{type(router).__name__:15} {name}: {each:4.0f} requests each, "
            f"TTFT p50 {1e3 * np.median(waits):.0f} ms, p90 {1e3 * np.quantile(waits, 0.9):.0f} ms"
        )

# %% [markdown] tags=["topic:P06", "topic:I12"]
# Behind a router that knows prefixes the newcomer gets hardly anything at first, since all prompts are known elsewhere, and
# then the fresh sessions, short ones. It has few requests and other requests, so it looks faster by a quarter. A canary
# is compared with replicas that started when it did, on requests drawn by chance; chapter 13 says how many that takes.

# %% [markdown] tags=["topic:I11", "topic:Q02", "topic:Q08"]
# ## Before the load: which pool?
#
# All routers here chose among equals. In front of them stands one more decision, by what a request *is*:
#
# | the request | goes to | because |
# | --- | --- | --- |
# | a completion in an editor | small models, warm, short prompts | it is worthless after 0.3 s; a refinement may come later |
# | a chat | the fleet above | sessions: by prefix, with a bound |
# | a picture or a document in it | a pool of its own | one encoder pass stops every short request beside it; its users wait longer for more |
# | a night's batch | whatever is free | it has no first token |
#
# Each pool is smaller than the whole, and small pools have longer queues (chapter 03): a pool has to earn that by promises
# that differ, or lengths that differ by ten. And the table is configuration, so it goes wrong as such. In 2025 a change of load
# balancing sent 16 % of one model's short requests, in the worst hour, to servers set up for a context of a million, and
# stickiness kept sending the same users there. No latency panel showed it.

# %% [markdown] tags=["topic:G05", "topic:Q06", "optional"]
# ### Small first (optional)
#
# A cascade asks a small model, and a large one where the small one is not sure. What does that cost, and whom?

# %% tags=["topic:G05", "topic:Q06", "optional"]
asked = mix("azure-conversation").trace(num_requests // 2, 12.0, seed=seed)
sure = np.random.default_rng(seed).random(len(asked)) < 0.7


def served(trace, n, model_cost, tokens):
    """The log of a trace on n replicas."""
    pools = of(n, page_tokens=16, tokens=tokens)
    return serve_replicas(trace, pools, model_cost, fleet.LeastInFlight(), seed=seed).log


direct = served(asked, 4, large_cost, large_tokens)
first = served(asked, 2, step_cost, kv_tokens)
order = np.flatnonzero(~sure)[np.argsort(first.finish_s[~sure])]
again = replace(
    asked, arrival_s=first.finish_s[order], prompt_tokens=asked.prompt_tokens[order],
    output_tokens=asked.output_tokens[order],
)  # fmt: skip
second = served(again, 2, large_cost, large_tokens)
whole_s = first.finish_s - first.sent_s
whole_s[order] = second.finish_s - first.sent_s[order]
for name, took_s, cards in (("large alone", direct.finish_s - direct.sent_s, 16), ("cascade", whole_s, 10)):
    print(f"{name:12} {cards} cards: end to end p50 {np.median(took_s):.1f} s, p90 {np.quantile(took_s, 0.9):.1f} s")

# %% [markdown] tags=["topic:G05", "topic:Q06", "optional"]
# The median gets shorter and the p90 does not: three in ten are asked twice, and wait for both. A cascade moves the price from
# the mean to the tail. It pays if a check is cheap and right, and if nobody has promised a p90.

# %% [markdown] tags=["topic:P07"]
# ## What to do on Monday morning
#
# 1. **Write down what your router knows**, and how old it is. Own counts first. Reports older than the time between two
#    requests need chance, or one's own choices added.
# 2. **Measure the hit share per replica and in all.** If a replica more lowers it, route by prefix, with a bound, and look at
#    the hottest replica beside the mean.
# 3. **Scale on requests in flight**, or on what runs out first, at a target below the knee. Know your boot time in
#    seconds, and keep warm what it cannot bring.
# 4. **Allow one layer to retry**, with a budget.
# 5. **Simulate before you change it**: a million requests take seconds. And doubt numbers of a simulation, ours too, whose
#    load, age and memory are not stated.
#
# How many requests is that, by the way? 2.5 billion prompts a day, reported of the largest service in 2025, are 28,900 a
# second on average. *Millions a second* is nobody's router.

# %% [markdown]
# ## Sources
#
# - M. Mitzenmacher, *The power of two choices in randomized load balancing*, 2001; on old reports: *How useful is old
#   information?*, 2000.
# - V. Mirrokni, M. Thorup and M. Zadimoghaddam, *Consistent hashing with bounded loads*, SODA 2018.
# - llm-d's endpoint picker (weights), vLLM's data-parallel balancer (4 × waiting + running, 100 ms), the horizontal
#   autoscaler of Kubernetes (proportion and window): their documentation in 2026.
# - The four claims: BLIS, inference-sim, documentation and study of routers, 2026. A simulation, not a measurement.
# - R. Qin and others, *Mooncake*, FAST 2025 (trace: Apache-2.0). Anthropic, *A postmortem of three recent issues*, 2025.
