# ---
# jupyter:
#   course:
#     order: 4
#     slug: batching_sweep
#     title: Batching sweep
#     question: How large should a batch be, and who decides it?
#     minutes: 73
#     needs: [littles_law, mm1_explosion]
#     folder: notebooks
#     gpu: false
#     small: {n: 150000}
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown] tags=["topic:E03"]
# A model server runs requests in batches. Two settings decide about them: the largest size, and a
# **window**, the time for which a batch may wait for more requests. "32 and 10 ms" stands in many
# configurations. This chapter begins with what these 10 ms do to a request at night. Afterwards you can
# answer three questions:
#
# 1. What does a batch cost on *your* machine, and how much throughput can it buy at most?
# 2. Which batch sizes keep up with the traffic, and what do the larger ones cost in latency?
# 3. How long should a batch wait for more requests?
#
# You need chapters 02 and 03: Little's law, and what load does to a queue. The glossary is at
# the end of `docs/cards.html`.

# %%
import inspect
import math
import os

import numpy as np

os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")  # before torch: waiting threads sleep
import torch

from labutils import simulation as sim
from labutils.exercises import check, hint, outcome, piece, predict, reveal
from labutils.exercises.catalog.batching_sweep.desk import Desk
from labutils.laws import batching
from labutils.measure import MachineProfile, synchronizer, timed_in_turn
from labutils.viz import show
from labutils.viz.explorers.batching import batching_explorer
from labutils.viz.figures import batching as figures

# %% tags=["parameters"]
seed = 7  # every random draw in this chapter follows from it
n = 200_000  # requests in a simulated run

# %% [markdown] tags=["topic:E03", "topic:E07"]
# ## At night the window more than doubles the latency
#
# A machine takes $5 + 0.5\,b$ ms for a batch of $b$ requests. The server is a **dynamic batcher**: a
# batch starts when the machine is free *and* the batch is full (32), or its oldest request has waited
# for the window, here called the **timeout**. All requests that have come by then are in it. At night
# 20 requests come per second, at random times.

# %% tags=["topic:E03"]
machine = batching.AffineBatchTime(fixed_s=0.005, per_item_s=0.0005)
clock = np.cumsum(np.random.default_rng(seed).standard_exponential(n))  # one arrival per second


def with_window(rate, timeout_ms):
    """Simulate the dynamic batcher at this many requests per second."""
    return sim.batch_queue(clock / rate, machine, max_batch=32, batch_timeout_s=timeout_ms / 1000)


for timeout_ms in (10, 0):
    late_ms = 1000 * with_window(20, timeout_ms).sojourn_time_s.mean()
    print(f"20/s, window of {timeout_ms:2} ms: mean latency {late_ms:4.1f} ms")

# %% [markdown] tags=["topic:E03", "topic:E07"]
# On average these requests take two and a half times as long as without a window. The window was to
# collect other requests, and at night there are none to collect.
#
# ### Does a window pay by day?
#
# By day 400 requests come per second. With a timeout of 0 a batch takes the requests that are there.
# With one of 20 ms it collects about nine of them, and they share the 5 ms. **How many times as large
# is the mean latency with 20 ms as with 0?** Below 1 the window pays. Commit to a number or a range.

# %%
### BEGIN SOLUTION
predict("batch.window_by_day", low=0.5, high=2.5)
### STUB predict("batch.window_by_day", ...)
### END SOLUTION

# %% [markdown] tags=["topic:E07", "topic:O16"]
# ### Seven windows at 400 requests a second
#
# *Busy* is the share of time in which the machine works.

# %% tags=["topic:E07", "topic:O16"]
print("timeout      mean       p95   mean batch    busy")
mean_ms = {}
for timeout_ms in (0, 1, 2, 5, 10, 20, 40):
    run = with_window(400, timeout_ms)
    mean, p95 = 1000 * run.sojourn_time_s.mean(), 1000 * np.quantile(run.sojourn_time_s, 0.95)
    mean_ms[timeout_ms] = mean
    print(f"{timeout_ms:4} ms {mean:7.1f} ms {p95:6.1f} ms {run.mean_batch:9.1f} "
          f"{100 * run.utilization:9.0f} %")  # fmt: skip
outcome("batch.window_by_day", mean_ms[20] / mean_ms[0])

# %% tags=["solution-only"]
assert np.allclose([mean_ms[ms] for ms in (0, 5, 20)], (9.8, 10.6, 21.1), rtol=0.02)
exact_s = batching.take_everything_mean_sojourn(400, machine, 32)
assert abs(mean_ms[0] / 1000 / exact_s - 1) < 0.02

# %% [markdown] tags=["topic:E03", "topic:E07"]
# A timeout of 0 is as fast as any: 1 ms makes no difference, and every longer one costs. And that with
# the smallest batches of all. Where do they come from, if nothing waits for them? First: what does a
# batch cost at all?

# %% [markdown] tags=["topic:E01", "topic:B11"]
# ## What does a batch cost here?
#
# Numbers such as $5 + 0.5\,b$ are measured. So measure: two layers of a network, with 19 million
# weights, on the machine under your hands (on its GPU, if there is one). Batches of 1 to 128 are
# timed in turn, so that a noisy moment hits all sizes alike. Whatever else runs on your machine can
# only add time, so the *shortest* run of each size is nearest to what a batch costs.

# %%
device = "cuda" if torch.cuda.is_available() else "cpu"
network = torch.nn.Sequential(
    torch.nn.Linear(1536, 6144), torch.nn.GELU(), torch.nn.Linear(6144, 1536)
).to(device)


def through(size):
    """Return a call that sends one batch of this size through the network."""
    batch = torch.randn(size, 1536, device=device)
    return torch.inference_mode()(lambda: network(batch))


