# ---
# jupyter:
#   course:
#     order: 13
#     slug: dynamic_batcher
#     title: Dynamic batcher
#     question: One client hangs up, and three others never hear of their requests again. How do you build a batcher that loses nobody?
#     minutes: 86
#     needs: [batching_sweep]
#     folder: labs
#     gpu: false
#     small: {n: 300, real_n: 24}
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown] tags=["topic:E03", "topic:T11"]
# Models answer many as fast as few; people ask one at a time. Between them stands a **dynamic batcher**:
# it holds requests for a few milliseconds, hands them to the model together, and gives each client its
# own answer. Largest batch and window are its two settings ("32, 10 ms"). It is forty lines of code, a
# favourite of design interviews, and the version that you meet first in this lab loses clients.
#
# In this lab you build one on asyncio that loses nobody. It stands alone: from chapter 04 you need what
# a window and a largest batch are, and its simulator comes along. The loop, the worker thread and the
# clock are given; you write the four methods in which decisions are made. They belong to
# `labutils/serving/batcher/dynamic_batcher.py`. The engine for language models (labs 2 and 4 to 6) is built
# otherwise, and you see at the end of this lab why. What it takes over from here is the front: futures,
# hang-ups, a bounded queue.
#
# Words that are new to you stand in the glossary at the end of `docs/cards.html`.
#
# No GPU is needed: the model is a stopwatch that takes $c_0 + c_1 b$ for a batch of $b$.

# %%
import asyncio
import inspect
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from labutils import simulation as sim
from labutils.engine import Scheduler
from labutils.exercises import assembled, check, hint, outcome, piece, predict, reveal
from labutils.exercises.catalog.dynamic_batcher import in_circulation, stories, watch
from labutils.exercises.rehearsals import Asks, Opens, Scene, rehearse
from labutils.laws import batching

# %%
from labutils.serving.batcher.dynamic_batcher import DynamicBatcher, Overloaded, Ticket
from labutils.serving.batcher.length_buckets import LengthBuckets
from labutils.serving.batcher.load import batcher_load
from labutils.serving.batcher.virtual_loop import run_virtually
from labutils.serving.memory import Unlimited
from labutils.serving.scheduling import DynamicBatches
from labutils.serving.simulator import StepCost, simulate
from labutils.viz import show
from labutils.viz.figures.batcher_load import load_sweep
from labutils.viz.figures.event_timeline import event_timeline, event_timelines, in_words
from labutils.workload import mix

# %% tags=["parameters"]
seed = 7  # every random draw in this lab follows from it
n = 1_000  # requests in a run on the virtual clock
real_n = 60  # requests in a run on the real clock

# %% [markdown] tags=["topic:T11"]
# ## How many survive one hang-up?
#
# Here is a batcher from a lesson in circulation, moved to asyncio, its faults left as they are.

# %% tags=["topic:T11"]
print(inspect.getsource(in_circulation.LessonBatcher))

# %% [markdown] tags=["topic:T11"]
# Four clients ask within 6 ms, and end up in one batch; the window is 30 ms here. After 15 ms, before the
# batch starts, the first of them closes the browser: the web framework cancels the task that awaits
# `submit`. **How many of the four are answered?**

# %%
### BEGIN SOLUTION
predict("batcher.survivors", low=0, high=3)
### STUB predict("batcher.survivors", ...)
### END SOLUTION

# %% [markdown] tags=["topic:T11"]
# The scene runs on an event loop whose clock *jumps*: when all tasks wait, it sets the time to the next
# timer. A second takes a millisecond, and the same scene ends the same way every time. A circle shows
# where a request should have been answered.

# %% tags=["topic:T11", "figure:dynamic_batcher_cancel"]
lesson = in_circulation.lesson_on_the_loops_clock
four = rehearse(lesson, stories.ONE_CANCEL)
show(
    event_timeline(four, rehearse(DynamicBatcher, stories.ONE_CANCEL)),
    alt="Timeline of five requests: c1 hangs up at 15 ms; c2, c3 and c4 go into a batch with it. "
    "When the batch ends the batcher's task dies, and none of them hears anything; nor does the "
    "request "
    "that comes later.",
)
outcome("batcher.survivors", sum(four.ends[name].kind == "answered" for name in stories.NAMES[:4]))

# %% tags=["solution-only"]
assert four.answered == 0 and type(four.deaths[0].error) is asyncio.InvalidStateError

