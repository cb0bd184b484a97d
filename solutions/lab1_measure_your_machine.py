# ---
# jupyter:
#   course:
#     order: 11
#     slug: measure_your_machine
#     title: Measure your machine
#     question: A benchmark says that this machine is many times as fast as it can be. Who lies?
#     minutes: 83
#     needs: [prefill_and_decode]
#     folder: labs
#     gpu: optional
#     small: {passes: 8, steps: 12, requests: 6, visits: 1, sequences: 2, calibration_s: 0.1, shrink: 4}
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# Chapter 05 measured your machine with a function of the course, and you believed what it said. From
# here on you build an engine, and every step of it will be called fast or slow by a stopwatch. A
# colleague has left you one: a short benchmark, with a result that everybody likes to quote. You run
# it, and it claims a speed that this machine cannot have.
#
# Four faults are in those lines, and all four are found in benchmarks that have been published. You
# repair them one after the other. When you are through, you can answer three questions. (Words that are new to
# you stand in the glossary at the end of `docs/cards.html`.)
#
# 1. What did the clock measure, if not the machine?
# 2. How many tokens a second can a model give here, before you have run it?
# 3. When does a model wait for its host, and what does a graph do about it?

# %%
import os
import time
from dataclasses import replace
from itertools import count

import numpy as np

os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")  # before torch: waiting threads sleep
import torch

# %%
from labutils import llm, measure
from labutils.engine import Engine, LlamaModel, small_spec
from labutils.exercises import check, hint, outcome, piece, predict, reveal
from labutils.metrics.latency import percentile
from labutils.serving.checkpoints.checkpoint import course_model
from labutils.serving.trials.calibration import calibrate, known_step_cost
from labutils.serving.trials.clock import one_core
from labutils.serving.trials.gpu_runs import gpu_summary
from labutils.viz import show
from labutils.viz.explorers.benchmark import benchmark_explorer
from labutils.viz.figures import benchmark as figures

# %% [markdown]
# The same cells run on a laptop and on a GPU. The next two cells decide, and everything follows from
# them. **The outputs of the solution edition come from a processor with two cores, and the sizes of
# `settings["cpu"]`.** What a GPU would change stands under each table, with its reason; what the course's
# fast engine did on one stands under the last comparison.

# %% tags=["parameters"]
device = "cuda" if torch.cuda.is_available() else "cpu"
seed = 11  # of weights and of the requests' sizes
passes = 18  # of the block, in one measurement
steps = 40  # of the model, one token each
requests = 50  # in the table of stages
visits = 3  # to each rate, for the profile
sequences = 8  # at most, in the engine whose steps are calibrated
calibration_s = 0.5  # three rounds at least
shrink = 1  # matrices are so many times narrower; more than 1 for a quick look alone

# %%
settings = {
    "cpu": {"hidden": 1024, "ffn": 4096, "dtype": "float32", "full": 32, "other": 768},
    "cuda": {"hidden": 4096, "ffn": 14_336, "dtype": "bfloat16", "full": 4096, "other": 8192},
}
hidden, ffn, dtype, full, other_size = settings[device].values()
ffn, other_size = ffn // shrink, other_size // shrink
block = measure.TunedBlock(hidden=hidden, ffn=ffn, dtype=dtype, seed=seed, device=device)
stream = measure.open_stream(device)
print(
    f"on {device}: {block.weight_bytes / 1e6:.0f} MB of weights in {dtype}, {full} rows in a full batch"
)

# %% [markdown] tags=["topic:L14"]
# ## What can this machine do at most?
#
# The thing to be measured is small: a feed-forward block, two matrices. `block(rows)` sends so many
# rows through it. Like many libraries it knows several ways to multiply the same two matrices, and
# for a number of rows that it has not met it tries all of them and keeps the quickest.
#
# Chapter 05 gave you the roofline: a pass takes as long as reading the $W$ bytes of its weights once,
# $W/\beta$, or as its arithmetic, $2P\,n/F$ for $P$ weights and $n$ rows, whichever is longer. So a
# benchmark's claim can be held against a limit: the roofline's time over the claimed time. **Far above
# 100 % it is false.** For now take the two rates from the course: $\beta$ in bytes a second of a copy,
# $F$ in operations a second of a product of large matrices, each at its best.

# %% tags=["nbval-ignore-output"]
copied = measure.copy_bandwidth(device, min_total_s=0.2)
multiplied = measure.matrix_rate(device, dtype=dtype, min_total_s=0.2)
best = [rate.amount / min(rate.timing.samples_s) for rate in (copied, multiplied)]
roof = dict(zip(("bandwidth", "flops_per_s"), best))  # a limit: what was reached at best
floor_s = block.floor_s(full, **roof)
print(f"{roof['bandwidth'] / 1e9:.3g} GB/s, {roof['flops_per_s'] / 1e9:.3g} GFLOP/s")
print(f"a pass over {full} rows takes at least {1000 * floor_s:.3g} ms")
assert 0 < floor_s < 60

