# ---
# jupyter:
#   course:
#     order: 0
#     slug: start_here
#     title: Start here
#     question: How much longer do 16 requests take than one, and does everything work on this machine?
#     minutes: 26
#     needs: []
#     folder: notebooks
#     gpu: false
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# A model that answers requests consists of multiplications. Each of its layers is a **matrix**, a large
# table of numbers that training has fixed: the *weights*. Each request is a **vector**, a list of
# numbers that has to go through. Here is one layer of a realistic size, 4096 × 4096. You are about to
# send requests through it, on this machine.
#
# This page is a *notebook*: text, and grey cells with code. Click into a cell and press **Shift+Enter**
# to run it. Do that with every cell, from top to bottom; the code in them is there to be read later, if
# you like. The next one needs a few seconds, because it loads PyTorch, the library in which many models
# are written.

# %%
import torch

from labutils.exercises import check, hint, outcome, piece, predict, progress, reveal
from labutils.measure import synchronizer, timed_in_turn
from labutils.viz.explorers.batch_cost import batch_cost_explorer

device = "cuda" if torch.cuda.is_available() else "cpu"  # a GPU if there is one; none is needed
weights = torch.randn(4096, 4096, device=device)  # random numbers: for the time only size matters
print(f"{weights.numel() / 1e6:.1f} million weights, {weights.nbytes / 2**20:.0f} MiB of memory")

# %% [markdown]
# (A MiB is 2^20 bytes; each weight takes 4 bytes.)
#
# ## Sixteen times the work: how many times as long?
#
# To send one vector through, each weight takes part in one multiplication and one addition. To send 16
# vectors through at once, it takes part in 16 of each: sixteen times the arithmetic. **How many times
# as long as one vector do 16 vectors take?**
#
# Say it before you see it. Replace the dots below by a number such as `12`, or by a range that you are
# 80 % sure of, such as `low=6, high=18`, and run the cell. To skip the question, leave the dots. A range
# gets a score: its width, plus ten times the distance by which it misses, both as multiples of the true
# value. Lower is better, so a range that is wide to be safe pays for it.

# %%
### BEGIN SOLUTION
predict("start.batch_ratio", low=3, high=20)
### STUB predict("start.batch_ratio", ...)
### END SOLUTION

# %% [markdown]
# Now measure. The cell sends one vector, then 16, then one again, and so on. The first calls are slow
# and do not count. Of the others it prints the **median**: half of the runs took no longer.


# %% tags=["nbval-ignore-output"]
def through(block):
    """Return a call that sends all vectors of a block (its columns) through the layer."""
    return lambda: weights @ block


one, sixteen = (torch.randn(size, 4096, device=device).T for size in (1, 16))
pair = timed_in_turn({1: through(one), 16: through(sixteen)}, synchronize=synchronizer(device))
ratio = pair[16].median_s / pair[1].median_s
print(f"one vector: {pair[1]}")
print(f"16 at once: {pair[16]}")
assert (weights @ sixteen).shape == (4096, 16)  # sixteen answers
outcome("start.batch_ratio", round(ratio, 1))

# %% tags=["nbval-ignore-output"]
if not all(timing.is_steady for timing in pair.values()):
    print("The runs differ by more than a factor of 2, so the machine was busy with something")
    print("else. Do not trust the ratio: run the cell above again in a quiet moment.")
print(f"16 vectors took {ratio:.1f} times as long as one, with 16 times the arithmetic.")
print(f"The machine finished {16 / ratio:.1f} times as many vectors in a second.")
if ratio > 10:
    print("If the runs are steady, the processor calculates slowly compared with its memory, or")
    print("its cache holds all weights. solutions/00_start_here.ipynb shows a wider gap.")
assert ratio > 0

# %% [markdown]
# ### The weights are read once, for one vector or for sixteen
#
# For a single vector the machine fetches all the weights from memory and does next to nothing with
# each: it multiplies, adds, and waits for more. For 16 vectors it fetches the same weights, once, and
# uses each of them 16 times. If fetching took all the time, 16 would take as long as one. Your
# factor is above 1 because of the arithmetic: for 16 vectors the machine no longer waits for memory alone.
#
# How far does that go? What is sent through at once is called a **batch**. The next cell measures a dozen
# batch sizes, which takes about two seconds, and shows them all. Then move the slider: what does a batch
# of 2, of 16, of 64 cost each vector in it, and what does it buy?