# %% [markdown] tags=["topic:T11"]
# ### One cancelled client kills three others, and all that come later
#
# Nothing is wrong with the model, and no error reaches anybody. `set_result` on the cancelled future
# raises `InvalidStateError`; the handler gives all four the error, *beginning with the same future*, and
# raises as well. The task that serves is dead. asyncio mentions it when the task is garbage, if ever.
# The process is up, the port is open, the health check is green.
#
# Five stories, with everything else that happens to batchers. A story is survived if each client hears
# what it should, within 5 ms of when it should.


# %% tags=["topic:T11"]
def five_stories(make):
    """Print which stories a batcher survives."""
    for story in stories.FIVE:
        scene = stories.told(story, seed)
        got, wanted = rehearse(make, scene), rehearse(DynamicBatcher, scene)
        lost = sum(not end.same(wanted.ends[name], 5.0) for name, end in got.ends.items())
        said = f"{lost} of {len(got.ends)} badly served" if lost else "survived"
        print(f"{story.name:31} {said}")


five_stories(lesson)

# %% [markdown] tags=["topic:E03", "topic:T11"]
# ## The interface, and what must always hold
#
# ```
# async with DynamicBatcher(model, max_batch=32, window_s=0.010, max_waiting=512) as batcher:
#     result = await batcher.submit(item)
# ```
#
# A `Ticket` stands for a request: its `item`, `arrival_s`, `due_s` (when it has waited long enough for
# others) and `answer`, a future that the client awaits. The batcher has a queue `self.waiting`, sorted by
# `due_s`, and the running batch `self.running`. **The invariant:** *each request that was taken is
# waiting, running or answered, and none is answered twice.*
#
# The heart is given. It waits until a batch is due (`until_ready`), takes it out of the queue, runs it
# (`run`, which delivers each answer) and fails those in it if something raises. Read it, and ask of each
# line: which client hears nothing if it is left out?

# %% tags=["topic:T11"]
print(inspect.getsource(DynamicBatcher.serve))

# %% [markdown] tags=["topic:T11"]
# You also have `self.now()` (the loop's clock, in seconds); `self.line_up` and `self.forget`, which put a
# ticket into the queue and take it out; `self.fail`, which gives an error to those of a batch that still
# wait (batch, error); and `self.call`, the model. Every method that you leave as it is will be replaced by
# the workbook's, so the steps can be done in any order.
#
# ## Step 1: deliver
#
# The model has come back. `results` should hold one result per member of the batch, in its order.
# Remember what you have just seen, and what a model can do to a list.
#
# By hand: the batch is c1, c2, c3, c4, and c2 has hung up. If four results come, c1 gets the first, c3 the
# third and c4 the fourth, also where a result is 0 or `None`; the second is dropped. If three results come,
# it is unknown whose is missing: c1, c3 and c4 get an error.

# %% tags=["topic:T11"]
### INCLUDE labutils.serving.batcher.dynamic_batcher:DynamicBatcher.deliver

# %%
check("batcher.deliver", deliver)

# %% [markdown] tags=["topic:T11"]
# A failing story is shrunk to the events that the failure needs and written down with its times. The
# figure draws the same: your method, in its first failing story, or in the first story if there is none.

# %%
act = watch("batcher.deliver", deliver, seed=seed)
show(event_timeline(act.got, act.wanted), alt=in_words(act.got, act.wanted))

# %% [markdown] tags=["topic:T11"]
# The lesson pairs requests and results with `zip`. With five requests and four results it pairs four,
# without a word, and it cannot know which item was dropped:

# %% tags=["topic:T11"]
asks = [Asks(at_ms, name) for at_ms, name in zip((0, 2, 4, 6, 8), stories.NAMES)]
asks[1] = Asks(2, "c2", habit="lost")  # of this one the model drops the result
ends = rehearse(lesson, Scene(Opens(5, 30.5), tuple(asks))).ends
for name, end in ends.items():
    print(f"{name}: {end.kind}")

# %% tags=["solution-only"]
kinds = [end.kind for end in ends.values()]
assert kinds == ["answered", *3 * ["another's answer"], "no answer"]

# %% [markdown] tags=["topic:P05"]
# One client waits until the connection breaks, and others *read the answer of another person*. An
# error would be better than both: it is seen.
#
# *Checkpoint, 19 minutes.*
#
# ## Step 2: run
#
# The lesson's batcher calls the model on the event loop. "It takes 100 ms, so the loop lags by 100 ms at
# most", says its text. Twelve requests wait, a batch takes four and 100 ms, and a
# **heartbeat** on the same loop should beat every 10 ms. **How long is the longest gap?** (With a unit, such
# as `"100 ms"`; a bare number counts seconds.)

