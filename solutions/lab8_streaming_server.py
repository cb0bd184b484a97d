# ---
# jupyter:
#   course:
#     order: 18
#     slug: streaming_server
#     title: A streaming server under load
#     question: Your engine is fast, and users see nothing for seconds. What has to stand between it and them?
#     minutes: 96
#     needs: [continuous_batching, promises]
#     folder: labs
#     gpu: false
#     small: {sizes: [1, 8], rounds: 1, seconds: 0.6, flood_s: 0.5, calibrating_s: 0.1, most: 4, processes: 1, long_answer: 24}
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown] tags=["topic:P01", "topic:P02"]
# An engine computes one step at a time. Users come when they like, read at their own pace, and close their
# browsers in the middle of a sentence. Between the two stands a **server**: it lets requests in or turns them
# away, sends each token as it comes, notices who has left, and ends without cutting anybody off.
#
# You write the five methods in which it decides, for the course's small server (`labutils.server`, described in
# `docs/server.md`). It speaks the protocol of OpenAI, so `curl` and the official client work unchanged. Then you
# fit a model of it, **seal** a prediction of its latency over HTTP, and measure. At last you break it, on purpose.
#
# In production there are more layers: a gateway (who is it, which replica?), a queue, a batcher, the model's
# server. Each of them has the five questions of this lab. The engine here is the course's. Everything runs on this
# machine, on 127.0.0.1, with servers that live as long as a `with` block.

# %%
import asyncio
import json
import math
import os
import time
from collections.abc import Callable, Sequence

os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")  # before torch: waiting threads sleep
import httpx
import torch

from labutils.exercises import check, hint, outcome, predict, reveal
from labutils.exercises.catalog.streaming_server import lab8_loads as load, lab8_servers as kit
from labutils.exercises.catalog.streaming_server.bridge import bridged

# %%
from labutils.exercises.catalog.streaming_server.door import answered
from labutils.exercises.catalog.streaming_server.drain import ended
from labutils.exercises.catalog.streaming_server.events import sent
from labutils.exercises.catalog.streaming_server.leaving import raced
from labutils.loadtest import Arrivals, LoadReport, closed_plan, open_plan, run_load
from labutils.loadtest.nginx import nearest_proxy
from labutils.metrics import RequestLog
from labutils.server import Limits, ProtocolError, Settings
from labutils.server.admission import Ticket
from labutils.server.event_log import PING, EventLog
from labutils.serving.engine_thread import EngineThread
from labutils.serving.trials import StepLog, calibrate
from labutils.viz import show
from labutils.viz.figures import clients as figures
from labutils.viz.figures.streams import loads_figure, token_times_figure, token_times_in_words

# %% tags=["parameters"]
seed = 7  # every random draw follows from it
long_answer = 96  # tokens of the answer that everybody waits for
sizes = (1, 2, 4, 8, 16)  # of the bursts that show what the wire costs
rounds = 4  # of each burst
calibrating_s = 4.0  # for the cost of a step
most = 16  # requests in it at a time
seconds = 5.0  # of each load
flood_s = 2.5  # of a burst at three times the capacity
processes = 2  # that send it

# %%
torch.set_num_threads(1)  # the matrices are small: two threads would wait for each other
engine = load.engine()
prompt = engine.tokenizer.encode("A queue grows when")
engine.generate([prompt], max_output_tokens=2)  # what is built at first use is built now
http = httpx.Client(verify=False, timeout=60)  # no certificates are read: this is 127.0.0.1

# %% [markdown] tags=["topic:P05", "topic:A16"]
# ## The flaw: everybody waits for the longest answer
#
# Here is a handler as it is often written first. It is asynchronous, it is short, and it works on the author's
# machine.


# %% tags=["topic:P05"]
async def in_the_loop(tokens, hears):
    """Answer one request; ``hears`` is called with each token."""
    (done,) = engine.generate([prompt], max_output_tokens=tokens)
    for token in done.answer:
        hears(token)


# %% [markdown] tags=["topic:P05"]
# One client asks for a long answer, and a moment later three ask for short ones of 12 tokens. The other way is the
# engine in a thread of its own, which computes the four together. **How many times as long does the last of the three wait
# for its first token in the loop as with the thread?** Commit to a range.

# %%
### BEGIN SOLUTION
predict("streaming.stall", low=5, high=40)
### STUB predict("streaming.stall", ...)
### END SOLUTION

# %% tags=["nbval-ignore-output", "topic:P05"]
names = ("long", "short 1", "short 2", "short 3")
asks = [(0.0, long_answer), (0.01, 12), (0.01, 12), (0.01, 12)]
thread = EngineThread(load.engine())