# %% tags=["nbval-ignore-output"]
sizes = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64)
calls = {size: through(torch.randn(size, 4096, device=device).T) for size in sizes}
sweep = timed_in_turn(calls, repeats=5, min_total_s=1.2, synchronize=synchronizer(device))
assert tuple(sweep) == sizes and min(timing.low_s for timing in sweep.values()) > 0
explorer = batch_cost_explorer(sweep, size=16)
explorer

# %% [markdown]
# ### A batch pays with latency and buys throughput
#
# Two words for the whole course. **Latency** is how long a request waits for its answer: here, until its
# batch is done. **Throughput** is how many requests are finished per second. A larger batch lets
# every request in it wait longer and, as a rule, makes each of them cheaper. How much of the one to pay for
# the other, who pays, and what happens when requests do not come at the same time: that is what the
# chapters are about. (In a service the first request of a batch also waits until the last one has
# arrived. Here all were there from the start.)
#
# A vertical bar at a point holds 80 % of its runs. Where bars are long, something else used the machine:
# run the cell again. The library multiplies in different ways for different sizes, so a curve need not be
# smooth: a batch can be done sooner than a smaller one, and a batch of 2 or 3 can cost more per vector
# than one vector alone.
#
# Does a single vector really wait for memory? Compare two rates: how fast weights arrive, and how fast
# the machine calculates. (1 GB/s is $10^9$ bytes per second; 1 GFLOP/s is $10^9$ multiplications or
# additions per second.)

# %% tags=["nbval-ignore-output"]
print("batch    weights read     arithmetic")
for size in (1, 16, 64):
    seconds = sweep[size].median_s
    read, done = weights.nbytes / seconds, 2 * weights.numel() * size / seconds
    print(f"{size:5} {read / 1e9:10.1f} GB/s {done / 1e9:8.0f} GFLOP/s")
dear = [f"{size}" for size in sizes[1:] if sweep[size].median_s > size * sweep[1].median_s]
print("batches that cost more per vector than one alone:", ", ".join(dear) or "none")
assert read > 0

# %% [markdown]
# Look down the last column. If the machine calculates many times faster for 64 vectors than for one,
# then arithmetic is not what the single vector waited for. It waited for the weights to arrive from memory.
#
# Now look at the first column, the rate at which weights are read. For one vector it is as fast as memory
# delivers. Where it is lower, memory could deliver faster, and the machine is busy calculating instead.
#
# ## Four words answer you: predict, check, hint, reveal
#
# You have used the first. Nothing is graded, nothing leaves this machine, and skipping is allowed.
#
# ### Check: hand in an answer, get a diagnosis
#
# On another machine one vector takes 4 ms, and a batch of 16 takes 20 ms. **How many vectors a second
# does it finish in batches of 16?** Put your answer in place of the dots: a number, a calculation, or a
# text with a unit, such as `"250/s"`.

# %%
### BEGIN SOLUTION
vectors_per_s = 16 / 0.020
### STUB vectors_per_s = ...
### END SOLUTION
check("start.batch_throughput", vectors_per_s)

# %% [markdown]
# A wrong answer is answered, too. Here are two, each with a mistake of its own:

# %%
check("start.batch_throughput", 50)

# %%
check("start.batch_throughput", "1.25 ms")

# %% [markdown]
# ### Build: write a function, and let it be tried on cases that you did not think of
#
# What does a batch buy? Compare two throughputs: batches of `batch_size` vectors that take `batch_s`
# seconds each, against one vector after the other, `one_s` seconds each. One line is enough. The line
# that raises an error stands there so that nobody takes it for an answer: replace it.


# %%
def throughput_gain(batch_size, one_s, batch_s):
    """Return the throughput in batches, divided by the throughput one by one."""
    ### BEGIN SOLUTION
    return batch_size * one_s / batch_s
    ### END SOLUTION


# %%
check("start.throughput_gain", throughput_gain)

# %% [markdown]
# If your function is wrong, the check shows the smallest call that proves it. Copy that into a cell of
# your own (the **+** above the page makes one) and look. Once it is right, it is put to work: on the
# times that you measured. (Until then the cell uses the workbook's own function, and says so.)