# %% tags=["nbval-ignore-output", "topic:E01", "topic:B11"]
sizes = (1, 8, 16, 32, 64, 128)
calls = {size: through(size) for size in sizes}
timings = timed_in_turn(
    calls, min_total_s=1.5, repeats=3, warm_up=1, synchronize=synchronizer(device)
)
times_s = [min(timings[size].samples_s) for size in sizes]
fit = batching.fit_affine(sizes, times_s)
MachineProfile.load(device=device).with_batch_fit(fit, note="1536-6144-1536, float32").save()
assert fit.model(64) > 0 and np.isfinite(fit.relative_rms)
show(
    figures.sweep(fit, timings),
    alt="Time of a batch and throughput against batch size, measured on this machine: the time "
    "grows about linearly from a start above zero, the throughput bends towards a limit.",
)

# %% [markdown] tags=["topic:B11", "topic:E01"]
# ### A fixed price, and a price for each request
#
# The line is the **affine** batch time
#
# $$T(b) = c_0 + c_1\,b ,$$
#
# with $c_0$ in seconds per batch and $c_1$ in seconds per request. $c_0$ is what the batch shares: the
# weights are read from memory once, the calls are made once. $c_1$ is each request's own arithmetic.
#
# The throughput of a machine that always runs batches of $b$ is
#
# $$\frac{b}{c_0 + c_1 b} \;\longrightarrow\; \frac{1}{c_1} .$$
#
# Batching spreads the fixed price over more requests, and changes nothing else. How well it does that is
# the **batching efficiency** $c_1 b / (c_0 + c_1 b)$, the share of a batch's time that is not fixed
# price. It reaches one half at $b = c_0 / c_1$. Nine tenths need nine times that batch.
#
# The fit is stored in your machine's profile; chapter 05 explains its two numbers. Real points do not
# lie on the line: the library computes a single vector in another way than a block. (Put 2 and 4 into `sizes`: on many processors they take longer than 8.)

# %% tags=["nbval-ignore-output", "topic:E01"]
c0, c1 = fit.model.fixed_s, fit.model.per_item_s
print(f"this machine: {1000 * c0:.2f} ms + {1000 * c1:.3f} ms for each request")
print(f"typical error of the line: {100 * fit.relative_rms:.0f} %")
longer = times_s[sizes.index(64)] / times_s[0]
print(f"a batch of 64 takes {longer:.1f} times as long as one alone")
if not all(timing.is_steady for timing in timings.values()):
    print("Something else keeps this machine busy: stop it, and measure again.")
assert longer > 0

# %% [markdown] tags=["topic:B13", "topic:E01"]
# "A batch of 64 takes almost as long as 1." That is true of some machines. As long as reading the
# weights takes longer than the arithmetic, a further request costs next to nothing; from the **ridge** on,
# the size at which both take as long, each costs its full time.
#
# Here is the best case, the limits of a data sheet: 8 billion weights of 2 bytes each on an H100. Its
# memory delivers 3.35 TB/s, its arithmetic 989 TFLOP/s *dense*. (Data sheets also print twice that,
# for matrices that are half zeros.) A language model multiplies each weight
# once for each token and adds the product to a sum: two operations per weight and token. Here each
# request of a batch wants one token.

# %% tags=["topic:B13"]
weights = 8e9
roof = batching.RooflineBatchTime(bytes_s=2 * weights / 3.35e12, per_item_s=2 * weights / 989e12)
print(f"flat up to a batch of {roof.ridge_batch:.0f}")
for size in (1, 64, 256, 1024):
    longer = roof(size) / roof(1)
    print(f"batch {size:4}: {1000 * roof(size):5.2f} ms, {longer:.2f} times as long as 1")

# %% [markdown] tags=["topic:B13"]
# So the sentence holds on that machine for that model, and only below the ridge. (Chapter 05 computes
# what the memory of the requests themselves adds.)
#
# *Checkpoint, 11 minutes. First idea: a batch shares a fixed price, and throughput ends at $1/c_1$.*

# %% [markdown] tags=["topic:E02", "topic:B12"]
# ## Which batches keep up?
#
# From here on requests come one by one, at random (Poisson), at a rate of $\lambda$ per second. The
# machine has $c_0 = 4$ ms and $c_1 = 0.9$ ms, so its throughput ends at 1,111 requests per second; 800
# come. The simplest server is the **static** one, with *full batches*: it waits until $B$ requests are
# there, runs them, and waits for the next $B$.
#
# While a batch runs, requests go on coming. Three sizes by hand:
#
# | $B$ | the batch takes | meanwhile come | so the queue |
# | --- | --- | --- | --- |
# | 4 | 4 + 3.6 = 7.6 ms | 0.8 × 7.6 = 6.1 | grows by 2.1 with every batch |
# | 8 | 4 + 7.2 = 11.2 ms | 0.8 × 11.2 = 9.0 | grows by 1.0 with every batch |
# | 16 | 4 + 14.4 = 18.4 ms | 0.8 × 18.4 = 14.7 | has 1.3 places to spare |
#
# If as many come as the batch holds, or more, the queue grows without end. **Which is the smallest $B$
# that keeps up?** Write it as a function of the rate and the two costs. For some machines there is
# none: return `math.inf`.


# %%
def least_batch(arrival_rate, fixed_s, per_item_s):
    """Return the smallest whole batch that keeps up, or math.inf if none does."""
    ### BEGIN SOLUTION
    free = 1 - arrival_rate * per_item_s
    if free <= 0:
        return math.inf
    return math.floor(arrival_rate * fixed_s / free) + 1
    ### END SOLUTION


# %%
check("batch.least_stable", least_batch)

# %% [markdown]
# Stuck? Put `hint("batch.least_stable")` into a cell of your own, up to three times. Afterwards
# `reveal("batch.least_stable")` explains the idea. Both work for every exercise.

