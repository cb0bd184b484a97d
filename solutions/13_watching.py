# ---
# jupyter:
#   course:
#     order: 10.9
#     slug: watching
#     title: Watching
#     question: The dashboard is green, the p99 of every replica is fine, and users say that it is slow. What does the dashboard average?
#     minutes: 74
#     needs: [two_numbers, promises]
#     folder: notebooks
#     gpu: false
#     small: {months: 3, windows: 2, watched_s: 5.0}
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown] tags=["topic:L11"]
# Support writes: *since this morning it is slow, sometimes*. You open the dashboard. Nine panels, all green. The p99 of
# the first token is half of what was promised, on each replica. You write back that everything is fine. An hour later
# the largest customer calls.
#
# Chapter 01 said which two numbers to look at. This chapter asks **how they come onto a screen**, and what is lost on the
# way. At the end you can answer three questions:
#
# 1. What does a number on a dashboard average, and whom does it leave out?
# 2. When may a number wake somebody?
# 3. What is in no metric at all?

# %%
from itertools import pairwise

import numpy as np

from labutils.exercises import check, hint, outcome, piece, predict, reveal
from labutils.live import LiveWall
from labutils.metrics.latency import percentile
from labutils.telemetry import watching
from labutils.telemetry.watching import BurnRule, Incident
from labutils.telemetry.watching.wall import Recording, Search
from labutils.viz import show
from labutils.viz.explorers.wall import wall_explorer
from labutils.viz.figures import watching as figures

# %% tags=["parameters"]
seed = 7  # every random draw in this chapter follows from it
months = 12  # of quiet traffic, for each alarm
windows = 6  # of 192 tokens, on which two models are judged
watched_s = 6.0  # seconds, in which the live service is read again and again

# %% [markdown] tags=["topic:L11"]
# ## The wall is green
#
# Here is a run that was recorded: four replicas of the course's server, 90 seconds, each asked by users of its own.
# A scraper read `/metrics` once a second. (They ran one after the other, and are laid side by side.) Something happened to one replica, for twenty seconds. The promise: the first
# token within **1 second**, for 99 of 100 users.

# %% tags=["topic:L11"]
recorded, FIRST = Recording.load(), "vllm:time_to_first_token_seconds"
started, ended = recorded.about["slow"]["from_s"], recorded.about["slow"]["until_s"]
print(f"recorded on {recorded.about['recorded']}: {recorded.about['machine']}")
print("replica  users   p99 of first tokens, whole run")
for replica in recorded.service():
    today = replica.histogram(FIRST, 0, 90)
    print(f"{replica.name:8} {len(replica.users):5} {today.quantile(0.99):12.2f} s")

# %% [markdown] tags=["topic:L11"]
# Every p99 is below 1 s. During the bad twenty seconds, which share of *all* users waited longer than 1 s for their first
# token?

# %%
### BEGIN SOLUTION
predict("watching.late_users", low=0.0, high=0.2)
### STUB predict("watching.late_users", ...)
### END SOLUTION

# %% [markdown] tags=["topic:L11"]
# And how long do *you* need to find the replica and the time, on the wall that the team had? Say how many seconds, read
# the three questions, then run the cell of the wall. The clock starts with it.

# %%
### BEGIN SOLUTION
predict("watching.search", low=30, high=240)
### STUB predict("watching.search", ...)
### END SOLUTION

# %% [markdown] tags=["topic:L11"]
# - (a) Go through the replicas with *only a*, *only b*, … Which panels change?
# - (b) Shorten the window. Of the panels of first tokens, which does not follow?
# - (c) Panel 4 falls once. Can a number of requests so far fall?
#
# When you think that you know, put replica and second into the cell below the wall.

# %% tags=["nbval-ignore-output", "topic:L11"]
search = Search(recorded.about["slow"]["replica"], started, ended)
wall = wall_explorer(recorded)
wall

# %% tags=["nbval-ignore-output"]
### BEGIN SOLUTION
print(search.says("d", 55))  # the dip of panel 4: a restart, and nobody felt it
print(search.says("c", 50))
### STUB print(search.says("a", 0))  # your replica, your second: run it until it agrees
### END SOLUTION

# %% tags=["nbval-ignore-output"]
if search.seconds is not None:
    outcome("watching.search", search.seconds)

# %% tags=["topic:L11"]
bad_seconds = recorded.users(started, ended)
late = np.array([user.ttft_s > 1 for user in bad_seconds])
outcome("watching.late_users", late.mean())

