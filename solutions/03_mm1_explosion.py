# ---
# jupyter:
#   course:
#     order: 3
#     slug: mm1_explosion
#     title: The M/M/1 explosion
#     question: How busy may a server be before latency explodes, and who says so?
#     minutes: 60
#     needs: []
#     folder: notebooks
#     gpu: false
#     reading: 26
#     small: {n: 50000}
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown] tags=["topic:M05", "topic:O13"]
# Your service runs at 60 % load and its p99 is fine. Next month brings half as much traffic
# again. Is it still fine?
#
# You have been told where to stop. Ceilings of 50, 60, 70, 80 and 85 % are in circulation, several
# of them in one and the same document, and none comes with a calculation. By the end of this hour
# you compute the ceiling of *your* service, and you can defend three statements at a whiteboard:
#
# 1. **There is no knee.** Latency grows like $1/(1-\rho)$, at every load in the same way.
# 2. **The safe load is a result, not a rule.** It follows from the number of servers, from how much
#    the work varies, and from the latency you promised.
# 3. **Above load 1 there is no curve at all.** A backlog grows with time, and it pays back slowly.
#
# Nothing here needs a GPU. You need averages, a `for` loop, and one page of algebra.

# %%
import numpy as np

from labutils import queueing
from labutils import simulation as sim
from labutils.exercises import check, hint, outcome, piece, predict, reveal
from labutils.viz import Sketch, show
from labutils.viz import queue_figures as figures
from labutils.viz.load_explorer import load_explorer

# %% tags=["parameters"]
seed = 7  # every random draw in this chapter follows from it
n = 2_000_000  # requests in a simulated run

# %% [markdown] tags=["topic:B07", "topic:U12"]
# ## How does latency grow with load? Draw it first
#
# One server takes requests in the order of their arrival. A request keeps it busy for
# 10 ms on average, so it can finish 100 a second: its **service rate** $\mu$. Requests arrive at
# random at an **arrival rate** $\lambda$, in requests per second. The **load**, or utilization, is
# the ratio of the two,
#
# $$\rho = \lambda / \mu ,$$
#
# the share of time that the server is busy. At $\rho = 0.5$ the server idles half of the time.
#
# What is the mean **latency**, from arrival to answer, at six loads from 0.1 to 0.97? At the very
# left you have an anchor: with hardly any load a request takes its 10 ms. Drag the other handles,
# or tab to one and use the arrow keys. Commit to a curve before you go on; a wrong one is worth
# more than none.

# %%
loads = [0.1, 0.3, 0.5, 0.7, 0.9, 0.97]
sketch = Sketch(
    loads,
    x_label="load",
    y_label="mean latency (ms)",
    y_range=(5, 2000),
    y_log=True,
    x_range=(0, 1),
    title="Your curve: mean latency of one 10 ms server",
)
sketch

# %% [markdown]
# Now the server itself. The next cell sends the same stream of `n` requests through it once per load
# and measures.

# %%
rng = np.random.default_rng(seed)
mean_service_time = 0.010  # seconds
gaps, work = rng.exponential(size=n), rng.exponential(size=n)  # mean 1, rescaled for each load


def run_at(load):
    """Send the stream through one server at this load."""
    arrival_s = np.cumsum(gaps) * mean_service_time / load
    return sim.fifo_queue(arrival_s, work * mean_service_time)


grid = np.array([0.02, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.94, 0.97, 0.98])
latency_ms = [1000 * run_at(load).sojourn_time_s.mean() for load in grid]
sketch.reveal((grid, latency_ms), label="measured")

# %% tags=["solution-only"]
# Five standard errors of a run of n requests at load 0.7 (Whitt 1989).
assert abs(latency_ms[7] * (1 - 0.7) / 10 - 1) < 27 / np.sqrt(n)

# %% [markdown] tags=["topic:B10"]
# The curve that many have in mind is flat, bends somewhere between 0.7 and 0.9, and becomes a wall.
# Look at the left half instead: latency is already doubled at load 0.5, with the server idle half of the
# time. And look at the right end: from 0.9 to 0.97 the load rises by less than a tenth and latency
# triples. To see why, look at single requests.

# %% [markdown]
# ## Requests wait because they bunch
#
# Here are the first requests of the run at load 0.5. The pale part of a bar is waiting, the solid
# part is service.

