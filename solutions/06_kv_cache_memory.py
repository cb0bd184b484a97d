# ---
# jupyter:
#   course:
#     order: 6
#     slug: kv_cache_memory
#     title: KV-cache memory
#     question: The model takes 16 of the card's 24 GB. How many people can talk to it at once?
#     minutes: 74
#     needs: [littles_law, prefill_and_decode]
#     folder: notebooks
#     gpu: false
#     small: {steps: 400, long: 4000}
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown] tags=["topic:D09", "topic:O01", "topic:A19"]
# A chat service starts on one card with 24 GB. Its model has 8 billion weights of two bytes: 16 GB.
# Eight are left, a conversation of 4,096 tokens takes 0.54 GB, so fourteen people can talk at
# once. On the first evening the eleventh is refused. *Out of KV memory*, says the log, and the team
# orders a card of 80 GB. Later somebody counts what was in that memory: **three quarters of it held
# nothing.**
#
# How many requests run at once is the third number of a service, beside its latency and its
# rate. On a card that generates text, memory sets it. At the end of this chapter you can answer three questions
# (words that are new to you stand in the glossary at the end of `docs/cards.html`):
#
# 1. How many sequences fit beside the weights, and which lever moves that number?
# 2. Which memory is given away and still empty, and how is it won back?
# 3. How large a pool does your traffic need, and what happens when it is too small?

# %%
import os

os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")  # before torch: waiting threads sleep

# %%
import json

import numpy as np
import torch

from labutils import llm, workload
from labutils.engine import Engine, PagePool, Request, Scheduler, page_keys
from labutils.exercises import check, hint, outcome, piece, predict, reveal
from labutils.serving.checkpoints import course_model
from labutils.serving.memory import ContiguousReservation
from labutils.serving.memory.page_log import PageLog
from labutils.serving.memory.race import Growing, PageBooks, race
from labutils.viz import show
from labutils.viz.explorers.kv_memory import kv_memory_explorer
from labutils.viz.explorers.page_race import page_race_explorer
from labutils.viz.figures.block_table import block_tables
from labutils.viz.figures.pages import two_page_maps

# %% tags=["parameters"]
seed = 7  # every random draw in this chapter follows from it
steps = 600  # of the race that is drawn
long = 20_000  # steps of the runs that are only counted

# %% [markdown] tags=["topic:D04", "topic:D05"]
# ## What does a model keep about each token?
#
# In every layer a token is turned into three vectors: a *query*, with which it looks around, a *key*,
# by which it is found, and a *value*, what it contributes. A new token compares its query with the
# keys of all tokens before it, and mixes their values. Its own query is needed once. Keys and values
# are needed by every token that follows, and they never change: so they are kept. That is the **KV
# cache**.
#
# The cell has one head of attention, nine tokens, and both ways of using it: all nine at once, or
# six at once (the *prefill* of the prompt) and then one at a time against what was kept (*decode*).

# %% tags=["topic:D04", "topic:D05"]
rng = np.random.default_rng(seed)
q, k, v = rng.normal(size=(3, 9, 16))


def attend(q, k, v):
    """The newest queries look at all keys that are not younger than they are."""
    age = np.arange(len(k)) - np.arange(len(k) - len(q), len(k))[:, None]
    weights = np.exp(np.where(age > 0, -np.inf, q @ k.T / np.sqrt(q.shape[1])))
    return weights / weights.sum(axis=1, keepdims=True) @ v


prefill = attend(q[:6], k[:6], v[:6])
decode = [attend(q[i : i + 1], k[: i + 1], v[: i + 1]) for i in range(6, 9)]
gap = np.abs(np.vstack([prefill, *decode]) - attend(q, k, v)).max()
print("same result:", bool(gap < 1e-12))

# %% [markdown] tags=["topic:D04"]
# Does the cache make a token $O(n)$ instead of $O(n^2)$? In attention alone. Each new token also goes through all weights, whatever stands before it. In TFLOP, for one more token:

# %% tags=["topic:D04"]
spec = llm.model("Llama-3.1-8B")
print("tokens before   without cache   with it, in the weights   in attention")
for n in (1_000, 8_000, 30_000):
    again, kept = llm.prefill_flops(spec, n + 1), llm.prefill_flops(spec, n + 1, cached_tokens=n)
    weights, attention = kept.linear / 1e12, kept.attention / 1e12
    print(f"{n:13,} {again.total / 1e12:15.1f} {weights:25.4f} {attention:14.4f}")

# %% [markdown] tags=["topic:D04"]
# With the cache a token costs twice the number of weights in FLOP, plus attention. At a context of about
# 30,000 tokens attention costs as much as the weights; below, less. So the cache saves arithmetic and costs
# memory. How much memory?

# %% [markdown] tags=["topic:B22", "topic:D06"]
# ### A token leaves a key and a value, per layer, per KV head
#
# $$b_\mathrm{KV} = 2 \cdot n_\text{layers} \cdot h_\mathrm{KV} \cdot d_\text{head} \cdot b
# \quad \text{bytes per token},$$
#
# with $h_\mathrm{KV}$ heads whose keys and values are kept, each $d_\text{head}$ numbers wide, of $b$
# bytes. In the first transformers every query head had a key and a value of its own (*multi-head
# attention*). Later models let a group of query heads share one (*grouped-query attention*, GQA), in
# the extreme all of them (*multi-query*, MQA).
#
# **One case by hand.** A toy model has 2 layers, 4 query heads and 2 KV heads, each 8 numbers wide, of 2
# bytes. It serves sequences of 100 tokens from a card of 100 kB, of which 90 % may be used; the weights take
# 40 kB.
#
# | what | how | |
# | --- | --- | --- |
# | one token, one layer | a key and a value for each *KV* head: $2 \cdot 2 \cdot 8$ numbers | 32 numbers |
# | one token | $32 \cdot 2$ layers $\cdot\, 2$ bytes | 128 bytes |
# | one sequence | $100 \cdot 128$ | 12.8 kB |
# | left beside the weights | $0.9 \cdot 100 - 40$ | 50 kB |
# | whole sequences | $50 / 12.8 = 3.9$ | **3** |
#
# The four query heads appear nowhere: a query is used once and not kept. Now a real model.
#
# **Qwen2.5-7B** has 28 layers, a hidden width of 3,584, 28 query heads, 4 KV heads, heads 128 wide, and
# numbers of two bytes. How many bytes does one token leave?

