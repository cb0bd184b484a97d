# ---
# jupyter:
#   course:
#     order: 2
#     slug: littles_law
#     title: Little's law
#     question: Twenty requests in flight on sixteen slots. Is that too many?
#     minutes: 62
#     needs: []
#     folder: notebooks
#     gpu: false
#     small: {n: 20000, seconds: 0.5}
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown] tags=["topic:C21", "topic:U16"]
# A service has 16 slots: sixteen requests are worked on at once, the others wait in one queue. Its
# dashboard shows 500 requests a second, a mean latency of 40 ms, and **20 requests in flight**. Two
# alarms are red.
#
# - *In flight 20, slots 16: overloaded.*
# - *Capacity 16 / 40 ms = 400 a second, offered 500: utilization 125 %.*
#
# "Buy GPUs", says the runbook. Yet it has been like this for weeks: nothing is refused, the queue
# does not grow. And a bank with sixteen counters and twenty people in its hall is no scandal; some
# of them wait. So the dashboard lacks a number, and its two alarms share an error. After
# this chapter you know
#
# 1. why requests in flight, their rate and their latency are tied together, without any model;
# 2. why the tie proves nothing until you measure all three, each around the same box;
# 3. how the same law sizes anything that requests hold: slots, connections, memory.
#
# New words stand in bold; the glossary at the end of `docs/cards.html` keeps them.

# %%
import asyncio
import time

import numpy as np

from labutils import simulation as sim
from labutils.exercises import check, hint, outcome, piece, predict, reveal
from labutils.laws import queueing
from labutils.simulation.window import count_window
from labutils.viz import show
from labutils.viz.explorers.little import little_explorer
from labutils.viz.figures import little as figures

# %% tags=["parameters"]
seed = 7  # every random draw in this chapter follows from it
n = 200_000  # requests in a simulated run
seconds = 1.5  # how long the real service runs

# %% [markdown] tags=["topic:B01"]
# ## Do bursts put more requests in flight?
#
# Begin with a stream that you can do in your head. Requests arrive evenly spaced, 400 a second, and
# each stays exactly 50 ms. Then 20 are in flight at every moment: those of the last 50 ms.
#
# Now make it ugly and keep both averages. The requests come **forty at a time**, ten times a second.
# Nine in ten stay 10 ms, the tenth stays 410 ms, which makes 50 ms on average. How many are in flight
# *on average*? More than 20, fewer, or as many? Commit to a number, or to a range that you are 80 %
# sure of: `predict("little.bursts", low=..., high=...)`.

# %%
### BEGIN SOLUTION
predict("little.bursts", low=15, high=30)
### STUB predict("little.bursts", ...)
### END SOLUTION

# %%
rng = np.random.default_rng(seed)
came_s = np.arange(n) // 40 / 10  # forty at a time, ten times a second
stay_s = np.where(rng.random(n) < 0.9, 0.010, 0.410)
bursty = sim.in_flight_curve(came_s, came_s + stay_s)
shares = bursty.time_shares()
print(f"in flight: {bursty.mean(0, n / 400):.1f} on average, {bursty.peak} at most")
print(f"more than 20 for {100 * shares[21:].sum():.0f} % of the time")
outcome("little.bursts", 20)  # what the log comes close to: 400 requests a second, 50 ms each

# %% tags=["solution-only"]
# Five standard errors of the mean stay: 0.12 s / 0.05 s per request.
assert abs(bursty.mean(0, n / 400) / 20 - 1) < 5 * 2.4 / np.sqrt(n)

# %% [markdown] tags=["topic:B01"]
# Forty at once and then hardly any, and the average is what it was: the rate times the mean stay,
# $400 \cdot 0.050 = 20$. (The log comes close to it: in this one not exactly one stay in ten is long.)
# That is no coincidence. It is bookkeeping, and you can see it.
#
# ## One area, counted twice
#
# Here is a short recording of a small service. Above, each request is a bar, from arrival to
# departure. Below stands $N(t)$, the number of requests inside at time $t$. Every piece of a bar
# also stands in the lower panel, dropped onto the pieces beneath it: **both panels hold the same
# area**, in *request-seconds*.
#
# Drag the two ends of the window, or use the arrow keys. Three questions, answered below:
#
# 1. Tint by *request*, then by *second*. What changes, and what does not?
# 2. Find a window in which $\lambda W$ is 0 although a request is inside.
# 3. Pull the window over the whole recording. What becomes of gold and purple?

# %% tags=["nbval-ignore-output", "topic:B02"]
explorer = little_explorer(seed=seed)
explorer

