# ---
# jupyter:
#   course:
#     order: 19
#     slug: fleet_on_ray
#     title: A fleet on Ray Serve
#     question: One of three servers dies in the middle of its answers. Who tells the users, and who brings it back?
#     minutes: 82
#     needs: [streaming_server, many_replicas, watching]
#     folder: labs
#     gpu: false
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown] tags=["topic:K06"]
# Lab 8's server is one process. When one machine is outgrown, something has to start replicas, notice the dead, bring
# up new ones, and replace them all with the next version while users read. Nobody should write that. This lab uses
# **Ray Serve** for it, and you keep what is yours: your engine (lab 6), your server (lab 8) and your router (chapter
# 14), unchanged.
#
# You write what Ray cannot know: what a client hears when its replica is gone, how counters of a changing fleet are
# added, and who says that a new version is good. Then you kill a replica under load, open a sealed prediction, let
# the fleet grow, and roll a bad version back.
#
# Ray is an extra of 465 MB, and no part of the course's own packages. **Where it is not installed, each experiment
# shows a recorded run and says so.** Everything you write is checked either way. To run them yourself, install what
# the next cells name, and restart the kernel. Each experiment starts a Ray of its own on 127.0.0.1 and ends it: that
# takes about 20 seconds, and 2 GB of memory while it lasts. All six take six minutes.

# %%
import threading
import time
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Mapping, Sequence

import httpx
import numpy as np

from labutils import ray_fleet
from labutils.exercises import check, hint, outcome, piece, predict, reveal
from labutils.exercises.catalog.fleet_on_ray import lab9_loads as load
from labutils.exercises.catalog.fleet_on_ray.told import heard_through

# %%
from labutils.exercises.catalog.streaming_server import lab8_servers as kit
from labutils.loadtest import Arrivals, closed_plan, open_plan, run_load
from labutils.ray_fleet import trial
from labutils.ray_fleet.door_desk import Asked
from labutils.ray_fleet.passing_on import ReplicaLost
from labutils.serving.replicas import leading
from labutils.telemetry.watching import compare
from labutils.viz import show
from labutils.viz.figures import ray_fleet as figures
from labutils.viz.figures.streams import loads_figure
from labutils.viz.figures.watching import verdicts

print(ray_fleet.missing() or "Ray is installed: the experiments run here.")

# %% tags=["parameters"]
seed = 7  # every random draw follows from it
calibrating_s = 4.0  # for the cost of a step
seconds = 12.0  # of each load

# %% [markdown] tags=["topic:K06"]
# ## Three replicas, one file
#
# Ray's words, once:
#
# | part | what it does |
# | --- | --- |
# | head node | knows which machines and which actors there are |
# | raylet | one on each machine: starts processes there |
# | controller | of Serve: how many replicas there should be, and are |
# | proxy | speaks HTTP, and passes requests on |
# | deployment | a class and how many replicas of it; an **application** is several of them |
# | handle | how one deployment calls another; its router picks the replica |
#
# Over HTTP Ray's own router sees bytes, never a prompt. So this application has two deployments. The **door** reads
# the prompt, asks your router, and calls the replica by its handle. A **replica** holds your server of lab 8. These
# are the parts (`labutils.ray_fleet.application` puts them together):

# %% tags=["topic:K06"]
Router = piece("many.two", ...)  # yours of chapter 14, or the course's
parts = {"server": kit.server_of(), "engine": load.engine, "router": Router(seed), "replicas": 3}
asked = {"prompt": "A queue grows when", "max_tokens": 12, "temperature": 0, "stream": True}


def first_answer(url):
    """One streamed answer, who wrote it, and what each replica says of itself."""
    with httpx.stream("POST", f"{url}/v1/completions", json=asked, timeout=60) as response:
        lines = [line for line in response.iter_lines() if line]
    ready = [httpx.get(f"{url}/replicas/{number}/ready").text for number in range(3)]
    return {"by": response.headers["x-replica"], "lines": lines, "ready": ready,
            "weighs": ray_fleet.weighs()}  # fmt: skip