# %%
show(
    figures.timeline(run_at(0.5), first=14),
    alt="Timeline of 14 requests at load 0.5: several arrive close together and wait, "
    "while between the bunches the server is idle.",
)

# %% [markdown]
# The server has time enough for everybody, only not when they come. While nobody is there it idles,
# and that idle time cannot be saved up. When three arrive at once, two wait. Waiting comes from
# **variability meeting a busy server**; with a clockwork stream of equal requests nobody would wait
# at any load up to 1.
#
# ### Build: the five lines behind every point above
#
# Let request $n$ arrive at `arrivals[n]` and need `services[n]` seconds. There is one server, first
# come, first served, and it is idle when the first request arrives. Write the function that returns
# how long each request **waits before its service begins**. Five lines are enough: each wait follows
# from the one before it.


# %%
def waiting_times(arrivals, services):
    """Return the wait in seconds of each request, before its service; the first waits 0."""
    ### BEGIN SOLUTION
    waits = [0.0]
    for n in range(1, len(arrivals)):
        gap = arrivals[n] - arrivals[n - 1]
        waits.append(max(0.0, waits[-1] + services[n - 1] - gap))
    return waits
    ### END SOLUTION


# %%
check("mm1.recursion", waiting_times)

# %% [markdown]
# Stuck? Put `hint("mm1.recursion")` into a cell of your own, up to three times. Afterwards
# `reveal("mm1.recursion")` explains the idea behind the line. Both work for every exercise.
#
# Your function is now the simulator of this section. The next cell runs it at three loads, on 50,000
# requests each, and compares the mean latency with a formula that you derive in a moment. (If your
# function is not right yet, the cell uses the course's own and says so.)

# %%
simulate = piece("mm1.recursion", waiting_times)
some = min(n, 50_000)
for load in (0.3, 0.5, 0.7):
    arrival_s = np.cumsum(gaps[:some]) * mean_service_time / load
    service_s = work[:some] * mean_service_time
    waits = simulate(arrival_s.tolist(), service_s.tolist())
    measured = np.mean(waits) + service_s.mean()
    formula = mean_service_time / (1 - load)
    print(f"load {load}: measured {1000 * measured:5.1f} ms, formula {1000 * formula:5.1f} ms")

# %% [markdown]
# *Checkpoint, 15 minutes. You have the machine: a recursion of one line that turns arrivals and
# services into waits. What follows explains what it produces.*

# %% [markdown] tags=["topic:B08", "topic:B09"]
# ## One page of algebra gives the whole curve
#
# **Assumptions.** Arrivals are Poisson: in any short time $dt$ one arrives with probability
# $\lambda\,dt$, whatever happened before. Service times are exponential: a service in progress ends
# in the next $dt$ with probability $\mu\,dt$, however long it has lasted. One server, first come
# first served, nobody gives up. In Kendall's shorthand: **M/M/1**, *memoryless* arrivals,
# *memoryless* services, one server.
#
# Memoryless on both sides means that the number of requests in the system, $k$, is all there is to
# know. It goes up by one at rate $\lambda$ and, while $k \ge 1$, down by one at rate $\mu$. In the
# long run, crossings from $k$ to $k+1$ are as frequent as crossings back. With $\pi_k$ the share of
# time spent with $k$ in the system:
#
# $$\lambda\,\pi_k = \mu\,\pi_{k+1} \quad\Rightarrow\quad \pi_{k+1} = \rho\,\pi_k
# \quad\Rightarrow\quad \pi_k = (1-\rho)\,\rho^k .$$
#
# The shares must sum to 1, which fixes $\pi_0 = 1-\rho$, and works only for $\rho < 1$. The mean
# number in the system is then
#
# $$L = \sum_k k\,\pi_k = \frac{\rho}{1-\rho} .$$
#
# A request that arrives finds $L$ requests on average (Poisson arrivals see what a long observation
# sees), each needs a mean service $S = 1/\mu$, and so does the request itself:
#
# $$W = (L + 1)\,S = \frac{S}{1-\rho} , \qquad
# W_q = W - S = \frac{\rho\,S}{1-\rho} , \qquad
# L_q = \lambda\,W_q = \frac{\rho^2}{1-\rho} .$$
#
# $W$ is the latency ("sojourn time"), $W_q$ the wait before service, both in seconds; $L_q$ counts
# the requests that wait, without the one in service. That $L_q = \lambda W_q$ holds is Little's law;
# here it is enough to check it against the run.