# %% tags=["nbval-ignore-output", "topic:L11"]
of_c = [u for u in recorded.replicas["c"].users if started <= u.arrival_s < ended]
if search.seconds is not None:  # found: now the picture, which names the replica
    p99_s = recorded.replicas["c"].histogram(FIRST, started, ended).quantile(0.99)
    worst = max(u.ttft_s for u in of_c if u.is_answered)
    show(
        figures.users_waits(of_c, limit_s=1.0, server_says_s=p99_s),
        alt=f"First tokens of {len(of_c)} users of replica c in the bad seconds: "
        f"{sum(u.ttft_s > 1 for u in of_c)} waited more than 1 s, the longest {worst:.1f} s; "
        f"{sum(not u.is_answered for u in of_c)} were never answered. Its p99: {p99_s:.2f} s.",
    )

# %% tags=["solution-only"]
assert all(
    one.histogram("vllm:time_to_first_token_seconds", 0, 90).quantile(0.99) < 0.55
    for one in recorded.service()
)
assert 0.15 < late.mean() < 0.18 and len(of_c) == 50

# %% [markdown] tags=["topic:L16", "topic:L17", "topic:A17"]
# ### The server kept its p99 by refusing
#
# A neighbour took the cores of replica c. Every step became slower, answers stayed longer, and its
# twelve places for requests were full. From then on the server refused with 503, as chapter 11 recommends. Whoever was let in had a first token in time: the circles. Whoever
# was refused stands in **no histogram of latencies**. Their clients waited a second, as `Retry-After` says, and tried
# again: the triangles. To the server each try is a fresh request.
#
# So the wall is not wrong. It averages over those that were let in. Such a *noisy neighbour* is one of many causes of
# tails: jitter of the scheduler, garbage collection, retransmitted packets, contention for caches and buses, memory
# that runs short, and hard requests.
#
# *Checkpoint, 12 minutes. A latency is counted for those that got one.*

# %% [markdown] tags=["topic:L15", "topic:L11"]
# ## Nine panels, seven faults
#
# All nine are measured right. Each hides what happened in its own way. Sort them:
#
# | fault | the panel … |
# | --- | --- |
# | `mean` | shows a mean, which one slow request in a hundred hardly moves |
# | `quantiles` | averages percentiles |
# | `window` | looks back so far that twenty seconds do not count |
# | `counter` | shows a counter as it is, not its rate |
# | `survivors` | counts only those that were let in |
# | `cause` | shows something that no user feels |
# | `scale` | has an axis on which nothing ever moves |

# %%
### BEGIN SOLUTION
faults = {
    "1": "mean", "2": "quantiles", "3": "window", "4": "counter", "5": "survivors",
    "6": "survivors", "7": "mean", "8": "cause", "9": "scale",
}  # fmt: skip
### STUB faults = {
### STUB     "1": ..., "2": ..., "3": ..., "4": ..., "5": ...,
### STUB     "6": ..., "7": ..., "8": ..., "9": ...,
### STUB }
### END SOLUTION
check("watching.faults", faults)

# %% [markdown] tags=["topic:L11"]
# The same run, in the same nine places, on the wall that the team built afterwards:

# %% tags=["nbval-ignore-output", "topic:L11"]
new_wall = wall_explorer(recorded, wall="the new wall", window_s=10.0)
new_wall

# %% tags=["solution-only"]
told = wall_explorer(recorded)
assert told(wall="the new wall", window_s=10.0).startswith("At second 60, 38 % were late")
of_ten = [user.ttft_s > 1 for user in recorded.users(50, 60)]
assert round(100 * np.mean(of_ten)) == 18
assert "green" in told(wall="the wall they had", replica="c")
assert "76 %" in told(wall="the new wall", replica="c")

# %% [markdown] tags=["topic:L15", "topic:L11"]
# ### Four panels show it at a glance
#
# *Late or refused* (1) says that it is bad, *refused* (5) and *running* (6) say
# where and why, *gaps between tokens* (7) says that those who were let in suffered, too. But panels 2 and 3 are right now, of all replicas together and of
# each one, and **stay below the limit**: no percentile of latencies counts who has none. Divide the late *and the refused* by all
# that asked. That is the first panel of any wall.
#
# (At second 60 it says 38 % of the ten seconds before, in which 18 % of the *users* were late. A server counts tries, and
# somebody who tried four times is four of them. Only a client knows better.)

# %% [markdown] tags=["topic:A13", "topic:A20", "optional"]
# ### Is p99 over p50 a measure of health? (optional)
#
# Some guides say: healthy below 3.

# %% tags=["topic:A13", "topic:A20", "optional"]
print("p99 over p50 of first tokens    before   while slow")
for replica in recorded.service():
    told = f"replica {replica.name:20}"
    for window in ((0, started), (started, ended)):
        there = replica.histogram(FIRST, *window)
        told += f"{there.quantile(0.99) / there.quantile(0.5):10.1f}"
    print(told)