async def in_a_thread(tokens, hears):
    """The same with the engine's thread: the loop is free while it computes."""
    await thread.generate(prompt, max_output_tokens=tokens, on_token=hears)


heard = {"in the loop": await kit.moments(in_the_loop, asks),
         "in a thread": await kit.moments(in_a_thread, asks)}  # fmt: skip
thread.close()
loop_s, thread_s = (max(times[0] for times in one) for one in heard.values())
print(f"the last first token: {loop_s:.2f} s in the loop, {thread_s:.2f} s in a thread")
outcome("streaming.stall", round(loop_s / thread_s, 1))

# %% tags=["nbval-ignore-output", "topic:P05", "figure:streaming_stall"]
ways = {way: dict(zip(names, times)) for way, times in heard.items()}
show(token_times_figure(ways), alt=token_times_in_words(ways))

# %% tags=["solution-only"]
assert len(set(heard["in the loop"][0])) > 1  # moments of one lump, but moments
assert [len(one) for one in heard["in a thread"]] == [long_answer, 12, 12, 12]

# %% [markdown] tags=["topic:P05", "topic:A16"]
# ### `async def` in front of a call that computes
#
# Between two `await`s a coroutine has the event loop to itself. There is none in `engine.generate`: until the answer
# is whole, nobody is let in and no token goes out. The three short streams are not slow here. They stand still.
#
# Streaming does not make an answer faster: its last token comes no sooner. It shows the first one early, and a user
# who reads along is content with 20 tokens a second. The answer *feels* faster, and this handler throws that away.
#
# *Checkpoint, 9 minutes. You have seen a loop stand still. Next: the bridge to a thread.*
#
# ## Build 1: the bridge
#
# The engine runs in a thread and belongs to it: nobody else may call it, since a step may be under way. So there are
# two directions, and each has its own way across.
#
# | from | to | by |
# | --- | --- | --- |
# | the event loop | the engine's thread | an **inbox** of actions, emptied between two steps |
# | the engine's thread | the event loop | `loop.call_soon_threadsafe`, once a step |
#
# The second is given: an **asker** is told each token, and the end. Its `ended` is a future of the loop, which you can
# await. Write `generate`, which a handler awaits:
#
# - `self.asker(on_token)` makes an asker.
# - `self.put(action)` lays a function without arguments into the inbox. The engine's thread can do two things for
#   you: `self.add(asker, prompt, max_output_tokens, options)` begins a request, `self.leave(asker)` ends it.
# - If the wait is cancelled, the client is gone: let the engine know. The thread may have ended by then;
#   `self.put(action, quiet=True)` raises no error if it has.
#
# A case: a client asks at 3 ms and is cancelled at 47 ms; the engine computes at 10, 20, 30 ms and so on. When does
# its memory come back? At 50 ms, when the inbox is next emptied, and never in the middle of a step.
#
# **The invariant:** *every request that goes in comes out once, as an answer or as an error, or its asker has left
# and the engine has forgotten it within a step.*


# %% tags=["topic:P05", "topic:P02"]
### INCLUDE labutils.serving.engine_thread:EngineThread.generate


# %%
check("streaming.bridge", bridged(generate))

# %% [markdown]
# Stuck? `hint("streaming.bridge")` in a cell of your own, up to three times; `reveal` explains. `bridged(...)` runs
# your method on a simulated clock, with an engine that notes every call from the wrong side.
#
# *Checkpoint, 19 minutes. Tokens come out of the thread. Next: how they go over the wire.*

# %% [markdown] tags=["topic:P02", "topic:O06", "topic:O22"]
# ## Build 2: the event stream
#
# Tokens travel as **server-sent events**: lines `data: …` with an empty line behind, over one HTTP response that
# stays open. Here is a log of three events, as bytes.

# %% tags=["topic:P02"]
log = EventLog()
for text in ("A", " queue"):
    log.write({"text": text})
log.end()
print(log.since(0).decode())

