# ---
# jupyter:
#   course:
#     order: 10
#     slug: what_need_not_be_computed
#     title: What need not be computed
#     question: The hit rate fell from 95 to 90 %, and the backend died. Why does a twentieth weigh so much?
#     minutes: 74
#     needs: [two_numbers, mm1_explosion]
#     folder: notebooks
#     gpu: false
#     small: {requests: 100000, asked: 120}
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown] tags=["topic:F06"]
# A service answers 200 questions a second. Behind it stand a **cache**, which keeps finished answers, and a
# **backend**, which computes the others. 95 % of the questions find their answer in the cache: that is the
# **hit rate**. The backend can compute 20 answers a second, twice what it needs.
#
# One evening a release changes how some answers are named, and the hit rate falls to 90 %. An hour later no
# user gets an answer that is not in the cache. Nobody touched the backend, and the traffic is yesterday's.
#
# Why does a twentieth weigh so much? When you are through, you can answer three questions:
#
# 1. What does a cache take off the backend, and what do users notice of it?
# 2. What happens when a popular answer expires, or all of them at once?
# 3. Which answers may be shared, between whom, and for how long?

# %%
import asyncio
import math
import time
from dataclasses import dataclass
from functools import partial

import numpy as np

from labutils import caching
from labutils.exercises import check, hint, outcome, piece, predict, reveal
from labutils.laws.queueing import MMc
from labutils.metrics.latency import percentile
from labutils.simulation.flush import CachedService, Remedy, flush_draws, run_flush
from labutils.viz.explorers.flush import flush_explorer
from labutils.viz.explorers.hit_rate import cache_explorer
from labutils.viz.figures import reuse as figures
from labutils.viz.show import show

# %% tags=["parameters"]
seed = 7  # every random draw in this chapter follows from it
requests = 400_000  # in a simulated run
asked = 2_000  # requests to the three levels

# %% [markdown] tags=["topic:F09"]
# ## The hit rate falls by a twentieth: what does the backend see?
#
# The hit rate falls from 95 to 90 %. The traffic stays the same. By which factor does the backend's load grow?

# %%
### BEGIN SOLUTION
predict("reuse.backend_factor", low=1.5, high=2.5)
### STUB predict("reuse.backend_factor", ...)
### END SOLUTION

# %% tags=["topic:F09"]
hit_rates = np.linspace(0.9005, 0.99, 180)
loads = [caching.backend_load(200, hit_rate) / 20 for hit_rate in hit_rates]
# Six servers, 0.3 s each: 20 a second.
mean_s = [MMc(20 * load, 1 / 0.3, 6).mean_sojourn_time for load in loads]
at_95_s, at_92_s, at_91_s = np.interp((0.95, 0.92, 0.91), hit_rates, mean_s)
show(
    figures.knee(hit_rates, loads, mean_s),
    alt="Mean time of a miss over a falling hit rate. It is nearly flat at first, then rises: "
    f"{at_95_s:.2f} s at 95 %, {at_92_s:.2f} s at 92 %, {at_91_s:.2f} s at 91 %, and without end "
    "at 90 %, where the backend's load is 1.",
)
factor = caching.backend_load(200, 0.90) / caching.backend_load(200, 0.95)
outcome("reuse.backend_factor", round(factor, 3))

# %% tags=["solution-only"]
assert abs(factor - 2) < 1e-9 and at_95_s < 0.32 and mean_s[0] > 5

# %% [markdown] tags=["topic:F09"]
# ### The backend sees the misses, and they have doubled
#
# Of $\lambda$ requests a second, the backend gets $\lambda(1 - h)$, where $h$ is the hit rate. With 95 % hits
# that is $200 \cdot 0.05 = 10$ a second, with 90 % it is $200 \cdot 0.10 = 20$. The share of requests that
# misses has doubled. The same holds from 99 to 98 %. So say the **miss rate**, and plan the backend for the miss
# rate of a bad day.
#
# ## Which percentile does the cache improve?
#
# Another service, at first without a cache. Half of its answers take less than 400 ms, and the p99 is
# 1,200 ms (lognormal). Now a cache answers 97 % of the requests in 2 ms. Which request is computed has nothing
# to do with how long that takes, and the backend is as fast as before. What is the **p99** now, in ms?

# %%
### BEGIN SOLUTION
predict("reuse.p99_ms", low="400 ms", high="700 ms")
### STUB predict("reuse.p99_ms", ...)
### END SOLUTION

# %% tags=["topic:R08"]
rng = np.random.default_rng(seed)
computed_s = 0.4 * np.exp(rng.normal(size=requests) * np.log(3) / 2.3263)
seen_s = {}
for hit_rate in (0.0, 0.90, 0.97, 0.995):
    is_hit = rng.random(requests) < hit_rate
    seen_s[hit_rate] = np.where(is_hit, 0.002, 0.002 * (hit_rate > 0) + computed_s)
tails_ms = [f"{1000 * percentile(values, 0.99):,.0f} ms" for values in seen_s.values()]
show(
    figures.percentiles_seen(seen_s, told=0.97),
    alt="Latency at each percentile. Each curve stays at 2 ms as far as its hit rate goes, then steps "
    f"up to the times of computations. At the p99 it is {tails_ms[0]} without a cache, {tails_ms[1]} "
    f"with 90 % hits, {tails_ms[2]} with 97 % and {tails_ms[3]} with 99.5 %.",
)
p99_s = percentile(seen_s[0.97], 0.99)
outcome("reuse.p99_ms", f"{1000 * p99_s:.0f} ms")