# %%
### BEGIN SOLUTION
token_bytes = 2 * 28 * 4 * 128 * 2
### STUB token_bytes = ...
### END SOLUTION
check("kv.bytes_per_token", token_bytes)

# %% [markdown]
# Stuck? Put `hint("kv.bytes_per_token")` into a cell of your own, up to three times. Afterwards
# `reveal("kv.bytes_per_token")` explains.
#
# Here are seven models. (GB means $10^9$ bytes, GiB means $2^{30}$.)

# %% tags=["topic:B22", "topic:B23", "topic:D06"]
names = ("Llama-2-7B", "Llama-3.1-8B", "Qwen2.5-7B", "Qwen3-0.6B")
names += ("Gemma-3-27B", "gpt-oss-20b", "DeepSeek-V3")
print("model           weights   KV of a token   of 4,096 tokens   query / KV heads")
for name in names:
    one = llm.model(name)
    heads = "latent" if one.latent else f"{one.num_heads} / {one.num_kv_heads}"
    print(
        f"{name:13} {one.parameters / 1e9:6.1f} B {one.kv_bytes_per_token() / 1000:11.1f} kB "
        f"{one.kv_bytes(4096) / 1e9:14.2f} GB {heads:>14}"
    )

# %% [markdown] tags=["topic:B23", "topic:D06"]
# Weights say little about KV. Qwen3-0.6B has 13 times fewer weights than Llama-3.1-8B, and its tokens
# are nearly as heavy. Llama-2-7B keeps all 32 heads: 524,288 bytes a token, four times its successor.
# DeepSeek-V3 keeps one compressed vector per layer for all its heads (*multi-head latent attention*,
# MLA). Two models break the product with the context: most layers of Gemma-3 and half of those of
# gpt-oss keep only a *window* of the last 1,024 or 128 tokens.
#
# Does GQA lower the time per token, and by how much? A decode step reads the weights too (chapter 05):

# %% tags=["topic:D06", "topic:B22"]
weights, kv = spec.weight_bytes(), spec.kv_bytes_per_token()
for batch, context in ((1, 1000), (64, 4096)):
    shared, own = (weights + batch * context * each for each in (kv, 4 * kv))
    print(f"batch {batch:2}, context {context}: without GQA {own / shared:.3f} times the bytes")
bandwidth = llm.accelerator("H100 SXM").bandwidth_bytes_per_s
print(f"KV alone, batch 1: {bandwidth / kv / 1e6:.1f} thousand tokens/s, with the weights: "
      f"{bandwidth / (weights + 1000 * kv):.0f}")  # fmt: skip

# %% [markdown] tags=["topic:D06"]
# Without GQA a step would read 1.02 times the bytes for one short sequence, and 3 times for 64 long ones. So
# GQA matters once many long sequences share a step. It is no switch: a model is *trained* with its heads, and
# you choose them with the model.
#
# The last line is a mistake that you meet twice today. Whoever computes the decode speed from the bytes of the
# KV cache alone is wrong by a factor of more than 100, because the **weights were forgotten**.
#
# *Checkpoint, 12 minutes. You know what a token weighs, and which heads count. Next: what is left for
# tokens.*

# %% [markdown] tags=["topic:D09"]
# ## Weights in 8 bits: how many more sequences?
#
# Llama-3.1-8B in 16 bits, and sequences of 4,096 tokens; weights and KV together may fill 90 % of the
# card. Now you store the weights in 8 bits, and KV stays as it is. By which **factor** does the
# number of sequences grow on the card with 24 GB, and on one with 80? Commit to two numbers, or to
# ranges that you are 80 % sure of: `predict("kv.small_card", low=..., high=...)`.

# %%
### BEGIN SOLUTION
predict("kv.small_card", low=1.5, high=4)
predict("kv.large_card", low=1, high=1.5)
### STUB predict("kv.small_card", ...)
### STUB predict("kv.large_card", ...)
### END SOLUTION

# %% tags=["topic:D09", "topic:D07"]
fit = {
    (card, bits): llm.max_sequences(spec, card * 1e9, 4096, bytes_per_weight=bits / 8)
    for card in (24, 80)
    for bits in (16, 8)
}
for card in (24, 80):
    print(f"{card} GB: {fit[card, 16]} sequences, with weights in 8 bits {fit[card, 8]}")
outcome("kv.small_card", fit[24, 8] / fit[24, 16])
outcome("kv.large_card", round(fit[80, 8] / fit[80, 16], 2))

# %% [markdown] tags=["topic:D09", "topic:B22"]
# ### KV gets the remainder, and a small change of the weights is a large change of the rest
#
# With $M$ bytes on the card, a usable share $u$, weights of $W$ bytes and $C$ tokens per sequence,
#
# $$N = \left\lfloor \frac{u\,M - W}{C\,b_\mathrm{KV}} \right\rfloor .$$
#
# The numerator is a difference of two large numbers. On 24 GB it is $21.6 - 16.1 = 5.5$ GB, and 8-bit weights
# free 8 GB, more than was there before. On 80 GB it is 56 GB, and the same 8 GB add a seventh. In
# general, a relative change of $W$ or $M$ changes $N$ by so many times as much:
#
# $$\frac{W}{u\,M - W} \ \text{ and } \ \frac{u\,M}{u\,M - W} .$$
#
# Call this factor the *lever*. The denominator has none: half the bytes per token, or half the context, doubles
# $N$ on any card.

# %% tags=["topic:D07", "topic:D09"]
levers = {
    "as it is": {},
    "weights in 8 bits": {"bytes_per_weight": 1},
    "KV in 8 bits": {"bytes_per_value": 1},
    "both": {"bytes_per_weight": 1, "bytes_per_value": 1},
}
print("                    on 24 GB   on 80 GB")
for name, change in levers.items():
    small, large = (llm.max_sequences(spec, card * 1e9, 4096, **change) for card in (24, 80))
    print(f"{name:20}{small:8} {large:10}")
for name, size in (("twice the memory", 2e9), ("GiB, not GB", 2**30)):
    small, large = (llm.max_sequences(spec, card * size, 4096) for card in (24, 80))
    print(f"{name:20}{small:8} {large:10}")

