# ---
# jupyter:
#   course:
#     order: 6
#     slug: kv_cache_memory
#     title: KV-cache memory
#     question: The model takes 16 of the card's 24 GB. How many people can talk to it at once?
#     minutes: 50
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
# How many requests are inside at once is the third number of a service, beside its latency and its
# rate. On a card that generates text, memory sets it. In 50 minutes you can answer three questions:
#
# 1. How many sequences fit beside the weights, and which lever moves that number?
# 2. Who holds the memory that is full and empty at the same time, and how is it won back?
# 3. How large a pool does your traffic need, and what happens when it is too small?

# %%
import json

import numpy as np

from labutils import llm, workload
from labutils.engine import PagePool, Request, page_keys
from labutils.exercises import check, hint, outcome, piece, predict, reveal
from labutils.serving.memory import ContiguousReservation
from labutils.serving.memory.race import Growing, PageBooks, race
from labutils.viz import show
from labutils.viz.explorers.kv_memory import kv_memory_explorer
from labutils.viz.explorers.page_race import page_race_explorer
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
# "The cache makes a token $O(n)$ instead of $O(n^2)$", a lesson says. That counts attention alone. Each
# new token also goes through all weights, whatever stands before it. In TFLOP, for one more token:

# %% tags=["topic:D04"]
spec = llm.model("Llama-3.1-8B")
print("tokens before   without cache   with it, in the weights   in attention")
for n in (1_000, 8_000, 30_000):
    again, kept = llm.prefill_flops(spec, n + 1), llm.prefill_flops(spec, n + 1, cached_tokens=n)
    weights, attention = kept.linear / 1e12, kept.attention / 1e12
    print(f"{n:13,} {again.total / 1e12:15.1f} {weights:25.4f} {attention:14.4f}")

# %% [markdown] tags=["topic:D04"]
# With the cache a token costs twice the number of weights in FLOP, plus attention, which has caught up
# with that only at a context of about 30,000 tokens. The cache trades arithmetic for memory. How much
# memory?

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
# gpt-oss keep only a **window** of the last 1,024 or 128 tokens.
#
# *"GQA lowers the time per token"*, says a list of tuning steps. By how much? And is it a step that you
# can take? In a decode step the weights are read too (chapter 05):

# %% tags=["topic:D06", "topic:B22"]
weights, kv = spec.weight_bytes(), spec.kv_bytes_per_token()
for batch, context in ((1, 1000), (64, 4096)):
    shared, own = (weights + batch * context * each for each in (kv, 4 * kv))
    print(f"batch {batch:2}, context {context}: without GQA {own / shared:.3f} times the bytes")
bandwidth = llm.accelerator("H100 SXM").bandwidth_bytes_per_s
print(f"KV alone, batch 1: {bandwidth / kv / 1e6:.1f} thousand tokens/s, with the weights: "
      f"{bandwidth / (weights + 1000 * kv):.0f}")  # fmt: skip

# %% [markdown] tags=["topic:D06"]
# From nothing to threefold: it matters once many long sequences share a step. And a model is *trained*
# with its heads; you choose it with the model, no switch turns it on. The last line is a mistake that you
# meet twice today: whoever computes decode speed from "the bytes of the KV cache" is wrong by a
# factor of more than 100, because the **weights were forgotten**.
#
# *Checkpoint, 11 minutes. You know what a token weighs, and which heads count. Next: what is left for
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
# ### KV gets the remainder, and remainders are leveraged
#
# With $M$ bytes on the card, a usable share $u$, weights of $W$ bytes and $C$ tokens per sequence,
#
# $$N = \left\lfloor \frac{u\,M - W}{C\,b_\mathrm{KV}} \right\rfloor .$$
#
# The numerator is a difference of two large numbers. On 24 GB it is $21.6 - 16.1 = 5.5$ GB, and half
# of the weights is more than all of that. On 80 GB it is 56 GB, and the same 8 GB hardly show. In
# general, a relative change of $W$ or $M$ is multiplied by
#
# $$\frac{W}{u\,M - W} \ \text{ and } \ \frac{u\,M}{u\,M - W} .$$
#
# The denominator has no such lever: half the bytes per token, or half the context, doubles $N$ on any
# card.

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
# Read the last row: a GiB is 7 % more than a GB, and on the small card that is 30 % more sequences. The
# lever has a length of $21.6 / 5.5 = 3.9$. Cards are sold in either unit (an "80 GB" A100 has 80 GiB,
# an H200 with "141 GB" reports 143,771 MiB), so **ask the card, in bytes**. KV in 8 bits (FP8, INT8)
# doubles the number on every card, and halves what a step reads of each token. It needs scales per head
# or channel and a check of the answers' quality, and so do 4 bits and fewer (NF4; KIVI, with 2 bits: 2.6
# times less peak memory, weights included, Liu and others 2024).
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
# (a) 10 to 25, and 104 to 119 where everybody is given 4,096. (b) *Paged*: it does not make memory, it gives
# out what was reserved and empty. (c) From 256 tokens on. (d) 14 % of it.

