# ---
# jupyter:
#   course:
#     order: 7
#     slug: continuous_batching
#     title: Continuous batching
#     question: A batch lasts as long as its longest answer. What does that cost, and what stops you once it is gone?
#     minutes: 75
#     needs: [batching_sweep, kv_cache_memory]
#     folder: notebooks
#     gpu: false
#     small: {backlog: 256, arrivals: 150}
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# Your server answers sixteen requests at a time: one batch, one forward pass for all of them, one token
# each per step. The dashboard says that the batch is full. Then you draw the lengths of sixteen
# answers from a public trace of conversations, and count.
#
# (Words that are new to you stand in the glossary at the end of `docs/cards.html`.)

# %%
import os
from types import SimpleNamespace

import numpy as np

os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")  # before torch: waiting threads sleep
import torch

from labutils import llm
from labutils.engine import Engine, PagePool, Plan, Request, Scheduler
from labutils.exercises import check, hint, outcome, piece, predict, reveal
from labutils.laws.batching import seats, slots
from labutils.metrics.latency import percentile
from labutils.serving.checkpoints import course_model
from labutils.serving.memory import ContiguousReservation, Unlimited
from labutils.serving.scheduling import ByRule, DynamicBatches, StaticBatches, WaitUntil
from labutils.serving.simulator import StepCost, simulate
from labutils.serving.walks import drive

# %%
from labutils.viz import show
from labutils.viz.explorers.frontier import frontier_explorer
from labutils.viz.explorers.race import race_explorer
from labutils.viz.figures import serving as figures
from labutils.viz.figures.timeline import request_timelines
from labutils.workload import RequestTrace, mix

# %% tags=["parameters"]
seed = 7  # every random draw in this chapter follows from it
backlog = 1280  # requests that wait when a run begins
arrivals = 1000  # requests that arrive one by one

# %%
conversation, code = mix("azure-conversation"), mix("azure-code")
_, answers = conversation.draw(16, np.random.default_rng(seed))
print("tokens of sixteen answers:", *sorted(answers.tolist()))
print(f"{answers.sum():,} tokens in 16 × {answers.max()} slot-steps: "
      f"{100 * answers.sum() / (16 * answers.max()):.0f} % of the slots wrote a token")  # fmt: skip

# %% [markdown]
# The batch was full when it began, and it stays until its **longest** answer has ended. A request that ends
# early leaves a batch slot that no other request can have. This is **static batching**. At the end of this
# chapter you can answer three questions:
#
# 1. How much of a batch is wasted, and what does the waste depend on?
# 2. What is the smallest change to the scheduler that ends it?
# 3. What stops you then?
#
# ## A race: the same requests, twice
#
# Eight slots, 72 requests, all there at the beginning. Above, static batches; below, **continuous
# batching**: a request that has ended leaves at once, and the next one takes the slot in the very next step
# (Yu and others 2022 call it iteration-level scheduling). A green stretch is an answer being written,
# a hatched one is a slot without work. For now every step takes the same time and reading a prompt
# costs nothing: *prompts: left out*.
#
# Press play, or drag *time*. Then *shuffle*, and go again:
#
# - (a) Which lane depends on the order of the requests?
# - (b) Choose *all equal*. Which lane wins?
# - (c) Choose *code*. By how much does continuous batching win there?

# %% tags=["nbval-ignore-output", "figure:continuous_batching_race", "topic:E04"]
# The roofline of chapter 05, kernel by kernel: an 8B model on an H100, at half of its peak.
step_cost = StepCost.from_roofline(
    llm.model("Llama-3.1-8B"), llm.accelerator("H100 SXM"), flops_share=0.5
)
rng = np.random.default_rng(seed)
race = race_explorer(
    {
        "conversation": conversation.draw(72, rng),
        "code": code.draw(72, rng),
        "all equal": (np.full(72, 1000), np.full(72, 200)),
    },
    seed=seed,
    step_cost=step_cost,
)
race

# %% [markdown] tags=["topic:E02", "topic:E04"]
# (a) Both. Static batches lose by the lengths that share a batch; continuous batching has no batches, and
# loses at the end alone, when no request waits any more and a long answer is left. (b) Neither. With equal
# lengths there is nothing to save. (c) At the end, by about a factor of two.
#
# ## Static waste depends on the dispersion of lengths, not on their mean
#
# **One case by hand.** Six answers of 3, 1, 8, 2, 2 and 5 tokens, in this order, and three slots.
#
# | | steps | slot-steps paid | tokens written | share |
# | --- | --- | --- | --- | --- |
# | static, first batch: 3, 1, 8 | 8, as long as the 8 | 24 | 12 | |
# | static, second batch: 2, 2, 5 | 5 | 15 | 9 | |
# | **static**, both | 13 | 39 | 21 | **54 %** |
# | **continuous** | 8 | 24 | 21 | **88 %** |
#
# Continuous, in the same three slots: the slot of the 1 takes the first 2 in step 2, the slot of the 3 takes
# the second 2 in step 4, and the 5 follows the first 2, in steps 4 to 8. When the 8 ends, all have ended.
#
# ### Build: which share of the slot-steps writes a token?
#
# `lengths` are answers in order of arrival, in tokens. They are served in batches of `batch`, each
# until its longest answer has ended. All `batch` slots are paid for all the time, in the last batch
# too, even if few requests are left for it. Return tokens written over slot-steps paid (by hand: 21 / 39).


# %%
def slot_efficiency(lengths, batch):
    """Return the share of slot-steps that write a token, from 0 to 1."""
    ### BEGIN SOLUTION
    paid = 0
    for first in range(0, len(lengths), batch):
        paid += batch * max(lengths[first : first + batch])
    return sum(lengths) / paid
    ### END SOLUTION


# %%
check("continuous.slot_efficiency", slot_efficiency)