# %% tags=["topic:C03", "topic:C15", "topic:T07"]
print(" load   latency      x   waiting    p99")
for load in (0.1, 0.5, 0.8, 0.9, 0.95, 0.99):
    queue = queueing.MM1(arrival_rate=100 * load, service_rate=100)
    print(
        f"{load:5.2f} {1000 * queue.mean_sojourn_time:6.1f} ms "
        f"{queue.mean_sojourn_time / mean_service_time:5.1f} {queue.mean_queue_length:9.2f} "
        f"{1000 * queue.sojourn_time_quantile(0.99):6.0f} ms"
    )

# %% [markdown]
# Read a row aloud: at 80 % load a 10 ms request takes 50 ms on average, 3.2 requests wait, and one
# request in a hundred takes 230 ms or more. The last column is not a new law: in M/M/1 the latency is
# exponentially distributed, so its p99 is $\ln 100 \approx 4.6$ times its mean, at every load. It is
# 4.6 times the mean *latency*, not the mean service time; at 80 % load it is 23 service times.
#
# Does the run agree, not only on average but state by state?

# %%
shares = run_at(0.8).in_flight().time_shares()
show(
    figures.occupancy(shares, queueing.MM1(arrival_rate=80, service_rate=100), up_to=20),
    alt="Share of time with k requests in the system at load 0.8: measured points lie on the "
    "geometric line, which is straight on a log axis.",
)

# %% [markdown] tags=["topic:S02"]
# ### At which load do ten requests wait?
#
# At which load is the **mean number of waiting requests**, $L_q$, equal to 10? Give four decimals:
# this far up the curve they matter. Try values with the function below, or solve the equation with
# pencil and paper.


# %%
def mean_queue_length(load):
    return load**2 / (1 - load)


### BEGIN SOLUTION
# mean_queue_length(load) = 10  <=>  load**2 + 10 * load - 10 = 0, and the root between 0 and 1:
load_for_ten = (-10 + np.sqrt(10**2 + 4 * 10)) / 2
### STUB load_for_ten = ...
### END SOLUTION
check("mm1.load_for_ten", load_for_ten)

# %% [markdown] tags=["topic:M05", "topic:O10"]
# ## There is no knee: the axes draw it
#
# "Keep it below the knee, around 80 %." Where is that knee? The next figure draws one curve, $W =
# S/(1-\rho)$, three times. Only the upper end of the vertical axis differs.

# %% tags=["figure:no_knee"]
show(
    figures.no_knee(),
    alt="The same curve 1/(1-load) with the vertical axis cut at 5, 25 and 400 service times. "
    "The bend seems to sit at load 0.55, 0.80 and 0.95.",
)

# %% [markdown] tags=["topic:C03"]
# The dots mark where the drawn line climbs at 45 degrees, which is about where the eye sees a knee. It
# sits wherever you stop the axis; "80 %" is a figure whose axis ends at 25. The curve has no special point: it is a hyperbola, and a
# hyperbola looks the same at every magnification. Halve the **headroom** $1-\rho$ and latency
# doubles, from 0.5 to 0.75 as from 0.98 to 0.99. There is no linear stretch on the left either: the
# slope is $S/(1-\rho)^2$, at $\rho = 0.7$ already 11 times what it is at 0.
#
# The honest horizontal axis is therefore the headroom, on a logarithmic scale. In the explorer,
# switch the axis from *load* to *headroom* and watch the explosion become a straight line.
#
# Then put it to use. The dashed line is your promise: a mean latency of so many service times. Where
# the curve crosses it is the highest load that you can admit, your **ceiling**. **Move one control at
# a time** and note the ceiling for (a) one server and a promise of 2, (b) 8 servers, (c) 8 servers
# whose service times vary with scv 4 (what "scv" means follows below; 1 is the exponential
# distribution of this section, larger is more uneven).

# %% tags=["nbval-ignore-output", "topic:M05"]
explorer = load_explorer(seed=seed)
explorer

