# ---
# jupyter:
#   course:
#     order: 15
#     slug: paged_kv_cache
#     title: Paged KV cache
#     question: Your engine is full, and three quarters of its memory hold nothing. How many more get in, and what do they pay?
#     minutes: 120
#     needs: [kv_cache_memory, continuous_batching]
#     folder: labs
#     gpu: optional
#     reading: 41
#     small: {requests: 20, rounds: 1, conversations: 12}
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown] tags=["topic:D08"]
# The engine of lab 4 gives every request one piece of memory, as long as the longest that is allowed.
# Its answers are right. Its queue grows, and the log says why: no memory.
#
# Today you take that memory apart. You write the allocator of a paged cache in sixty lines: pages,
# block tables, shared pages, eviction. The real scheduler runs on it, in the simulator and on the
# model, and beside it stands the question that most slides get wrong: **what do pages buy, and what do
# they cost?**
#
# Every step can be taken from the workbook; nobody needs to have finished lab 4.

# %%
import inspect
from itertools import takewhile

import numpy as np
import torch

from labutils import llm, measure
from labutils.exercises import check, hint, outcome, piece, predict, reveal
from labutils.exercises.catalog.paged_kv_cache import decode_step, kit
from labutils.exercises.catalog.paged_kv_cache.books import PoolBooks
from labutils.exercises.catalog.paged_kv_cache.shelf import Shelf
from labutils.viz import show
from labutils.viz.explorers.page_run import page_run_explorer
from labutils.viz.figures.page_run import page_run_map

# %% [markdown]
# ## Sizes: a laptop, or a cloud GPU
#
# **The outputs in the solution edition come from these sizes, on two CPU cores.** On a GPU set `device =
# "cuda"`, `shape = "Qwen3-0.6B"` (any listed model, in bfloat16), `requests = 256`, `limit = 2048`,
# `pages = 1024`, `batch = 64` and `context = 2048`. No run of this lab on a GPU has been recorded yet, so
# no figure of one stands here. All weights are random: pages do not care what is written in them.

# %% tags=["parameters"]
seed = 7  # every random draw in this lab follows from it
device, shape = "cpu", "small"
requests = 24  # of the job
limit = 256  # tokens that each may take, prompt and answer
pages, page_tokens = 48, 16  # the memory: pages of so many tokens
batch, context = 16, 512  # of the step whose attention is timed
conversations = 40  # in the simulator
rounds = 2  # of the benchmark

# %%
from labutils.serving import (
    BlockManager,
    ContiguousReservation,
    Continuous,
    OutOfBlocks,
    StepCost,
    simulate,
    small_spec,
)
from labutils.serving.attention import row_attention
from labutils.serving.checkpoints.checkpoint import random_model
from labutils.serving.trials import memory_floor

# %%
if shape == "small":  # too small for two threads: they would wait for each other
    torch.set_num_threads(1)
    spec = small_spec(layers=2, hidden_size=128, num_heads=8, num_kv_heads=4, head_dim=16)
else:
    spec = llm.model(shape)
number = {"dtype": torch.float32 if device == "cpu" else torch.bfloat16, "device": device}
model = random_model(spec, init_std=0.1 if shape == "small" else 0.02, seed=seed, **number)
job = kit.make_job(requests, limit=limit, vocabulary=spec.vocab_size, seed=seed)
slots_bytes = pages * page_tokens * spec.kv_bytes_per_token(number["dtype"].itemsize)
print(f"KV memory: {slots_bytes / 1e6:.3g} MB, room for {pages * page_tokens} tokens")

# %% [markdown] tags=["topic:D08", "topic:J01"]
# ## The flaw of the last design, measured
#
# A job of short questions; each may take 256 tokens, and none does. All are there at the beginning. The
# engine is lab 4's, with its memory in slots of 256.

# %% tags=["topic:D08"]
slots = kit.serve(model, ContiguousReservation(pages * page_tokens), job)
lengths = [len(prompt) + n for prompt, n in zip(job.prompts, job.outputs)]
print(f"a request takes {np.mean(lengths):.0f} tokens at its end, {max(lengths)} at most")
print(f"inside while somebody waits: {slots.inside:.1f}")
print(f"slots that hold a token: {100 * slots.filled_share(pages * page_tokens):.0f} %")