# %% [markdown] tags=["topic:C20", "topic:B23"]
# ### Spot the flaws: forty users on 80 GB
#
# A slide says: *"LLaMA 7B: the KV cache takes about 2 GB per user at 4,096 tokens. 40 users: 80 GB, so
# an A100 80GB is full."* There are two flaws in it, and one of them is large. Find both before you run
# the cell.

# %% tags=["topic:C20"]
llama2 = llm.model("Llama-2-7B")
user = llama2.kv_bytes(4096)
print(f"one user: {user / 2**30:.1f} GiB = {user / 1e9:.3f} GB; forty: {40 * user / 1e9:.1f} GB")
print(f"weights: {llama2.weight_bytes() / 1e9:.1f} GB")
print(f"fit on 90 % of 80 GB: {llm.max_sequences(llama2, 80e9, 4096)}")
print(f"the same card, Llama-3.1-8B with its 8 KV heads: {fit[80, 16]}")

# %% [markdown] tags=["topic:C20"]
# The 2 are GiB, the 80 are GB, and the **weights were forgotten** once more. Not 40, but 27.
#
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
# Put it to work on a file that it has not seen. Its weights are 65.5 GB in 16 bits, and what the last line
# prints is the number that a widespread sheet gives, which takes the width of a head to be
# `hidden_size` over `num_attention_heads`.

# %% tags=["topic:D09"]
capacity = piece("kv.capacity", sequences_that_fit)
config = json.loads("""{
    "architectures": ["Qwen3ForCausalLM"], "hidden_size": 5120, "num_hidden_layers": 64,
    "num_attention_heads": 64, "num_key_value_heads": 8, "head_dim": 128, "vocab_size": 151936
}""")
print("fit on 80 GB:", capacity(config, 80, 65.5, 4096, 2))
del config["head_dim"]
print("the sheet:   ", capacity(config, 80, 65.5, 4096, 2))

# %% tags=["solution-only"]
assert llm.max_sequences(llm.model("Qwen3-32B"), 80e9, 4096) == 6

# %% [markdown] tags=["topic:O01"]
# The sheet promises nine, and the seventh gets an out-of-memory error. (`llm.spec_from_config` reads
# such files in full: latent attention, windows, experts.)
#
# *Checkpoint, 24 minutes. One idea so far: KV gets what the weights leave, so small changes of the
# large numbers are large changes of the rest. Now: who gets which part of it?*

# %% [markdown] tags=["topic:D08", "topic:J06"]
# ## A quarter of a reserved memory holds tokens
#
# Early servers kept each sequence's keys and values in one piece, as their kernels wanted it. A
# sequence grows, and nobody knows how far. So they reserved the longest that is allowed, at
# admission.
#
# Take the card with 24 GB, a limit of 4,096 tokens for prompt and answer, and the lengths of the
# public Azure conversation trace, as far as they keep to the limit. The explorer showed one moment;
# chapter 02 gives the mean. In $m$ steps a request with a prompt of $p$ tokens and an answer of $m$
# collects $G = mp + m(m-1)/2$ token-steps, and it occupies $4096\,m$ slot-steps. By $H = \lambda G$ on
# both, the share is the ratio of their means, whatever the arrivals are.

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
# anywhere. Who finds no room waits, and nobody overtakes.
#
# Play it, or move the step with the arrow keys. When does the left side refuse for the first time, and
# how much of it is empty then? Where do the cells of the newest request lie on the right?

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
page_race_explorer(runs, num_cells=cells, cell_tokens=16)