# %% [markdown] tags=["topic:P02", "topic:O06", "topic:O22"]
# The status, 200, went out with the first byte. So what goes wrong later cannot be told by a status. A client has to
# tell three ends apart:
#
# | it sees | it means |
# | --- | --- |
# | `data: [DONE]` | the answer is **whole** |
# | `event: error` | it **broke**, and the server says why |
# | the connection closes after neither | it was **cut** on the way; nobody knows |
#
# By then the user has seen a part of the answer. Some answers have to be checked first: for their format, or for what
# must not be said. Then the server holds back what is not checked yet, or takes back words that were shown.
#
# Each event has a number (`id:`). A client that was cut can ask for what follows number n, if the server keeps it.
#
# And there is silence. Proxies and balancers on the way close connections that are idle: nginx and AWS's balancer
# after 60 s, Cloudflare after 100 s. A request that waits in a queue is silent. So the server sends a comment, `: ping`,
# whenever nothing came for a while.
#
# Write `send_all`. The log is `self.job.log`. `await log.wait(self.at, seconds)` is True if there is something after event
# `self.at`, or the end, and False after so long (`self.settings.heartbeat_s`). `log.since(self.at)` is what follows, in one
# piece; `len(log.events)` is the number of the last event, and `log.is_closed` says that no more will come. `await
# send(body)` returns when there is room on the connection, so a slow client makes it long. What may have happened
# meanwhile?


# %% tags=["topic:P02", "topic:O06"]
### INCLUDE labutils.server.outgoing:EventStream.send_all


# %%
check("streaming.events", sent(send_all))

# %% [markdown] tags=["topic:P02"]
# Engine and client never wait for each other. What a slow client has not read gathers in the log, and goes out as
# one piece. It is bounded (4,096 events here); whoever is further behind is cut, and told so.
#
# *Checkpoint, 32 minutes. Whole, broken and cut can be told apart. Next: those who leave.*

# %% [markdown] tags=["topic:O06"]
# ## Build 3: whoever leaves takes the work along
#
# A user closes the page after three tokens of four hundred. HTTP says nothing of it to your code unless you listen.
# So a stream runs two coroutines at once: `answer` sends, and `leaving` returns when the connection has been closed.
# The first to end decides. `self.left()` tells the job, whose `generate` (yours) is cancelled then.
#
# There are four ends, and only the first leaves the job alone:
#
# | end | by hand: an answer of 50 ms | what `until_left` does |
# | --- | --- | --- |
# | told | nobody leaves | returns at 50 ms |
# | left | the client goes at 22 ms | calls `left` and returns at 22 ms |
# | broken | sending raises `OSError` at 50 ms | calls `left`, raises it |
# | stopped | our own task is cancelled at 33 ms | calls `left`, lets the cancellation pass |
#
# However it ends, both coroutines are cancelled then (you need not wait for that). `asyncio.wait` cancels nobody: it
# is your part.


# %% tags=["topic:O06", "topic:P05"]
### INCLUDE labutils.server.outgoing:EventStream.until_left


# %%
check("streaming.leaving", raced(until_left))

# %% [markdown] tags=["topic:O06"]
# *Checkpoint, 42 minutes. Nobody computes for those who left. Next: who gets in.*

# %% [markdown] tags=["topic:I05", "topic:I06", "topic:I08", "topic:I10"]
# ## Build 4: the door
#
# If requests come faster than answers are finished, a queue without a bound makes everybody wait, and most give up
# before their answer comes. So the queue is **bounded**, and a request that does not fit is refused at once.
#
# *In what* is it bounded? What waits is prefill work, so in tokens of prompts: one document can weigh as much as a
# thousand greetings. And a refusal says whose limit it is:
#
# | status | whose limit | what a good client does |
# | --- | --- | --- |
# | 429 | the tenant's own budget | slows down; `Retry-After` says when there is room |
# | 503 | the server's: full, draining, too late | tries another replica, or comes back later |
#
# The questions of `admit`, in order: is the server open to this tenant (`self.is_open_to` raises if not)? Is there
# room in the queue, and a place (`raise self.full(why)` if not)? Can it be in time (`self.keeps`, with the prompt's
# tokens and the deadline, raises if not)? Is it in the tenant's budget? A bucket's `allow(tenant, tokens, now_s)` *takes* the tokens
# if it says yes, and its `wait`, asked the same, says how long until it would (None: never); then `raise
# self.over_budget(tokens, wait_s)`.
#
# `self.waiting_tokens` and `self.open_requests` have their limits in `self.limits`, under the same names; the first counts only if
# somebody waits. `self.buckets.get(tenant)` is None for a tenant without a budget; a budget counts the prompt and the longest answer together. If every
# answer is yes, count the request in both, and return a `Ticket`: the tenant, the prompt's tokens, and both together.
#
# By hand: 25 tokens wait, 30 may. A prompt of 20 comes, of a tenant with a full bucket. It hears 503, and its bucket
# is full afterwards. A prompt of 50 comes when nobody waits: it is let in, or nobody would ever serve it.


# %% tags=["topic:I05", "topic:I06", "topic:I08", "topic:I10"]
### INCLUDE labutils.server.admission:Admission.admit


# %%
check("streaming.door", answered(admit))