# %% tags=["solution-only"]
assert slots.filled_share(pages * page_tokens) < 0.5 and slots.inside <= pages * page_tokens / limit

# %% [markdown]
# "No memory", and most of it is empty. A sequence grows, nobody knows how far, and a piece cannot be
# extended into what the neighbour owns. So the longest is set aside for everybody.
#
# ### How many more get in?
#
# The same bytes in pages of 16 tokens, given out when a token needs them. **How many requests are inside
# at a time, for each one above?** Commit to a number, or to a range that you are 80 % sure of:
# `predict("paged.more", low=..., high=...)`.

# %%
### BEGIN SOLUTION
predict("paged.more", low=2, high=4.5)
### STUB predict("paged.more", ...)
### END SOLUTION

# %% [markdown] tags=["topic:J01"]
# ## Step 1: an allocator that conserves its pages
#
# **The interface** is that of the engine's `BlockManager`, so whatever you write runs where it runs:
#
# | verb | meaning |
# | --- | --- |
# | `allocate(request, tokens, keys)` | a new request holds room for `tokens` tokens; returns how many of them are there already |
# | `extend(request, tokens)` | from now on it holds room for `tokens` tokens *in all* |
# | `free(request)` | it is gone, with all that it held |
#
# What cannot be had raises `OutOfBlocks`, and then **nothing has changed**: a scheduler that hears it goes on
# with the same books.
#
# **The invariant**, through all steps: *every page is in exactly one place, blank, idle or held, and
# `owners` says in how many block tables it stands.* Each check recounts it after every call, and compares
# your pool with the engine's own, step by step, through random days. What they read: `attempt`
# (a verb, or `"OutOfBlocks"`), `audit` (pages free, lost, in two places, with a wrong count) and `layout`
# (who shares which page).
#
# The books are given. These are the ones that you need now:

# %%
print(inspect.getdoc(PoolBooks))
for given in (PoolBooks.pages_for, PoolBooks.hold, PoolBooks.drop):
    print("\n" + inspect.getsource(given).rstrip())

# %% [markdown] tags=["topic:J01"]
# Write four methods. `take(count)` is yours alone: it removes so many pages from `blank`, holds them and
# returns them, or refuses. Do not return keys or share anything yet: `allocate` returns 0, since
# nothing is there already. (`count` is for the engine's own statistics of hits: leave it alone.)


# %% tags=["topic:J01"]
### BEGIN SOLUTION
class Pages(PoolBooks):
    """Pages for tokens as they come: all that is asked for, or nothing."""

    def allocate(self, request, tokens, keys=(), *, count=True):
        self.held[request] = self.take(self.pages_for(tokens))
        return 0

    def extend(self, request, tokens):
        self.held[request] += self.take(self.pages_for(tokens) - len(self.held[request]))

    def take(self, count):
        if count > self.num_free:
            raise OutOfBlocks(f"{count} pages are wanted, {self.num_free} are free")
        return self.hold([self.blank.pop() for _ in range(count)])

    def free(self, request):
        for page in reversed(self.held.pop(request)):
            self.drop(page)


### STUB class Pages(PoolBooks):
### STUB     """Pages for tokens as they come: all that is asked for, or nothing."""
### STUB     def allocate(self, request, tokens, keys=(), *, count=True):
### STUB         raise NotImplementedError("replace this line by your code")
### STUB     def extend(self, request, tokens):
### STUB         raise NotImplementedError("replace this line by your code")
### STUB     def take(self, count):
### STUB         raise NotImplementedError("replace this line by your code")
### STUB     def free(self, request):
### STUB         raise NotImplementedError("replace this line by your code")
### END SOLUTION


# %%
check("paged.allocator", Pages)

# %% [markdown]
# Stuck? `hint("paged.allocator")` in a cell of your own, up to three times; `reveal("paged.allocator")`
# explains afterwards.
#
# One line, and the scheduler of chapter 07 runs on your pool, with the model:

# %% tags=["topic:D08"]
Base = piece("paged.allocator", Pages)
paged = kit.serve(model, Base(pages, page_tokens), job, prefix_sharing=False)
more = paged.inside / slots.inside
print(f"inside while somebody waits: {slots.inside:.1f} in slots, {paged.inside:.1f} in your pages")
print(f"slots that hold a token: {100 * paged.filled_share(pages * page_tokens):.0f} %")
print(f"the same answers, token by token: {paged.answers == slots.answers}")
outcome("paged.more", round(more, 1))

# %% tags=["solution-only"]
assert paged.answers == slots.answers and more > 1.6

# %% [markdown] tags=["topic:D08", "topic:J01"]
# ### The same bytes hold as many as their tokens, not as many as their fears
#
# Nothing was added, and nobody's answer changed. The memory is full of tokens now. What is missing to
# 100 % is the last page of each sequence, filled in part, and a few free pages: too few for the next in line. A
# page of $s$ tokens leaves at most $s - 1$ places empty, and $(s - 1)/2$ on average where all fills are equally likely:

# %% tags=["topic:J01"]
print("page of   inside   empty places per request")
for size in (1, 16, 48):
    pool = Base(pages * page_tokens // size, size)
    run = kit.serve(model, pool, job, prefix_sharing=False) if size != 16 else paged
    gaps = [-tokens % size for moment in run.crowded for tokens in moment.tokens.values()]
    print(f"{size:6} {run.inside:9.1f} {np.mean(gaps):12.1f}   (at most {max(gaps)})")
llama = llm.model("Llama-3.1-8B").kv_bytes_per_token()
print(f"16 tokens of Llama-3.1-8B: {16 * llama / 32 / 2**10:.0f} KiB in one of its 32 layers, "
      f"{16 * llama / 2**20:.0f} MiB in all; 16 KiB hold {2**14 / (llama / 32):.0f} tokens of one layer")  # fmt: skip

# %% [markdown] tags=["topic:J01"]
# *"Pages of 16 to 32 KB"*, says a table of defaults. Of which model, and of how many layers? Count pages in
# **tokens**: waste, sharing and tables depend on tokens, and the bytes follow from the model. Small pages
# waste less and share more; large ones make shorter tables and longer stretches for a kernel. Engines use
# 1 to 256.
#
# *Checkpoint, 24 minutes. One idea: a page is given when a token needs it. Who is it found by?*

# %% [markdown] tags=["topic:D08"]
# ## Step 2: from a block table to slots
#
# The engine's pool is one tensor of *slots* for each layer, one slot for each token: page $p$ has the slots
# $p \cdot s$ to $p \cdot s + s - 1$. A **block table** lists a request's pages in order, so token $i$ lies at
#
# $$\text{slot}(i) = s \cdot \text{table}[\lfloor i / s \rfloor] + (i \bmod s) .$$
#
# Write it for all tokens at once. The last dimension of `table` is the pages; there may be others
# before it, one row for each request. (This is the engine's own function, and so is the next one.)


# %%
### INCLUDE labutils.serving.attention.packed_step:context_slots


# %%
check("paged.slots", context_slots)

# %% [markdown]
# ## Step 3: write to the slots
#
# A step computes keys and values of n tokens, of many requests, in one line. `slots` says where each goes.
# `self.keys[layer]` and `self.values[layer]` are [KV heads, slots, head_dim].


# %%
### INCLUDE labutils.serving.kv_pool:KVPool.write


# %%
check("paged.write", write)

# %% [markdown] tags=["topic:D08"]
# ## Step 4: attention over scattered pages
#
# The model calls `attend(layer, query, key, value)` once in each layer (lab 2). Now all rows of a step share
# one line: `query` is [1, heads, n, head_dim], `key` and `value` [1, KV heads, n, head_dim]. A row is one
# request's part, `step.query_lengths` of the n tokens: one that decodes, or a chunk of a prompt.
# `step.slots` [n] are the places of the new tokens, `contexts` a list: for each row the slots of *all* its
# tokens so far, the new ones included. Write what is new, then let each row attend to its own context:


# %%
print(inspect.getsource(row_attention))


# %%
def paged_attention(pool, layer, step, contexts, query, key, value):
    """Write the new tokens, and mix each row's own context; returns values shaped like query."""
    ### BEGIN SOLUTION
    pool.write(layer, step.slots, key[0], value[0])
    keys, values = pool.keys[layer], pool.values[layer]
    queries = query[0].split(step.query_lengths, dim=1)
    mixed = [row_attention(q, keys[:, own], values[:, own]) for q, own in zip(queries, contexts)]
    return torch.cat(mixed, dim=1)[None]
    ### END SOLUTION


# %%
check("paged.attention", paged_attention)

# %% [markdown]
# Three functions of yours replace the engine's, on your pool. The answers must not change by one token.

# %%
attention = piece("paged.attention", paged_attention)
slots_of = piece("paged.slots", context_slots)
mine = kit.with_functions(write=piece("paged.write", write), slots=slots_of, attention=attention)
run = kit.serve(model, Base(pages, page_tokens), job, tune=mine, prefix_sharing=False)
print("the same answers, token by token:", run.answers == slots.answers)

# %% tags=["solution-only"]
assert run.answers == slots.answers

# %% [markdown] tags=["topic:D08"]
# ### Does paging make attention faster?
#
# "PagedAttention speeds up attention 2 to 4 times", a post says. Take one decode step: 16 sequences, 512
# tokens each, the same keys and values three times: **in one piece** (each sequence's cache
# contiguous, one call for all), in **pages with your function**, in **pages with the engine's** own path.
# How long does the engine's take, for each millisecond in one piece?

# %%
### BEGIN SOLUTION
predict("paged.step", low=1, high=2.5)
### STUB predict("paged.step", ...)
### END SOLUTION

# %% tags=["nbval-ignore-output", "topic:D08"]
calls = decode_step.decode_calls(
    spec, batch=batch, context=context, page_tokens=page_tokens, seed=seed,
    attention=attention, slots=slots_of, number=number,
)  # fmt: skip
mixed = {name: call() for name, call in calls.items()}
wait = measure.synchronizer(device)
timings = measure.timed_in_turn(calls, repeats=15, min_total_s=0.3, synchronize=wait)
best = {name: min(timing.samples_s) for name, timing in timings.items()}
for name, seconds in best.items():
    ratio = seconds / best["in one piece"]
    print(f"{name:20}{1000 * seconds:8.3f} ms {ratio:6.2f} × one piece")
steady = all(timing.is_steady for timing in timings.values())
print("The rounds agree." if steady else "Too noisy to quote: rounds differ by a factor of two.")
assert all(torch.allclose(mixed["in one piece"], one, atol=0.05) for one in mixed.values())
outcome("paged.step", round(best["pages, the engine's"] / best["in one piece"], 2))

# %% [markdown] tags=["topic:D08"]
# ### A step costs more with pages, and the server does more in it
#
# The numbers that come out are the same, and so are the multiplications. What is added is finding: every
# key and value is collected from its page before it is used. Your function does it row by row, the
# engine's for many rows at a time. A CUDA kernel that follows the block table saves the copy, and not the
# look-up: for vLLM's first one, its authors report attention that took 20 to 26 % *longer* than that of
# FasterTransformer, whose cache lay in one piece (Kwon and others 2023, section 7.1).
#
# So the slide is wrong, and its factor is right. The 2 to 4 times are the *throughput* of a server, at the
# same latency: more sequences share each pass over the weights. **Pages buy concurrency; speed comes from
# the batch; and each step pays a little for it.** Where memory is not what limits you (one user, a
# short queue), pages cost and buy nothing.
#
# *Checkpoint, 57 minutes. Two ideas: pages when tokens come, and a price in every step. Now what pages can do
# that slots never could.*

# %% [markdown] tags=["topic:J01", "topic:J02"]
# ## Step 5: which pages may be shared?
#
# Two prompts that begin alike have equal keys and values there. A full page of a prompt has a **key** that
# names its tokens *and all before them*: a chain. Who has computed a page publishes it under its key
# (`publish` is given). A newcomer looks its own keys up in `page_of`, from the first on. Two things end
# the search. Which?


# %% tags=["topic:J01"]
def find(page_of, keys, tokens, page_tokens):
    """Return the pages that a prompt of `tokens` tokens with these keys may share, in order."""
    ### BEGIN SOLUTION
    may_share = keys[: (tokens - 1) // page_tokens]
    return [page_of[key] for key in takewhile(page_of.__contains__, may_share)]
    ### END SOLUTION


# %%
check("paged.find", find)

# %% [markdown] tags=["topic:J01"]
# ## Step 6: ref counts, or who gives a shared page back?
#
# A page may stand in several block tables now. It is given back by whoever leaves *last*. Write `allocate`
# and `free` on top of step 1 (let `free` go through the table from its end to its beginning: step 7 will ask
# for that). From the books you need `find` (it calls your function), `hold`, `drop`,
# `keys` (note the request's keys there, or `publish` knows none), and one that refuses before anything
# has changed:

# %%
may_share = piece("paged.find", find)
print(inspect.getsource(PoolBooks.must_fit))


# %%
### BEGIN SOLUTION
class Sharing(Base):
    """A page may stand in several block tables; who leaves last gives it back."""

    finder = staticmethod(may_share)

    def allocate(self, request, tokens, keys=(), *, count=True):
        self.must_fit(request, tokens, keys)
        found = self.find(tokens, keys)
        self.hold(found)
        self.held[request] = found + self.take(self.pages_for(tokens) - len(found))
        self.keys[request] = keys
        return len(found) * self.page_tokens

    def free(self, request):
        for page in reversed(self.held.pop(request)):
            self.owners[page] -= 1
            if not self.owners[page]:
                self.drop(page)


### STUB class Sharing(Base):
### STUB     """A page may stand in several block tables; who leaves last gives it back."""
### STUB     finder = staticmethod(may_share)
### STUB     def allocate(self, request, tokens, keys=(), *, count=True):
### STUB         raise NotImplementedError("replace this line by your code")
### STUB     def free(self, request):
### STUB         raise NotImplementedError("replace this line by your code")
### END SOLUTION


# %%
check("paged.sharing", Sharing)

# %% [markdown] tags=["topic:J02"]
# ## Step 7: eviction, the one idle longest first
#
# Your pool forgets a page when its last reader leaves. A minute later the same user asks on, and the whole
# conversation is computed again. But a page that nobody holds is only *needed* when somebody wants to write
# into it. Until then it can stay: **idle**, free and findable at once.
#
# - `drop(page)`: nobody holds the page any more. If it has a key, it becomes the newest in `self.idle`
#   (a dict keeps its order); otherwise it goes blank, as before.
# - `take(count)`: blank pages first. If there are too few, the page that has been idle longest goes the old way,
#   with its key, and so on, until there are enough. All or nothing, as before.
#
# `hold` already takes a page out of `idle` when somebody finds it.


# %% tags=["topic:J02"]
Shared = piece("paged.sharing", Sharing)


### BEGIN SOLUTION
class Evicting(Shared):
    """What nobody holds stays findable until its page is needed."""

    def drop(self, page):
        if page in self.key_of:
            self.idle[page] = None
        else:
            super().drop(page)

    def take(self, count):
        while count <= self.num_free and len(self.blank) < count:
            oldest = next(iter(self.idle))
            del self.idle[oldest]
            super().drop(oldest)
        return super().take(count)


### STUB class Evicting(Shared):
### STUB     """What nobody holds stays findable until its page is needed."""
### STUB     def drop(self, page):
### STUB         raise NotImplementedError("replace this line by your code")
### STUB     def take(self, count):
### STUB         raise NotImplementedError("replace this line by your code")
### END SOLUTION


# %%
check("paged.eviction", Evicting)

# %% [markdown] tags=["topic:J02"]
# Who is evicted? Sessions that are idle, never those that run; among these the one unused longest; and of
# one session the tail before the head, since `free` walks the table from its end. What is that worth? The
# simulator, with an 8B model on an H100: conversations of four turns, with a pause for thought between
# them, in pools of three sizes. The last line is the engine's own `BlockManager`.

# %% tags=["topic:J02", "topic:J05"]
Pool = piece("paged.eviction", Evicting)
talks, answer_lengths = kit.sessions(conversations, 4, seed=seed)
step_cost = StepCost.from_roofline(llm.model("Llama-3.1-8B"), llm.accelerator("H100 SXM"), flops_share=0.5)  # fmt: skip
simulated = {
    (kind.__name__, size): simulate(
        talks, Continuous(32, kind(size, 16), token_budget=512, chunked=True), step_cost,
        output_tokens=answer_lengths,
    )
    for kind in (Base, Shared, Pool, BlockManager) for size in (300, 800, 1500)
}  # fmt: skip

# %% tags=["topic:J02", "topic:J05"]
print("prompt tokens found in pages        300     800   1,500   median TTFT, 1,500")
kinds = {"step 1, pages": Base, "step 6, shared": Shared, "step 7, idle kept": Pool, "BlockManager": BlockManager}  # fmt: skip
for name, kind in kinds.items():
    runs = [simulated[kind.__name__, size] for size in (300, 800, 1500)]
    shares = "".join(f"{100 * run.telemetry.hit_rate[-1]:6.0f} %" for run in runs)
    print(f"{name:30}{shares} {1000 * np.median(runs[-1].log.ttft_s):14.1f} ms")

# %% tags=["solution-only"]
for size in (300, 800, 1500):
    ours, theirs = (simulated[kind.__name__, size].log for kind in (Pool, BlockManager))
    assert np.array_equal(ours.ttft_s, theirs.ttft_s)
    assert np.array_equal(ours.finish_s, theirs.finish_s)
    rates = [simulated[kind.__name__, size].telemetry.hit_rate[-1] for kind in kinds.values()]
    assert rates[0] == 0 < rates[1] < rates[2] == rates[3]

# %% [markdown] tags=["topic:J02"]
# The last two lines agree to the last digit, and not in the table alone: every request gets every token at
# the same instant. Two lines of `dict` are a complete LRU. And memory that nobody holds is not idle memory: the
# larger the pool, the longer it remembers those who are thinking.
#
# *Checkpoint, 88 minutes. Three ideas: pages when tokens come, a price in every step, and pages that outlive
# their owners.*
#
# ## Your own run, page by page
#
# Now everything together on the real model: your pool, your functions, and prompts that all begin with the
# same 40 tokens. Each cell is a page, in the colour of its owner; hatched pages stand in several tables. Below, what
# the pool was full of.
#
# - (a) How many pages do all those inside share, and which part of the 40 tokens is not shared?
# - (b) Follow one request. Do its pages lie together? Does it matter?
# - (c) When do idle pages begin to survive, and why not before?

# %% tags=["nbval-ignore-output", "topic:D08", "topic:J01"]
alike = kit.make_job(requests, limit=limit, vocabulary=spec.vocab_size, seed=seed, common=40)
yours = kit.serve(model, Pool(pages, page_tokens), alike, tune=mine)
assert all(answer for answer in yours.answers)
page_run_explorer(yours.log.moments, num_pages=pages, step=len(yours.crowded) // 2)

# %% [markdown]
# And one moment that stands still, from the middle of the rush:

# %% tags=["figure:paged_block_run", "topic:D08"]
show(
    page_run_map(yours.log.moments, num_pages=pages, step=len(yours.crowded) // 2),
    alt="A map of 48 pages. Two are hatched: every request inside has them in its table. The others "
    "lie scattered in the colours of their owners. Below, pages held over the steps: nearly all of them "
    "while somebody waits, then fewer, with idle pages in their place.",
)

# %% tags=["solution-only"]
assert yours.inside > 1.6 * slots.inside
assert any(count > 1 for moment in yours.crowded for count in moment.owners.values())

# %% [markdown] tags=["topic:J01"]
# (a) Two, of 16 tokens each: only full pages have a key, so the last 8 of the 40 tokens are computed and kept by
# everybody. (b) They lie wherever a page was free, and nothing asks where. (c) Idle pages are free pages: the
# next in line takes them, or an answer that grows. What you see of them during the rush is less than the head of
# the queue needs. When nobody waits any more, they stay.
#
# ## The table: naive, yours, reference, floor
#
# The job with common prompts, in the same bytes. *Naive* is lab 4's slots. *Yours* is your pool with your three
# functions, *reference* the engine as it comes. The *floor* is what the machine could do at most, with
# memory without end, each prompt computed in full: in each step the bytes of weights and KV over its copy bandwidth, or the operations over its
# matrix rate, whichever takes longer.

# %% tags=["nbval-ignore-output", "topic:D08"]
profile = measure.MachineProfile.load(device=device)
if profile.copy_bandwidth_bytes_per_s is None or profile.matrix_flops_per_s is None:
    profile = profile.with_copy_bandwidth(measure.copy_bandwidth(device=device))
    profile = profile.with_matrix_rate(measure.matrix_rate(device=device))
contenders = {
    "naive, slots": lambda: kit.serve(model, ContiguousReservation(pages * page_tokens), alike),
    "yours": lambda: kit.serve(model, Pool(pages, page_tokens), alike, tune=mine),
    "reference": lambda: kit.serve(model, BlockManager(pages, page_tokens), alike),
}
ran = {name: [call() for _ in range(rounds)] for name, call in contenders.items()}
floor = memory_floor(
    spec, alike.trace, profile, max_sequences=kit.SEATS, token_budget=256,
    bytes_per_weight=number["dtype"].itemsize, bytes_per_value=number["dtype"].itemsize,
)  # fmt: skip

# %% tags=["nbval-ignore-output", "topic:D08"]
print("                inside   steps   tokens/s   share of the floor")
for name, runs in ran.items():
    fastest = min(runs, key=lambda run: run.wall_s)
    print(f"{name:14} {fastest.inside:7.1f} {len(fastest.log.moments):7} {fastest.tokens_per_s:10.0f} "
          f"{100 * floor.share(fastest.wall_s):14.1f} %")  # fmt: skip
print(f"{'floor':14} {'':7} {floor.steps:7} {floor.tokens_per_s:10.0f} {100:14.1f} %")
spread = max(max(r.wall_s for r in runs) / min(r.wall_s for r in runs) for runs in ran.values())
print(
    f"Rounds differ by a factor of {spread:.2f}." + (" Too noisy to rank." if spread > 1.25 else "")
)
assert len({run.answers for runs in ran.values() for run in runs}) == 1 and floor.time_s > 0

# %% [markdown] tags=["topic:D08"]
# Read the first two columns before the third. Slots need more than twice the steps for the same tokens, since few
# share a step: that is what pages repair. *Yours* beside *reference*: on contexts as short as these a loop over
# rows costs little; you have seen what it costs at 512 tokens. And both are far from the floor on a model this
# small, where a step is mostly overhead: the more a step weighs, the smaller that part.

# %% [markdown] tags=["topic:D08", "topic:J01"]
# ### Spot the flaws: forty users on 80 GB
#
# A capacity slide: *"7B model, 2 GB of KV per user at 4,096 tokens: 40 users fill an A100 80GB."* Put it to your
# pool, at full size: it does not need the tensors.

# %% tags=["topic:D08", "topic:J01"]
for name in ("Llama-2-7B", "Llama-3.1-8B"):
    one = llm.model(name)
    rest = 0.9 * 80e9 - one.weight_bytes()
    card = Pool(int(rest / (16 * one.kv_bytes_per_token())), 16)
    users = 0
    while card.can_allocate(4096):
        card.allocate(users, 4096)
        users += 1
    print(f"{name}: {one.kv_bytes(4096) / 2**30:.2g} GiB a user, {users} users of 4,096 tokens; "
          f"40 users and the weights: {(40 * one.kv_bytes(4096) + one.weight_bytes()) / 1e9:.0f} GB")  # fmt: skip

# %% tags=["solution-only"]
assert users == 104

# %% [markdown] tags=["topic:D08"]
# The 2 are GiB and the 80 are GB, the weights were forgotten, and 40 became 27. Pages do not change that number: users who
# really hold 4,096 tokens need them. What pages change is that most do not.
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
#    somebody else's conversation, and no error is logged.
#
# Here is one class with all three. `Shelf` is sound. `admit` returns which tokens the next step computes:
# from `start` up to, but not including, `end`. Check it as it is, read the first story, mend, check again.

# %%
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
# *Checkpoint, 114 minutes.*

# %% [markdown] tags=["topic:J05", "topic:J03"]
# ## Stretch: what to watch, and what to delete
#
# A dashboard for a paged server: *bytes in use, free pages, compaction debt, eviction rate.* Three of the four can
# be read off your run. And the fourth? Let your pool live through a random night until free pages are
# scattered all over it, and then ask for all of them at once.

# %% tags=["topic:J03", "topic:J05"]
rng, pool = np.random.default_rng(seed), Pool(200, 16)
for request in range(400):
    tokens = int(rng.integers(1, 400))
    while not pool.can_allocate(tokens):
        pool.free(rng.choice(list(pool.held)).item())
    pool.allocate(request, tokens)
for request in list(pool.held)[::2]:
    pool.free(request)
free = sorted(pool.blank)
neighbours = np.split(free, np.flatnonzero(np.diff(free) != 1) + 1)
print(f"{len(free)} of 200 pages are free, at most {max(map(len, neighbours))} side by side")
pool.allocate("large", 16 * len(free))
print(f"one request got {len(pool.table('large'))} of them; free now: {pool.num_free}")
pool.check()

# %% tags=["solution-only"]
assert pool.num_free == 0 and max(map(len, neighbours)) < len(free)

# %% [markdown] tags=["topic:J03", "topic:J05"]
# Nothing was moved, and nothing was refused: equal pages have no external fragmentation, and *compaction debt*
# and *longest free run* measure what cannot hurt. Strike them. What remains, from your run:


# %% tags=["topic:J05"]
class Counted(Pool):
    """Your pool, and a count of the pages that lost their key to make room."""

    evicted = 0

    def take(self, count):
        before = len(self.page_of)
        taken = super().take(count)
        self.evicted += before - len(self.page_of)
        return taken


counted = Counted(pages, page_tokens)
again = kit.serve(model, counted, alike)
print(f"evicted: {counted.evicted} pages in {len(again.log.moments)} steps")

# %% tags=["topic:J05"]
moments = yours.log.moments
held = max(len(moment.owners) for moment in moments)
filled = sum(sum(moment.tokens.values()) for moment in moments)
room = sum(page_tokens * sum(map(len, moment.tables.values())) for moment in moments)
print(
    f"bytes in use: {held * slots_bytes / pages / 1e6:.2f} MB at the peak, of {slots_bytes / 1e6:.2f}"
)
print(f"free pages: {pages - held} at least, of {pages}")
print(f"tokens held by room in the tables: {100 * filled / room:.0f} %")
print(f"preempted: {yours.preempted} times, with {requests} requests")
print(f"waiting for memory: {len(yours.crowded)} of {len(moments)} steps")

# %% [markdown] tags=["topic:J04"]
# **Pools by class, by data type, by page size.** Somebody proposes one pool for short requests and one for long
# ones. What would each have needed in your run, at its own peak?

# %% tags=["topic:J04"]
short = {number for number, length in enumerate(lengths) if length < np.median(lengths)}
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
# Two fences need the sum of the peaks, one pool the peak of the sum. Fence where a page of one kind *cannot*
# serve the other: another model, another data type, layers with a window. For these, several engines now
# keep groups of layers with pages of their own.
#
# **More practice** (optional, outside the 120 minutes). Qwen2.5-0.5B has 24 layers, 14 query heads, 2 KV heads
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
# 1. **Ask what limits your engine** before you praise or blame its pages: sequences inside, or time per step.
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
#   PagedAttention*, SOSP 2023: block tables (section 4), sharing and copy on write (4.4), the kernel's price (7.1).
# - L. Zheng and others, *SGLang*, 2024: a tree of prefixes with LRU eviction from its leaves.
# - The bug hunt: nano-vllm #144 (a prompt that is fully cached), #210, #211 and #233 (a step planned before
#   the hit is known, after preemption), kvcached #362 (a page that keeps its hash after eviction). Chained
#   hashes, and a last token that is never taken from the cache: vLLM, `v1/core/block_pool.py` and its tests.
# - R. Prabhu and others, *vAttention*, ASPLOS 2025 (arXiv 2405.04437): CUDA's virtual memory in place of block
#   tables, so that kernels for caches in one piece can be kept. Its section 3.3 takes up the 20 to 26 %.