# %% [markdown] tags=["topic:B02"]
# (1: by request, purple stands beyond the right edge, and gold came before the left one; by second,
# the tint ends at the edges. The area $L\,T$ in the window is the same. 2: any window in which none
# arrives, such as the last seconds. 3: both vanish.)
#
# Give every request a point for each second that it is inside, and count the points of a window of
# $T$ seconds twice.
#
# - **By seconds.** At time $t$, $N(t)$ requests collect. With $L$, the average of $N(t)$ over the
#   window, that makes $L\,T$ points.
# - **By requests.** $\lambda T$ requests come in the window ($\lambda$: arrivals per second), and
#   each stays $W$ seconds on average. That makes $\lambda T \cdot W$ points, but for the edges: the
#   requests *carried in* collect points here and came earlier, and those *carried out* collect the
#   rest of theirs after the window.
#
# It is one pile of points, so
#
# $$L\,T = \lambda W\,T + (\text{carried in}) - (\text{carried out}) .$$
#
# This holds exactly, for every window of every system, also an overloaded or a broken one. It is
# addition. A window that begins and ends empty has no edges, and in it $L = \lambda W$ to the last
# digit.

# %% [markdown] tags=["topic:B03", "topic:B04", "topic:U08"]
# ### The edges do not grow, if the averages settle down
#
# Let the window grow. The area grows with it. The edges stay what they are, a few stays of the requests
# that happen to be inside, *provided that the mean rate and the mean stay settle down*. Then the share of
# the edges vanishes, and what remains for the long run is **Little's law**:
#
# $$L = \lambda\,W .$$
#
# $L$ is the mean number inside, $\lambda$ the arrival rate (per second), $W$ the mean time inside
# (seconds).
#
# Where does it fail? Above capacity nothing settles: $L$ and $W$ grow for as long as the overload lasts.
# A single request that never ends breaks the law as well. It is carried out of every window, and its stay
# has no end, so there is no mean stay $W$. Otherwise the law asks for nothing: it holds for any arrivals, any
# service times, any order and any number of servers. J. D. C. Little proved it in 1961 (at the Case
# Institute of Technology; MIT came later).
#
# *Checkpoint, 12 minutes. One area, counted by seconds and by requests. Next: three numbers from a log.*

# %% [markdown] tags=["topic:B02"]
# ### Four requests by hand
#
# The window goes from 2 s to 8 s, so $T = 6$ s. The log holds four requests.
#
# | request | comes | leaves | whole stay | of it in the window |
# | --- | --- | --- | --- | --- |
# | A | 0 s | 4 s | 4 s | 2 s |
# | B | 3 s | 5 s | 2 s | 2 s |
# | C | 4 s | 9 s | 5 s | 4 s |
# | D | 7 s | 10 s | 3 s | 1 s |
#
# The last column adds up to 9 request-seconds, so $L = 9 / 6 = 1.5$. Three requests *come* in the window,
# B, C and D: $\lambda = 3/6 = 0.5$ a second, and their mean whole stay is $W = (2 + 5 + 3)/3 = 3.33$ s. So
# $\lambda W = 1.67$, and not 1.5. The edges make the difference: A carries in 2 s, C and D carry out
# $1 + 2 = 3$ s, and $\lambda W T + 2 - 3 = 10 - 1$ is 9 again.
#
# ### Build: three numbers from a log with cut edges
#
# A window cuts through requests at both ends. Request $i$ is inside from `arrivals[i]` to
# `departures[i]` (two lists of seconds, in no order). For the window from `from_s` to `to_s` return
#
# - `L`: the mean number inside, over the window;
# - `rate`: arrivals per second, of those with `from_s <= arrival < to_s`;
# - `W`: the mean *whole* stay, in seconds, of those same requests (the log knows when they left).
#
# In the window at least one request comes, and one goes. The log holds every request that is inside at
# any time. How to clip one stay stands in the cell.


# %%
def window_numbers(arrivals, departures, from_s, to_s):
    """Return L, rate and W of the window; arrivals and departures are lists of seconds."""
    # From a to d, a request spends max(0, min(d, to_s) - max(a, from_s)) seconds in the window.
    ### BEGIN SOLUTION
    rows = list(zip(arrivals, departures))
    area = sum(max(0, min(end, to_s) - max(start, from_s)) for start, end in rows)
    stays = [end - start for start, end in rows if from_s <= start < to_s]
    return area / (to_s - from_s), len(stays) / (to_s - from_s), sum(stays) / len(stays)
    ### END SOLUTION


# %%
check("little.clipped_log", window_numbers)

# %% [markdown]
# Stuck? Put `hint("little.clipped_log")` into a cell of your own, up to three times. Afterwards
# `reveal("little.clipped_log")` explains.
#
# Now use it on a queue: one server, 70 random requests a second, 10 ms of work each on average. "Random"
# means two things here, and in most of this course.
#
# - **Poisson arrivals**: every moment is as likely to bring a request as any other, whatever came before.
#   So 70 a second is an average, and some seconds bring 60 requests and others 80.
# - **Exponential** work: short times are the most frequent, and long ones are rare but not excluded (5 %
#   take more than three times the mean). Its variance is the square of its mean.
#
# (If your function is not right yet, the cell uses the course's own and says so.)

# %% tags=["topic:T05"]
arrival_s = sim.poisson_arrivals(70, n, rng)
run = sim.fifo_queue(arrival_s, sim.exponential_services(0.010, n, rng))
measure = piece("little.clipped_log", window_numbers)
rows = run.arrival_s[:15_000].tolist(), run.departure_s[:15_000].tolist()
for length in (1, 10, 100):
    L, rate, W = measure(*rows, 20, 20 + length)
    print(f"{length:4} s: L = {L:.3f}   λ·W = {rate:.1f}/s × {1000 * W:.1f} ms = {rate * W:.3f}")

