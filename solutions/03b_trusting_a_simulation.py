# ---
# jupyter:
#   course:
#     order: 3.5
#     slug: trusting_a_simulation
#     title: Trusting a simulation
#     question: Two simulators of one service disagree. Which one do you believe?
#     minutes: 58
#     needs: [mm1_explosion]
#     folder: notebooks
#     gpu: false
#     optional: true
#     small: {n: 8000, long_run: 100000, run: 20000}
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# Your team serves a model in batches. There is no handy formula for that, so two people have
# written a simulator. Both were given the same service and the same hundred thousand arrivals. Both
# finish every request.

# %%
import inspect

import numpy as np
import simpy
from scipy.special import ndtr, stdtrit

from labutils import simulation as sim
from labutils.exercises import check, hint, outcome, piece, predict, reveal
from labutils.simulation import suspects
from labutils.simulation.batches.batcher_in_simpy import batcher_run
from labutils.simulation.run_length import required_requests
from labutils.viz import show
from labutils.viz.figures import trust as figures

# %% tags=["parameters"]
seed = 7  # every random draw in this chapter follows from it
n = 20_000  # requests in a SimPy run
run = 200_000  # requests in a run whose interval is judged
long_run = 3_000_000  # requests in a run that is long enough, or is it?

# %%
rng = np.random.default_rng(seed)
max_batch, timeout_s = 8, 0.012
many = 100_000
arrivals = np.cumsum(rng.exponential(1 / 400, many))  # 400 requests a second
batches = rng.exponential(0.016, many)  # a batch takes 16 ms on average, whatever its size
for name, simulate in (("A", suspects.simulator_a), ("B", suspects.simulator_b)):
    departures = simulate(arrivals, batches, max_batch, timeout_s)
    latency, end = departures - arrivals, departures.max()
    in_flight = sim.in_flight_curve(arrivals, departures).mean(0, end)
    print(f"{name}: mean latency {1000 * latency.mean():5.2f} ms, "
          f"p99 {1000 * np.quantile(latency, 0.99):3.0f} ms")  # fmt: skip
    print(f"   in flight {in_flight:.3f}, rate × latency {many / end * latency.mean():.3f}")

# %% tags=["solution-only"]
from_a = suspects.simulator_a(arrivals, batches, max_batch, timeout_s)
better = 1 - latency.mean() / (from_a - arrivals).mean()
assert 0.2 < better < 0.5  # "about a third"

# %% [markdown]
# B promises about a third less latency. Little's law holds in both, to the last digit. Your
# capacity plan takes one of the two numbers. **Which one do you believe?**
#
# Nothing in this printout can tell you. When you are through, you have checks that can, you
# know how long a run must be before it is worth checking, and you know which popular check never
# fails.

# %% [markdown]
# ## A simulator that you can read aloud
#
# A discrete-event simulator keeps a clock and a list of future events. It takes the earliest event,
# sets the clock to it, wakes the processes that waited for it, and starts over. Between two events nothing
# happens, so nothing is computed.
#
# SimPy is Python's best-known library for it. Here is the single server of chapter 03.


# %%
def request(env, server, service_s, diary):
    arrival = env.now
    with server.request() as turn:
        yield turn
        yield env.timeout(service_s)
    diary.append((arrival, env.now))


def users(env, server, arrival_s, service_s, diary):
    for arrival, service in zip(arrival_s, service_s):
        yield env.timeout(max(0, arrival - env.now))  # rounding may put the clock past it
        env.process(request(env, server, service, diary))


# %% [markdown]
# Each line is a sentence about the service.
#
# - A function with `yield` in it is a **generator**: calling it runs nothing. `env.process` hands
#   it to the clock.
# - `yield event` means *wake me when this has happened*. No time passes from one `yield` to the
#   next, so `arrival = env.now` is the moment of arrival.
# - `env.timeout(s)` is the event *s seconds from now*.
# - `server.request()` is the event *it is your turn*. A `Resource` of capacity 1 keeps the line,
#   first come first served; leaving the `with` block gives the place to the next.
# - `users` starts a request and does not wait for it. Requests come whether or not the server keeps
#   up.
#
# Is it right? Chapter 03 has the same server as a compiled loop. Give both the same draws.