# %% [markdown]
# The left side refuses from step 45 on, as soon as ten are inside, and nearly four fifths of it are
# empty. On the right the newest lies in one piece at first, and in pieces once others have left.
# This is where it ends:

# %% tags=["figure:two_page_maps", "topic:D08", "topic:O17"]
show(
    two_page_maps(runs, num_cells=cells, cell_tokens=16, step=steps),
    alt="Two maps of the same memory, cell by cell. Left, reserved: ten bands of four rows, each "
    "filled for a short stretch and empty for the rest, while dozens of requests wait. Right, paged: "
    "nearly every cell holds tokens, the newest request lies scattered, nobody waits. Beneath, the "
    "admitted over time: paged climbs about three times as far.",
)

# %% tags=["solution-only"]
left, right = (run.moments[-1] for run in runs.values())
assert left.waiting > 10 and right.admitted > 1.5 * left.admitted

# %% [markdown] tags=["topic:D08", "topic:U05", "topic:J01"]
# ### Reserved memory is full of what might come
#
# The right side is **paging** (*PagedAttention*, Kwon and others 2023, sections 3 and 4), the idea of
# an operating system's virtual memory: memory in equal **pages**, and for each sequence a *page
# table* (vLLM: block table) that lists its pages in order. The kernel looks up where a token lies. A request gets a page when
# its last one is full, so it can be admitted while others are in mid-answer, with as little as its
# prompt needs.
#
# The paper found that in earlier systems only 20.4 to 38.2 % of the KV memory held tokens, under
# several rules of reservation.
#
# ### What if the server knew how long each answer gets?
#
# An *oracle* reserves the prompt and the answer to the token, in one piece, wherever a hole is long
# enough. The queue never empties. What **share** of the memory holds tokens now, on average over time?

# %%
### BEGIN SOLUTION
predict("kv.oracle", low=0.8, high=1)
### STUB predict("kv.oracle", ...)
### END SOLUTION

# %% [markdown] tags=["topic:D08", "topic:U05"]
# Rerun the paper's experiment with our lengths, under five rules. The third and the fourth, the oracle's,
# know the length of the answer in advance, which nobody does.

# %% tags=["topic:D08", "topic:U05", "topic:J06"]
final = (prompts + outputs).tolist()
rules = {
    "the limit, 4,096": limit,
    "prompt + 1,024": np.minimum(prompts + 1024, limit),
    "next power of two": [1 << (tokens - 1).bit_length() for tokens in final],
    "the final length": final,
    "pages of 16": None,
}

# %% tags=["topic:D08", "topic:U05", "topic:J06"]
everyone = [0] * len(final), prompts.tolist(), outputs.tolist()
print("what is given         holds tokens     given   inside")
for name, reserved in rules.items():
    memory = PagePool(cells) if reserved is None else ContiguousReservation(pool_tokens)
    run = race(*everyone, memory, limits=reserved, steps=long)
    held, given = run.filled_share(pool_tokens, 500), np.mean(run.taken_tokens[500:]) / pool_tokens
    inside = np.mean(run.running[500:])
    print(f"{name:18} {100 * held:13.1f} % {100 * given:7.1f} % {inside:8.1f}")
    if name == "the final length":
        oracle = round(held, 2)
outcome("kv.oracle", oracle)

# %% tags=["solution-only"]
assert held > 0.95 and given - held < 0.01