# %% [markdown]
# (In programs of your own, `labutils.metrics.RequestLog` computes these numbers.)
#
# One window proves little. Take 200 of each length, anywhere in the run: by how much does $\lambda W$
# miss $L$?

# %% tags=["topic:B03"]
some = min(n, 40_000)
log = run.arrival_s[:some], run.departure_s[:some]
lengths = (1, 3, 10, 30, 100)
starts = {length: rng.uniform(0, log[0][-1] - length, 200) for length in lengths}
gaps = [
    [count_window(*log, t, t + length).edge_share for t in starts[length]] for length in lengths
]
show(
    figures.edge_gap(lengths, gaps),
    alt="Gap between rate times stay and the mean in flight, against window length from 1 to 100 s, "
    "both logarithmic: the medians fall along a line of slope minus one.",
)

# %% [markdown]
# *Checkpoint, 25 minutes. One idea so far: an area counted twice. The law is an addition and cannot be
# wrong. The three numbers that you put into it can.*

# %% [markdown] tags=["topic:L20", "topic:T05"]
# ## A check that derives one number from another cannot fail
#
# A simulator can check itself by Little's law. It sweeps its log with +1 at each arrival and -1 at
# each departure, averages that to $L$, averages the stays of *the same log* to $W$, and finds
# $L = \lambda W$ to many digits. The cell does so for a sound queue, and for a simulator with a bug by
# which *no request ever waits*. Each row shows the rate, the mean stay $W$, and the gap between $\lambda W$
# and $L$.

# %% tags=["topic:C10", "topic:L20"]
work, gaps_of_one = rng.exponential(size=(2, 20_000))  # of mean 1, to be scaled
sound = sim.fifo_queue(np.cumsum(gaps_of_one) / 70, work / 100)
print("                comes          W        gap")
for name, a, d in (
    ("sound", sound.arrival_s, sound.departure_s),
    ("none waits", sound.arrival_s, sound.arrival_s + work / 100),
):
    T, W = d.max(), (d - a).mean()
    L = sim.in_flight_curve(a, d).mean(0, T)
    miss = 100 * abs(a.size / T * W / L - 1)
    print(f"{name:14} {a.size / T:4.0f}/s {1000 * W:7.1f} ms {miss:8.4f} %")

# %% [markdown] tags=["topic:C10", "topic:L20", "topic:T05"]
# The gap is zero both times: the sweep and the mean stay are one sum in two orders. So the check
# passes a simulator whose $W$ is wrong by a factor of three.
#
# Measure $L$, $\lambda$ and $W$ **independently** instead, with different instruments. Then the law
# *can* fail, and is worth something. Below, $L$ comes from glances at fixed times, 50 ms apart, and
# $W$ from the requests, for three boxes drawn around one run.

# %% tags=["topic:B01"]
first, last = 0.1 * run.arrival_s[-1], 0.9 * run.arrival_s[-1]
came = (run.arrival_s >= first) & (run.arrival_s < last)
rate, glances = came.sum() / (last - first), np.arange(first, last, 0.05)
print(f"{glances.size:,} glances, {came.sum():,} requests")
print("box            L by glances   λ × W")
for box, curve, stays in (
    ("queue", run.queue(), run.waiting_time_s),
    ("server", run.in_service(), run.service_time_s),
    ("both", run.in_flight(), run.sojourn_time_s),
):
    W = 1000 * stays[came].mean()
    product = f"{rate:.1f}/s × {W:4.1f} ms = {rate * W / 1000:.2f}"
    print(f"{box:10} {curve.at(glances).mean():12.2f}     {product}")

# %% [markdown] tags=["topic:B01", "topic:B07"]
# Each box has its own $L$ and its own time: the queue $L_q = \lambda W_q$ (waiting requests,
# waiting time), the server $\rho = \lambda S$ (the share of time it is busy; $S$ is the mean
# service time), and both together $L = \lambda W$ with $W = W_q + S$. **Say which box you mean**:
# most mistakes with this law take $L$ from one and the time from another.
#
# ### The same with a real service
#
# No simulation now: a small asyncio service runs inside this notebook, on the wall clock. It has
# eight slots, requests arrive at random whatever became of those before them, and work is a sleep. (You
# may skip the code of the next two cells. They hold the service, the observer and the sender.)


# %%
class Service:
    """Slots behind one queue, with a counter of those inside and a stopwatch for each request."""

    def __init__(self, num_slots):
        self.slots = asyncio.Semaphore(num_slots)
        self.inside, self.stays_s, self.open = 0, [], True

    async def handle(self, work_s):
        came, self.inside = time.perf_counter(), self.inside + 1
        async with self.slots:
            await asyncio.sleep(work_s)
        self.inside -= 1
        self.stays_s.append(time.perf_counter() - came)