# %%
rng = np.random.default_rng([seed, 0, 1])  # of its own, so that a cell may run again
gaps, work = rng.exponential(size=n), rng.exponential(size=n)  # mean 1
env, diary = simpy.Environment(), []
env.process(users(env, simpy.Resource(env, capacity=1), np.cumsum(gaps) / 0.9, work, diary))
env.run()
told = np.array(diary)
loop = sim.fifo_queue(np.cumsum(gaps) / 0.9, work)
print(f"mean latency in service times: SimPy {(told[:, 1] - told[:, 0]).mean():.4g}, "
      f"compiled loop {loop.sojourn_time_s.mean():.4g}")  # fmt: skip
agree = np.abs(told[:, 1] - loop.departure_s).max() < 1e-9 * told[-1, 1]
print("every request departs at the same moment in both:", agree)

# %% tags=["solution-only"]
assert agree

# %% [markdown]
# Two programs that share nothing but the draws agree on every single request. Only **shared draws**
# make such a comparison sharp: with draws of their own, two right programs differ, and so do a
# right and a wrong one. The second program may be slow and ugly, since it has to run once.
#
# (Theory promises a mean of $1/(1-\rho)$, 10 service times at load 0.9. How close to it should a
# right program come? You will compute that below.)

# %% [markdown]
# ## A batcher in ten lines. Is it right?
#
# Now the service from the beginning. Requests lie in a `Store`, a queue that one puts into and gets
# from. The batcher takes the first request, then waits for up to seven more, but no longer than the
# timeout. `a | b` is the event *a or b, whichever is first*.


# %%
def collect(env, store, batch, max_batch, timeout_s):
    batch.append((yield store.get()))
    deadline = env.timeout(timeout_s)
    while len(batch) < max_batch:
        get = store.get()
        yield get | deadline
        if get.triggered:
            batch.append(get.value)
        else:
            return


# %% [markdown]
# `batcher_run` does the rest: it puts each request into the store at its arrival, calls `collect`,
# works on the batch for its 16 ms or so, and notes when each request departs. The run ends when
# nothing is left to happen.

# %%
rng = np.random.default_rng([seed, 0, 3])
arrival_s = np.cumsum(rng.exponential(1 / 400, n))
batch_s = rng.exponential(0.016, n)
audit_s = np.linspace(arrival_s[0], arrival_s[-1] + 5, 200)  # the service counts itself 200 times
story = batcher_run(collect, arrival_s, batch_s, max_batch, timeout_s, audit_s=audit_s)
came, left = arrival_s[story.finished], story.departure_s[story.finished]
in_flight = sim.in_flight_curve(came, left).mean(0, left.max())
mean = sim.batch_means(story.latency_s)
print(f"mean latency {1000 * mean.mean:.1f} ± {1000 * mean.half_width:.1f} ms")
product = len(left) / left.max() * (left - came).mean()
print(f"in flight {in_flight:.3f}, rate × latency {product:.3f}")

# %% [markdown]
# A plausible mean, and Little's law once more to the last digit. Would you ship it?
#
# ### Build: an audit
#
# There is one law that a simulation owes you at every moment, whatever its distributions:
#
# $$\text{arrived} = \text{finished} + \text{inside} .$$
#
# The batcher counted itself: `inside[k]` is how many requests lay in its store or in its batch at
# time `audit_s[k]`. Write the function that says for each audit how many requests are **unaccounted
# for**: they have come by then (that moment included), and are neither gone by then (included too)
# nor inside. All four arguments are arrays. The departures are those that were recorded, in any
# order. A negative number means that something departed twice.


# %%
def unaccounted(arrival_s, departure_s, audit_s, inside):
    """Return, for each audit, how many requests have come and are neither gone nor inside."""
    ### BEGIN SOLUTION
    came = np.searchsorted(np.sort(arrival_s), audit_s, side="right")
    gone = np.searchsorted(np.sort(departure_s), audit_s, side="right")
    return came - gone - np.asarray(inside)
    ### END SOLUTION


# %%
check("trusting.audit", unaccounted)

