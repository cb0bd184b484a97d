# ---
# jupyter:
#   course:
#     order: 15
#     slug: paged_kv_cache
#     title: Paged KV cache
#     question: Your engine is full, and three quarters of its memory hold nothing. How many more get in, and what do they pay?
#     minutes: 106
#     needs: [kv_cache_memory, continuous_batching]
#     folder: labs
#     gpu: optional
#     small: {requests: 20, rounds: 1, conversations: 5}
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown] tags=["topic:D08"]
# The engine of lab 4 gives every request one piece of memory, as long as the longest that is allowed.
# Its answers are right. Its queue grows, and the log says why: no memory.
#
# Today you take that memory apart. You write the page pool of the engine, function by function: pages,
# page tables, attention over pages, shared pages, eviction. Fourteen functions of
# `labutils/engine/pages.py`, `packing.py` and `attention.py` are yours today; what passes its check is kept in
# `my/engine`, and runs from then on. And beside it stands the question: **what do pages buy, and what
# do they cost?**
#
# You need not have finished another lab: what is not yours yet is the course's. Words that are new to you stand in
# the glossary at the end of `docs/cards.html`. Names of this notebook stay
# behind when a function is kept: what its file does not import, import inside of it.

# %%
import os

os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")  # before torch: waiting threads sleep

# %%
import inspect
from array import array
from collections.abc import Hashable, Iterable, Iterator, Sequence
from hashlib import blake2b

import numpy as np
import torch

import labutils.engine as course
from labutils import llm, measure
from labutils.engine import OutOfPages, PagePool, Request
from labutils.exercises import check, hint, outcome, predict, reveal
from labutils.exercises.catalog.paged_kv_cache import decode_step, lab5_runs as kit
from labutils.viz import show
from labutils.viz.explorers.page_run import page_run_explorer
from labutils.viz.figures.page_run import page_run_map
from labutils.workspace.my_engine import my_engine

# %% [markdown]
# ## Sizes: a laptop, or a cloud GPU
#
# **The outputs in the solution edition come from these sizes, on two CPU cores**, with the course's trained
# model. On a GPU set `device = "cuda"`, `shape = "Qwen3-0.6B"` (any listed model, in bfloat16, with random
# weights), `requests = 256`, `pages = 256` and `context = 2048`. Nobody has recorded a run of this lab on a
# GPU; what the course's fast engine did on one stands under the comparison at the end.

# %% tags=["parameters"]
seed = 7  # every random draw in this lab follows from it
device, shape = "cpu", "course"  # the course's trained model, or the name of a listed one
requests = 64  # of the job
limit = 320  # tokens that each may take, prompt and answer
pages, page_tokens = 80, 16  # the memory: pages of so many tokens
batch, context = 16, 512  # of the step whose attention is timed
conversations = 40  # in the simulator
rounds = 3  # of the benchmark

# %%
from labutils.serving.checkpoints import course_model, random_model
from labutils.serving.memory import ContiguousReservation
from labutils.serving.simulator import StepCost, simulate
from labutils.serving.trials.floor import memory_floor
from labutils.serving.trials.gpu_runs import gpu_summary

number = {"dtype": torch.float32 if device == "cpu" else torch.bfloat16, "device": device}
if device == "cpu":  # too small for two threads: they would wait for each other
    torch.set_num_threads(1)
model = course_model(**number)[0] if shape == "course" else random_model(shape, seed=seed, **number)
spec, num_slots = model.spec, pages * page_tokens
job = kit.glossary_job(requests, limit=limit)
memory_bytes = num_slots * spec.kv_bytes_per_token(number["dtype"].itemsize)
print(f"KV memory: {memory_bytes / 1e6:.3g} MB, room for {num_slots} tokens")

# %% [markdown] tags=["topic:D08", "topic:J01"]
# ## The flaw of the last design, measured
#
# A job: explain so many words of the glossary, in one sentence each. Every prompt begins with the same 42
# tokens of instructions. Each request may take 320 tokens, and none does: its answer ends with a full stop,
# which no scheduler can foresee. All are there at the beginning. The engine is lab 4's, with 320 slots
# reserved for each request that runs.

# %% tags=["topic:D08"]
mine = my_engine()
reserved = kit.serve(mine, model, ContiguousReservation(num_slots), job)
print(f"a request takes {np.mean(job.lengths):.0f} tokens at its end, {max(job.lengths)} at most")
print(f"running while others wait: {reserved.running:.1f}")
print(f"slots that hold a token: {100 * reserved.filled_share(num_slots):.0f} %")

# %% tags=["solution-only"]
assert reserved.filled_share(num_slots) < 0.5 and reserved.running <= num_slots / limit