# %% tags=["solution-only"]
ratios = {}
for one in recorded.service():
    for when in ((0, 40), (40, 60)):
        seen = one.histogram("vllm:time_to_first_token_seconds", *when)
        ratios[one.name, when] = seen.quantile(0.99) / seen.quantile(0.5)
assert [which for which, ratio in ratios.items() if ratio < 3] == [("c", (40, 60))]

# %% [markdown] tags=["topic:A13", "topic:A20", "topic:L15", "optional"]
# The only ratio that is healthy is that of replica c while it was slow: everybody there was slow alike, so the median rose with
# the tail. A ratio tells a skew, and a skew is not a promise.

# %% [markdown] tags=["topic:L11", "topic:L18"]
# ### Which fault is it? On a server that runs now
#
# The recorded run is over. Now break a server yourself. *Start* starts the course's engine behind HTTP on this machine,
# with three requests a second, and about two more that ask fixed prompts and compare the answers. Ten panels follow its `/metrics`, about once a second. *Inject a fault* lets one of
# five things happen; the seed says which:
#
# | fault | what is done |
# | --- | --- |
# | a neighbour takes the cores | each step takes 0.12 s longer |
# | long answers fill the memory | two more requests a second, of 400 tokens each |
# | one tenant sends too much | twelve more requests a second, of a tenant with a small budget |
# | clients hang up | three more requests a second, whose clients leave after two tokens |
# | a new release answers worse | the model's weights are rounded to two bits |
#
# *The wall before* shows averages over a minute. *The wall now* shows the last five seconds: tails, reasons, and a
# quality. The dotted line is the moment at which a fault began. Find one fault on each wall. A wrong answer adds 10 s to the
# clock. How many seconds will you need?

# %%
### BEGIN SOLUTION
predict("watching.live_before", low=20, high=90)
predict("watching.live_now", low=6, high=25)
### STUB predict("watching.live_before", ...)
### STUB predict("watching.live_now", ...)
### END SOLUTION

# %% tags=["nbval-ignore-output", "topic:L11", "topic:L18"]
live = LiveWall(seed)
live

# %% tags=["nbval-ignore-output"]
if live.told():  # run it once both are found
    outcome("watching.live_before", live.seconds["the wall before"])
    outcome("watching.live_now", live.seconds["the wall now"])
else:
    print("Find one fault on each wall, then run this cell.")

# %% [markdown] tags=["topic:L11", "topic:L18"]
# ### A panel for each cause is read in seconds
#
# An average over a minute moves slowly: after ten seconds it holds a sixth of what is wrong. And two of the five faults hardly move
# a panel of the wall before: a refused request is in none of them, and a worse answer comes as fast as a good one. On the wall now
# each fault has a panel of its own: gaps (3), memory (5), refusals by reason (6), ends by how (7), fixed prompts (10).
#
# *Where it breaks.* You had a list of five. Nobody hands you a list at night, so the first panel asks what
# users feel, and not what broke.
#
# *Checkpoint, 33 minutes. Whose requests, over which time, put together how?*

# %% [markdown] tags=["topic:L11", "topic:L05"]
# ## What a p99 on a screen is made of
#
# This is what a server says of itself. A scraper reads nothing else:
#
# ```text
# ttft_seconds_bucket{le="0.1"} 8
# ttft_seconds_bucket{le="0.5"} 20
# ttft_seconds_bucket{le="2"} 26
# ttft_seconds_bucket{le="+Inf"} 40
# ```
#
# The counts are **cumulative**: 20 of 40 took at most 0.5 s, and 8 of those at most 0.1. The requests
# themselves are gone.
#
# **One case by hand.** The median has rank 0.5 · 40 = 20. The first bucket up to whose edge there are at least 20 ends at 0.5
# and begins at 0.1. In it lie 20 − 8 = 12 requests, and the rank is the 12th of them. So the value is 0.1 + 0.4 · 12/12 =
# 0.5 s, and the truth lies above 0.1 and at most at 0.5. At q = 0.75 the rank is 30, in the last bucket. It has no
# upper edge: Prometheus shows 2, and the truth may be anything above.
#
# ### Build: a quantile, and how wrong it may be
#
# `edges_s` are the upper edges, infinity the last; `up_to` the cumulative counts. Return `(value, low, high)`. The value goes
# as far into the bucket as the rank q · n goes into its requests. The first bucket begins at 0; in the last one value and low
# are its lower edge.