# %% tags=["topic:B11", "topic:B12"]
smallest = piece("batch.least_stable", least_batch)
for rate in (100, 400, 800, 1000, 1100, 1200):
    print(f"{rate:5}/s: batches of {smallest(rate, 0.004, 0.0009)} or more")

# %% [markdown] tags=["topic:B12", "topic:E08"]
# ## How full is best?
#
# At 800 a second, batches below 12 do not keep up. In the others the time of a request has three
# parts: it waits until its batch is full, then until the machine is free, and then the batch runs.
# **Which $B$ between 1 and 64 gives the lowest mean latency** if every batch must be
# full?

# %%
### BEGIN SOLUTION
predict("batch.best_full_batch", low=12, high=24)
### STUB predict("batch.best_full_batch", ...)
### END SOLUTION

# %% [markdown] tags=["topic:B12"]
# Now play. The areas show where the time of a request goes, the bars which batches were formed at the
# *max batch* that you choose (the black line). *Load* is the share of the limit $1/c_1$: for this
# machine 0.72 is 800 a second. The areas of full batches are computed exactly. With a timeout, each
# move of a control simulates 40,000 requests at each of two dozen sizes.
#
# - (a) Find the best full batch. What grows on its left, what on its right?
# - (b) Halve the load. What becomes of the empty part, and of the best batch?
# - (c) Set *timeout* to 0 and look at the left side of the figure, and at the bars. Then move *max batch*
#   from 64 down.
#
# Your own machine can be put in: `batching_explorer(seed=seed, machines={"mine": fit.model})`.

# %% tags=["nbval-ignore-output", "topic:B12", "topic:E08"]
explorer = batching_explorer(
    seed=seed, machine="4 + 0.9 b ms", load=0.72, timeout=math.inf, max_batch=32
)
explorer

# %% [markdown] tags=["topic:B12"]
# ### Latency over the batch is half of a U: on its left the queue grows without end
#
# For full batches theory is exact (Bailey 1954). The next cell sets the simulation beside it. The dotted
# line is a request's time if the machine were always free: on average $(B-1)/2$ gaps between arrivals
# until the batch is full, and then the batch,
#
# $$W_0 = \frac{B-1}{2\lambda} + c_0 + c_1 B .$$

# %% tags=["topic:B12", "topic:T05"]
textbook = batching.AffineBatchTime(fixed_s=0.004, per_item_s=0.0009)


def run_full(rate, size):
    """Simulate a server that waits for full batches."""
    return sim.batch_queue(clock / rate, textbook, max_batch=size, batch_timeout_s=math.inf)


full = {size: run_full(800, size) for size in (12, 14, 16, 18, 20, 24, 32, 40, 48, 56, 64)}
show(
    figures.full_batches(800, textbook, {B: run.sojourn_time_s.mean() for B, run in full.items()}),
    alt="Mean latency against the size of full batches at 800/s: none below 12, 66 ms at 12, a "
    "minimum of 33 ms at 16, then a straight rise to 101 ms at 64; simulation on the exact line.",
)
exact = {B: batching.fill_batch_mean_sojourn(800, textbook, B) for B in range(12, 65)}
outcome("batch.best_full_batch", min(exact, key=exact.get))

# %% tags=["solution-only"]
assert abs(full[32].sojourn_time_s.mean() / exact[32] - 1) < 0.02

# %% [markdown] tags=["topic:B12", "topic:E08", "topic:O21"]
# Does a larger batch always mean more latency, about in proportion?

# %% tags=["topic:B12", "topic:O21"]
print("  B   mean latency   machine busy   could carry")
for size in (12, 16, 32, 64):
    carries = textbook.throughput_per_s(size)
    print(f"{size:3} {1000 * exact[size]:9.1f} ms {100 * 800 / carries:12.0f} % "
          f"{carries:11,.0f}/s")  # fmt: skip

# %% [markdown] tags=["topic:B12", "topic:E08", "topic:O21"]
# No. From 12 to 16 the latency *halves*: a batch of 12 keeps the machine busy nearly all the time, and
# you know from chapter 03 what that does. (There even 200,000 simulated requests miss the exact mean by
# a few percent: chapter 03b.) The linear part is real, far on the right. There a request mostly waits
# for its batch to fill, and each further place in the batch adds $1/(2\lambda) + c_1$.
#
# At the right end throughput is bought that nobody uses. A batch of 64 could carry more than 1,000 a
# second, but 800 come, and their latency is three times that of the best size. If you tune for
# throughput alone, latency suffers, and no alarm rings.

# %% [markdown]
# *Checkpoint, 28 minutes. Second idea: under load, latency over the batch size is half of a U, and on its left
# are sizes that do not keep up. So far you chose the size. Next, the traffic does.*

# %% [markdown] tags=["topic:E03", "topic:T05"]
# ## Build: the batcher's recursion
#
# A dynamic batcher decides two things, over and over: when the next batch starts, and which requests are
# in it. The batch is **ready** when `max_batch` requests are there, or when the oldest has waited
# `timeout_s` since *its arrival*, whichever comes first. It starts as soon as it is ready *and* the
# machine is free. It takes the requests that have come by then (at that very moment included), as far
# as there is room.
#
# By hand: requests come at 0, 3 and 12 ms; two fit in a batch; the timeout is 5 ms. The first batch is
# full, and so ready, at 3 ms. With the machine free since 0 it starts at 3 ms with two requests. It
# takes 6 ms, so the machine is free at 9 ms. The third request is alone until its timeout has passed:
# the second batch starts at 17 ms with one.
#
# In your function `arrivals` is a list of the times of the requests not yet served, in seconds, oldest
# first, the future ones included. The machine is free from `free_s` on. `timeout_s` is
# finite.


# %%
def next_batch(arrivals, free_s, max_batch, timeout_s):
    """Return (start_s, size) of the next batch."""
    ### BEGIN SOLUTION
    ready_s = arrivals[0] + timeout_s
    if len(arrivals) >= max_batch:
        ready_s = min(ready_s, arrivals[max_batch - 1])
    start_s = max(free_s, ready_s)
    return start_s, sum(a <= start_s for a in arrivals[:max_batch])
    ### END SOLUTION