# %% [markdown]
# "No memory", and three quarters of it are empty. A request grows, it is unknown how far, and a piece cannot be
# extended into what the neighbour owns. So the longest is reserved for every request.
#
# ### How many more get in?
#
# The same bytes in pages of 16 tokens, given out when a token needs them. **How many requests run at a time,
# for each one above?** Commit to a number, or to a range that you are 80 % sure of:
# `predict("paged.more", low=..., high=...)`.

# %%
### BEGIN SOLUTION
predict("paged.more", low=2, high=4.5)
### STUB predict("paged.more", ...)
### END SOLUTION

# %% [markdown] tags=["topic:J01"]
# ## Pages when tokens come
#
# **The interface** is what the scheduler calls: `fits(request)` and `start(request)` when a request is admitted,
# `grow(request)` when it needs one page more, `release(request)` when it ends or is preempted. What cannot be had
# raises `OutOfPages`, and then **nothing has changed**: all or nothing.
#
# **The invariant**, through all steps: *every page is in exactly one place, blank, idle or held, and `owners` says
# how many tables hold it.* Each check walks a pool through random days, recounts it after every call, and
# tells you which page is out of place.
#
# **One case by hand.** Six pages of 4 tokens:
#
# | what happens | pages of a | pages of b | free |
# | --- | --- | --- | --- |
# | a starts with 9 tokens, b with 4 | 0 1 2 | 3 | 2 |
# | b gets its 5th token: no room, it grows | 0 1 2 | 3 4 | 1 |
# | a gets its 13th | 0 1 2 5 | 3 4 | 0 |
# | b gets its 9th: refused, and nothing has changed | 0 1 2 5 | 3 4 | 0 |
# | a ends | | 3 4 | 4 |
#
# The books are given (`labutils/engine/pages.py` begins with them). A request has `known` tokens, `computed` of
# which have keys and values; its table is `request.pages`, with `request.room` for so many tokens.
#
# Our names beside those of vLLM, SGLang and nano-vllm: `docs/engine_words.md`.

# %%
print(inspect.getsource(PagePool.__init__))
print(inspect.getsource(PagePool.num_free.fget))
print(inspect.getsource(PagePool.pages_for))

# %% [markdown] tags=["topic:J01"]
# ### Build 1: take, and grow, in `pages.py`
#
# `take` hands out `count` pages that nothing holds: blank ones, in any order; when none is
# blank, the page that `self.evict()` returns (given until Build 11). Each has one owner now. `grow`
# takes one page for the request and raises its `room` by `page_tokens`.


# %% tags=["topic:J01"]
### INCLUDE labutils.engine.pages:PagePool.take+grow as Growing


# %%
check("pages.take", Growing)

# %% [markdown]
# Stuck? `hint("pages.take")` in a cell of your own, up to three times; `reveal("pages.take")`
# explains afterwards.

# %% [markdown] tags=["topic:J01"]
# ### Build 2: release, in `pages.py`
#
# A request ends, or is preempted. Two tables may hold a page (you will see how), so count its owners down;
# `drop` knows where a page goes that has none left. The last page goes first. Then the request has no pages,
# no room, and nothing computed.


# %% tags=["topic:J01"]
### INCLUDE labutils.engine.pages:PagePool.release


# %%
check("pages.release", release)

# %% [markdown]
# The scheduler on your pages, with the model. Nothing is shared yet.

# %% tags=["topic:D08"]
mine = my_engine(quiet=True)
paged = kit.serve(mine, model, mine.PagePool(pages, page_tokens), job, prefix_sharing=False)
more = paged.running / reserved.running
print(f"running while others wait: {reserved.running:.1f} reserved, {paged.running:.1f} in pages")
print(f"slots that hold a token: {100 * paged.filled_share(num_slots):.0f} %")
print(f"preempted, for want of a page: {reserved.preempted} times, {paged.preempted} in pages")
print(f"the same answers, token by token: {paged.answers == reserved.answers}")
outcome("paged.more", round(more, 1))

# %% tags=["solution-only"]
assert paged.answers == reserved.answers and more > 1.6

# %% [markdown] tags=["topic:D08", "topic:J01"]
# ### Room for the tokens that exist, not for those that may come
#
# Nothing was added, and no answer changed. The memory is full of tokens now. And here is the first price: a
# reservation never runs short, pages do. A request that needs a page when none is free makes the newest give way: it
# is **preempted**, waits in front, and computes again what it knew.
#
# What is missing to 100 % is the last page of each request, filled in part, and a few free pages: too few for
# the head of the queue. A page of $s$ tokens leaves at most $s - 1$ slots empty, and $(s - 1)/2$ on average
# where all fills are equally likely:

# %% tags=["topic:J01"]
print("page of   running   empty slots per request")
for size in (1, 16, 64):
    pool = mine.PagePool(num_slots // size, size)
    run = kit.serve(mine, model, pool, job, prefix_sharing=False) if size != 16 else paged
    gaps = [-tokens % size for moment in run.crowded for tokens in moment.tokens.values()]
    print(f"{size:6} {run.running:10.1f} {np.mean(gaps):12.1f}   (at most {max(gaps)})")
llama = llm.model("Llama-3.1-8B").kv_bytes_per_token()
print(f"16 tokens of Llama-3.1-8B: {16 * llama / 32 / 2**10:.0f} KiB in one of its 32 layers, "
      f"{16 * llama / 2**20:.0f} MiB in all; 16 KiB hold {2**14 / (llama / 32):.0f} tokens of one layer")  # fmt: skip

# %% [markdown] tags=["topic:J01"]
# *"Pages of 16 to 32 KB."* Of which model, and of how many layers? Count pages in
# **tokens**: waste, sharing and tables depend on tokens, and the bytes follow from the model. Small pages
# waste less and share more; large ones make shorter tables and longer stretches for a kernel. Engines use
# 1 to 256.
#
# *Checkpoint, 21 minutes. One idea: a page is given when a token needs it. How does attention find it?*

# %% [markdown] tags=["topic:D08"]
# ## Attention over scattered pages
#
# ### Build 3: from a page table to slots, in `packing.py`
#
# The memory is one tensor of *slots* for each layer, one slot for each token: page $p$ has the slots
# $p \cdot s$ to $p \cdot s + s - 1$. So token $i$ lies at
#
# $$\text{slot}(i) = s \cdot \text{table}[\lfloor i / s \rfloor] + (i \bmod s) .$$
#
# The engine asks for the slots of the tokens that a step computes (vLLM calls them `slot_mapping`).


# %% tags=["topic:D08"]
### INCLUDE labutils.engine.packing:slots_of


# %%
check("packing.slots", slots_of)

# %% [markdown] tags=["topic:D08"]
# ### Build 4: read pages in the order of the tokens, in `KVMemory` of `attention.py`
#
# `self.keys[layer]` and `self.values[layer]` are [KV heads, slots, head_dim]. `pages` is a tensor of page numbers,
# in the order of the tokens. Yield copies, keys first. Slot by slot would be right and slow: whole pages can
# be picked at once.


# %% tags=["topic:D08"]
### INCLUDE labutils.engine.attention:KVMemory.read


# %%
check("attention.read", read)

# %% [markdown] tags=["topic:D08"]
# ### Build 5: all that decode, in one call, in `Bucket` of `attention.py`
#
# Sixteen requests decode: one query token each, over sixteen contexts. A loop over them is sixteen small
# calls. Padded to the longest context it is *one* batched product. They have been padded for you (with page
# 0: any will do). Given:
#
# - `self.pages`: all tables, padded, one behind the other; `self.memory.read` gives their keys and values;
# - `self.hidden` [KV heads · requests, 1, slots]: what is added to scores, minus infinity on the padding;
# - `query` [KV heads, group, requests, head_dim]: the query heads of a group share their KV head.
#
# Return the mix in the shape of `query`. `torch.baddbmm(added, a, b, alpha=…)` is `added + alpha · a @ b`, batch by
# batch. Write the shapes down first.


# %% tags=["topic:D08"]
### INCLUDE labutils.engine.attention:Bucket.attend


# %%
check("attention.bucket", attend)

# %% [markdown]
# Three more functions of yours in the engine. The answers must not change by one token.

# %%
mine = my_engine()
run = kit.serve(mine, model, mine.PagePool(pages, page_tokens), job, prefix_sharing=False)
print("the same answers, token by token:", run.answers == reserved.answers)

# %% tags=["solution-only"]
assert run.answers == reserved.answers

# %% [markdown] tags=["topic:D08"]
# ### Does paging make attention faster?
#
# "PagedAttention speeds up attention 2 to 4 times": is that so? Take one decode step: 16 requests, 512
# tokens each, the same keys and values three times: **in one piece** (each request's cache
# contiguous, one call for all), in **pages, in one call** (yours), in **pages, row by row**.
# How long does the one call over pages take, for each millisecond in one piece?

# %%
### BEGIN SOLUTION
predict("paged.step", low=1, high=2.5)
### STUB predict("paged.step", ...)
### END SOLUTION

# %% tags=["nbval-ignore-output", "topic:D08"]
calls = decode_step.decode_calls(
    mine, spec, batch=batch, context=context, page_tokens=page_tokens, seed=seed, number=number
)
mixed = {name: call() for name, call in calls.items()}
wait = measure.synchronizer(device)
timings = measure.timed_in_turn(calls, repeats=15, min_total_s=0.3, synchronize=wait)
best = {name: min(timing.samples_s) for name, timing in timings.items()}
for name, seconds in best.items():
    print(f"{name:20}{1e3 * seconds:8.3f} ms {seconds / best['in one piece']:6.2f} × one piece")
steady = all(timing.is_steady for timing in timings.values())
print("The rounds agree." if steady else "Too noisy to quote: rounds differ by a factor of two.")
assert all(torch.allclose(mixed["in one piece"], one, atol=0.05) for one in mixed.values())
outcome("paged.step", round(best["pages, in one call"] / best["in one piece"], 2))

# %% [markdown] tags=["topic:D08"]
# ### A step costs more with pages, and the server does more in it
#
# The numbers that come out are the same, and so are the multiplications. What is added is finding: every
# key and value is copied from its page before it is used. *On a GPU expect* row by row to be much the
# slowest: sixteen times as many launches, at 5 µs each, for products that take less. A kernel that follows the page
# table saves the copy, and not the look-up: for vLLM's first one, its authors report attention that took 20 to
# 26 % *longer* than that of FasterTransformer, whose cache lay in one piece (Kwon and others 2023, section 7.1).
#
# So the sentence is wrong, and its factor is right. The 2 to 4 times are the *throughput* of a server, at the
# same latency: more requests share each pass over the weights. **Pages buy concurrency; speed comes from
# the batch; and each step pays for it: the table says how much.** Where memory is not what limits you (one user, a
# short queue), pages cost and buy nothing.
#
# *Checkpoint, 43 minutes. Two ideas: pages when tokens come, and a price in every step. Now what pages can do
# that reservations never could.*

# %% [markdown] tags=["topic:J01", "topic:J02"]
# ## Pages that several requests hold
#
# Two prompts that begin alike have equal keys and values there: those of a token depend on it and on all before
# it. All requests of our job begin with the same 42 tokens, and each of them has computed and kept these for
# itself.
#
# ### Build 6: names that are chained, in `pages.py`
#
# A page is found by a **key** that names its tokens *and all before them*. Make it a digest of the last key and the
# page's own tokens, beginning with a digest of `salt` (tenants must not find each other's pages). Only full pages
# have a key.


# %% tags=["topic:J01"]
### INCLUDE labutils.engine.pages:page_keys


# %%
check("pages.keys", page_keys)

# %% [markdown] tags=["topic:J01"]
# ### Build 7: find, in `pages.py`
#
# `self.page_of` leads from a key to the page that holds what it names. A newcomer looks up its own
# (`request.keys`), from the first on. Two things end the search. Which?


# %% tags=["topic:J01"]
### INCLUDE labutils.engine.pages:PagePool.find


# %%
check("pages.find", find)

# %% [markdown] tags=["topic:J01"]
# ### Build 8: publish, in `pages.py`
#
# A step has computed `new_tokens` of a request, and `request.computed` counts them already. Which pages are full
# now that were not before? They become findable: `self.page_of[key]` and, for the way back, `self.key_of[page]`.


# %% tags=["topic:J01"]
### INCLUDE labutils.engine.pages:PagePool.publish


# %%
check("pages.publish", publish)

# %% [markdown] tags=["topic:J01"]
# ### How many more get in when they share?
#
# The same memory, the same job; the pages of the common beginning are held by all that run. How many requests
# run at a time, for each one with pages alone?

# %%
### BEGIN SOLUTION
predict("paged.shared", low=1.2, high=1.8)
### STUB predict("paged.shared", ...)
### END SOLUTION

# %% [markdown] tags=["topic:J01", "topic:J02"]
# ### Build 9: hold, and fits, in `pages.py`
#
# A page that nothing holds and that has a key is *idle*: it counts as free (`num_free`), and it can be found.
# `hold` adds an owner to each page, and none of them is idle any more. `fits` says whether `start` would get its
# pages for all *known* tokens. What is found need not be taken. But look closely: a found page
# that is idle counts in `num_free`, too, and must not count twice.


# %% tags=["topic:J01"]
### INCLUDE labutils.engine.pages:PagePool.hold+fits as Holding


# %%
check("pages.fits", Holding)

# %% [markdown] tags=["topic:J01"]
# ### Build 10: start, in `pages.py`
#
# Everything comes together: refuse before anything changes, hold what is found, take the rest. Tokens that were found
# count as `computed`: the first step begins behind them. `request.cached` notes how many they were when it
# *first* started; it is None until then.


# %% tags=["topic:J01"]
### INCLUDE labutils.engine.pages:PagePool.start


# %%
check("pages.start", start)

# %%
mine = my_engine()
shared = kit.serve(mine, model, mine.PagePool(pages, page_tokens), job)
print(
    f"running while others wait: {paged.running:.1f} with pages alone, {shared.running:.1f} shared"
)
print(f"steps: {reserved.steps} reserved, {paged.steps} in pages, {shared.steps} shared")
print(f"the same answers, token by token: {shared.answers == reserved.answers}")
outcome("paged.shared", round(shared.running / paged.running, 1))

# %% tags=["solution-only"]
assert shared.answers == reserved.answers and shared.running > 1.15 * paged.running

# %% [markdown] tags=["topic:J02"]
# *Checkpoint, 71 minutes. Three ideas: pages when tokens come, a price in every step, and pages with several
# owners. Now pages that outlive all of them.*
#
# ## Eviction: the page idle longest goes first
#
# Suppose that a pool forgets a page when its last request leaves. A minute later the same user asks on, and the
# whole conversation is computed again. But such a page is only *needed* when something else is to be written into it.
# Until then it can stay **idle**, free and findable at once.
#
# ### Build 11: drop, and evict, in `pages.py`
#
# - `drop(page)`: nothing holds the page any more. If it has a key, it becomes the newest in `self.idle` (an
#   `OrderedDict`); otherwise it is blank.
# - `evict()`: take the page that has been idle longest out of `self.idle`, make both dicts forget its key, and
#   return the page.


# %% tags=["topic:J02"]
### INCLUDE labutils.engine.pages:PagePool.drop+evict as Evicting


# %%
check("pages.evict", Evicting)

# %% [markdown] tags=["topic:J02"]
# Only idle sessions are evicted, the least recently used first; and each from its end, since `release` goes
# through the table backwards. What is that worth? The simulator, with an 8B model on an H100: conversations of
# four turns, with a pause for thought between them, in pools of three sizes: your pool if it kept no idle pages, your
# pool, and the course's.

# %% tags=["topic:J02", "topic:J05"]
mine = my_engine(quiet=True)
talks, lengths = kit.sessions(mine, conversations, 4, seed=seed)
cost = StepCost.from_roofline(llm.model("Llama-3.1-8B"), llm.accelerator("H100 SXM"))
kinds = {
    "while held": (mine, kit.forgetful(mine.PagePool)), "idle kept": (mine, mine.PagePool),
    "the course's": (course, course.PagePool),
}  # fmt: skip

# %% tags=["topic:J02", "topic:J05"]
print("prompt tokens found      300     800   1,500   median TTFT, 1,500")
simulated = {}
for name, (room, pool) in kinds.items():
    for size in (300, 800, 1500):
        scheduler = room.Scheduler(32, pool(size, 16), token_budget=512, chunked=True)
        simulated[name, size] = run = simulate(talks, scheduler, cost, output_tokens=lengths)
    rates = [simulated[name, size].telemetry.hit_rate[-1] for size in (300, 800, 1500)]
    found = "".join(f"{100 * rate:6.0f} %" for rate in rates)
    print(f"{name:20}{found} {1000 * np.median(run.log.ttft_s):14.1f} ms")

# %% tags=["solution-only"]
for size in (300, 800, 1500):
    held, ours, theirs = (simulated[name, size] for name in kinds)
    assert np.array_equal(ours.log.ttft_s, theirs.log.ttft_s)
    assert np.array_equal(ours.log.finish_s, theirs.log.finish_s)
    assert held.telemetry.hit_rate[-1] < ours.telemetry.hit_rate[-1]

# %% [markdown] tags=["topic:J02"]
# The last two lines agree to the last digit, and not in the table alone: every request gets every token at
# the same instant. And a page that no request holds is still of use: the larger the pool, the longer it
# keeps the conversations of users who pause.
#
# *Checkpoint, 80 minutes.*
#
# ## Your own run, page by page
#
# Your pool, your attention, the real model. Each cell is a page, in the colour of its owner; hatched pages stand in
# several tables. Below, what the pool was full of.
#
# - (a) How many pages do all running requests share, and which part of the 42 tokens is not shared?
# - (b) Drag *step*, and follow one request from its start to its end. Do its pages lie together? Does it
#   matter? (After a dozen owners colours repeat.)
# - (c) When do idle pages begin to survive, and why not before?

# %% tags=["nbval-ignore-output", "topic:D08", "topic:J01"]
yours = kit.serve(mine, model, mine.PagePool(pages, page_tokens), job)
assert yours.answers == reserved.answers
page_run_explorer(yours.log.moments, num_pages=pages, step=len(yours.crowded) // 8, columns=16)

# %% [markdown]
# And one moment that stands still, from the middle of the rush:

# %% tags=["figure:paged_page_run", "topic:D08"]
show(
    page_run_map(yours.log.moments, num_pages=pages, step=len(yours.crowded) // 2, columns=16),
    alt="A map of 80 pages. Two are hatched: every running request has them in its table. The others "
    "lie scattered in the colours of their owners. Below, pages held over the steps: nearly all "
    "of them "
    "while requests wait, then fewer, with idle pages in their place.",
)

# %% tags=["solution-only"]
assert yours.running > 1.6 * reserved.running
assert any(count > 1 for moment in yours.crowded for count in moment.owners.values())

# %% [markdown] tags=["topic:J01"]
# (a) Two, of 16 tokens each: only full pages have a key, so the last 10 of the 42 tokens are computed and kept by
# every request. (b) They lie wherever a page was free, and nothing asks where. (c) Idle pages are free pages: the
# head of the queue takes them, or an answer that grows. When nothing waits any more, they stay.
#
# ## The table: naive, yours, reference, floor
#
# The same job in the same bytes. *Naive* is the reservation. The *reference* is the course's engine. The *floor* is
# what the machine could do at most, with memory without end, each prompt computed in full: in each step the
# bytes of weights and KV over its copy bandwidth, or the operations over its matrix rate, whichever takes longer.

# %% tags=["nbval-ignore-output", "topic:D08"]
profile = measure.MachineProfile.load(device=device)
if profile.copy_bandwidth_bytes_per_s is None or profile.matrix_flops_per_s is None:
    profile = profile.with_copy_bandwidth(measure.copy_bandwidth(device=device))
    profile = profile.with_matrix_rate(measure.matrix_rate(device=device))
size = number["dtype"].itemsize
floor = memory_floor(
    spec, job.trace, profile, max_sequences=kit.PLACES, token_budget=kit.BUDGET,
    bytes_per_weight=size, bytes_per_value=size,
)  # fmt: skip

# %% tags=["nbval-ignore-output", "topic:D08"]
contenders = {
    "naive: reserved": (mine, lambda: ContiguousReservation(num_slots), False),
    "yours: pages": (mine, lambda: mine.PagePool(pages, page_tokens), False),
    "yours: shared": (mine, lambda: mine.PagePool(pages, page_tokens), True),
    "reference: shared": (course, lambda: course.PagePool(pages, page_tokens), True),
}
ran = {name: [] for name in contenders}
with measure.turn(device):  # where a class shares a GPU
    for _ in range(rounds):  # in turn, so that a noisy moment hits all of them
        for name, (room, pool, sharing) in contenders.items():
            ran[name].append(kit.serve(room, model, pool(), job, prefix_sharing=sharing))

# %% tags=["nbval-ignore-output", "topic:D08"]
print(f"{'':18} running  steps  preempted  tokens/s  spread  of the floor")
for name, runs in ran.items():
    fastest, slowest = (pick(runs, key=lambda run: run.wall_s) for pick in (min, max))
    print(f"{name:18}{fastest.running:8.1f}{fastest.steps:7}{fastest.preempted:11}"
          f"{fastest.tokens_per_s:10.0f}{slowest.wall_s / fastest.wall_s:8.2f}"
          f"{100 * floor.share(fastest.wall_s):13.1f} %")  # fmt: skip
print(f"{'floor':18}{'':8}{floor.steps:7}{'':11}{floor.tokens_per_s:10.0f}{'':8}{100:13} %")
print(kit.verdict(ran))
print(gpu_summary())
answers = {run.answers for runs in ran.values() for run in runs}
assert len(answers) == 1 or device == "cuda"  # in bf16 a sum in another order may choose otherwise

# %% [markdown] tags=["topic:D08"]
# Read the columns from the left. For the same tokens reserved needs 2.8 times the steps of pages, and 3.8 times
# those of shared pages, since few requests share a step: that is what pages repair. They pay with preemptions, which are computed twice, and with the
# look-up in each step. Steps count exactly; a time is worth what its spread leaves of it.
#
# *On a GPU expect* the ratios of steps to stay, since they follow from lengths and memory alone; tokens per second
# to follow the steps even more closely, since there a step of 18 requests takes hardly longer than one of 13 (both
# read all weights); and every row to be far below the floor with a model this small: five layers of some twenty
# launches are half a millisecond, their bytes a few microseconds.

# %% [markdown] tags=["topic:D08", "topic:J01"]
# ### Spot the flaws: forty users on 80 GB
#
# A sizing note: *"7B model, 2 GB of KV per user at 4,096 tokens: 40 users fill an A100 80GB."* Put it to your
# pool, at full size: it does not need the tensors.

# %% tags=["topic:D08", "topic:J01"]
for name in ("Llama-2-7B", "Llama-3.1-8B"):
    one = llm.model(name)
    rest = 0.9 * 80e9 - one.weight_bytes()
    card, users = mine.PagePool(int(rest / (16 * one.kv_bytes_per_token())), 16), 0
    while card.fits(user := mine.Request(users, 4096, 1)):
        card.start(user)
        users += 1
    print(f"{name}: {one.kv_bytes(4096) / 2**30:.2g} GiB a user, {users} users of 4,096 tokens; "
          f"40 users and the weights: {(40 * one.kv_bytes(4096) + one.weight_bytes()) / 1e9:.0f} GB")  # fmt: skip

# %% tags=["solution-only"]
assert users == 104

# %% [markdown] tags=["topic:D08"]
# The 2 are GiB and the 80 are GB, the weights were forgotten, and an engine leaves a tenth of the card to other
# things: 37, 30, 27. Pages do not change that number: users who really hold 4,096 tokens need them. What pages change is that most do not.
#
# ## Bug hunt: three bugs from the field
#
# Three reports from real engines (the sources name them). A pool like yours is right by itself, and so is the
# scheduler; each of the bugs sits on the border between them.
#
# 1. *Under load, and only there: IndexError, a position behind the end of the prompt.* It took a preemption
#    and a hit together.
# 2. *The same prompt twice, 512 tokens exactly: the attention kernel stops, a query of length 0.*
# 3. *A page keeps its key after it was evicted.* What that can do after a busy night: a user is answered out of
#    another's conversation, and no error is logged.
#
# Here is one class with all three. `Shelf` is sound. `admit` gets how many `tokens` the request knows by now, answer
# included, and returns which of them the next step computes: from `start` up to, but not including, `end`. The
# check tries four stories, since the first report needs a preemption and a hit. You have written each of these lines right today. Check it as it
# is, read the first story, mend, check again.

# %%
from labutils.exercises.catalog.paged_kv_cache.shelf import Shelf

print(inspect.getsource(Shelf))


# %%
### BEGIN SOLUTION
class PageCache(Shelf):
    """Finds what was computed before, and says what is left to compute."""

    def admit(self, request, tokens, keys):
        found = self.known_pages(keys[: (tokens - 1) // self.page_tokens])
        self.cached[request] = len(found) * self.page_tokens
        self.fill(request, found, tokens)
        return self.cached[request], tokens

    def new_page(self):
        page = self.free.popleft()
        self.page_of.pop(self.key_of.pop(page, None), None)
        return page


### STUB class PageCache(Shelf):
### STUB     """Finds what was computed before, and says what is left to compute."""
### STUB     def admit(self, request, tokens, keys):
### STUB         planned = tokens - self.cached.get(request, 0)
### STUB         found = self.known_pages(keys)
### STUB         self.cached[request] = len(found) * self.page_tokens
### STUB         self.fill(request, found, tokens)
### STUB         return self.cached[request], self.cached[request] + planned
### STUB     def new_page(self):
### STUB         return self.free.popleft()
### END SOLUTION


# %%
check("paged.bugs", PageCache)

# %% [markdown]
# Three invariants, one line each, would have caught them on the first day: *a step computes at least one token of
# each request in it*; *computed plus new never exceeds known*; *a key leads to a page that holds it*.
#
# *Checkpoint, 99 minutes.*

# %% [markdown] tags=["topic:J05", "topic:J03"]
# ## Stretch: what to watch, and what to delete
#
# A dashboard for a paged server: *bytes in use, free pages, compaction debt, eviction rate.* Three of the four can
# be read off your run. And the fourth? Let your pool live through a random night until free pages are
# scattered all over it, and then ask for all of them at once.

# %% tags=["topic:J03", "topic:J05"]
rng, pool, night = np.random.default_rng(seed), mine.PagePool(200, 16), []
for guest in range(400):
    night.append(mine.Request(guest, int(rng.integers(1, 400)), 1))
    while not pool.fits(night[-1]):
        pool.release(night.pop(rng.integers(len(night) - 1)))
    pool.start(night[-1])
for request in night[::2]:
    pool.release(request)
free = sorted(pool.blank)
neighbours = np.split(free, np.flatnonzero(np.diff(free) != 1) + 1)
print(f"{len(free)} of 200 pages are free, at most {max(map(len, neighbours))} side by side")
pool.start(large := mine.Request("large", 16 * len(free), 1))
print(f"one request got {len(large.pages)} of them; free now: {pool.num_free}")
pool.check([*night[1::2], large])

# %% tags=["solution-only"]
assert pool.num_free == 0 and max(map(len, neighbours)) < len(free)

# %% [markdown] tags=["topic:J03", "topic:J05"]
# Nothing was moved, and nothing was refused: equal pages have no external fragmentation, and *compaction debt*
# and *longest free run* measure what cannot hurt. Strike them. What remains, from your run:


# %% tags=["topic:J05"]
class Counted(mine.PagePool):
    """Your pool, and a count of the pages that lost their key to make room."""

    evicted = 0

    def evict(self):
        self.evicted += 1
        return super().evict()


counted = Counted(pages, page_tokens)
again = kit.serve(mine, model, counted, job)
print(f"evicted: {counted.evicted} pages in {again.steps} steps")

# %% tags=["topic:J05"]
moments = yours.log.moments
held = max(len(moment.owners) for moment in moments)
filled = sum(sum(moment.tokens.values()) for moment in moments)
room = sum(page_tokens * sum(map(len, moment.tables.values())) for moment in moments)
print(
    f"bytes in use: {held * memory_bytes / pages / 1e6:.2f} MB at the peak, of {memory_bytes / 1e6:.2f}"
)
print(f"free pages: {pages - held} at least, of {pages}")
print(f"tokens held by room in the tables: {100 * filled / room:.0f} %")
print(f"preempted: {yours.preempted} times, with {requests} requests")
print(f"waiting for memory: {len(yours.crowded)} of {len(moments)} steps")

# %% [markdown] tags=["topic:J04"]
# **Pools by class, by data type, by page size.** A colleague proposes one pool for short requests and one for long
# ones. What would each have needed in your run, at its own peak?

# %% tags=["topic:J04"]
middle = np.median(job.lengths)
short = {row for row, length in enumerate(job.lengths) if length < middle}
parts = np.array([
    [sum(len(table) for name, table in moment.tables.items() if (name in short) == side)
     for side in (True, False)]
    for moment in paged.log.moments
])  # fmt: skip
print(
    f"peaks: short {parts[:, 0].max()}, long {parts[:, 1].max()}, together {parts.sum(1).max()} pages"
)

# %% tags=["solution-only"]
assert parts.max(0).sum() >= parts.sum(1).max()

# %% [markdown] tags=["topic:J04"]
# Two fences need the sum of the peaks, one pool the peak of the sum (here no more than the pool that it ran
# in, which was full). Fence where a page of one kind *cannot*
# serve the other: another model, another data type, layers with a window. For these, several engines now
# keep groups of layers with pages of their own.
#
# **More practice** (optional, outside the minutes). Qwen2.5-0.5B has 24 layers, 14 query heads, 2 KV heads
# of width 64, and two bytes per number. How many tokens of *one layer* fit into a page of 16 KiB?

# %% tags=["optional", "topic:J01"]
### BEGIN SOLUTION
tokens_in_16_kib = 16 * 1024 / (2 * 2 * 64 * 2)
### STUB tokens_in_16_kib = ...
### END SOLUTION
check("paged.sixteen_kb", tokens_in_16_kib)

# %% [markdown] tags=["optional", "topic:J04"]
# **Which fence is worth its price?** Name all letters of pools that must, or should, be apart.
#
# - **a** A pool for short requests and one for long ones, of the same model.
# - **b** A pool for the target model and one for its draft model.
# - **c** A pool for each tenant, so that all have the same share on average.
# - **d** Small pages for chat and large ones for documents, in two pools.
# - **e** A pool for layers with a window of 1,024 tokens, and one for those without.

# %% tags=["optional", "topic:J04"]
### BEGIN SOLUTION
fences = "b, e"
### STUB fences = ...
### END SOLUTION
check("paged.pools", fences)

# %% [markdown] tags=["topic:J02", "topic:J05"]
# ## What to do on Monday morning
#
# 1. **Ask what limits your engine** before you praise or blame its pages: requests that run, or time per step.
# 2. **Do not quote "2 to 4 times" for a kernel.** It is throughput, at equal latency, against reservation.
# 3. **Alert on the invariant.** Free plus held is all; a page that is lost shrinks the server for ever. Recount
#    when the engine is idle: that costs nothing.
# 4. **Test preemption together with prefix hits.** Each alone is green everywhere.
# 5. **Watch free pages, evictions, tokens by room, preemptions, the share of prompt tokens found.** Delete the rest.
# 6. **Put what all prompts share in front**, and fill whole pages with it.
#
# ## Sources
#
# - W. Kwon and others, *Efficient memory management for large language model serving with
#   PagedAttention*, SOSP 2023: block tables, our page tables (section 4), sharing and copy on write (4.4), the kernel's price (7.1).
# - L. Zheng and others, *SGLang*, 2024: a tree of prefixes with LRU eviction from its leaves.
# - The bug hunt: nano-vllm #144 (a prompt that is fully cached), #210, #211 and #233 (a step planned before
#   the hit is known, after preemption), kvcached #362 (a page that keeps its hash after eviction). Chained
#   hashes, and a last token that is never taken from the cache: vLLM, `v1/core/block_pool.py` and its tests.
# - R. Prabhu and others, *vAttention*, ASPLOS 2025 (arXiv 2405.04437): CUDA's virtual memory in place of block
#   tables, so that kernels for caches in one piece can be kept. Its section 3.3 takes up the 20 to 26 %.