# %% [markdown]
# In the long run that is a ratio of two means. Let $N$ be the length of an answer in tokens and $B$
# the number of slots:
#
# $$\text{slot efficiency} = \frac{E[N]}{E[\max(N_1, \dots, N_B)]} .$$
#
# For exponential lengths the longest of $B$ is on average $H_B = 1 + \tfrac12 + \dots + \tfrac1B$ times
# the mean: with $k$ still running, the next one ends after $1/k$ of a mean. So the efficiency is
# $1/H_B$, for $B = 16$ it is 29.6 %, whatever the mean is. **Only the dispersion of the
# lengths counts.**

# %%
efficiency = piece("continuous.slot_efficiency", slot_efficiency)
rng = np.random.default_rng(seed)
kinds = {
    "all equal": np.full(16_000, 200),
    "exponential": np.ceil(rng.exponential(200, 16_000)).astype(int),
    "conversation": conversation.draw(16_000, rng)[1],
    "code": code.draw(16_000, rng)[1],
}
print("slot efficiency    B = 4      16      64    mean tokens")
for name, lengths in kinds.items():
    shares = [100 * efficiency(lengths.tolist(), batch) for batch in (4, 16, 64)]
    print(f"{name:14}" + "".join(f"{share:8.1f}" for share in shares) + f"{lengths.mean():12.0f}")
print("1 / H_B       " + "".join(f"{100 * slots.exponential_slot_efficiency(b):8.1f}" for b in (4, 16, 64)))  # fmt: skip

# %% tags=["solution-only"]
# 1,000 batches of 16: five standard errors of a ratio of means stay below 4 %.
assert abs(slots.slot_efficiency(kinds["exponential"], 16) * 3.3807 - 1) < 0.05
assert slots.slot_efficiency(kinds["all equal"], 16) == 1

# %% [markdown]
# The larger the batch, the worse: a large batch has more chances to meet a long answer. That is a
# second price of static batching, beside the one in chapter 04.
#
# One trap. If you measure the share of every batch and average the shares, you get about 31.5 % for exponential
# lengths and $B = 16$, not 29.6 %. Both numbers are correct, but a mean of shares
# counts a batch of short answers, soon over, as much as one that blocks the
# machine for long. **A mean of ratios is not the ratio of means.** You pay for slot-steps, so divide the sums.
#
# *Checkpoint, 18 minutes. One idea: static waste is E[N]/E[max]. Next: the change that ends it.*

# %% [markdown] tags=["topic:E04", "topic:L08"]
# ## Be the scheduler, for thirty steps
#
# Ten requests, three seats (batch slots), memory for the KV cache of 30 tokens. You say in which step each
# request is admitted. It gets a token in that step and in each following one until its answer is complete. It
# holds its seat all that time, and memory: its prompt in the first step, one token more in each later
# one. No request overtakes: an earlier one is admitted earlier, or in the same step. Reading a prompt takes
# no extra time.

# %%
problem = seats.by_hand()
print("request          " + "".join(f"{r.name:>4}" for r in problem.requests))
print("comes in step    " + "".join(f"{r.arrival:4}" for r in problem.requests))
print("prompt tokens    " + "".join(f"{r.prompt_tokens:4}" for r in problem.requests))
print("answer tokens    " + "".join(f"{r.output_tokens:4}" for r in problem.requests))
show(
    figures.seat_schedules(problem, {"static batches": problem.static_starts()}),
    alt="Three seats over 48 steps with static batches of three. The last answer ends in step 48, and "
    "more than half of the cells are empty. Below, the tokens held in each step stay below 30.",
)

# %% [markdown]
# That is the schedule of static batches. You know something that no real scheduler does: how long
# every answer gets. **Bring all ten answers home by step 30.** Fill in the steps, run the next two
# cells, look at the picture, and repair. A red block has no seat; a red bar has no memory.

# %%
### BEGIN SOLUTION
admitted = {"A": 1, "B": 1, "C": 1, "D": 4, "E": 6, "F": 8, "G": 11, "H": 18, "I": 19, "J": 22}
### STUB admitted = {"A": 1, "B": 1, "C": 1, "D": ..., "E": ..., "F": ..., "G": ..., "H": ..., "I": ..., "J": ...}
### END SOLUTION
show(
    figures.seat_schedules(problem, {"by hand": admitted}),
    alt="Your schedule: which request sits where in which step, and below the tokens held in memory.",
)

# %%
check("continuous.by_hand", admitted)

# %% [markdown]
# *Checkpoint, 29 minutes. By hand it can be done, with the lengths known. Next: without.*

# %% [markdown] tags=["topic:I03", "topic:E04"]
# ### Build: let code do it
#
# A **scheduler** here is an object with four methods.
#
# - `add` is told which request arrives.
# - `schedule` returns the plan of the next step: pairs (request, tokens to compute).
# - `commit` hears that the step was carried out, `finish` that an answer has ended.
#
# It has no clock, holds no tensor, and is never told
# how long an answer will be. Here is the bookkeeping, and static batching on top of it:


# %%
class Seats:
    """Which requests wait, and how many tokens each running one holds in memory."""

    def __init__(self, seats, memory_tokens):
        self.seats, self.memory_tokens = seats, memory_tokens
        self.waiting, self.held = [], {}

    def add(self, request):
        self.waiting.append(request)

    def commit(self, plan):
        for request, new_tokens in plan.chunks:
            self.held[request] = self.held.get(request, 0) + new_tokens

    def finish(self, request):
        del self.held[request]


# %%
class Static(Seats):
    """Static batches: admit when no request runs any more."""

    def schedule(self, now_s):
        chunks = [(request, 1) for request in self.held]  # what runs computes one token
        if not self.held:
            batch, self.waiting = self.waiting[: self.seats], self.waiting[self.seats :]
            chunks = [(request, request.prompt_tokens) for request in batch]
        return Plan(chunks) if chunks else None


# %% [markdown]
# What does a plan look like? Two requests meet static batches, with two seats (`drive` runs a scheduler step by
# step; a row is a name, the step of its arrival, prompt tokens and answer tokens):