# %%
audit = piece("trusting.audit", unaccounted)
missing = audit(arrival_s, left, audit_s, story.inside)
show(
    figures.missing_over_time(audit_s, missing, num_arrived=n),
    alt="Requests unaccounted for against time: a staircase that climbs from 0 through the whole "
    "run and ends at about one request in fifty.",
)

# %% tags=["solution-only"]
assert missing[-1] == n - len(left)
assert 0.012 * n < missing[-1] < 0.03 * n  # "one request in fifty"

# %% [markdown]
# ### It loses one request in fifty, and no mean tells you
#
# The run is over, the store is empty, and some requests never came out. The law is called
# **conservation**, and the first audit after a loss shows it. The mean does not: a lost request
# is not in its list. How little it changes when none is lost, you see in a moment.
#
# And Little's law? Its $L$, its $\lambda$ and its $W$ were all computed from that one list. They
# are one area, added up in two ways. For *any* list of arrivals and departures, right or wrong,
# they agree: it checks the adding. So a gap of 7.5e-05 between $L$ and $\lambda W$ says that the
# two were counted in different windows, and nothing about the simulator. (Chapter 02 takes that
# very check apart.)
#
# Where are they? Follow one batch that times out. The deadline wins the race, and `collect`
# returns. The `get` that lost has not gone away: **it still stands in the store's line**. The next
# request is handed to it, and nobody is there to read it. Each batch that times out costs one
# request.
#
# ### Build: repair it
#
# A `get` that still waits can be withdrawn: it has a method `cancel`. Finish the batcher so that
# no request is lost.


# %%
def collect_all(env, store, batch, max_batch, timeout_s):
    batch.append((yield store.get()))
    deadline = env.timeout(timeout_s)
    while len(batch) < max_batch:
        get = store.get()
        yield get | deadline
        if get.triggered:
            batch.append(get.value)
        else:
            ### BEGIN SOLUTION
            get.cancel()
            return
            ### END SOLUTION


def repaired(arrival_s, batch_s, max_batch, timeout_s):
    """Return when each request departs (NaN: never)."""
    return batcher_run(collect_all, arrival_s, batch_s, max_batch, timeout_s).departure_s


# %%
check("trusting.repair", repaired)

# %% [markdown]
# The same draws once more, and a second program to compare with: simulator A from the beginning is
# a plain loop over batches, without SimPy.

# %%
mended = piece("trusting.repair", repaired)
gone = np.asarray(mended(arrival_s, batch_s, max_batch, timeout_s))
plain = suspects.simulator_a(arrival_s, batch_s, max_batch, timeout_s)
print(f"lost: {np.isnan(gone).sum()} of {n:,}")
print(f"mean latency {1000 * np.nanmean(gone - arrival_s):.1f} ms; "
      f"when some were lost: {1000 * mean.mean:.1f} ± {1000 * mean.half_width:.1f} ms")  # fmt: skip
print("every request departs when simulator A says:", np.allclose(gone, plain, rtol=1e-12))

# %% tags=["solution-only"]
assert np.isfinite(gone).all() and np.allclose(gone, plain, rtol=1e-12)
assert abs((gone - arrival_s).mean() - mean.mean) < mean.half_width  # "less than its margin"

# %% [markdown]
# The mean has moved by less than its margin. So A has company. B stands alone, which is suspicious
# and proves nothing yet.
#
# *Checkpoint, 24 minutes. You can read a simulator, and you own one law that it cannot talk its way
# out of. Next: how much of its number is noise?*

# %% [markdown]
# ## How long must a run be at load 0.9?
#
# Back to the plain server of chapter 03, because there the truth is known: at load 0.9 the mean
# latency is 10 service times. You simulate it and want the mean right to **±2 %**, in 95 of 100
# runs. How many requests must a run have?

# %%
### BEGIN SOLUTION
predict("trusting.run_length", low=10_000, high=1_000_000)
### STUB predict("trusting.run_length", ...)
### END SOLUTION


# %%
def latencies(requests, k, load=0.9):
    """Latency of every request in run number k, which starts empty, in service times (M/M/1)."""
    rng = np.random.default_rng([seed, k])
    arrivals = np.cumsum(rng.exponential(size=requests)) / load
    work = rng.exponential(size=requests)
    return sim.waiting_times(arrivals, work) + work