# %%
### BEGIN SOLUTION
predict("batcher.lag", low="100 ms", high="400 ms")
### STUB predict("batcher.lag", ...)
### END SOLUTION


# %% tags=["topic:P05"]
async def longest_gap_s(make):
    """Ask for twelve answers at once; return the longest gap between two heartbeats."""
    loop, beats = asyncio.get_running_loop(), []

    def model(items):
        loop.work(0.100)  # on the loop: all clients wait; in a worker thread: none does
        return items

    async with make(model, max_batch=4, window_s=0.010) as batcher:
        asks = asyncio.gather(*(batcher.submit(number) for number in range(12)))
        while not asks.done():
            beats.append(loop.time())
            await asyncio.sleep(0.010)
    return max(late - early for early, late in pairwise([*beats, loop.time()]))


# %% tags=["topic:P05"]
for name, make in (("the lesson's", lesson), ("with a worker thread", DynamicBatcher)):
    print(f"{name:20}: longest gap {1000 * run_virtually(longest_gap_s(make)):.0f} ms")
outcome("batcher.lag", round(run_virtually(longest_gap_s(lesson)), 3))

# %% [markdown] tags=["topic:P05"]
# ### The lag is that of a backlog, not of a batch
#
# Between two full batches there is no `await`, so the loop gets no turn until the queue is empty. A request
# that comes meanwhile is not even time-stamped: a latency that the batcher measures itself looks fine. Measure
# **loop lag** in production, as you just did: a heartbeat, and its longest gap.
#
# Write `run`: the items out of the tickets, the model's `self.call` in the worker thread `self._worker`
# (`await loop.run_in_executor(worker, function, argument)`), then `self.deliver`. If the model raises an
# `Exception`, hand the batch and the error to `self.rescue`, a coroutine to await: it decides whether the
# batch fails or is tried again. A cancellation is no error of the model. It is how the batcher is told to
# stop, and it has to go through.

# %% tags=["topic:P05", "topic:T11"]
### INCLUDE labutils.serving.batcher.dynamic_batcher:DynamicBatcher.run

# %%
check("batcher.run", run)

# %%
act = watch("batcher.run", run, seed=seed)
show(event_timeline(act.got, act.wanted), alt=in_words(act.got, act.wanted))

# %% [markdown] tags=["topic:P05"]
# Does a thread help, with Python's global lock? It helps the loop. torch and numpy give the lock back
# while they compute, and a GPU computes anyway; a model in pure Python would have to live in another
# process. One worker, not many: the device takes one batch at a time, and a second thread would only
# queue in the driver, where you can neither see nor refuse it. And a worker *of its own*: `to_thread` and
# the executor `None` mean a pool that the whole process shares. While a colleague's downloads hold its
# threads, your GPU is idle.
#
# *Checkpoint, 33 minutes.*
#
# ## Step 3: when does a batch leave?
#
# "With a window of 10 ms, no request waits longer than 10 ms for others": so the code above promises. The
# window there begins with each pass of the loop, on the wall clock, and is polled every
# millisecond. Three scenes:

# %% tags=["topic:E03"]
alone = Scene(Opens(8, 10.5, fixed_ms=49.25), (Asks(100, "c1"),))
late = Scene(Opens(8, 10.5, fixed_ms=49.25), (Asks(0, "c1"), Asks(31, "c2")))


def wall_clock_set_back():
    """A wall clock that a time server sets back by two seconds, 105 ms after the start."""
    now_s = asyncio.get_running_loop().time()
    return now_s if now_s < 0.105 else now_s - 2.0


def on_wall_clock(model, **options):
    """The lesson's batcher as it was: it reads the wall clock."""
    return in_circulation.LessonBatcher(model, clock=wall_clock_set_back, **options)


# %% tags=["topic:E03"]
def latency_ms(make, scene, name):
    """When a request of the scene is answered, from its arrival on."""
    asked_ms = next(event.at_ms for event in scene.events if event.name == name)
    return rehearse(make, scene).ends[name].at_ms - asked_ms


print("from arrival to answer, ms                 the lesson's   arrival deadlines")
for told, make, scene, name in (
    ("alone at night", lesson, alone, "c1"),
    ("comes 30 ms before the batch ends", lesson, late, "c2"),
    ("alone, and the wall clock is set back", on_wall_clock, alone, "c1"),
):
    times = latency_ms(make, scene, name), latency_ms(DynamicBatcher, scene, name)
    print(f"{told:40} {times[0]:12.1f} {times[1]:16.1f}")