# %%
check("batch.next_batch", next_batch)

# %% [markdown] tags=["topic:T05"]
# Your step is the whole simulator: when a batch ends, the machine is free, and that decides the next
# batch. The cell runs your step on the machine of the first prediction, beside the simulator that made
# the table there. They must agree on every request.

# %% tags=["topic:T05"]
step = piece("batch.next_batch", next_batch)
cost_s = [0.0, *machine(np.arange(1, 33)).tolist()]
arrivals = (clock[:20_000] / 400).tolist()
latencies, first, free_s = [], 0, 0.0
while first < len(arrivals):
    start_s, size = step(arrivals[first : first + 33], free_s, 32, 0.005)
    free_s = start_s + cost_s[size]
    latencies += [free_s - a for a in arrivals[first : first + size]]
    first += size
compiled = sim.batch_queue(arrivals, machine, max_batch=32, batch_timeout_s=0.005)
apart = np.abs(np.array(latencies) - compiled.sojourn_time_s).max()
print(f"timeout 5 ms: mean latency {1000 * np.mean(latencies):.1f} ms; "
      f"the two programs agree: {apart < 1e-6}")  # fmt: skip

# %% [markdown] tags=["topic:E03", "topic:O16"]
# ## Why it is fastest not to wait: the running batch collects the next one
#
# One might fear that without a window every batch holds one request. In the table at the beginning the
# mean batch without a window was 2.6. Here are the first requests of that run.

# %%
show(
    figures.batch_timeline(with_window(400, 0), first=24),
    alt="Timeline of 24 requests without a window: while one batch runs, the next ones arrive and "
    "wait for the machine; then they start together. The first request starts at once, alone.",
)

# %% [markdown] tags=["topic:E03", "topic:B12"]
# While a batch runs, the requests of the next one come. When the machine falls free, it takes all of
# them. So the running batch *is* the window. In a quiet minute few requests come during a batch, and
# the batches stay small. In a rush many come: the next batch is large, takes longer, and collects still
# more.
#
# How large do the batches become? Suppose that requests come evenly, like a fluid, and that a batch of
# $b$ is followed by one of the same size. Then $b$ requests come while it runs,
# $b = \lambda\,(c_0 + c_1 b)$, so
#
# $$b^\ast = \frac{\lambda\,c_0}{1 - \lambda\,c_1} .$$
#
# You have computed this before: it is the edge below which no batch keeps up. **A server that takes
# everything runs, at any load, the batches that just keep up.** Nobody sets this size. The traffic and
# the two costs do.
#
# The next cells sweep the rate. There is room for 64: with 32 the machine would end at 1,524/s.

# %% tags=["topic:B12", "topic:E10"]
rates = np.array([25, 50, 100, 200, 400, 600, 800, 1000, 1200, 1400, 1600])


def sweep(timeout_s, room=64):
    """Run every rate, None where full batches do not keep up."""
    return [
        sim.batch_queue(clock[:50_000] / rate, machine, max_batch=room, batch_timeout_s=timeout_s)
        if smallest(rate, 0.005, 0.0005) <= room
        else None
        for rate in rates
    ]


# %% tags=["topic:B12", "topic:E10", "topic:O16"]
settings = {
    "no window": ("service", sweep(0)),
    "5 ms": ("theory", sweep(0.005)),
    "20 ms": ("measurement", sweep(0.020)),
    "full batches of 16": ("backlog", sweep(math.inf, room=16)),
}
show(
    figures.own_size(machine, rates, settings),
    alt="Left: mean batch against the rate; without a window it grows from 1 to 40 and at high rates "
    "follows the dashed fluid line; a window of 20 ms starts at 1.5 and meets it at 1,600/s; full "
    "batches stay at 16. Right: mean latency; without a window nowhere higher, 20 ms of window cost 17 ms "
    "more at 25/s and 1 ms at 1,600/s, full batches of 16 form a U.",
)

# %% tags=["solution-only"]
free_s, late_s = (
    [run.sojourn_time_s.mean() for run in settings[k][1]] for k in ("no window", "20 ms")
)
assert abs(late_s[0] - free_s[0] - 0.017) < 0.001 and 0 <= late_s[-1] - free_s[-1] < 0.002

# %% [markdown] tags=["topic:E10", "topic:O16", "topic:E07"]
# One setting serves from the quietest hour to 80 % of the limit, because the batch adapts by itself. A
# batch of $b^\ast$ takes $c_0/(1 - \lambda c_1)$: 10 ms at 1,000/s, 25 ms at 1,600/s. A window shorter
# than that has passed before the machine is free, and changes next to nothing. At low load the machine
# is free, and the oldest request of each batch waits for the window in full. So a window costs most
# when it is needed least.
#
# Be careful with *busy*. At 400/s, a fifth of its limit, a machine without a window is **97 % busy**, and
# can still take five times the traffic: larger batches do the same work in less time. With 20 ms it is
# 42 % busy. So a long window buys time for another model, or saves power, and you pay for it with
# latency.
#
# *Checkpoint, 45 minutes. Third idea: take the requests that are there, and the batch follows the load.*

# %% [markdown] tags=["topic:S04", "topic:E06", "topic:E08"]
# ## Repair an exercise that has no solution
#
# The exercise: *At a fixed rate of 800/s, sweep the batch size over 1, 2, 4, 8, 16, 32, 64. Plot p99
# against throughput, and choose the best size with a p99 below 50 ms.* The machine is the one with
# $4 + 0.9\,b$ ms, and batches must be full.