# %% tags=["nbval-ignore-output", "topic:K06"]
first = trial("first answer", first_answer, **parts)
print(*first["lines"][:2], "…", first["lines"][-1], sep="\n")
print(f"written by replica {first['by']}; ready? {first['ready']}")
print("{processes} processes, {mb} MB, {ports} ports".format(**first["weighs"]), end=", all on ")
print(*first["weighs"]["addresses"])

# %% tags=["solution-only"]
assert first["lines"][-1] == "data: [DONE]" and first["weighs"]["addresses"] == ["127.0.0.1"]

# %% [markdown] tags=["topic:K06"]
# It is lab 8's answer, with one more header: `x-replica`. Each replica still has its own `/ready` and `/metrics`,
# under `/replicas/1/…`.
#
# By its defaults Ray listens on all interfaces of the machine, and whoever reaches it can run code there. Here every port
# is kept on the loopback, and a token is asked for. On a cluster that is the work of a network of its own.
#
# **The same parts run on a cluster.** `trial` starts Ray (`ray_fleet.local_ray`) and calls `ray_fleet.serving(**parts)`.
# For a cluster, `ray start --head` runs on one machine and `ray start --address=…` on the others; `ray.init(address)`
# takes the place of `local_ray`, and nothing else changes. (Tried on two machines that were network namespaces of one; see
# the stretches.)
#
# Each engine's steps rest for 30 ms. Three engines on the cores of one machine would wait for each other, and no fleet
# is like that: a rest takes no core, as a GPU's work takes none.
#
# *Checkpoint, 11 minutes. Three of your servers answer behind one door.*

# %% [markdown] tags=["topic:O06", "topic:O22"]
# ## Build 1: whatever happens, the client hears it
#
# A replica is a process, and it can be gone between two tokens: out of memory, a driver's error, a machine that is
# taken away. The status 200 went out long ago. Ray ends the answer with an exception in the door. If the door does
# nothing, the client's connection ends without `[DONE]` and without a reason.
#
# May the door ask another replica? **Before the first byte, yes**: nobody has seen anything. After it, no: another
# replica would begin anew, and a client would read a sentence twice, or two halves that do not fit. So the door says
# so, in lab 8's words: `event: error`, and the client decides. (`told` never asks again, that is a stretch.)
#
# Write `told`, which the door streams from. It is an asynchronous generator.
#
# - `pieces` is an asynchronous iterator of bytes: what the replica sends. Pass each piece on as it comes.
# - It raises `ReplicaLost` when the replica is gone. Then the last piece is `self.error_event()`.
# - `self.over` takes `asked` and tells the **desk** that it is over. The desk is the part of the door that counts what is
#   in flight where, and your router reads it. Neither method is awaited.
#
# Four ends (a client may leave while the door waits for a piece, or while it hands one over):
#
# | end | by hand: pieces at 10, 20 and 30 ms | the client hears | the desk |
# | --- | --- | --- | --- |
# | whole | nothing happens | three pieces | hears `over` once |
# | lost | the replica dies at 25 ms | two pieces, the error event | the same |
# | left | the client goes at 25 ms | two pieces | the same |
# | broken | another error, at 25 ms | two pieces, and the error is raised | the same |
#
# **The invariant:** *each request ends by [DONE], by an error event or by its client's own leaving, and the desk forgets
# it once.*


# %% tags=["topic:O06", "topic:O22"]
### INCLUDE labutils.ray_fleet.passing_on:Telling.told


# %%
check("ray.told", heard_through(told))

# %% [markdown]
# Stuck? `hint("ray.told")` in a cell of your own, up to three times; `reveal` explains. `heard_through(...)` runs your
# method on a simulated clock. Its cases say the gaps between pieces in ms, how the answer ends, and after how many
# pieces the client leaves, if it does.
#
# *Checkpoint, 26 minutes. Next: a real kill.*