# %%
lengths = np.unique(np.append(np.geomspace(300, long_run, 60).astype(int), 10_000))


def running_means(k):
    """The mean after each of the lengths, of one run that grows."""
    return np.cumsum(latencies(long_run, k))[lengths - 1] / lengths


means = np.array([running_means(k) for k in range(10)])
show(
    figures.settling(lengths, means, utilization=0.9, within=0.02),
    alt="Left: the mean so far of 10 runs at load 0.9 against the number of requests. They begin "
    "widely scattered and close in on 10 service times. Right: the errors of the 10 runs at a few "
    "lengths, on log axes; nearly all are above 2 % at 10,000 requests. They fall along a straight "
    "line that reaches 2 % at about 3.5 million.",
)
outcome("trusting.run_length", required_requests(0.9, within=0.02))

# %% [markdown]
# ### Half the headroom needs a run four times as long
#
# Why so many? Latencies in an M/M/1 queue are exponential: single requests scatter about the mean
# with a standard deviation as large as the mean itself. Were they independent, the mean of $n$ of
# them would scatter by $1/\sqrt n$ of its size. But a request behind a long queue waits about as
# long as its neighbours, so a run of $n$ holds far less news. How far the mean of a run
# scatters from run to run is called its **standard error**. As a share of the true mean it is
# (from Daley 1968; Whitt 1989 plans runs with it)
#
# $$\frac{1+\rho}{1-\rho}\cdot\frac{1}{\sqrt n} .$$
#
# At load 0.9 the first factor is 19. A run of $n$ requests is worth $n / 19^2$ independent ones.

# %%
print(" load   requests for ±2 %   standard error at 200,000")
for load in (0.5, 0.7, 0.8, 0.9, 0.95, 0.99):
    needed, error = required_requests(load, 0.02), (1 + load) / (1 - load) / np.sqrt(200_000)
    print(f"{load:5.2f} {needed / 1e6:11.3g} million {100 * error:19.1f} %")

# %% [markdown]
# Now you can judge the SimPy server's mean above. With 20,000 requests at load 0.9 its standard
# error is 13 %: however far it was from 10, it was luck. A second program does not help if it gets
# the same draws: it has the same luck. SimPy, simulus and salabim, given the same million requests at load 0.9, all printed 10.402 service times, alike to
# the last digit and 4 % above theory. No program was wrong: the draws were two standard errors off.
#
# There is a second error, and it does not average out: every run starts with an empty queue, so its
# first requests wait less than later ones. Does it help to drop them?


# %%
def errors(requests, dropped, runs):
    """By what share the mean of each run is off, its first requests left out."""
    return np.array([latencies(requests, k)[dropped:].mean() for k in range(runs)]) / 10 - 1


off = {}
print("requests  dropped   on average    a single run")
for requests, dropped, runs in ((1_000, 0, 4_000), (1_000, 500, 4_000), (10_000, 500, 1_000)):
    off[requests, dropped] = some = errors(requests, dropped, runs)
    margin = 196 * some.std() / np.sqrt(runs)
    print(f"{requests:8,} {dropped:8} {100 * some.mean():7.1f} ± {margin:.1f} %"
          f"{100 * some.std():10.0f} %")  # fmt: skip

# %% tags=["solution-only"]
whole, cut, longer = off.values()
assert abs(whole.mean() + 0.087) < 5 * whole.std() / np.sqrt(whole.size)
assert abs(cut.mean()) < 0.01 + 5 * cut.std() / np.sqrt(cut.size)
assert cut.std() > 1.2 * whole.std() and longer.std() < whole.std() / 1.8
assert abs(whole.mean()) < whole.std() / 3  # "larger all along"

# %% [markdown]
# The last column is the standard error. Dropping the start removes the bias and pays with noise,
# which was larger all along. **Only a longer run helps against both.**

# %% [markdown]
# ## How often does a “95 %” interval hold the truth?
#
# You have one run of 200,000 requests at load 0.9, and the interval from the textbook: mean ± 1.96
# times the standard deviation of the latencies over $\sqrt n$. It claims 95 %. How often does such
# an interval really hold the true mean of 10 service times? (In per cent.)