# %% tags=["topic:S04"]
print("  B   comes/s   leaves/s        p99")
for size in (1, 2, 4, 8, 16, 32, 64):
    run = full.get(size) or run_full(800, size)
    p99 = 1000 * np.quantile(run.sojourn_time_s, 0.99)
    told = f"{p99:6.1f} ms" if size >= smallest(800, 0.004, 0.0009) else "    grows"
    print(f"{size:3} {800:9} {run.throughput_per_s:10.0f} {told:>10}")
p99_of = {B: np.quantile(run_full(800, B).sojourn_time_s, 0.99) for B in range(13, 25)}
best = min(p99_of, key=p99_of.get)
print(f"best of all sizes: B = {best}, {1000 * p99_of[best]:.1f} ms")

# %% [markdown] tags=["topic:S04", "topic:E06"]
# Four of the seven sizes do not keep up, so they have no p99. The other three have the same throughput.
# And no size meets the **promise**, the 50 ms that you owe your users: below 13 full batches take
# 200 ms or never keep up, above 24 the p99 only rises. The exercise gives you the rate, and the rate is what
# you want to know: how much traffic may you take? The requests per second that are answered within the
# promise are your **goodput**.
#
# So: **p99 at most 50 ms. Up to which rate, in requests per second, can this machine keep that, if you
# may choose max batch and timeout?** `p99_ms` does the simulating, with this chapter's draws; find the
# settings, then the rate. An answer within 2 % counts.


# %%
def p99_ms(rate, max_batch, timeout_s):
    """Return the p99 latency in ms of the machine with 4 + 0.9 b ms at this rate."""
    run = sim.batch_queue(clock / rate, textbook, max_batch=max_batch, batch_timeout_s=timeout_s)
    return 1000 * np.quantile(run.sojourn_time_s, 0.99)


### BEGIN SOLUTION
kept = [rate for rate in range(700, 900, 4) if p99_ms(rate, 64, 0) <= 50]
best_rate = max(kept)
### STUB best_rate = ...
### END SOLUTION
check("batch.goodput", best_rate)

# %% [markdown] tags=["topic:S04", "topic:E06", "topic:O21"]
# ### Full batches break the promise twice: in the rush, and at night
#
# The range of rates in which each setting keeps the promise:

# %% tags=["topic:S04", "topic:E06"]
for name, room, timeout_s in (
    ("full batches of 12", 12, math.inf),
    ("full batches of 16", 16, math.inf),
    ("window 20 ms, up to 32", 32, 0.020),
    ("no window, up to 16", 16, 0),
    ("no window, up to 64", 64, 0),
):
    kept = [rate for rate in range(20, 900, 10) if p99_ms(rate, room, timeout_s) <= 50]
    print(f"{name:23} {kept[0]:3} to {kept[-1]}/s")

# %% tags=["solution-only"]
freely = sim.batch_queue(clock / 820, textbook, max_batch=64, batch_timeout_s=0)
if seed == 7:  # what the text says; near the limit other seeds give 37 to 51, and 140 to 240 ms
    assert freely.batch_sizes.max() == 44
    assert 190 < p99_ms(800, 12, math.inf) < 230
assert all(p99_ms(800, size + 1, math.inf) > p99_ms(800, size, math.inf) for size in range(24, 63))

# %% [markdown] tags=["topic:E06", "topic:E08", "topic:O21", "topic:E13"]
# Full batches of 16 keep 50 ms in a narrow band, and fail *below* it: with less traffic they take too
# long to fill. So max batch is a limit, not a target. Set it as large as memory and the promise allow.
# Here the promise allows 51: $4 + 0.9\,b \le 50$. A batch of 64 alone takes 61.6 ms. At 820/s the
# largest batch of this run holds 44. After an outage batches are full.
#
# *Checkpoint, 56 minutes. Fix the promise and search the rate: that is goodput. The rest is code.*

# %% [markdown] tags=["topic:T11", "topic:E03"]
# ## Repair a batcher that loses requests
#
# Now real code: callers hang up, and models return too few results. The class below has faults that
# dynamic batchers really have. It *is told* the time, so it can be tested without waiting. Its base `Desk` is sound. It has a queue, `waiting`; the batch in work, `running`; and those
# who hung up, `gone`. You will need two of its methods. `take` moves the oldest from the queue into
# work. `resolve` answers one caller, and raises an error for one who hung up.

# %% tags=["topic:T11"]
print(inspect.getsource(Desk))

# %% [markdown] tags=["topic:T11"]
# The server calls `submit` when a request comes, `next_batch` whenever the machine is idle (an empty
# list means: not yet), and `deliver` with the model's results, in the order of the batch. The class
# fails in six stories. Check it, read the first story, repair, check again. The conventions:
#
# - A batch starts when it is full, or when its oldest request has waited `window_ms` since its arrival,
#   at that very millisecond.
# - With more or fewer results than requests in the batch, each of the batch is answered `"failed"`.
# - A caller that hung up gets no answer, not even `"failed"`; every other caller gets its own.
# - Who hangs up in the queue has left it: `cancel` sees to that.
# - When `max_waiting` requests are waiting, the next one is answered `"refused"`, at once.


# %% tags=["topic:T11", "topic:E03"]
### BEGIN SOLUTION
class DynamicBatcher(Desk):
    """Hands requests out in batches; it is told the time and never asks for it."""

    def submit(self, name, now_ms):
        if len(self.waiting) >= self.max_waiting:
            return self.resolve(name, "refused")
        self.waiting.append((name, now_ms))

    def next_batch(self, now_ms):
        full = len(self.waiting) >= self.max_batch
        late = self.waiting and now_ms >= self.waiting[0][1] + self.window_ms
        return self.take() if full or late else []

    def deliver(self, results):
        known = len(results) == len(self.running)
        for place, name in enumerate(self.running):
            if name not in self.gone:
                self.resolve(name, results[place] if known else "failed")


