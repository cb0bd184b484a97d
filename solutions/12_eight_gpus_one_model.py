# ---
# jupyter:
#   course:
#     order: 10.8
#     slug: eight_gpus_one_model
#     title: Eight GPUs, one model
#     question: One replica on eight GPUs, eight on one each, or something between? Which answers first, which answers most, and which is cheapest per token that kept its promise?
#     minutes: 66
#     needs: [prefill_and_decode, continuous_batching]
#     folder: notebooks
#     gpu: false
#     small: {requests: 60, windows: 4}
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown] tags=["topic:K07"]
# You have rented eight GPUs in one host, and there is one model to serve. A colleague says: "Cut the model into
# eight parts, then an answer comes as fast as it can." Another says: "Put a whole copy on each card, then they
# need not talk to each other." A third has read that prompts and answers belong on separate cards.
#
# All three are right, for some promise. When you are through, you can answer three questions:
#
# 1. What does each way of cutting a model divide, and what does it add to a step?
# 2. Which layout answers first, which answers most, and which is cheapest, for a given promise and load?
# 3. When do separate pools, drafts and fewer bits pay, and when do they make things worse?
#
# A **card** is one GPU, and a **layout** says how the model is cut and how many copies there are. No GPU is
# needed here: steps are computed from bytes, operations and messages, for kernels that reach 0.8 of the bandwidth
# and half of the arithmetic. Loads are simulated with the scheduler of chapter 07, and at the end all this is held
# against figures that others have measured.

# %%
from dataclasses import replace
from functools import cache, partial

import numpy as np

from labutils import llm
from labutils.exercises import check, hint, outcome, piece, predict, reveal
from labutils.llm.layouts import Deployment, Hosts, Layout, Pools, Rates, link
from labutils.llm.layouts.expert_load import even, expected_busiest, one_hot_expert
from labutils.llm.layouts.published import published

# %%
from labutils.serving.multi_gpu import serve_layout, serve_pools
from labutils.serving.multi_gpu.kept_maps import load_maps
from labutils.serving.multi_gpu.scenes import Scene
from labutils.simulation.expert_picks import busiest_over_mean, sampled_loads
from labutils.viz.explorers.layout_map import layout_explorer
from labutils.viz.figures import layouts as figures
from labutils.viz.show import show
from labutils.workload import mix

# %% tags=["parameters"]
seed = 7  # every random draw in this chapter follows from it
requests = 300  # in a simulated run
windows = 32  # of text, when a rounded model is judged

# %%
h100 = Hosts(device=llm.accelerator("H100 SXM"))  # eight to a host, NVLink among them
# Shares of the bandwidth and of the arithmetic that kernels reach, and the host's part of a step.
reached = Rates(bandwidth_share=0.8, flops_share=0.5, launch_s=1e-3)


def on(name, hosts=h100, rates=reached, **shape):
    """A model of the course's table under a layout: on(name, tp=4, dp=2), say."""
    layout = Layout(**shape)
    return Deployment(model=llm.model(name), layout=layout, hosts=hosts, rates=rates)


# %% [markdown] tags=["topic:K01"]
# ## Eight cards instead of one: how many times as fast?
#
# Llama-3.1-8B decodes for 64 users, each with 1,000 tokens of context, on one H100. Now you cut every matrix
# into eight parts and put one part on each of eight cards. That is **tensor parallelism**, TP8 for short. Each card
# then has a part of a result, and in an **all-reduce** the cards add up their parts, until all have the whole. By
# which factor does a decode step become shorter?

# %%
### BEGIN SOLUTION
predict("layouts.tp8_gain", low=2.5, high=5)
### STUB predict("layouts.tp8_gain", ...)
### END SOLUTION

# %% tags=["topic:K01"]
cut = {f"TP{cards}": on("Llama-3.1-8B", tp=cards) for cards in (1, 2, 4, 8)}
steps = {
    batch: {name: place.decode(batch, 1000) for name, place in cut.items()}
    for batch in (1, 64, 256)
}
told = "; ".join(
    f"Batch {batch}: " + ", ".join(f"{name} {1e3 * step.time_s:.1f}" for name, step in row.items())
    for batch, row in steps.items()
)
show(
    figures.steps_apart(steps),
    alt=f"Decode steps of the 8B model as bars, ms a step. {told}. At batch 64 "
    f"{1e3 * steps[64]['TP8'].all_reduce_s:.1f} ms of the step on TP8 are all-reduces.",
)

# %% tags=["topic:K01"]
whole, eighth = steps[64]["TP1"].time_s, steps[64]["TP8"].time_s
outcome("layouts.tp8_gain", round(whole / eighth, 3))

# %% tags=["solution-only"]
assert 2.8 < whole / eighth < 3.3

# %% [markdown] tags=["topic:K01", "topic:O14", "topic:K06"]
# ### A step is three times as fast, and a card earns three eighths of what it did
#
# Weights and caches are read in an eighth of the time. New are the all-reduces, and now they are the largest term.
# The host's millisecond stays. (Multiplying with the weights overlaps with reading them, and counts only for what it
# takes longer. All steps are lower limits.)
#
# That compares 64 users on one card with 64 on eight. How do the same users fare on the same eight cards, cut
# into eight (TP8) or with a whole copy on each card (**data parallelism**, DP8)?

# %% tags=["topic:K01", "topic:K06"]
steps_s = {
    str(place.layout): {users: place.decode(users, 1000).time_s for users in range(8, 2049, 8)}
    for shape in ({"tp": 8}, {"tp": 2, "dp": 4}, {"dp": 8})
    for place in [on("Llama-3.1-8B", **shape)]
}
told = "; ".join(
    f"{name}, {users:,} users: {1e3 * row[users]:.1f} ms, {users / row[users] / 8:,.0f} tokens/s"
    for name, row in steps_s.items()
    for users in (64, 512, 2048)
)
show(
    figures.by_users(steps_s, (64, 512, 2048)),
    alt=f"Tokens a second and card against ms a step, a line for each layout. {told}.",
)

# %% [markdown] tags=["topic:K01", "topic:O14", "topic:K06"]
# With 64 users in all TP8 wins twice: each of eight copies would read all the weights for eight users. At 512
# TP8 and DP8 are even, and copies of two cards beat both. At 2,048 DP8 gives a third more tokens. (Copies of four cards,
# not drawn, would lead between 104 and 488.)
#
# "Minimise tensor parallelism for interactive work" is a common rule, with the right reason, the all-reduces, and the
# wrong conclusion. **More tensor parallelism buys latency, and at a full batch it pays with throughput per card**, as
# long as the link is fast.
#
# ## What does an all-reduce take?
#
# In each layer attention ends with a sum over the cards: each has its heads' part of every hidden vector, and
# all need the whole. The feed-forward ends in the same way. So there are two all-reduces a layer, and the
# next matrix has to wait for each.
#
# $$t_\text{step}(p) = \frac{t_\text{read}}{p} + 2L\left(\alpha + \frac{2(p-1)}{p}\cdot\frac{m}{\beta}\right)$$
#
# Here $p$ is the number of cards, $t_\text{read}$ the seconds in which one card would read weights and caches,
# $L$ the number of layers, $m$ the bytes of a message (batch × hidden size × 2 bytes), and $\beta$ the rate that
# messages of this length reach, in bytes a second and direction: of the 450 GB/s of NVLink 4 the short messages of
# decode reach 72. $\alpha$ is the **floor**: the seconds that an all-reduce of one byte takes, which begins a kernel and
# waits for the others. The factor $2(p-1)/p$ has two halves: each card adds up a $p$-th of the vector, then tells it
# to all others. The formula assumes that all this follows one after the other.
#
# **One case by hand.** 4 cards, $t_\text{read}$ = 40 ms, 80 layers, messages of 1.2 MB, $\alpha$ = 6 µs,
# $\beta$ = 90 GB/s. The cards read for 40/4 = 10 ms. An all-reduce takes 6 µs + 1.5 · 1.2 MB / 90 GB/s = 6 + 20
# = 26 µs. There are 160 of them: 4.16 ms. Together 14.16 ms, and not 10.
#
# ### Build: a decode step on several cards
#
# All times are in seconds, `message_bytes` is $m$, `floor_s` is $\alpha$, `bytes_per_s` is $\beta$. A single
# card exchanges nothing.