# %% [markdown]
# ## The benchmark as it was handed over
#
# The passes come from requests, so each brings as many rows as it happens to bring. And the machine
# is not yours alone: before every fifth pass somebody else's job runs, a few products of large
# matrices. (It is planted here, so that you need not wait for one.)

# %%
sizes = np.resize([full * eighths // 8 for eighths in (8, 2, 5, 1, 6, 3)], passes)
rows = np.random.default_rng(seed).permutation(sizes).tolist()
passed, other = count(1), torch.randn(other_size, other_size, device=device)


def shared(n):
    """A pass over ``n`` rows, on a machine that others use too."""
    if next(passed) % 5 == 0:
        for _ in range(3):
            other @ other
    block(n)


# %%
def handed_over(rows):
    """Seconds that a full pass takes, they say."""
    durations_s = []
    for n in rows:
        begin = time.perf_counter()
        stream.launch(shared, n)
        durations_s.append(time.perf_counter() - begin)
    return sum(durations_s) / len(durations_s)


# %% tags=["nbval-ignore-output"]
claims = {"as handed over": floor_s / handed_over(rows)}
stream.synchronize()
show(
    figures.claims(claims),
    alt="A strip with a logarithmic axis: the claimed share of the roofline. One dot, far to the right "
    "of the roofline, where claims are impossible.",
)
assert claims["as handed over"] > 0

# %% [markdown]
# ## Which part of the benchmark lies?
#
# `stream.launch(call, *args)` does not do the work. It puts it into the device's queue and comes back.
# On a GPU that is how every operation of torch works: the host queues **kernels**, the device does them
# when their turn comes. On a machine without a GPU the course gives you the same with a thread that
# does what was launched: the same calls, the same traps.
#
# | | |
# | --- | --- |
# | `stream.launch(call, *args)` | queue a call; returns at once |
# | `stream.synchronize()` | wait until everything that was launched is done |
# | `stream.clock()` | the host's `time.perf_counter()` |
#
# Two rules hold: what is launched is done in the order of its launch, and one piece at a time. The
# stream can also be watched. Here are eight passes, and the clock around them.

# %% tags=["nbval-ignore-output", "figure:measure_your_machine_lanes"]
block(full)  # now it knows this shape
with stream.watch() as works:
    start = stream.clock()
    for _ in range(8):
        stream.launch(block, full)
    stop = stream.clock()
show(
    figures.host_and_device(works, watch_s=(start, stop)),
    alt="Two lanes over time. The host launches eight passes right at the beginning, and the clock runs "
    "for that moment only. The device then works through eight bars, one after the other.",
)
assert len(works) == 8 and start < works[-1].ended_s

# %% [markdown]
# The clock measured the *launching*. In a picture the mistake is plain to see; in
# code it is one missing line.
#
# ### Build 1: how long does one call take?
#
# Write it for any stream. Mind what the device may be doing when your watch starts. The check runs
# your function on a **scripted** device, `measure.ScriptedStream(busy_s=…, launch_s=…)`, whose clock
# is its own and whose jobs take exactly what is written on them: read `stream.clock()`, no other. A
# timer that is right there is right everywhere, and the check takes no time. Five lines.


# %%
def duration_s(stream, call):
    """Return the seconds from launching ``call`` on an idle device until it is done."""
    ### BEGIN SOLUTION
    stream.synchronize()  # what others have queued is not this call's
    started_s = stream.clock()
    stream.launch(call)
    stream.synchronize()  # and launched is not done
    return stream.clock() - started_s
    ### END SOLUTION


# %%
check("machine.one_call", duration_s)

# %% [markdown] tags=["topic:L14"]
# Stuck? `hint("machine.one_call")` gives up to three hints, `reveal("machine.one_call")` explains. Each
# build of this lab can be taken from the course: `piece` picks yours once its check has passed.
#
# Before you use it: the block meets a shape for the first time. **How many times as long** as a later
# pass of the same shape does that first one take?

# %%
### BEGIN SOLUTION
predict("machine.cold_start", low=2, high=20)
### STUB predict("machine.cold_start", ...)
### END SOLUTION

# %% tags=["nbval-ignore-output"]
time_once = piece("machine.one_call", duration_s)
block.forget()
log_s = [time_once(stream, lambda n=n: shared(n)) for n in rows]
claims["waits for the device"] = floor_s / np.mean(log_s)
show(
    figures.claims(claims),
    alt="The strip with two rows. The second dot lies below 100 %, far to the left of the first.",
)
assert max(log_s) > 0

# %% [markdown] tags=["topic:L14"]
# ### From impossible to poor: now the other faults can be seen
#
# One line moved the dot by powers of ten. What it shows now is possible, and far too little. Beside the
# first fault the other three could not be seen. Look at the log itself.

# %% tags=["nbval-ignore-output", "topic:L14"]
print("rows " + " ".join(f"{n:4}" for n in rows))
print("ms   " + " ".join(f"{1000 * seconds:4.3g}" for seconds in log_s))
assert len(log_s) == len(rows)

# %% [markdown] tags=["topic:L14"]
# Durations of *what*? They belong to passes over six different numbers of rows, and all of them are
# held against the work of a full batch. That is wrong twice, in opposite directions. A rate is a
# quotient, and the work above the line has to be that of the very run below it: crediting a small pass
# with a full batch *flatters*. And whenever a number of rows comes for the first time, the pass is many
# times as long, which *slanders*. Here the second effect is the larger.
#
# ### Build 2: the warm runs of every shape
#
# From such a log, collect for each number of rows its durations **without the first one**, in their
# order. A number of rows that came only once has no warm run: leave it out. Return a dict.


# %%
def warm_runs(rows, durations_s):
    """Return the durations by number of rows, the first one of each left out."""
    ### BEGIN SOLUTION
    seen = {}
    for n, seconds in zip(rows, durations_s):
        seen.setdefault(n, []).append(seconds)
    return {n: runs[1:] for n, runs in seen.items() if len(runs) > 1}
    ### END SOLUTION


# %%
check("machine.by_shape", warm_runs)

# %% tags=["nbval-ignore-output"]
warm = piece("machine.by_shape", warm_runs)(rows, log_s)
for n, runs in sorted(warm.items()):
    middle_s = percentile(runs, 0.5)
    share = 100 * block.floor_s(n, **roof) / middle_s
    print(f"{n:4} rows: {1000 * middle_s:5.1f} ms warm, {share:3.0f} % of its own roofline")
assert warm and set(warm) <= set(rows)

# %% [markdown] tags=["topic:L14"]
# *On a GPU expect* times in proportion to the rows: its batches have 512 to 4,096, all beyond the ridge
# of the roofline, so every pass waits for arithmetic.
#
# A table by shape is one honest way out, given enough runs of each: here a row stands on two.
# The other is to fix the shape. From here on every pass has a full batch of rows, and the dot is that
# of a benchmark which asks one question.

# %% tags=["nbval-ignore-output"]
block.forget()
first_s, *later_s = [time_once(stream, lambda: shared(full)) for _ in range(passes + 2)]
claims["one shape"] = floor_s / np.mean([first_s, *later_s][:passes])
print(f"first pass {1000 * first_s:.1f} ms, later ones {1000 * percentile(later_s, 0.5):.1f} ms")
outcome("machine.cold_start", first_s / percentile(later_s, 0.5))
show(
    figures.claims(claims),
    alt="The strip with three rows. The third dot belongs to a benchmark of one shape, and lies below 100 %.",
)
assert first_s > 0

# %% tags=["nbval-ignore-output"]
show(
    figures.runs(
        [first_s, *later_s],
        cold=1,
        what="pass",
        title=f"The first pass takes {first_s / percentile(later_s, 0.5):.0f} times as long as later ones",
    ),
    alt="Durations of successive passes over a full batch. The first is many times as long as the others, "
    "which lie on one level but for every fifth, which waited for somebody else's job.",
)
assert len(later_s) == passes + 1

# %% [markdown] tags=["topic:L14"]
# ### "The first run is the speed"
#
# Users do not warm up either, so is the first run the speed? Which users? Let a
# service answer $k$ requests after it was started, and average them.

# %% tags=["nbval-ignore-output", "topic:L14"]
steady_s = percentile(later_s, 0.5)
for served in (1, 10, 100, 10_000):
    average_s = (first_s + (served - 1) * steady_s) / served
    print(f"after {served:6,} requests: {1000 * average_s:7.2f} ms on average")
assert steady_s > 0

# %% [markdown] tags=["topic:L14", "topic:H12"]
# The answer is a property of $k$, not of the machine. There are **two** figures: the *cold start*,
# which a few requests pay after each deployment and each time a shape comes for the first time, and the
# *steady state*, which all others get. Quote both, and never their mixture. The slide has a point,
# though: a service that compiles kernels or captures graphs when a batch size first occurs gives its
# cold starts to users, and its early latencies describe the capturing. That is why engines run through
# their batch sizes before they open their port.
#
# *Checkpoint, 30 minutes. Two faults repaired: the clock waits, and it looks at one shape.*
#
# ### Build 3: a warm series
#
# Make `warm_up` calls that nobody counts, then `repeats` that count; return their durations in their
# order. `time_once(stream, call)` is your stopwatch.


# %%
def series_s(stream, call, repeats, warm_up):
    """Return the durations of ``repeats`` calls that follow ``warm_up`` uncounted ones."""
    ### BEGIN SOLUTION
    for _ in range(warm_up):
        time_once(stream, call)  # nobody counts it
    return [time_once(stream, call) for _ in range(repeats)]
    ### END SOLUTION


# %%
check("machine.series", series_s)

# %% tags=["nbval-ignore-output"]
series = piece("machine.series", series_s)
durations_s = series(stream, lambda: shared(full), passes, 2)
claims["warm"] = floor_s / np.mean(durations_s)
show(
    figures.claims(claims),
    alt="The strip with four rows. The fourth dot, without cold passes, lies beside the third, on most runs to its right.",
)
assert len(durations_s) == passes

# %% [markdown]
# ### Build 4: what to quote
#
# Every fifth pass waits for somebody else's job, and the mean passes that on to you. What does *this*
# machine need for *this* pass? Return three figures of the durations: the 10th, the 50th and the 90th
# percentile, by nearest rank, so that each of them happened. (`percentile(values, q)` of chapter 01 is
# imported.)


# %%
def quoted(durations_s):
    """Return (low, middle, high): the 10th, 50th and 90th percentile of the durations."""
    ### BEGIN SOLUTION
    return tuple(percentile(durations_s, q) for q in (0.1, 0.5, 0.9))
    ### END SOLUTION


# %%
check("machine.quote", quoted)

# %% tags=["nbval-ignore-output"]
quote = piece("machine.quote", quoted)
low_s, middle_s, high_s = quote(durations_s)
claims["median"] = floor_s / middle_s
show(
    figures.claims(claims),
    alt="The strip with five rows. The first claim lies far beyond the roofline, the second far below it; "
    "the last three repairs lie below the roofline, nearer to it.",
)
assert low_s <= middle_s <= high_s

# %% [markdown]
# ### One fault made the machine look faster, the other three together slower; the machine has not changed
#
# What is left between the last dot and the roofline is what a better routine could win at most.
# Everything that moved the dot before was the benchmark. If *your* last dot lies above 100 %, the
# roofline itself was measured in a bad moment, while something else kept the machine busy: a limit is
# a measurement too. Run its cell again, and those after it.
#
# Are the repairs independent? Here are four recorded runs, two of them the ones that you have just
# made, and a switch for each repair.
#
# 1. Which switch alone makes an impossible claim possible?
# 2. Switch to *wait for the device*, then add *leave out the warm-up*. It moves the dot a little or
#    not at all. Then add *one shape*. Why does the warm-up help only now?
# 3. Find two benchmarks with different faults that claim nearly the same. What does that say about
#    two reports that agree?

# %% tags=["nbval-ignore-output"]
logs = {(True, False): log_s, (True, True): [first_s, *later_s][:passes]}
for one_shape in (False, True):
    logs[False, one_shape] = []
    for n in rows:
        begin = time.perf_counter()
        stream.launch(shared, full if one_shape else n)
        logs[False, one_shape].append(time.perf_counter() - begin)
    stream.synchronize()
assert all(len(log) == passes for log in logs.values())

# %% tags=["nbval-ignore-output"]
explorer = benchmark_explorer(logs, floor_s=floor_s, warm_up=2)
explorer

# %% [markdown]
# (1) Only the first. No average and no warm-up helps a clock that stops too early. (2) Two warm-up
# passes warm two shapes; the others are cold when they come. **Changing shapes are a cold start that
# never ends.** (3) Agreement is no proof: faults can cancel. What makes a figure trustworthy is that
# you know what stands between its two clock readings.
#
# *Checkpoint, 47 minutes. All four faults are repaired; the last repair was to quote a median with its
# spread. Now use the stopwatch.*

# %% [markdown] tags=["topic:L05"]
# ## How many tokens a second, before any model runs?
#
# Here is a model that has not run yet. One user, one token at a time; a token's step reads every
# weight once. You know the bytes of the weights and the bandwidth of a copy. Nothing else is needed
# for a prediction. **How many tokens a second will it give?**

# %% tags=["nbval-ignore-output"]
shapes = {"layers": 2, "hidden_size": 1024, "num_heads": 8, "head_dim": 128}
shapes["ffn_size"] = 3072 // shrink
spec = small_spec(**shapes) if device == "cpu" else llm.model("Llama-3.2-1B")
weight_bytes = spec.weight_bytes(torch.finfo(getattr(torch, dtype)).bits // 8)
print(f"weights: {weight_bytes / 1e6:,.0f} MB; a copy moves {roof['bandwidth'] / 1e9:.3g} GB/s")
assert weight_bytes > 0

# %%
### BEGIN SOLUTION
predict("machine.decode_rate", low=80, high=300)
### STUB predict("machine.decode_rate", ...)
### END SOLUTION

# %% tags=["nbval-ignore-output", "topic:L05"]
model = LlamaModel(spec, seed=seed, dtype=getattr(torch, dtype), device=device)
token = torch.zeros(1, 1, dtype=torch.long, device=device)
one_token = torch.inference_mode()(lambda: model(token))
step_s = series(stream, one_token, steps, 3)
low_s, middle_s, high_s = quote(step_s)
quotient = roof["bandwidth"] / weight_bytes
outcome("machine.decode_rate", 1 / middle_s)
share = 100 / middle_s / quotient
print(f"{1 / middle_s:.3g} tokens/s; the quotient is {quotient:.3g}, so {share:.0f} % of it")
assert len(step_s) == steps

# %% [markdown] tags=["topic:L05"]
# ### The quotient is a ceiling. What keeps a step below it?
#
# Bytes a second over bytes a token: no model knowledge, no run, and the right order of magnitude. A
# popular reason for the difference is that a step consists of many small operations. Do not believe
# it: take the step apart. First only read the weights (add them up). Then multiply each matrix with
# one row, and do nothing between. Then the whole step.

# %% tags=["nbval-ignore-output", "topic:L05"]
matrices = [part.weight for part in model.modules() if isinstance(part, torch.nn.Linear)]
row = {w.shape[1]: w.new_ones(1, w.shape[1]) for w in matrices}
parts = {
    "read all weights": lambda: [w.sum() for w in matrices],
    "multiply them": lambda: [row[w.shape[1]] @ w.T for w in matrices],
    "the whole step": one_token,
}
wait = measure.synchronizer(device)
taken = measure.timed_in_turn(parts, repeats=steps, min_total_s=0, synchronize=wait)
for name, timing in taken.items():
    of_all = 100 * timing.median_s / taken["the whole step"].median_s
    rate = weight_bytes / timing.median_s / 1e9
    print(f"{name:17}{1000 * timing.median_s:7.3g} ms {of_all:5.0f} % of the step {rate:6.3g} GB/s")
assert list(taken) == list(parts)

# %% [markdown] tags=["topic:L05"]
# ### Most of a step is products, and they read more slowly than a copy
#
# Small operations (norms, rotations, attention) are what the last line has more than the second: the
# smaller part. The products are the larger one, and they read the same bytes more slowly than adding
# up does. Each weight comes from memory for a single multiplication and addition, and the routine for a
# matrix and *one* row keeps fewer reads under way than a copy. So a better routine, or more rows to a
# step, wins more here than fewer operations.
#
# *On a GPU expect* the opposite: products near the bandwidth of a copy, and a whole step well above
# them. Hundreds of launches stand in it, and most take longer than the work behind them.
# (Chapter 05 found gpt-fast, with graphs and a larger model, at 69 % of a GPU's bandwidth.) What may lift a
# step *above* the quotient, on a processor: to overwrite a line of memory it fetches that line first, so
# a copy can move three bytes for two that are counted. Beyond 150 %, blame the copy or the clock.
#
# One number per step hides what a user sees. Each step's time is one gap between two tokens, so look at
# their **distribution**.

# %% tags=["nbval-ignore-output", "topic:L05"]
show(
    figures.runs(
        step_s, what="decode step", title="Every token's step, with its median, mean and p95"
    ),
    alt="The time of each decode step in order: most lie near the median, a few above. Three levels: "
    "median, mean and 95th percentile.",
)
mean_s, p95_s = np.mean(step_s), percentile(step_s, 0.95)
print(f"median {1000 * middle_s:.3g}, mean {1000 * mean_s:.3g}, p95 {1000 * p95_s:.3g} ms a step")
assert 0 < middle_s <= p95_s

# %% [markdown] tags=["topic:L05"]
# Three figures, three questions. The **median** says what the machine does undisturbed. The **mean**
# is what adds up: a thousand tokens take a thousand means, so tokens per second over a day are one
# over the mean, disturbances included. The **p95** is the gap that a reader notices once a sentence.
# Report mean and p95 of step times for a service, and the median with its spread for a machine.

# %% [markdown] tags=["topic:L21"]
# ## Which stage of a request is slow?
#
# A field report. Somebody timed the four stages of fifty requests with `perf_counter`, and concluded
# that reading the token back from the device is the bottleneck. Here is the same measurement on the
# small model that the course brings with it.

# %% tags=["topic:L21"]
small, _ = course_model("target", device=device)
forward = torch.inference_mode()(lambda tokens: small(tokens, last_only=True)[0, -1])
rng = np.random.default_rng(seed)
prompts = [rng.integers(0, 256, int(rng.integers(8, 40))).tolist() for _ in range(requests)]
held = {}
stages = {
    "prepare": lambda prompt: held.update(tokens=torch.tensor([prompt], device=device)),
    "model": lambda _: stream.launch(lambda: held.update(logits=forward(held["tokens"]))),
    "pick": lambda _: stream.launch(lambda: held.update(token=held["logits"].argmax())),
    "read": lambda _: (stream.synchronize(), held["token"].item()),
}


# %% tags=["topic:L21"]
def stage_times(wait=lambda: None):
    """Seconds spent in each stage, over all requests; ``wait`` is called at the end of each."""
    spent = dict.fromkeys(stages, 0.0)
    for prompt in prompts:
        for name, stage in stages.items():
            begin = time.perf_counter()
            stage(prompt)
            wait()
            spent[name] += time.perf_counter() - begin
    return spent


# %% tags=["nbval-ignore-output", "topic:L21"]
stage_times()  # warm
as_reported = stage_times()
total = sum(as_reported.values())
for name, spent in as_reported.items():
    print(f"{name:8} {1000 * spent / requests:6.2f} ms a request {100 * spent / total:4.0f} %")
assert total > 0

# %% [markdown] tags=["topic:L21"]
# ### Find the bug: what does the table say?
#
# - **a** Reading the token back takes most of the time: copy it in larger pieces.
# - **b** The model takes next to no time: it needs no attention.
# - **c** The table adds up to the right total, and says nothing about a single stage of the device.
# - **d** `perf_counter` is too coarse for this: take a finer clock.
# - **e** Fifty requests are too few: with five thousand the table comes right.

# %%
### BEGIN SOLUTION
what_it_says = "c"
### STUB what_it_says = ...
### END SOLUTION
check("machine.stages", what_it_says)

# %% [markdown] tags=["topic:L21"]
# Wait for the device at the end of every stage. Then each stage's time is its own.

# %% tags=["nbval-ignore-output", "topic:L21"]
split = stage_times(wait=stream.synchronize)
in_all = sum(split.values())
for name, spent in split.items():
    print(f"{name:8} {1000 * spent / requests:6.2f} ms a request {100 * spent / in_all:4.0f} %")
each, before = 1000 * in_all / requests, 1000 * total / requests
print(f"in all   {each:6.2f} ms; the report said {before:.2f} ms")
assert set(split) == set(as_reported)

# %% [markdown] tags=["topic:L21"]
# *On a GPU expect* the model to take as long for 8 tokens of prompt as for 40: at this size its time is
# that of its launches.
#
# Two caveats. Waiting at every boundary takes away overlap: where the host prepares the next request
# while the device works on this one, the parts add up to more than the whole. And a `print(tensor)` or
# an `.item()` in the middle of a stage is such a wait, whether you meant it or not. For a total, wait
# twice; for parts, wait everywhere, and say so.
#
# *Checkpoint, 63 minutes.*

# %% [markdown] tags=["topic:H12"]
# ## When does the device wait for its host?
#
# A launch costs the host something, whatever the work behind it. Time one operation on more and more
# numbers: for a while it takes the same.

# %% tags=["nbval-ignore-output", "topic:H12"]
lengths = (1, 16, 256, 4096, 16_384, 131_072, 1_048_576)
arrays = {n: torch.zeros(n, device=device) for n in lengths}


def many(n, times=50):
    """A call that adds 1 to ``n`` numbers, over and over."""
    return lambda: [arrays[n].add_(1) for _ in range(times)]


# the quickest: a launch is so short that anything can double it
each_s = [quote(series(stream, many(n), 9, 1))[0] / 50 for n in lengths]
show(
    figures.launch_floor(lengths, each_s),
    alt="Time of one operation against the numbers in it, log-log: nearly level up to some thousand "
    "numbers, then rising.",
)
assert min(each_s) > 0

# %% tags=["nbval-ignore-output", "topic:H12"]
many_small = 1024 * each_s[1]  # 1,024 operations on 16 numbers each
one_large = each_s[lengths.index(16_384)]  # the same numbers in one
print(f"{1e6 * many_small:,.0f} µs in 1,024 small operations, {1e6 * one_large:.3g} µs in one")
assert min(many_small, one_large) > 0

# %% [markdown] tags=["topic:H12"]
# One token of a small model is *hundreds* of small operations: for each layer norms, projections,
# rotations, attention, sums. The device is done with each before the host has launched the next, so the
# step takes as long as the launching. On a processor you have just seen what that costs. On a GPU a
# launch goes through a driver to another chip, and that chip is faster, so the launch weighs more: 7 to
# 10 µs each on an H200 (recorded in `data/gpu_runs/labs.md`). Take 5 µs below, a number to calculate with.
#
# ### Build 5: too small for its host
#
# A decode step launches 400 kernels, each keeps the host busy for 5 µs. The device reads
# 3.35 TB/s (an H100), and one user decodes. Up to how many **bytes of weights** is the device done
# before the host is?

# %%
### BEGIN SOLUTION
bytes_of_weights = 400 * 5e-6 * 3.35e12
### STUB bytes_of_weights = ...
### END SOLUTION
check("machine.launches", bytes_of_weights)

# %% [markdown] tags=["topic:H12"]
# So most models that fit a laptop are launch-bound on a large GPU at batch 1. The remedy is a **graph**
# (CUDA graphs; HIP graphs on AMD): capture the launches of one step once, and replay all of them with a
# single one. The host's work for a step falls to nearly nothing. Streams here can do it too, on either
# device.

# %% tags=["nbval-ignore-output", "topic:H12"]
x = torch.zeros(64, device=device)


def host_and_all_s(step):
    """Seconds until the host is free again, and until the device is done."""
    stream.synchronize()
    begin = stream.clock()
    step()
    free_s = stream.clock() - begin
    stream.synchronize()
    return free_s, stream.clock() - begin


def token_loop():
    for _ in range(400):
        stream.launch(x.add_, 1)


# %% tags=["nbval-ignore-output", "topic:H12"]
token_loop()
stream.synchronize()
with stream.capture() as graph:
    token_loop()
for name, step in (("400 launches", token_loop), ("one graph", graph.replay)):
    free_s, all_s = np.median([host_and_all_s(step) for _ in range(9)], axis=0)
    print(f"{name:13}: the host is free after {1e6 * free_s:6.1f} µs, ", end="")
    print(f"all is done after {1e6 * all_s:,.0f} µs")
assert x[0].item() == 400 * 19

# %% [markdown] tags=["topic:H12"]
# The host has its time back: to schedule the next step, say, which is what lab 4's engine does with it.
# On a processor the work itself takes as long as before, since the thread still calls every operation.
# On a GPU the gaps between kernels close as well. **"A graph makes kernels faster" is wrong**: each
# kernel runs as it did, and where the device was the slower one already (weights far above your
# answer) a graph gains next to nothing.
#
# It has a price. What is replayed is what was recorded: the same shapes, the same addresses, and every
# plain number as it was then.


# %% tags=["topic:H12"]
def captured(operation):
    """A graph of one operation."""
    operation()  # warm: a capture must not meet anything for the first time
    stream.synchronize()
    with stream.capture() as graph:
        stream.launch(operation)
    return graph


length, filled = 3, torch.tensor(3, device=device)
answer_of = {"number": torch.zeros(1, device=device), "tensor": torch.zeros(1, device=device)}
graphs = {
    "number": captured(lambda now=length: answer_of["number"].fill_(now)),
    "tensor": captured(lambda: answer_of["tensor"].copy_(filled)),
}

# %% tags=["topic:H12"]
length = 4
filled.fill_(4)
for name, graph in graphs.items():
    graph.replay()
    stream.synchronize()
    print(f"the length is 4 now; as a {name} the graph sees {answer_of[name].item():.0f}")

# %% tags=["solution-only"]
assert [answer.item() for answer in answer_of.values()] == [3, 4]

# %% [markdown] tags=["topic:H12"]
# A context length captured as a plain number stays what it was: the graph runs, quickly, and the answers
# are wrong. That has happened: an integer baked into a graph cut a model's score on a mathematics
# benchmark from 0.45 to 0.23 (transformers, pull request 45323). Whatever varies lies in tensors, and
# there is one graph for each batch size of a short list. Which is the fault of changing shapes again:
# capture them all before you measure, and before you serve.

# %% [markdown]
# ## Four stopwatches on one model
#
# The same decode step by the benchmark that was handed over, by yours, and by the course's
# (`measure.timed`), beside the floor: the bytes of the weights over the bandwidth of a copy.

# %% tags=["nbval-ignore-output"]
found = {"naive": [], "yours": [], "reference": []}
for _ in range(15):  # in turn: a busy moment hits all of them alike
    found["yours"].append(time_once(stream, one_token))
    once = measure.timed(one_token, repeats=1, warm_up=0, min_total_s=0, synchronize=wait)
    found["reference"] += once.samples_s
    begin = time.perf_counter()
    stream.launch(one_token)
    found["naive"].append(time.perf_counter() - begin)
stream.synchronize()
assert all(len(durations_s) == 15 for durations_s in found.values())

# %% tags=["nbval-ignore-output"]
table = {"naive": np.mean(found["naive"])}
table |= {name: quote(found[name])[1] for name in ("yours", "reference")}
table["floor"] = weight_bytes / roof["bandwidth"]
print("             a step    tokens/s   share of the floor")
for name, seconds in table.items():
    share = 100 * table["floor"] / seconds
    print(f"{name:10} {1000 * seconds:6.3f} ms {1 / seconds:9,.0f} {share:14,.0f} %")
print(gpu_summary())
assert min(table.values()) > 0

# %% [markdown]
# *On a GPU expect* the naive row close to the two others. That does not make it right: at batch 1 the
# launches of a step take the host as long as the device needs, so the error hides. Give the same clock
# a long prompt, and it claims the impossible again.

# %% tags=["nbval-ignore-output"]
apart = abs(table["yours"] / table["reference"] - 1)
spreads = [quote(found[name])[::2] for name in ("yours", "reference")]
if any(high_s > 2 * low_s for low_s, high_s in spreads):
    print("Too noisy: 80 % of the runs lie more than a factor of 2 apart. What else runs here?")
elif apart > 0.15:
    print(f"Yours and the reference differ by {100 * apart:.0f} %. Run the cells above once more.")
elif table["yours"] < table["floor"] / 1.5:
    print("The floor lies too high: its copy was disturbed. Run the lab's first measurement again.")
else:
    print(f"Yours agrees with the reference to {100 * apart:.0f} %.")
assert all(low_s <= high_s for low_s, high_s in spreads)

# %% [markdown]
# ## The profile, made trustworthy
#
# Chapters 04 and 05 wrote figures of this machine into its profile in passing. From now on others
# build on them: lab 4's simulator takes its step times from there, and every lab's floor is computed
# from the two rates. So they are measured as you would want a stranger to: several **visits** to each
# rate, in turn, so that a busy minute cannot spoil one of them alone. All durations together give the
# median and the spread, and the visits have to agree.

# %% tags=["nbval-ignore-output"]
measured = {"copy": [], "matrix": []}
for _ in range(visits):
    measured["copy"].append(measure.copy_bandwidth(device, repeats=7, min_total_s=0))
    measured["matrix"].append(measure.matrix_rate(device, dtype=dtype, repeats=7, min_total_s=0))
rates, notes = {}, {}
for name, found in measured.items():
    durations_s = sum((visit.timing.samples_s for visit in found), ())
    rates[name] = replace(found[0], timing=measure.Timing(durations_s))
    middles = [visit.per_s for visit in found]
    apart = max(middles) / min(middles) - 1
    notes[name] = f"{visits} visits in turn, {100 * apart:.0f} % apart"
    steady = apart < 0.15 and rates[name].timing.is_steady
    notes[name] += ", to be trusted" if steady else ", TOO NOISY to build on"
    print(f"{name:6}: {len(durations_s)} runs in {notes[name]}")
assert set(rates) == {"copy", "matrix"}

# %% tags=["nbval-ignore-output"]
profile = measure.MachineProfile.load(device=device)
profile = profile.with_copy_bandwidth(rates["copy"], note=notes["copy"])
profile = profile.with_matrix_rate(rates["matrix"], note=f"{dtype}, {notes['matrix']}")
profile.save()
print(profile.machine)
for name in ("copy_bandwidth_bytes_per_s", "matrix_flops_per_s"):
    one = profile.measurements[name]
    spread = f"{one.value:.3g} {one.unit} ({one.low:.3g} to {one.high:.3g})"
    print(f"{name}: {spread}, {one.measured_at[:10]}, torch {one.torch}, {one.note}")
assert profile.copy_bandwidth_bytes_per_s > 0 and profile.matrix_flops_per_s > 0

# %% [markdown] tags=["topic:L05"]
# The third entry is the **cost of a step** of the course's engine, the one that labs 2 to 5 build: so
# many seconds for a step as such, for each prompt token, each pair of tokens that attend to each other,
# each sequence, each token of context. `calibrate` serves a load of varied requests, several times the
# same, and fits the five to the steps' medians. It runs on one core with one thread, as labs 4 to 6 do: in a
# model this small two threads would wait for each other. Chapter 07's simulator takes the five as they are.
# (A 0 among them says that the fit saw no such cost in so small a model. Two more entries, `weights_s` and
# `per_linear_token_s`, belong to a cost computed from a data sheet, and stay 0 in a fitted one.)

# %% tags=["nbval-ignore-output", "topic:L05"]
with one_core():
    calibration = calibrate(
        lambda: Engine(small, max_sequences=sequences, token_budget=64),
        seconds=calibration_s,
        longest_prompt=64,
        longest_answer=24,
    )
engine = f"course target, up to {sequences} sequences, 64 tokens a step"
profile = profile.with_step_cost(calibration, engine=engine)
profile.save()
print(calibration.verdict())
for name, seconds in profile.step_cost.costs.items():
    print(f"{name:20} {1e6 * seconds:10.4g} µs")
assert known_step_cost(profile).base_s >= 0

# %% [markdown]
# Each entry says when it was made, with which version of torch, on which device, and how far apart its
# runs lay. A verdict of *too noisy* is an entry, too: it tells you next week not to
# build on it. Run these last cells again on a quiet evening; the later figure replaces the earlier one.

# %% [markdown]
# ## What to do on Monday morning
#
# 1. **Hold every claim against the roofline** before you discuss it. Above 100 % the clock lies.
# 2. **Wait for the device** before the first reading and before the second.
# 3. **Warm up each shape** that you will measure, or serve; report the cold start as its own figure.
# 4. **One shape to a figure**, and the work of that very run above the line.
# 5. **Median with 10th and 90th percentile** for a machine; mean and p95 for a service. If the spread
#    is wider than a factor of two, say *too noisy* instead of a number.
# 6. **Time in turn** what you compare, and keep date, machine, versions and sizes beside the result.
# 7. **Split a step into host and device** before you buy a faster device.

# %% [markdown] tags=["optional", "topic:L05"]
# ## More practice (optional, outside the minutes)
#
# **How long does the job take?** Of a model's decode steps nine in ten take 20 ms, and one in ten takes
# 80 ms. An offline job runs 100,000 steps, one after the other. How many seconds does it take?

# %% tags=["optional"]
### BEGIN SOLUTION
job_s = 100_000 * (0.9 * 0.020 + 0.1 * 0.080)
### STUB job_s = ...
### END SOLUTION
check("machine.token_job", job_s)

# %% [markdown] tags=["optional", "topic:H12"]
# **Stretch.** (a) Let `token_loop` launch 4,000 operations, and 40. From which number on is the host
# free before the device is done? (b) Measure the block with 1 to 256 rows, each on its own, and draw
# the shares of the roofline: where is the ridge, and which shapes does your library like? (c) Time the
# same decode step with one thread and with all (`torch.set_num_threads`): which of the two rates in the
# profile changes, and what follows for the ridge? (d) On a GPU: replace `stream.synchronize()` in
# Build 1 by a pair of `torch.cuda.Event(enable_timing=True)`. What do events not see?

# %% [markdown]
# ## Sources
#
# - S. Williams, A. Waterman and D. Patterson, *Roofline: an insightful visual performance model for
#   multicore architectures*, Communications of the ACM 52, 2009.
# - A. Georges, D. Buytaert and L. Eeckhout, *Statistically rigorous Java performance evaluation*,
#   OOPSLA 2007: start-up and steady state as two questions, and why one run answers neither.
# - T. Hoefler and R. Belli, *Scientific benchmarking of parallel computing systems*, SC 2015: twelve
#   rules, among them the median with its interval.
# - The PyTorch documentation on CUDA semantics: asynchronous execution, and CUDA graphs. The fault of
#   the baked length is described in pull request 45323 of huggingface/transformers.