### STUB class DynamicBatcher(Desk):
### STUB     since_ms = None
### STUB     def submit(self, name, now_ms):
### STUB         self.waiting.append((name, now_ms))
### STUB     def next_batch(self, now_ms):
### STUB         if self.waiting and self.since_ms is None:
### STUB             self.since_ms = now_ms
### STUB         young = self.since_ms is None or now_ms < self.since_ms + self.window_ms
### STUB         if young and len(self.waiting) < self.max_batch:
### STUB             return []
### STUB         self.since_ms = None
### STUB         return self.take()
### STUB     def deliver(self, results):
### STUB         for name, result in zip(self.running, results):
### STUB             self.resolve(name, result)
### END SOLUTION


# %% [markdown] tags=["topic:T11"]
# Play with it before you check. A comes at 0 ms, B at 4 ms, and the window is 10 ms; the machine asks at
# 6, 9 and 10 ms. When should the batch start? (At 10 ms, when A has waited for 10.) Change the lines, and
# look at `desk.waiting` or `desk.answers`.

# %% tags=["topic:T11"]
desk = DynamicBatcher(max_batch=4, window_ms=10, max_waiting=8)
desk.submit("A", 0)
desk.submit("B", 4)
for now_ms in (6, 9, 10):
    print(f"at {now_ms:2} ms: {desk.next_batch(now_ms) or 'not yet'}")
desk.deliver(["a", "b"])
print(desk.answers)

# %%
check("batch.repair", DynamicBatcher)

# %% [markdown] tags=["optional", "topic:T11"]
# *Optional.* Four more faults to look for in a batcher's code. It reads the wall clock, which can jump. It
# looks every millisecond whether it is time, where it could sleep until the deadline. It names requests
# by `id(data)`, which two of them can share. And it calls the model on the **event loop**, the one
# thread that handles all connections of an asynchronous server: while the model computes, nobody is
# served (*More practice* measures that).
#
# Two batchers in use: Triton's by default does not delay a batch at all (NVIDIA's documentation), and
# vLLM forms a new batch at every step of the model; that is chapter 07.

# %% [markdown]
# *Checkpoint, 70 minutes. A batcher that is told the time can be tested without waiting.*

# %% [markdown] tags=["topic:E02", "topic:E11", "topic:O16"]
# ## Where the model breaks
#
# | assumed | in your service | what changes |
# | --- | --- | --- |
# | requests come one by one | a page sends eight at once, spread over 2 ms | the first would run alone: a window of those 2 ms pays (the optional cell below) |
# | $T(b)$ depends on $b$ alone | texts of different length, padded to the longest | batch similar lengths together (*buckets*): less padding, slower filling |
# | all members end together | answers of different length | the batch lasts as long as its longest answer, and finished ones leave empty slots: chapter 07 |
# | affine | flat, then linear; steps | measure the sizes that occur |
# | one machine | several behind one queue | they share the traffic: smaller batches, less waiting |
# | memory for any batch | a limit | chapter 06 |

