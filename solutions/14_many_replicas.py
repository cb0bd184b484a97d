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
import math
import random
from dataclasses import replace

import numpy as np

from labutils import datafile, llm
from labutils.engine import PagePool, Scheduler
from labutils.exercises import check, hint, outcome, piece, predict, reveal

# %%
from labutils.serving import replicas as fleet
from labutils.serving.replicas import serve_replicas
from labutils.serving.simulator import StepCost
from labutils.viz.explorers import herd
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

# %% tags=["explorer"]
herd()

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