# %% [markdown] tags=["topic:D07", "topic:D09"]
# Read the last row: a GiB is 7 % more than a GB, and on the small card that is 30 % more sequences, because
# the lever is $21.6 / 5.5 = 3.9$. Cards are sold in either unit (an "80 GB" A100 has 80 GiB,
# an H200 with "141 GB" reports 143,771 MiB), so **ask the card, in bytes**.
#
# KV in 8 bits (FP8, INT8) doubles the number on every card, and halves what a step reads of each token. It
# needs scales per head or channel, and a check of the answers' quality. So do 4 bits and fewer; with 2 bits,
# KIVI reports 2.6 times less peak memory, weights included (Liu and others 2024).
#
# Play with both, and with what comes next. The bar is the card. Below it lies the room that the weights
# leave, magnified: each stretch of one shade is a sequence, as long as its tokens. *Reserved*: each
# sequence is given the limit at once. *Paged*: it is given a page whenever its last one is full. The
# lengths are drawn from public traces.
#
# - (a) Weights in 8 bit, on both cards: does the number of sequences do what you predicted?
# - (b) Which single click on the small card wins most? (There is one that beats all bits.)
# - (c) *Paged*, on the small card: from which page on do you see the waste?
# - (d) 80 GB, *reserved*, lengths of code, limit 16,384: what share of the room holds tokens?

# %% tags=["nbval-ignore-output", "topic:D09", "topic:D08"]
lengths = {
    name: workload.mix(mix).draw(20_000, np.random.default_rng(seed))
    for name, mix in (("conversation", "azure-conversation"), ("code", "azure-code"))
}
lengths["long"] = workload.mix("long-context").draw(20_000, np.random.default_rng(seed))
explorer = kv_memory_explorer(lengths, seed=seed)
explorer

# %% [markdown] tags=["topic:D09"]
# (a) 10 to 25, and 104 to 119 where each request is given 4,096. (b) *Paged*: it does not make memory, it gives
# out what was reserved and empty. (c) From 256 tokens on. (d) 14 % of it.

# %% [markdown] tags=["topic:C20", "topic:B23", "optional"]
# ### Spot the flaws: forty users on 80 GB (optional)
#
# A sizing note: *"LLaMA 7B: the KV cache takes about 2 GB per user at 4,096 tokens. 40 users: 80 GB, so
# a card of 80 billion bytes is full."* There are two flaws in it, and one of them is large. Find both before you run
# the cell.

# %% tags=["topic:C20", "optional"]
llama2 = llm.model("Llama-2-7B")
user = llama2.kv_bytes(4096)
print(f"one user: {user / 2**30:.1f} GiB = {user / 1e9:.3f} GB; forty: {40 * user / 1e9:.1f} GB")
print(f"weights: {llama2.weight_bytes() / 1e9:.1f} GB")
print(f"fit on 90 % of 80 GB: {llm.max_sequences(llama2, 80e9, 4096)}")
print(f"the same card, Llama-3.1-8B with its 8 KV heads: {fit[80, 16]}")

# %% [markdown] tags=["topic:C20", "optional"]
# The 2 are GiB, the 80 are GB: 37. The **weights were forgotten** once more: 30. And an engine leaves a tenth
# of the card to other things: 27.

# %% [markdown] tags=["topic:C20"]
# ### Build: capacity from a `config.json`
#
# A model comes with a `config.json`. Write the function that reads one (as a dict) and returns how many
# whole sequences of `context_tokens` fit on a card. Weights and KV may fill 90 % of it; GB are $10^9$.
#
# - Always there: `num_hidden_layers`, `hidden_size`, `num_attention_heads`.
# - `num_key_value_heads` may be missing: then every attention head is a KV head.
# - `head_dim` may be missing: then the hidden width is shared out among the attention heads.