# %% [markdown] tags=["topic:I06", "topic:I10"]
# The official client tries twice more after a 429 or a 503, and tells nobody. `max_retries=0` shows every refusal.
# In a load test, retries that you cannot see are load that you do not know of.
#
# *Checkpoint, 54 minutes. Refusals are at once, and say whose limit it was. Next: the end.*

# %% [markdown] tags=["topic:P08"]
# ## Build 5: the drain
#
# Every deployment ends servers. SIGTERM says "please end", and SIGKILL comes 30 s later (Kubernetes' default). In
# between: let nobody in; give those who run `drain_s`; tell the late ones that it is over, in an event; let them
# stop; exit.
#
# Two questions that a balancer asks are not the same. *Ready?* Send requests here: after the weights are loaded and
# one warm-up generation is done (or the first user pays for what is built at first use), and not while it drains.
# *Alive?* Keep the process: yes, also while it drains.
#
# The door is closed while `self.front.admission.is_draining` is true. `self.front.jobs` maps ids to the jobs that have not ended; each takes
# itself out when it ends. A job has a `task`, a `log` (`log.fail(ProtocolError(503, why, code="draining"))` writes the event and
# closes it) and `leave()`. `asyncio.wait(tasks, timeout=…)` cancels nobody, and refuses an empty list. Then `self.exit()`.


# %% tags=["topic:P08", "topic:O06"]
### INCLUDE labutils.server.life:Server.drained


# %%
check("streaming.drain", ended(drained))

# %% [markdown] tags=["topic:P01", "topic:P02"]
# *Checkpoint, 64 minutes. All five parts are there.*
#
# ## Your server, whole
#
# The five methods in the course's server, with the course's in the place of one that does not pass. Its answer to
# one request, as it goes over the wire:

# %% tags=["nbval-ignore-output", "topic:P01", "topic:P02"]
Mine = kit.server_of(generate, send_all, until_left, admit, drained)
lines = []
asked = {"prompt": "A queue grows when", "max_tokens": 12, "temperature": 0, "stream": True}
server = Mine(load.engine(), write=lines.append)
with server.running() as url:
    with http.stream("POST", f"{url}/v1/completions", json=asked) as response:
        kind = response.headers["content-type"]
        came = list(response.iter_lines())
    print(response.status_code, kind)
print(*came[:2], "…", *came[-3:-1], sep="\n")

# %% tags=["solution-only"]
assert came[-2] == "data: [DONE]"

# %% [markdown] tags=["topic:P02"]
# From a terminal it is the same: `python -m labutils.server`, and `curl -N` with the address. The official client,
# if it is installed here:

# %% tags=["nbval-ignore-output", "topic:P02"]
try:
    from openai import OpenAI
except ModuleNotFoundError:
    print("not installed: pip install openai")
else:
    with Mine(load.engine()).running() as url:
        client = OpenAI(base_url=f"{url}/v1", api_key="none", max_retries=0)
        for part in client.completions.create(model="course", **asked):
            print(part.choices[0].text, end="")

# %% [markdown] tags=["topic:L03", "topic:L04", "topic:L08"]
# ### What it says of itself
#
# One line of JSON for each request, when it has ended: no text of the user's, but arrival to admission (queue), to
# the first token (prefill), to the last (decode), and how it ended. `/metrics` has the same as histograms, with what
# the scheduler holds at the moment, under the names that vLLM gives them.

# %% tags=["nbval-ignore-output", "topic:L03", "topic:L04", "topic:L08"]
told = json.loads(lines[-1])
print({name: told[name] for name in ("status", "reason", "prompt_tokens", "output_tokens")})
for name in ("request_queue_time", "request_prefill_time", "request_decode_time"):
    print(f"{name:22} {1e3 * told[f'{name}_s']:7.2f} ms")

# %% [markdown] tags=["topic:O06", "topic:P08"]
# Two ends do not show in a test that does not look for them. A client leaves at the first event; the server is told
# to drain with streams under way, of answers that are short and long.

# %% tags=["nbval-ignore-output", "topic:O06", "topic:P08"]
asked |= {"max_tokens": 200, "ignore_eos": True}  # so long that neither ends by itself
lines.clear()
server = Mine(load.engine(), write=lines.append)
pool = server.engine.pool
with server.running() as url:
    with http.stream("POST", f"{url}/v1/completions", json=asked) as response:
        next(response.iter_lines())
    began = time.perf_counter()
    while server.engine.open:
        time.sleep(0.0005)
    free, late_ms = pool.num_free, 1e3 * (time.perf_counter() - began)