# %%
def step_on(cards, read_s, layers, message_bytes, floor_s, bytes_per_s):
    """Return the seconds of a decode step on so many cards."""
    ### BEGIN SOLUTION
    if cards == 1:
        return read_s
    each_s = floor_s + 2 * (cards - 1) / cards * message_bytes / bytes_per_s
    return read_s / cards + 2 * layers * each_s
    ### END SOLUTION


# %%
check("layouts.step", step_on)

# %% [markdown]
# Your formula with the floors and rates of two links: the NVLink of an H100 and PCIe 5. The model has 70 billion
# weights. NVLink's floor is the optimistic end: kernels written for the purpose took 3.7 to 5.9 µs among H100s, and
# up to 20 µs are reported of others. PCIe's is assumed, with the rate of two cards that have the link to themselves.
# Beside the dots stands which share of a step on TP8 all its all-reduces take.

# %% tags=["topic:K01", "topic:O14"]
use_step = piece("layouts.step", step_on)
read_s, row_bytes = 141e9 / (0.8 * 3.35e12), 2 * 8192  # 70B weights in 16 bits, by one card
floors_s = {"NVLink 4": 5e-6, "PCIe 5": 12e-6}
times_s, shares = {}, {}
for name, floor_s in floors_s.items():
    at = floor_s, link(name).short_bytes_per_s
    each_s = {batch: use_step(8, 0.0, 1, row_bytes * batch, *at) / 2 for batch in range(1, 257)}
    whole_s = {b: use_step(8, read_s, 80, row_bytes * b, *at) for b in (1, 32, 128)}
    times_s[name] = each_s  # one layer without reading has two of them
    shares[name] = {b: 160 * each_s[b] / step_s for b, step_s in whole_s.items()}

# %% tags=["topic:K01", "topic:O14"]
told = "; ".join(
    f"{name}, batch {batch}: {1e6 * times_s[name][batch]:.1f} µs, {100 * share:.0f} % of a step"
    for name, row in shares.items()
    for batch, share in row.items()
)
show(
    figures.all_reduces(times_s, floors_s, shares, row_bytes),
    alt=f"The time of one all-reduce among eight cards against its message, log-log. {told}. The "
    f"floors are {1e6 * floors_s['NVLink 4']:.0f} and {1e6 * floors_s['PCIe 5']:.0f} µs.",
)

# %% [markdown] tags=["topic:K01", "topic:O14"]
# At batch 1 the floor rules: a time that no bandwidth shortens. At batch 128 the bytes rule. There your formula's share
# is too high. It leaves out caches and the host, and messages so long go from neighbour to neighbour at the link's
# full rate. With all terms:

# %% tags=["topic:K01", "topic:O14"]
full = on("Llama-3.1-70B", tp=8).decode(128, 1500)
print(f"70B, TP8, batch 128, all terms: {full.all_reduce_s / full.time_s:.0%} are all-reduces")

# %% tags=["solution-only"]
assert 0.40 < full.all_reduce_s / full.time_s < 0.42

# %% [markdown] tags=["topic:K01", "topic:O14"]
# **Too much tensor parallelism** has a definite meaning: the next doubling adds more exchange than it takes off the
# reading, or it costs more throughput than the promise is worth. And a layout cuts heads, KV heads, layers and
# experts into equal parts.
#
# *Checkpoint, 23 minutes. Tensor parallelism divides bytes and adds exchanges. Next: other ways to cut.*

# %% [markdown] tags=["topic:O14", "optional"]
# ### Two hosts, and what does not divide (optional)
#
# PCIe is at its best above. How much of it short messages reach depends on the host. Your formula with two hosts that
# others measured in 2026 (sources in `labutils.llm.layouts.links`; behind one switch the floor is lower than the one
# assumed above), and what is refused here. (Engines help
# themselves: vLLM and TensorRT-LLM keep KV heads twice where there are fewer than cards, vLLM makes stages of unequal
# length, and DeepSeek places the busiest experts twice.)

# %% tags=["topic:O14", "optional"]
for host, floor_s, share in (("one switch", 4e-6, 0.6), ("two groups of four", 45e-6, 0.3)):
    step_s = use_step(8, read_s, 80, 2 * 8192 * 128, floor_s, share * link("PCIe 5").bytes_per_s)
    print(f"70B, TP8, batch 128 over PCIe 5, {host}: {1e3 * step_s:.0f} ms")

# %% tags=["optional"]
for refused in ({"tp": 3}, {"tp": 16}, {"pp": 3}, {"tp": 2, "ep": 4, "dp": 2}):
    try:
        on("Llama-3.1-70B", **refused)
    except ValueError as error:
        print(error)
try:
    replace(link("PCIe 5"), bytes_per_s=0)
except ValueError as error:
    print(error)

# %% [markdown] tags=["topic:K02", "topic:K05"]
# ## Cutting between layers: what does a pipeline wait for?
#
# **Pipeline parallelism** deals the layers to stages: PP8 gives each card ten of 80 layers. Stages exchange
# next to nothing: each hands its hidden vectors to the next one. But a token passes all stages in turn, so one
# request alone keeps one stage busy and seven idle. That idle time is the **bubble**.
#
# More **micro-batches** fill it. A prompt that is cut into $m$ chunks passes $p$ stages in $m + p - 1$ turns,
# and each stage works in $m$ of them. So the bubble is $(p-1)/(m+p-1)$ of the time. In decode the micro-batches come
# from the requests in flight, since a sequence needs its last token before it can begin the next. Eight requests fill
# eight stages.

