# ---
# jupyter:
#   course:
#     order: 3
#     slug: mm1_explosion
#     title: The M/M/1 explosion
#     question: How busy may a server be before latency explodes, and who says so?
#     minutes: 74
#     needs: []
#     folder: notebooks
#     gpu: false
#     small: {n: 50000}
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown] tags=["topic:M05"]
# Your service runs at 60 % load, and its p99 (the latency that 99 of 100 requests stay within) is fine.
# Next month brings half as much traffic again. Is it still fine?
#
# You have been told where to stop. Rules of thumb say 50, 60, 70, 80 or 85 %, seldom
# with a calculation. When you are through, you can answer three questions at a whiteboard:
#
# 1. Where is the knee of the latency curve?
# 2. What sets the safe load of *your* service, and how do you compute it?
# 3. What happens above load 1, and how long does it last?
#
# Nothing here needs a GPU. You need averages, a `for` loop, and one page of algebra. (Words that are new to
# you stand in the glossary at the end of `docs/cards.html`.)

# %%
import numpy as np

from labutils import simulation as sim
from labutils.exercises import check, hint, outcome, piece, predict, reveal
from labutils.laws import queueing
from labutils.viz import Sketch, show
from labutils.viz.explorers.load import load_explorer
from labutils.viz.figures import queueing as figures

# %% tags=["parameters"]
seed = 7  # every random draw in this chapter follows from it
n = 2_000_000  # requests in a simulated run

# %% [markdown] tags=["topic:B07"]
# ## How does latency grow with load? Draw it first
#
# One server takes requests in the order of their arrival. A request keeps it busy for
# 10 ms on average, so it can finish 100 a second: its **service rate** $\mu$. Requests arrive at
# random at an **arrival rate** $\lambda$, in requests per second. The **load**, or utilization, is
# the ratio of the two,
#
# $$\rho = \lambda / \mu ,$$
#
# the share of time that the server is busy. At $\rho = 0.5$ it idles half of the time.
#
# What is the mean **latency**, from arrival to answer, at six loads from 0.1 to 0.97? You know one
# thing: with hardly any load a request takes its 10 ms. Drag the handles, or tab to one and use the
# arrow keys. Commit to a curve before you go on; a wrong one is worth more than none.