# %% [markdown]
# The observer looks at the counter every 5 ms, from a *thread*. As a task of the same event loop it
# would be woken together with the requests, after those that were due have left, and read too low: an
# observer that stands in the queue which it observes is not independent.


# %%
def glances_at(service, every_s):
    """Note how many are inside, at fixed times, for as long as the service is open."""
    due, seen = time.perf_counter(), []
    while service.open:
        seen.append(service.inside)
        due += every_s
        time.sleep(max(0, due - time.perf_counter()))
    return seen


async def send(service, arrivals_s, works_s):
    """Start each request at its time; return when all are answered."""
    start, tasks = time.perf_counter(), []
    for arrival, work in zip(arrivals_s, works_s):
        await asyncio.sleep(max(0, start + arrival - time.perf_counter()))
        tasks.append(asyncio.create_task(service.handle(work)))
    await asyncio.gather(*tasks)


# %% tags=["nbval-ignore-output", "topic:B01"]
requests = int(200 * seconds)
arrivals = sim.poisson_arrivals(200, requests, rng)
works = sim.exponential_services(0.030, requests, rng)
service, start = Service(num_slots=8), time.perf_counter()
observer = asyncio.create_task(asyncio.to_thread(glances_at, service, 0.005))
try:
    await send(service, arrivals, works)
finally:  # else the observer would look on for ever
    took, service.open = time.perf_counter() - start, False
L, rate, W = np.mean(await observer), requests / took, np.mean(service.stays_s)
gap = L / (rate * W) - 1
print(f"L by glances {L:.2f}, λ × W {rate:.0f}/s × {1000 * W:.1f} ms: {100 * gap:+.1f} % apart")
if abs(gap) > 0.10:  # empty at both ends, so without edges; glances 5 ms apart err by 0.6 %
    print("Your computer stalled while the observer looked: run this cell again.")
assert len(service.stays_s) == requests and service.inside == 0

# %% [markdown] tags=["topic:B01"]
# Three instruments agree, although your machine's timers are late. In production this is worth an
# alert: when the gauge and rate × latency drift apart, one of them is wrong. The usual cause is a handler that
# raises before it counts itself out: the gauge climbs, although no request is inside.
#
# ## How long does a request take that you catch in flight?
#
# At random moments you list every request in flight: a photograph of the service, such as a profiler, a
# stack dump or a list of running queries takes. Later you look up how long each request of the list took
# in total, from arrival to answer.
# Compare the mean of these latencies with the mean of the whole log. **How many times as long is
# it?** The log is that of the queue above, whose latencies are exponential: their variance is the square
# of their mean.

# %%
### BEGIN SOLUTION
predict("little.caught", low=1, high=3)
### STUB predict("little.caught", ...)
### END SOLUTION

# %%
moments = rng.uniform(0, run.arrival_s[-1], 10_000)
oldest = np.searchsorted(run.departure_s, moments, side="right")
newest = np.searchsorted(run.arrival_s, moments, side="right")  # inside: rows oldest to newest - 1
latency = run.sojourn_time_s
caught = np.concatenate([latency[i:j] for i, j in zip(oldest, newest)])
show(
    figures.caught(latency, caught),
    alt="Latencies in units of the log's mean. The log falls off from zero on; those caught in "
    "flight are rare near zero, most frequent at about one mean, and have a far heavier tail.",
)
outcome("little.caught", round(caught.mean() / latency.mean(), 2))

# %% tags=["solution-only"]
# Over 60 seeds the ratio scattered by 0.041 at 200,000 requests and by 0.077 at 20,000.
assert abs(caught.mean() / latency.mean() - 2) < 92 / np.sqrt(n)

# %% [markdown]
# ### A random moment catches long requests more often
#
# It is the area again. A random moment hits the bars of the first figure in proportion to their
# *length*: a request that stays ten times as long is in ten times as many photographs. So in the mean of
# those caught, each stay $W_i$ counts with the weight $W_i$. Divide both sums by the number of requests:
#
# $$\frac{\sum W_i \cdot W_i}{\sum W_i} = \frac{\text{mean of } W_i^2}{W} , \qquad
# \text{with } W \text{ the mean stay.}$$
#
# A variance is the mean of the squares minus the square of the mean. So the mean of $W_i^2$ is
# $W^2 + \text{variance}$, and the mean of those caught is
#
# $$\frac{W^2 + \text{variance}}{W} = W\,(1 + v) , \qquad
# v = \frac{\text{variance of the stays}}{W^2} .$$
#
# Try it on the stream of the beginning, nine stays of 10 ms and one of 410 ms: $W = 50$ ms. The mean of the
# squares is $(9 \cdot 10^2 + 410^2)/10 = 16{,}900$ ms². So those caught take $16{,}900 / 50 = 338$ ms on
# average. The variance is $16{,}900 - 50^2 = 14{,}400$ ms², so $v = 5.76$, and $50 \cdot 6.76$ is 338 again.
#
# The factor $1 + v$ is 1 for equal requests and 2 for exponential ones, and 10 or more where a few
# requests stay hundreds of times as long as the others (the *inspection paradox*). A profile of
# running requests shows where the *time* goes. What a typical request looks like stands in the log.
#
# *Checkpoint, 38 minutes. Two ideas: one area, and independent instruments around one box. Now back
# to the alarms.*