# %% tags=["solution-only"]
assert latency_ms(on_wall_clock, alone, "c1") > 1900
assert latency_ms(lesson, late, "c2") > latency_ms(DynamicBatcher, late, "c2") + 10

# %% [markdown] tags=["topic:E03"]
# ### A window that starts with the loop's pass is added to the batch before
#
# A request that came 30 ms before the batch ended had waited for three windows, and then got a fresh one. A
# request alone pays the whole window either way, and the lesson's polling on top. And a wall clock is not a
# stopwatch: time servers set it, and two seconds back are two seconds of window.
#
# The repair is a moment instead of a stopwatch: `due_s = arrival + patience`, on a **monotonic** clock
# (`loop.time()`), fixed once. Write when a batch should leave: the queue holds `max_batch` tickets, or its
# first ticket is due. Do not poll: `await self.news(until_s=moment)` returns when a request comes, or at
# that moment (`None`: when a request comes). Whatever woke you, look again.

# %% tags=["topic:E03", "topic:T11"]
### INCLUDE labutils.serving.batcher.dynamic_batcher:DynamicBatcher.until_ready

# %%
check("batcher.until_ready", until_ready)

# %%
act = watch("batcher.until_ready", until_ready, seed=seed)
show(event_timeline(act.got, act.wanted), alt=in_words(act.got, act.wanted))

# %% [markdown] tags=["topic:I10"]
# *Checkpoint, 46 minutes.*
#
# ## Step 4: the front door
#
# A crawler comes, and requests come faster than any batch can take them. An async front end takes
# thousands of connections, and that is the trouble: a queue without an end makes every request wait, and
# the work at its head is for clients that have left. **Back-pressure** means to say no, at once, while the
# client can still do something with it. The length of the queue is the dial; Little's law sets it (an
# exercise under *More practice*).
#
# Write `submit`: room, or raise `Overloaded` (running requests take no room in the queue); the deadline, from
# *now* and the patience (`self.window_s` if none is given); `self.line_up`; wait. If a waiting request is
# cancelled, remove it from the queue and re-raise `CancelledError`.

# %% tags=["topic:I10", "topic:T11"]
### INCLUDE labutils.serving.batcher.dynamic_batcher:DynamicBatcher.submit

# %%
check("batcher.submit", submit)

# %%
act = watch("batcher.submit", submit, seed=seed)
show(event_timeline(act.got, act.wanted), alt=in_words(act.got, act.wanted))

# %% [markdown] tags=["topic:T11"]
# ## Your batcher, whole

# %% tags=["topic:T11"]
Mine = assembled(
    DynamicBatcher,
    deliver=piece("batcher.deliver", deliver),
    run=piece("batcher.run", run),
    until_ready=piece("batcher.until_ready", until_ready),
    submit=piece("batcher.submit", submit),
)
five_stories(Mine)

# %% [markdown] tags=["topic:T11"]
# The scene of the beginning, once more:

# %% tags=["topic:T11"]
before_and_after = {
    "the lesson's": four,
    "yours": rehearse(Mine, stories.ONE_CANCEL),
}
show(
    event_timelines(before_and_after, title="Yours answers three of four, and what comes later"),
    alt="Above, the lesson's batcher: its task dies, four never hear anything. Below yours: the request "
    "that was cancelled left the queue, three others share a batch and are answered, and so is "
    "the one "
    "that comes later.",
)

# %% tags=["solution-only"]
assert before_and_after["yours"].answered == 4

# %% [markdown] tags=["topic:E03", "topic:E10"]
# *Checkpoint, 59 minutes.*
#
# ## Under load: your code is chapter 04's queue, to the last digit
#
# Chapter 04's kernel knows nothing of futures: it is a loop over arrival times. If your batcher decides as
# it should, both give the *same* finish time for every request, on the same arrivals, since the virtual
# clock adds no overhead of its own. That is how you **prove the window**: not by looking at a histogram.

# %% tags=["topic:E03", "topic:E10"]
machine = batching.AffineBatchTime(fixed_s=0.005, per_item_s=0.0005)
clock = np.cumsum(np.random.default_rng(seed).standard_exponential(n))  # one arrival per second
rates = (50, 100, 200, 400, 800, 1200)


def batch_s(batch):
    """How long the model takes for a list of items."""
    return machine(len(batch))