# %% [markdown] tags=["topic:O06", "topic:O03"]
# ## Kill one of three
#
# Nine users, each with a question as soon as the last one was answered. After 4 seconds replica 1 is killed with SIGKILL,
# which no process can hear. The answers have 48 tokens and take a second and a half. **How many answers end in the
# middle?**

# %%
### BEGIN SOLUTION
predict("ray.killed", low=2, high=4)
### STUB predict("ray.killed", ...)
### END SOLUTION

# %% [markdown] tags=["topic:O03"]
# And for how long are there two? Ray asks each replica once a second whether it is well, and then starts a process,
# which loads torch and a model. **How many seconds are there from the kill until three answer again?**

# %%
### BEGIN SOLUTION
predict("ray.back", low=4, high=15)
### STUB predict("ray.back", ...)
### END SOLUTION

# %% tags=["topic:O06", "topic:O03"]
COUNTED, kill_s = "vllm:generation_tokens_total", 4.0
users = closed_plan(9, seconds + 8, [load.kind(max_tokens=48)], seed=seed)


def kill_one(url):
    """How every answer of a load ended, and what each replica had counted when."""
    load.warmed(url)
    with ray_fleet.Watch(url, COUNTED) as seen:
        threading.Timer(kill_s, ray_fleet.kill, [url, 1]).start()
        records = run_load(users, load.target(url)).records
    return {"rows": ray_fleet.rows_of(records), **seen.told()}


# %% tags=["nbval-ignore-output", "topic:O06", "topic:O03"]
parts["told"] = load.passing(told)
killed = trial("killed", kill_one, **parts)
back_s = next(at for at, up in zip(killed["times_s"], killed["up"]) if 3 in up)
ends = Counter(row["ended"] for row in killed["rows"])
print(dict(ends))
outcome("ray.killed", ends["an error event"])
outcome("ray.back", round(back_s - kill_s, 1))

# %% tags=["nbval-ignore-output", "topic:O06", "figure:killed"]
show(
    figures.answers(
        killed["rows"], {"killed": kill_s, "three again": back_s},
        title=f"{ends['an error event']} answers end in an error event, {ends['lost unsaid']} unsaid; "
        f"three replicas again after {back_s - kill_s:.1f} s"),
    alt=figures.answers_in_words(killed["rows"]),
)  # fmt: skip

# %% tags=["solution-only"]
assert ends["lost unsaid"] == 0 < ends["done"] and back_s > kill_s

# %% [markdown] tags=["topic:O06", "topic:O03"]
# Each line is an answer, from its question (the tick) to its end; a cross is an answer that broke. *Lost unsaid* would be
# one that ended with neither `[DONE]` nor an error event. (Ray says at length that a worker died. It did.)
#
# Whoever had an answer on that replica was told. Of the others one at a time may have waited: two replicas have eight
# places for nine users. The new one is not the old one: it has another number, and its cache is empty.
#
# A client that hears the error event can ask again, with a limit to how often (chapter 14). The door could do it as
# long as nothing was sent. To go on in the middle, somebody has to keep what was written so far, and the state of the
# generator that samples.
#
# *Checkpoint, 35 minutes. Nobody was lost unsaid.*

# %% [markdown] tags=["topic:L03", "topic:L08"]
# ## Build 2: the rate of a fleet whose members change
#
# While that ran, the tokens that each replica had counted were scraped twice a second. The obvious way to a rate of the
# fleet: add the counters at each moment, and take the rise of the sum.

# %% tags=["nbval-ignore-output", "topic:L03", "topic:L08", "figure:fleet_counters"]
times_s, counts = killed["times_s"], killed["counts"]
sums = [sum(scrape.values()) for scrape in counts]
of_sum = (sums[-1] - sums[0]) / (times_s[-1] - times_s[0])
show(
    figures.counters(
        times_s, counts, title=f"The rise of the sum says {of_sum:.0f} tokens a second"
    ),
    alt=figures.counters_in_words(times_s, counts),
)