# %% tags=["solution-only"]
assert 0.46 < p99_s < 0.53

# %% [markdown] tags=["topic:R08"]
# ### Users who miss are as slow as before
#
# Sort 100 requests by their time: 97 are hits, and the last three are computed. The 99th is the second of
# these three. So the p99 is a **miss**, about the 67th percentile of all misses. It has fallen since it now
# means another request, not because anybody's computation is faster. Only with more than 99 % hits is the
# p99 a hit.
#
# In the mean, every miss pays for the look-up as well:
#
# $$\text{mean} = h \cdot t_\text{hit} + (1 - h)\,(t_\text{look-up} + t_\text{compute}).$$
#
# *Checkpoint, 11 minutes. Count misses, not hits. Next: how many answers must a cache hold?*

# %% [markdown] tags=["topic:F09"]
# ## How large must a cache be?
#
# A full cache has to throw an answer out for each new one. The usual rule is **LRU**: the answer that was used
# **least recently** goes.
#
# Popularity is uneven: if keys are sorted by it, key number $k$ is often asked for about $1/k^s$ as often as
# the first (**Zipf**, skew $s$ around 1). The next cell sends a stream of such keys through a real LRU cache
# (points), beside Che's approximation (lines), which knows no more than how often each key
# is asked for.

# %% tags=["topic:F09"]
shares = caching.zipf_shares(20_000, skew=1.1)
keys = caching.zipf_keys(requests, 20_000, skew=1.1, seed=seed)
runs = {
    places: (caching.replay(keys, capacity=places), caching.che_hit_rates(1000 * shares, places))
    for places in (100, 1_000, 10_000)
}
halves = {f"{n:,}": (che.per_key > 0.5).sum() for n, (_, che) in runs.items()}
show(
    figures.who_is_inside(keys, runs),
    alt="Chance that a key is in the cache over its rank, log axis: points of a run on Che's lines. "
    f"It is near 1 for the most popular, and falls below a half after so many keys for so many "
    f"places: {', '.join(f'{key:,} for {places}' for places, key in halves.items())}.",
)
# %% tags=["solution-only"]
for run, che in runs.values():
    assert abs(run.hit[requests // 2 :].mean() - che.total) < 0.02

# %% [markdown]
# The popular keys fit into a small cache. Each further per cent of hits costs more places, and the backend feels
# exactly these last per cents.

# %% [markdown] tags=["topic:F09", "optional"]
# ### Che's approximation (optional)
#
# A key survives as long as fewer than $C$ **different** other keys are asked for
# in the meantime, where $C$ is the number of places. Call the time this takes $T$. It is nearly the same for
# all keys. A key that is asked for $\lambda_i$ times a second, at random moments, is still there if its last
# request is less than $T$ ago, with probability $1 - e^{-\lambda_i T}$. The places are full, so
#
# $$\sum_i \left(1 - e^{-\lambda_i T}\right) = C, \qquad h_i = 1 - e^{-\lambda_i T} \qquad\text{(Che and others 2002).}$$
#
# The first equation gives $T$, the second the hit rate of each key. The popular ones are always there.

# %% [markdown] tags=["topic:F09", "optional"]
# ### Explore: size, life, and load (optional)
#
# An answer may also be too old to be served: it has a **time to live**. It can count from the moment at which
# the answer was computed ("from the fill") or begin anew with each hit ("from the last hit").
#
# - (a) Move *keys that fit* from 10,000 down to 6,000. How much does the hit rate lose, and what becomes of the
#   backend?
# - (b) 10,000 keys again, *from the fill*, 100 s. Then *from the last hit*, 100 s. Which is the better hit
#   rate, and what would you ask before you take it?
# - (c) With which settings does the p99 become a hit?

# %% tags=["optional", "nbval-ignore-output"]
cache_explorer(seed=seed)

# %% [markdown] tags=["topic:F07", "optional"]
# (a) From 94 to 90 %, and the backend has no spare time left. (b) From the last hit, by three points. But then
# the most popular answer is never computed again, however wrong it has become: the more people read it, the
# older it gets. A life that is renewed by reading suits sessions, not facts. (c) Only with more than 99 % hits:
# here with a skew of 1.4 and room for half of the keys, for example. (There dots lie below Che's line: a key's first
# request always misses.)

# %% [markdown]
# *Checkpoint, 14 minutes. Hit rates follow from popularity and size. Now write such a cache.*

# %% [markdown] tags=["topic:F01", "topic:T12"]
# ## Build: repair a cache that circulates
#
# This class is taught as "an LRU cache with expiry and hit tracking" in a lesson that is copied a lot. Run it,
# and the stories after it, before you change anything.
#
# `get` serves a value only before the moment `dies_s`. What it finds too old it removes. A miss returns `None`,
# which is never a value. Both `get` and `put` count as use. `put` throws out the key that was used least
# recently, if and only if the key is new and all places are taken; that is an eviction. (A dead entry may hold
# its place until somebody asks for it or it is the least recently used.)


# %%
class Counted:
    """Places, and what a cache has to count."""

    def __init__(self, capacity):
        self.capacity, self.entries = capacity, {}  # a dict keeps the order of insertion
        self.hits = self.misses = self.evictions = 0

    def counts(self):
        return self.hits, self.misses, self.evictions


# %% tags=["topic:F01", "topic:T12"]
### BEGIN SOLUTION
class FeatureCache(Counted):
    """At most `capacity` entries; each may be served before the moment `dies_s`."""

    def get(self, key, now_s):
        value, dies_s = self.entries.pop(key, (None, now_s))
        if now_s < dies_s:
            self.hits += 1
            self.entries[key] = value, dies_s
            return value
        self.misses += 1

    def put(self, key, value, dies_s):
        self.entries.pop(key, None)
        if len(self.entries) == self.capacity:
            self.entries.pop(next(iter(self.entries)))
            self.evictions += 1
        self.entries[key] = value, dies_s


### STUB class FeatureCache(Counted):
### STUB     """At most `capacity` entries; each may be served before the moment `dies_s`."""
### STUB     def get(self, key, now_s):
### STUB         return self.entries.get(key)
### STUB     def put(self, key, value, dies_s):
### STUB         if len(self.entries) >= self.capacity:
### STUB             self.entries.pop(next(iter(self.entries)))
### STUB         self.entries[key] = value
### END SOLUTION


# %% tags=["topic:T12"]
def three_stories(cache):
    cache.put("popular", "A", 900)
    cache.put("rare", "B", 900)
    for now_s in range(50):
        cache.get("popular", now_s)
    cache.put("new", "C", 900)
    print("read 50 times, then one new key:", cache.get("popular", 50) or "gone")
    cache.put("new", "C2", 900)
    print("a key written again:", [key for key in ("popular", "rare", "new") if cache.get(key, 51)])
    print("500 s after its end:", cache.get("new", 1400) or "not served")
    print("hits, misses, evictions:", cache.counts())


three_stories(FeatureCache(2))

# %% [markdown] tags=["topic:T12"]
# As it was handed out, the key that was read 50 times is thrown out first. Writing a key again throws out
# another one, although no place was needed. An answer is served long after its end. And nothing is counted.
#
# The third has a special cause. In that lesson the cache is the first of two levels, and the second, shared one
# knows when an answer ends. The first level copies the answer **without its end**. So here `put` is told the
# moment `dies_s`, and whoever copies an answer hands its end on.

# %%
check("reuse.lru", FeatureCache)

# %% [markdown] tags=["topic:F10"]
# The same thirty lines serve in many places around a model, each with its own key and its own end: tokens of
# users that were checked (until they are revoked), vectors of questions (until the embedder changes), filled
# templates, retrieved documents, finished answers.
#
# *Checkpoint, 28 minutes. A cache is an order of use and an end for each entry. Now take the answers away.*

# %% [markdown] tags=["topic:F06"]
# ## The flush
#
# A service like that of the opening, simulated: 200 requests a second, a cache with 95 % hits, a backend that
# computes 20 answers a second. An answer lives for up to five minutes. A client waits 2 s, tries once more, and
# leaves. After one minute somebody empties the cache; the curve *never flushed* is the same traffic without
# that. When is it well again?
#
# ### Explore: the smallest thing that brings it back
#
# The line *remedy*, at minute 3, is when yours begins.
# It opens with 400 popular keys warmed up, which looks well for a while.
#
# - (a) Without any remedy: what happens, and what does the backend do all the time?
# - (b) Find three different remedies that work, each on its own.
# - (c) Which of them would you have at hand at three in the morning, and which would you rather have built in
#   before?

# %% tags=["nbval-ignore-output"]
flush_explorer(seed=seed)

# %% tags=["topic:F06", "solution-only"]
flush = flush_explorer(seed=seed)
untouched = {"single_flight": False, "queue_limit": 300, "warm_keys": 0}
untouched |= {"drop_abandoned": False, "late_fills": False}
both = {"drop_abandoned": True, "late_fills": True}
late = {"queue_limit": 50}
for remedy in ({}, late, {"single_flight": True}, {"queue_limit": 40}, {"warm_keys": 600}, both):
    assert ("not back" in flush(**untouched | remedy)) == (remedy in ({}, late))

# %% [markdown] tags=["topic:F06"]
# ### Yesterday's traffic keeps it dead
#
# (a) It never comes back, although nothing is broken. In the first second over half of the requests miss, five
# times what the backend can do or more, and its queue is full within seconds. The most popular answers are back
# by then, so about half of the requests hit. But its queue now takes up to 15 s, and clients leave after two. So each further
# answer is computed for somebody who has left, and never reaches the cache. Five minutes later the few answers
# it holds have expired. An outage that outlives its cause
# is called **metastable** (Bronson and others 2021): the flush *triggered* it, the late answers *sustain* it.

# %% tags=["topic:F06"]
service, after = CachedService(), {}
draws = flush_draws(service, 780, np.random.default_rng(seed))
for name, limit in {"no remedy": None, "a queue limit of 30": 30}.items():
    remedy = Remedy(from_s=180, queue_limit=limit)
    after[name] = run_flush(service, draws, duration_s=780, flush_s=60, remedy=remedy)
for_nobody = [f"{100 * figures.wasted_since(run, 180):.0f} %" for run in after.values()]
show(
    figures.for_nobody(after, remedy_s=180),
    alt="Computations a second over 13 minutes, two panels. Since the flush at minute 1 the backend "
    f"computes some 20 a second. Without a remedy {for_nobody[0]} of those after minute 3 are for "
    f"nobody; with a queue limit of 30 from minute 3 on {for_nobody[1]}, and soon it computes less.",
)

# %% [markdown] tags=["topic:F06"]
# (b) Each of these breaks the circle alone: **single flight** (all who ask for a key share one computation); a
# **queue limit** of 30 (whoever is let in is answered in time, and the cache keeps it; 50 is too many); 600
# **warm keys**, filled again at once. Skipping what nobody waits for and keeping late answers do not suffice alone; together they
# do. (c) The queue limit is one number, to be changed at night. Single flight is code, and belongs
# there before.
#
# *Checkpoint, 38 minutes. A cache can be what stands between you and an outage: try its loss before it comes.*

# %% [markdown] tags=["topic:F01"]
# ## Single flight
#
# A key expires that 100 users a second ask for, and a new answer takes half a second. All who come in this half
# second start a computation: about $1 + \lambda S = 1 + 100 \cdot 0.5 = 51$. That is a **stampede**. One
# computation would do, if the others waited for it.
#
# In `asyncio` any number of coroutines may await the same **task**. Whoever is cancelled gets a `CancelledError`
# out of its `await`, and hands it on to the task that it awaits, unless `asyncio.shield` stands between. Here two
# wait for one task, and the first leaves. What do they hear?


# %% tags=["topic:F01"]
async def bare(task):
    return await task


async def shielded(task):
    return await asyncio.shield(task)


for wait in (bare, shielded):
    task = asyncio.create_task(asyncio.sleep(0.01, result="the answer"))
    leaves, stays = asyncio.create_task(wait(task)), asyncio.create_task(wait(task))
    await asyncio.sleep(0)  # now both wait for the one task
    leaves.cancel()
    heard = await asyncio.gather(leaves, stays, return_exceptions=True)
    print(f"{wait.__name__:9}", *(str(one) or type(one).__name__ for one in heard), sep="   ")

# %% [markdown] tags=["topic:F01"]
# ### Build: one computation for all who ask
#
# Write `run(flights, key, compute)`, where `compute` is an async function without arguments.
#
# - While a computation for `key` is under way, all who ask for `key` wait for that one, and get its result or its
#   error. `None`, 0 and an empty text are results, too. Other keys do not wait.
# - Nothing is kept. Whoever asks after it has ended starts a new one (an ended task may still
#   lie there), and `flights.under_way` is empty when nothing flies.
# - Whoever is cancelled (a closed tab) is let go at once; the others still get the result, even if the first one
#   leaves. If the last one leaves, cancel the computation. Whoever asks from then on gets a new one.
#
# The beginning is given. `finally` is the place to count somebody out. The check runs short scenarios on a
# simulated clock.


# %% tags=["topic:F01"]
@dataclass
class Flight:
    """A computation under way, and how many wait for it."""

    task: asyncio.Task
    askers: int = 0


class Flights:
    """Computations under way, by key."""

    def __init__(self):
        self.under_way = {}


# %% tags=["topic:F01"]
async def run(flights, key, compute):
    """Return what compute() gives; of all who ask for key meanwhile, one computation, one result."""
    flight = flights.under_way.get(key)
    if flight is None:
        flight = flights.under_way[key] = Flight(asyncio.create_task(compute()))
    ### BEGIN SOLUTION
    flight.askers += 1
    try:
        return await asyncio.shield(flight.task)
    finally:
        flight.askers -= 1
        if flight.task.done() or not flight.askers:
            flight.task.cancel()  # does nothing to one that has ended
            if flights.under_way.get(key) is flight:
                del flights.under_way[key]
    ### END SOLUTION


# %%
check("reuse.flight", run)

# %% [markdown]
# Now the hot key of above for half an hour.

# %% tags=["topic:F01"]
times_s, hot = caching.poisson_times(180_000, 100, seed), {}
for name, guard in {"no guard": {}, "single flight": {"single_flight": True}}.items():
    hot[name] = caching.hot_key(180_000, 100, ttl_s=60, recompute_s=0.5, seed=seed, **guard)
alone, flown = hot.values()
expected = caching.expected_stampede(100, 0.5)
show(
    figures.stampede(times_s, hot, recompute_s=0.5, expected=expected),
    alt="Computations of one key under way since the first miss. With no guard they grow for half a "
    f"second to about {expected:.0f}, at most {alone.at_once.max()}, and end in the next half: "
    f"{alone.recomputations:,} in half an hour. With single flight {flown.at_once.max()} at a time, "
    f"{flown.recomputations:,} in all.",
)

# %% [markdown] tags=["topic:F01"]
# And 10,000 keys that one release has written together, each asked for again as soon as it expires:

# %% tags=["topic:F01"]
for jitter in (0.0, 0.3):
    loads = caching.refill_rates(10_000, ttl_s=300, jitter=jitter, window_s=1, seed=seed)
    print(f"lives up to {jitter:.0%} shorter: up to {loads.max():,.0f} computations a second")

# %% tags=["solution-only"]
assert flown.recomputations < 60 and loads.max() < 300

# %% [markdown] tags=["topic:F01"]
# Single flight leaves one computation for each expiry and process. It does nothing for **many keys** that expire
# together. There, lives that are shortened by a random share spread the load.

# %% [markdown] tags=["topic:F01", "optional"]
# **Early refresh (optional).** With single flight everybody waits who comes while the answer is computed. With
# **early refresh** a request may compute it already before the end. The chance rises as the end comes nearer, and
# with the cost (Vattani and others 2015).

# %% tags=["topic:F01", "optional"]
for name, guard in {"single flight": {}, "and early refresh": {"beta": 1.0}}.items():
    one = caching.hot_key(
        180_000, 100, ttl_s=60, recompute_s=0.5, single_flight=True, seed=seed, **guard
    )
    waits = np.mean(one.waiting_s > 0)
    print(f"{name:18} {one.recomputations} computed, {waits:.2%} of the requests had to wait")

# %% [markdown] tags=["topic:F01", "optional"]
# As one line: a request at `now_s` finds an answer that dies at `dies_s` and took
# `cost_s` to compute; `u` is a random number between 0 and 1. It refreshes if `now_s` less `cost_s` times the
# natural logarithm of `u` (which is negative) reaches `dies_s`.


# %% tags=["optional"]
def refresh_early(now_s, dies_s, cost_s, u):
    """Return whether this request computes the answer anew."""
    ### BEGIN SOLUTION
    return now_s - cost_s * math.log(u) >= dies_s
    ### END SOLUTION


# %% tags=["optional"]
check("reuse.early", refresh_early)

# %% [markdown]
# *Checkpoint, 53 minutes. Guard the hot key, and spread the ends. Next: a cache on another machine.*

# %% [markdown] tags=["topic:F01", "topic:F10"]
# ## Three levels for real
#
# A cache in the process is fast, small, and each process has its own. Behind it often stands a **shared** level,
# Redis for example, and behind that the computation. Here is such a cache with a real Redis, if this machine has
# one.

# %% tags=["topic:F01", "topic:F10"]
from labutils.retrieval import Embedder, read_corpus
from labutils.retrieval.quality import read_pairs

embed = Embedder.of([passage.words for passage in read_corpus()]).embed  # a text's vector: later
shared = caching.redis_or_sqlite()
print(shared)

# %% [markdown] tags=["topic:F01", "optional"]
# **What does each level cost? (optional)** The computation is the vector of a question, by the embedder of
# chapter 09's assistant.


# %% tags=["topic:F01", "optional", "nbval-ignore-output"]
async def vector():
    return embed(["May I average percentiles?"])[0].tobytes()


latencies = await caching.level_latencies(shared.store, vector, num_requests=asked // 2)
for level, took_s in latencies.items():
    if took_s.size:
        p50_ms, p99_ms = 1e3 * percentile(took_s, [0.5, 0.99])
        print(f"{level:8} p50 {p50_ms:7.3f} ms, p99 {p99_ms:7.3f} ms")
    else:
        print(f"{level:8} did not answer")

# %% [markdown] tags=["topic:F01", "optional"]
# **And a server that is gone? (optional)** A client library has its own idea of patience. This is what the usual
# one does, and then the same client when it was told to try once and to wait 50 ms at most.

# %% tags=["topic:F01", "optional", "nbval-ignore-output"]
socket = shared.server.socket if shared.server else "nobody.sock"
if shared.server:
    shared.server.kill()
clients = {"as it comes": caching.default_client(socket), "told": caching.our_client(socket)}
for name, client in clients.items():
    retries = caching.settings_of(client).retries
    call = await caching.timed_call(client)
    print(f"{name:11} {retries:3} retries, {1e3 * call.took_s:7.1f} ms, then {call.outcome}")
if shared.server:
    shared.server.start()

# %% [markdown] tags=["topic:F01"]
# ### Redis dies: what do users notice?
#
# As it comes, a Redis client may retry for seconds (the optional cells above try it), for a value that takes milliseconds to compute. So the loss of
# the *cache* would take the *service* down. Three things belong around a call that the request can do without: a
# **time limit**, few or no retries, and a **breaker**. After some failures in a row the breaker stops asking for a
# while (*open*), and then lets one request try (*half-open*). The next cell sends 300 requests a second from three
# **tenants**, customers who may not see each other's answers, each for something that takes 20 ms to compute; who comes
# while it is computed waits for the rest. Redis is killed for the middle third, and comes back empty.

# %% tags=["topic:F01", "nbval-ignore-output"]
cache = caching.ThreeLevels(shared.store, process_ttl_s=0.5)
if shared.server:
    run_s = await caching.outage_run(cache, shared.server, num_requests=asked, seed=seed)
    for when, chosen in (("with Redis", ~run_s.during), ("without", run_s.during)):
        computed = np.mean(run_s.level[chosen] == "compute")
        median_ms = 1e3 * np.median(run_s.took_s[chosen])
        print(f"{when:10} {computed:4.0%} computed, median {median_ms:.1f} ms")
    print(f"answers of another tenant: {run_s.wrong}")
else:
    print("Here is no Redis to kill. The solution edition has a run with one.")
await shared.aclose()

# %% tags=["topic:F01", "nbval-ignore-output"]
if shared.server:
    away, there = (
        ", ".join(map(str, run_s.answers(chosen).values()))
        for chosen in (run_s.during, ~run_s.during)
    )
    show(
        figures.outage(run_s),
        alt="Time to each answer by the level that gave it, and the breaker's state below. In the "
        f"{run_s.back_s - run_s.gone_s:.1f} s without Redis {away} answers come from the process, the "
        f"shared level, a computation, and are lost; else {there}. The breaker is closed for "
        f"{100 * np.mean(run_s.breaker == 'closed'):.0f} % of the requests.",
    )

# %% tags=["solution-only"]
assert not shared.server or run_s.wrong == run_s.lost == 0

# %% [markdown] tags=["topic:F01"]
# While Redis is away, no answer comes from the shared level, and the breaker is open. It
# tries about once a second, so it may stay open for a second or two after Redis is back. No answer belongs to another
# tenant, since the whole key, tenant included, stands in the entry and is compared when it is read.
#
# Users notice what the hit rate of the shared level was worth: more is computed, and the median is that of a computation.
# That is all they may notice: a shared level can be lost at any time, and no request with it.

# %% [markdown] tags=["topic:F02", "topic:B26", "topic:F04"]
# ## The same question in other words
#
# "May I average p99s?" and "Can the 99th percentiles of two hosts be averaged?" have different keys and the same
# answer. A **semantic cache** turns each question into a vector, and serves the answer of the most similar
# earlier question, if it is similar enough. Similarity is the **cosine** of the two vectors: 1 for the same
# direction, 0 for nothing in common.
#
# The version that circulates goes through all entries and returns the **first** whose similarity is above 0.95.
# It knows no tenants, no versions, and no end.
#
# ### Build: the best match, and nobody else's
#
# `entries` is a list of `(scope, vector, answer, dies_s)`; all vectors have length 1. A `scope` is
# `(tenant, model, prompt version)`: an answer may be shared within one scope only. Return the answer of the most
# similar entry of this scope that is still alive (`now_s < dies_s`), if its similarity is at least `threshold`.
# Otherwise return `None`.


# %% tags=["topic:F02", "topic:T14"]
def best_match(entries, question, threshold, scope, now_s):
    """Return the answer of the most similar living entry of the scope, or None."""
    best, answer = threshold, None
    for owner, vector, kept, dies_s in entries:
        similarity = sum(a * b for a, b in zip(question, vector))
        ### BEGIN SOLUTION
        if owner == scope and now_s < dies_s and similarity >= best:
            best, answer = similarity, kept
        ### END SOLUTION
    return answer


# %%
check("reuse.best_match", best_match)

# %% [markdown] tags=["topic:T14", "optional"]
# **One by one is slow (optional).** The loop over 20,000 entries, and one product of a matrix and a vector.

# %% tags=["topic:T14", "optional", "nbval-ignore-output"]
rng = np.random.default_rng(seed)
vectors = rng.normal(size=(20_000, 96)).astype(np.float32)
rows, question = vectors.tolist(), vectors[-1]
began_s = time.perf_counter()
slow = max(range(len(rows)), key=lambda n: sum(map(float.__mul__, rows[n], rows[-1])))
loop_s, began_s = time.perf_counter() - began_s, time.perf_counter()
fast = int((vectors @ question).argmax())
product_s = time.perf_counter() - began_s
print(f"one by one {1e3 * loop_s:.0f} ms, one product {1e3 * product_s:.1f} ms")
assert slow == fast and loop_s > 5 * product_s

# %% [markdown]
# *Checkpoint, 64 minutes. The best match within one scope. But when is it good enough?*

# %% [markdown] tags=["topic:B26", "topic:F04"]
# ## How similar is similar enough?
#
# Blogs say 0.95, or 0.92 to 0.98. But such a number holds for one embedding model and one kind of questions. So
# measure it: take pairs of a question and the cached question nearest to it, and let somebody judge whether the
# cached answer serves both. The course ships such pairs, hard ones: **paraphrases**, questions that ask for
# something **near** it in similar words, and **narrower** ones. (A paraphrase that lies nearer to another
# cached question counts as wrong.)

# %% tags=["topic:B26", "topic:F02", "nbval-ignore-output"]
pairs = read_pairs()
alike = (embed([p.question for p in pairs]) * embed([p.cached for p in pairs])).sum(axis=1)
same = np.array([p.same_answer for p in pairs])
print(f"{len(pairs)} pairs, {same.sum()} with the same answer")
errors = {at: caching.error_at(at, alike, same) for at in (0.7, 0.8, 0.9, 0.95, 0.98)}
told = [
    f"from {at:g} on {e.hits} hits, {100 * e.rate:.0f} % ({100 * e.low:.0f} to {100 * e.high:.0f})"
    for at, e in errors.items()
]
show(
    figures.errors_over_threshold(alike, same),
    alt="Share of wrong answers among the hits over the threshold, which falls and then does not, "
    f"with its 95 % interval, which widens: {', '.join(told)}.",
)
assert 0.2 < errors[0.95].rate < 0.5

# %% tags=["topic:B26", "nbval-ignore-output", "slide:skip"]
worst = pairs[np.flatnonzero(~same)[alike[~same].argmax()]]
print(
    f"similarity {alike[~same].max():.3f}, another answer:",
    worst.question,
    worst.cached,
    sep="\n   ",
)
assert alike[~same].max() > 0.95

# %% [markdown] tags=["topic:B26"]
# Above 0.85 a higher threshold does not help: the one number or word in which two questions differ hardly moves the vector.
# Whether another model does better you know when you have judged pairs of **your** questions. With few hits the
# 95 % intervals get wide (the shade). So promise errors by the **upper end** of the interval.
#
# Which hits are wrong? Here are all pairs by how their question was made:

# %% tags=["topic:B26", "topic:R08", "nbval-ignore-output"]
made = [pair.kind for pair in pairs]
kinds = caching.errors_by_group(0.9, alike, same, made)
wrong = [f"{e.errors} of {e.hits} hits of kind {kind}" for kind, e in kinds.items()]
show(
    figures.alike_by_kind(alike, same, made, threshold=0.9),
    alt="Similarity of each pair in a row for its kind, right answers as dots and wrong ones as "
    f"crosses; they overlap. From 0.9 on, wrong are {', '.join(wrong)}.",
)
assert kinds["paraphrase"].errors == 0 and kinds["near"].errors == kinds["near"].hits > 9

# %% [markdown] tags=["topic:B26", "topic:R08"]
# ### One threshold cannot carry a guarantee
#
# No hit of a paraphrase is wrong at 0.9. Each hit of a near or narrower question is, for by its making it asks for
# something else. So the error rate belongs to the **mix** of questions, and changes with it. Caches that keep a
# promise learn a threshold for each entry while they run, and go on judging some hits (vCache, 2025).

# %% [markdown] tags=["topic:B26", "optional"]
# ### Build: the lowest threshold that keeps a promise (optional)
#
# `pairs` holds `(similarity, same_answer)`. At a threshold `t`, pairs with a similarity of at least `t` are hits,
# and those of them with another answer are errors. `upper(errors, hits)` is the upper end of the interval for
# their share. Return the lowest of the pairs' similarities at which it is at most `max_error`, or `None`.
#
# The best of many thresholds looks better than it is. So `upper` shares the error out: of $n$ tries each may be
# wrong with probability 5 %$/n$ (Bonferroni).


# %% tags=["topic:B26", "optional"]
def lowest_threshold(pairs, max_error, upper):
    """Return the lowest similarity at which errors among hits stay within max_error, or None."""
    passing = []
    for threshold, _ in pairs:
        hits = [same for similarity, same in pairs if similarity >= threshold]
        ### BEGIN SOLUTION
        if upper(hits.count(False), len(hits)) <= max_error:
            passing.append(threshold)
        ### END SOLUTION
    return min(passing, default=None)


# %% tags=["optional"]
check("reuse.threshold", lowest_threshold)

# %% [markdown] tags=["topic:B26", "optional"]
# Now promise "at most 5 % wrong" on a random half of the pairs, by the observed share of errors and by the
# interval. The other half says what the promise is worth. Twenty times.

# %% tags=["topic:B26", "optional", "nbval-ignore-output"]
use_lowest = piece("reuse.threshold", lowest_threshold)
shared_out = 1 - 2 * 0.05 / (len(pairs) // 2)  # of two sides one counts; each pair is a try
rules = {
    "observed share": lambda errors, hits: errors / hits,
    "upper end": lambda *counts: caching.clopper_pearson(*counts, confidence=shared_out)[1],
}
kept = {}
for name, upper in rules.items():
    choose = partial(use_lowest, max_error=0.05, upper=upper)
    found = kept[name] = caching.held_out_errors(choose, alike, same, rounds=20, seed=seed)
    wrong, hits = sum(e.errors for e in found), sum(e.hits for e in found)
    told = f", {wrong / hits:.0%} wrong on the other half" if found else ""
    print(f"{name}: a threshold in {len(found)} of 20 halves{told}")
assert len(kept["observed share"]) > 10 and not kept["upper end"]

# %% tags=["topic:B26", "optional", "solution-only"]
fewest = (n for n in range(1, 999) if rules["upper end"](0, n) <= 0.05)
assert (len(pairs) // 2, next(fewest)) == (242, 166)

# %% [markdown] tags=["topic:B26", "optional"]
# The observed share nearly always finds a threshold that looks good by luck. It promises 5 % and delivers
# several times that. The interval promises nothing with these pairs: shared out over 242 tries, even no error at
# all takes 166 hits. That is an answer, too: do not switch the cache on yet, or judge more pairs and try fewer
# thresholds.

# %% [markdown] tags=["topic:F03", "optional"]
# **When does it pay? (optional)** The vector and the search take 30 ms on every request, hit or miss. A
# computed answer takes 900 ms, and a hit costs nothing more. From which hit rate on (in %) is the mean below that
# without a cache?

# %% tags=["topic:F03", "optional"]
### BEGIN SOLUTION
pays_from = f"{30 / 900:.2%}"
### STUB pays_from = ...
### END SOLUTION
check("reuse.pays", pays_from)

# %% [markdown] tags=["topic:F03", "topic:R08"]
# A semantic cache pays where questions come again, their answers hold for a while, and a wrong one costs little:
# an internal help desk, a search box. It does not pay where each question has its own context (code, chats,
# anything about the user). "2 to 10 times as fast" is what the authors of one such library measured for a
# **hit** (GPTCache 2023). What you gain is that times your hit rate, less a look-up on every request.
#
# *Checkpoint, 70 minutes. Equal keys are safe; similar questions need a measured error. What makes a cache
# wrong?*

# %% [markdown] tags=["topic:F05", "topic:F09", "optional"]
# ## Prompts that begin alike (optional)
#
# Chapter 06 shared the pages of a common prompt. That is a cache as well: its entries are pages of keys and
# values, and its key is a **stable hash** of all tokens up to the end of the page. Nothing about it is
# approximate, for equal tokens give equal keys and values. So all that was said of sizes holds. In a chat each
# turn sends everything again that was said before, and the context **grows**: nearly all of it could be found.

# %% tags=["topic:F05", "topic:F08", "topic:F09", "optional"]
from labutils.llm import model
from labutils.workload import recorded_prefix_hits

print("pages that fit           300   1,000   3,000")
for active in (4, 32, 128):
    chats = caching.growing_contexts(400, turns=8, active=active, seed=seed)
    curve = caching.hit_curve(chats, [300, 1000, 3000])
    print(f"{active:4} chats at a time   ", *(f"{share:7.0%}" for _, share in curve))

# %% tags=["topic:F08", "topic:F09", "optional"]
beams = caching.beam_search(prompt_blocks=64, width=4, steps=32, seed=seed)
shared = caching.prefix_hits(beams, 1000).hit_rate
print(f"a beam search over a prompt of 64 pages, four beams, 32 pages long: {shared:.0%} found")
page_tokens, recorded = recorded_prefix_hits("mooncake-conversation")
page_gb = page_tokens * model("Llama-3.1-8B").kv_bytes_per_token() / 1e9
print(
    "a real hour of chats:",
    *(f"{n * page_gb:,.0f} GB {hits:.0%}" for n, hits in recorded),
    sep="\n   ",
)

# %% [markdown] tags=["topic:F05", "topic:F08", "topic:F09", "optional"]
# A chat finds its pages if it comes back before others have pushed them out. So the hit rate depends on how
# many chats are open at a time: **locality** counts, not popularity. Four beams of one search share nearly all
# they read. And in an hour of a public chat service (Mooncake, 12,031 requests) no cache finds more than 36 %,
# since the rest is new; the last third of that takes thousands of GB for a model of this size, and so such
# caches reach into the memory of the hosts and onto disks. Where each request goes decides as well: a fleet
# chapter will come back to this.

# %% [markdown] tags=["topic:F07", "topic:P04"]
# ## Break it: when is the cache wrong?
#
# | what happens | why the hit rate does not show it | what helps |
# | --- | --- | --- |
# | a source document changes | the stale answer is a hit | keep the sources with the answer, and drop by source |
# | a user asks to be forgotten | their words are keys, and answers of others | a scope for each user, an end for each entry |
# | another tenant's answer is served | a wrong hit is the fastest of all | tenant, model, prompt version and tools in the key |
# | somebody measures response times | 2 ms says "somebody has asked this" | no sharing between tenants where that matters |
# | the embedder or the prompt is updated | old vectors still find something | a version in the key; expect a cold start |
# | the cache stands far from its users | a hit is fast, the way is not | a cache at the edge for what many ask; the model stays remote |
#
# Optional: the next cell makes the first of them, with the course's own semantic cache. A document has changed,
# and the answers made from it go, whoever asked for them.

# %% tags=["topic:F07", "optional", "slide:skip"]
store = caching.SemanticCache(
    dimension=96, threshold=0.9, capacity=100, ttl_s=3600, clock=time.monotonic
)
ours = caching.Scope("acme", "target-12M", "prompt-3")
theirs = caching.Scope("globex", "target-12M", "prompt-3")
meaning = embed(["How long are refunds possible?"])[0]
store.put(ours, meaning, "30 days", sources=["refunds.md", "faq.md"])
print("another tenant asks:  ", store.get(theirs, meaning))
print("the same tenant:      ", store.get(ours, meaning).answer)
print("refunds.md changes:   ", store.drop_source("refunds.md"), "answer dropped")
print("the same tenant again:", store.get(ours, meaning))

# %% tags=["solution-only"]
assert store.get(ours, meaning) is None and store.hits == 1

# %% [markdown] tags=["topic:F09", "topic:F07"]
# And the hit rate itself is a vanity number. It goes up if somebody asks the same thing in a loop, if entries
# live too long, and if the threshold is too low. Beside it belong the backend's load, the share of wrong hits,
# and the age of what is served.
#
# ## What to do on Monday morning
#
# 1. **Plan the backend for the misses of a bad day** (a release with new keys, a restart), and alert on misses a
#    second, not on the hit rate.
# 2. **Flush the cache in a test**, under yesterday's traffic, before somebody else does.
# 3. **One computation per key**: single flight in each process, spread lives, early refresh for the hottest keys.
# 4. **Give each remote call a time limit and a breaker**, look up the client's defaults, and kill the cache once.
# 5. **Put tenant, model, prompt version and settings into the key**, an end and its sources into the entry.
# 6. **Judge pairs before you switch a semantic cache on**, and give the upper end of the error rate.
#
# | real systems call it | where |
# | --- | --- |
# | `maxmemory-policy allkeys-lru` (sampled), `allkeys-lfu` | Redis |
# | `singleflight`; `proxy_cache_lock on` | Go; nginx |
# | `proxy_cache_use_stale updating`, `stale-while-revalidate` | nginx; RFC 5861 |
# | `--enable-prefix-caching` | vLLM; on by default in its current engine |

# %% [markdown]
# ## Sources
#
# - H. Che, Y. Tung and Z. Wang, *Hierarchical web caching systems: modeling, design and experimental results*,
#   IEEE JSAC 20(7), 2002.
# - N. Bronson and others, *Metastable failures in distributed systems*, HotOS 2021. L. Huang and others, *Metastable
#   failures in the wild*, OSDI 2022.
# - A. Vattani, F. Chierichetti and K. Lowenstein, *Optimal probabilistic cache stampede prevention*, VLDB 2015.
# - *vCache: verified semantic prompt caching*, arXiv 2502.03771, 2025: a threshold for each entry, learned in use.
# - F. Bang, *GPTCache: an open-source semantic cache for LLM applications*, NLP-OSS 2023.
# - C. J. Clopper and E. S. Pearson, *The use of confidence or fiducial limits illustrated in the case of the
#   binomial*, Biometrika 26(4), 1934.
# - R. Qin and others, *Mooncake: trading more storage for less computation*, FAST 2025 (trace: Apache-2.0).