# %%
### BEGIN SOLUTION
predict("trusting.coverage", low="50 %", high="95 %")
### STUB predict("trusting.coverage", ...)
### END SOLUTION

# %% [markdown]
# You can compute the answer before you measure it: the textbook's standard error is 19 times too
# small. So the interval reaches only 1.96/19 true standard errors to either side. The share of normal numbers
# that lie so near to their mean is `2 * ndtr(1.96 / 19) - 1`, with `ndtr(x)` the share below $x$. But a real
# service has no such formula. What it has is the run itself.
#
# ### Build: an interval that knows about neighbours
#
# **Batch means** (Law and Carson 1979): cut the run into a few long stretches, one after the other,
# and take the mean of each. If a stretch is much longer than the queue's memory, these means are
# nearly independent, and the textbook interval is honest *for them*.
#
# **Four stretches by hand.** Their means are 8, 12, 9 and 11 ms. The mean of all is 10 ms. The means differ from
# it by −2, 2, −1 and 1; the sum of the squares is 10, divided by 4 − 1 it is 3.33, and the root is 1.83 ms: so
# much a stretch scatters. The mean of four scatters by half of that, 0.91 ms, its **standard error**.
#
# How many standard errors wide is a 95 % interval? 1.96 if the scatter were known exactly. It was estimated
# from a few stretches, so the factor has to be larger: **Student's factor**, 3.18 for four stretches and 2.09
# for 20 (`stdtrit(19, 0.975)` three cells on). Here the interval is 10 ± 3.18 × 0.91 = 10 ± 2.9 ms.
#
# Write it. The array `values` stands in order of time and divides evenly into `num_batches` stretches; `t` is
# Student's factor, which takes the place of 1.96.


# %%
def batch_interval(values, num_batches, t):
    """Return (low, high): the mean of values ± t standard errors, judged by batch means."""
    ### BEGIN SOLUTION
    means = np.asarray(values, dtype=float).reshape(num_batches, -1).mean(axis=1)
    half_width = t * means.std(ddof=1) / np.sqrt(num_batches)
    return means.mean() - half_width, means.mean() + half_width
    ### END SOLUTION


# %%
check("trusting.interval", batch_interval)

# %%
interval = piece("trusting.interval", batch_interval)
naive, batched = [], []
for k in range(60):
    latency = latencies(run, k)
    margin = 1.96 * latency.std(ddof=1) / np.sqrt(run)
    naive.append((latency.mean() - margin, latency.mean() + margin))
    batched.append(interval(latency, 20, stdtrit(19, 0.975)))
show(
    figures.coverage({"naive": naive, "by 20 batch means": batched}, truth=10),
    alt="Intervals of 60 runs at load 0.9 around the true mean of 10 service times. Naive ones are "
    "tiny and miss nearly always; those from 20 batch means are some twenty times as wide and hold "
    "the truth in nearly all runs.",
)
outcome("trusting.coverage", 100 * (2 * ndtr(1.96 / 19) - 1))

# %% tags=["solution-only"]
held = [sum(low <= 10 <= high for low, high in ends) for ends in (naive, batched)]
assert held[0] <= 16 and held[1] >= 40  # five standard deviations from 5 and, at small sizes, 53

# %% [markdown]
# ### The naive interval holds the truth in one run out of twelve
#
# Its width is right for independent values, and these are not. Both methods report the same means;
# only one of them knows how much they are worth. And that one has a condition too: the stretches
# must be *much longer than the queue's memory*. Cut shorter and shorter runs
# into 20 stretches each:

# %%
for requests, runs in ((run, 60), (20_000, 400), (2_000, 400)):
    held = 0
    for k in range(runs):
        low, high = interval(latencies(requests, k), 20, stdtrit(19, 0.975))
        held += low <= 10 <= high
    print(f"{requests:7,} requests a run: {100 * held / runs:3.0f} % of {runs} hold the truth")

# %% [markdown]
# A short run does not tell you that it is too short. Make it four times as long: the interval
# should shrink to roughly half. With 20 stretches, chance alone makes that 0.3 to 0.8 of its width (in 95 of 100 cases).
# If it hardly narrows, do not trust it. If it narrows, nothing is proved: some short runs do too.
#
# *Checkpoint, 45 minutes. You know what a run is worth. Last: which check sees which fault?*