# %% [markdown] tags=["topic:L03", "topic:L08"]
# The sum *falls* when a replica is gone with its counter, and a fall says nothing of what was served. Chapter 13
# mended a counter that starts anew. On the sum that repair is worse still: after a fall, *everything* that the two
# others ever counted passes for new. (Both numbers come below, beside yours.)
#
# So: **first the rise of each replica, then the sum.** Write it. In `scrapes` stands, for each of `times_s`, the
# counter of each replica that answered.
#
# - A counter that fell has started anew at 0.
# - A replica that was not there before started at 0, too: what it shows was counted since. (What those of the first
#   scrape had counted before it does not belong here.)
# - One that misses a scrape and answers the next one is the same one.
#
# | at | replica 0 | replica 1 | replica 2 | counted |
# | --- | --- | --- | --- | --- |
# | 0 s | 100 | 400 | | |
# | 2 s | 130 | | | 30 |
# | 5 s | 10 | | 20 | 10 + 20 |
#
# Together 60 in 5 s: 12 a second. The sums were 500, 130 and 30.


# %%
def fleet_rate(times_s: Sequence[float], scrapes: Sequence[Mapping]) -> float:
    """Return what the whole fleet counted per second, from the first scrape to the last.

    ``scrapes``: at each of ``times_s``, the counter of every replica that answered.
    """
    ### BEGIN SOLUTION
    counted, last = 0, dict(scrapes[0])
    for scrape in scrapes[1:]:
        for replica, value in scrape.items():
            before = last.get(replica, 0)
            counted += value - before if value >= before else value
        last |= scrape
    return counted / (times_s[-1] - times_s[0])
    ### END SOLUTION


# %%
check("ray.rate", fleet_rate)

# %% tags=["nbval-ignore-output", "topic:L03", "topic:L08"]
per_s = piece("ray.rate", fleet_rate)(times_s, counts)
read = 48 * ends["done"] / max(row["finish_s"] for row in killed["rows"])
print(f"{per_s:.0f} tokens a second were counted, {read:.0f} a second were read in whole answers")
mended = piece("watching.rate", ...)(times_s, sums)
print(f"the rise of the sum said {of_sum:.0f}; with chapter 13's repair on the sum, {mended:.0f}")

# %% [markdown] tags=["topic:L03", "topic:L08"]
# Counted are also the tokens of the answers that broke, and the load ends before the last scrape's second does. Within
# these few percent both agree.
#
# In PromQL: `sum(rate(vllm:generation_tokens_total[1m]))`, never `rate(sum(…))`. Prometheus knows a replica by its
# labels; what a new one counted before its first scrape is lost to it. Latencies are summed in the same order: the
# buckets of each, then the quantile (chapter 13).
#
# *Checkpoint, 47 minutes. You can count a fleet that changes.*

# %% [markdown] tags=["topic:L12", "topic:K06"]
# ## The envelope
#
# Chapter 14's simulator says what such a fleet does. It needs your router, and the cost of a step while *all three*
# compute, since they share a machine. Besides there is the **way**: proxy, door, handle, and back for each token. Two
# numbers stand for it, from requests that come alone: what it adds to the first token, and to each step.
#
# Then requests come at random, 6 and 15 a second, for answers of 16 tokens. Each replica has four places, and a step
# takes a little over 30 ms. **How many times as long is the median TTFT at the higher rate as that of a request alone?**

# %%
### BEGIN SOLUTION
predict("ray.ttft", low=1, high=2)
### STUB predict("ray.ttft", ...)
### END SOLUTION

# %% tags=["topic:L12", "topic:K06"]
rates = (6, 15)
lone = open_plan(Arrivals.evenly(2), seconds, [load.kind()], seed=seed)
plans = [open_plan(Arrivals.poisson(rate), seconds, [load.kind()], seed=seed) for rate in rates]


def envelope(url):
    """What the simulator says of each plan, sealed; and what was measured."""
    load.warmed(url)
    costs = load.costs(calibrating_s, seed)
    return load.envelope(url, lone, plans, costs, lambda: Router(seed))