told = json.loads(lines[0])
written = f"{told['output_tokens']} of 200 tokens were written ({told['reason']})"
print(f"{free} of {pool.num_pages} pages are free {late_ms:.0f} ms later; {written}")

# %% tags=["nbval-ignore-output", "topic:O06", "topic:P08"]
server, told_s, drain_s = Mine(load.engine(), drain_s=0.3), 0.275, 0.3
tokens = (10, 300, 20, 300, 40, 300, 10, 10)
with server.running() as url:
    asyncio.get_running_loop().call_later(told_s, server.drain)
    clients = await kit.heard(url, asked, [(0.05 * n, wanted) for n, wanted in enumerate(tokens)])
drained = {f"{n + 1}: {wanted} tokens": one for n, (wanted, one) in enumerate(zip(tokens, clients))}
ends = figures.ends_of(drained)
show(
    figures.heard_figure(
        drained, title=f"Told to end, the server lets {ends['whole']} streams end whole, tells "
        f"{ends['broken']} that it is over and turns {ends['refused']} away",
        moments={"told to end": told_s, "drain_s is over": told_s + drain_s}),
    alt=figures.heard_in_words(drained),
)  # fmt: skip

# %% tags=["solution-only"]
assert free == pool.num_pages and ends["cut"] == 0 < ends["broken"] and ends["refused"] >= 2
assert told["reason"] == "cancelled" and told["output_tokens"] < 200

# %% [markdown] tags=["topic:L12", "topic:L14"]
# *Checkpoint, 70 minutes. Your server answers, frees and drains.*
#
# ## Simulate, predict, measure
#
# Lab 6 predicted an engine. Now the same across HTTP, in three parts:
#
# 1. The cost of a **step**, fitted to the engine alone.
# 2. The cost of the **wire**: bursts of 1, 2, 4, … requests go over HTTP. Their gaps between tokens are longer than
#    the engine's steps. A straight line over the size of the burst says by how much: a cost for each step, and a cost
#    for each token (JSON, the socket, the event loop, which shares Python's lock with the engine). On top comes a
#    cost for each request.
# 3. A scheduler on a simulated clock, with both.
#
# The engine has the larger of the course's trained models, whose steps are longer than what the wire adds to them. With the
# smaller one more of the time would be the wire's, and the wire is what is known least.

# %% tags=["nbval-ignore-output", "topic:L12", "topic:L14"]
alone = calibrate(load.engine, seconds=calibrating_s, longest_prompt=48, longest_answer=32,
                  most_sequences=most, seed=seed)  # fmt: skip
print(alone.verdict())

# %% tags=["nbval-ignore-output", "topic:L12"]
with Mine(load.engine()).running() as url:
    carried = run_load(load.bursts(sizes, rounds), load.target(url), processes=processes)
wire = load.Wire.fitted(carried.records, alone.cost)
lonely = RequestLog.of([one for one in carried.records if one.tags["kind"] == "1"])
print("the wire: {:.2f} ms a request and {:.2f} busy with it, {:.2f} ms a step, {:.3f} ms a token"
      .format(*(1e3 * one for one in wire)))  # fmt: skip
print(wire.verdict(alone.cost))
cost = wire.on(alone.cost)
capacity = load.capacity_per_s(cost)
print(
    f"capacity: {capacity:.0f} answers a second, {load.capacity_per_s(alone.cost):.0f} without the wire"
)

# %% [markdown] tags=["topic:L14"]
# A server warms up with one generation before it says that it is ready, so no load pays for that. On a GPU there is
# more to warm: graphs are captured, kernels tuned. Cut the first seconds of a run off, and say so
# (`LoadReport.of(…, warm_up_s=…)`).
#
# Requests come at random (a Poisson process), at 0.5 and 0.7 of that capacity. **How many times as long is the p90 of
# TTFT at 0.7 as that of a request alone?**

# %%
### BEGIN SOLUTION
predict("streaming.ttft", low=1, high=3)
### STUB predict("streaming.ttft", ...)
### END SOLUTION

# %% tags=["nbval-ignore-output", "topic:L12"]
shares = (0.5, 0.7)
plans = {
    share: open_plan(Arrivals.poisson(share * capacity), seconds, [load.kind()], seed=seed)
    for share in shares
}
said = {share: load.figures(load.simulated(plan, cost), wire_s=wire.request_s)
        for share, plan in plans.items()}  # fmt: skip
print("sealed:", kit.digest(said))

# %% [markdown] tags=["topic:L12"]
# The eight letters are a digest of these numbers: whoever changes one of them gets other letters. Now the load. Its
# generators are processes of their own. They send each request at its moment, whatever became of the ones before.