# %%
for step in drive(Static(2, 30), [("A", 1, 4, 3), ("B", 1, 6, 1)]):
    print(step)

# %% [markdown]
# In the first step both prompts are read, and B has its only token. Then A computes one token a step.
#
# Write the middle of `schedule` for continuous batching. A running request (a key of `held`) computes one
# token in every step: that stands in `chunks` already. Add to it from the head of `waiting`, with the
# whole prompt, while there is a seat **and** the prompt fits into memory. The memory in this step is
# what is held, one token more for each running request, and the prompts that you have just admitted. Stop at
# the first request that does not fit.


# %%
class Mine(Seats):
    """Continuous batching: admit at every step, first come, first served."""

    def schedule(self, now_s):
        """Return the plan of the next step, or None."""
        chunks = [(request, 1) for request in self.held]
        ### BEGIN SOLUTION
        room = self.memory_tokens - sum(self.held.values()) - len(self.held)
        while self.waiting and len(chunks) < self.seats:
            request = self.waiting[0]
            if request.prompt_tokens > room:
                break
            room -= request.prompt_tokens
            chunks.append((request, request.prompt_tokens))
            del self.waiting[0]
        ### END SOLUTION
        return Plan(chunks) if chunks else None


# %%
def drive_mine(requests, seats, memory_tokens):
    """For each step, the tokens that each request computes in it."""
    return drive(Mine(seats, memory_tokens), requests)


check("continuous.scheduler", drive_mine)

# %% [markdown]
# Now your hand against your code, on the ten requests. The code does not know how long an answer
# gets.

# %%
run_it = piece("continuous.scheduler", drive_mine)
by_hand = piece("continuous.by_hand", admitted)
rows = [(r.name, r.arrival, r.prompt_tokens, r.output_tokens) for r in problem.requests]
steps = run_it(rows, problem.seats, problem.memory_tokens)
by_code = {r.name: 1 + next(k for k, step in enumerate(steps) if r.name in step) for r in problem.requests}  # fmt: skip
show(
    figures.seat_schedules(
        problem, {"static": problem.static_starts(), "by hand": by_hand, "by code": by_code}
    ),
    alt="Three schedules of the same ten requests: static batches end in step 48, the schedule by hand "
    "by step 30, the code in step 28.",
)

# %% [markdown] tags=["topic:I03", "topic:O02"]
# No schedule that keeps the order of arrival ends before step 28 here, and the code gets there without
# knowing a single length. The difference between `Static` and
# your class is *when it may admit*: one condition, beside the memory, at which `Static` does not look.
#
# What made it hard in 2022 was not the condition. Sequences of different lengths have to share one forward
# pass, and a request's KV has to be found wherever it lies.
#
# Look at H in your picture. It finds a seat in step 13 and no memory until step 17, and I and J wait
# behind it. That is **head-of-line blocking**. The limit is no longer the slots.
#
# ### One line puts your class into a serving simulator
#
# The simulator keeps a virtual clock, asks a scheduler for the next step, and lets `step_cost` say how
# long that step takes: the same 8B model on an H100 as in the race. Any class with the four methods
# will do, yours too. (Until your check has passed, the course's takes its place.)


# %%
def backlog_of(kind):
    """Requests of a kind, all there at the beginning."""
    return RequestTrace(np.zeros(backlog), *kind.draw(backlog, np.random.default_rng(seed)))


trace = backlog_of(conversation).take(320)
mine = Mine(16, 400_000) if run_it is drive_mine else Scheduler(16, Unlimited())
run = simulate(trace, scheduler=mine, step_cost=step_cost)
static = simulate(trace, scheduler=Static(16, 400_000), step_cost=step_cost)
for name, one in (("yours", run), ("static", static)):
    print(
        f"{name:6}: {trace.output_tokens.sum() / one.busy_s:5.0f} tokens/s in {one.steps:,} steps"
    )

# %% tags=["solution-only"]
assert 1.3 < static.busy_s / run.busy_s < 2.4

# %% [markdown] tags=["optional", "topic:E04", "topic:L08"]
# ### And on a real model: are the steps the same? (optional)
#
# The simulator computes no token. The course's small model does: 24 requests, answers as long as a sixteenth of
# the trace's, eight slots, once in static and once in continuous batches. The schedulers are the course's versions of the two above, and the simulator gets the same lengths.