# %%
def sequences_that_fit(config, card_gb, weights_gb, context_tokens, bytes_per_value):
    """Return how many whole sequences fit beside the weights; 0 if the weights do not."""
    ### BEGIN SOLUTION
    heads = config.get("num_key_value_heads", config["num_attention_heads"])
    width = config.get("head_dim", config["hidden_size"] // config["num_attention_heads"])
    token = 2 * config["num_hidden_layers"] * heads * width * bytes_per_value
    left = (0.9 * card_gb - weights_gb) * 10**9
    return max(0, int(left / token / context_tokens))
    ### END SOLUTION


# %%
check("kv.capacity", sequences_that_fit)

# %% [markdown]
# Put it to work on a file that it has not seen. Its weights are 65.5 GB in 16 bits. The second line is what
# you get if you ignore `head_dim` and divide `hidden_size` by `num_attention_heads`, as older
# calculators do.

# %% tags=["topic:D09"]
capacity = piece("kv.capacity", sequences_that_fit)
config = json.loads("""{
    "architectures": ["Qwen3ForCausalLM"], "hidden_size": 5120, "num_hidden_layers": 64,
    "num_attention_heads": 64, "num_key_value_heads": 8, "head_dim": 128, "vocab_size": 151936
}""")
print("fit on 80 GB:", capacity(config, 80, 65.5, 4096, 2))
del config["head_dim"]
print("no head_dim: ", capacity(config, 80, 65.5, 4096, 2))

# %% tags=["solution-only"]
assert llm.max_sequences(llm.model("Qwen3-32B"), 80e9, 4096) == 6

# %% [markdown] tags=["topic:O01"]
# The shortcut promises nine, and the seventh gets an out-of-memory error. (`llm.spec_from_config` reads
# such files in full: latent attention, windows, experts.)
#
# *Checkpoint, 33 minutes. One idea so far: KV gets what the weights leave, so small changes of the
# large numbers are large changes of the rest. Now: which request gets which part of it?*

# %% [markdown] tags=["topic:D08", "topic:J06"]
# ## A quarter of a reserved memory holds tokens
#
# Early servers kept each sequence's keys and values in one piece, as their kernels wanted it. A
# sequence grows, and nobody knows how far. So they reserved the longest that is allowed, at
# admission. How much of the memory that is given away then holds a token?
#
# Take the card with 24 GB, a limit of 4,096 tokens for prompt and answer, and the lengths of the
# public Azure conversation trace, as far as they keep to the limit.
#
# A request with a prompt of $p$ tokens and an answer of $m$ runs for $m$ steps. It holds $p$ tokens in the
# first, one more in each later one: together $G = mp + m(m-1)/2$ **token-steps**. In the same $m$ steps it
# occupies 4,096 places, together $4096\,m$. The share is the mean of the first over the mean of the second.
# (Chapter 02's law $H = \lambda G$ holds for the tokens and for the places. The rate $\lambda$ is the same in
# both and cancels, so it does not matter when requests come.)

# %% tags=["topic:D08", "topic:J06"]
limit, pool_tokens = 4096, int((0.9 * 24e9 - spec.weight_bytes()) // spec.kv_bytes_per_token())
prompts, outputs = workload.mix("azure-conversation").draw(20_000, rng)
allowed = prompts + outputs <= limit
prompts, outputs = prompts[allowed], outputs[allowed]
token_steps = outputs * prompts + outputs * (outputs - 1) / 2
print(f"prompts of {prompts.mean():.0f}, answers of {outputs.mean():.0f} tokens on average; "
      f"a pool of {pool_tokens:,} tokens")  # fmt: skip
print(f"holds tokens: {100 * token_steps.mean() / (limit * outputs.mean()):.1f} %")

# %% [markdown] tags=["topic:J06", "topic:O17"]
# ### Two page maps, one memory: the left one refuses while it is visibly empty
#
# The same arrivals, seven a second, meet the same memory twice. Time goes in steps of 25 ms, in
# each of which every running request writes one token. Each cell is room for 16 tokens. On the left,
# every request gets 4,096 in one piece. On the right it gets a cell when it has filled the last one,
# anywhere. A request that finds no room waits, and no other overtakes it.
#
# Play it, or move the step with the arrow keys:
#
# - (a) When does the left side refuse for the first time, and how much of it is empty then?
# - (b) Where do the cells of the newest request lie on the right?

# %% tags=["topic:J06", "topic:O17", "topic:J01"]
cells, step_s = pool_tokens // 16, 0.025
arrivals = np.floor(np.cumsum(rng.exponential(1 / 7, steps)) / step_s).astype(int).tolist()
stream = arrivals, prompts[:steps].tolist(), outputs[:steps].tolist()
recorded = {"steps": steps + 1, "record_every": 5}
runs = {
    "reserved": race(*stream, ContiguousReservation(16 * cells), limits=limit, **recorded),
    "paged": race(*stream, PagePool(cells), **recorded),
}

# %% tags=["nbval-ignore-output", "topic:J01", "topic:D08"]
page_race_explorer(runs, num_cells=cells, cell_tokens=16, step=25)

# %% [markdown]
# (a) From step 41 on (the slider shows it at 45), as soon as ten requests run; nearly four fifths of it are
# empty. (b) In one piece at first, and in pieces once others have left.
#
# This is where it ends:

# %% tags=["figure:two_page_maps", "topic:D08", "topic:O17"]
show(
    two_page_maps(runs, num_cells=cells, cell_tokens=16, step=steps),
    alt="Two maps of the same memory, cell by cell. Left, reserved: ten bands of four rows, each "
    "filled for a short stretch and empty for the rest, while dozens of requests wait. Right, paged: "
    "nearly every cell holds tokens, the newest request lies scattered, none waits. Beneath, the "
    "admitted over time: paged climbs about three times as far.",
)

# %% tags=["solution-only"]
left, right = (run.moments[-1] for run in runs.values())
assert left.waiting > 10 and right.admitted > 1.5 * left.admitted

# %% [markdown] tags=["topic:D08", "topic:U05", "topic:J01"]
# ### Paging gives memory when a token comes, not when it might
#
# The right side is *paging* (PagedAttention, Kwon and others 2023, sections 3 and 4), the idea of
# an operating system's virtual memory. Memory is cut into equal **pages**. Each sequence has a **block
# table** that lists its pages in order, and the kernel looks up there where a token lies. A request gets a
# page when its last one is full, so it can be admitted with as little as its prompt needs.
#
# The paper rebuilt an earlier system, Orca, with three rules of reservation. Only 20.4 to 38.2 % of the KV
# memory held tokens, depending on the rule. You meet the three below.
#
# ### What if the server knew how long each answer gets?
#
# An *oracle* knows. It reserves the prompt and the answer to the token, in one piece, wherever a hole is long
# enough. The queue never empties. What **share** of the memory holds tokens now, on average over time?

# %%
### BEGIN SOLUTION
predict("kv.oracle", low=0.8, high=1)
### STUB predict("kv.oracle", ...)
### END SOLUTION

# %% [markdown] tags=["topic:D08", "topic:U05"]
# Run the paper's rules on our lengths. The second and the third know the length of the answer in advance,
# which nobody does.


# %% tags=["topic:D08", "topic:U05", "topic:J06"]
def power_of_two(tokens):
    """The smallest power of two that is not below each of `tokens`."""
    return 2 ** np.ceil(np.log2(tokens)).astype(int)


def rules(prompts, outputs, limit):
    """What each rule of the paper reserves for each request; None: pages."""
    return {
        "the limit (Max)": np.full(len(prompts), limit),
        "prompt + 2^k (Pow2)": np.minimum(prompts + power_of_two(outputs), limit),
        "to the token (Oracle)": prompts + outputs,
        "pages of 16 (vLLM)": None,
    }


# %% tags=["topic:D08", "topic:U05", "topic:J06"]
def shares(prompts, outputs, tokens, reserved):
    """The shares of a memory of so many tokens that hold one, and that are given; and how many run."""
    memory = PagePool(tokens // 16) if reserved is None else ContiguousReservation(tokens)
    waiting = [0] * len(prompts), prompts.tolist(), outputs.tolist()
    run = race(*waiting, memory, limits=reserved, steps=long)
    given = np.mean(run.taken_tokens[500:]) / tokens
    return run.filled_share(tokens, 500), given, np.mean(run.running[500:])


# %% tags=["topic:D08", "topic:U05", "topic:J06"]
ours = {}
print("what is given            holds tokens     given   running")
for name, reserved in rules(prompts, outputs, limit).items():
    held, given, running = shares(prompts, outputs, pool_tokens, reserved)
    ours[name] = held
    print(f"{name:22} {100 * held:13.1f} % {100 * given:7.1f} % {running:9.1f}")
outcome("kv.oracle", round(ours["to the token (Oracle)"], 2))

# %% tags=["solution-only"]
assert held > 0.95 and given - held < 0.01

# %% [markdown] tags=["topic:J06", "topic:O17", "topic:U05", "topic:D08"]
# ### Even an oracle wastes more than a quarter, pages next to nothing
#
# Two kinds of waste, and they multiply: of 81 % of the memory that is given, 87 % hold a token. (The
# paper's oracle reached only 38 %, with other lengths and another allocator.)
#
# - **Internal**: given, not written (yet). Even the oracle pays for the part of each answer that is
#   still to come.
# - **External**: free, in holes that are too short. The oracle gives 81 %, not 100. The request at the head
#   of the queue waits for a hole, and all behind it wait too: an admission *stall* with a fifth of the
#   memory free.

# %% [markdown] tags=["optional", "topic:U05", "topic:D08"]
# ### The paper's oracle reached 38 %, ours 71: where is the difference? (optional)
#
# Two things differ, and both can be computed. First the **lengths**. The paper's requests (ShareGPT) have
# prompts of 161 tokens and answers of 338 on average (its figure 11), at a limit of 2,048: most of what is
# reserved is an answer that is not written yet. Ours are long prompts with short answers (969 and 211).
#
# Second the **allocator**. The paper lets its reservations come from a *buddy allocator* (its section
# 6.1), which knows only pieces of 1, 2, 4, 8 … tokens. A request for 1,100 gets 2,048.
#
# So draw lengths with the paper's means, and take the 15,700 places of its 13B model. (The paper does not print
# the spread of its lengths; here they are exponential.) Then round each piece up to a power of two. (A buddy
# allocator also aligns its pieces; here they lie in the first hole.)

# %% tags=["optional", "topic:U05", "topic:D08"]
published = {"Max": (20.4, 7.00), "Pow2": (26.8, 9.81)}  # % that holds tokens, requests at a time
published |= {"Oracle": (38.2, 13.62), "vLLM": (96.3, 30.42)}
draw = np.random.default_rng(seed).exponential([161, 338], (len(prompts), 2))
theirs = np.ceil(draw).astype(int)
theirs = theirs[theirs.sum(axis=1) <= 2048].T
print("                            memory that holds tokens          running")
print("                       ours   its lengths  + buddy  paper   + buddy  paper")
for name, reserved in rules(*theirs, 2048).items():
    pieces = None if reserved is None else power_of_two(reserved)
    plain, buddy = (shares(*theirs, 15_700, each) for each in (reserved, pieces))
    share, running = published[name.split("(")[1][:-1]]
    print(f"{name:22}{100 * ours[name]:5.1f} {100 * plain[0]:13.1f} {100 * buddy[0]:8.1f} {share:6} "
          f"{buddy[2]:9.1f} {running:6.2f}")  # fmt: skip

# %% tags=["optional", "solution-only"]
assert abs(100 * buddy[0] - share) < 3 and abs(100 * plain[0] - share) < 3  # the last row

# %% [markdown] tags=["optional", "topic:U05", "topic:D08"]
# The lengths take the oracle from 71 to about 50 %, the buddy allocator from there to 36; the paper measured 38.
# So a share belongs to a rule, its lengths *and* its allocator: do not quote it without them. Only the last row
# hardly moves.

# %% [markdown] tags=["topic:M09", "topic:J01"]
# ### What does paging leave empty?
#
# All pages are equal, so any free page will do: there are no holes, and
# nothing to move together (*compaction*). Only the last page of each sequence is filled in part. With pages of $s$ tokens that is at most $s - 1$
# tokens, and $(s-1)/2$ on average where all fills are equally likely: 7.5 tokens at 16.

# %% tags=["topic:J01", "topic:M09"]
everyone = [0] * len(prompts), prompts.tolist(), outputs.tolist()
layer_bytes = spec.kv_bytes_per_token() / spec.layers
print("page of    in one layer   in all layers   empty per sequence   of the memory")
for page in (1, 16, 64, 256, 1024):
    run = race(*everyone, PagePool(pool_tokens // page, page), steps=long // 4)
    empty = np.array(run.taken_tokens[500:]) - run.held_tokens[500:]
    each, share = (empty / run.running[500:]).mean(), 100 * empty.mean() / pool_tokens
    one_layer, all_layers = page * layer_bytes / 2**10, page * layer_bytes * spec.layers / 2**20
    print(f"{page:6,} {one_layer:14,.0f} KiB {all_layers:11.3g} MiB {each:16.1f} {share:16.2f} %")

# %% [markdown] tags=["topic:M09", "topic:J01"]
# Pages are counted in tokens, not in bytes. "Pages of 16 to 32 KB" would be 4 to 8 tokens of a
# *single layer*; a page of 16 tokens is 64 KiB in each layer of this model and 2 MiB in all. Engines use 1 to
# 256 tokens. A small page wastes nothing. A large one means shorter tables, longer stretches for the kernel,
# and coarser sharing.
#
# *Checkpoint, 49 minutes. Reservation wastes by its rule and the lengths; pages waste half a page per
# sequence. Next: give them out yourself.*

# %% [markdown] tags=["optional", "topic:J03"]
# ### Does a paged cache need compaction? (optional)
#
# Is "compaction debt" or "contiguous free pages" worth a gauge on a paged server? Produce the worst case. Sixty-four small requests fill a memory, and every other one leaves. Then one request asks for half
# of it.

# %% tags=["optional", "topic:J03", "topic:O17"]
large = Request("large", prompt_tokens=511, max_output_tokens=1)
for memory in (ContiguousReservation(64 * 16), PagePool(64, page_tokens=16)):
    small = [Request(k, prompt_tokens=15, max_output_tokens=1) for k in range(64)]
    for request in small:
        memory.start(request)
    for request in small[::2]:
        memory.release(request)
    print(f"{type(memory).__name__:22} half of it is free; room for 512 tokens:",
          memory.fits(large))  # fmt: skip
memory.start(large)
print("its pages:", *large.pages[:6], "…")

# %% [markdown] tags=["optional", "topic:J03", "topic:O17"]
# Where a request needs one piece, half of the memory is free and of no use: there, moving pieces together would help. Among equal
# pages all of it can be used. There is nothing to compact, and the gauge measures nothing. Delete it.

# %% [markdown] tags=["topic:J01", "topic:O01"]
# ### Build: an allocator that conserves its pages
#
# The heart of a paged server is a few lines, and bugs in them are the worst kind: a page that is lost
# shrinks the server for ever, and a page that is given away twice lets one user read another's text.
# Write the two steps of this pool.
#
# - `grow(request, tokens)`: the request will hold so many tokens *more* (a new one begins with
#   none). Give it the pages that it needs, as few as possible, and return True; or, if not enough are
#   free, return False **and change nothing**.
# - `release(request)`: the request has ended; take back all that it held. Its name may come back later.
#
# By hand, with pages of 4 tokens and all five pages free: `grow("a", 6)` needs two pages. `grow("a", 2)` needs
# none, since 8 tokens fill two pages. `grow("a", 1)` needs a third. `grow("b", 9)` would need three, two are
# free: it returns False, and both stay free.
#
# The books are given, and empty: `self.page_tokens`, `self.free` (a list of page numbers),
# `self.pages` (a dict of such lists, by request) and `self.tokens` (what each request holds). So is a
# method `audit`, which counts where every page is: what it calls `lost` and `twice` must stay 0.


# %% tags=["topic:J01"]
### BEGIN SOLUTION
class Pool(PageBooks):
    """Gives pages out as tokens come, and takes them back."""

    def grow(self, request, tokens):
        held, table = self.tokens.get(request, 0) + tokens, self.pages.get(request, [])
        missing = -(-held // self.page_tokens) - len(table)
        if missing > len(self.free):
            return False
        self.pages[request] = table + [self.free.pop() for _ in range(missing)]
        self.tokens[request] = held
        return True

    def release(self, request):
        self.free += self.pages.pop(request)
        del self.tokens[request]


### STUB class Pool(PageBooks):
### STUB     """Gives pages out as tokens come, and takes them back."""
### STUB     def grow(self, request, tokens):
### STUB         raise NotImplementedError("replace this line by your code")
### STUB     def release(self, request):
### STUB         raise NotImplementedError("replace this line by your code")
### END SOLUTION


# %%
check("kv.allocator", Pool)

# %% [markdown]
# Now your pool takes the place of the right-hand memory.

# %%
pool = piece("kv.allocator", Pool)(cells, 16)
mine = race(*stream, Growing(pool), steps=steps + 1)
print(f"admitted: yours {mine.admitted[-1]}, the map's {runs['paged'].admitted[-1]}")
report = pool.audit()
print(f"pages lost: {report['lost']}, given away twice: {report['twice']}")

# %% tags=["solution-only"]
assert mine.admitted == runs["paged"].admitted and report["lost"] == report["twice"] == 0

# %% [markdown] tags=["optional", "topic:J01", "topic:D08"]
# ### On a real model: does the count agree? (optional)
#
# So far steps were counted and no model ran. Here is one: the course's own, trained on its prose. Its
# keys and values get room for 192 tokens, and eight prompts come at once: first reserved, up to 96 tokens for
# each, then in pages. After each step the cell notes how many tokens are in memory. Beside it stands the
# race, on the same lengths.

# %% tags=["optional", "topic:J01", "topic:D08"]
torch.set_num_threads(1)  # the matrices are small: two threads would wait for each other
model, tokenizer = course_model()
begins = ["Paged memory", "A queue grows when the arrival rate is above", "The cache holds",
          "A batch that is closed when it starts lasts as long as", "Little's law", "A page is",
          "Prefill reads the prompt, decode writes the answer. In one step",
          "The throughput of a server that batches depends on"]  # fmt: skip
asked = [tokenizer.encode(text) for text in begins]
answers = [12, 40, 5, 25, 48, 31, 8, 18]  # of the answers, in tokens


# %% tags=["optional", "topic:J01", "topic:D08"]
def on_the_model(memory):
    """Serve the prompts over `memory`; return the engine, and a log of its steps."""
    scheduler = Scheduler(8, memory, chunked=True)
    engine = Engine(model, scheduler, tokenizer=tokenizer, prefix_sharing=False)
    log = PageLog(scheduler)
    engine.on_step = log.of_engine
    for prompt, length in zip(asked, answers):
        engine.add_request(
            prompt,
            max_output_tokens=96 - len(prompt),
            stop=lambda answer, length=length: len(answer) == length,
        )
    engine.run()
    return engine, log


# %% tags=["optional", "topic:J01", "topic:D08"]
rooms = {"reserved": lambda: ContiguousReservation(192), "pages": lambda: PagePool(12)}
waiting = [0] * len(asked), [len(prompt) for prompt in asked], answers
print("             steps   of the memory holds tokens:  on the model   in the race")
for name, room in rooms.items():
    engine, log = on_the_model(room())
    taken = len(log.moments)
    counted = np.mean([sum(moment.tokens.values()) for moment in log.moments]) / 192
    toy = race(*waiting, room(), limits=96 if name == "reserved" else None, steps=taken)
    print(f"{name:11}{taken:7}{100 * counted:41.1f} % {100 * toy.filled_share(192):10.1f} %")

# %% tags=["optional", "solution-only"]
assert abs(counted - toy.filled_share(192)) < 1e-12

# %% [markdown] tags=["optional", "topic:J01", "topic:D08"]
# The real engine holds what the race says, to the last digit: memory counts tokens and does not care what they
# mean. With the reservation two requests fit at a time, in pages all eight, and the same answers take half the
# steps. These are the **block tables** after 30 steps:

# %% tags=["optional", "topic:J01", "topic:O17"]
tables = {begins[name][:12] + "…": pages for name, pages in log.moments[30].tables.items()}
show(
    block_tables(tables, num_pages=12),
    alt="Block tables of the three requests that run after 30 steps: for each the numbers of its pages in "
    "order, and lines to their places in memory. Pages of one request lie apart, among those of others.",
)

# %% [markdown] tags=["optional"]
# And this is what one of them wrote. (Two million weights know the words of this course, and little else.)

# %% tags=["optional", "nbval-ignore-output", "topic:J01"]
print(begins[1] + engine.requests[1].text.replace("\n", " "))

# %% [markdown]
# *Checkpoint, 60 minutes. Two ideas: the remainder that the weights leave, and pages that are given when a
# token comes. Last: how large must the pool be?*

# %% [markdown] tags=["topic:A19", "topic:D09"]
# ## The pool that your traffic needs
#
# In chapter 02 you computed the tokens that a stream holds, $H = \lambda G$, as the exercise *resident
# tokens*. Here it pays.
#
# Mind the unit of $G$. Above it was in **token-steps**. With a rate in requests per *second* it must be in
# **token-seconds**: token-steps times the length of a step.
#
# Three requests begin each second, with prompts of 600 tokens and answers of
# 800, all alike. A step takes 25 ms. A token takes 131,072 bytes. **How large must the pool be, in GB,
# if the mean may fill 80 % of it?**

# %%
### BEGIN SOLUTION
pool_size = 3 * 0.025 * (800 * 600 + 800 * 799 / 2) * 131_072 / 0.8 / 1e9
### STUB pool_size = ...
### END SOLUTION
check("kv.pool", pool_size)

# %% [markdown] tags=["topic:A19", "topic:D09"]
# ### Memory is a limit on the rate, and shorter steps raise it
#
# Read the law backwards: a pool of $T$ tokens carries at most $T/G$ requests a second, with $G$ in
# token-seconds, however fast the card computes.
#
# A reservation has the same law. A slot is taken for as long as the answer is written, so $N$ slots carry at
# most $N$ divided by that time, in requests a second.
#
# For the conversations and the card with 24 GB (paste
# your `resident_tokens` of chapter 02 in place of the dots, or let the workbook's stand in):

# %% tags=["topic:A19", "topic:D09"]
resident = piece("little.resident_tokens", ...)
held_per_rate = resident(1.0, prompts.tolist(), outputs.tolist(), step_s)
print(
    f"G = {held_per_rate:,.0f} token-seconds: at most {pool_tokens / held_per_rate:.1f} requests/s"
)
slots = pool_tokens // limit
print(f"reserved: {slots} slots of {outputs.mean() * step_s:.1f} s, at most "
      f"{slots / (outputs.mean() * step_s):.1f} requests/s")  # fmt: skip

# %% [markdown] tags=["topic:O01", "topic:J04", "topic:D08"]
# Nearly four times the rate from the same card. (The paper measured 2 to 4 times, at the same latency.)
#
# But $\lambda G$ is a mean, and memory must hold the peaks too. Let streams of three rates into a memory
# without limit. What do they hold on average, and which level is exceeded in only 1 % of the steps?

# %% tags=["topic:O01", "topic:J04"]
count = long // 5  # requests
for rate in (1, 4, 16):
    came = np.floor(np.cumsum(rng.exponential(1 / rate, count)) / step_s).astype(int).tolist()
    requests = came, everyone[1][:count], everyone[2][:count]
    run = race(*requests, PagePool(10**5), steps=came[-1])
    held = np.array(run.held_tokens[500:]) / 1000
    high, law = np.quantile(held, 0.99) / held.mean(), rate * held_per_rate / 1000
    print(f"{rate:2}/s: λG {law:5.1f} thousand tokens, seen {held.mean():5.1f}, "
          f"and in 99 % at most {high:.1f} times that")  # fmt: skip

# %% [markdown] tags=["topic:O01", "topic:J04"]
# The law gives the mean. The peaks are relatively larger where fewer requests run: at 16 requests a second 1.3
# times the mean, at one 2.5 times.
#
# A pool that is 80 % full on average has room for 1.25 times the mean. That is a little less than the large
# stream asks for in one step out of a hundred, and half of what the small one does.
#
# So **several pools** (by class of request, by data type, by page size) cost more than one. Four fenced pools
# need the peak of each; one shared pool needs the peak of their sum, which is smaller. Fence only where you
# must: for a second model, or a guarantee to a customer.
#
# And beyond the limit? Three rates around it, on the paged pool:

# %% tags=["topic:O01", "topic:J05"]
print("rate   waiting at the end   preempted   pages in use")
for rate in (5, 6.5, 8):
    came = (
        np.floor(np.cumsum(rng.exponential(1 / rate, len(prompts))) / step_s).astype(int).tolist()
    )
    run = race(came, *everyone[1:], PagePool(cells), steps=long // 4)
    used = 100 * np.mean(run.taken_tokens[500:]) / pool_tokens
    print(f"{rate:3}/s {run.waiting[-1]:16} {run.preemptions:14} {used:13.0f} %")

# %% [markdown] tags=["topic:O01", "topic:J05", "topic:J06"]
# A server that never asks before it allocates dies here, with out-of-memory errors for every request on the
# card. One that asks lets new requests wait: **admission control**. You choose the bound of its queue and the
# limit on the length of a request (`max_model_len`).
#
# Even so, requests that already *run* may grow until no page is left. Then the newest one gives its pages back
# and starts again later (**preemption**). Its work is done twice, a sign that too many were admitted.
# Chapter 07 builds the rule.

# %% [markdown] tags=["topic:F05", "topic:J02"]
# ### The cheapest token is held already
#
# Many prompts begin alike: the instructions, the documents, the conversation so far. The keys and
# values of equal beginnings are equal. So one page can stand in several block tables, and is computed and held
# once (a **prefix cache**).
#
# To be *found*, a page needs a key that depends on its tokens **and on all before them**, because the same
# words after another beginning have other keys and values. Engines chain a hash from page to page.
#
# The key must also be *stable*. Python's own `hash` of a text differs from process to process; with it,
# neither a second replica nor the same one after a restart would find anything.
#
# A service puts 512 tokens of instructions, the time of day and a question into each prompt. In which
# order?


# %% tags=["topic:F05"]
def serve(pool, name, tokens):
    """Start a prompt, compute it, publish its full pages, let it go; return what was found."""
    request = Request(name, len(tokens), max_output_tokens=1, keys=page_keys(tokens, 16))
    pool.start(request)
    new, request.computed = len(tokens) - request.cached, len(tokens)
    pool.publish(request, new)
    pool.release(request)
    return request.cached


# %% tags=["topic:F05"]
instructions = rng.integers(50_000, size=512).tolist()
for order in ("time first", "time last"):
    pool = PagePool(100, page_tokens=16)
    for minute in (1, 2):
        clock, question = [minute] * 8, rng.integers(50_000, size=40).tolist()
        first, last = (clock, []) if order == "time first" else ([], clock)
        found = serve(pool, minute, first + instructions + last + question)
    print(f"{order}: the second request finds {found} of its {len(instructions) + 48} tokens")

# %% [markdown] tags=["topic:F05", "topic:J02"]
# One changing token in front of the prompt, and nothing behind it is found. **Put what
# changes last.**
#
# A page that no request holds keeps its content until it is needed. Then the least recently used is evicted
# first (LRU), and within one session its last pages go first. A page in a running request's table is never evicted.

# %% [markdown] tags=["topic:J01", "topic:J06", "topic:U05", "optional"]
# ## Your engine's flag (to look up)
#
# | here | vLLM | SGLang | default, where the documentation states one |
# | --- | --- | --- | --- |
# | usable share of the card, weights included | `--gpu-memory-utilization` | `--mem-fraction-static` | vLLM 0.92 (0.9 in older versions); SGLang by a heuristic |
# | tokens in a page | `--block-size` | `--page-size` | vLLM 16; SGLang 1 |
# | prefix cache | `--enable-prefix-caching` | on, unless `--disable-radix-cache` | on in both |
# | longest prompt and answer | `--max-model-len` | `--context-length` | both: what the model's config says |
# | bits of KV | `--kv-cache-dtype` | `--kv-cache-dtype` | both `auto`: the model's |
#
# Two traps. The share means different things: vLLM's covers all that its process needs, SGLang's only weights
# and KV, so activations come on top. And neither flag makes memory: a higher share leaves less for all else on
# the card, until that runs out.

# %% [markdown] tags=["topic:D06", "topic:D07", "topic:J04"]
# ## Where the model breaks
#
# | the formula assumes | in reality | what changes |
# | --- | --- | --- |
# | every layer keeps every token | windows, or layers without attention | long sequences cost less: `kv_bytes(context)`, per model |
# | one card | weights and KV heads split over several | both shrink per card, until there are more cards than KV heads: then heads are copied |
# | sequences share nothing | common prefixes, several answers to one prompt | shared pages count once; the last, partly filled one is copied before a request writes into it |
# | a step takes 25 ms | it grows with the tokens held, and prefill comes in between | $G$ grows with the load: solve $H = \lambda\,G(H)$, or simulate (chapter 07) |
# | answers are as long as in the trace | a new prompt template, a longer limit | token-seconds grow with the *square* of the answer: measure them from your log |

# %% [markdown] tags=["topic:J05", "topic:J04", "topic:O01", "topic:M09", "topic:J02"]
# ## What to do on Monday morning
#
# 1. **Compute the remainder** of your card: bytes that it reports, times the usable share, less the
#    weights. If the lever $uM/(uM - W)$ is above 3, buy memory or shrink weights. If it is near 1,
#    shrink KV: fewer bits, a shorter limit, another model.
# 2. **Read `num_key_value_heads` and `head_dim` in the config**, never the query heads.
# 3. **Watch five gauges**: free pages, tokens held by room in the pages in use, requests that wait for
#    memory, preemptions, and the share of prompt tokens found. Strike fragmentation and compaction
#    debt off the dashboard.
# 4. **Size the pool by token-seconds** from your log, and for the peak: $\lambda G$ and the headroom
#    that your number of requests asks for.
# 5. **Bound the queue and the request**: a limit on tokens, an admission that asks for pages, and a
#    refusal that comes early. Otherwise the out-of-memory error is your admission rule.
# 6. **Move what changes to the end of the prompt**, and share one pool unless you must fence.
#
# And the service of the beginning? The fourteen were computed as if all of the card could be used. The ten that
# fit held a quarter of what they were given. Paged, the same card runs about 36 conversations of the
# usual lengths at once: no card of 80 GB had to be ordered.

# %% [markdown] tags=["optional", "topic:M09", "topic:J01"]
# ## More practice (optional)
#
# **The bytes of a page.** Llama-3.1-8B has 32 layers, 32 query heads, 8 KV heads of width 128, and two
# bytes per number. How many bytes is a page of 16 tokens, over all layers?

# %% tags=["optional"]
### BEGIN SOLUTION
page_bytes = 16 * 2 * 32 * 8 * 128 * 2
### STUB page_bytes = ...
### END SOLUTION
check("kv.page", page_bytes)

# %% [markdown] tags=["optional", "topic:J02", "topic:F05"]
# **An idle session.** A conversation of 712 tokens pauses, on a pool with room for 1,600. How much of it
# is still there at its next turn? It depends on what came in between, and its tail goes first:

# %% tags=["optional", "topic:J02", "topic:F05"]
pool = PagePool(100, page_tokens=16)
session = instructions + rng.integers(50_000, size=200).tolist()
serve(pool, "first turn", session)
for others in (1, 3, 5):
    for other in range(others):
        serve(pool, other, rng.integers(50_000, size=400).tolist())
    found = serve(pool, "next turn", session + rng.integers(50_000, size=50).tolist())
    print(f"other sessions in between: {others}; still there: {found} of {len(session)} tokens")

# %% [markdown] tags=["optional", "topic:J05", "topic:J03"]
# **Gauges that say nothing.** A dashboard of a paged server has six panels. Name the letters of all
# that you would delete.
#
# - (a) Pages that are free, counting shared ones that no request uses at the moment.
# - (b) The largest contiguous run of free pages.
# - (c) Tokens held, divided by the tokens that the pages in use have room for.
# - (d) Compaction debt: bytes that would have to be moved to close all gaps.
# - (e) Preemptions per minute.
# - (f) The share of prompt tokens found in shared pages.

# %% tags=["optional"]
### BEGIN SOLUTION
letters = "b, d"
### STUB letters = ...
### END SOLUTION
check("kv.gauges", letters)

# %% [markdown] tags=["topic:U05"]
# ## Sources
#
# - W. Kwon and others, *Efficient memory management for large language model serving with
#   PagedAttention*, SOSP 2023: figure 2 (the shares of the three rules and of pages), figure 11 (lengths),
#   figure 13 (requests at a time), sections 3 and 4 (pages, block tables), 6.1 (the rules and their allocator).
# - The flags: vLLM, *Engine arguments* and `vllm.config.cache` (docs.vllm.ai); SGLang, *Server arguments* and
#   *Hyperparameter tuning* (docs.sglang.io). Both read in November 2026; defaults move, `--help` knows.
# - N. Shazeer, *Fast transformer decoding: one write-head is all you need*, 2019 (multi-query), and
#   J. Ainslie and others, *GQA*, 2023. DeepSeek-AI, *DeepSeek-V2*, 2024, section 2.1: latent attention.
# - Z. Liu and others, *KIVI: a tuning-free asymmetric 2bit quantization for KV cache*, 2024.
# - Azure public dataset, LLM inference trace 2023 (CC BY 4.0), described in Patel and others,
#   *Splitwise*, 2024: the lengths of conversations and code. Long context: the synthetic trace of
#   Mooncake (Qin and others, 2024; Apache-2.0).
# - S. L. Brumelle, 1971, and D. P. Heyman and S. Stidham, 1980: $H = \lambda G$ (chapter 02).