# %% [markdown] tags=["topic:O04", "topic:O13"]
# **"Latency explodes exponentially."** You will read it often. Try it: take the two measured
# latencies at load 0.3 and 0.7, put an exponential and a hyperbola through them, and extrapolate to
# 0.97.

# %% tags=["topic:O04"]
measured = dict(zip(grid, latency_ms))
low, high = measured[0.3], measured[0.7]
exponential = high * (high / low) ** ((0.97 - 0.7) / (0.7 - 0.3))
hyperbola = low * (1 - 0.3) / (1 - 0.97)
print(f"measured at 0.97: {measured[0.97]:4.0f} ms")
print(f"exponential says: {exponential:4.0f} ms")
print(f"hyperbola says:   {hyperbola:4.0f} ms")

# %% [markdown]
# The exponential is far too kind, and it misleads twice more. It has no wall: it promises a finite
# latency at load 1 and beyond. And it hides the one thing that you can use: latency follows the
# *headroom*, so a little headroom bought at the right end is worth more than a lot at the left. The
# next cell adds two per cent of traffic.

# %%
for load in (0.50, 0.80, 0.90, 0.97):
    growth = (1 - load) / (1 - 1.02 * load)
    print(f"at load {load:.2f}, 2 % more traffic multiplies latency by {growth:4.2f}")

# %% [markdown]
# *Checkpoint, 30 minutes. One idea so far: latency is $S/(1-\rho)$, and $1-\rho$ is the quantity to
# watch. Next: how many servers you have, and how much your requests vary.*

# %% [markdown]
# ## Does a bigger fleet wait as long at the same load?
#
# One server at 90 % load makes a request wait nine service times on average. Now eight servers share
# **one queue**, again at 90 % load: eight times the traffic, eight times the servers. How long is the
# wait now, in service times? Commit to a number, or to a range that you are 80 % sure of:
# `predict("mm1.eight_servers", low=..., high=...)`.

# %%
### BEGIN SOLUTION
predict("mm1.eight_servers", low=1, high=9)
### STUB predict("mm1.eight_servers", ...)
### END SOLUTION

# %%
eight = queueing.MMc(arrival_rate=720, service_rate=100, num_servers=8)
arrival_s = np.cumsum(gaps) / 720
simulated = sim.fifo_queue(arrival_s, work * mean_service_time, num_servers=8)
print(f"formula:   {eight.mean_waiting_time / mean_service_time:.2f} service times")
print(f"simulated: {simulated.waiting_time_s.mean() / mean_service_time:.2f} service times")
outcome("mm1.eight_servers", eight.mean_waiting_time / mean_service_time)

# %% [markdown] tags=["topic:N04", "topic:M03"]
# ### Pooling beats splitting, and the gain grows with the fleet
#
# Two effects stack. A request waits only when *all* servers are busy, which happens with a
# probability $C(c, a)$ that Erlang computed in 1917 for telephone lines. And if it waits, the queue
# in front of it moves $c$ times as fast:
#
# $$W_q = C(c, a)\,\frac{S}{c - a} = C(c,a)\,\frac{S}{c\,(1-\rho)} , \qquad a = \lambda S .$$
#
# $c$ is the number of servers and $a$ the **offered load**: how many servers the traffic keeps busy
# on average. The factor $1/(1-\rho)$ is still there, but a large fleet divides it by $c$.
# `queueing.erlang_c(a, c)` gives $C(c, a)$ and raises an error when $a \ge c$: such a fleet never
# keeps up.
#
# ### Build: the least servers for a promise
#
# Write the function that a capacity plan needs: the smallest number of servers, sharing one queue,
# for which the mean wait is at most `max_mean_wait` seconds.


# %%
def least_servers(arrival_rate, mean_service_time, max_mean_wait):
    """Return the least number of servers whose mean wait is at most max_mean_wait (seconds)."""
    ### BEGIN SOLUTION
    offered_load = arrival_rate * mean_service_time
    servers = int(offered_load) + 1  # the least that is stable
    while (
        queueing.erlang_c(offered_load, servers) * mean_service_time / (servers - offered_load)
        > max_mean_wait
    ):
        servers += 1
    return servers
    ### END SOLUTION


# %%
check("mm1.least_servers", least_servers)