# %% tags=["topic:L11"]
def bucket_quantile(edges_s, up_to, q):
    """Return the value that a dashboard shows, and the edges around the true one."""
    rank = q * up_to[-1]
    ### BEGIN SOLUTION
    at = next(at for at, count in enumerate(up_to) if count >= rank)
    low, below = (edges_s[at - 1], up_to[at - 1]) if at else (0.0, 0)
    high = edges_s[at]
    if high == float("inf"):
        return low, low, high
    return low + (high - low) * (rank - below) / (up_to[at] - below), low, high
    ### END SOLUTION


# %%
check("watching.quantile", bucket_quantile)

# %% [markdown] tags=["topic:L11", "topic:L05"]
# The users timed their first tokens themselves. Count those of one try into the server's buckets, and set your p95
# against the true one:

# %% tags=["topic:L11"]
quantile = piece("watching.quantile", bucket_quantile)
own_s = [user.ttft_s for user in recorded.users() if user.tries == 1]
edges_s = recorded.replicas["c"].edges_s(FIRST)
guess = quantile(edges_s, [sum(t <= edge for t in own_s) for edge in edges_s], 0.95)
show(
    figures.bucket_guess(own_s, edges_s, 0.95, guess),
    alt=f"Share of {len(own_s)} first tokens up to each moment, and the straight lines between bucket "
    f"edges. At 95 % the lines say {guess[0]:.3f} s, between {guess[1]:g} and {guess[2]:g} s; "
    f"the values themselves {percentile(own_s, 0.95):.3f} s.",
)

# %% [markdown] tags=["topic:L11"]
# The truth may lie anywhere in its bucket, whatever digits the screen shows. Put an edge **at each limit that was
# promised**: then the share of late ones is exact.
#
# ### Build: the service's quantile
#
# `replicas` holds the cumulative counts of each replica, all with the same `edges_s`. Return `(value, low, high)` of all
# requests together. Use `quantile`.


# %% tags=["topic:L11"]
def service_quantile(edges_s, replicas, q):
    """Return the quantile of all requests of all replicas, with its bounds."""
    ### BEGIN SOLUTION
    return quantile(edges_s, [sum(column) for column in zip(*replicas)], q)
    ### END SOLUTION


# %%
check("watching.service", service_quantile)

# %% tags=["topic:L11", "topic:L15"]
of_service, GAPS = piece("watching.service", service_quantile), "vllm:inter_token_latency_seconds"
edges_s = recorded.replicas["c"].edges_s(GAPS)
each = [r.within(r.buckets(GAPS), started, ended).tolist() for r in recorded.service()]
p99s = [quantile(edges_s, counts, 0.99)[0] for counts in each]
value, low, high = of_service(edges_s, each, 0.99)
show(
    figures.mean_and_service(dict(zip("abcd", p99s)), (value, low, high), 0.99),
    alt=f"p99 of the gaps, replicas a to d: {', '.join(f'{p99:.2f}' for p99 in p99s)} s, their mean "
    f"{np.mean(p99s):.2f} s. All requests together: {value:.2f} s, between {low:g} and {high:g} s.",
)

# %% tags=["solution-only"]
assert np.mean(p99s) < low < value and p99s[2] == max(p99s)

# %% [markdown] tags=["topic:L11", "topic:L15"]
# ### The average of p99s lies below all that the p99 can be
#
# More than one gap between tokens in a hundred is among the slow ones of replica c, so the service's p99 lies up there. That was
# panel 2, for first tokens.
#
# *Checkpoint, 48 minutes. Counts add. Nothing that was computed from them does.*

# %% [markdown] tags=["topic:L11", "topic:L05", "optional"]
# ### Gaps before and while it was slow (optional)
#
# On replica c alone. Gaps are the step times, as a user feels them, and a step's p95 is the figure to keep
# beside its mean. "While slow" it is known to a factor of two.

# %% tags=["topic:L05", "topic:L11", "optional"]
slow_one = recorded.replicas["c"]
for said, window in (("before", (0, started)), ("while slow", (started, ended))):
    counts = slow_one.within(slow_one.buckets(GAPS), *window)
    gaps_s = slow_one.within(slow_one.counter(f"{GAPS}_sum"), *window)
    value, low, high = quantile(slow_one.edges_s(GAPS), counts.tolist(), 0.95)
    mean = gaps_s / counts[-1]
    print(f"{said:10}: mean {mean:.3f} s, p95 {value:.3f} s, between {low:g} and {high:g} s")