# %%
loads = [0.1, 0.3, 0.5, 0.7, 0.9, 0.97]
sketch = Sketch(
    loads,
    x_label="load",
    y_label="mean latency (ms)",
    y_range=(5, 2000),
    y_log=True,
    x_range=(0, 1),
    title="How does mean latency grow with load?",
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
    return sim.fifo_queue(np.cumsum(gaps) * mean_service_time / load, work * mean_service_time)


grid = np.array([0.02, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.94, 0.97, 0.98])
latency_ms = [1000 * run_at(load).sojourn_time_s.mean() for load in grid]
sketch.reveal(
    (grid, latency_ms), label="measured", finding="Doubled at load 0.5, tenfold at load 0.9"
)

# %% tags=["solution-only"]
# Five standard errors of a run of n requests at load 0.7 (Whitt 1989).
assert abs(latency_ms[7] * (1 - 0.7) / 10 - 1) < 27 / np.sqrt(n)

# %% [markdown] tags=["topic:O13", "topic:O04"]
# The curve that many have in mind is flat, bends somewhere between 0.7 and 0.9, and becomes a wall.
# Look at the left half instead: latency is already doubled at load 0.5, with the server idle half of
# the time. Every further request per second takes away headroom, from the first one on. So throughput and
# latency are not two dials that you can turn one by one.
#
# Does latency explode "exponentially"? On the logarithmic axis of your sketch an exponential
# would be a straight line: equal steps of load, equal factors.

# %% tags=["topic:O04"]
measured = dict(zip(grid, latency_ms))
for low, high in ((0.1, 0.3), (0.3, 0.5), (0.5, 0.7), (0.7, 0.9)):
    print(f"load {low} to {high}: latency times {measured[high] / measured[low]:.2f}")

# %% [markdown] tags=["topic:B10"]
# The factor itself grows, so this is worse than exponential. What kind of curve is it? In the explorer,
# switch the axis from *load* to *headroom*: that is $1-\rho$, the share of time that is still free, on a
# logarithmic scale. Leave the other controls alone for now, except the promise (dashed): where the curve
# crosses it is the highest load that you can admit, your **ceiling**. How large is it for a promise of
# two service times? Of four? Of ten?

# %% tags=["nbval-ignore-output"]
explorer = load_explorer(seed=seed)
explorer

# %% [markdown] tags=["topic:B10"]
# On the axis *headroom* it is a straight line: **halve the headroom and latency doubles**, from load 0.5
# to 0.75 as from 0.98 to 0.99. The rest of the chapter explains the line, bends it, and goes past its end.

# %% [markdown] tags=["topic:U12"]
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
# The server has time enough for all, but not at the moment they come. While no request is there it idles,
# and that idle time cannot be saved up. When three arrive at once, two wait. Waiting comes from
# **variability meeting a busy server**; with a clockwork stream of equal requests none would wait
# at any load up to 1.
#
# **Three requests by hand.** They arrive at 0, 4 and 5 ms, and each needs 6 ms of service.
#
# | request | arrives | server is free at | begins | waits | leaves |
# | --- | --- | --- | --- | --- | --- |
# | first | 0 ms | 0 ms | 0 ms | 0 ms | 6 ms |
# | second | 4 ms | 6 ms | 6 ms | 2 ms | 12 ms |
# | third | 5 ms | 12 ms | 12 ms | 7 ms | 18 ms |
#
# Look at the waits alone. The second waited 2 ms, its service took 6, and the third came 1 ms later: it waits
# 2 + 6 − 1 = 7 ms. Had the third come at 20 ms, the same sum would be below zero, and it would not wait.
#
# ### Build: the five lines behind every point above
#
# Request $i$ arrives at `arrivals[i]` and needs `services[i]`, both in seconds. There is one server,
# first come, first served, idle when the first request arrives. Write the function that returns how
# long each request **waits before its service begins**. Five lines are enough: each wait follows from
# the one before it.


# %%
def waiting_times(arrivals, services):
    """Return the wait in seconds of each request, before its service; the first waits 0."""
    ### BEGIN SOLUTION
    waits = [0.0]
    for i in range(1, len(arrivals)):
        gap = arrivals[i] - arrivals[i - 1]
        waits.append(max(0.0, waits[-1] + services[i - 1] - gap))
    return waits
    ### END SOLUTION


# %%
check("mm1.recursion", waiting_times)

# %% [markdown]
# Stuck? Put `hint("mm1.recursion")` into a cell of your own, up to three times. Afterwards
# `reveal("mm1.recursion")` explains the idea behind the line. Both work for every exercise.
#
# Your function is now the simulator. The next cell runs it on 50,000 requests at three loads, beside a
# formula that you derive in a moment. (If your function is not right yet, the cell uses the course's own
# and says so.) The ± is a 95 % interval. Requests that follow each other wait alike, so single waits
# cannot be counted as independent. The run is cut into 20 stretches instead, and the interval comes from
# how much their means differ (**batch means**).

# %%
simulate = piece("mm1.recursion", waiting_times)
some = min(n, 50_000)
for load in (0.3, 0.5, 0.7):
    arrival_s = np.cumsum(gaps[:some]) * mean_service_time / load
    service_s = work[:some] * mean_service_time
    waits_s = np.array(simulate(arrival_s.tolist(), service_s.tolist()))
    latency, formula = sim.batch_means(waits_s + service_s), mean_service_time / (1 - load)
    margin = f"{1000 * latency.mean:4.1f} ± {1000 * latency.half_width:.1f} ms"
    print(f"load {load}: measured {margin}, formula {1000 * formula:.1f} ms")

# %% [markdown]
# *Checkpoint, 27 minutes. You have the machine: one line that turns arrivals and services into waits.
# What follows explains what it produces.*

# %% [markdown] tags=["topic:B08", "topic:B09"]
# ## One page of algebra gives the whole curve
#
# **Assumptions.** Arrivals are *Poisson*: in any short time $dt$ one arrives with probability
# $\lambda\,dt$, whatever happened before. Service times are *exponential*: a service in progress ends
# in the next $dt$ with probability $\mu\,dt$, however long it has lasted. One server, first come first
# served, no request gives up. In Kendall's shorthand **M/M/1**: memoryless arrivals, memoryless services,
# one server.
#
# Memoryless on both sides means that the number of requests in the system, $k$, is all there is to
# know. It goes up by one at rate $\lambda$ and, while $k \ge 1$, down by one at rate $\mu$. In the
# long run, crossings from $k$ to $k+1$ are as frequent as crossings back. With $\pi_k$ the share of
# time spent with $k$ in the system:
#
# $$\lambda\,\pi_k = \mu\,\pi_{k+1} \quad\Rightarrow\quad \pi_{k+1} = \rho\,\pi_k
# \quad\Rightarrow\quad \pi_k = (1-\rho)\,\rho^k .$$
#
# The shares must sum to 1, which fixes $\pi_0 = 1-\rho$ and works only for $\rho < 1$. Now three small steps
# lead to the mean number in the system.
#
# 1. For a share $\rho^k$ of the time *at least* $k$ are inside: that is $\pi_k + \pi_{k+1} + \dots$, and each
#    term is $\rho$ times the one before. At load 0.5: one or more for 1/2 of the time, two or more for 1/4.
# 2. A mean count is the sum of these shares. Take the counts 0, 1, 2, 2: their mean is 5/4. At least one is
#    there in 3/4 of the cases, at least two in 2/4, and the sum is 5/4 too.
# 3. The sum $\rho + \rho^2 + \rho^3 + \dots$ times $(1 - \rho)$ leaves $\rho$ alone, since all other terms cancel.
#
# $$L = \sum_{k \ge 1} \rho^k = \frac{\rho}{1-\rho} .$$
#
# At load 0.8 that is 4 requests. A new arrival finds $L$ of them on average, as many as a long observation
# counts. This needs Poisson arrivals: they come with the same probability in every short time, crowded or
# empty, so they meet each state for as large a share as it lasts.
#
# Each of those it finds still needs $S = 1/\mu$ on average, *even the one in service*: memoryless means that its
# remaining time is as long as a whole one. This step fails for other service times, and further down
# it is where their variability enters. Add the arrival's own service:
#
# $$W = (L + 1)\,S = \frac{S}{1-\rho} , \qquad
# W_q = W - S = \frac{\rho\,S}{1-\rho} , \qquad
# L_q = L - \rho = \frac{\rho^2}{1-\rho} .$$
#
# $W$ is the latency ("sojourn time") and $W_q$ the wait before service, in seconds; $L_q$ counts
# the waiting requests, without the one in service, which is there a share $\rho$ of the time. $L_q$ equals
# $\lambda W_q$: that is Little's law.

# %% tags=["topic:C03", "topic:C15", "topic:T07", "topic:S02"]
print(" load    latency   in service times   waiting      p99")
for load in (0.1, 0.5, 0.8, 0.85, 0.9, 0.95, 0.99):
    queue = queueing.MM1(arrival_rate=100 * load, service_rate=100)
    latency, times = mean_service_time / (1 - load), 1 / (1 - load)
    print(
        f"{load:5.2f} {1000 * latency:7.1f} ms {times:18.1f} "
        f"{queue.mean_queue_length:9.2f} {1000 * queue.sojourn_time_quantile(0.99):5.0f} ms"
    )

# %% [markdown]
# Read a row aloud: at load 0.8, how long does a 10 ms request take, how many wait, and what does one
# request in a hundred exceed?
#
# The last column is not a new law. A request that finds $k$ others stays for $k+1$ exponential services, and
# it finds $k$ in a share $(1-\rho)\rho^k$ of the cases. Such a sum of a random number of services is exponential
# again, with mean $W$. An exponential time exceeds $t$ with probability $e^{-t/W}$, which is 1 % at
# $t = W \ln 100 \approx 4.6\,W$. So the p99 is 4.6 times the mean *latency* at every load. At load 0.8 that
# is 23 times the mean *service*.

# %% [markdown] tags=["optional"]
# ### Does the run agree, state by state? (optional)
#
# Count the waiting requests, compare with rate × wait, and look at the shares and the p99.

# %% tags=["optional"]
run = run_at(0.8)
end, wait, latency = run.departure_s[-1], run.waiting_time_s.mean(), run.sojourn_time_s
print(f"waiting: counted {run.queue().mean(0, end):.2f}, rate × wait {n / end * wait:.2f}")
print(f"p99 / mean latency: {np.quantile(latency, 0.99) / latency.mean():.2f}")
show(
    figures.occupancy(run.in_flight().time_shares(), queueing.MM1(80, 100), up_to=20),
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
# "Keep it below the knee, around 80 %." Where is that knee? The next figure draws one curve,
# $1/(1-\rho)$, three times. Only the upper end of the vertical axis differs.

# %% tags=["figure:no_knee", "topic:U12"]
show(
    figures.no_knee(),
    alt="The same curve 1/(1-load) with the vertical axis cut at 5, 25 and 400 service times. "
    "The bend seems to sit at load 0.55, 0.80 and 0.95.",
)

# %% [markdown] tags=["topic:C03", "topic:M05"]
# The dots mark where the drawn line climbs at 45 degrees (in a square frame), about where the eye sees
# a knee. It sits wherever you stop the axis; "80 %" is a figure whose axis ends at 25. The curve itself
# has no special point: stretch the height by two, halve the headroom, and you have the same curve
# again. Nor is there a linear stretch on the left: the slope is $S/(1-\rho)^2$, at load 0.7 already
# 11 times what it is at 0.
#
# *Checkpoint, 37 minutes. One idea so far: one server's latency is $S/(1-\rho)$, and the headroom
# $1-\rho$ is the quantity to watch. Next: more servers, and requests that vary.*

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
arrival_s, service_s = np.cumsum(gaps) / 720, work * mean_service_time
dealt = rng.integers(8, size=n)  # to which server, at random
mine = [dealt == k for k in range(8)]
split = np.concatenate([sim.waiting_times(arrival_s[own], service_s[own]) for own in mine]).mean()
shared = sim.fifo_queue(arrival_s, service_s, num_servers=8).waiting_time_s.mean()
print(f"eight queues, dealt at random: {split / mean_service_time:5.2f} service times")
print(f"one queue for all eight:       {shared / mean_service_time:5.2f}")
eight = queueing.MMc(arrival_rate=720, service_rate=100, num_servers=8)
outcome("mm1.eight_servers", eight.mean_waiting_time / mean_service_time)

# %% [markdown] tags=["topic:B07"]
# ### Pooling beats splitting, and the gain grows with the fleet
#
# Deal the traffic at random, and each server is an M/M/1 at load 0.9 again: one idles while another
# has a line. With one queue two effects stack. A request waits only when *all* servers are busy, which
# happens with a probability $C(a, c)$ that Erlang published in 1917 for telephone lines. And if it
# waits, the queue in front of it moves $c$ times as fast:
#
# $$W_q = C(a, c)\,\frac{S}{c - a} , \qquad a = \lambda S , \qquad \rho = \frac{a}{c} .$$
#
# $c$ is the number of servers and $a$ the **offered load**: how many of them the traffic keeps busy on
# average. The headroom is still in the denominator, since $c - a = c\,(1-\rho)$, and now a large fleet
# multiplies it. `queueing.erlang_c(a, c)` gives $C(a, c)$, and raises an error when $a \ge c$: such a
# fleet never keeps up.
#
# ### Build: the least servers for a promise
#
# Write the function that a capacity plan needs: the smallest number of servers, sharing one queue,
# for which the mean **wait** (without the service) is at most `max_mean_wait` seconds.


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

# %% [markdown]
# Put it to work: fleets for growing traffic, and the promise is a mean wait of at most half a service time.
# Look at the column of spare servers before you read on.

# %%
size_fleet = piece("mm1.least_servers", least_servers)
print("traffic  servers  spare   busy   more traffic until load 1   by the 80 % rule")
for arrival_rate in (30, 150, 700, 3_000, 12_000):
    busy = arrival_rate * mean_service_time
    servers = size_fleet(arrival_rate, mean_service_time, 0.5 * mean_service_time)
    print(
        f"{arrival_rate:6}/s {servers:7} {servers - busy:7.1f} "
        f"{100 * busy / servers:4.0f} % {100 * (servers / busy - 1):9.1f} % "
        f"{int(np.ceil(busy / 0.8)):25} servers"
    )

# %% [markdown] tags=["topic:N04", "topic:O10"]
# Nobody chose those loads. Look at the spare servers instead: **fewer than three**, whatever the size.
# The formula says why: $W_q = C\,S/(c-a)$ and $C \le 1$, so $c - a = 2$ always keeps the wait within
# half a service time. Set the last column, a rule of "80 %", beside the second: at 12,000/s it buys more
# than two dozen servers too many, and at 150/s one too few, which breaks the promise.
#
# Now the catch. Two spare servers out of 122 are gone after 1.7 % more traffic, or when two machines
# fail. In a small fleet **queueing** sets the ceiling. In a large one it does not: the margin for
# forecast errors, failures and deployments does. Compute both and keep the lower one.

# %% [markdown]
# ### Variability is the other lever
#
# So far services were exponential. Let the **squared coefficient of variation** (scv) $c_s^2$ be the
# variance of the service time divided by its squared mean: 0 for equal requests, 1 for exponential
# ones, 4 where a few long jobs hide among many short ones, such as full computations beside cache hits.
# (Measure yours. The answer lengths in the public Azure conversation trace of 2023 have an scv of
# about 0.6.) For one server and Poisson arrivals the mean wait is exactly (Pollaczek 1930, Khinchine
# 1932)
#
# $$W_q = \frac{\rho}{1-\rho}\cdot\frac{1 + c_s^2}{2}\cdot S .$$
#
# When arrivals vary as well, with $c_a^2$ for the gaps between them, Kingman's approximation (1961)
# replaces $1 + c_s^2$ by $c_a^2 + c_s^2$; it is good at high load and rough at low load. Either way the
# wait is a product: $\rho/(1-\rho)$, what the load does, times what variability does, times $S$.

# %%
print(f"mean wait in service times, one server at load 0.8, {n:,} requests simulated")
print("   scv   formula   simulated")
for scv in (0, 1, 4):
    services = sim.draw_unit("gamma", n, rng, scv)
    run = sim.fifo_queue(np.cumsum(gaps) / 80, services * mean_service_time)
    formula = queueing.MG1(arrival_rate=80, service_rate=100, scv_service=scv).mean_waiting_time
    simulated = run.waiting_time_s.mean()
    print(f"{scv:6} {formula / mean_service_time:9.2f} {simulated / mean_service_time:11.2f}")

# %% [markdown] tags=["topic:M05"]
# At load 0.8 equal requests wait half as long as exponential ones.
#
# Now move the other controls. Note the ceiling for a promise of two service times with (a) 8 servers,
# (b) 8 servers and scv 4, (c) 32 servers; then switch to *headroom* and see where the straight line
# went. (Where the line is an approximation, the text above the figure says so, and the points show by
# how much it errs.)

# %% tags=["nbval-ignore-output", "topic:M05"]
load_explorer(seed=seed, servers=8)

# %% [markdown] tags=["topic:M05", "topic:O10"]
# ### One promise, and ceilings from below 30 to 99 %
#
# Now the folklore can be judged. The figure computes, for fleets of 1 to 64 servers, the highest load
# at which mean latency stays within twice the service time, for three variabilities. Dashed: 50, 60,
# 70, 80 and 85 %.

# %%
show(
    figures.ceilings(target=2.0, folklore=(0.50, 0.60, 0.70, 0.80, 0.85)),
    alt="Highest admissible load against the number of servers for a mean latency of two service "
    "times. One server: 67, 50 and 29 % for scv 0, 1, 4. 64 servers: 97 to 99 %.",
)

# %% [markdown] tags=["topic:M05", "topic:O10", "topic:N04"]
# For this one promise 50 % is right for one exponential server, 70 % for two, 83 % for four; 29 % for
# one server with scv 4, and 83 % again for eight of those. The ceiling follows from the fleet, the work
# and the promise. Without the three it says nothing. (Several servers with another scv than 1 are the
# approximation of Allen and Cunneen: the M/M/c wait times $(1+c_s^2)/2$. Simulated latency at these
# ceilings is within 6 % of the promise.)
#
# *Checkpoint, 59 minutes. Two ideas: headroom, and what scales it. Last: no headroom at all.*

# %% [markdown] tags=["topic:O04"]
# ## Thirty seconds of overload: when is it over?
#
# "Arrivals exceed the service" means $\rho > 1$, not 0.95: there the queue is long and stable. So let
# it be real. One server can finish 100 requests a second. The load is 0.9, then for **30 seconds** 1.2,
# then 0.9 again. How many seconds after the load has fallen back is the backlog of those 30 seconds
# gone? Commit first.

# %%
### BEGIN SOLUTION
predict("mm1.recovery", low="20 s", high="40 s")
### STUB predict("mm1.recovery", ...)
### END SOLUTION

# %%
overload = queueing.Overload(
    arrival_rate=120, service_rate=100, duration_s=30, arrival_rate_after=90
)
quiet, clock = 60, np.arange(-10, 180, 0.5)  # 60 s at 90/s come first: no run starts empty
backlogs = sim.backlog_runs([90, 120, 90], [quiet, 30, 180], 100, clock + quiet, runs=200, rng=rng)
show(
    figures.recovery(overload, clock, backlogs),
    alt="Requests in the system against time for 200 simulated runs: a straight climb during the "
    "30 s of overload, a fall half as steep afterwards; half of the runs need longer.",
)
outcome("mm1.recovery", overload.drain_s)

# %% [markdown] tags=["topic:O04"]
# ### Overload is paid back at the price of the headroom
#
# Above load 1 nothing settles. Picture the requests as water (the *fluid
# line*): the backlog grows **linearly with time**, at $\lambda - \mu$ requests a second, and
# afterwards it shrinks at $\mu - \lambda'$, where $\lambda'$ is the rate after the peak. An overload of
# $T$ seconds drains in
#
# $$t_\text{drain} = T\,\frac{\lambda - \mu}{\mu - \lambda'} .$$
#
# The headroom is in the denominator once more: at load 0.95 instead of 0.9 it takes twice as long.
# Single runs scatter around the line, because only one in ten of the requests that the server finishes
# reduces the backlog: a little luck moves the end by many seconds.

# %% [markdown] tags=["topic:I08"]
# What shortens an incident is therefore not patience. A queue with a **bound** refuses what it could
# only answer too late. **Load shedding** and limits per user bring $\lambda'$ down while the backlog
# drains. Capacity that starts within seconds raises $\mu$; an autoscaler that reacts to queue length
# after five minutes has already collected five minutes of backlog.

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
# that no client gives up, and that the queue was empty at the start. **How long does the request wait
# that arrives at the end of the 20 minutes?** Any unit will do, for example `"90 s"` or `"1.5 h"`.

# %%
### BEGIN SOLUTION
backlog = (20_000 - 550) * 20 * 60  # requests that came and were not finished
last_wait = f"{backlog / 550} s"  # the server works them off at its own rate
### STUB last_wait = ...
### END SOLUTION
check("mm1.launch", last_wait)

# %% [markdown] tags=["topic:C13"]
# The report's 8 seconds can be true, of the few requests that were answered at all. The rest was
# dropped, refused or timed out, and a histogram of *answered* requests does not contain it.

# %%
launch = queueing.Overload(20_000, service_rate=550, duration_s=20 * 60, arrival_rate_after=500)
print(f"answered in those 20 minutes, at most: {100 * 550 / 20_000:.1f} % of what arrived")
print(f"backlog at the end: {launch.peak_backlog / 1e6:.1f} million requests")
print(f"drained, if 500/s follow, after {launch.drain_s / 86_400:.1f} days")

# %% [markdown] tags=["topic:M03", "topic:O10"]
# ## Where the model breaks
#
# | M/M/1 assumes | your service | what changes |
# | --- | --- | --- |
# | one server | slots behind one queue | waits fall: Erlang C. Replicas with a queue each do not share |
# | exponential services | cached answers and very long ones | waits scale with $(c_a^2+c_s^2)/2$ |
# | Poisson arrivals | retries, cron jobs, bursts after a stall | $c_a^2$ above 1; and retries feed on latency, so a short overload becomes a long one |
# | a fixed service rate | batching: a fuller batch finishes more per second | the curve starts higher and stays flat longer |
# | endless patience | timeouts, users who leave | the tail is cut, the work is wasted |
# | $\rho$ is known | a "GPU utilisation" gauge | such a gauge can read 100 % at batch size 1. Measure $\lambda$ and $S$, multiply, and divide by the number of servers |

# %% [markdown] tags=["topic:M03", "topic:N04", "topic:I08", "topic:C23", "topic:O12"]
# ## What to do on Monday morning
#
# 1. **Measure the service time without waiting**, at low load or inside the worker. Latency under
#    load contains the queue; a capacity computed from it is wrong by the factor that you are after.
# 2. **Plot latency against headroom**, both axes logarithmic. One server with scv 1 gives a straight
#    line. A pool stays flat for longer and takes that slope only near its limit. Latency that climbs
#    *above* the curve of your own fleet has a cause that the model lacks: retries, a shared disk, a
#    service time that grows with load.
# 3. **Size for the peak, not for the average.** At 80 % load, twice the traffic is 160 %; an everyday
#    60 % does not survive a fivefold peak: that is 300 %. Decide now what gives: capacity that starts in
#    time, a bounded queue, refusing early, a cheaper answer.
# 4. **Write a planning sheet** with every assumption in it, as in the cell below, and alert on headroom.
# 5. **Write down the recovery time** $T(\lambda-\mu)/(\mu-\lambda')$ of your worst peak. If it is
#    longer than your users' patience, bound the queue.

# %% tags=["topic:M03"]
everyday, peak_factor, service_s, scv, promised_wait = 120, 3, 0.050, 2, 0.025
needed = queueing.least_servers(
    everyday * peak_factor, service_s, promised_wait,
    model=queueing.GGc, scv_arrival=1, scv_service=scv,
)  # fmt: skip
fleet = needed + 2  # two may be down
print(f"{needed} servers keep the promise at the peak; with two spare ones: {fleet}")
print(f"load at the peak {100 * everyday * peak_factor * service_s / fleet:.0f} %, "
      f"every day {100 * everyday * service_s / fleet:.0f} %")  # fmt: skip

# %% [markdown]
# And the question from the beginning: 60 % load and half as much traffic again?

# %%
for servers in (1, 8, 64):
    now, then = (
        queueing.MMc(load * 100 * servers, 100, servers).sojourn_time_quantile(0.99)
        for load in (0.60, 0.90)
    )
    print(f"fleet of {servers:2}: p99 from {1000 * now:3.0f} to {1000 * then:3.0f} ms")

# %% [markdown]
# One server: four times as long. Eight behind one queue: half as long again. Sixty-four: hardly a
# difference, until traffic grows by another 11 % and the load reaches 1. The same sentence has three
# answers, and you can now compute yours.

# %% [markdown] tags=["topic:C13", "optional"]
# ## More practice (optional, outside the minutes)
#
# **Which sentence cannot stand?** A test report says: (a) the service finishes 550 requests a second at
# most; (b) the load test offered 500 a second; (c) requests came from one Poisson source, and one
# first-come-first-served server answered them; (d) service times were exponential, and the p99 latency
# in the test was 45 ms. You may trust (a) and (b), which were read off counters, and (c), which is in
# the configuration.

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
# **Measure what the M/M/1 formula does not give.** One server, 70 requests a second (Poisson), mean
# service 10 ms, scv 4. Simulate it and hand in the array of waits, in seconds, in their order. The check
# looks at the mean *and* at how sure your sample is of it: it tells noise from error.

# %% tags=["optional"]
### BEGIN SOLUTION
draws = np.random.default_rng(seed + 1)
many = 4_000_000
slow_and_fast = sim.hyperexponential_services(mean_service_time, many, draws, scv_service=4)
waits = sim.fifo_queue(sim.poisson_arrivals(70, many, draws), slow_and_fast).waiting_time_s
### STUB waits = ...
### END SOLUTION
check("mm1.measure_variable", waits)

# %% [markdown] tags=["topic:I04", "topic:O02", "optional"]
# ### Processor sharing and shortest first help the short ones, and the long ones pay (optional)
#
# So far the server took requests in order of arrival. Three other orders keep it just as busy:
#
# - **Processor sharing**: all requests inside are served at once, each at an equal share of the pace. A
#   request that needs $x$ seconds alone stays $x/(1-\rho)$ on average, whatever the others need.
# - **Shortest job first**: of the requests that wait, the one with the least work goes next. None is
#   interrupted.
# - **Shortest remaining time**: the request with the least work left runs, and a newcomer with less
#   interrupts. No order has a lower mean (Schrage 1968).
#
# Three requests by hand: they come at 0, 1 and 2 ms and need 6, 3 and 1 ms. In order of arrival they
# stay 6, 8 and 8 ms. With shortest remaining time the third runs at once (1 ms), the second is
# interrupted by it (4 ms), and the first ends last (10 ms). What is below does the same for many.

# %% tags=["topic:I04", "topic:O02", "optional"]
orders = {
    "first_come": queueing.FirstCome,
    "sharing": queueing.ProcessorSharing,
    "shortest_job": queueing.ShortestJobFirst,
    "shortest_remaining": queueing.ShortestRemainingTime,
}
draws, some = np.random.default_rng(seed + 2), min(n, 200_000)
arrivals = sim.poisson_arrivals(70, some, draws)
work = sim.lognormal_services(0.010, some, draws, scv_service=4)
for name, model in orders.items():
    queue = model(70, queueing.LognormalServices(0.010, scv=4))
    stays = 1000 * sim.sojourn_times(arrivals, work, order=name)
    short, long = (1000 * queue.mean_sojourn_time_of(x) for x in (0.002, 0.100))
    print(f"{name:18}  mean {1000 * queue.mean_sojourn_time:4.1f} ms (simulated {stays.mean():4.1f})"
          f"  p99 {np.percentile(stays, 99):3.0f} ms  2 ms take {short:4.1f}, 100 take {long:3.0f} ms")  # fmt: skip

# %% [markdown] tags=["topic:I04", "topic:O02", "optional"]
# One server at load 0.7, services of 10 ms with scv 4. Sharing and shortest job halve the mean, or
# nearly; shortest remaining time brings it to a quarter. A short request no longer waits behind long
# ones. The long ones pay, and here less under shortest remaining time than under sharing. The formulas are Kleinrock's (1967) for
# sharing, Cobham's and Phipps's (1954, 1956) for shortest job, Schrage and Miller's (1966) for shortest
# remaining time; the card `card("orders")` holds them. Where they break: an engine does not know how long
# an answer will be, so an order by size needs a guess, and an interrupted request keeps its memory.

# %% [markdown] tags=["topic:B06", "topic:B05", "optional"]
# ### Universal scalability: machines that must agree have a best number (optional)
#
# Pooling assumed that servers do not get into each other's way. $N$ machines that share a table, an
# index or a lock do. The **universal scalability law** (Gunther 1993) puts their throughput over that of
# one machine at
#
# $$\frac{N}{1+\alpha(N-1)+\beta N(N-1)} .$$
#
# **Contention** $\alpha$ is the share of the work that is done one after the other; alone it gives
# Amdahl's law, which levels off. **Coherency** $\beta$ is what each pair of machines spends on agreeing.
# Pairs grow as $N^2$ and machines as $N$, so the throughput peaks, at $N = \sqrt{(1-\alpha)/\beta}$, and
# falls beyond. With $\alpha = 0.03$ and $\beta = 0.0008$: $\sqrt{0.97/0.0008} = 35$ machines.
#
# Measure at a few numbers of machines and fit. The points below are drawn from that law with 2 % noise,
# as a load test might find them.

# %% tags=["topic:B06", "topic:B05", "optional"]
from labutils.laws import scaling

law = scaling.UniversalScalability(contention=0.03, coherency=0.0008, one_per_s=120)
machines = np.repeat([1, 2, 4, 8, 16, 24], 3)
measured = [law.throughput_per_s(k) * draws.normal(1, 0.02) for k in machines]
fit = scaling.fit_scalability(machines, measured)
print(f"contention {fit.law.contention:.3f}, coherency {fit.law.coherency:.5f}")
print(fit.verdict)
for k in (35, 70):
    share = 100 * law.efficiency(k)
    print(f"{k} machines: {law.speedup(k):.1f} times one, efficiency {share:.0f} %")

# %% [markdown]
# ## Sources
#
# - A. K. Erlang, *Solution of some problems in the theory of probabilities of significance in automatic
#   telephone exchanges*, 1917: the probability of waiting with $c$ servers.
# - F. Pollaczek, 1930, and A. Y. Khinchine, 1932: the mean wait for any service-time distribution.
# - D. V. Lindley, *The theory of queues with a single server*, 1952: the recursion.
# - J. F. C. Kingman, *The single server queue in heavy traffic*, 1961: the approximation for any
#   arrivals. A. O. Allen, *Probability, Statistics, and Queueing Theory*, 1990: its form for several
#   servers, after Cunneen.
# - G. F. Newell, *Applications of Queueing Theory*, 1982: the fluid line. W. Whitt, *Planning queueing
#   simulations*, 1989: how long a run must be.
# - Azure public dataset, LLM inference trace 2023 (CC BY 4.0), described in Patel et al., *Splitwise*,
#   2024: the answer lengths.
# - M. Harchol-Balter, *Performance Modeling and Design of Computer Systems*, 2013: the textbook to read
#   next; chapters 13 to 15 and 23 hold this chapter's theory.