def served(make, rate, window_s):
    """Offer n requests to a batcher on the virtual clock."""
    options = {"max_batch": 32, "window_s": window_s, "max_waiting": n}
    return batcher_load(lambda model: make(model, **options), clock / rate, batch_s)


# %% tags=["topic:E03", "topic:E10"]
kernel, yours, apart_s = {}, {}, 0.0
for name, window_s in (("no window", 0.0), ("10 ms", 0.010), ("30 ms", 0.030)):
    exact = [
        sim.batch_queue(clock / rate, machine, max_batch=32, batch_timeout_s=window_s)
        for rate in rates
    ]
    runs = [served(Mine, rate, window_s) for rate in rates]
    apart_s = max(apart_s, *(np.abs(a.finish_s - b.finish_s).max() for a, b in zip(exact, runs)))
    kernel[name] = [run_.sojourn_time_s.mean() for run_ in exact]
    yours[name] = [run_.sojourn_time_s.mean() for run_ in runs]
print(
    f"{3 * len(rates)} runs of {n:,} requests: kernel and code agree on every one: {apart_s < 1e-9}"
)

# %% tags=["topic:E03", "topic:E10"]
show(
    load_sweep(rates, kernel, yours, title="Your batcher (points) runs on the lines of the kernel"),
    alt="Mean latency against request rate for no window, 10 ms and 30 ms: the points of the batcher lie "
    "on the kernel's lines. A window costs most of its length at low rates and less at high ones.",
)
sizes = [served(Mine, rate, 0.0).mean_batch for rate in (50, 400, 1200)]
print("mean batch without a window, at 50, 400 and 1,200/s:", *(f"{size:.1f}" for size in sizes))

# %% tags=["solution-only"]
assert apart_s < 1e-9

# %% [markdown] tags=["topic:E10"]
# The batcher was not told how busy the evening is: without a window the batch grows with the load, from one
# at night to fifteen in the rush. It **adapts**, since the running batch is the window (chapter 04).
#
# ## On the real clock
#
# Now with real timers, a real thread, and everything else that runs on this machine. The model sleeps for
# as long as it should take. *Naive* sends requests one by one; the *floor* is the kernel, which has no
# overhead at all: what a batcher in Python adds to it is the price of timers and threads. Only the lesson's
# has a window (with none it would hand the model empty batches for ever). Three rounds in turn; the best
# of each counts, and the spread says whether the comparison means anything.

# %% tags=["nbval-ignore-output", "topic:T11"]
window = {"max_batch": 32, "window_s": 0.0, "max_waiting": 10_000}
contenders = {
    "naive, one by one": lambda model: DynamicBatcher(model, max_batch=1, max_waiting=10_000),
    "the lesson's, 10 ms": lambda model: in_circulation.LessonBatcher(model, window_s=0.010),
    "yours": lambda model: Mine(model, **window),
    "reference": lambda model: DynamicBatcher(model, **window),
}
coming, means_ms = clock[:real_n] / 250, {name: [] for name in contenders}
for _ in range(3):
    for name, make in contenders.items():
        run_ = batcher_load(make, coming, batch_s, clock="real")
        assert run_.answered.all()
        means_ms[name].append(1000 * run_.sojourn_time_s.mean())
floor = sim.batch_queue(coming, machine, max_batch=32, batch_timeout_s=0.0)
floor_ms = 1000 * floor.sojourn_time_s.mean()

# %% tags=["nbval-ignore-output", "topic:T11"]
for name, values in means_ms.items():
    print(f"{name:20} {min(values):8.1f} ms   ({min(values) / floor_ms:.1f} × the floor)")
print(f"{'floor: the kernel':20} {floor_ms:8.1f} ms")
spread = max(max(values) / min(values) for values in means_ms.values())
apart = abs(min(means_ms["yours"]) / min(means_ms["reference"]) - 1)
noise = f"rounds differ by up to {100 * (spread - 1):.0f} %"
told = "no more than their noise" if apart < spread - 1 else f"{100 * apart:.0f} %"
print(f"verdict: yours and the reference differ by {told} ({noise})")
assert min(means_ms["yours"]) > 0.5 * floor_ms

# %% [markdown] tags=["topic:P05"]
# ## Sync or async?
#
# A synchronous front end holds a thread or a process for each request until it is answered. With four
# workers, four requests reach the batcher at a time, and it cannot see a fifth. The server is fast, so are
# four workers enough? 400 requests come per second:


# %% tags=["topic:P05"]
class Workers:
    """A front end with so many workers: each holds one request until it is answered."""

    def __init__(self, batcher, workers):
        self.batcher, self.free = batcher, asyncio.Semaphore(workers)

    async def submit(self, item):
        async with self.free:
            return await self.batcher.submit(item)

    async def __aenter__(self):
        await self.batcher.__aenter__()
        return self

    async def __aexit__(self, *details):
        await self.batcher.__aexit__(*details)


# %% tags=["topic:P05"]
print("                 mean batch   mean latency")
for workers in (4, 8, 32, 1000):
    run_ = batcher_load(
        lambda model, w=workers: Workers(Mine(model, max_waiting=n), w), clock / 400, batch_s
    )
    mean_ms = 1000 * run_.sojourn_time_s.mean()
    print(f"{workers:5} workers {run_.mean_batch:13.1f} {mean_ms:12.1f} ms")

# %% [markdown] tags=["topic:P05", "topic:E03", "topic:I10"]
# ### The number of sync workers bounds the batch
#
# Of the four that have a worker, two are running and two are waiting: the batches settle at two, and at
# 6 ms for two the machine ends below 400 a second. All others wait in front of the workers, in a queue that
# no batcher sees. An async front end holds a future per request, a kilobyte instead of a thread, and shows
# the batcher every request that waits. That is why the servers in use separate an async front from a worker
# that computes:
#
# | server | what it does for you | its batcher's settings |
# | --- | --- | --- |
# | Triton | any framework; queue, batcher and instances per model | `max_batch_size`, `max_queue_delay_microseconds` (default 0: no window), queue size, priorities |
# | TorchServe | PyTorch handlers; no longer maintained | `batchSize`, `maxBatchDelay` |
# | Ray Serve | Python deployments; `@serve.batch` on an `async def` | `max_batch_size` 10, `batch_wait_timeout_s` 0.01 |
# | vLLM | language models; async engine, schedules tokens | `max_num_seqs`, `max_num_batched_tokens`; no window |
#
# Do not take a default of 10 ms for advice: the people who set it did not know your traffic.
#
# "Windowed batches are the pattern that TensorRT Serving, Triton and vLLM use", says the lesson. The first
# two are one product: TensorRT Inference Server has been called Triton since release 20.03. The third does
# something else. Here are both patterns on the same answers of a language model, in chapter 07's simulator:

# %% tags=["topic:E03", "topic:P05"]
chats = mix("azure-conversation").trace(240, 6.0, seed=seed)
cost = StepCost(base_s=0.006, per_prefill_token_s=60e-6, per_sequence_s=30e-6)
for name, scheduler in (
    ("window 10 ms, batches of 32", DynamicBatches(32, 0.010)),
    ("per iteration, as in vLLM", Scheduler(32, Unlimited())),
):
    ttft_s = simulate(chats, scheduler, cost).log.ttft_s
    print(f"{name:28} mean time to the first token {ttft_s.mean():6.2f} s")

# %% [markdown] tags=["topic:E03", "topic:P05"]
# A window decides which requests *start* together, and then the batch is closed until its longest answer
# has ended.
# An iteration-level scheduler asks at every token. For a classifier or an embedding, where all end
# together, the batcher of this lab is the right tool; for generated text it is the wrong one (chapter 07).
#
# ## Requests that differ: budgets and lengths

# %% tags=["topic:E10"]
rng = np.random.default_rng(seed)
hurry = rng.random(n) < 0.2  # a fifth are somebody's keystrokes, the rest can wait
own = np.where(hurry, 0.002, 0.040)
print("60 requests a second       keystrokes      the others   batches")
for name, patience in (("40 ms for everybody", None), ("each their own", own.tolist())):
    run_ = batcher_load(
        lambda model: Mine(model, window_s=0.040, max_waiting=n),
        clock / 60,
        batch_s,
        patience_s=patience,
    )
    means = [1000 * run_.sojourn_time_s[who].mean() for who in (hurry, ~hurry)]
    print(f"{name:20} {means[0]:13.1f} ms {means[1]:12.1f} ms {run_.batch_sizes.size:8}")

# %% [markdown] tags=["topic:E10"]
# A **budget per request** needs no further code: a ticket knows when it is due, and the queue is sorted by
# that. The batch leaves when the *first* of its members is due, so a request with a short deadline makes
# the others of its batch leave early, too;
# the machine pays with more and smaller batches. No request starves: deadlines are fixed on arrival, and
# newcomers are due later.
#
# Lengths are harder. A batch is padded to its longest member, so a text of 500 tokens makes 31 short ones
# pay for 500. **Buckets** let only similar lengths share a batch: one batcher per bucket, a lock on the
# device that they share. Here a batch of $b$ texts costs 4 ms and 8 µs for each of its $b \cdot \max$ tokens.