# %% tags=["optional", "topic:E04", "topic:L08"]
torch.set_num_threads(1)  # the matrices are small: two threads would wait for each other
model, tokenizer = course_model()
prompt = tokenizer.encode("A batch that is closed when it starts lasts as long as")
lengths = -(-conversation.draw(24, np.random.default_rng(seed))[1] // 16)
small = RequestTrace(np.zeros(24), np.full(24, len(prompt)), lengths)


def count_steps(scheduler):
    """Serve the requests on the model; return the engine, and how many requests each step had."""
    engine, sizes = Engine(model, scheduler, tokenizer=tokenizer, prefix_sharing=False), []
    engine.on_step = lambda engine, plan: sizes.append(len(plan.chunks))
    for length in lengths.tolist():
        engine.add_request(prompt, max_output_tokens=length)
    engine.run()
    return engine, sizes


# %% tags=["optional", "topic:E04", "topic:L08"]
print(f"{lengths.sum()} tokens in 8 slots    on the model    simulated    slots that wrote a token")
for name, make in {
    "static": lambda: StaticBatches(8, PagePool(64)),
    "continuous": lambda: Scheduler(8, PagePool(64), chunked=True),
}.items():
    engine, sizes = count_steps(make())
    simulated = simulate(small, scheduler=make(), step_cost=step_cost).steps
    print(
        f"{name:14}{len(sizes):18} steps {simulated:6} steps {100 * sum(sizes) / 8 / len(sizes):19.0f} %"
    )

# %% tags=["optional", "solution-only"]
assert len(sizes) == simulated

# %% tags=["optional", "nbval-ignore-output", "topic:E04"]
print(tokenizer.decode(prompt) + engine.requests[3].text.replace("\n", " "))

# %% [markdown] tags=["optional"]
# Both worlds take equally many steps: a scheduler cannot tell a simulated clock from a model. How long
# a step *takes* is another question; lab 4 measures it, and the next section computes it.

# %% [markdown]
# *Checkpoint, 45 minutes. Two ideas: static waste is dispersion, and admitting at every step ends it.*

# %% [markdown]
# ## Who gains more, conversation or code?
#
# By slots alone (16.0 and 40.4 % in the table above), static batches of 16 code requests could become
# about six times as fast, those of conversation two and a half times. Code looks like the great
# winner.
#
# Now let steps cost what they cost, prompts included. `step_cost` is computed, not measured. As in
# chapter 05, reading and computing overlap, and the longer one counts.

# %%
read_ms, token_us = 1e3 * step_cost.weights_s, 1e6 * step_cost.per_linear_token_s
print(
    f"reading the weights: {read_ms:.2f} ms a step; multiplying with them: {token_us:.1f} µs a token;"
)
print(f"so up to {1e3 * read_ms // token_us:.0f} tokens a step is bound by reading")

# %% [markdown]
# The tokens of a step are those of prompts and of answers together. Attention has kernels of its own, and their
# time is added: bytes over bandwidth for the context, FLOPs over half of the peak for the pairs. Host
# time is left out, and no kernel overlaps perfectly, so real steps are longer.
#
# A backlog of code requests, 16 slots. **By which factor does continuous batching raise the throughput?**

# %%
### BEGIN SOLUTION
predict("continuous.code_gain", low=2, high=6)
### STUB predict("continuous.code_gain", ...)
### END SOLUTION


# %%
gain = {}
for kind in (conversation, code):
    trace = backlog_of(kind)
    run = simulate(trace, scheduler=Scheduler(16, Unlimited()), step_cost=step_cost)
    static = simulate(trace, scheduler=StaticBatches(16), step_cost=step_cost)
    gain[kind.name] = static.busy_s / run.busy_s
    reading = run.telemetry.duration_s[run.telemetry.prefill_tokens > 0].sum() / run.busy_s
    by_slots = 1 / efficiency(trace.output_tokens.tolist(), 16)
    print(f"{kind.name:18}: by slots {by_slots:.1f} ×, really {gain[kind.name]:.2f} ×; "
          f"{100 * reading:.0f} % of the time goes into prompts")  # fmt: skip
outcome("continuous.code_gain", gain["azure-code"])

# %% tags=["solution-only"]
assert 1.05 < gain["azure-code"] < gain["azure-conversation"] < 2.2

# %% [markdown]
# ### Conversation gains more: continuous batching saves only time in which answers are written
#
# Slots stand empty only while answers are written. Prefill takes as long as ever, and
# while one prompt is read, the others stand still. In code more than four fifths of the time go there. You can
# see it: take the race again, set *prompts* to *counted*, and compare code with conversation. What
# was hatched is now blue and yellow.
#
# So continuous batching moves the limit: **from the dispersion of lengths to
# prefill and to KV memory**.

# %% [markdown] tags=["optional", "topic:E05", "topic:U09"]
# ### "Up to 23 times faster": than what, at which measure? (optional)
#
# A blog reported up to 23 times the throughput for vLLM over naive static batching (Anyscale 2023).
# The paper that introduced iteration-level scheduling reports 36.9 times over FasterTransformer, at
# equal latency (Orca, Yu and others 2022). Which one is true? Take *one* system, continuous batching with 128
# slots, and change what it is compared with:

# %% tags=["optional", "topic:E05"]
trace = backlog_of(conversation)
contenders = {f"static batches of {batch}": StaticBatches(batch) for batch in (1, 4, 16, 128)}
contenders["continuous, 128 slots"] = Scheduler(128, Unlimited())
per_s = {
    name: trace.output_tokens.sum() / simulate(trace, scheduler=one, step_cost=step_cost).busy_s
    for name, one in contenders.items()
}
best = per_s["continuous, 128 slots"]
for name, rate in per_s.items():
    print(f"{name:22}: {rate:5.0f} tokens/s; 128 continuous slots: {best / rate:4.1f} × as many")

# %% [markdown] tags=["optional", "topic:E05"]
# Any number from 1.3 to 18 can be had from the same run. Most of the large one is batching, which
# static batches do as well. Before you quote a gain, **name the baseline, its batch, the lengths, and
# the measure**: throughput of a backlog, or requests per second within a latency limit.

# %% [markdown] tags=["optional", "topic:E04", "topic:E05"]
# ### Does continuous batching raise latency, or lower it? (optional)
#
# You can read both. Name the latency and the baseline, and both can be checked: 4
# conversation requests a second, arriving one by one (Poisson).

# %% tags=["optional", "topic:E04", "topic:L08"]
arriving = conversation.trace(arrivals, 4.0, seed=seed, burstiness=1.0)
schedulers = {
    "static, up to 64": StaticBatches(64),
    "dynamic, 50 ms window": DynamicBatches(64, window_s=0.050),
    "continuous": Scheduler(64, Unlimited()),
}
seen = {
    name: simulate(arriving, scheduler=scheduler, step_cost=step_cost)
    for name, scheduler in schedulers.items()
}

# %% tags=["optional", "topic:E04", "topic:L08"]
print("                     mean TTFT      TPOT      E2E   mean running")
for name, run in seen.items():
    log = run.log
    print(
        f"{name:24} {1000 * log.ttft_s.mean():5.0f} ms {1000 * np.nanmean(log.tpot_s):6.2f} ms "
        f"{log.e2e_s.mean():6.2f} s {run.telemetry.mean('running'):14.1f}"
    )

# %% tags=["optional", "solution-only"]
ttft = {name: run.log.ttft_s.mean() for name, run in seen.items()}
assert ttft["static, up to 64"] > 8 * ttft["continuous"]

# %% [markdown] tags=["optional", "topic:E04"]
# Against static batches the **time per token rises**: the prompts of new requests are read in between. (At
# this rate the steps are no fuller.) **TTFT falls** forty times and **E2E** to less than half, since no request waits for another
# one's longest answer.
#
# The window of chapter 04 has no place here. It makes sense where a batch, once started, is closed. Here the next
# step is the next chance, and it comes in milliseconds. (The last section tries it.)

# %% [markdown]
# *Checkpoint, 49 minutes. The scheduler is one condition away from static; what it gains depends on
# prefill. Next: what prompts do to requests that are already being answered.*

# %% [markdown]
# ## A prompt of 8,000 tokens arrives: which requests wait?
#
# Sixteen answers are being written when a prompt of 8,000 tokens comes in. *Prompts first*, as above,
# reads it in one step, and all others wait for that step. **Chunked prefill** (Sarathi-Serve,
# Agrawal and others 2024) gives each step a token budget, here 512: one token for each request that
# decodes, and the rest of the budget for a piece of the prompt.
#
# Does that make for a better TTFT? By which factor does the
# TTFT **of the long prompt** change when it is read in chunks?

# %%
### BEGIN SOLUTION
predict("continuous.chunked_ttft", low=0.8, high=1.5)
### STUB predict("continuous.chunked_ttft", ...)
### END SOLUTION

# %%
busy = [Request(f"b{k:02}", 600 + 37 * k, 400) for k in range(16)]
together = [*busy, Request("long", 8000, 400, arrival_s=1.0)]
whole, chunked = (
    simulate(together, Scheduler(32, Unlimited(), **how), step_cost, token_times=True).records()
    for how in ({"token_budget": 16_384}, {"token_budget": 512, "chunked": True})
)
both = {"prompts first": whole, "chunks: 512 tokens a step": chunked}
show(
    figures.bystanders(both, "long", from_s=0.85, until_s=1.5),
    alt="Ticks for the tokens of sixteen requests around the arrival of a long prompt. In one piece the "
    "prompt stops all of them for 299 ms. In chunks they go on, more slowly, about 20 ms apart, and "
    "the long prompt's own first token comes a little later: after 320 instead of 294 ms.",
)
outcome("continuous.chunked_ttft", chunked[-1].ttft_s / whole[-1].ttft_s)

# %% tags=["solution-only"]
assert 1.05 < chunked[-1].ttft_s / whole[-1].ttft_s < 1.15
assert figures.longest_gap_s(whole, "long") > 8 * figures.longest_gap_s(chunked, "long")

# %% [markdown] tags=["topic:I04", "topic:O05", "topic:O02"]
# ### Chunks protect the neighbours' ITL, and the long prompt pays a tenth
#
# The first token is predicted from the *last* token of the prompt, so it needs the last chunk: it cannot
# come sooner. Why does it come hardly later? A step of 512 tokens computes for 16.6 ms (512 times 32.5 µs) and reads
# the weights for 4.8. The reading hides behind the computing, and the sixteen tokens of the others
# ride along (Sarathi-Serve's central idea). What the long prompt pays for is their share of each step, and
# the KV that they read.
#
# Chunks below the ridge, 147 tokens here, are different: then every step waits for the weights again, and
# many small chunks cost as much as that many readings.
#
# Well above it the long prompt pays little, and all others gain.
# **Chunked prefill is a technique for other people's ITL.** The budget is the dial: it sets the
# longest step, and so the gap. Without it, a stream of long prompts starves all requests that decode.
#
# So what shortens a prefill helps decode as well. On a shared machine
# the prompt in one piece *was* the gap, for sixteen requests. If its beginning had been cached, the gap would
# have been shorter.
#
# Tails of a language model often come from here: one request's long input is a pause for all that share its
# batch, at the same moment. Chapter 08 is about such tails.
#
# *Checkpoint, 54 minutes. Chunks move the wait from the others to the long prompt, and it pays little. Next: memory.*

# %% [markdown] tags=["topic:J06", "topic:I04"]
# ## When memory is full: admission, and what an admission cannot know
#
# An admitted request needs memory for its prompt now and for its answer later, and it is unknown how
# long that gets. There are three rules of **admission control**:
#
# - **Reserve** room for the longest answer that the request may get. It never runs out, and much of the
#   memory stays empty (chapter 06), while requests are turned away.
# - **Admit what fits now**, page by page. When a step finds no free page, the *newest* request is
#   **preempted**: its pages go, and later its prompt and what it has written are computed once more.
# - Admit what fits now, and **leave a page for each running request**.
#
# ### Build: the admission rule
#
# Write the third one. `view` tells you about the request at the head of the queue and about the server:
# `prompt_tokens`, `cached_tokens` of them already in memory (whole pages), `free_pages` of
# `page_tokens` tokens, `running` and `max_sequences`. Admit if a slot is free, **and** if after the
# prompt's pages one page is left for each request that runs already. Here is one to try:

# %%
view = SimpleNamespace(
    prompt_tokens=50, cached_tokens=16, free_pages=5, page_tokens=16, running=2, max_sequences=8
)
print(view)

# %% [markdown]
# 16 of the 50 tokens are there; the other 34 need three pages. Five are free, so two are left, one for each
# running request: `admit(view)` is True. With `running=3` it is False.


# %%
def admit(view):
    """Return whether the request at the head of the queue may start."""
    ### BEGIN SOLUTION
    pages = -(-(view.prompt_tokens - view.cached_tokens) // view.page_tokens)
    return view.running < view.max_sequences and pages + view.running <= view.free_pages
    ### END SOLUTION


# %%
def admit_each(views):
    """The rule for several views at once: the check asks it about many."""
    return [admit(view) for view in views]


check("continuous.admission", admit_each)

# %% [markdown] tags=["topic:L08"]
# The first 48 requests of the backlog, and memory for 800 pages of 16 tokens. *Reserve* sets the longest
# of the 48 answers aside for each request. The titles show counters that every server should export: how
# many requests run, how often it preempted, how many prompt tokens it read.

# %% tags=["topic:J06", "topic:L08"]
rule, some, pages = (
    piece("continuous.admission", admit_each),
    backlog_of(conversation).take(48),
    800,
)
chunks = {"token_budget": 512, "chunked": True}
rules = {
    "reserve the longest": Scheduler(64, ContiguousReservation(16 * pages), **chunks),
    "what fits now": Scheduler(64, PagePool(pages), **chunks),
    "your rule": ByRule(64, PagePool(pages), rule=lambda view: rule([view])[0], **chunks),
}
runs = {name: simulate(some, one, step_cost) for name, one in rules.items()}

# %% tags=["topic:J06", "topic:L08"]
show(
    request_timelines(runs),
    alt="Each of 48 requests as a row: in the queue, then its prompt is read, then its answer written. "
    "With reservation few run at a time, and the last one ends a third later. Admitting what fits now, "
    "some requests are preempted, wait, and have their prompt read again. Your rule preempts less often.",
)
for name, run in runs.items():
    share = run.telemetry.mean("stored_tokens") / (16 * pages)
    print(f"{name:19}: {100 * share:.0f} % of the memory holds tokens")

# %% tags=["solution-only"]
running = {name: runs[name].telemetry.mean("running") for name in rules}
assert running["reserve the longest"] < 0.8 * running["your rule"]
preempted = {name: runs[name].telemetry.preemptions.sum() for name in rules}
assert preempted["reserve the longest"] == 0 < preempted["what fits now"]
assert preempted["your rule"] <= preempted["what fits now"]

# %% [markdown] tags=["topic:J06", "topic:I04", "topic:I05", "topic:O02"]
# Reserving runs a third fewer: requests wait while half of the memory holds nothing.
#
# Admitting what fits now runs as many as your rule, and does more of its work twice: behind every red stretch the prompt is
# read again. One page left for each running request prevents about half of that.
#
# Preemption loses no token and no request, only work and time. If its counter climbs, memory is your limit, not
# compute.
#
# Which request is preempted, and which waits, is a question of *fairness*, and each answer has a price:
#
# | rule | what it does | what it costs |
# | --- | --- | --- |
# | first come, first served; preempt the newest | no request starves: the oldest always moves on | short requests behind a long one at the head |
# | chunk long prefills | bounds the gaps of all that decode | the long prompt's TTFT |
# | shortest remaining first, by a predicted length | lowers the mean | long requests, without limit unless they age; and predictions err |
# | park oversized prompts in a queue of their own | removes head-of-line blocking by size | time for the parked, and the share of the machine set aside |
# | limit tokens per request, and requests or tokens per user and minute | bounds what one request, or one user, can hold | those who ask for more get an error; let it say so |
#
# A limit on answer tokens is worth most where memory is reserved for it: under *reserve the longest*
# it decides how many requests run. With pages it bounds the worst case only.
#
# *Checkpoint, 67 minutes. Admission decides with what it knows; preemption repairs what it could not know.*

# %% [markdown] tags=["topic:A17"]
# ## The frontier: what is left of it on long contexts?
#
# Throughput alone can be bought with latency. So draw one against the other, at rising request rates.
# Left conversation, right prompts of 15,000 tokens on average. Latency is end-to-end time per output
# token; memory is what chapter 06 leaves on an H100, 26,700 pages of 16 tokens.

# %% tags=["topic:A17"]
policies = {
    "static, 128": lambda: StaticBatches(128),
    "prompts first": lambda: Scheduler(128, PagePool(26_700)),
    "chunks of 512": lambda: Scheduler(128, PagePool(26_700), **chunks),
}
workloads = {
    "conversation": (conversation, (3, 7, 11, 14)),
    "long context": (mix("long-context"), (0.2, 0.5, 0.8, 1.1)),
}


# %% tags=["topic:A17"]
def sweep(kind, rates, policy):
    """Serve the same requests at rising rates; return the runs."""
    traces = (kind.trace(arrivals, rate, seed=seed, burstiness=1.0) for rate in rates)
    return [simulate(trace, policy(), step_cost) for trace in traces]


served = {
    name: {policy: sweep(*what, make) for policy, make in policies.items()}
    for name, what in workloads.items()
}

# %% tags=["topic:A17"]
show(
    figures.frontiers(served),
    alt="Latency per token against answers per second. Conversation: static batches end at 12 answers a "
    "second, both continuous policies above 13, at a third to a fifth of the latency. Long context: all "
    "three end near one answer a second; at each rate chunks have the lowest latency.",
)
print("at 11 and 0.8 requests/s     p99 of TTFT   p99 of ITL   within TTFT 2 s, TPOT 30 ms")
for name, runs_of in served.items():
    for policy, (*_, run, _) in runs_of.items():
        good = run.log.meets(ttft_s=2.0, tpot_s=0.030).mean()
        tails = percentile(run.log.ttft_s[run.log.ok], 0.99), 1000 * run.gaps.quantile(0.99)
        label = f"{name}, {policy}"
        print(f"{label:28} {tails[0]:9.2f} s {tails[1]:9.0f} ms {100 * good:24.0f} %")

# %% [markdown] tags=["topic:A17", "topic:E09"]
# ### The rate hardly rises; on conversation the wait vanishes, on long contexts half of it stays
#
# Left, with as many slots, static batches carry nearly as many answers a second (with 32 slots half as
# many), and every request waits for the longest answer of the batch before it. Right, prompts take most of
# the time: 15,300 tokens at 32.5 µs are half a second for each request, and attention, which grows with the
# square of a length, adds 0.3 s. Whatever the scheduler does, they have to be computed.
#
# The table shows what the scheduler can do. The TTFT is much the same with either policy. But
# where prompts go first, answers stand still meanwhile: one gap in a hundred is longer than 132 ms on
# conversation and 785 ms on long contexts, against 20 and 47 ms in chunks. Gaps make answers late, so in
# chunks more requests keep both limits on long contexts: 49 % instead of 39.
#
# **Goodput**, the share or rate of requests within *both* limits, is the measure that stops you from trading one
# against the other. Where a stall hurts, let its second limit be the gap: a TPOT averages stalls away (on the left
# nearly all keep theirs).
#
# If no token budget meets both, give the two phases machines of their own: prefill on some, decode on
# others (**disaggregation**; DistServe, Zhong and others 2024, and Splitwise, Patel and others 2024).
# Judge it in just these terms: TTFT and ITL at p99, and goodput. Tokens per second cannot show it.

# %% [markdown] tags=["optional", "topic:A17"]
# ### Which settings keep both promises? (optional)
#
# The p99 of TTFT stays within 2 s and the p99 of ITL within 50 ms: that is promised. Behind each
# picture stand 20,000 requests, 2,000 at each of five rates by each policy. What you move is served
# anew as you move it; the token budget acts on *chunks* alone. (A compiled twin
# of the scheduler does that. Its results are those of the plain one.) Choose, and read the line that it writes:
#
# - (a) *conversation*: which token budget keeps both promises at all five rates? If there are several, look
#   at the TTFT.
# - (b) With that budget: how few may run at a time, and how few pages are enough?
# - (c) *code*, whose prompts are longer: is a budget of 256 too small for the TTFT? Which promise does
#   2,048 break, and *prompts first* from 4 requests a second on?
# - (d) *long context*: is there a budget that keeps both promises?

# %% tags=["optional", "nbval-ignore-output", "topic:A17"]
mixes = {
    "conversation": (conversation, (7, 9, 11, 12, 13)),
    "code": (code, (2, 4, 6, 7, 8.5)),
    "long context": (mix("long-context"), (0.2, 0.4, 0.6, 0.8, 1.0)),
}
frontier = frontier_explorer(mixes, step_cost=step_cost, seed=seed)
frontier

# %% tags=["solution-only"]
import re

begin = frontier.values


def most(**settings):
    """The highest rate at which chunks keep both promises; 0 where there is none."""
    found = re.search(r"chunks of \S+ up to (\S+) requests/s", frontier(**settings))
    return float(found[1]) if found else 0.0


# Of 18 seeds none came nearer to a promise than 19 %, where a rate is named here.
assert most(budget=1024) == most(places=64, pages=8_000) == 13 > most(places=16)
assert most(places=64, pages=3_000) < 13 and most(budget=512, pages=26_700) >= 12
assert most(budget=2048) == 0 == most(requests="code")
assert most(budget=256) == most(budget=1024) == 8.5
assert frontier(requests="long context").count("at no rate") == 2
frontier(**begin)

# %% [markdown] tags=["optional", "topic:A17", "topic:E09"]
# (a) 256, 512 and 1,024, and 1,024 gives the first token soonest. A budget of 2,048 breaks the ITL at every
# rate: one full step computes for 66 ms. (b) 64 requests and 8,000 pages. With 16 requests or
# 3,000 pages the queue grows before 13 requests a second. 32 requests are on the edge: of nine seeds eight fell
# short of 13 as well. (c) No: 256 tokens still compute for longer (8.3
# ms) than the weights are read (4.8), so small steps waste nothing. 2,048 breaks the ITL, as before, and so do
# *prompts first*, whose steps are as long as the prompts that come. (d) No. Even at 0.2 requests a second
# the p99 of TTFT is about 10 s: prompts that long have to be computed, one behind the other.

# %% [markdown] tags=["topic:E09"]
# *Checkpoint, 72 minutes. Goodput counts both promises; on long contexts prefill decides. Last: when not.*
#
# ## When does continuous batching not help?


# %% tags=["topic:E09"]
def at_once(prompts, lengths):
    """Requests that are all there at the beginning."""
    return RequestTrace(np.zeros(len(prompts)), prompts, lengths)


trace = backlog_of(conversation)
order, few = np.argsort(trace.output_tokens, kind="stable"), np.full(256, 800)
cases = {
    "conversation": (trace, 16),
    "the same, sorted by length": (at_once(trace.prompt_tokens[order], trace.output_tokens[order]), 16),
    "all answers equal": (at_once(few, np.full(256, 200)), 16),
    "one token each (a classifier)": (at_once(few, np.ones(256, dtype=int)), 16),
    "memory for one sequence": (trace.take(64), 1),
}  # fmt: skip

# %% tags=["topic:E09"]
for name, (requests, places) in cases.items():
    static, moving = (
        simulate(requests, scheduler=one, step_cost=step_cost).busy_s
        for one in (StaticBatches(places), Scheduler(places, Unlimited()))
    )
    print(f"{name:30}: {static / moving:.2f} × the throughput of static batches")

# %% [markdown] tags=["topic:E09"]
# Where lengths do not vary, where nothing is written, where an offline job can be sorted by a length
# that is known, or where memory holds one sequence, there is nothing to fill. And where requests
# hardly overlap, no request is there to take a free slot.

# %% [markdown] tags=["optional", "topic:E09"]
# ## Your engine's flag (to look up)
#
# | here | vLLM | SGLang | default, where the documentation states one |
# | --- | --- | --- | --- |
# | token budget of a step | `--max-num-batched-tokens` | `--max-prefill-tokens`, for prompts alone | vLLM chooses at the start and logs it; SGLang 16,384 |
# | batch slots | `--max-num-seqs` | `--max-running-requests` | both choose at the start |
# | chunked prefill | `--enable-chunked-prefill` | `--chunked-prefill-size` (−1: off) | on in vLLM V1; SGLang chooses the size at the start |
# | prompts and decodes in one step | always | `--enable-mixed-chunk` | off in SGLang |
# | order of the queue | `--scheduling-policy`: `fcfs`, `priority` | `--schedule-policy`: `fcfs`, `lpm` (longest cached prefix first), … | `fcfs` in both |
# | preemption | recompute; counted in the metrics | "retract"; `--schedule-conservativeness` | SGLang 1.0: higher admits less |
#
# So the chunks of this chapter are vLLM's default, and SGLang's with mixed chunks switched on. vLLM's tuning
# guide uses the dial as this chapter does: a smaller budget for ITL, a larger one for TTFT.

# %% [markdown] tags=["topic:E09"]
# ## What to do on Monday morning
#
# | you serve | batching | because |
# | --- | --- | --- |
# | a model with one fixed-size pass: classifier, embedding, ranking | dynamic: take everything that waits, a window only if it pays (chapter 04) | all items of a batch end together |
# | an offline job with known or equal lengths | static, sorted by length | simplest; no dispersion inside a batch |
# | generation for readers at a screen | continuous, chunked prefill | dispersion and interactivity |
# | generation with very long prompts | continuous, and look at prefill: prefix cache, larger chunks, machines of its own | the slots are not your limit |
#
# 1. **Compute E[N]/E[max] from your log of answer lengths** before you believe any promised gain, and
#    then the share of time that goes into prompts.
# 2. **Remove the window**: the next step is the next chance.
# 3. **Set the token budget from the ITL that you promise**, and measure ITL as single gaps at p99. A
#    TPOT averages the stall away.
# 4. **Export the scheduler's counters**: running and waiting, batch and prefill tokens per step, pages
#    in use, preemptions, rejections, time in the queue.
# 5. **Limit answer tokens per request**, and requests per user, where you admit.
# 6. **State the fairness rule** and the baseline of every speed-up that you quote.

# %% [markdown] tags=["optional", "topic:I04"]
# ## More practice (optional)
#
# **A window before continuous batches?** Would 3 to 5 ms help? Try it: `Windowed` holds new
# requests back until the oldest has waited for the window. Where nothing runs meanwhile, `schedule` answers
# `WaitUntil(t)`: no step before time t.


# %% tags=["optional", "topic:E04", "topic:L08"]
class Windowed:
    """A scheduler whose new requests are held back until the oldest has waited for the window."""

    def __init__(self, inner, window_s):
        self.inner, self.window_s, self.pen = inner, window_s, []
        self.add, self.commit, self.finish = self.pen.append, inner.commit, inner.finish

    def schedule(self, now_s):
        opens_s = self.pen[0].arrival_s + self.window_s if self.pen else float("inf")
        if now_s >= opens_s:
            while self.pen:
                self.inner.add(self.pen.pop(0))
        return self.inner.schedule(now_s) or (WaitUntil(opens_s) if self.pen else None)


# %% tags=["optional", "topic:E04", "topic:L08"]
print("window    mean TTFT      TPOT")
for window_s in (0.0, 0.005, 0.020):
    log = simulate(arriving, Windowed(Scheduler(64, Unlimited()), window_s), step_cost).log
    means = 1000 * log.ttft_s.mean(), 1000 * np.nanmean(log.tpot_s)
    print(f"{1000 * window_s:3.0f} ms {means[0]:10.0f} ms {means[1]:6.2f} ms")

# %% [markdown] tags=["optional", "topic:I04"]
# It adds about its own length to every TTFT and buys nothing. **Remove the window.**
#
# **What chunked prefill does.** Which of these statements are true? Several may be: answer like
# `"a, c"`.
#
# - **a** The first token of the long prompt comes out after its first chunk.
# - **b** The longest gap between two tokens of the others shrinks.
# - **c** Attention gets cheaper: a sum of small squares is less than one large square.
# - **d** The long prompt's own first token comes later than in one piece.
# - **e** The smaller the token budget, the sooner the first token.

# %% tags=["optional"]
### BEGIN SOLUTION
true_of_chunks = "b, d"
### STUB true_of_chunks = ...
### END SOLUTION
check("continuous.chunks", true_of_chunks)

# %% [markdown] tags=["optional", "topic:I04"]
# **The budget behind a promise.** A step takes 6 ms, and 0.060 ms for each prompt token and 0.030 ms
# for each sequence that decodes (forget the rest). 24 sequences decode, and you promise 40 ms between
# two tokens. How large may the token budget be? It counts all tokens of a step.

# %% tags=["optional"]
### BEGIN SOLUTION
token_budget = (40 - 6 - 24 * 0.030) / 0.060 + 24
### STUB token_budget = ...
### END SOLUTION
check("continuous.budget", token_budget)

# %% [markdown] tags=["topic:U09"]
# ## Sources
#
# - G.-I. Yu and others, *Orca: a distributed serving system for transformer-based generative models*,
#   OSDI 2022: iteration-level scheduling, and batching only those operations that allow it. Read
#   sections 3 and 4.
# - W. Kwon and others, *Efficient memory management for large language model serving with
#   PagedAttention*, SOSP 2023: the memory that makes admission at every step cheap.
# - A. Agrawal and others, *Taming throughput-latency tradeoff in LLM inference with Sarathi-Serve*,
#   OSDI 2024: chunked prefill and stall-free steps.
# - Y. Zhong and others, *DistServe*, OSDI 2024; P. Patel and others, *Splitwise*, ISCA 2024:
#   disaggregation, and the Azure traces behind this chapter's lengths (CC BY 4.0).
# - The flags: vLLM, *Engine arguments*, `vllm.config.scheduler` and *Optimization and tuning* (docs.vllm.ai);
#   SGLang, *Server arguments* and *Hyperparameter tuning* (docs.sglang.io). Both read in November 2026;
#   defaults move, `--help` knows.
# - Anyscale, *How continuous batching enables 23x throughput in LLM inference while reducing p50
#   latency*, 2023: against naive static batching.
# - F. Bang, *GPTCache*, 2023: often cited beside Orca, and another idea: a request that is not served
#   at all because a similar one was. It reports 2 to 10 times on a hit; what a wrong hit costs, and
#   how often production traffic hits, it does not study.
# - A. Rényi, *On the theory of order statistics*, 1953: the longest of exponential lengths.