# %% tags=["nbval-ignore-output", "topic:L12", "topic:K06"]
opened = trial("envelope", envelope, **parts)
alone_ms, busy_ms = (one["TTFT p50"] for one in (opened["alone"], opened["found"][1]))
outcome("ray.ttft", round(busy_ms / alone_ms, 2))
print(f"median TTFT {alone_ms:.0f} ms alone, {busy_ms:.0f} ms at 15 a second")
print("sealed {sealed}, opened {opened}; the way: {first_ms:.0f} ms to the first token, {step_ms:.1f} "
      "ms on each step".format(**opened))  # fmt: skip
per_s = [(one.pop("answers per s"), other.pop("answers per s"))
         for one, other in zip(opened["said"], opened["found"])]  # fmt: skip
print("answers a second, said and found:", *(f"{one:.1f} and {other:.1f}" for one, other in per_s))

# %% tags=["nbval-ignore-output", "topic:L12", "topic:K06", "figure:ray_envelope"]
by_name = {which: {name: {rate: one[name] for rate, one in zip(rates, opened[which])}
                   for name in opened["said"][0]} for which in ("found", "said")}  # fmt: skip
show(
    loads_figure(by_name["found"], by_name["said"], load_in_words="{:g} a second"),
    alt="Said and measured, in ms. " + "; ".join(
        f"{name} at {rate} a second: {said:.0f} and {by_name['found'][name][rate]:.0f}"
        for name, row in by_name["said"].items() for rate, said in row.items()),
)  # fmt: skip

# %% tags=["solution-only"]
assert opened["sealed"] == opened["opened"] and opened["first_ms"] > opened["step_ms"] > 0

# %% [markdown] tags=["topic:L12", "topic:K06"]
# The simulator knows steps, places and your router; the way it knows from requests that came alone. That holds while
# the way is mostly idle. Proxy and door are *one* process each, and every token of all three replicas goes
# through them. The simulator has no queue there, so it says too little, and more so at the higher rate. Here the engines
# rest for 30 ms a step. With steps of 3 ms the door would be what is busy (not run here).
#
# In production the same is measured at the gateway: its processor, before the GPUs' queue. What helps is to send
# several tokens in an event (lab 8's `--stream-interval`), more doors, and proxies that are not written in Python.
#
# *Checkpoint, 55 minutes. A sealed prediction met a fleet.*

# %% [markdown] tags=["topic:I07", "optional"]
# ## Ray's own router beside yours (optional)
#
# Ray has a router by prefix, too. It keeps the prompts that it has sent where, and by its defaults knows no bound. Seven
# assistants have prompts with a beginning of 64 words each; 6 requests come a second. Beside it your two choices, and
# chapter 14's rule by prefix with a bound of 1.25.


# %% tags=["topic:I07", "optional"]
class ByPrefix:
    """Chapter 14's router, with your rule or the course's."""

    def __init__(self, bound):
        self.bound, self.sent, self.rule = bound, defaultdict(set), piece("many.prefix", ...)

    def choose(self, request, views):
        found = [leading(request.pages, self.sent[at]) for at in views.up]
        loads = [views.in_flight[at] for at in views.up]
        best = views.up[self.rule(found, loads, self.bound)]
        self.sent[best].update(request.pages)
        return best


# %% tags=["topic:I07", "optional"]
RAYS = "ray.llm._internal.serve.routing_policies.prefix_aware.prefix_aware_router"
ways = {"two choices": {"router": Router(seed)}, "yours, by prefix": {"router": ByPrefix(1.25)},
        "Ray's, by prefix": {"rays_router": f"{RAYS}:PrefixCacheAffinityRouter"}}  # fmt: skip
load_by_prefix = load.assistants(7, 6, seconds, seed)


def race(url):
    """What each router finds in caches, on fresh replicas and the same load."""
    found = {}
    for name, way in ways.items():
        ray_fleet.deployed("raced", **{**parts, **way})
        found[name] = load.raced(f"{url}/raced", load_by_prefix)
        ray_fleet.removed("raced")
    return found