# %% tags=["nbval-ignore-output", "topic:L12"]
found, reports = {}, {}
with Mine(load.engine()).running() as url:
    for share, plan in plans.items():
        carried = run_load(plan, load.target(url), processes=processes)
        found[share] = load.figures(RequestLog.of(carried.records))
        reports[share] = LoadReport.of(carried.records, plan)
print("opened:", kit.digest(said))
outcome("streaming.ttft", round(found[0.7]["TTFT p90"] / load.figures(lonely)["TTFT p50"], 1))

# %% tags=["solution-only"]
assert all(report.statuses == {"ok": report.planned} for report in reports.values())

# %% tags=["nbval-ignore-output", "topic:L12", "figure:streaming_loads"]
rows = [*found[0.5]]
show(
    loads_figure(*({name: {share: one[share][name] for share in shares} for name in rows}
                   for one in (found, said))),
    alt="Said and measured, in ms. " + "; ".join(
        f"{name} at load {share}: {said[share][name]:.1f} and {found[share][name]:.1f}"
        for name in rows for share in shares),
)  # fmt: skip
print(*reports[0.7].remarks, sep="\n")

# %% [markdown] tags=["topic:L12", "topic:L13"]
# Read the remarks first: if the generator was late, it measured itself. Then the verdicts of the calibration, which says
# whether this machine takes the same time twice, and of the wire. If one is *too noisy*, the differences above come from
# whatever else runs here, and say nothing of the model. Else: TPOT is a mean of steps, and the model knows steps. TTFT depends on who
# came just before, so it has more of chance in it.
#
# Here all requests are alike, to keep the model small. Real mixes are not, and a long prompt among short ones is what
# hurts them (chapter 11). Replay lengths from a trace (`RequestKind(lengths=…)`), bursts (`Arrivals.gamma`), and
# prompts as long as you allow.
#
# *Checkpoint, 77 minutes. A sealed prediction met a measurement over HTTP.*

# %% [markdown] tags=["topic:I08", "topic:I10", "topic:O20"]
# ## Break it on purpose
#
# ### A burst at three times the capacity
#
# Two servers: the queue of the first holds the prompts that it can serve in a fifth of the burst's time; the second takes
# everybody. **Which share does the first one turn away?**

# %%
### BEGIN SOLUTION
predict("streaming.burst", low=0.5, high=0.8)
### STUB predict("streaming.burst", ...)
### END SOLUTION

# %% tags=["nbval-ignore-output", "topic:I08", "topic:I10", "topic:O20"]
flood = open_plan(Arrivals.poisson(3 * capacity), flood_s, [load.kind()], seed=seed)
fifth = int(flood_s / 5 * capacity * load.prompt_tokens(flood.requests[0]))
bursts = {}
for name, tokens in (("bounded", fifth), ("unbounded", 10**6)):
    limits = Limits(waiting_tokens=tokens, open_requests=10**5)
    with Mine(load.engine(), limits=limits).running() as url:
        bursts[name] = run_load(flood, load.target(url), processes=processes).records
outcome("streaming.burst", round(figures.turned_away(bursts["bounded"]), 2))

# %% tags=["nbval-ignore-output", "topic:I08", "topic:I10", "topic:O20"]
show(figures.burst_figure(bursts), alt=figures.burst_in_words(bursts))

# %% [markdown] tags=["topic:O20", "topic:I08"]
# Both compute as fast as they can. The difference is for whom. Behind the unbounded queue the waits grow as long as
# the burst lasts. Telling clients that they may send faster ("raise the limit") adds to that wait and to nothing
# else.
#
# Three come for each one that can be served, so about two thirds have to go. At first the places and the queue take
# some in, which makes the share smaller, most of all in a short burst. And each refusal is a connection, a request to
# read and an answer, in Python, beside the engine. That makes the share larger: a refusal is cheap, and not free.
#
# For the same reason the bounded server may let its clients wait for longer than a fifth of the burst. Its bound is in
# tokens, and the model says how long they take on a machine that does nothing else. A gateway that counts refuses
# before a request comes so far.
#
# ### What the generator leaves out
#
# The engine stops for a moment, once. The same server is asked by two generators: four users who wait for each answer
# (a **closed loop**, as Locust's users are by default), and a stream of requests that come when they come. Which
# share of requests waits for longer than a third of the stop?


# %% tags=["nbval-ignore-output", "topic:L12", "topic:U06"]
def hiccup(after_s, stop_s):
    """A hook that stops the engine for ``stop_s``, once, so long after its first step."""
    moments = []

    def on_step(engine, plan):
        moments.append(engine.clock())
        if math.isfinite(moments[0]) and moments[-1] - moments[0] > after_s:
            moments[0] = math.inf
            time.sleep(stop_s)

    return on_step