# %% tags=["optional", "topic:E07", "topic:O16"]
draws = np.random.default_rng(seed)
pages = np.cumsum(draws.standard_exponential(n // 8)) / (100 / 8)  # 100 requests/s, in eights
clumped = np.sort((pages[:, None] + draws.uniform(0, 0.002, (n // 8, 8))).ravel())
for timeout_ms in (0, 1, 2, 3, 5):
    run = sim.batch_queue(clumped, machine, max_batch=32, batch_timeout_s=timeout_ms / 1000)
    print(f"timeout {timeout_ms} ms: mean latency {1000 * run.sojourn_time_s.mean():.1f} ms, "
          f"mean batch {run.mean_batch:.1f}")  # fmt: skip

# %% [markdown] tags=["topic:E07"]
# Where requests come in clumps a window pays, because the others are known to be on their way. It pays
# up to the length of the clump, and half of that has most of the gain. A recommended window knows
# neither your clumps nor your load. Start with 0, and test any window on a trace of your own traffic.

# %% [markdown] tags=["topic:E06", "topic:E03", "topic:O21"]
# ## What to do on Monday morning
#
# 1. **Sweep your model** over batch sizes, fit $c_0$ and $c_1$, and write down $1/c_1$, the ridge if
#    you see one, and $b = c_0/c_1$, where the efficiency is one half.
# 2. **Set the window to 0 and max batch high**, bounded by memory and by $T(\text{max batch})$ well
#    within your promise. Then look at the histogram of batches, by hour of day.
# 3. **Compute the least batch** for your peak. If max batch is below it, no other setting can help.
# 4. **Search the rate, not the size**: the goodput under your p99 promise, with arrivals from your own
#    traffic. Let no more requests in than that.
# 5. **Test the batcher with a clock of your own**: a missing result, a caller that hangs up, more
#    requests than may wait.
#
# And "32 and 10 ms"?

# %% tags=["topic:E03"]
for rate in (20, 400, 1400):
    ten, none = (with_window(rate, timeout_ms).sojourn_time_s for timeout_ms in (10, 0))
    print(f"{rate:5}/s: {1000 * ten.mean():5.1f} ms with the window, "
          f"{1000 * none.mean():5.1f} ms without")  # fmt: skip

# %% [markdown]
# At night two and a half times the latency; by day 40 % more, for a machine that is free more often; at
# the peak no difference.

# %% [markdown] tags=["topic:E13", "optional"]
# ## More practice (optional)
#
# Batching is one lever of three. It buys throughput and, under load, shortens waiting. A second machine
# takes half of the traffic: batches are smaller and waits shorter, but a request that is alone gains
# nothing. A faster model lowers $c_0$ or $c_1$ for every request.
#
# **Which lever moves the night?** At three in the morning one request a second comes; each of them
# waits for a window of 10 ms and runs in a batch of one, $4 + 0.9$ ms. Which of these take more than
# 1 ms off its latency? Name all the letters.
#
# - (a) Raise max batch from 32 to 128.
# - (b) Put a second machine behind the same queue.
# - (c) Set the window to 0.
# - (d) Swap in a model that halves both $c_0$ and $c_1$.
# - (e) Tune the arithmetic: $c_1$ falls to a tenth, $c_0$ stays.

# %% tags=["optional", "topic:E13"]
### BEGIN SOLUTION
levers = "c, d"
### STUB levers = ...
### END SOLUTION
check("batch.levers", levers)

# %% [markdown] tags=["optional", "topic:E13"]
# And at 800 a second, without a window? (A second machine takes half of the requests.)

# %% tags=["optional", "topic:E13"]
for name, rate, fixed_s, per_item_s in (
    ("as it is", 800, 0.004, 0.0009),
    ("second machine", 400, 0.004, 0.0009),
    ("c0 and c1 halved", 800, 0.002, 0.00045),
    ("c1 at a tenth", 800, 0.004, 0.00009),
):
    changed = batching.AffineBatchTime(fixed_s, per_item_s)
    seconds = batching.take_everything_mean_sojourn(rate, changed)
    print(f"{name:17} {1000 * seconds:5.1f} ms; limit {changed.limit_per_s:6,.0f}/s a machine")

# %% [markdown] tags=["optional", "topic:C19", "topic:T10", "topic:B13"]
# ### Spot the flaw: the logarithm
#
# A lesson prints the table below and explains it with the model
# $T(B) = T(1)\,(1 + \alpha \ln B)$, $\alpha = 0.2$. Each row of the table can be solved for its
# $\alpha$. If the table came from the model, all rows would give the same.

# %% tags=["optional", "topic:C19", "topic:T10"]
printed_ms = {4: 25.8, 8: 29.2, 16: 33.1, 32: 37.1, 64: 41.2, 128: 45.2}  # T(1) = 20.0 ms
model = batching.LogBatchTime(single_s=0.020, alpha=0.2)
print("batch      printed: gain     by the model: gain   alpha that the row needs")
for size, milliseconds in printed_ms.items():
    alpha = (milliseconds / 20 - 1) / math.log(size)
    said, computed = 20 * size / milliseconds, model.throughput_per_s(size) * 0.020
    print(f"{size:5} {milliseconds:7.1f} ms {said:6.1f} × {1000 * model(size):7.1f} ms "
          f"{computed:6.1f} × {alpha:18.3f}")  # fmt: skip

# %% [markdown] tags=["optional", "topic:C19", "topic:T10"]
# No single $\alpha$ prints this table. The lesson from which it comes also says in its text that 32
# requests take "about 1.5 times" as long as one; its table says 1.86, its model 1.69. Three numbers for one
# quantity, and none was measured.
#
# Suppose that the numbers were right. The model would still be wrong in kind: its throughput grows like
# $B / \ln B$, without bound. Fit all three shapes to *your* measurements and continue them.

# %% tags=["optional", "nbval-ignore-output", "topic:B13", "topic:T10"]
fits = {
    "affine": fit,
    "log": batching.fit_log(sizes, times_s),
    "roofline": batching.fit_roofline(sizes, times_s),
}
show(
    figures.three_models(fits),
    alt="Throughput against batch size, log-log, to 4,096. Affine and roofline fits level off at "
    "the machine's limit; the logarithmic fit goes on rising.",
)
for name, one in fits.items():
    print(f"{name:9} typical error {100 * one.relative_rms:3.0f} %")
assert fits["log"].model.limit_per_s == math.inf

# %% [markdown] tags=["optional", "topic:T10", "topic:B13", "topic:E06"]
# A machine's arithmetic is finite, so a time per batch must end up growing in proportion to the
# batch. The logarithm never does, however well it fits a short or a noisy range; nor does affine show
# the flat part of a roofline. Where you must extrapolate, take a model whose limit you can name.

# %% [markdown] tags=["optional", "topic:C10", "topic:T05"]
# ### The same run, checked from a second side
#
# A sweep that takes the rate of the *arrivals* for its throughput prints 800/s for a server that falls
# behind, too. Little's law finds that out, if you do not compute one of its three numbers from the other
# two.
#
# Measure the three numbers of Little's law separately, over the same stretch of time: $L$ by counting
# the requests inside, the rate by counting those that *left*, and the latency of each.

# %% tags=["optional", "topic:C10", "topic:T05"]
run = full[16]
latency_ms = 1000 * run.sojourn_time_s
p50, p95, p99 = np.quantile(latency_ms, (0.5, 0.95, 0.99))
print(f"p50/p95/p99 {p50:.1f}/{p95:.1f}/{p99:.1f} ms, mean {latency_ms.mean():.2f} ms")
span = run.finish_s[-1] - run.arrival_s[0]
inside = run.in_flight().mean(run.arrival_s[0], run.finish_s[-1])
left = run.finish_s.size / span * run.sojourn_time_s.mean()
print(f"inside: counted {inside:.2f}, rate × latency {left:.2f}")
drowned = run_full(800, 4)
print(f"full batches of 4: 800/s come, {drowned.throughput_per_s:.0f}/s leave")

# %% [markdown] tags=["optional", "topic:E11"]
# **What padding costs.** A model that works on rectangles pads every text of a batch to its longest.
# `lengths` are the tokens of the texts in order of arrival, one at least, batched `batch` at a time; the
# last batch holds what is left. Which share of all computed tokens is padding?


# %% tags=["optional", "topic:E11"]
def padding_share(lengths, batch):
    """Return the share of computed tokens that are padding, from 0 to 1."""
    ### BEGIN SOLUTION
    groups = [lengths[at : at + batch] for at in range(0, len(lengths), batch)]
    computed = sum(len(group) * max(group) for group in groups)
    return 1 - sum(lengths) / computed
    ### END SOLUTION


# %% tags=["optional", "topic:E11"]
check("batch.padding", padding_share)

# %% [markdown] tags=["optional", "topic:E11"]
# Buckets: four queues by length, with as many texts in each (the borders are the *quartiles*). How much
# padding goes, and how long does a text then wait until its batch is full, at 400 texts a second?

# %% tags=["optional", "topic:E11"]
share = piece("batch.padding", padding_share)
words = np.random.default_rng(seed).lognormal(5, 0.8, 20_000).astype(int) + 1
bucket = np.searchsorted(np.quantile(words, (0.25, 0.5, 0.75)), words)
sorted_in = [int(w) for k in range(4) for w in words[bucket == k]]
for name, lengths, queues in (("one queue", words.tolist(), 1), ("four buckets", sorted_in, 4)):
    wait_ms = 1000 * 15 / 2 / (400 / queues)
    print(f"{name:13} padding {100 * share(lengths, 16):3.0f} %, full batch of 16: "
          f"{wait_ms:3.0f} ms mean wait")  # fmt: skip

# %% [markdown] tags=["optional", "topic:E11"]
# Each of four queues fills four times as slowly, and the wait for a full batch grows as much. Without a
# window there is another price: the machine must choose a bucket each time it falls free, and the other
# buckets go on waiting.

# %% [markdown] tags=["optional", "topic:E10", "topic:I02"]
# **A window for each class.** Suppose that the machine is shared, so that free time is worth something.
# Then take the *longest* window that a class's latency budget allows, at the load of the moment. The
# cell searches it for three budgets (on the p95) and three rates.

# %% tags=["optional", "topic:E10", "topic:I02"]
print("budget (p95)   at 100/s        at 400/s        at 1,200/s")
for budget_ms in (20, 50, 200):
    told = []
    for rate in (100, 400, 1200):
        for window_ms in (150, 100, 60, 40, 30, 20, 15, 10, 8, 5, 3, 2, 1, 0):
            run = sim.batch_queue(
                clock[:50_000] / rate, machine, max_batch=64, batch_timeout_s=window_ms / 1000
            )
            if 1000 * np.quantile(run.sojourn_time_s, 0.95) <= budget_ms:
                told.append(f"{window_ms:3} ms, {100 * run.utilization:3.0f} % busy")
                break
        else:
            told.append("none             ")
    print(f"{budget_ms:5} ms     " + "  ".join(told))

# %% [markdown] tags=["optional", "topic:E10", "topic:I02"]
# The longest window follows from budget and load, so it changes during the day. A batcher that knows
# each request's budget does better still: it starts a batch when the *most urgent* request could not
# wait any longer, which is its deadline minus the time of the batch. And requests of one class should
# not wait for the window of another.

# %% [markdown] tags=["optional", "topic:T04"]
# **All at once.** The offline interface of vLLM, `LLM.generate`, takes a list of prompts, so that
# nothing arrives over time. No request waits for others to come, and the latency of a single answer does
# not matter. What is left of the U?

# %% tags=["optional", "topic:T04"]
pile = np.zeros(4096)
for size in (1, 16, 64, 256, 1024):
    run = sim.batch_queue(pile, textbook, max_batch=size, batch_timeout_s=0)
    print(f"batches of {size:4}: all done after {run.finish_s[-1]:5.2f} s, "
          f"the first after {1000 * run.finish_s[0]:4.0f} ms")  # fmt: skip

# %% [markdown] tags=["optional", "topic:T04", "topic:E06"]
# The half on its left, which falls: the larger the batch, the sooner all is done, with less and less
# gain, until the memory is full. The first answer comes the later for it. A figure from such a burst
# says nothing about a service at a given rate.

# %% [markdown] tags=["optional", "topic:T11"]
# **The model on the event loop.** A server's loop has a pulse here, every 5 ms. For how long does it
# stop while a model computes for 100 ms, on the loop and in a thread?

# %% tags=["optional", "topic:T11", "nbval-ignore-output"]
import asyncio
import time
from concurrent.futures import ThreadPoolExecutor


async def longest_stop_ms(in_a_thread):
    """Return the longest time between two pulses while the model computes."""
    beats = [time.perf_counter()]
    aside = [asyncio.to_thread(time.sleep, 0.1)] if in_a_thread else []
    model = asyncio.gather(*aside)
    while beats[-1] < beats[0] + 0.2:
        if not in_a_thread and len(beats) == 3:
            time.sleep(0.1)  # a request that comes now is not even noticed
        await asyncio.sleep(0.005)
        beats.append(time.perf_counter())
    await model
    return 1000 * np.diff(beats).max()


# %% tags=["optional", "topic:T11", "nbval-ignore-output"]
with ThreadPoolExecutor(1) as own_loop:
    on_loop, beside = (
        own_loop.submit(asyncio.run, longest_stop_ms(thread)).result() for thread in (False, True)
    )
print(f"on the loop: stops for {on_loop:.0f} ms; in a thread: {beside:.0f} ms")
assert on_loop > 100

# %% [markdown] tags=["optional", "topic:T11"]
# A request that comes during the stop is stamped when it is over: its wait is not even in the
# statistics. Take the arrival time where the bytes come in.

# %% [markdown]
# ## Sources
#
# - N. T. J. Bailey, *On queueing processes with bulk service*, 1954, and M. F. Neuts, *A general class of
#   bulk queues with Poisson input*, 1967: batches with Poisson arrivals, exactly.
# - Y. Inoue, *Queueing analysis of GPU-based inference servers with dynamic batching*, 2021: the server
#   that takes everything, with an affine batch time.
# - S. Williams, A. Waterman and D. Patterson, *Roofline*, 2009: flat, then linear.
# - NVIDIA Triton documentation, *Batchers*: the settings; by default no delay.
# - W. Kwon and others, *Efficient memory management for large language model serving with
#   PagedAttention*, 2023: vLLM, which schedules at every step.