# %% [markdown] tags=["topic:M03", "topic:O12"]
# Put it to work. The promise is a mean wait of at most half a service time, so at most 1.5 service
# times of latency. The cell sizes fleets for growing traffic and prints the load that each one ends
# up with.

# %%
size_fleet = piece("mm1.least_servers", least_servers)
for arrival_rate in (30, 150, 700, 3_000, 12_000):
    servers = size_fleet(arrival_rate, mean_service_time, 0.5 * mean_service_time)
    load = arrival_rate * mean_service_time / servers
    print(f"{arrival_rate:6}/s needs {servers:3} servers: each {100 * load:2.0f} % busy")

# %% [markdown]
# Nobody chose those loads. The same promise allows 30 % to a single server and more than nine tenths
# to a large fleet. A rule of "80 %" wastes nearly a fifth of the largest fleet and breaks the promise
# on the smallest.

# %% [markdown] tags=["topic:B09"]
# ### Variability is the other lever
#
# So far services were exponential. Let the **squared coefficient of variation** (scv) $c_s^2$ be the
# variance of the service time divided by its squared mean: 0 for equal requests, 1 for exponential
# ones, 4 or more where a few long ones dominate, as with generated text. For one server and Poisson
# arrivals the mean wait is exactly (Pollaczek 1930, Khinchine 1932)
#
# $$W_q = \frac{\rho}{1-\rho}\cdot\frac{1 + c_s^2}{2}\cdot S .$$
#
# When arrivals vary as well, with $c_a^2$ for the gaps between them, Kingman's approximation (1961)
# replaces $1 + c_s^2$ by $c_a^2 + c_s^2$; it is good at high load and rough at low load. Either way
# the shape is the same: **headroom × variability × service time**. Halving the variability is worth
# as much as halving the wait by adding headroom.

# %%
print(f"mean wait in service times, one server at load 0.8, {n:,} requests simulated")
print("   scv   formula   simulated")
for scv in (0, 1, 4):
    services = sim.draw_unit("gamma", n, rng, scv)
    run = sim.fifo_queue(np.cumsum(gaps) / 80, services * mean_service_time)
    formula = queueing.MG1(arrival_rate=80, service_rate=100, scv_service=scv).mean_waiting_time
    measured = run.waiting_time_s.mean()
    print(f"{scv:6} {formula / mean_service_time:9.2f} {measured / mean_service_time:11.2f}")

# %% [markdown] tags=["topic:M05", "topic:O10"]
# ### The ceiling slides from below 30 to 99 %
#
# Now the five folklore ceilings can be judged. The figure computes, for fleets of 1 to 64 servers,
# the highest load at which the mean latency stays within twice the service time, for three
# variabilities. Dashed: 50, 60, 70, 80 and 85 %.

# %%
show(
    figures.ceilings(target=2.0, folklore=(0.50, 0.60, 0.70, 0.80, 0.85)),
    alt="Highest admissible load against the number of servers for a mean latency of two service "
    "times. One server: 0.67, 0.5 and 0.29 for scv 0, 1, 4. 64 servers: above 0.95 for all.",
)

# %% [markdown] tags=["topic:M05", "topic:O10", "topic:N04"]
# Every folklore ceiling is right somewhere on this figure and wrong nearly everywhere else. The
# people who wrote 50 % had few servers or long-tailed work; those who wrote 85 % had many. Without
# servers, variability and promise a ceiling says nothing. Staying below it "to be safe" is not free
# either: 64 servers kept at 60 % are a third too many.
#
# *Checkpoint, 45 minutes. Two ideas: headroom, and what scales it. Last: what happens when there is
# no headroom left.*

# %% [markdown] tags=["topic:O04"]
# ## Thirty seconds of overload: when is it over?
#
# The server can finish 100 requests a second. The load is 0.9, then for **30 seconds** 1.2, then 0.9 again.
# How many seconds after the load has fallen back is the backlog of those 30 seconds gone? Commit
# first.

# %%
### BEGIN SOLUTION
predict("mm1.recovery", low="20 s", high="40 s")
### STUB predict("mm1.recovery", ...)
### END SOLUTION