# %% tags=["nbval-ignore-output", "topic:I07", "optional"]
for name, row in trial("routers", race, **{**parts, "replicas": 1}).items():
    print(
        "{:18} {found:.0f} % of prompt tokens found, median TTFT {TTFT p50:.0f} ms".format(
            name, **row
        )
    )

# %% [markdown] tags=["topic:I07", "optional"]
# The more a router knows of prompts, the more is found, and the fuller the replicas that it prefers. Prompts are short
# here, so what is found saves little, and who waits for a place pays more than that. With prompts of thousands of
# tokens it is the other way round (chapter 14). Ray's takes a threshold of imbalance that brings the bound back
# (`imbalanced_threshold`).

# %% [markdown] tags=["topic:I08", "topic:P03"]
# ## Let it grow: requests in flight
#
# Chapter 14 found which signal to scale on: requests in flight. Ray Serve has it as
# `target_ongoing_requests`. One replica, at most three, two requests each. Nine users begin at once.
#
# Ray looks back over 2 s and waits for 1 s before it orders more (its defaults are 30 s for both, and 600 s before it
# lets one go). Then a replica has to start. **How many seconds after the first request do three replicas answer?**

# %%
### BEGIN SOLUTION
predict("ray.grown", low=4, high=15)
### STUB predict("ray.grown", ...)
### END SOLUTION

# %% tags=["topic:I08", "topic:P03"]
growing = {
    "min_replicas": 1, "max_replicas": 3, "initial_replicas": 1, "target_ongoing_requests": 2,
    "metrics_interval_s": 0.5, "look_back_period_s": 2,
    "upscale_delay_s": 1, "downscale_delay_s": 3,
}  # fmt: skip


def grow(url):
    """Who is up while nine users ask, and for a while after they have gone."""
    load.warmed(url)
    with ray_fleet.Watch(url, COUNTED) as seen:
        records = run_load(users, load.target(url)).records
        time.sleep(seconds)
    return {"rows": ray_fleet.rows_of(records), **seen.told()}


# %% tags=["nbval-ignore-output", "topic:I08", "topic:P03", "figure:ray_grown"]
grown = trial("grown", grow, **{**parts, "autoscaling": growing})
many = [len(up) for up in grown["up"]]
grown_s = next(at for at, up in zip(grown["times_s"], many) if up == 3)
outcome("ray.grown", round(grown_s, 1))
early, late = (
    np.median([row["ttft_s"] for row in grown["rows"] if (row["sent_s"] > grown_s) == after])
    for after in (False, True)
)
told_so = f"Median first token: {early:.2f} s until three replicas are up, {late:.2f} s then"
show(figures.scaling(grown["times_s"], many, grown["rows"], title=told_so),
     alt=f"{told_so}. One replica, three at {grown_s:.1f} s, {many[-1]} at the end.")  # fmt: skip

# %% [markdown] tags=["topic:I08", "topic:P03"]
# Until then nine users share four places, and most of them wait for a whole answer of somebody else's. Look at what the
# seconds consist of: the look-back and the delay are settings. The start of a process with torch and a model in it is
# not, and a real replica reads gigabytes of weights (chapter 14: 40 to 240 s). With those nobody scales into a burst of
# 20 s. For that there are spare replicas, or a refusal at once.
#
# On the way down the last users have gone, and the settings let two replicas go after the look-back and 3 s. In
# production the delay down is long (600 s), since a replica that comes back begins with an empty cache.
#
# *Checkpoint, 61 minutes. The fleet grew by requests in flight.*

# %% [markdown] tags=["topic:P06", "topic:L18"]
# ## Build 3: who says that the new version is good?
#
# A new version first gets one replica beside the three: a **canary**. Chapter 13 compares its share of bad requests with
# that of the others, and has three words: *worse*, *good enough*, and *too early* while the interval holds what is
# tolerated. Somebody has to decide from them, and nobody wants to be woken for it:
#
# - Chapter 13's alarm rings for the canary (`is_burning`): roll back now, whatever was planned.
# - In some column the canary has fewer requests than were planned: wait. Chapter 13 rolled back at the first *worse*;
#   here even *worse* waits, since whoever judges at each look gives chance many chances. The alarm does not wait.
# - The plan is met and every column is *good enough*: go on.
# - Else roll back. *Too early* at the end of the plan is no proof, and the burden of proof is on the new version.
#
# `compare(canary, rest, tolerated=most).word` is chapter 13's, and each column has what is tolerated in it.