# %% tags=["topic:E11"]
texts = np.minimum(512, np.ceil(rng.lognormal(4.2, 0.9, n))).astype(int).tolist()


def padded_s(batch):
    """What a batch costs when it is padded to its longest text."""
    return 0.004 + 8e-6 * len(batch) * max(batch)


def bucketed(edges, rate):
    """Mean latency in ms, and the mean batch, with a bucket up to each edge."""
    options = {"length": int, "max_batch": 32, "window_s": 0.010, "max_waiting": n}
    run_ = batcher_load(
        lambda model: LengthBuckets(model, edges, **options), clock / rate, padded_s, items=texts
    )
    return 1000 * run_.sojourn_time_s.mean(), run_.mean_batch


# %% tags=["topic:E11"]
print("buckets, mean latency (batch)   50/s             200/s             400/s")
for edges in ([512], [128, 512], [64, 128, 256, 512], list(range(16, 513, 16))):
    cells = [bucketed(edges, rate) for rate in (50, 200, 400)]
    told = "".join(f"{mean:10.1f} ms ({size:4.1f})" for mean, size in cells)
    print(f"{len(edges):7}     {told}")

# %% [markdown] tags=["topic:E11"]
# ### Buckets pay when padding is the bottleneck, and make batches smaller when it is not
#
# With one bucket the machine drowns at a rate that four buckets carry easily: most of what it computed was
# padding. At a low rate buckets split an already thin stream, batches get smaller, and the gain is gone.
# With too many, every batch shrinks to a request or two. A few, at quantiles of the lengths, are enough. The same
# device with a queue for each kind serves whatever else must be equal within a batch: an adapter, an image
# size, a sampling setting. (Packing texts without padding, as engines for language models do, removes the
# question of lengths.)
#
# *Checkpoint, 74 minutes.*
#
# ## A bug from the field
#
# A team's model finds the first number in each text. Their batcher has everything that yours has, and calls
# `run_in_executor` directly. One text without a number arrives:


# %%
def first_numbers(texts):
    """The first number in each text."""
    return [next(word for word in text.split() if word.isdigit()) for text in texts]


async def their_run():
    """Await the model in a worker thread, and catch whatever it raises."""
    loop = asyncio.get_running_loop()
    loop.set_exception_handler(lambda _, log: print("the loop's log:", repr(log["exception"])))
    try:
        async with asyncio.timeout(60):
            return await loop.run_in_executor(None, first_numbers, ["room 12", "no number here"])
    except Exception as heard:
        return f"after {loop.time():.0f} s: {heard!r}"


print(run_virtually(their_run()))

# %% [markdown]
# The model raised at once. The `except` heard nothing for a minute, and without the timeout it would wait
# for ever. (asyncio did so until CPython issue 112182 was mended; the virtual clock still does.) **Why?**
#
# - **a** The worker thread dies with the error, and the next call waits for a thread.
# - **b** `next` on an empty generator blocks for ever inside the worker thread.
# - **c** The error leaves the worker, and the future in the loop refuses to hold it.
# - **d** `except Exception` does not catch StopIteration.
# - **e** The generator is shared by two threads, and they wait for each other.

# %%
### BEGIN SOLUTION
why = "c"
### STUB why = ...
### END SOLUTION
check("batcher.field_bug", why)