# %%
fluid = queueing.Overload(arrival_rate=120, service_rate=100, duration_s=30, arrival_rate_after=90)
quiet = 60  # seconds at 90/s before the overload, so that no run starts empty
clock = np.arange(-10, 150, 0.5)
backlogs = sim.backlog_runs([90, 120, 90], [quiet, 30, 150], 100, clock + quiet, runs=200, rng=rng)
show(
    figures.recovery(fluid, clock, backlogs),
    alt="Requests in the system against time for 200 simulated runs: a straight climb during the "
    "30 s of overload, a fall half as steep afterwards.",
)
outcome("mm1.recovery", fluid.drain_s)

# %% [markdown] tags=["topic:I08", "topic:C23"]
# ### Overload is paid back at the price of the headroom
#
# Above load 1 nothing is hyperbolic, and nothing settles. The backlog grows **linearly with time**,
# at $\lambda - \mu$ requests a second, and afterwards it shrinks at $\mu - \lambda'$, where
# $\lambda'$ is the rate after the peak:
#
# $$t_\text{drain} = T\,\frac{\lambda - \mu}{\mu - \lambda'} .$$
#
# The headroom is in the denominator once more. A fleet that runs at 0.9 needs twice as long to recover
# as the overload lasted at 1.2; at 0.95 it needs four times as long, and every request in
# that time gets a late answer. The fluid line above is the skeleton; single runs scatter around
# it, and the tail of the recovery is longer than the line because a queue at load 0.9 is itself slow
# to forget.
#
# What shortens an incident is therefore not patience. A queue with a **bound** refuses what it could
# only answer too late; **load shedding** brings $\lambda'$ down while the backlog drains; capacity
# that starts up within seconds raises $\mu$. An autoscaler that reacts to queue length after five
# minutes has already collected five minutes of backlog.

# %% [markdown] tags=["topic:C13", "topic:O04", "topic:O12"]
# ### Spot the flaw: the launch
#
# A post-mortem reads: *"The service finishes at most 550 requests a second. On launch day 20,000 a
# second arrived, for 20 minutes. On the M/M/1 curve this load lies far up, and accordingly the p99
# rose to 8 s."*
#
# Compute $\rho$, and look for it on the curve, before you read on.
#
# Then work out what really happens. Suppose that the service queues everything, first in first out,
# that nobody gives up, and that the queue was empty at the start. **How long does the request wait
# that arrives at the end of the 20 minutes?** Any unit will do, for example `"90 s"` or `"1.5 h"`.

# %%
### BEGIN SOLUTION
backlog = (20_000 - 550) * 20 * 60  # requests that came and were not finished
last_wait = f"{backlog / 550} s"  # the server works them off at its own rate
### STUB last_wait = ...
### END SOLUTION
check("mm1.launch", last_wait)

# %% [markdown] tags=["topic:C13"]
# So where do the 8 seconds come from? Compute which share of the requests can have been answered at
# all. The rest was dropped, refused or timed out, and a histogram of *answered* requests does not
# contain it.

# %%
launch = queueing.Overload(
    arrival_rate=20_000, service_rate=550, duration_s=20 * 60, arrival_rate_after=500
)
print(f"backlog after 20 minutes:  {launch.peak_backlog / 1e6:.1f} million requests")
print(f"answered, at most:         {100 * 550 / 20_000:.1f} % of what arrived")

# %% [markdown]
# Ask the library for the steady state and it declines, with the reason:

# %%
try:
    queueing.MM1(arrival_rate=20_000, service_rate=550)
except queueing.UnstableQueueError as error:
    print(error)

# %% [markdown] tags=["topic:M03", "topic:O10"]
# ## Where the model breaks
#
# | M/M/1 assumes | your service | what changes |
# | --- | --- | --- |
# | one server | slots, replicas, a batch | waits fall: Erlang C, the explorer, `queueing.MMc` |
# | exponential services | cached answers and very long ones | waits scale with $(c_a^2+c_s^2)/2$ |
# | Poisson arrivals | retries, cron jobs, bursts after a stall | $c_a^2$ above 1; retries feed on latency |
# | a fixed service rate | batching: a fuller batch works faster | chapter 04; the curve starts higher and stays flat longer |
# | endless patience | timeouts, users who leave | the tail is cut, the work is wasted |
# | $\rho$ is known | a "GPU utilisation" gauge | such a gauge is the share of time with *any* kernel running; it can read 100 % at batch size 1. Measure $\lambda$ and $S$ and divide |
#
# The third row is how a short overload becomes a long one: late answers cause retries, and retries are
# arrivals. The first is the commonest reason why a single-server rule frightens people needlessly:

# %% tags=["topic:M05"]
for servers in (1, 8, 64):
    queue = queueing.MMc(arrival_rate=80 * servers, service_rate=100, num_servers=servers)
    wait = queue.mean_waiting_time / mean_service_time
    print(f"{servers:2} slots at load 0.8 wait {wait:5.3f} service times")

# %% [markdown] tags=["topic:M03", "topic:N04", "topic:I08"]
# ## What to do on Monday morning
#
# 1. **Measure the service time without waiting**, at low load or inside the worker. Latency under
#    load contains the queue; a capacity computed from it is wrong by the factor that you are after.
# 2. **Plot latency against headroom**, both axes logarithmic. A straight line of slope −1 is a queue.
#    A line that bends away is something else: find out what.
# 3. **Compute the ceiling** from servers, variability and promise, as in the cell below, and write the
#    three numbers next to it. Alert on headroom, not on "80 %".
# 4. **Plan the peak, not the average.** An everyday load of 60 % does not survive a fivefold peak:
#    that is 300 %. Decide now what gives: capacity that starts in time, a bounded queue, refusing
#    early, a cheaper answer.
# 5. **Write down the recovery time** $T(\lambda-\mu)/(\mu-\lambda')$ of your worst peak. If it is
#    longer than your users' patience, bound the queue.

# %%
ceiling = queueing.largest_arrival_rate(
    0.300, q=0.99, service_rate=20, model=queueing.MMc, num_servers=16
)
print(f"16 slots of 50 ms, p99 within 300 ms: {ceiling:.0f}/s, load {ceiling / (16 * 20):.2f}")

# %% [markdown] tags=["topic:C13", "optional"]
# ## More practice (optional)
#
# **Which sentence cannot stand?** A test report says: (a) the service finishes 550 requests a second at
# most; (b) the load test offered 500 a second, which is 91 % load; (c) requests came from one Poisson
# source and one first-come-first-served server answered them; (d) service times were exponential, and
# the p99 latency in the test was 45 ms.

# %% tags=["optional"]
### BEGIN SOLUTION
sentence = "d"
### STUB sentence = ...
### END SOLUTION
check("mm1.story", sentence)

# %% [markdown] tags=["topic:C23", "topic:O12", "optional"]
# **Room for a peak.** Traffic sometimes grows fivefold, and at the peak the load may reach 0.9. What is
# the highest everyday load?

# %% tags=["optional"]
### BEGIN SOLUTION
everyday_load = 0.9 / 5
### STUB everyday_load = ...
### END SOLUTION
check("mm1.peak", everyday_load)

# %% [markdown] tags=["optional"]
# **Measure what the formula does not give.** One server, 70 requests a second (Poisson), mean service
# 10 ms, scv 4. Simulate it and hand in the array of waits, in seconds. The check looks at the mean
# *and* at how sure your sample is of it: it tells noise from error.

# %% tags=["optional"]
### BEGIN SOLUTION
draws = np.random.default_rng(seed + 1)
many = 4_000_000
slow_and_fast = sim.hyperexponential_services(mean_service_time, many, draws, scv_service=4)
waits = sim.fifo_queue(sim.poisson_arrivals(70, many, draws), slow_and_fast).waiting_time_s
### STUB waits = ...
### END SOLUTION
check("mm1.measure_variable", waits)

# %% [markdown]
# ## Sources
#
# - A. K. Erlang, *Solution of some problems in the theory of probabilities of significance in automatic
#   telephone exchanges*, 1917: the probability of waiting with $c$ servers.
# - D. V. Lindley, *The theory of queues with a single server*, 1952: the recursion.
# - F. Pollaczek, 1930, and A. Y. Khinchine, 1932: the mean wait for any service-time distribution.
# - J. F. C. Kingman, *The single server queue in heavy traffic*, 1961: the approximation for any
#   arrivals.
# - M. Harchol-Balter, *Performance Modeling and Design of Computer Systems*, 2013: the textbook to read
#   next; chapters 13, 14 and 23 hold this chapter's theory.