# %% tags=["topic:K02"]
place = on("Llama-3.1-70B", tp=2, pp=4)
chunked_s = {n: place.prefill(2000, chunk_tokens=2000 // n).time_s for n in (1, 8)}
told = "; ".join(
    f"{n} {'piece' if n == 1 else 'chunks'}, {1e3 * total_s:.0f} ms, idle {300 / (n + 3):.0f} %"
    for n, total_s in chunked_s.items()
)
show(
    figures.trains(chunked_s, place.layout.pp),
    alt=f"When each of four stages works for a prompt of 2,000 tokens, as blocks over time: {told}.",
)

# %% tags=["topic:K02"]
print("70B, ms a step   batch 1   batch 8   batch 64   prompt of 2,000")
for shape in ({"tp": 8}, {"tp": 4, "pp": 2}, {"tp": 2, "pp": 4}, {"pp": 8}):
    place = on("Llama-3.1-70B", **shape)
    steps_ms = [1e3 * place.decode(batch, 1500).time_s for batch in (1, 8, 64)]
    whole, chunks = (1e3 * place.prefill(2000, chunk_tokens=n).time_s for n in (2000, 250))
    told = "".join(f"{ms:10.1f}" for ms in steps_ms)
    print(f"{place.layout!s:12} {told} {whole:12.0f}, in eight chunks {chunks:4.0f}")

# %% [markdown] tags=["topic:K02", "topic:K05", "topic:K06"]
# ### A pipeline lets a model fit, and no token comes sooner
#
# With 64 requests PP8 has no bubble left, and a step still takes 55 ms, since a token waits for all weights to
# be read, one stage after the other: 64 tokens in 55 ms, where TP8 needs 14. With as many requests as fit it comes near
# TP8's tokens a second. So a pipeline raises what a copy carries. It does not shorten the time to the next token. The *first* token is another
# matter: in eight chunks a prompt passes TP2 × PP4 nearly as fast as TP8, without any all-reduce between stages.
#
# In the table an **all-to-all** is an exchange in which each card sends something else to each of the others: here
# each token's vector to the cards of its experts, and later the results back.
#
# | cut | divides | adds | one answer's tokens | answers a card |
# | --- | --- | --- | --- | --- |
# | tensor (TP) | every matrix, the caches | two all-reduces a layer | sooner | fewer at a full batch |
# | pipeline (PP) | layers | hand-overs, bubbles | the first sooner, the others as on one card | at a full batch nearly as many |
# | data (DP) | requests | nothing | as on one card | as many, if the model fits |
# | expert (EP) | experts | two all-to-alls a layer, waiting for the busiest | see below | more, in large batches |
# | sequence (SP) | the tokens of a prompt | keys and values, from card to card | the first of a long prompt sooner | fewer in decode |
#
# A serving layer over many cards combines them: copies outside, tensor parallelism inside a host, pipelines
# between hosts, because there the link is slow.

# %% [markdown] tags=["topic:K02", "optional"]
# ### Build: how long a pipeline stands idle (optional)
#
# Chunks take different times, because of what they attend to. Each stage takes the same time for a given chunk.
# Two stages, chunks of 10 and 30 ms: the first stage works until 40, the second ends the long chunk at 70. Each
# stage worked for 40 of 70 ms, so 3/7 of the time it stood idle. Return that share for any train of chunks.


# %% tags=["optional"]
def idle_share(stages, chunks_ms):
    """Return the share of the time, from the first start to the last end, in which a stage is idle."""
    ### BEGIN SOLUTION
    lost = (stages - 1) * max(chunks_ms)
    return lost / (sum(chunks_ms) + lost)
    ### END SOLUTION


# %% tags=["optional"]
check("layouts.bubble", idle_share)

# %% [markdown] tags=["topic:K03", "optional"]
# ### A prompt of 100,000 tokens (optional)
#
# **Sequence parallelism** deals the tokens of a long prompt to the cards. Each has all the weights of its part,
# and keys and values go round in a ring. The messages are those of the cache, not of every hidden vector twice a
# layer. So a slow link hurts less, and decode gains little: each card reads all the weights.

# %% tags=["topic:K03", "optional"]
pcie = replace(h100, inside=link("PCIe 5"))
print("8B, 100,000 tokens   NVLink   PCIe 5   s to the first token; ms a token alone")
for shape in ({"tp": 8}, {"tp": 2, "sp": 4}, {"sp": 8}, {"pp": 8}):
    places = [on("Llama-3.1-8B", hosts=hosts, **shape) for hosts in (h100, pcie)]
    first_s = [
        place.prefill(100_000, chunk_tokens=None if "sp" in shape else 4000).time_s
        for place in places
    ]
    token_ms = 1e3 * places[0].decode(1, 100_000).time_s
    print(f"{places[0].layout!s:18} {first_s[0]:8.2f} {first_s[1]:8.2f} {token_ms:12.1f}")

# %% [markdown] tags=["topic:K08"]
# ## Experts: how busy is the busiest card?
#
# In a **mixture of experts** each token picks a few of many feed-forward networks. So, one reads, a busy expert
# delays only its own tokens. Take 128 experts, 16 whole ones on each of eight cards (**expert parallelism**, EP8).
# 32 tokens pick 8 different experts each, all equally liked. A card gets 32 picks on average. How many times the
# average does the busiest card of a layer get?

# %%
### BEGIN SOLUTION
predict("layouts.busiest_card", low=1.1, high=1.5)
### STUB predict("layouts.busiest_card", ...)
### END SOLUTION

# %% tags=["topic:K08"]
loads = sampled_loads(even(128), 8, tokens=32, picks=8, layers=2000, seed=seed)
sampled = busiest_over_mean(loads)
half = 1.96 * sampled.std() / np.sqrt(sampled.size)
print(f"busiest over mean, 2,000 layers: {sampled.mean():.3f} ± {half:.3f}")
outcome("layouts.busiest_card", round(sampled.mean(), 3))

# %% tags=["topic:K08"]
shown = loads[:16]
show(
    figures.late_cards(loads, layers=len(shown)),
    alt=f"The picks of eight cards in {len(shown)} layers, mean {loads.mean():.0f}. The busiest card gets "
    f"{shown.max(axis=1).min()} to {shown.max(axis=1).max()}, in 2,000 layers {sampled.mean():.2f} "
    f"times the mean. In these layers it is card {', '.join(map(str, shown.argmax(axis=1) + 1))}.",
)

# %% tags=["solution-only"]
assert abs(sampled.mean() - expected_busiest(even(8), 32, 8, 128)) < 0.03

# %% [markdown] tags=["topic:K08"]
# ### Nobody is liked more, and one card in eight is a quarter late
#
# The next layer needs all results. So each layer lasts as long as its busiest card, and that changes from layer to
# layer. Chance alone does this; real routers are uneven on top.
#
# A batch also decides what is *read*. Each token picks $k$ of $E$ experts. One of them is left out by one token with
# probability $1 - k/E$, by $T$ tokens with $(1-k/E)^T$. So $T$ tokens touch
#
# $$E\left(1 - (1 - k/E)^T\right) \text{ experts.}$$

# %% [markdown] tags=["topic:K08", "optional"]
# ### Build: what a batch asks of the experts' cards (optional)
#
# **One case by hand.** Six experts in order on three cards, two on each. Three tokens pick (0, 1), (0, 5) and
# (0, 1). Experts 0, 1 and 5 are touched: three. The first card has five picks of six, the mean card two. So the
# busiest has 2.5 times the mean.
#
# `picks` has a list of expert numbers for each token. Equally many experts lie on each card, in order. Return
# two numbers: how many experts are touched, and the picks of the busiest card over the mean of all cards.


# %% tags=["optional"]
def touched_and_busiest(picks, experts, cards):
    """Return the number of touched experts, and the busiest card's picks over the mean."""
    ### BEGIN SOLUTION
    flat = [expert for token in picks for expert in token]
    on_card = [expert * cards // experts for expert in flat]
    busiest = max(on_card.count(card) for card in on_card)
    return len(set(flat)), busiest / (len(flat) / cards)
    ### END SOLUTION


# %% tags=["optional"]
check("layouts.busiest", touched_and_busiest)

# %% [markdown] tags=["topic:K08", "optional"]
# Both against the tokens of a batch, for an even router and for one where a single expert gets a tenth of all picks:

# %% tags=["optional", "topic:K08"]
rng, fine = np.random.default_rng(seed), [*range(1, 16), *range(16, 257, 8)]
hot = [sum(one_hot_expert(128, 0.1)[:16]), *[sum(one_hot_expert(128, 0.1)[16:32])] * 7]
touched, busiest = {}, {}
for tokens in (1, 8, 32, 256):
    draws = [[rng.permutation(128)[:8] for _ in range(tokens)] for _ in range(30)]
    touched[tokens] = np.mean([np.unique(picks).size for picks in draws])
    drawn = sampled_loads(even(128), 8, tokens=tokens, picks=8, layers=200, seed=seed)
    busiest[tokens] = busiest_over_mean(drawn).mean()
formula = {tokens: llm.expert_coverage(128, 8, tokens) for tokens in fine}
routers = {
    name: {tokens: expected_busiest(shares, tokens, 8, 128) for tokens in fine}
    for name, shares in (("even router", even(8)), ("one hot expert", hot))
}

# %% tags=["optional", "topic:K08"]
told = "; ".join(
    f"{tokens}: {touched[tokens]:.1f} touched, busiest {busiest[tokens]:.2f} times the mean"
    for tokens in touched
)
show(
    figures.expert_batches(touched, formula, busiest, routers, 128),
    alt=f"Against the tokens of a batch, sampled from an even router. {told}. At 256 tokens "
    f"{routers['even router'][256]:.2f} are expected, with one hot expert "
    f"{routers['one hot expert'][256]:.2f}.",
)

# %% [markdown] tags=["topic:K08"]
# ### Experts make tails, they do not isolate them
#
# With 8 of 128 experts a token, 8 tokens touch 52 of them by this formula, and 32 tokens 112. And an even router
# still has a busiest card, on which all wait. Experts are no specialists for topics either: the authors of Mixtral
# (2024) looked for that and found none. What a mixture saves is arithmetic and, in large batches over many cards,
# bytes: with EP each card reads only its own experts, for the tokens of all copies, and pays with the two
# all-to-alls. DP8 × EP8 means eight copies of the attention, and each expert on one card alone.
#
# *Checkpoint, 33 minutes. Each cut has its price. Now all of them at once, under load.*

# %% [markdown] tags=["topic:G04", "topic:I07"]
# ## The map of layouts
#
# Every layout that divides the model and holds a long request has served the same requests, simulated beforehand
# with the scheduler of chapter 07. Each copy plans 512 or 2,048 tokens a step, whichever keeps your promise more
# often, so a dot may move as the promise does; the line above the picture names the budget of the best, "TP8 · 512". A → B are two pools: A prefills, and hands its caches
# over the link to B.
#
# Left stand the p99 of TTFT and TPOT, and your promise as a box. Then how many requests keep both, with a 95 %
# interval: that decides who keeps a promise, and at 98 % a p99 may stand outside the box. And what a million kept tokens cost at the layout's best rate. What nobody beats in both latencies and kept
# requests is on the **frontier**. The map is kind: stages are equally busy, PCIe stands at its best, and requests are dealt
# to the copies in turn.
#
# - (a) Llama-3.1-70B, chats, heavy load, a promise of 2 s and 40 ms. Tighten TPOT step by step to 15 ms. Who
#   wins at each step?
# - (b) 2 s and 40 ms, the middle load, and now PCIe 5 in place of NVLink. Which layouts lose most?
# - (c) Qwen3-30B-A3B, chats, the load too heavy for most, 0.5 s and 15 ms. Who wins?

# %% tags=["nbval-ignore-output"]
explorer = layout_explorer()
explorer

# %% [markdown] tags=["topic:G04", "topic:N03"]
# ### No layout wins, a promise has a winner
#
# (a) At 40 ms five layouts keep the promise and their intervals overlap, so take the cheapest: TP4 × PP2, which
# still keeps it at the next load, a third higher. At 30 ms TP8 has lost a tenth. At 20 ms the pools are alone. At
# 15 ms no layout keeps it under this load; TP8 does at the light one. At 40 ms PP8 has an early first token, and
# keeps the promise for nobody: every further token passes eight stages.
#
# (b) TP8 falls to 2 %, the pools to about a fifth: prefill on four cards is now too slow for the load. TP2 × PP4 loses
# nothing.
#
# (c) DP8 × EP8 keeps nearly all, and DP8 nothing: a card reads its own experts instead of all.
#
# *Checkpoint, 42 minutes. The promise chooses the layout. Next: when do pools, drafts and narrow bits pay?*


# %% tags=["solution-only"]
def kept_of(rate, tpot_s, link_name="NVLink 4", model="Llama-3.1-70B", ttft_s=2, asked="chats"):
    """The points of a scene by layout: the share that kept the promise, and the price."""
    here = load_maps()[Scene(model, "H100 SXM", link_name, asked)]
    told = here.points(rate, ttft_s=ttft_s, tpot_s=tpot_s, price_per_hour=3.5, tuned=True)
    return {p.name.split(" · ")[0]: (round(p.kept, 3), p.cost_per_million_tokens) for p in told}


slow = kept_of(6, 0.04, "PCIe 5")
assert (slow["TP8"][0], slow["TP4 → TP4"][0], slow["TP2 × PP4"][0]) == (0.02, 0.185, 1)

# %% tags=["solution-only"]
light, heavy = (kept_of(r, 0.02, model="Llama-3.1-8B", ttft_s=0.5) for r in (20, 150))
assert {kept for kept, _ in light.values()} == {1} and abs(heavy["TP8"][0] - 1 / 6) < 0.01
assert 0.86 < heavy["DP8"][0] < 0.87 and 0.97 < heavy["PP4 × DP2"][0] < 0.98
assert 7 < light["PP4 × DP2"][1] / heavy["PP4 × DP2"][1] < 8
code = {rate: kept_of(rate, 0.02, asked="code")["TP4 → TP4"] for rate in (4, 6)}
assert 0.98 < code[4][0] < 0.99 and 0.13 < code[6][0] < 0.14
assert 15.5 < code[4][1] / kept_of(9, 0.02)["TP4 → TP4"][1] < 16.5

# %% [markdown] tags=["topic:G04", "topic:N03", "optional"]
# ### Two more scenes on the map (optional)
#
# Llama-3.1-8B, where a copy fits on one card, chats over NVLink, 0.5 s and 20 ms: who keeps it most often at the
# light load? And at the last one, too heavy for most? Then Llama-3.1-70B and code, prompts of 2,000 tokens and
# answers of 28, 2 s and 20 ms: what changes?
#
# At the light load all keep it, and all cost the same there: eight cards are paid whether they work or not.
# At the last one TP8 keeps a sixth, eight copies 86 %, PP4 × DP2 97 %, for less than a seventh of the light
# load's price.
#
# Code has short answers, so at best a kept token costs sixteen times as much as in chats. The pools keep 98 %
# at the middle load and 13 % at the next: half of the cards do not suffice for the prompts.

# %% [markdown] tags=["topic:T15", "topic:G04", "optional"]
# ### A recommendation that does not contradict itself (optional)
#
# Below is a recommender as lessons teach it: thresholds, each with its layout. Ask it for 50 ms at 1,500
# requests/s. The other one takes a promise and a rate, and names what keeps 99 of 100 requests, the cheapest
# first, or nothing.


# %% tags=["topic:T15", "topic:I07", "optional"]
def as_taught(latency_ms, rate_per_s, weights_gb):
    """All advice that the thresholds give."""
    rules = {
        "tensor parallel": latency_ms < 100,
        "a copy on each card": rate_per_s > 1000,
        "one card": weights_gb < 80 and rate_per_s < 100,
    }
    return [advice for advice, holds in rules.items() if holds]


# %% tags=["topic:T15", "topic:I07", "optional"]
def by_the_map(scene, rate_per_s, **promise):
    """Layouts that kept the promise for 99 % of the requests at the next rate that was simulated."""
    here = load_maps()[scene]
    most = max(here.rates_per_s)
    if rate_per_s > most:
        raise ValueError(f"rate_per_s = {rate_per_s:g}: expected at most {most:g}, the map's last")
    rate = min(known for known in here.rates_per_s if known >= rate_per_s)
    told = here.points(rate, **promise, price_per_hour=3, tuned=True)
    by_price = sorted(told, key=lambda point: point.cost_per_million_tokens)
    return [point.name for point in by_price if point.kept >= 0.99] or "no layout keeps it"


# %% tags=["topic:T15", "optional"]
print("as taught, 50 ms and 1,500/s:", *as_taught(50, 1500, 16), sep="\n   ")
print("as taught, 200 ms and 500/s, 14 GB:", as_taught(200, 500, 14) or "nothing")
chats = Scene("Llama-3.1-8B", "H100 SXM", "NVLink 4", "chats")
for tpot_s in (0.003, 0.005, 0.01, 0.02):
    print(f"by the map, 50/s, TPOT {tpot_s:g} s:", by_the_map(chats, 50, ttft_s=0.5, tpot_s=tpot_s))
try:
    by_the_map(chats, 5000, ttft_s=0.5, tpot_s=0.02)
except ValueError as error:
    print(error)

# %% tags=["solution-only", "optional"]
assert len(as_taught(50, 1500, 16)) == 2 and not as_taught(200, 500, 14)

# %% [markdown] tags=["topic:T15", "optional"]
# The thresholds give two answers to one question and none to another, and "200 ms" does not say of what. A
# recommendation needs a promise, a rate, lengths, and what was measured or simulated for them. Where two models
# share cards, place them by what each needs: memory for weights and caches first, then bandwidth, and hot
# prefixes where their cache lies.

# %% [markdown] tags=["topic:D12", "topic:U10"]
# ## Prefill and decode apart: from which batch on?
#
# On cards that do both, a prompt of somebody else stands in your way while you decode. DistServe and Splitwise
# (both 2024) put the two on cards of their own, and move the cache of a prompt over a link. The opponent to beat
# is chunked prefill on all cards, and not the prompts-first engine of 2023.
#
# Say eight cards, either TP8 for both jobs, or TP4 for prompts and TP4 for answers. Apart, a decode step reads
# with half of the cards, so it is slower. Together, each of the $B - 1$ others in the batch ends once during
# your answer of $n$ tokens, and its successor's prompt is read. So a token takes on average
#
# $$t_\text{apart}(B) \quad\text{against}\quad t_\text{together}(B) + \frac{(B-1)\,t_\text{prefill}}{n}.$$
#
# **One case by hand.** Steps of 8 ms together and 15 apart, whatever the batch; a prompt takes 60 ms and an
# answer has 30 tokens. Each other one costs 60/30 = 2 ms a token. At $B$ = 4 together takes 8 + 6 = 14 ms, less
# than 15. At 5 it takes 16: apart pays from 5 on.
#
# ### Build: the batch from which apart pays
#
# The lists hold the steps for batches of 1, 2, 3 and so on. Return the smallest batch at which apart takes less
# time, or None.


# %%
def pays_from(together_s, apart_s, prefill_s, answer_tokens):
    """Return the smallest batch at which a token comes sooner apart, or None."""
    ### BEGIN SOLUTION
    for batch, (together, apart) in enumerate(zip(together_s, apart_s), start=1):
        if apart < together + (batch - 1) * prefill_s / answer_tokens:
            return batch
    return None
    ### END SOLUTION


# %%
check("layouts.apart", pays_from)

# %% tags=["topic:D12"]
use_pays = piece("layouts.apart", pays_from)
eight, four = on("Llama-3.1-70B", tp=8), on("Llama-3.1-70B", tp=4)
pays_at = {}
print("70B, prompt + answer   apart pays from   cache to move   over NVLink, 50 Gbit/s")
for prompt, answer in ((1155, 211), (2048, 28), (300, 1000)):
    steps = [[d.decode(b, prompt).time_s for b in range(1, 200)] for d in (eight, four)]
    pays_at[prompt] = use_pays(*steps, eight.prefill(prompt).time_s, answer)
    pools = [Pools(prefill=four, decode=four, link=link(n)) for n in ("NVLink 4", "50 Gbit/s")]
    moves_ms = [1e3 * each.transfer_s(prompt) for each in pools]
    moved = llm.model("Llama-3.1-70B").kv_bytes(prompt) / 1e6
    print(
        f"{prompt:12} + {answer:<7} {pays_at[prompt]!s:>15} {moved:12.0f} MB {moves_ms[0]:9.2f} ms, {moves_ms[1]:4.0f} ms"
    )

# %% tags=["solution-only"]
assert list(pays_at.values()) == [24, 3, 184]

# %% [markdown] tags=["topic:D12"]
# Chats gain from a batch of 24 on, code with its short answers from 3, and short prompts with long answers only from
# 184: the more prompt there is for each token of an answer, the sooner apart pays. Moving takes so little only if each
# of the four cards has a port of its own and reaches 0.8 of its rate. Through one port for all it takes four times as
# long.

# %% [markdown] tags=["topic:D12", "optional"]
# ### Does the simulation agree? (optional)
#
# Both serve chats (1,155 + 211 tokens on average) at four rates. The batch is what
# Little's law says: rate times the seconds in decode.

# %% tags=["optional", "topic:D12"]
pools, alone = Pools(prefill=four, decode=four, link=link("NVLink 4")), eight.prefill(1155)
rates, formula_ms = (1, 3, 6, 9), []
tpot_ms, ttft_s = ({"together": [], "apart": []} for _ in range(2))
for rate in rates:
    trace = mix("azure-conversation").trace(requests, rate, seed=seed, burstiness=1.0)
    logs = [serve_layout(trace, eight).log, serve_pools(trace, pools).log]
    decoding_s = [np.nansum(log.last_token_s - log.first_token_s) for log in logs]
    for way, log, s in zip(tpot_ms, logs, decoding_s):
        tpot_ms[way].append(1e3 * s / np.nansum(log.output_tokens - 1))
        ttft_s[way].append(np.nanmedian(log.ttft_s))
    batch = max(1, round(decoding_s[0] / trace.arrival_s[-1]))
    token_s = eight.decode(batch, 1260).time_s + (batch - 1) / 211 * alone.time_s
    formula_ms.append(1e3 * token_s)

# %% tags=["optional", "topic:D12"]
told = "; ".join(
    f"{rate} a second: TPOT {together:.1f} ms together (formula {formula:.1f}), {separate:.1f} apart"
    for rate, together, formula, separate in zip(
        rates, tpot_ms["together"], formula_ms, tpot_ms["apart"]
    )
)
first = ", ".join(f"{row[-1]:.2f} s {way}" for way, row in ttft_s.items())
show(
    figures.apart(rates, tpot_ms, ttft_s, formula_ms),
    alt=f"Mean TPOT and median TTFT against the rate. {told}. TTFT at {rates[-1]} a second: {first}.",
)

# %% tags=["optional", "solution-only"]
ended_s = np.nanmax(logs[0].last_token_s)  # the run ends long after its last arrival
assert requests < 300 or (ended_s > 1.2 * trace.arrival_s[-1] and decoding_s[0] / ended_s < 43)

# %% [markdown] tags=["topic:D12", "optional"]
# TPOT apart hardly moves with the load. The simulation agrees within 6 % up to 6 requests a second. At 9 the formula
# says 16 % too much: a prompt shares the step of those who decode, and Little's law speaks of a steady state, where
# 300 requests are over in half a minute.

# %% [markdown] tags=["topic:D12", "topic:U10"]
# ### Apart buys even gaps, and pays at the first token
#
# Apart, no prompt stands in the way of a token: that independence is what you buy. You pay with the TTFT, since half
# of the cards read the prompts, and with two pools that have to match the mix. Published gains (DistServe: 7.4
# times the requests within limits; Splitwise: 1.4 times the throughput) were measured against engines of their time.
#
# So tune the opponent first. A smaller budget of tokens a step, one flag, is worth as much on the map as
# another layout (optional, below). Of the promises tried the pools alone keep one: 20 ms under the heavy load.

# %% [markdown] tags=["topic:D12", "optional"]
# ### What one flag is worth on the map (optional)
#
# 70B and chats at 9 requests/s: who keeps a TTFT of 2 s and these TPOTs?

# %% tags=["topic:D12", "optional"]
here = load_maps()[Scene("Llama-3.1-70B", "H100 SXM", "NVLink 4", "chats")]
print("TPOT within            40 ms   30 ms   20 ms")
for name in ("TP8 · 2048", "TP8 · 512", "TP4 × PP2 · 2048", "TP4 × PP2 · 512", "TP4 → TP4"):
    kept = [
        {p.name: p.kept for p in here.points(9, ttft_s=2, tpot_s=limit_s, price_per_hour=3)}[name]
        for limit_s in (0.04, 0.03, 0.02)
    ]
    print(f"{name:20}" + "".join(f"{share:8.0%}" for share in kept))

# %% [markdown] tags=["topic:D12"]
# *Checkpoint, 53 minutes. Pools buy even gaps. Next: drafts.*

# %% [markdown] tags=["topic:D12", "optional"]
# ### Build: how many copies prefill (optional)
#
# A pool's ratio is right for one mix. You have `copies` alike, of which `n` prefill and the others decode. One
# prefill copy carries `prefill_per_s` requests a second, one decode copy `decode_per_s`. A request needs both.
# Return the `n` that carries most, at least 1 on either side; of equals the smallest.


# %% tags=["optional"]
def prefill_copies(copies, prefill_per_s, decode_per_s):
    """Return how many of the copies prefill, so that the two pools carry most requests a second."""

    ### BEGIN SOLUTION
    def carried(n):
        return min(n * prefill_per_s, (copies - n) * decode_per_s)

    return max(range(1, copies), key=carried)
    ### END SOLUTION


# %% tags=["optional"]
check("layouts.pools", prefill_copies)

# %% tags=["topic:D12", "optional"]
use_copies = piece("layouts.pools", prefill_copies)
one = on("Llama-3.1-8B")
for name, prompt, answer in (("chats", 1155, 211), ("code", 2048, 28)):
    carried = Pools(prefill=one, decode=one, link=link("NVLink 4")).most_requests_per_s(
        prompt, answer, 64
    )
    n = use_copies(8, carried["prefill"], carried["decode"])
    rates = {key: round(value, 1) for key, value in carried.items()}
    print(f"{name}: a copy carries {rates}; of eight cards {n} prefill, {8 - n} decode")

# %% [markdown] tags=["topic:H14", "topic:O19", "topic:K04"]
# ## Speculation: up to which batch?
#
# In **speculative decoding** a small model drafts $k$ tokens, and the large one verifies them in one step. If
# each draft is accepted with probability $\alpha$, as long as those before it were, a round yields $1 + \alpha +
# \dots + \alpha^k$ tokens: the accepted drafts and one token of the large model's own. It costs $k$ draft steps
# and one step over $B(k+1)$ rows, where a batch of $B$ has $B$ rows without drafts.
#
# **One case by hand.** $\alpha$ = 0.8, $k$ = 3: 1 + 0.8 + 0.64 + 0.512 = 2.95 tokens. A step takes 10 ms up to
# 100 rows, and 0.1 ms for each row above that. A draft step takes 1 ms for any batch. At $B$ = 20 there are 80 rows: 2.95 tokens in 10 +
# 3 ms, where plain decoding needs 29.5 ms: a gain of 2.27. At $B$ = 100 there are 400 rows: 40 + 3 ms, a gain of
# 0.69. It loses.

# %% [markdown] tags=["topic:H14", "optional"]
# ### Build: up to which batch drafts pay (optional)
#
# `step_ms` is a function of the rows, `draft_ms` one of the batch. Go up from a batch of 1 to `most`: return the
# batch before the first one without a gain above 1, or `most` if all gain. (Beyond it a gain can come back, where
# steps grow in jumps. To switch drafts off, an engine has to know the first loss.)


# %% tags=["optional"]
def drafts_pay_up_to(acceptance, drafts, draft_ms, step_ms, most):
    """Return the batch, at most ``most``, before the first at which speculation does not gain."""
    ### BEGIN SOLUTION
    tokens = sum(acceptance**n for n in range(drafts + 1))
    for batch in range(1, most + 1):
        round_ms = step_ms(batch * (drafts + 1)) + drafts * draft_ms(batch)
        if tokens * step_ms(batch) <= round_ms:
            return batch - 1
    return most
    ### END SOLUTION


# %% tags=["optional"]
check("layouts.drafts", drafts_pay_up_to)


# %% tags=["topic:H14", "topic:O19"]
@cache
def step_ms(rows, place=eight):
    return 1e3 * place.decode(rows, 1500).time_s


own_ms = partial(step_ms, place=on("Llama-3.2-1B", tp=1))  # drafts, on a card of their own
gains = {
    acceptance: [
        sum(acceptance**n for n in range(4)) * step_ms(b) / (step_ms(4 * b) + 3 * own_ms(b))
        for b in range(1, 401)
    ]
    for acceptance in (0.9, 0.7, 0.5, 0.3)
}
pays_to = {one: next(b for b, gain in enumerate(row) if gain <= 1) for one, row in gains.items()}

# %% tags=["topic:H14", "topic:O19", "topic:K04"]
told = "; ".join(
    f"acceptance {one:g}: {row[0]:.2f} for one user, ends at batch {pays_to[one]}"
    for one, row in gains.items()
)
show(
    figures.draft_gains(gains, pays_to),
    alt=f"Tokens/s with three drafts of the 1B, over without, against the batch of the 70B, and "
    f"the last batch before it loses, 0 if it always does: {told}.",
)

# %% tags=["solution-only"]
assert pays_to[0.3] == 0 and sorted(pays_to.values(), reverse=True) == [*pays_to.values()]

# %% [markdown] tags=["topic:H14", "topic:O19", "topic:K04"]
# ### Drafts spend what a step has to spare, and a full batch has nothing
#
# (The drafts run on a ninth card. With that card counted, all gains are a ninth smaller, and an acceptance of 0.5 never
# pays.)
#
# "Speculation raises throughput" holds below these batches, and above them it lowers it: verifying $k + 1$ rows
# for each request then takes longer than what is accepted saves. How far they reach hangs on the kernel: in this
# figure it reads a request's cache for each row anew. With one that reads it once for all rows, drafts at an acceptance
# of 0.9 gain up to about twice that batch (optional, below).
#
# With **low acceptance**, 0.3, three drafts pay at no batch. And the faster the target, the cheaper a draft has to
# be: next to a step of 8.4 ms for one user, three drafts of 1.9 ms take two thirds of a step.
#
# Others measured the same: on H100s the gain shrinks as batches grow, and verification takes 42 to 95 % of the
# time ("Performance or illusion?", arXiv 2601.11580, January 2026).
#
# *Checkpoint, 59 minutes. Drafts spend what a step has to spare. Last: fewer bits, and what all this is worth.*

# %% [markdown] tags=["topic:H14", "topic:O19", "optional"]
# ### If each cache is read once (optional)
#
# The same three drafts, and a kernel that reads a cache once for all four rows of its request:


# %% tags=["topic:H14", "topic:K04", "optional"]
def once_ms(batch):
    """The ms of verifying three drafts for each request of a batch."""
    few, many = (eight.decode(rows, 1500).read_kv_s for rows in (batch, 4 * batch))
    return step_ms(4 * batch) - 1e3 * (many - few)


for acceptance in gains:
    tokens = sum(acceptance**n for n in range(4))
    lost = (b for b in range(1, 401) if tokens * step_ms(b) <= once_ms(b) + 3 * own_ms(b))
    print(
        f"acceptance {acceptance}: up to {next(lost) - 1}; read for each row {pays_to[acceptance]}"
    )

# %% [markdown] tags=["topic:H14", "topic:O19", "optional"]
# ### Where the small model stands (optional)
#
# On the target's own cards the small model drafts sooner. It also stays inside the host, where a hand-over takes
# microseconds; across hosts each round waits for the network twice. Your function compares the two. A gain can come
# back beyond the first loss: above some 100 rows the messages are long enough for another way to add up, from
# neighbour to neighbour at the link's full rate, and the all-reduces grow more slowly.

# %% tags=["topic:H14", "topic:O19", "optional"]
use_drafts = piece("layouts.drafts", drafts_pay_up_to)
shared_ms = partial(step_ms, place=on("Llama-3.2-1B", tp=8))
print("pays up to a batch of    1B on a card of its own    1B on the target's cards")
for acceptance in gains:
    row = [
        ", ".join(f"{use_drafts(acceptance, k, ms, step_ms, 400)} with {k}" for k in (1, 3, 5))
        for ms in (own_ms, shared_ms)
    ]
    print(f"acceptance {acceptance} {row[0]:>33} {row[1]:>33}")
pays = [b for b in range(1, 401) if 1.5 * step_ms(b) > step_ms(2 * b) + own_ms(b)]
gap = next(b for b in pays if b + 1 not in pays)
print(f"acceptance 0.5, 1 draft, a card of its own: pays up to {gap},", end=" ")
print(f"and again from {min(b for b in pays if b > gap)} to {pays[-1]}")

# %% [markdown] tags=["topic:G06"]
# ## Fewer bits: what becomes faster?
#
# 200 users with 2,000 tokens of context each, Llama-3.1-8B on one card. You store its weights in 4 bits instead
# of 16; the matrices are still multiplied in 16. Kernels reach 0.8 of the bandwidth and half of the arithmetic, as
# in all of this chapter. How many times as fast is a decode step?

# %%
### BEGIN SOLUTION
predict("layouts.four_bits", low=1, high=2)
### STUB predict("layouts.four_bits", ...)
### END SOLUTION

# %% tags=["topic:G06"]
four_bits = llm.stored_bytes_per_weight(4, group=32)  # a scale of 16 bits for each 32: 4.5 bits
kinds = {
    "16 bits": {},
    "weights 4": {"bytes_per_weight": four_bits},
    "weights 4, KV 8": {"bytes_per_weight": four_bits, "bytes_per_value": 1},
    "all in 8": {"bytes_per_weight": 1, "bytes_per_value": 1, "precision": "fp8"},
}
print("8B on one card     1 user   200 users   prompt of 2,000   sequences of 2,000 that fit")
steps = {}
for kind, bits in kinds.items():
    place = on("Llama-3.1-8B", rates=replace(reached, **bits))
    steps[kind] = place.decode(200, 2000).time_s
    ms = 1e3 * np.array([place.decode(1, 2000).time_s, steps[kind], place.prefill(2000).time_s])
    print(f"{kind:16} {ms[0]:5.1f} ms {ms[1]:8.1f} ms {ms[2]:14.1f} ms {place.max_batch(2000):12}")
outcome("layouts.four_bits", round(steps["16 bits"] / steps["weights 4"], 3))

# %% tags=["solution-only"]
assert 0.99 < steps["16 bits"] / steps["weights 4"] < 1.2

# %% [markdown] tags=["topic:G06"]
# ### Narrow weights help one user, narrow caches help many
#
# Exactly 1 hangs on the half: where kernels reach 0.6 or 0.7 of the arithmetic the gain is 1.02 or 1.05, and with 100
# users it is 1.20. So 1 to 1.1 is right.

# %% [markdown] tags=["topic:G06", "optional"]
# ### And how much worse are the answers? (optional)
#
# Here it is measured on this course's own trained model: its **perplexity** on
# chapters that were written after its training, as unsure as a fair choice among so many tokens. Weights are
# rounded to a grid, a scale for each row, or for each 32 neighbours. **Calibration** runs a known text, notes
# how large the inputs of each channel are, and scales up what carries much before rounding.

# %% tags=["optional", "topic:G06"]
import torch

from labutils.serving.checkpoints import (
    calibrate,
    course_model,
    held_out_passages,
    int8_cache,
    losses,
    with_activations,
    with_weights,
)
from labutils.serving.checkpoints.held_out import calibration_passages

# %% tags=["optional", "topic:G06", "nbval-ignore-output"]
model, tokenizer = course_model()
text = tokenizer.encode("\n".join(held_out_passages()))[: 192 * windows]
known = torch.tensor(tokenizer.encode("\n".join(calibration_passages()))[: 192 * 16])
seen = calibrate(model, known.view(16, 192))
variants = {
    "bf16": (course_model(dtype="bfloat16")[0], None),
    "int8 weights": (with_weights(model, 8), None),
    "int4 weights, a scale a row": (with_weights(model, 4), None),
    "int4 weights, a scale for 32": (with_weights(model, 4, group=32), None),
    "the same, calibrated": (with_weights(model, 4, group=32, calibration=seen), None),
    "int8 KV": (model, int8_cache),
    "int8 activations": (with_activations(model, seen), None),
}

# %% tags=["optional", "topic:G06", "nbval-ignore-output"]
base = losses(model, text)
gaps = {
    name: losses(narrow, text, attend=attend).against(base)
    for name, (narrow, attend) in variants.items()
}
told = "; ".join(
    f"{name} {figures.percent_more(gap)}, ±{100 * half:.1f}" for name, (gap, half) in gaps.items()
)
show(
    figures.rounding(gaps),
    alt=f"Perplexity against that of 32 bits, {base.perplexity:.1f} over {base.windows.size} windows "
    f"of 192 tokens, with 95 % intervals: {told}.",
)

# %% tags=["optional", "solution-only"]
assert abs(gaps["int8 weights"][0]) < 0.01 and gaps["int4 weights, a scale a row"][0] < 0.1

# %% [markdown] tags=["optional", "topic:G06", "topic:Q09"]
# Eight bits cost at most half a percent of perplexity here, four bits with a scale a row about two. With a scale for 32,
# calibrated or not, the interval holds 0: this text is too short to tell them from 32 bits. This model is small and its
# text narrow: measure yours, on your own task. "Adaptive precision", bits chosen while it runs, is a promise until such
# a picture stands beside it. **Distillation**, a smaller model trained on the answers of the larger, cuts bytes and
# operations alike, and has to be measured in the same way.

# %% [markdown] tags=["topic:G01", "topic:N03", "topic:T15"]
# ## Do latency and throughput pull opposite ways?
#
# | lever | one answer | answers a card | where it turns |
# | --- | --- | --- | --- |
# | tensor parallelism | + | − at a full batch | slow link |
# | larger batches | − | + | the promise |
# | KV in 8 bits, a prefix cache, better kernels | + | + | errors; misses |
# | speculation | + | − in a full batch | the break-even above |
# | experts on cards | − in small batches | + in large ones | a hot expert |
# | apart instead of together | TPOT +, TTFT − | depends on the mix | the mix moves |
#
# So "they pull opposite ways" holds for what moves along a frontier, and not for what moves the frontier itself.

# %% [markdown] tags=["topic:K01"]
# ## How far can you trust these numbers?
#
# Figures that others measured, and how far the model is off in the same cases: with constants that were fitted to
# sister rows where there are any (`error`), and with this chapter's own (`error_as_taught`).

# %% tags=["topic:K01"]
rows = [one for one in published() if not one.is_fitted]
for kind in ("error", "error_as_taught"):
    errors = [abs(getattr(one, kind)) for one in rows]
    within = f"{sum(e < 0.3 for e in errors)} of {len(rows)} within 30 %"
    print(f"{kind}: median {np.median(errors):.0%}, {within}")
largest = {one.source: one for one in sorted(rows, key=lambda one: abs(one.error))}
print("\nmeasured   computed    error   the largest error of each source")
for one in largest.values():
    print(f"{one.measured:8.4g} {one.computed():10.4g} {one.error:+8.0%}   {one.name} ({one.unit})")

# %% tags=["solution-only"]
assert len(largest) == 8

# %% [markdown] tags=["topic:K01"]
# Six of these eight are too kind: more tokens/s than measured, or less time. No row tests a pair of pools or drafts.
# So take no absolute number from here without a margin of a third, and measure two points of your own before you buy eight cards.

# %% [markdown] tags=["topic:K01", "optional"]
# ### Why the rows differ (optional)
#
# The rows, the nine single streams at the top with a share of the bandwidth and a floor that were fitted to two
# others of the same machine (A100 cards held to 330 W, no switch). Three of the largest errors have one reason:
# long generations on TensorRT-LLM of 2023, where caches
# rule a step. The model lets attention read them at 0.8 of the bandwidth, and kernels of that year reached a
# fraction of it. Narrow weights err in the same direction, and with this chapter's constants by factors of 1.7 and
# 2.2: unpacking costs time that bytes do not show. Over PCIe between two groups all-reduces take three times as long as
# computed. The two decode pools with experts (2025) agree better than the model deserves: half of its step is
# all-to-alls, which those engines hide behind computing. Where prompts rule, half of the arithmetic is a round figure.
# Of pools and drafts the published gains do not state all that the model needs.

# %% tags=["topic:K01", "optional"]
print("measured   computed    error   as here   what, and why it differs")
for one in rows:
    told = f"{one.error:+8.0%} {one.error_as_taught:+9.0%}"
    print(f"{one.measured:8.4g} {one.computed():10.4g} {told}   {one.name} ({one.unit})")

# %% [markdown] tags=["topic:Q09"]
# ## What to do on Monday morning
#
# 1. **Write the promise down first**: TTFT and TPOT at a percentile, and the rate. Without it no layout is best.
# 2. **Fill the smallest copy that fits, then compare.** In vLLM `--tensor-parallel-size`,
#    `--pipeline-parallel-size`, `--data-parallel-size` and `--enable-expert-parallel`; SGLang has `--tp-size`,
#    `--dp-size`, `--ep-size`.
# 3. **Measure the floor of your all-reduce** (`nccl-tests`, a few KB, not only gigabytes), and keep tensor
#    parallelism inside a host.
# 4. **Tune the chunk budget before you split pools.** It is one flag, `--max-num-batched-tokens`.
# 5. **Switch drafts off by the batch**, and judge narrow weights on your own task.
#
# **Outlook, as of November 2026.** Three things move these lines: experts spread over many hosts (DeepSeek-V3,
# December 2024), all-reduces across hosts, 1.9 to 3.6 times shorter than NCCL's for the messages of decode (NVRAR,
# arXiv 2511.09557, November 2025), and drafters trained on the target's own hidden states (EAGLE-3, 2025: up to 6.5
# times for one user, 1.4 times the throughput at batch 64). Each changes a constant of this chapter, none a formula.

# %% [markdown]
# ## Sources
#
# - M. Shoeybi and others, *Megatron-LM*, 2019: two all-reduces a layer. P. Patarasuk and X. Yuan, *Bandwidth
#   optimal all-reduce algorithms*, 2009.
# - Y. Huang and others, *GPipe*, NeurIPS 2019: the bubble.
# - Y. Zhong and others, *DistServe*, OSDI 2024. P. Patel and others, *Splitwise*, ISCA 2024.
# - A. Agrawal and others, *Sarathi-Serve*, OSDI 2024: chunked prefill, the opponent.
# - A. Q. Jiang and others, *Mixtral of experts*, 2024: no topics in the routing.
# - Y. Leviathan, M. Kalman and Y. Matias, *Fast inference from transformers via speculative decoding*, ICML 2023.
# - J. Lin and others, *AWQ*, 2023: scales from what a calibration text shows.