# %% [markdown] tags=["topic:C21", "topic:T06", "topic:B07"]
# ## What can the sixteen slots really do?
#
# The number that the dashboard lacked: a stopwatch inside the worker, from the moment a request *gets
# its slot* to the moment it gives it back, reads **28.8 ms**. The rest of the 40 ms is waiting.
#
# Spot the flaw of the second alarm, and repair it: at how many requests a second are all 16 slots
# busy all the time? Hand in a rate, such as `"1,200 req/s"`.

# %%
### BEGIN SOLUTION
capacity = f"{16 / 0.0288} req/s"
### STUB capacity = ...
### END SOLUTION
check("little.capacity", capacity)

# %% [markdown] tags=["topic:B07", "topic:C21"]
# ### Latency measured under load is not a service time
#
# Draw the box around the slots alone. In it Little's law says
#
# $$\text{busy slots} = \lambda S \le c , \qquad \rho = \frac{\lambda S}{c} , \qquad
# \text{capacity} = \frac{c}{S} ,$$
#
# with $c$ slots and $S$ the mean time *in a slot*. The alarm put $W = W_q + S$ in the place of $S$.
# But $\lambda W$ is $L$, the number in flight. So its "utilization" $\lambda W / c$ is $L / c$, requests in
# flight divided by slots: $20 / 16 = 125$ %. The first alarm compares the same 20 with the same 16.
# So the two alarms were one.
#
# Requests in flight are those in the slots *and* those in the queue, and so they may outnumber the slots
# of a service that keeps up. With Poisson arrivals and exponential work (chapter 03 derives it), a single
# server at load 0.9 has nine inside on average. The figure computes, for such traffic, how $L/c$ grows with the true load.

# %% tags=["topic:C21"]
show(
    figures.alarm(slots=16, seen=(500 * 0.0288 / 16, 20 / 16)),
    alt="In flight by slots against the share of busy slots, for 16 slots. It follows the diagonal "
    "up to 70 %, crosses 100 % below a load of 90 % and turns steeply up; the dashboard's point "
    "lies close to the curve, at 90 % and 125 %.",
)

# %% [markdown] tags=["topic:B25", "topic:C01", "topic:C08", "topic:T03"]
# ## Sizing a fleet: one law, one rounding, one headroom
#
# A plan for GPUs has three lines. Busy slots: $\lambda S$. Slots that may be busy on one GPU: its
# slots times the highest load of your policy. GPUs: divide, and round **up**.
#
# Your plan: 70 requests a second at the peak. Each holds a slot for 1.5 s. A GPU has 8 slots, and
# at most 80 % of the fleet's slots may be busy at the peak: that is the policy. (Somebody has
# pencilled "plus 20 % headroom" under the draft. Decide whether you follow.) How many GPUs?

# %%
### BEGIN SOLUTION
gpus = int(np.ceil(70 * 1.5 / (8 * 0.8)))
### STUB gpus = ...
### END SOLUTION
check("little.fleet", gpus)

# %% [markdown] tags=["topic:T03", "topic:C01", "topic:B04"]
# One policy, applied once, and one rounding. (Is 80 % a good policy? Little's law cannot say. Chapter
# 03 computes the load from a promise.) Ask of every service time **where it was measured**: a time
# under load contains the queue. The optional part audits two published plans.
#
# *Checkpoint, 48 minutes. Third idea: capacity comes from the time in the slot, not from the latency.*

# %% [markdown]
# ## Requests hold more than a slot
#
# The area argument never asked what the points stand for. Give a request a point per second for
# each *thing* that it holds: connections, megabytes. Let $G$ be what a mean request collects during
# its stay (in thing-seconds), and $H$ what all those inside hold together, averaged over time. The
# same pile, counted twice, is
#
# $$H = \lambda\,G .$$
#
# Take memory. A server that generates text keeps notes on each token (a word, or a piece of one) of
# each request that it works on, until the request is finished; chapter 06 is about them. A request
# with a prompt of $p$ tokens and an answer of $m$ tokens writes one token in each step of $\tau$
# seconds. In the step that writes the first token it holds $p$ tokens, in the next one $p + 1$, in
# the last one $p + m - 1$. Then it is gone. Its stay is $m\tau$, and its $G$ is the area of a
# staircase, in token-seconds.
#
# ### Build: how many tokens are resident?
#
# You have measured some requests: their prompt lengths `prompts` and answer lengths `outputs`, two
# lists of tokens. `arrival_rate` such requests begin each second, each gets going at once, and a step
# takes `step_s` seconds. Return the mean number of tokens that the server holds.


# %%
def resident_tokens(arrival_rate, prompts, outputs, step_s):
    """Return the mean number of tokens held, H = λG; prompts and outputs are lists."""
    ### BEGIN SOLUTION
    areas = [step_s * (m * p + m * (m - 1) / 2) for p, m in zip(prompts, outputs)]
    return arrival_rate * sum(areas) / len(areas)
    ### END SOLUTION