# %% tags=["nbval-ignore-output"]
gain = piece("start.throughput_gain", throughput_gain)
one_s = sweep[1].median_s
for size in (2, 16, 64):
    longer, more = sweep[size].median_s / one_s, gain(size, one_s, sweep[size].median_s)
    print(f"batch of {size:2}: {longer:4.1f} times the latency, {more:4.1f} times the throughput")
assert abs(gain(3, 0.5, 1.5) - 1) < 1e-9  # three times as long for three: nothing gained

# %% [markdown]
# ### Hint and reveal: when you are stuck
#
# Each exercise has three hints, from a nudge to nearly there, and an explanation. Both are a call away.
# Before an exercise is solved they are counted, for you alone: what needed a hint is worth coming back
# to. Afterwards they are free.

# %%
hint("start.throughput_gain")

# %%
reveal("start.batch_throughput")

# %% [markdown]
# ## Is this machine ready?
#
# The preflight tries what the chapters need (it compiles, calculates, draws, moves a slider, writes) and
# prints a receipt.

# %% tags=["nbval-ignore-output"]
from labutils.workspace import preflight

receipt = preflight.examine()
print(receipt)
assert receipt.findings

# %% [markdown]
# Each line begins with `ok`, `warn`, `fail`, or `n/a` for what does not apply here; the remedy stands
# behind the arrow. In a workshop, send the last line to your instructor. It names versions, cores, memory
# and what works, and nothing about you.
#
# ## The map
#
# What is finished, and how far you are. An exercise counts as solved once its check said so.

# %% tags=["nbval-ignore-output"]
progress()

# %% [markdown]
# ## Your work is safe
#
# - **Saving.** Your notebooks are copies, in the folder `my/`. JupyterLab saves them every two minutes,
#   and at once with Ctrl+S (Cmd+S on a Mac). Progress and predictions are small text files in
#   `my/progress/`; delete them, and they are forgotten.
# - **Updating.** `git pull`, then `make lab`, then *Kernel → Restart* in what is open. A notebook that you
#   changed is never overwritten: its newer edition is put beside it, and `make lab` says so.
#   `labutils carry 03`, in a terminal of JupyterLab, brings your answers into it; your old copy goes to
#   `my/backups/`, dated.
# - **Starting over.** In a terminal of JupyterLab: `labutils reset 03`, with the chapter's number. In a
#   cell: `from labutils import course`, then `course.reset("03")`. Your old copy goes to `my/backups/`, dated.
# - **Without a GPU** all finished chapters run as they are.
# - **If something fails:** run the cells above it first; most errors of the kind `NameError` come from
#   a cell that was skipped. Then *Kernel → Restart Kernel and Run All Cells*: it forgets what was
#   computed, not what you typed. If that does not help, `labutils preflight` in a terminal names
#   what is missing, and the README lists what else may happen.
#
# ## Where do I go next?
#
# - **At your own pace:** in the order of the map. [01](01_two_numbers.ipynb) measures latency honestly,
#   [02](02_littles_law.ipynb) ties it to throughput, [03](03_mm1_explosion.ipynb) says what load does to
#   it. [04](04_batching_sweep.ipynb) to [07](07_continuous_batching.ipynb) are about batches, tokens,
#   memory and the scheduler that joins them; [08](08_tails_and_fan_out.ipynb) says what happens when one
#   request needs a hundred answers, [09](09_where_the_time_goes.ipynb) where a request's time goes, and
#   [10](10_what_need_not_be_computed.ipynb) what need not be computed.
#   [03b](03b_trusting_a_simulation.ipynb) is for those who want to trust, or doubt, a simulation. In the labs you build what the chapters explain, and
#   lab 6 runs all of it together.
# - **In a workshop:** you are ready if no line of the receipt says `fail`. The instructor names the
#   chapters; commit to your predictions before the room talks about them.
# - **An interview in a week:** [02](02_littles_law.ipynb), [03](03_mm1_explosion.ipynb),
#   [08](08_tails_and_fan_out.ipynb), [01](01_two_numbers.ipynb), one a day. Do the exercises without
#   hints, then explain each `reveal` aloud, in your own words. From the first day on, twenty minutes of
#   [drills](90_interview_drills.ipynb) a day.