# %%
def decided(columns: Sequence[tuple], planned: int, is_burning: bool = False) -> str:
    """Return "wait", "go on" or "roll back".

    Each of ``columns`` has (bad, all) of the canary, (bad, all) of the others, and the tolerated
    difference of their shares. ``planned``: requests of the canary before anybody judges.
    """
    ### BEGIN SOLUTION
    if is_burning:
        return "roll back"
    if min(canary[1] for canary, _, _ in columns) < planned:
        return "wait"
    words = {compare(canary, rest, tolerated=most).word for canary, rest, most in columns}
    return "go on" if words == {"good enough"} else "roll back"
    ### END SOLUTION


# %%
check("ray.canary", decided)

# %% [markdown] tags=["topic:P06", "topic:L18"]
# Two versions want to go live. One has a smaller model in it, and nobody has noticed. The other one has eight places
# in place of four. Each stands beside the three for a load, with three users, while nine ask the others. There are
# three columns: first tokens later than 0.4 s, more than 60 ms a token, and greedy answers of 8 tokens to 60 fixed
# prompts that are not the others' answers. Thirty requests are planned, ten points are
# tolerated in each. **Which share of the smaller model's answers differs from
# the others'?**

# %%
### BEGIN SOLUTION
predict("ray.changed", low=0.3, high=1)
### STUB predict("ray.changed", ...)
### END SOLUTION


# %% tags=["topic:P06", "topic:L18"]
def versions(url):
    """By each version, what is compared of it and the three replicas that serve."""
    load.warmed(url)
    found = {}
    for name, engine in (("smaller model", load.smaller), ("eight places", load.wider)):
        ray_fleet.deployed("canary", **{**parts, "engine": engine, "replicas": 1})
        load.warmed(f"{url}/canary")
        found[name] = load.columns(f"{url}/canary", url, seconds, seed)
        ray_fleet.removed("canary")
    return found


# %% tags=["nbval-ignore-output", "topic:P06", "topic:L18", "figure:ray_canary"]
compared = trial("versions", versions, **parts)
decide = piece("ray.canary", decided)
for name, columns in compared.items():
    (changed, all_of_them), *_ = columns["in answers"]
    print(f"{name}: {changed} of {all_of_them} answers changed; {decide([*columns.values()], 30)}")
changed, all_of_them = compared["smaller model"]["in answers"][0]
outcome("ray.changed", round(changed / all_of_them, 2))
judged = {column: compare(*both, tolerated=most)
          for column, (*both, most) in compared["smaller model"].items()}  # fmt: skip
show(verdicts(judged, tolerated=0.1, of="bad"), alt="; ".join(
    f"{column}: {told.word}, {100 * told.low:+.0f} to {100 * told.high:+.0f} points"
    for column, told in judged.items()))  # fmt: skip

# %% [markdown] tags=["topic:P06", "topic:L18"]
# By latency alone the smaller model would have gone live. No clock says that its answers differ. The column needs no
# judge of quality: a version that claims to answer the same must answer the same, greedily, on prompts that are written
# down.
#
# It needs a control, too. Numbers are rounded in another order when a batch has another size, and a greedy answer can
# turn at a tie. The second version has other batches; its changed answers say how much of that there is: here none.
#
# *Checkpoint, 74 minutes. One was rolled back, one may go on.*

# %% [markdown] tags=["topic:P08", "topic:O06"]
# ## The rolling update
#
# The second version goes live while nine users ask. `deployed` with the same name replaces the replicas one after the
# other; the door stays. A replica that is to go takes no new requests, and has `drain_s` for those it holds (5 s here).
# **How many answers are lost unsaid or broken?**