# %%
check("little.resident_tokens", resident_tokens)

# %% [markdown]
# Test it by glances: 20,000 requests whose lengths vary a lot, one begins each second on average,
# and what they hold is added up at 2,000 moments.

# %%
prompts, outputs = rng.geometric(1 / 400, 20_000), rng.geometric(1 / 400, 20_000)
begins, step_s = sim.poisson_arrivals(1.0, 20_000, rng), 0.020


def held_at(t):
    """Tokens that each request holds at time t: its prompt, and one more for each whole step."""
    steps = np.floor((t - begins) / step_s)
    return np.where((steps >= 0) & (steps < outputs), prompts + steps, 0)


moments = np.linspace(60, begins[-1], 2_000)
seen = np.array([held_at(t).sum() for t in moments])
traffic = 1.0, prompts.tolist(), outputs.tolist(), step_s
resident = piece("little.resident_tokens", resident_tokens)(*traffic)
p, m = prompts.mean(), outputs.mean()
print(f"by glances:                    {seen.mean():8,.0f} tokens")
print(f"λG:                            {resident:8,.0f}")
print(f"lengths averaged first:        {step_s * m * (p + m / 2):8,.0f}")
print(f"as if full from the start:     {step_s * (outputs * (prompts + outputs)).mean():8,.0f}")

# %%
clock = np.linspace(60, 100, 800)
layers = np.array([held_at(t) for t in clock]).T
show(
    figures.resident(clock, layers[layers.any(axis=1)], mean=resident),
    alt="Tokens held over 40 s, stacked by request. Each request is a ramp that begins at its prompt "
    "and thickens until it ends; the sum swings widely around the dashed long-run mean.",
)
gigabytes = seen * 512 * 1024 / 1e9  # 512 KiB a token: a model of 7 billion weights (chapter 06)
most, usual = gigabytes.max(), gigabytes.mean()
print(f"memory over all 2,000 glances: {usual:.1f} GB on average,")
print(f"{np.quantile(gigabytes, 0.99):.1f} GB or less in 99 % of them,")
print(f"{most:.1f} GB at most: {most / usual:.1f} times the mean")

# %% tags=["solution-only"]
assert most > 2 * usual  # 2.6 to 3.5 times, with 40 seeds

# %% [markdown]
# Averaging the lengths first comes out a quarter too low: a long answer holds more *and* holds it for
# longer, as in the photographs.
#
# The law gives a mean, the dashed line, and that of the long run. Memory must hold the peaks. They reach
# some three times the mean (2.6 to 3.5 times with 40 other seeds), and 40 s of a figure need not show them.

# %% [markdown] tags=["topic:M11"]
# ## What to do on Monday morning
#
# 1. **Draw the box** before you use the law, and take $L$, $\lambda$ and the time from that box.
#    Count every request in all three, also those that fail.
# 2. **Put a stopwatch on the slot.** Utilization is $\lambda S / c$. Delete every alarm that
#    divides by a latency with the queue in it. $L$ above $c$ shows that requests wait, no more.
# 3. **Alert when the gauge and $\lambda W$ part** for longer than a few latencies: a leaked
#    counter, or time that no stopwatch sees.
# 4. **State one headroom**, at the peak and not on average, and apply it once. (Chapter 03 computes
#    it from the latency that you promise.)
# 5. **Size what requests hold** by $H = \lambda G$, from the log and not from mean lengths.

# %% [markdown]
# And the two alarms of the beginning? Three boxes settle them: the whole service, its slots, its queue.
# What happens with more traffic takes a model of the queue. `queueing.MMc(rate, 1 / slot_s, slots)` is the
# usual one: Poisson arrivals, exponential work, and one queue for all slots. It takes the arrival rate, the
# rate at which one busy slot finishes requests, and the number of slots. Chapter 03 is about it.

# %% tags=["topic:C21"]
rate, latency_s, slot_s, slots = 500, 0.040, 0.0288, 16
print(f"inside: {rate * latency_s:.1f}")
print(f"in the slots: {rate * slot_s:.1f} of {slots}, so {100 * rate * slot_s / slots:.0f} % busy")
print(f"in the queue: {rate * (latency_s - slot_s):.1f}")
print(
    f"saturated at {100 * (slots / slot_s / rate - 1):.0f} % more; until then, for random arrivals:"
)
for more in (0, 5, 8, 10):
    queue = queueing.MMc((1 + more / 100) * rate, 1 / slot_s, slots)
    busy, late_ms = 100 * queue.utilization, 1000 * queue.mean_sojourn_time
    print(f"{more:+3} %: {busy:.0f} % busy, mean latency {late_ms:3.0f} ms")

# %% tags=["solution-only"]
assert queueing.MMc(1.08 * rate, 1 / slot_s, slots).mean_sojourn_time > 2 * latency_s

# %% [markdown]
# Not four requests wait but 5.6, and still 1.6 slots are free, on average: slots are idle at some moments,
# and the queue builds up at others. The service is busy, and it keeps up. It saturates
# at 11 % more traffic, and at 8 % more its latency has already doubled. Whether 90 % busy is too much, your
# policy says: one of 80 %, as above, asks for 18 slots. Plan for them; today's service is not overloaded.