# %% [markdown] tags=["topic:T11", "topic:E03", "topic:I10", "topic:E11"]
# ## The interview: a batcher in fifteen minutes
#
# | minute | at the whiteboard |
# | --- | --- |
# | 0–2 | Ask. Which model: one pass, or generation? (Generation: say "continuous batching", and offer to go on with one pass.) Rate, latency promise, spread of lengths, can clients retry? |
# | 2–4 | Numbers. $c_0 + c_1 b$; the least batch that keeps up, $\lambda c_0 / (1 - \lambda c_1)$; the latency of a batch; the running batch is the window, so begin with none |
# | 4–6 | Interface and invariant: `submit(item) -> result`; *each request is waiting, running, or answered once* |
# | 6–11 | Code: Ticket with arrival, due, future; `submit`; `until_ready`; `run`; `deliver`; the loop that calls them |
# | 11–13 | Break it yourself, before you are asked: a hang-up, a result too few, an error, a flood, a long batch |
# | 13–15 | What you measure: wait of the oldest, batch sizes, refusals, loop lag; and what you would build next |
#
# Follow-ups that are asked, and what the answer must hold:
#
# - **"Lengths vary."** Padding; buckets by quantiles on one device; few of them; packing where the kernel can.
# - **"The process dies in the middle of a batch."** Futures die with it. Clients need a timeout and a retry
#   with an idempotency key; a queue outside (and at-least-once delivery) only if answers may come late.
#   Drain on shutdown: take nothing new, answer what is waiting and running, then stop.
# - **"One input breaks the model, and comes again."** Bisect the batch: about $2\log_2 n$ further calls, the
#   guilty one alone gets the error; remember its hash and refuse it at the door. Do not bisect an error that is
#   not the items' (out of memory, a lost device).
# - **"Traffic doubles."** Bounded queue, refusal at once with a hint when to come back; the bound from
#   Little's law; drop requests whose deadline has passed before they reach the model; scale on the wait of the oldest, not
#   on *busy*.
# - **"The model hangs."** A thread cannot be killed. A time limit on the batch: its members get an error, no
#   request is taken any more, the health check fails, and the process is started anew.
# - **"When does a window pay?"** When the others are known to be on their way (a page asks eight at once), or
#   when the device is shared and its free time is worth something (chapter 04). Else it only adds latency.
# - **"How do you know that your window works?"** Deadlines from arrival on a monotonic clock; a virtual clock in
#   the tests; equality with a ten-line simulation on every request; in production the wait of the oldest at the
#   moment of dispatch never exceeds the window unless the device was busy.

# %% [markdown] tags=["topic:I10"]
# ## What to do on Monday morning
#
# 1. **Cancel a request in the middle of a batch** in your staging system, and watch the other three.
# 2. **Return a result too few** from a test model. If no client gets an error, one of them gets a wrong answer.
# 3. **Add a heartbeat** to the event loop and export its longest gap.
# 4. **Look for the bound** of every queue between the socket and the device. A queue without a bound ends where the memory ends.
# 5. **Set the window to 0**, and measure before you raise it.
#
# ## More practice (optional, outside the minutes)
#
# **How long may the queue be?** A batch takes $5 + 1\,b$ ms, at most 24 fit, and an answer that comes later than
# 500 ms after its arrival is worthless. How many may wait in the queue, so that the last of them is still
# answered in time? Take the worst moment: all batches are full, and one has just begun.

# %% tags=["optional", "topic:I10"]
### BEGIN SOLUTION
room = int((0.500 - 0.029) / 0.029) * 24
### STUB room = ...
### END SOLUTION
check("batcher.room", room)

# %% [markdown] tags=["optional"]
# **Find the poison by halves.** `run` calls `rescue` when the model raises. With `self.bisect` the batch is
# tried again in two halves (the first, the smaller one if they differ, first), through `self.run`, so that only
# the bad item fails. Without it, or where nothing is left to halve, the batch fails.

# %% tags=["optional"]
### INCLUDE labutils.serving.batcher.dynamic_batcher:DynamicBatcher.rescue

# %% tags=["optional"]
check("batcher.bisect", rescue)

# %% tags=["optional"]
act = watch("batcher.bisect", rescue, seed=seed, story="one bad apple")
show(event_timeline(act.got, act.wanted), alt=in_words(act.got, act.wanted))

# %% [markdown] tags=["optional"]
# **Stretch.** Give `batcher_load` a model of your own on the real clock (chapter 04's network, say, measured
# there). Let the batcher refuse a request whose deadline cannot be met any more, from the queue's length
# and the batch time. Write `close(drain=False)`. Make the batcher fair between tenants: a queue each, in turn.

# %% [markdown] tags=["topic:U09"]
# ## Sources
#
# - NVIDIA, *Triton Inference Server: Batchers* (docs.nvidia.com): the dynamic batcher "will not delay when
#   forming batches" by default; release notes 20.03 for the change of name.
# - Ray, *ray.serve.batch* (docs.ray.io): settings and defaults. PyTorch, *Batch inference with TorchServe*
#   (docs.pytorch.org/serve), which carries the notice of limited maintenance.
# - CPython issue 112182, *StopIteration in a generator in a thread hanging on asyncio*, and pull request 113220.
# - W. Kwon and others, SOSP 2023, and G.-I. Yu and others, OSDI 2022: scheduling per iteration (chapter 07).
# - N. T. J. Bailey, *On queueing processes with bulk service*, 1954: the kernel's theory, in chapter 04.