# %% [markdown] tags=["topic:L08", "topic:L11"]
# ## A counter that falls
#
# Panel 4 showed a counter, and it fell once. At second 55 replica d was started anew, and a counter lives in the
# process. That is harmless, if one knows how to subtract.
#
# **One case by hand.** Scrapes at 0, 1, 2 and 4 s read 100, 130, 12, 40. From 100 to 130 there came 30. Then 12 is less than 130: it
# started at 0, so 12 have come. Then 28 more. In all 70 in 4 s: 17.5 per second. (What came between the last scrape
# and the restart is lost.)
#
# ### Build: a rate that survives restarts
#
# Return how much the counter rose per second, from the first scrape to the last.


# %% tags=["topic:L11"]
def counter_rate(times_s, values):
    """Return the rise per second, restarts corrected."""
    ### BEGIN SOLUTION
    grown = 0
    for before, after in pairwise(values):
        grown += after - before if after >= before else after
    return grown / (times_s[-1] - times_s[0])
    ### END SOLUTION


# %%
check("watching.rate", counter_rate)

# %% tags=["topic:L08", "topic:L11"]
rate = piece("watching.rate", counter_rate)
ENDED, anew = "vllm:request_success_total", recorded.replicas["d"]
times_s, values = anew.times_s.tolist(), anew.raw(ENDED).tolist()
subtracted = (values[-1] - values[0]) / (times_s[-1] - times_s[0])
show(
    figures.restarted(times_s, values, per_s=rate(times_s, values)),
    alt=f"Requests ended on replica d against time. As read, the counter rises to {max(values):.0f}, falls "
    f"with the restart and ends at {values[-1]:.0f}. Last less first: {subtracted:.2f} a second; your "
    f"rate, of the line that goes on rising: {rate(times_s, values):.2f}.",
)

# %% [markdown] tags=["topic:L11"]
# *Checkpoint, 54 minutes. The wall is right now. May it wake you?*

# %% [markdown] tags=["topic:L11"]
# ## When may it wake somebody?
#
# An objective of 99.9 % is a **budget**: 1 request in 1,000 may be late or refused. The **burn rate** says how many times too fast it
# goes: 1 is just in time for the month, 14.4 spends the month in 50 hours. The obvious alarm: the last five minutes burn
# faster than 14.4. A service with 40 requests a minute (16 at midnight, 64 at noon) is quite well: 1 in 2,000 is bad. How
# often a month does the alarm wake somebody for nothing?

# %%
### BEGIN SOLUTION
predict("watching.false_pages", low=2, high=30)
### STUB predict("watching.false_pages", ...)
### END SOLUTION

# %% [markdown] tags=["topic:L11"]
# ### Build: two windows
#
# The *Site Reliability Workbook* lets two windows agree: a long one, which says that it matters, and a short one, which
# says that it still goes on. `total` and `bad` are requests in each minute; the first is minute 0. Return all minutes at whose end **both** windows
# (this minute included; at the start as long as there are minutes) have a bad share above `burn` times the budget `1 - objective`. Without requests nothing burns.


# %% tags=["topic:L11"]
def burning(total, bad, objective, burn, long_min, short_min):
    """Return a list of the minutes in which the alarm is on."""
    found = []
    ### BEGIN SOLUTION
    for now in range(len(total)):
        shares = []
        for window in (long_min, short_min):
            inside = slice(max(0, now - window + 1), now + 1)
            shares.append(sum(bad[inside]) / max(1, sum(total[inside])))
        if min(shares) > burn * (1 - objective):
            found.append(now)
    ### END SOLUTION
    return found


# %%
check("watching.burn", burning)

# %% [markdown] tags=["topic:L11"]
# Three incidents, each on a day of its own, of a service with 40 requests a minute: half of all requests fail for ten
# minutes, a tenth for two hours, seven in a thousand for eight. First your rule on the second day.

# %% tags=["topic:L11"]
alarm = piece("watching.burn", burning)
rng = np.random.default_rng(seed)
planted = [Incident(600, 10, 0.5), Incident(600, 120, 0.1), Incident(600, 480, 0.007)]
days = [watching.draw_minutes(np.full(1440, 40.0), 0.0005, [one], rng=rng) for one in planted]
on = alarm(days[1].total.tolist(), days[1].bad.tolist(), 0.999, 14.4, 60, 5)
show(
    figures.burn_windows(days[1], BurnRule(14.4, 60, 5), 0.999, on),
    alt="Burn rate over the last 5 and the last 60 minutes, against the limit of 14.4. The short window "
    "jumps up and falls with the trouble, the long one rises and falls slowly. "
    f"{figures.burn_finding(days[1], BurnRule(14.4, 60, 5), 0.999, on)}.",
)