# %% [markdown] tags=["optional", "topic:T03", "topic:B04"]
# ## More practice (optional)
#
# ### A time that depends on the company
#
# A GPU that works on all its requests in common steps takes longer for each when it is fuller: say
# $W(L) = 0.8 + 0.15\,L$ seconds with $L$ requests inside. That is 0.95 s for one alone, and 2 s
# with all eight slots taken. Then the law is an equation to solve, $L = \lambda\,W(L)$, with
# $\lambda$ the rate per GPU. (A picture of means, without fluctuations.) Here are fleets for 10
# requests a second:

# %% tags=["optional", "topic:T03", "topic:B04"]
for gpus in (2, 3, 4):
    per_gpu = 10 / gpus
    inside = 0.8 * per_gpu / (1 - 0.15 * per_gpu)  # L = λ (0.8 + 0.15 L), solved for L
    verdict = (
        f"{0.8 + 0.15 * inside:.2f} s each" if inside <= 8 else "more than 8 slots: overloaded"
    )
    print(f"{gpus} GPUs: {inside:4.1f} inside each, {verdict}")
print(f"planned from one request alone: {10 * 0.95 / (8 * 0.8):.2f} GPUs, so 2")
print(f"planned from a full GPU:        {10 * 2.0 / (8 * 0.8):.2f} GPUs, so 4")

# %% [markdown] tags=["optional", "topic:T03"]
# The time on an idle machine buys two GPUs, and they are overloaded. Three have two thirds of
# their slots busy, so they satisfy a policy of 80 %. The time of a full GPU buys four: safe, and one too many.

# %% [markdown] tags=["optional", "topic:C01", "topic:C08", "topic:B25", "topic:T03"]
# ### Two plans, recomputed
#
# GPUs of 8 slots, 2 s in a slot, and a rule of 80 %. The first plan says "10 a second need three GPUs
# at least" and forgets its rule. The second has room for 50 a second at 80 % with 16 GPUs, and then
# adds 20 % once more: 19.2, so twenty.

# %% tags=["optional", "topic:C01", "topic:C08", "topic:B25", "topic:T03"]
for peak, plans in ((10, (3, 4)), (50, (15, 16, 20))):
    busy = peak * 2.0
    loads = ", ".join(f"{gpus} GPUs {100 * busy / (8 * gpus):.1f} % busy" for gpus in plans)
    print(f"{peak}/s: {busy:.0f} slots busy. {loads}")

# %% [markdown] tags=["optional", "topic:T03", "topic:C01", "topic:C09", "topic:B04"]
# The first plan needs four. In the second, sixteen do what the policy asks. Twenty keep 37.5 % of the slots
# idle, because a headroom was added that the policy already held.
#
# And where were the 2 s measured? Under load they contain the queue. On an idle machine they are too
# short if its requests share the work of one GPU, as above. "Slots over latency is the edge of
# stability" holds on one condition: the time was measured with all slots taken, and from the slot, not
# from the queue. So a capacity test fills the slots and times the slot.

# %% [markdown] tags=["optional", "topic:C10", "topic:L20", "topic:T05"]
# ### A simulator's self-check
#
# The simulation of a batching server reports 26.209 for $L$ and 26.207 for $\lambda W$, a gap
# of 7.5e-05: "agreement to five significant figures" (four). Both come from one log, so the gap should
# be zero to the last digit. It is not, because the script has two clocks: for the rate it divides the
# number of requests by the time of the last *arrival*, for $L$ it divides the area by that of the last
# *departure*. Here is its gap for the sound queue, and for a server that is sent almost four times
# what it can do. *Comes* and *goes* are counted until the last arrival.

# %% tags=["optional", "topic:C10", "topic:L20"]
flooded = sim.fifo_queue(np.cumsum(gaps_of_one) / 800, work / 204)
print("           comes     goes   gap of two clocks")
for name, queue in (("sound", sound), ("flooded", flooded)):
    a, d = queue.arrival_s, queue.departure_s
    L = sim.in_flight_curve(a, d).mean(0, d.max())
    came, went = a.size / a[-1], (d <= a[-1]).sum() / a[-1]
    miss = 100 * (came * (d - a).mean() / L - 1)
    print(f"{name:8} {came:5.0f}/s {went:6.0f}/s {miss:15.3g} %")

# %% [markdown] tags=["optional", "topic:C10", "topic:L20", "topic:T05"]
# What the script calls throughput is the rate at which requests *come*: flooded, it reports 800 a
# second, while some 200 go out.

# %% [markdown] tags=["optional", "topic:C14", "topic:T06"]
# ### A helper that is right as long as nobody needs it
#
# A helper computes, for 32 slots, 400 requests a second and 50 ms: "20 in the
# system, at most 32 / 50 ms = 640 a second, utilization 62.5 %". Here it is right, since at that load
# hardly any request waits, so that $W$ *is* $S$. Feed it with what the same service shows later:

# %% tags=["optional", "topic:C14", "topic:T06"]
print("true load   latency   in flight   'maximum' 32/W   'utilization'")
for rate in (400, 576, 608, 630):
    queue = queueing.MMc(arrival_rate=rate, service_rate=1 / 0.050, num_servers=32)
    W = queue.mean_sojourn_time
    print(
        f"{100 * queue.utilization:7.1f} % {1000 * W:8.1f} ms {rate * W:9.1f} "
        f"{32 / W:14.0f}/s {100 * rate * W / 32:13.0f} %"
    )

# %% [markdown] tags=["optional", "topic:C14"]
# Its maximum *falls* as traffic grows, and its utilization passes 100 % in a system that keeps up.

# %% [markdown] tags=["optional", "topic:L20"]
# ### Three more exercises
#
# **Which of these checks can fail?** Four teams check Little's law on a service whose counters may be
# broken. Name all the letters whose check *could* come out wrong.
#
# - (a) Divide the in-flight gauge by the rate, call it $W$, and compare $\lambda W$ with the gauge.
# - (b) From one request log, empty at both ends: sweep +1/-1 for $L$, average the stays for $W$, and
#   divide both sums by the same time.
# - (c) Read the server's in-flight gauge every second; take $\lambda$ and $W$ from the load
#   generator's own log.
# - (d) Count arrivals and those inside at the load balancer; take $W$ from the stopwatch in the
#   handler.

# %% tags=["optional"]
### BEGIN SOLUTION
letters = "c, d"
### STUB letters = ...
### END SOLUTION
check("little.witness", letters)

# %% [markdown] tags=["optional", "topic:C09", "topic:B04"]
# **Audit a case study.** An embedding service handles 12,000 documents a second on 18 replicas.
# "With 32 places at 40 ms a replica carries 800 a second, so 15 would do; with headroom we run 18.
# Each has near 30 in flight, at a stable 40 ms." Take the rate, the replicas and the 40 ms as true:
# how many are in flight on each?

# %% tags=["optional"]
### BEGIN SOLUTION
in_flight_each = 12_000 / 18 * 0.040
### STUB in_flight_each = ...
### END SOLUTION
check("little.audit", in_flight_each)

# %% [markdown] tags=["optional", "topic:S03", "topic:O20"]
# **The law backwards.** A pool has 24 places, all taken, and a request holds one for 60 ms. How many
# requests a second go through?

# %% tags=["optional"]
### BEGIN SOLUTION
through = f"{24 / 0.060} req/s"
### STUB through = ...
### END SOLUTION
check("little.backwards", through)

# %% [markdown] tags=["optional", "topic:S03", "topic:O20", "topic:B04"]
# Which two changes would double it? Twice the places, if a request takes no longer for that, or half
# the time. What does not work is to tell the clients to send faster. Here is the pool after a minute,
# its $L$ and $W$ those of the last ten seconds:

# %% tags=["optional", "topic:O20", "topic:S03", "topic:B04"]
print("  sent   finished         L         W      L/W")
for sent in (320, 480, 560):
    arrivals = sim.poisson_arrivals(sent, sent * 60, rng)
    works = sim.exponential_services(0.060, sent * 60, rng)
    pushed = sim.fifo_queue(arrivals, works, num_servers=24)
    end = arrivals[-1]
    finished = (pushed.departure_s <= end).sum() / end
    L = pushed.in_flight().mean(end - 10, end)
    W = pushed.sojourn_time_s[arrivals > end - 10].mean()
    print(f"{sent:4}/s {finished:8.0f}/s {L:9,.1f} {W:7.2f} s {L / W:6.0f}/s")

# %% tags=["solution-only", "optional"]
assert abs(L / W / 400 - 1) < 0.08  # five sigma of the 4,000 services in ten seconds

# %% [markdown] tags=["optional", "topic:O20", "topic:B04"]
# Sent less than 400 a second, the pool finishes what comes. Sent more, it finishes what it can, and
# the rest piles up in front of the places. $L$ and $W$ then grow with the backlog, while $L/W$ stays
# close to 400, however much you send: $L$ and $W$ tell you about the backlog, their quotient about the
# pool.

# %% [markdown] tags=["topic:U08"]
# ## Sources
#
# - J. D. C. Little, *A proof for the queuing formula: L = λW*, Operations Research 9 (1961),
#   383–387; and *Little's law as viewed on its 50th anniversary*, Operations Research 59 (2011),
#   536–549: what the finite window adds.
# - S. Stidham, *A last word on L = λW*, Operations Research 22 (1974), 417–421: the sample-path
#   proof.
# - S. L. Brumelle, *On the relation between customer and time averages in queues*, Journal of
#   Applied Probability 8 (1971), 508–520; D. P. Heyman and S. Stidham, *The relation between
#   customer and time averages in queues*, Operations Research 28 (1980), 983–994: $H = \lambda G$.
# - W. Feller, *An Introduction to Probability Theory and Its Applications*, volume II, 1971,
#   section I.4: the waiting-time paradox.
# - M. Harchol-Balter, *Performance Modeling and Design of Computer Systems*, 2013, chapter 6.