# %% [markdown]
# ## Which check sees what?
#
# Conservation caught one fault. Here are the other checks that cost a few lines each. Two of them
# run the batcher with `max_batch` 1: then it is one server with a queue, and there the truth is
# known.


# %%
def little_holds(simulate):
    gone = np.asarray(simulate(arrival_s, batch_s, max_batch, timeout_s))
    came, left = arrival_s[np.isfinite(gone)], gone[np.isfinite(gone)]
    area = sim.in_flight_curve(came, left).integral(0, left.max())
    return np.isclose(area, (left - came).sum())


def nobody_is_lost(simulate):
    return np.isfinite(simulate(arrival_s, batch_s, max_batch, timeout_s)).all()


def nobody_waits_for_nothing(simulate):  # equal gaps, equal services, awkward numbers
    ticks, service = np.arange(1000) * 0.0091, np.full(1000, 0.0073)
    return np.allclose(simulate(ticks, service, 1, timeout_s) - ticks, service)


# %%
def mean_is_exact_at_load_half(simulate):  # M/M/1: two service times, within five deviations
    poisson = np.cumsum(gaps) * 0.020
    latency = simulate(poisson, work * 0.010, 1, timeout_s) - poisson
    return abs(np.mean(latency) / 0.020 - 1) < 5 * 3 / np.sqrt(n)


def slow_motion_is_slower(simulate):  # all times doubled: every departure at twice its time
    slow = simulate(2 * arrival_s[:5000], 2 * batch_s[:5000], max_batch, 2 * timeout_s)
    usual = simulate(arrival_s[:5000], batch_s[:5000], max_batch, timeout_s)
    return np.allclose(slow, 2 * np.asarray(usual), equal_nan=True)


def second_program_agrees(simulate):  # with your repaired batcher, on shared draws, one by one
    draws = arrival_s[:5000], batch_s[:5000], max_batch, timeout_s
    return np.allclose(simulate(*draws), mended(*draws))


# %% [markdown]
# One more suspect. It promises first come, first served, but `pop()` reads its list from the wrong
# end: the **newest** requests are served first. Which of these five notice?
#
# - a: no request is lost
# - b: no request waits for nothing
# - c: the mean is exact at load 0.5
# - d: slow motion is slower
# - e: a second program agrees on shared draws
#
# Answer with one letter or with several, for example `"a, d"`.

# %%
### BEGIN SOLUTION
noticing = "e"
### STUB noticing = ...
### END SOLUTION
check("trusting.newest", noticing)

# %% [markdown]
# Now all suspects against all checks, among them one that looks into its queue only every 0.2 ms.


# %%
def forgetful(arrival_s, batch_s, max_batch, timeout_s):
    return batcher_run(collect, arrival_s, batch_s, max_batch, timeout_s).departure_s


lineup = {
    "A": suspects.simulator_a,
    "B": suspects.simulator_b,
    "drops its gets": forgetful,
    "newest first": suspects.newest_first,
    "polls": suspects.polls,
}
tests = {
    "Little": little_holds, "lost": nobody_is_lost, "no wait": nobody_waits_for_nothing,
    "theory": mean_is_exact_at_load_half, "slow motion": slow_motion_is_slower,
    "second": second_program_agrees,
}  # fmt: skip

# %%
verdicts = {name: [bool(test(f)) for test in tests.values()] for name, f in lineup.items()}
print(" " * 17 + "".join(f"{name:>12}" for name in tests))
for name, passed in verdicts.items():
    print(f"{name:17}" + "".join(f"{'passes' if ok else 'FAILS':>12}" for ok in passed))

# %% tags=["solution-only"]
caught = {name: [t for t, ok in zip(tests, passed) if not ok] for name, passed in verdicts.items()}
assert caught["A"] == [] and caught["B"] == ["theory", "second"]
assert caught["drops its gets"] == ["lost", "second"] and caught["newest first"] == ["second"]
assert caught["polls"] == ["no wait", "slow motion", "second"]