# %% [markdown] tags=["topic:J06", "topic:O17", "topic:U05", "topic:D08"]
# ### Even an oracle wastes more than a quarter, pages next to nothing
#
# Reserving the limit lands inside the published range, and the others outside it: the figure belongs to
# a rule *and* its lengths, so do not quote it without both. Two kinds of waste add up.
#
# - **Internal**: given, not written (yet). Even the oracle pays for the part of each answer that is
#   still to come: 71 of the 81 % that it gives hold tokens.
# - **External**: free, in holes that are too short. The oracle gives 81 %, not 100. The one at the head
#   of the queue waits for a hole, and everyone behind it too: an admission *stall* with a fifth of the
#   memory free.
#
# **What does paging leave?** All pages are equal, so any free page will do: there are no holes. Only
# the last page of each sequence is filled in part. With pages of $s$ tokens that is at most $s - 1$
# tokens, and $(s-1)/2$ on average where all fills are equally likely: 7.5 tokens at 16.

# %% tags=["topic:J01", "topic:M09"]
layer_bytes = spec.kv_bytes_per_token() / spec.layers
print("page of    in one layer   in all layers   empty per sequence   of the memory")
for page in (1, 16, 64, 256, 1024):
    run = race(*everyone, PagePool(pool_tokens // page, page), steps=long // 4)
    empty = np.array(run.taken_tokens[500:]) - run.held_tokens[500:]
    each, share = (empty / run.running[500:]).mean(), 100 * empty.mean() / pool_tokens
    one_layer, all_layers = page * layer_bytes / 2**10, page * layer_bytes * spec.layers / 2**20
    print(f"{page:6,} {one_layer:14,.0f} KiB {all_layers:11.3g} MiB {each:16.1f} {share:16.2f} %")

# %% [markdown] tags=["topic:M09", "topic:J01"]
# *"Use pages of 16 to 32 KB"*, a default in circulation, holds 4 to 8 tokens of a *single layer*; a
# page of 16 tokens is 64 KiB in each layer of this model and 2 MiB in all. Pages are counted in tokens.
# Engines use 1 to 256: a small page wastes nothing, a large one means shorter tables, longer stretches
# for the kernel, and coarser sharing.

# %% [markdown] tags=["topic:J03"]
# ### Does a paged cache need compaction?
#
# The same document wants paged KV *compacted*: "watch the compaction debt; keep free pages contiguous".
# Produce the worst case. Sixty-four small requests fill a memory, and every other one leaves. Then
# somebody asks for half of it.

# %% tags=["topic:J03", "topic:O17"]
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

# %% [markdown] tags=["topic:J03", "topic:O17"]
# In one line a checkerboard serves nobody: there moving pieces together would help. Among equal pages
# it serves everybody, there is nothing to compact, and the gauge measures nothing. Delete it.

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
# - `release(request)`: it is gone, with all that it held. Its name may come back later.
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

# %% [markdown]
# *Checkpoint, 38 minutes. Two ideas: the leveraged remainder, and pages that are given when a token
# comes. Last: how large must the pool be?*

# %% [markdown] tags=["topic:A19", "topic:D09"]
# ## The pool that your traffic needs
#
# In chapter 02 you computed the tokens that a stream holds, $H = \lambda G$, as the exercise *resident
# tokens*. Here it pays. Three requests begin each second, with prompts of 600 tokens and answers of
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
# token-seconds, however fast the card computes. That is the same for the reservation, with the
# reserved tokens in the place of the held ones. For the conversations and the card with 24 GB (paste
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
# What lies between the mean and the limit? Let streams of three rates into a memory without limit, and
# look at what they hold: the mean, and the level that is exceeded in 1 % of the steps.

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
# The law gives the mean, and peaks come on top, relatively larger where fewer are inside. A pool that is
# "80 % full on average" has room for 1.25 times the mean: a little less than the large stream asks for
# in one step out of a hundred, and half of what the small one does. It also says what **pools by class,
# by data type or by page size** cost: four fenced pools need the peak of each, one shared pool the peak
# of their sum. Fence only where you must (a second model, a guarantee to a customer).
#
# And beyond the limit? Three rates around it, on the paged pool:

# %% tags=["topic:O01", "topic:J05"]
print("rate   waiting at the end   preempted   pages in use")
for rate in (5, 6.5, 8):
    came = np.floor(np.cumsum(rng.exponential(1 / rate, len(final))) / step_s).astype(int).tolist()
    run = race(came, *everyone[1:], PagePool(cells), steps=long // 4)
    used = 100 * np.mean(run.taken_tokens[500:]) / pool_tokens
    print(f"{rate:3}/s {run.waiting[-1]:16} {run.preemptions:14} {used:13.0f} %")

# %% [markdown] tags=["topic:O01", "topic:J05", "topic:J06"]
# A server that never asks before it allocates dies here, with out-of-memory errors for everyone on the
# card. One that asks lets them wait: an **admission queue**, whose bound and limit on the
# length of a request (`max_model_len`) you choose. It still meets the case in which those *inside*
# grow and no page is left. Then the newest gives its pages back and starts again later
# (**preemption**): work done twice, and a sign that too many were admitted. Chapter 07 builds the rule.

# %% [markdown] tags=["topic:F05", "topic:J02"]
# ### The cheapest token is held already
#
# Many prompts begin alike: the instructions, the documents, the conversation so far. Their keys and
# values are equal, so a page of them can stand in several tables and is neither computed nor held
# twice. A page must be *found*, by a key that depends on its tokens **and on all before them**
# (the same words elsewhere have other keys and values): a hash chained from page to page. It must also be
# *stable*: Python's own `hash` of a text differs from process to process, so that neither a second
# replica nor the same one after a restart would find anything.
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
# changes last.** A page that nobody holds keeps its content until it is needed: pages of idle sessions
# go first, those unused longest before the others (LRU), and of one session the tail before the head.
# A page in somebody's table is never evicted.

# %% [markdown] tags=["topic:D06", "topic:D07", "topic:J04"]
# ## Where the model breaks
#
# | the formula assumes | in reality | what changes |
# | --- | --- | --- |
# | every layer keeps every token | windows, or layers without attention | long sequences cost less: `kv_bytes(context)`, per model |
# | 90 % is usable | activations, graphs, other processes, a second model | measure what is left after a warm-up run, in bytes |
# | one card | weights and KV heads split over several | both shrink per card, until there are more cards than KV heads: then heads are copied |
# | sequences share nothing | common prefixes, several answers to one prompt | shared pages count once; the last, partly filled one is copied before somebody writes into it |
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
#    refusal that comes early. An out-of-memory error is an admission rule that nobody wrote.
# 6. **Move what changes to the end of the prompt**, and share one pool unless you must fence.
#
# And the service of the beginning? Its fourteen were computed without the share that must stay free. Its
# ten held a quarter of what they were given. Paged, the same card holds about 36 conversations of the
# usual lengths, and no card of 80 GB had to be ordered for the evening.

# %% [markdown] tags=["optional", "topic:M09", "topic:J01"]
# ## More practice (optional, outside the 50 minutes)
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
# is still there at its next turn? It depends on who came in between, and what goes first is its tail:

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
# - (a) Pages that are free, counting shared ones that nobody uses at the moment.
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
#   PagedAttention*, SOSP 2023, sections 3 and 4: the waste of reservation, pages, block
#   tables.
# - N. Shazeer, *Fast transformer decoding: one write-head is all you need*, 2019 (multi-query), and
#   J. Ainslie and others, *GQA*, 2023. DeepSeek-AI, *DeepSeek-V2*, 2024, section 2.1: latent attention.
# - Z. Liu and others, *KIVI: a tuning-free asymmetric 2bit quantization for KV cache*, 2024.
# - Azure public dataset, LLM inference trace 2023 (CC BY 4.0), described in Patel and others,
#   *Splitwise*, 2024: the lengths of conversations and code. Long context: the synthetic trace of
#   Mooncake (Qin and others, 2024; Apache-2.0).
# - S. L. Brumelle, 1971, and D. P. Heyman and S. Stidham, 1980: $H = \lambda G$ (chapter 02).