# %%
### BEGIN SOLUTION
predict("ray.rolled", low=0, high=1)
### STUB predict("ray.rolled", ...)
### END SOLUTION


# %% tags=["topic:P08", "topic:O06"]
longer = closed_plan(9, 2.5 * seconds, [load.kind(max_tokens=48)], seed=seed)


def roll(url):
    """How every answer of a load ended, while all replicas are replaced."""
    load.warmed(url)
    with ray_fleet.Watch(url, COUNTED) as seen:
        new = {**parts, "engine": load.wider}
        update = threading.Timer(kill_s, ray_fleet.deployed, ["fleet"], new)
        update.start()
        records = run_load(longer, load.target(url)).records
        update.join()
    return {"rows": ray_fleet.rows_of(records), **seen.told()}


# %% tags=["nbval-ignore-output", "topic:P08", "topic:O06", "figure:ray_rolled"]
rolled = trial("rolled", roll, **parts)
all_new_s = next(
    at for at, up in zip(rolled["times_s"], rolled["up"]) if len(up) == 3 and min(up) > 2
)
broken = sum(row["ended"] != "done" for row in rolled["rows"])
outcome("ray.rolled", broken)
show(
    figures.answers(
        rolled["rows"], {"update begins": kill_s, "all are new": all_new_s},
        title=f"Three replicas are replaced in {all_new_s - kill_s:.0f} s, {broken} of "
        f"{len(rolled['rows'])} answers broken"),
    alt=figures.answers_in_words(rolled["rows"]),
)  # fmt: skip

# %% [markdown] tags=["topic:P08", "topic:O06"]
# Each replica of the old version finishes what it holds, while the other two and the new ones take the rest. Your
# `drained` of lab 8 does that in one process; here Ray does it with `graceful_shutdown_timeout_s`. Set it
# below the longest answer, and the update breaks answers: each of them would end in your error event.
#
# While one is gone, two do the work of three. An update at the daily peak is a capacity of two thirds for as long as
# three starts take.
#
# *Checkpoint, 81 minutes. A whole fleet was replaced, and nobody noticed.*
#
# ## Nothing is left
#
# Each experiment ends its Ray: at its end, at an interrupt, and if the kernel is killed. A process of its own keeps Ray.
# It waits for the end of its standard input, which comes when whoever started it is gone, for whatever reason. On
# Linux all of Ray's processes are its descendants then, and it ends them. A file with the token stays in `my/ray`.
#
# ## What to do on Monday morning
#
# 1. **Kill a replica under load**, and count how its answers ended. None may be lost unsaid.
# 2. **Look at your dashboards' queries** for `rate(sum(…))`.
# 3. **Time a start** from the kill to the first answer. Every number of your autoscaler and your updates depends on it.
# 4. **Write down who rolls back**: which columns, how many requests, what is tolerated.
# 5. **Deploy in the middle of a load test.** A drain that is shorter than the longest answer breaks answers.
#
# ## Stretch
#
# - **Two machines.** On Linux, `unshare --map-root-user --net python -m benchmarks.ray_two_machines` makes two network
#   namespaces with a cable between them, starts Ray in each, serves this fleet on both, and kills all that runs on the
#   second. Who would have told Ray is gone, too, so heartbeats have to be missed: replicas came back after 8 to 24 s. Look
#   where the door was. If it was lost as well, nobody is there to tell: eight of nine users heard nothing. That is why a
#   client counts an answer without `[DONE]` as lost, and why more than one door stands on more than one machine.
# - **Ask again.** A door that asks another replica as long as nothing was sent. How often at most?
#
# ## Sources
#
# - Ray 2.60, *Ray Serve*: architecture, autoscaling, request routers, rolling updates (read November 2026).
# - Prometheus, *Query functions*: `rate`, and "rate then sum" (read 2026).
# - A. Agresti and B. Caffo, 2000: the interval behind `compare`.
# - WHATWG, *HTML Standard*, section 9.2: event streams.