# %% tags=["nbval-ignore-output", "topic:L12", "topic:U06"]
closed = closed_plan(4, seconds, [load.kind()], seed=seed)
stop_s, asking = 0.3 * seconds, {}
for name, plan in (("closed", closed), ("open", plans[0.5])):
    with Mine(load.engine(on_step=hiccup(seconds / 3, stop_s))).running() as url:
        records = run_load(plan, load.target(url), processes=processes).records
    asking[f"in the {name} loop"] = records
show(figures.stop_figure(asking, long_s=stop_s / 3), alt=figures.stop_in_words(asking))

# %% [markdown] tags=["topic:L12", "topic:U06"]
# In the closed loop at most four requests can meet the stop, one for each user; the others are never sent. And if
# those four are in the middle of their answers, no first token is late at all. This is **coordinated omission**, and
# no percentile can bring back requests that were not made. Users on the internet do not wait for each other.
#
# ### A proxy that collects
#
# nginx in front, as its documentation begins: it collects an answer whose length it is not told, until 4 kB are
# there. Where no nginx is installed, a stand-in of this course does the same.

# %% tags=["nbval-ignore-output", "topic:O06", "topic:P01"]
asked["max_tokens"] = 60
Proxy, pieces = nearest_proxy(), {}  # Nginx, or the stand-in
with Mine(load.engine()).running() as url, Proxy(url, holds_bytes=4096).running() as behind:
    for name, where in (("direct", url), (f"behind {Proxy.__name__}", behind)):
        began, pieces[name] = time.perf_counter(), []
        with http.stream("POST", f"{where}/v1/completions", json=asked) as response:
            for one in response.iter_raw():
                pieces[name].append((time.perf_counter() - began, len(one)))
show(figures.pieces_figure(pieces), alt=figures.pieces_in_words(pieces))

# %% [markdown] tags=["topic:O06"]
# Nothing is wrong with any number of the server's. The repairs for nginx: `proxy_buffering off`, or the header
# `X-Accel-Buffering: no` in the answer (this server sends it); and no compression of streams, which collects, too.
#
# ### Silence, and a proxy that closes it
#
# The engine stops for 1.5 s, and the proxy closes what is idle for 0.8 s. Once the server sends a ping every 0.1 s,
# and once every 15 s. Where nothing has come yet, nginx still has a status to say so: 504.

# %% tags=["nbval-ignore-output", "topic:O06"]
beats, stop_s = {}, 1.5
for beat_s in (15.0, 0.1):
    engine = load.engine()
    server = Mine(engine, settings=Settings(heartbeat_s=beat_s))
    with server.running() as url, Proxy(url, idle_s=0.8).running() as behind:
        engine.on_step = hiccup(0.03, stop_s)  # from here on: the warm-up makes steps, too
        (beats[f"a ping every {beat_s:g} s"],) = await kit.heard(behind, asked, [(0.0, 60)])
ended_so = ", ".join(f"{figures.end_of(one)} with {name}" for name, one in beats.items())
title = f"A stream whose engine stops for {stop_s} s is {ended_so}"
show(figures.heard_figure(beats, title=title), alt=figures.heard_in_words(beats))

# %% [markdown] tags=["topic:O06"]
# ### A slow reader, and one who is not there
#
# One client of eight rests for 30 ms after each token. Do the other seven feel it?

# %% tags=["nbval-ignore-output", "topic:O06"]
with Mine(load.engine()).running() as url:
    alike, resting = (
        run_load(load.bursts((8,), 3, one_rests_s=pause_s), load.target(url)).records
        for pause_s in (0.0, 0.03)
    )
show(figures.readers_figure(alike, resting), alt=figures.readers_in_words(resting))

# %% [markdown] tags=["topic:O06"]
# They do not, beyond the noise: nobody waits for it but its own log. Worse is a client that is *not there*: a laptop was closed, a
# mobile network dropped it, and no packet said goodbye. The connection is **half open**. The server sends, the
# kernel repeats for minutes (Linux: about 15), and the engine computes on, for nobody. What helps is a bound on what
# is unread (`most_unread`), and a time after which the kernel gives up a client that confirms nothing (`gone_s`, 30 s
# here; it is set on the socket, as TCP_USER_TIMEOUT).
#
# ### Bug hunt: busy at night
#
# A report: *"Since we put a gateway in front, the GPUs are busy at night. Hardly anybody is connected."* Ten clients
# leave after three tokens of forty, first directly, then through their gateway:

# %% tags=["nbval-ignore-output", "topic:O06", "topic:P01"]
leaving = open_plan(Arrivals.evenly(20), 0.5,
                    [load.kind(max_tokens=40, leave_share=1.0, leave_after=3)], seed=seed)  # fmt: skip
for name, reads_on in (("direct", None), ("their gateway", True)):
    steps = StepLog()
    server = Mine(load.engine(on_step=steps))
    with server.running() as url, Proxy(url, reads_on=bool(reads_on)).running() as behind:
        records = run_load(leaving, load.target(url if reads_on is None else behind)).records
        time.sleep(0.3)
    written = sum(step.outputs for step in steps.records)
    print(
        f"{name:14} {sum(one.output_tokens for one in records)} tokens read, {written} tokens written"
    )

# %% [markdown]
# What is wrong? (a) Heartbeats are missing. (b) Clients read too slowly. (c) The gateway keeps its connection to the
# server when a client closes its own. (d) The queue is bounded in requests, not in tokens.

# %%
### BEGIN SOLUTION
culprit = "c"
### STUB culprit = ...  # "a", "b", "c" or "d"
### END SOLUTION
check("streaming.field", culprit)

# %% [markdown] tags=["topic:P02", "topic:Q03", "topic:A16", "topic:P09"]
# *Checkpoint, 94 minutes. You have broken your server in six ways, and know what each looks like.*
#
# ## Three sentences that you will hear
#
# **"We do not stream, since answers must be coherent."** The tokens are the same, in the same order; a stream shows
# them earlier. Good reasons not to stream are others: an answer that has to be moderated before it is seen, or
# parsed before it is used. Nobody reads along in a nightly job either: send that to a batch queue, off the path of
# those who wait.
#
# **"Whisper streams speech."** Whisper encodes windows of 30 s and decodes text for them. Systems that stream are built *around* it: they
# cut the sound, transcribe overlapping windows and commit what stays the same. A longer buffer means more context
# and later words; a shorter one means words that change.
#
# **"It serves millions of requests a second."** The largest numbers that companies name are per day:

# %% tags=["topic:A16"]
prompts_a_day = 2.5e9  # ChatGPT, July 2025 (OpenAI, told to Axios)
print(f"{prompts_a_day / 86_400:,.0f} prompts a second on average")

# %% [markdown]
# ## What to do on Monday morning
#
# 1. **Kill a client** in the middle of a stream, through everything that stands in front, and count tokens written
#    against tokens read.
# 2. **Ask for the three ends.** Can your client tell whole from broken from cut?
# 3. **Measure through the proxy**, with an open loop, and look at when bytes come, not only at how many.
# 4. **Read the refusals.** 429 for the tenant's limit, 503 for yours, both with `Retry-After`; then look for clients
#    that retry in silence.
# 5. **Send SIGTERM** under load, and count what was cut.
#
# ## Stretch
#
# - **Resume.** `X-Resume-Within-S` keeps an answer going after its client is gone; `GET /v1/streams/ID` with
#   `Last-Event-ID` reads on. Write the client.
# - **nginx, in 1.1.** `labutils.loadtest.nginx` leaves `proxy_http_version` at its default where it collects. Write
#   a file of your own with 1.1 in it, and see what is left of the lumps.
# - **Fewer events.** `python -m labutils.server --stream-interval 8` (vLLM's name) sends the first token at once, and those
#   behind it eight at a time. Predict what that does to the throughput of 64 streams; `python -m benchmarks --only server.through_http`
#   measures it. What does a client take for TPOT that counts events?
# - **Your engine.** `labutils engine serve` serves `my/engine` of lab 6.
#
# ## Sources
#
# - WHATWG, *HTML Standard*, section 9.2, server-sent events: event streams, `id`, `Last-Event-ID` (read 2026).
# - OpenAI, *API reference*: streaming, `[DONE]`, errors (read November 2026).
# - nginx, *ngx_http_proxy_module*: `proxy_buffering`, `proxy_read_timeout`, `proxy_ignore_client_abort` (read 2026).
# - RFC 6585 (2012), 429; RFC 9110 (2022), 503 and `Retry-After`.
# - Kubernetes, *Pod lifecycle*: SIGTERM, the grace period of 30 s (read 2026).
# - vLLM, `SchedulerConfig.stream_interval` (read November 2026): fewer events, less work of the host.
# - G. Tene, *How NOT to measure latency*, 2013: coordinated omission.
# - A. Radford and others, *Robust speech recognition via large-scale weak supervision*, 2022: windows of 30 s.