# %% [markdown]
# ### Little's law passes every simulator
#
# Read the table by columns. The first never fails a simulator. Each of the next four catches
# some faulty ones, and none of them all. The theory allows for noise, here some 10 %, and the poller
# hides in it; the two checks without chance allow nothing. The last catches all, for a price: a
# second program, and that one right. What both programs share, it cannot see: a wrong assumption,
# or the draws themselves.
#
# And by rows. **Believe A.** B fails where theory is exact. Their programs are the same but for one
# method, which is called when a batch has started:

# %%
for name, loop in (("A", suspects.Batcher), ("B", suspects.SavesIdleTime)):
    print(f"{name}:\n{inspect.getsource(loop.free_after)}")

# %% [markdown]
# `start` is never before `free_at`, and after a quiet moment it is later. B's clock adds up work
# and does not move on while nobody is there, so B **saves up idle time** for later, which chapter
# 03 said no server can. With `max_batch` 8 no formula would have told you; with `max_batch` 1 a
# formula exists, and the fault is still there. But mind the third row: with `max_batch` 1 there is
# no race, and the fault that drops requests is gone. Check in the simple case *and* count heads in
# the real one.
#
# All this happens to careful people. inference-sim, a public simulator of LLM serving, was compared
# with M/M/1 for the first time in February 2026. Its server stopped when a batch ended, until the
# next arrival woke it, although requests were waiting: at load 0.3 the mean wait was 730,760 ms
# where the formula says 483 ms. Once that was repaired, waits still lay 47 to 71 % *below* the
# formula, while nobody was lost and Little's law held with an error of 0.0 %. Their next experiment
# found why: a part of the service time was added to the reports and never moved the clock. The
# server was less busy than the load that had been put into the formula. Without that part, 0.3 to
# 14 % remained. So **measure how busy the simulated server was**, and put that into the formula.

# %% [markdown]
# ## What to do on Monday morning
#
# With your own simulator, put these into its tests. With somebody else's, ask for them.
#
# 1. **Count heads**: arrived = finished + inside, at the end and at moments in between. Ask a
#    report how many requests were sent, not only how many were answered.
# 2. **A case without chance**: equal gaps, equal services, a load below 1. Nobody waits.
# 3. **A case with a formula**, at load 0.5 and not at 0.9: there 20,000 requests fix the mean with
#    a standard error of 2 %. Allow five of them, and measure the load that the run really had.
# 4. **Slow motion**: double every time. Whatever is not twice as slow hides a constant.
# 5. **A second program on shared draws**, as plain as you can write it. Compare requests, not
#    means.
# 6. **An interval on every number**, by batch means, and a second seed. Plan the run with
#    $(1+\rho)/(1-\rho)/\sqrt n$: a difference of 3 % between two vendors at load 0.9 needs millions
#    of requests, or shared draws.
# 7. Use Little's law for two things: it exposes arithmetic errors, and it gives the third number when you
#    know two.

# %% [markdown] tags=["optional"]
# ## More practice (optional, outside the minutes)
#
# **Plan a run.** Load 0.85, one server, exponential services, Poisson arrivals. How many requests
# give the mean latency to ±3 %, in 95 of 100 runs? Use the formula above. Two figures will do.

# %% tags=["optional"]
### BEGIN SOLUTION
factor = (1 + 0.85) / (1 - 0.85)
planned = (1.96 * factor / 0.03) ** 2
### STUB planned = ...
### END SOLUTION
check("trusting.plan", planned)

# %% [markdown]
# ## Sources
#
# - D. J. Daley (1968), *The serial correlation coefficients of waiting times in a stationary single
#   server queue*, and W. Whitt (1989), *Planning queueing simulations*: how long a run must be.
# - A. M. Law and J. S. Carson, *A sequential procedure for determining the length of a steady-state
#   simulation*, 1979: batch means. A. M. Law, *Simulation Modeling and Analysis*: the textbook; its
#   chapter 5 is on building valid and credible models.
# - SimPy 4.1 documentation: *Shared resources* and *Events*.
# - inference-sim on GitHub: issues 319, 326 and 329 and pull request 325, the first comparison with
#   M/M/k; pull request 369 and issue 374, why the waits were too short.