# %% [markdown] tags=["topic:L11"]
# Now four rules on all three days, and on quiet months; the second pair is 6 h and 30 min. (`least_events`: a window with
# fewer requests wakes nobody. Else the first minutes would, when an hour is still a minute long.)

# %% tags=["topic:L11"]
RULES = {
    "5 min alone": [BurnRule(14.4, 5, 5)],
    "60 min alone": [BurnRule(14.4, 60, 60, least_events=500)],
    "60 and 5 min": (fast := [BurnRule(14.4, 60, 5, least_events=500)]),
    "two pairs": [*fast, BurnRule(6, 360, 30, least_events=500)],
}
quiet, pages = watching.daily_wave(40), {}  # mean requests a minute, for a month
for name, rules in RULES.items():
    rng = np.random.default_rng(seed)
    pages[name] = watching.false_alerts_per_month(
        quiet, 0.0005, rules, 0.999, months=months, rng=rng
    )
outcome("watching.false_pages", pages["5 min alone"][0])

# %% tags=["topic:L11"]
found = {
    name: [watching.judge(day, rules, 0.999).minutes_to_detect[0] for day in days]
    for name, rules in RULES.items()
}
show(
    figures.alarms(pages, found, ["1 in 2 fails", "1 in 10", "7 in 1,000"]),
    alt=f"False alarms a month, and minutes to detect (inf: never), by rule: {figures.alarms_told(pages, found)}.",
)

# %% tags=["solution-only"]
quiet_ones = {
    name: watching.false_alerts_per_month(
        watching.daily_wave(40), 0.0005, rules, 0.999, months=3, rng=np.random.default_rng(7)
    )[0]
    for name, rules in RULES.items()
}
assert quiet_ones["5 min alone"] > 10 and quiet_ones["60 and 5 min"] < 1

# %% [markdown] tags=["topic:L11"]
# ### A window is as good as the bad requests that it takes
#
# At night five minutes hold some 80 requests, and two bad ones are 25 per mille; of fewer than 70 a single one is enough. That is an
# alarm, by chance, about every second night. Even at night an hour holds 960 and takes 14 bad ones, which chance does not make. It costs
# minutes to detect, but large incidents are found fast all the same. (That the five minutes alone find the smallest so
# soon is chance, too.) The short window adds nothing to the finding; it ends the alarm when the trouble ends. And eight
# hours at a burn of 7 need the second pair.
#
# *Where it breaks.* The simulation lets requests fail independently. Real ones fail together, so real false
# alarms are more frequent. And at 4 requests a minute an hour takes only four bad ones: ask for a least number, or send probes
# of your own.
#
# *Checkpoint, 68 minutes. Few may wake you. Many may be looked at.*

# %% [markdown] tags=["topic:L01", "topic:L10"]
# ## What is in no metric
#
# A metric knows no single user. Four requests may be *one* person who tried four times. A **trace** can tell: it has one
# id, and that id goes along from the client to the router, the worker and the kernel.
#
# Nobody keeps all traces. **Head sampling** decides before a request runs, so it keeps a slow request as rarely as any
# other. **Tail sampling** decides at the end: it keeps all late users, and for example a twentieth of the others. One
# that was kept with a chance of 1/20 then stands for 20, that is, for 1 / (its chance).

# %% [markdown] tags=["topic:L01", "topic:L10", "optional"]
# ### How many were late, says a sample? (optional)
#
# Both ways of sampling, on the users of the run:

# %% tags=["topic:L01", "topic:L10", "optional"]
rng = np.random.default_rng(seed)
everybody = recorded.users()
was_late = np.array([user.ttft_s > 1 for user in everybody])
samples = {"head": watching.head_sample(len(everybody), 0.05, rng=rng)}
samples["tail"] = watching.tail_sample(was_late, 0.05, rng=rng)
told = "; ".join(f"{n}: {', '.join(figures.sample_told(was_late, k))}" for n, k in samples.items())
show(
    figures.samples(was_late, samples),
    alt=f"{len(everybody)} users as cells, the late {100 * was_late.mean():.1f} % first. {told}.",
)

# %% [markdown] tags=["topic:L01", "topic:L10", "optional"]
# The tail sample holds every late user, so their share in it is far too high. With the weights the share is right again.
# No late user was left out by chance, so the estimate has no error from sampling: ± 0.

# %% [markdown] tags=["topic:P06", "topic:L18"]
# ## A canary: fast, and wrong?
#
# A fifth server was recorded. It runs a new version, with traffic of the same kind as replica d. Such a server is a **canary**.
#
# For three limits, count the requests whose first token came later. Let the canary's share be at most two percentage
# points above the share of replica d. *Good enough* means that the whole interval of the difference lies below two
# points, *worse* that it lies above, *too early* that it holds both:

# %% tags=["topic:P06", "topic:L18"]
canary, rest = recorded.replicas["canary"], recorded.replicas["d"]


def above(replica, limit_s):
    """Return (requests with a later first token, all)."""
    there = replica.histogram(FIRST, 0, 90)
    return there.count - there.count_up_to(limit_s), there.count


# %% tags=["topic:P06", "topic:L18"]
counts = {f"above {at_s} s": (above(canary, at_s), above(rest, at_s)) for at_s in (0.1, 0.25, 0.5)}
judged = {name: watching.compare(*both, tolerated=0.02) for name, both in counts.items()}
told = "; ".join(
    f"{name} {new[0]} of {new[1]} against {old[0]} of {old[1]}, {100 * judged[name].low:+.1f} to "
    f"{100 * judged[name].high:+.1f} points" for name, (new, old) in counts.items()
)  # fmt: skip
show(
    figures.verdicts(judged, tolerated=0.02),
    alt=f"The canary's share of later first tokens less that of replica d: {told}.",
)

# %% [markdown] tags=["topic:P06", "topic:L18"]
# The canary is much faster. *Too early* stands where few are above the limit on either side: so few cannot
# show two points.
#
# Now look at what it answers. First the length of its answers, which a metric has. Then what no latency says: the loss
# on text that the model has never seen.

# %% tags=["topic:L18"]
import torch

from labutils.serving.checkpoints import course_model, held_out_passages, losses

for replica in (rest, canary):
    tokens = replica.counter("vllm:generation_tokens_total")[-1]
    print(f"{replica.name}: {tokens / replica.counter(ENDED)[-1]:.1f} tokens an answer")
for name in ("target", "draft"):
    model, tokenizer = course_model(name)
    unseen = tokenizer.encode("\n".join(held_out_passages())[:6000])[: 192 * windows]
    with torch.inference_mode():
        loss = losses(model, unseen).windows.mean()
    print(f"{name}: {loss:.2f} nats a token, as unsure as among {np.exp(loss):.0f} equal tokens")

# %% tags=["solution-only"]
judged = {}
for name in ("target", "draft"):
    model, tokenizer = course_model(name)
    unseen = tokenizer.encode("\n".join(held_out_passages())[:6000])[: 192 * 2]
    with torch.inference_mode():
        judged[name] = losses(model, unseen).windows.mean()
assert judged["draft"] > judged["target"] + 0.2

# %% [markdown] tags=["topic:P06", "topic:L18", "topic:Q10"]
# The canary was the draft model of lab 7. Its answers have nearly the same length, none is refused, and all are early. They are
# also worse. Judged by latency alone, it would have gone live.
#
# So an automatic **rollback** needs three columns: late or refused, gaps between tokens, and a quality on fixed prompts.
# If one column says *worse*, roll back. If all three say *good enough*, go on. Otherwise wait for the number of
# requests that was planned: whoever looks each minute gives chance as many chances. Put the version behind a *flag*: then
# the old one is one switch away.
#
# *Checkpoint, 73 minutes. What is not on the wall is not watched.*

# %% [markdown] tags=["topic:P06", "optional"]
# ## How many requests does a canary need? (optional)

# %% tags=["topic:P06", "topic:L18", "optional"]
times_s = [user.ttft_s for name in "ab" for user in recorded.replicas[name].users]
worse = watching.share_above_old_quantile(times_s, 0.99, 1.2)
print(f"a p99 that is 20 % later: {worse:.1%} lie above the old one, instead of 1 %")
print(f"the canary needs {watching.canary_size(0.01, worse, ratio=9):,} requests to show it")
wrong = watching.peeking_false_alarms(10, 500, 0.01, ratio=9, rng=np.random.default_rng(seed))
print(f"whoever looks ten times rolls back a good version in {wrong:.0%} of cases")

# %% [markdown] tags=["topic:P06", "topic:L18", "optional"]
# (`ratio=9`: of ten requests the canary gets one.) So fix the number of requests before, and look once.

# %% [markdown] tags=["topic:L06", "topic:L07", "topic:L09", "optional"]
# ## Below the server: devices, memory, profilers (optional)
#
# A wall says which replica. A **profiler** says which kernel, and it is no wall: it slows down what it watches.
#
# | question | counter | tool |
# | --- | --- | --- |
# | is the device busy, or only occupied? | SM activity, tensor-core activity | DCGM, Nsight Systems |
# | is memory the limit? | bandwidth of HBM, hits in L2 | Nsight Compute, rocprof |
# | do cards wait for each other? | NVLink, XGMI, PCIe bytes | Nsight Systems, Omnitrace |
# | is memory lost between allocations? | reserved less allocated | `torch.cuda.memory_stats` |
# | does memory move? | page faults, migrations | Nsight Systems |
# | which operator? | calls, own time | `torch.profiler` |
#
# "GPU 100 % busy" means that some kernel ran, with one row or with a thousand. One step of the course's engine:

# %% tags=["nbval-ignore-output", "topic:L09", "optional"]
import os

from torch.profiler import ProfilerActivity, profile

from labutils.engine import Engine

os.environ["KINETO_LOG_LEVEL"] = "99"  # or the profiler's library tells of each start
engine = Engine(model, tokenizer=tokenizer)
for prompt in held_out_passages()[:4]:
    engine.add_request(prompt[:200], max_output_tokens=4)
with profile(activities=[ProfilerActivity.CPU]) as profiled:
    engine.step()
found = sorted(profiled.key_averages(), key=lambda one: -one.self_cpu_time_total)
for one in found[:6]:
    print(f"{one.key:28} {one.count:4} calls {one.self_cpu_time_total / 1e3:7.2f} ms")
assert found[0].count > 0

# %% [markdown] tags=["topic:L11", "optional"]
# ## The server of the live wall, in code (optional)
#
# What the buttons do, without them. Most of the burst is refused:

# %% tags=["nbval-ignore-output", "topic:L11", "optional"]
from labutils.live import LiveService
from labutils.telemetry.watching import Scrapes

with LiveService(seed) as service:
    service.inject("burst")
    service.follow(watched_s)  # read /metrics again and again
seen, REFUSED = Scrapes(service.scrapes), "vllm:request_refused_total"
print(f"{seen.rate(REFUSED, 0, 9, {'code': 'over_budget'}):.1f} requests a second over the budget")
assert seen.increase(REFUSED, 0, 9) > 0

# %% [markdown] tags=["topic:L11", "topic:L18", "optional"]
# ## Who may wake you? (optional)
#
# | | signal | | signal |
# | --- | --- | --- | --- |
# | a | KV cache in use | g | prefix cache hits |
# | b | accepted draft tokens | h | requests running |
# | c | end-to-end latency | i | requests waiting |
# | d | failed requests | j | time in the queue |
# | e | gap between tokens | k | time to first token |
# | f | preemptions | l | tokens generated |
#
# For each: `page` or `look`? (What users feel at once may page: the share beyond what was promised is its budget.)

# %% tags=["optional"]
### BEGIN SOLUTION
answer = dict.fromkeys("abcfghijl", "look") | dict.fromkeys("dek", "page")
### STUB answer = dict.fromkeys("abcdefghijkl", ...)
### END SOLUTION
check("watching.signals", answer)

# %% [markdown] tags=["topic:L11", "topic:L18", "topic:Q10"]
# ## What to do on Monday morning
#
# 1. **Ask of each panel**: whose requests, over which time, put together how? Delete what no question needs.
# 2. **Put *late or refused, of all that asked* first**, and count it where users are: in the client, or at a
#    proxy that knows which tries belong together.
# 3. **Put an edge of the histogram at each promised limit**, and sum buckets before any quantile.
# 4. **Page on the budget**, over two windows; everything else may be looked at.
# 5. **Keep the late traces**, with their weights, and one id from client to kernel.
# 6. **Put a quality beside each latency**, or a fast wrong model goes live.
#
# | real systems call it | where |
# | --- | --- |
# | `histogram_quantile(0.99, sum by (le) (rate(…_bucket[5m])))` | PromQL: the sum inside |
# | `vllm:time_to_first_token_seconds`, `vllm:inter_token_latency_seconds` | vLLM's `/metrics` |
# | `gen_ai.server.time_to_first_token` | OpenTelemetry's conventions for generative AI (status: development) |
# | `tail_sampling` | OpenTelemetry Collector, a processor |

# %% [markdown]
# ## Sources
#
# - B. Beyer and others (eds), *The Site Reliability Workbook*, 2018, chapter 5: alerting on objectives, with two windows.
# - Prometheus, *Histograms and summaries*, and `promql/quantile.go`: what `histogram_quantile` computes.
# - D. G. Horvitz and D. J. Thompson, *A generalization of sampling without replacement*, JASA 47, 1952: weights of 1 / chance.
# - P. Armitage, C. K. McPherson and B. C. Rowe, *Repeated significance tests on accumulating data*, JRSS A 132, 1969.
# - vLLM, *Production metrics*; OpenTelemetry, *Semantic conventions for generative AI*. Read in November 2026; names move.
