# ---
# jupyter:
#   course:
#     order: 5
#     slug: prefill_and_decode
#     title: Prefill and decode
#     question: What does a token wait for, and who pays when thirty-two users share a GPU?
#     minutes: 75
#     needs: [two_numbers, batching_sweep]
#     folder: notebooks
#     gpu: false
#     small: {most_tokens: 64, repeats: 2}
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown] tags=["topic:A10", "topic:A09"]
# One user, alone on an H100, gets 207 tokens a second from an 8B model. Tomorrow 32 users share that
# GPU. Somebody divides: 207 / 32 is six tokens a second for each. "We need 32 GPUs."
#
# Before you sign the order: when you are through, you can answer three questions at a whiteboard.
#
# 1. What does a token wait for, memory or arithmetic, and where does that change?
# 2. Why is reading a prompt another kind of work than writing an answer?
# 3. Which claims about tokens per second are impossible, and which technique speeds up what?
#
# Nothing here needs a GPU. You need two numbers of a device (bytes a second, operations a second) and
# two of a model. New words stand in bold; the glossary at the end of `docs/cards.html`
# keeps them.

# %%
import os

import numpy as np

os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")  # before torch: waiting threads sleep
import torch

from labutils import llm, measure
from labutils.engine import Engine
from labutils.engine.model import LlamaModel, small_spec
from labutils.exercises import check, hint, outcome, piece, predict, reveal
from labutils.laws.batching import fit_affine
from labutils.serving.checkpoints import course_model
from labutils.viz import show
from labutils.viz.explorers.decode_step import decode_step_explorer
from labutils.viz.figures import roofline as figures
from labutils.viz.figures.generation import generation

# %% tags=["parameters"]
seed = 5  # of the small model that is measured here
most_tokens = 256  # in one measured pass
repeats = 5  # of each measured pass

# %% [markdown] tags=["topic:B19", "topic:B21", "topic:G01"]
# ## How does a language model write?
#
# It writes one **token** at a time, a word or a piece of one. Every pass through the model takes tokens in
# and yields the next one.

# %% tags=["topic:B19", "topic:B21"]
show(
    generation(["A", "queue", "grows", "when"], ["load", "nears", "one", "."]),
    alt="Four passes from left to right. The first, the prefill, takes all four tokens of the prompt "
    "and yields the first token of the answer. Three decode steps follow; each takes the token before "
    "it and yields the next. Below, the KV cache grows from 4 to 7 columns.",
)

# %% [markdown] tags=["topic:B19", "topic:B21", "topic:G01"]
# **Prefill** is the first pass: it takes the whole prompt at once and yields the first token. Then comes a
# loop. Each **decode step** takes the newest token alone and yields the next one.
#
# Why is one token enough? Inside the model, each layer makes three vectors of every token. The query asks,
# and it is compared with the **keys** of all tokens so far; the answer is a mixture of their **values**. A
# token's key and value never change afterwards. So the model stores them: that store is the **KV cache**.
# A decode step adds one column to it and reads all the others.
#
# One layer of a real model, and its weights:

# %% tags=["topic:B21", "topic:G01"]
model, h100 = llm.model("Llama-3.1-8B"), llm.accelerator("H100 SXM")
h, d_head = model.hidden_size, model.head_dim
query, key = model.num_heads * d_head, model.num_kv_heads * d_head
layer = {"queries": h * query, "keys": h * key, "values": h * key, "output": query * h}
layer |= {"feed-forward": 3 * h * model.ffn_size}
for name, weights in layer.items():
    print(f"{name:14}{weights / 1e6:7.1f} million weights")

# %% tags=["topic:B21", "topic:G01"]
tables = 2 * model.vocab_size * h  # a row for each token, into the model and out of it
print(
    f"{model.layers} layers of them, and two tables: "
    f"{(model.layers * sum(layer.values()) + tables) / 1e9:.2f} billion; P = {model.parameters:,}"
)
kv = 2 * model.layers * key * 2  # key and value, in every layer, two bytes a number
print(
    f"cache of one token: 2 vectors × {model.layers} layers × {key} numbers × 2 bytes = {kv:,} bytes"
)

# %% [markdown] tags=["topic:B21", "topic:G01"]
# Three numbers of this table carry the chapter.
#
# - $P$, the **parameters**: 8.03 billion. A pass multiplies each with its token once and adds the product
#   once. That makes $2P$ operations for every token.
# - $k$, the cache of one token: 131,072 bytes.
# - $d\,\ell$, the width of all queries times the layers. It sets what attention itself computes.
#
# Keys are narrower than queries here: 32 query heads share 8 KV heads. That is **GQA**, grouped-query
# attention, and it makes the cache four times smaller.
#
# **One step by hand.** On an H100, which reads 3.35 TB/s, with 2 users of 1,000 tokens each:
#
# | what is read | bytes | time |
# | --- | --- | --- |
# | weights, once for both: 2 bytes × 8.03 billion | 16.06 GB | 4.79 ms |
# | caches: 2 × 1,000 × 131,072 | 0.26 GB | 0.08 ms |
# | the step | 16.32 GB | 4.87 ms |
#
# Both users get a token after 4.87 ms. One user alone would have waited 4.83 ms.

# %% [markdown] tags=["topic:A10", "topic:A09"]
# ## What does each of 32 users get?
#
# The model is Llama-3.1-8B with 16-bit weights, each user has 1,024 tokens of context, and the answers
# of all 32 grow by one token at a time, together. How many tokens a second does **each** user get?
# Commit to a number, or to a range that you are 80 % sure of.

# %%
### BEGIN SOLUTION
predict("phases.thirty_two_users", low=50, high=200)
### STUB predict("phases.thirty_two_users", ...)
### END SOLUTION

# %% tags=["topic:A09", "topic:A10", "topic:B21"]
alone, shared = (llm.decode_step(model, h100, users, context_tokens=1024) for users in (1, 32))
print(f"one step: alone {1000 * alone.time_s:.2f} ms, of 32 {1000 * shared.time_s:.2f} ms")
outcome("phases.thirty_two_users", shared.tokens_per_s_per_request)

# %% [markdown] tags=["topic:A09", "topic:A10", "topic:A06"]
# ### With thirty-two users, each keeps four fifths of the speed

# %%
show(
    figures.sharing(model, h100, context=1024, users=32),
    alt="Two panels against the number of users, 1 to 512 on a log axis. Each user's rate falls from "
    "207 tokens a second alone to 165 with 32 users and 66 with 256. All together: 207, then 5,266, "
    "then 17,009. Beyond 476 users the caches do not fit the card's 80 GB; that part is shaded.",
)

# %% [markdown] tags=["topic:A09", "topic:A10", "topic:A06", "topic:B21"]
# One step makes one token for *every* user. So two rates follow from one step time: each user's,
# $1/t$, and the device's, $B/t$ for a batch of $B$. Who quotes "throughput = 1 / TPOT" quotes the
# device at batch 1: here 32 times too little. (TPOT, the time per output token, is that step time as
# the user sees it.)
#
# Where do the step times come from? From two divisions: bytes by bandwidth, and operations by peak.

# %% [markdown] tags=["topic:D01", "topic:B21", "topic:D11"]
# ## A step takes the longer of two times
#
# To make a token, the weights of the model must pass from the device's memory through its arithmetic
# units once. That takes $W/\beta$ seconds, with $W$ the bytes of the weights and $\beta$ the memory
# bandwidth in bytes per second. The batch shares this one reading.
#
# Attention also reads the KV cache, $k$ bytes for each token of context. Each user has a cache of their
# own, so nobody shares that reading. With $B$ users of $C$ tokens each:
#
# $$t_\text{read} = \frac{W + B\,C\,k}{\beta}, \qquad t_\text{compute} = \frac{2\,P\,B}{F},
# \qquad t = \max(t_\text{read},\; t_\text{compute}).$$
#
# $2P$ is the arithmetic of one token, from above. $F$ is
# the peak rate in operations per second. Reading and computing overlap, so the longer time wins. This
# is the **roofline** (Williams, Waterman and Patterson 2009). It assumes that both peaks are reached,
# so it is a floor, to a few per cent (the end of the chapter says what it leaves out): real steps are longer.

# %% tags=["topic:B21"]
step = llm.decode_step(model, h100, 1, context_tokens=1000)
print(f"one user: reading {1000 * step.bytes_time_s:.2f} ms, "
      f"computing {1000 * step.flops_time_s:.3f} ms")  # fmt: skip

# %% [markdown] tags=["topic:B21", "topic:D11"]
# ### Is decode nothing but KV reads?
#
# One formula says so: bytes per token are the KV cache's, and TPOT is those bytes over the
# bandwidth. Put the numbers in.

# %% tags=["topic:B21", "topic:D11"]
by_kv_alone = h100.bandwidth_bytes_per_s / step.kv_bytes
print(f"KV alone: {by_kv_alone:,.0f} tokens/s; with the weights: {step.tokens_per_s:.0f}")
print(f"the formula is {by_kv_alone / step.tokens_per_s:.0f} times too fast")
equal = llm.kv_equals_weights_tokens(model)
print(f"KV traffic equals the weights' at B · C = {equal:,.0f} tokens:")
for context in (1000, 8000, 64_000):
    print(f"  {context:6,} tokens each: {equal / context:6.1f} users")

# %% [markdown] tags=["topic:B21", "topic:D11"]
# The weights are missing, and for a lone user they are nearly everything. The formula comes
# within a factor of two at 122,000 tokens of context in the batch, in however many requests: from there on
# most bytes are KV. So there are *two* places where the picture changes: one where arithmetic takes longer than
# reading, one where KV takes longer than weights. Find both.

# %% [markdown] tags=["topic:D01", "topic:D11"]
# ## Where are the two ridges?
#
# Two bars, read and compute; the longer one is the step. Each setting that you visit leaves a mark on
# the map below them, in the colour of what binds there.
#
# 1. At 1,024 tokens of context, raise the batch. When does KV overtake the weights?
# 2. Does arithmetic ever win at 1,024 tokens? Go to a batch of 512, and shorten the context until it does.
# 3. Switch to *W8A16*: weights in 8 bits, arithmetic still in 16. Which bar shrinks, and which ridge
#    moves? And with *8 bits* throughout?
# 4. Only then tick *draw the ridges*, and try another device. (1: at 128. 2: never; with 512 users from 128
#    tokens down. 3: the weights' bar, and both ridges halve; with 8 bits throughout they are back.)

# %% tags=["nbval-ignore-output"]
explorer = decode_step_explorer()
explorer

# %% [markdown] tags=["topic:D01"]
# ### One ridge hides the other
#
# Set the two times equal without any cache: $W/\beta = 2PB/F$. With $b$ bytes per weight, $W = bP$, and
# the number of parameters cancels:
#
# $$B_\text{compute} = \frac{F\,b}{2\,\beta} .$$
#
# The second ridge is where $B\,C\,k = W$. And there is a catch: each user brings arithmetic *and* a
# cache. Once a user's cache takes longer to read than a user's token takes to compute, more users only
# widen the gap.

# %% tags=["topic:D01", "topic:D11"]
print("users from which arithmetic binds, with 0, 128, 256 tokens each; never above … tokens")
for name in ("A100 80 SXM", "H100 SXM", "H200 SXM"):
    chip = llm.accelerator(name)
    # while a user's 2 P operations are computed, so many bytes are read: the user's cache uses some
    meanwhile = 2 * model.parameters / chip.peak() * chip.bandwidth_bytes_per_s
    ridges = [model.weight_bytes() / (meanwhile - context * kv) for context in (0, 128, 256)]
    print(f"{name:12}" + "".join(f"{users:7.0f}" for users in ridges) + f"{meanwhile / kv:12.0f}")

# %% [markdown] tags=["topic:D01"]
# So the "batch 295" of the H100 holds without any context. With 256 tokens each it takes 770 users, and
# above 415 tokens (421 if you count attention's own arithmetic) **decode of this model never becomes
# compute-bound**, whatever the batch. "A batch of 64 is almost as fast as one" is true while 64 is far below
# that ridge, and the caches' $B\,C$ tokens far below 122,000.

# %% tags=["solution-only"]
binding = [llm.decode_step(model, h100, 10**7, context).binding for context in (420, 421)]
assert binding == ["flops", "bytes"]

# %% [markdown]
# *Checkpoint, 18 minutes. One idea so far: a step costs the longer of two times, and weights are read
# once for all. Next: the same on a machine that you can touch.*

# %% [markdown] tags=["topic:D11", "topic:D01", "optional"]
# ### "The GPU is 100 % busy, so it is used up" (optional)
#
# The utilisation gauge of a GPU shows the share of time in which *any* kernel runs. A lone user keeps
# it at 100 %. What are the two resources doing meanwhile?

# %% tags=["topic:D11", "optional"]
print("users   gauge   bandwidth used   arithmetic used")
for users in (1, 32, 256):
    step = llm.decode_step(model, h100, users, 1024)
    reading, computing = step.bytes_time_s / step.time_s, step.flops_time_s / step.time_s
    print(f"{users:5} {100:6} % {100 * reading:14.0f} % {100 * computing:15.1f} %")

# %% [markdown] tags=["optional"]
# At batch 1 the arithmetic units idle for 99.7 % of the time that the gauge calls busy. The
# arithmetic of the next 31 users fits into it. Look at tokens per second against the ceiling, not at the gauge.

# %% [markdown] tags=["topic:D11"]
# ## Does your own machine obey?
#
# In chapter 04 you measured batches and fitted $c_0 + c_1 B$. Where do the two constants come from?
# First the two rates of this machine (of its GPU, if there is one): how many bytes a second it copies,
# and how many operations a second a large matrix product reaches. They are the **effective** bandwidth
# and peak, measured, not printed on a box. They go into your machine profile, which later chapters and
# labs use.

# %% tags=["nbval-ignore-output", "topic:D11"]
device = "cuda" if torch.cuda.is_available() else "cpu"
copied, multiplied = measure.copy_bandwidth(device), measure.matrix_rate(device)
bandwidth, peak = copied.high_per_s, multiplied.high_per_s  # at their best: for a floor
profile = measure.MachineProfile.load(device=device).with_copy_bandwidth(copied)
profile = profile.with_matrix_rate(multiplied)
profile.save()
print(f"{bandwidth / 1e9:.1f} GB/s, {peak / 1e9:.0f} GFLOP/s in 32 bits: {profile.machine}")
assert bandwidth > 0 and peak > 0

# %% [markdown] tags=["topic:D11"]
# ### Build: the ridge of a machine
#
# From how many tokens in one pass does arithmetic take longer than reading the weights? Write the
# function; caches are left out. `bandwidth` is in bytes per second, `flops_per_s` in operations per
# second. Leave the number as it comes out, unrounded.


# %%
def ridge_tokens(bandwidth, flops_per_s, bytes_per_weight):
    """Return the number of tokens in a pass at which computing takes as long as reading."""
    ### BEGIN SOLUTION
    return flops_per_s * bytes_per_weight / (2 * bandwidth)
    ### END SOLUTION


# %%
check("phases.ridge", ridge_tokens)

# %% [markdown]
# Stuck? `hint("phases.ridge")` gives up to three hints, `reveal("phases.ridge")` explains.
#
# Now a model of the same family, small enough for a laptop and too large for its caches. The next
# cells time passes over `n` tokens in two ways: as a *decode step*, `n` users with one token each, and
# a *prefill*, one prompt of `n` tokens. This model keeps no cache yet: a pass computes what it is given
# and nothing else. The quickest of the runs count, those that no other program disturbed.

# %%
shapes = {"layers": 2, "hidden_size": 1024, "num_heads": 8, "head_dim": 128, "ffn_size": 3072}
small = LlamaModel(small_spec(**shapes), seed=seed, device=device)  # 25 million weights
tokens, wait = torch.arange(most_tokens, device=device), measure.synchronizer(device)
sizes = [n for n in (1, 4, 16, 64, 256) if n <= most_tokens]

# %% tags=["nbval-ignore-output"]
passes = {("decode", n): lambda n=n: small(tokens[:n, None]) for n in sizes}
passes |= {("prefill", n): lambda n=n: small(tokens[None, :n]) for n in sizes}
with torch.inference_mode():
    timings = measure.timed_in_turn(
        passes, repeats=repeats, warm_up=1, min_total_s=0, synchronize=wait
    )
for n in sizes:
    one_each, one_prompt = (1000 * timings[way, n].low_s for way in ("decode", "prefill"))
    print(f"{n:4} tokens: {one_each:6.1f} ms as a step, {one_prompt:6.1f} ms as a prompt")
assert all(timing.low_s > 0 for timing in timings.values())

# %% [markdown] tags=["topic:D01"]
# ### The machine sees tokens, not phases
#
# The two columns agree, within what the machine scatters (a busy one: measure again). A pass over `n` tokens is the same work
# whether they belong to `n` users or to one prompt: the weights are read once and used `n` times.
# **Prefill and decode differ in how many tokens they bring to a pass**, and in nothing else that
# matters here. A prompt brings hundreds at once; an answer brings one, because the next one is not
# known before this one is drawn. The batch is how decode gets its tokens.
#
# And the constants? The floor of a pass is $W/\beta$, and each token beyond the ridge adds $2P/F$.
#
# The ridge is quoted in two units. In *tokens in a pass* it is what your function returns, $Fb/2\beta$. In
# *operations per byte* it is the machine's alone, $F/\beta$, and that is the axis of a roofline. At two
# bytes a weight the two numbers are the same, which is why they are often mixed up. Here a weight has four
# bytes, and the first is twice the second.

# %% tags=["nbval-ignore-output", "topic:D11"]
weights = small.spec.weight_bytes(4)  # 32-bit weights: four bytes each
times = np.array([timings["decode", n].low_s for n in sizes])
# a pass that beats the copy or the product: they were disturbed, and it is the roof
bandwidth = max(bandwidth, weights / times.min())
peak = max(peak, *(2 * small.spec.parameters * np.array(sizes) / times))
ridge = piece("phases.ridge", ridge_tokens)(bandwidth, peak, 4)
fit = fit_affine(sizes, times).model
print(f"your ridge: {ridge:.1f} tokens in a pass, or {peak / bandwidth:.2g} operations per byte")
print(f"c0: {1000 * fit.fixed_s:5.1f} ms fitted, reading takes {1000 * weights / bandwidth:.1f} ms")
per_token = 2 * small.spec.parameters / peak
print(f"c1: {1000 * fit.per_item_s:5.2f} ms fitted, arithmetic takes {1000 * per_token:.2f} ms")
if not all(timing.is_steady for timing in timings.values()):
    print("The runs scatter: something else keeps this machine busy. Stop it, and measure again.")
elif fit.per_item_s < 0.9 * per_token:
    print("Fitted faster than the peak allows: the peak was measured on a busier machine. Again.")
assert 0 <= fit.per_item_s < times.max()

# %% tags=["nbval-ignore-output", "topic:D11", "optional"]
before = profile.batch_fit  # what chapter 04 kept, if you ran it here
inputs, outputs = 1536, 6144  # its network: two matrices of this shape
if before:
    read_ms = 1000 * 2 * inputs * outputs * 4 / bandwidth
    compute_ms = 1000 * 2 * 2 * inputs * outputs / peak
    fixed, each = 1000 * before.model.fixed_s, 1000 * before.model.per_item_s
    print(f"chapter 04, c0: {fixed:.2f} ms fitted, reading takes {read_ms:.2f} ms")
    print(f"chapter 04, c1: {each:.3f} ms fitted, arithmetic takes {compute_ms:.3f} ms")
    if each < 0.9 * compute_ms:
        print(
            "That is faster than this peak allows: one of the two was measured on a busy machine."
        )
else:
    print("Chapter 04 has left no fit on this machine.")
assert profile.copy_bandwidth_bytes_per_s > 0

# %% tags=["nbval-ignore-output", "topic:D11"]
roof = figures.Roof("this machine", bandwidth, peak)
work = 2 * small.spec.parameters
dots = [figures.Dot(f"{n}", work * n, weights, time) for n, time in zip(sizes, times)]
show(
    figures.roofline(
        roof, dots, title="Your machine: tokens in a pass, against its roof", role="measurement"
    ),
    alt="Roofline of this machine, log-log: operations per second against operations per byte. The "
    "measured passes rise with the number of tokens in them and flatten below the roof.",
)

# %% [markdown] tags=["topic:D11"]
# $c_1$ is what one more token's arithmetic takes: on a quiet processor its two figures lie close
# together.
#
# $c_0$ is what a pass costs before any arithmetic counts, and reading the weights is its
# floor. Expect it **higher**, on a quiet machine two to three times. A processor's library copies the weights into
# another order before it multiplies by more than one row, which is a second pass over memory: look at
# the jump from 1 to 4 tokens. And on a GPU a model this small waits for its kernels to be started.
#
# The distance between dots and roof is what an engine can still win.
#
# *Checkpoint, 31 minutes. Second idea: prefill brings many tokens to a pass, decode one per user.
# Next: what that makes of a user's waiting.*

# %% [markdown] tags=["topic:B20", "optional"]
# ### Without a cache every token pays for all before it (optional)
#
# Your small model keeps nothing, so to append token 101 it must pass 101 tokens through again. Your
# own measurements say what that costs, against a pass with one token that finds the rest in a cache.

# %% tags=["nbval-ignore-output", "topic:B20", "optional"]
lengths = np.arange(1, most_tokens + 1)
prompt_s = [timings["prefill", n].low_s for n in sizes]
again = np.interp(lengths, sizes, prompt_s).sum()
once = most_tokens * timings["decode", 1].low_s
print(f"{most_tokens} tokens, all recomputed each time: {again:.1f} s")
print(f"{most_tokens} tokens, one each time: {once:.1f} s (reading the cache not counted)")
assert again > once

# %% [markdown] tags=["topic:B20", "optional"]
# Without a cache an answer of $n$ tokens passes $n(n+1)/2$ tokens through the model: the *square* of
# its length. With one, each step computes one token and reads what is stored. A cache trades
# arithmetic for memory, and then a step of decode takes as long as its reading.

# %% [markdown] tags=["topic:B19"]
# ## The prompt doubles: what does the first token cost?
#
# Attention compares each token of a prompt with all before it, so prefill is often called quadratic. Your users'
# prompts grow from 2,048 to 4,096 tokens. By which **factor** does the arithmetic before the first
# token grow?

# %%
### BEGIN SOLUTION
predict("phases.doubled_prompt", low=2, high=4)
### STUB predict("phases.doubled_prompt", ...)
### END SOLUTION

# %% tags=["topic:B19"]
single, double = (llm.prefill_flops(model, n).total for n in (2048, 4096))
outcome("phases.doubled_prompt", double / single)
print(" prompt   attention's share   time on an H100 at half its peak")
for n in (2048, 4096, 8192, 32_768, 131_072):
    share = llm.prefill_flops(model, n).attention_share
    time_s = llm.prefill_time_s(model, h100, n, flops_share=0.5)
    print(f"{n:7,} {100 * share:17.0f} % {1000 * time_s:20,.0f} ms")

# %% [markdown] tags=["topic:B19"]
# ### Twice the prompt is 2.06 times the work, not four times
#
# $$\text{FLOP}_\text{prefill} = \underbrace{2\,P\,n}_{\text{weights' matrices}} +
# \underbrace{2\,n^2\,d\,\ell}_{\text{attention, causal}}$$
#
# with $n$ tokens, $\ell$ layers, and $d$ the query heads times their size: 32 times 128. *Causal* says that a
# token sees only those before it, which halves the square. The square is there, and its coefficient is
# small. Both terms are equal at $n = P/(d\,\ell)$.

# %%
show(
    figures.prompt_arithmetic(model),
    alt="Operations of a prefill against the length of the prompt, log-log. The weights' matrices are "
    "a line of slope 1, attention one of slope 2 that starts far below and crosses at 61,000 tokens.",
)

# %% [markdown] tags=["topic:B19", "topic:A05"]
# The share of the peak that a prefill reaches is an assumption, here one half: put yours in. And a
# prompt shorter than the ridge gets no cheaper: it waits for the weights, like a decode step.

# %% [markdown] tags=["topic:D01", "optional"]
# ### On the roofline the two phases stand apart (optional)
#
# (The pass over a prompt is drawn at half of the peak.)

# %% tags=["topic:D01", "optional"]
steps = {users: llm.decode_step(model, h100, users, 1024) for users in (1, 32, 256)}
dots = [
    figures.Dot(f"batch {users}", step.flops, step.weight_bytes + step.kv_bytes, step.time_s)
    for users, step in steps.items()
]
prefill_s = llm.prefill_time_s(model, h100, 2048)
dots.append(figures.Dot("prefill, 2,048 tokens", single, model.weight_bytes(), prefill_s))
show(
    figures.roofline(
        figures.Roof("H100", h100.bandwidth_bytes_per_s, h100.peak()), dots,
        title="A prompt is read under the flat roof, answers are written on the slope",
    ),
    alt="Roofline of an H100, log-log. Decode with 1, 32 and 256 users lies on the slope at 1, 26 and 84 "
    "operations per byte, prefill at 2,100, to the right of the ridge at 295.",
)  # fmt: skip

# %% [markdown] tags=["topic:A05", "topic:A06", "topic:A07", "topic:A08", "topic:D03", "topic:O18"]
# ## What a user waits for
#
# Two numbers describe a stream. **TTFT**, time to first token, runs from the arrival: waiting in a
# queue, waiting for a batch to form if the server has such a window, tokenising, the prefill, the
# network. **TPOT** is the mean time per output token *after the first*, $(t_n - t_1)/(n-1)$. The gaps one
# by one are the **ITL**. Then the answer of $n$ tokens is complete after
#
# $$\text{E2E} = \text{TTFT} + (n - 1)\cdot\text{TPOT} .$$
#
# $n-1$, because the first token is inside the TTFT: the prefill's last position yields it. Leave no
# part out because it is small *elsewhere*: a prompt of 50 tokens is prefilled in the 4.8 ms that reading
# the weights takes, and 5 ms of slow tokenising then double the wait.

# %% [markdown] tags=["topic:A07", "topic:A08", "optional"]
# ### One answer, measured (optional)
#
# The course brings an engine and a small model with it, trained on the course's own prose. (In labs 2 to 6
# you write such an engine yourself.) Here they write one answer on your machine:

# %% tags=["nbval-ignore-output", "topic:A07", "topic:A08", "optional"]
writer, tokenizer = course_model(device=device)
engine = Engine(writer, tokenizer=tokenizer, prefix_sharing=False)
opening = "Every request that runs holds pages. When the last page is taken, the scheduler"
_, answer = (engine.generate([opening], max_output_tokens=60)[0] for _ in ("warm-up", "measured"))

# %% tags=["nbval-ignore-output", "topic:A07", "topic:A08", "optional"]
ttft_ms, gaps_ms = 1000 * (answer.times_s[0] - answer.sent_s), 1000 * np.diff(answer.times_s)
print(f"{opening}{answer.text}\n")
print(
    f"TTFT {ttft_ms:.1f} ms for a prompt of {answer.prompt_tokens} tokens; TPOT {gaps_ms.mean():.1f} ms"
)
print(
    f"E2E {ttft_ms + gaps_ms.sum():.0f} ms = {ttft_ms:.1f} + {gaps_ms.size} × {gaps_ms.mean():.2f}"
)
floor_ms = 1000 * writer.spec.weight_bytes(4) / bandwidth
print(
    f"reading the weights takes {floor_ms:.2f} ms: {100 * floor_ms / np.median(gaps_ms):.0f} % of a step"
)
if np.quantile(gaps_ms, 0.9) > 2 * np.median(gaps_ms):
    print("The gaps scatter: something else keeps this machine busy.")
assert len(answer.times_s) == len(answer.answer) > 1

# %% [markdown] tags=["topic:D11", "optional"]
# The words sound like the course and mean little: two million weights are few. The clock is real. A step
# takes several times its roofline here, since the model is so small that the engine's own Python costs more
# than its arithmetic. That is the second row of the table in *Where the model breaks*, and it is why small
# models never reach the rates that a roofline promises.

# %% [markdown] tags=["topic:D03"]
# ### Prefill or decode: which part is longer?
#
# Let eight answers share the H100.

# %% tags=["topic:D03", "topic:A08"]
print("prompt  answer   prefill    decode   the longer part")
for name, prompt, answer in (
    ("chat", 1155, 211), ("code completion", 2048, 28), ("document, yes or no", 32_000, 3),
):  # fmt: skip
    prefill_ms = 1000 * llm.prefill_time_s(model, h100, prompt)
    decode_ms = 1000 * (answer - 1) * llm.decode_step(model, h100, 8, prompt).time_s
    who = "decode" if decode_ms > prefill_ms else "prefill"
    print(f"{prompt:6,} {answer:7} {prefill_ms:6.0f} ms {decode_ms:6.0f} ms   {who}: {name}")

# %% [markdown] tags=["topic:D03", "topic:O09"]
# "Prefill makes the TTFT, decode makes the total" is a rule for chats (the first two rows are the mean
# lengths of two public Azure traces of 2023). With long documents and short answers it turns round.
#
# And **streaming** shortens nothing: it lets the user read while decode goes on. It hides what comes
# after the TTFT, as long as tokens come faster than they are read; a program that needs the whole
# answer gains nothing.
#
# ### Spot the flaw: four promises for a chatbot
#
# | promise | target |
# | --- | --- |
# | TTFT | below 500 ms |
# | TPOT | below 30 ms |
# | complete answer of 500 tokens | below 3,000 ms |
# | p99 / p50 | below 3 |
#
# Suppose that the first two are just met. **How many tokens** has an answer that is complete after
# 3,000 ms?

# %% tags=["topic:M01"]
### BEGIN SOLUTION
tokens_in_time = 1 + int((3000 - 500) / 30)
### STUB tokens_in_time = ...
### END SOLUTION
check("phases.tokens_in_time", tokens_in_time)

# %% tags=["topic:M01", "topic:A07"]
print(f"500 tokens at these rates: {0.5 + 499 * 0.030:.1f} s")
needed_s = (3 - 0.5) / 499
users = max(b for b in range(1, 99) if llm.decode_step(model, h100, b, 1024).time_s <= needed_s)
print(
    f"500 tokens in 3 s need a TPOT of {1000 * needed_s:.2f} ms: at most {users} users on an H100"
)

# %% [markdown] tags=["topic:M01"]
# The table contradicts itself by a factor of five, and what it needs leaves a batch of five even on an
# ideal device. (And the ratio of p99 to p50 is no promise to a user at all: chapter 01.)

# %% [markdown] tags=["topic:D02", "topic:A05"]
# ## Does a prefill concern anybody else?
#
# "Prefill tuning has zero effect on decode." On a GPU that does nothing else, yes. Now let 32 answers
# run, and let a prompt of 8,192 tokens arrive. It can be read in one piece, or in pieces of 512 tokens
# with a decode step between two pieces. What do the 32 see, and what does the newcomer?

# %% tags=["topic:D02"]
step_ms = 1000 * llm.decode_step(model, h100, 32, 1024).time_s
edges = range(0, 8192, 512)
chunk_ms = [
    1000 * llm.prefill_time_s(model, h100, start + 512, cached_tokens=start) for start in edges
]
whole, pieces, calm = "in one piece", "in pieces of 512", [step_ms] * 8
gaps = {
    whole: np.array([*calm, sum(chunk_ms) + step_ms, *calm, *calm]),
    pieces: np.array([*calm, *(chunk + step_ms for chunk in chunk_ms), *calm]),
}
own = {whole: sum(chunk_ms), pieces: sum(chunk_ms) + (len(chunk_ms) - 1) * step_ms}

# %% tags=["topic:D02"]
show(
    figures.bystanders(gaps, own_ms=own),
    alt="Gaps between tokens of running answers against time. In one piece: one gap of about 308 ms "
    "among gaps of 6 ms. In pieces of 512 tokens: sixteen gaps of 23 to 27 ms. The prompt's own first "
    "token comes after 302 and 393 ms.",
)

# %% [markdown] tags=["topic:D02"]
# ### Chunked prefill protects the others, and its own first token pays
#
# The arithmetic is the same (and the cache of the earlier pieces is read again). The first token
# needs the *last* piece, so there is no "early streaming": the newcomer waits longer.
# (Less so where one pass holds piece and decode step: chapter 07.) What shrinks is the stall of all
# others, from 50 steps to about four.
#
# When prefill and decode share a device, every prefill delays the decode steps of all others. So whoever
# tunes one tunes the other. A prompt whose beginning is still cached helps them, too: its prefill is
# shorter.
#
# *Checkpoint, 44 minutes. You have both phases. Third idea: judge claims, bills and techniques by the
# bar that they move.*

# %% [markdown] tags=["topic:D11", "topic:A09"]
# ## Build: a check that rejects impossible claims
#
# A claim says: this model, this device, this batch, this context, so many tokens a second **in all**.
# Return **how many times too fast** it is: the claimed rate over the highest possible one. Above 1 it
# cannot be true. The claim is a dict with `tokens_per_s`, `batch`, `context_tokens`, `parameters`,
# `weight_bytes`, `kv_bytes_per_token`, `bandwidth` and `peak_flops`.


# %%
def sanity_check(claim):
    """Return the claimed tokens/s over the most that the device can do; above 1 is impossible."""
    ### BEGIN SOLUTION
    cache = claim["batch"] * claim["context_tokens"] * claim["kv_bytes_per_token"]
    read_s = (claim["weight_bytes"] + cache) / claim["bandwidth"]
    compute_s = 2 * claim["parameters"] * claim["batch"] / claim["peak_flops"]
    return claim["tokens_per_s"] * max(read_s, compute_s) / claim["batch"]
    ### END SOLUTION


# %%
check("phases.sanity_check", sanity_check)

# %% [markdown] tags=["topic:D11", "topic:E12"]
# Now judge. The first claim was found in an article, the second is the KV formula, the third is what
# the engine gpt-fast reports. The last two are one sentence, "25 streams at 5 ms per token are 5,000 tokens/s", at two context lengths.

# %% tags=["topic:D11"]
judge = piece("phases.sanity_check", sanity_check)
claims = (
    ("article: A100, one user", "A100 80 SXM", 1, 128, 3500),
    ("KV formula: H100, one user", "H100 SXM", 1, 1000, 25_600),
    ("gpt-fast: A100, one user", "A100 80 SXM", 1, 128, 93.9),
    ("25 streams, 200 tokens", "H100 SXM", 25, 200, 5000),
    ("25 streams, 1,024 tokens", "H100 SXM", 25, 1024, 5000),
)
shape = {"parameters": model.parameters, "weight_bytes": model.weight_bytes()}
for text, name, batch, context, rate in claims:
    chip = llm.accelerator(name)
    claim = {"tokens_per_s": rate, "batch": batch, "context_tokens": context, **shape}
    claim |= {"kv_bytes_per_token": kv, "peak_flops": chip.peak()}
    factor = judge(claim | {"bandwidth": chip.bandwidth_bytes_per_s})
    print(f"{text:27} {factor:6.4g} × the ceiling: {'impossible' if factor > 1 else 'possible'}")

# %% [markdown] tags=["topic:D11", "optional"]
# An impossible rate is seldom a lie. Ask what is not said: a batch, fewer bits, a draft model, a cached
# prompt, or a device's peak read off the wrong line. Three peaks as they are printed, against the
# dense ones:

# %% tags=["topic:D11", "optional"]
for name, precision, printed in (
    ("H200 SXM", "bf16", 1979), ("MI300X", "fp16", 2615), ("B200", "fp8", 9000),
):  # fmt: skip
    dense = llm.accelerator(name).peak(precision) / 1e12
    print(
        f"{name:8} {precision}: printed {printed:,} TFLOP/s, dense {dense:,.0f}: × {printed / dense:.2f}"
    )

# %% [markdown] tags=["topic:D11", "optional"]
# All three are twice as high as they should be: the data sheet's first line is for matrices with half of their entries zero
# in a fixed pattern.

# %% [markdown] tags=["topic:E12", "topic:A09", "optional"]
# ### Which rate does your benchmark print? (optional)
#
# The usual first script is offline:
#
# ```python
# from vllm import LLM, SamplingParams
# llm = LLM(model="meta-llama/Llama-3.1-8B-Instruct")
# outputs = llm.generate(prompts, SamplingParams(max_tokens=128))
# ```
#
# It hands in all prompts at once and ends when the last is done. Output tokens over wall time is then
# the **system throughput**. It contains prefills, the tail and whatever else the wall clock saw, and
# says nothing about anybody's latency. The **device throughput** of a decode step is another number:

# %% tags=["topic:A09", "topic:E12", "optional"]
prompt, length, users = 2048, 128, 32
prefill_s = users * llm.prefill_time_s(model, h100, prompt)
step = llm.decode_step(model, h100, users, prompt + length // 2)
wall_s = prefill_s + (length - 1) * step.time_s
print(f"decode steps alone: {step.tokens_per_s:,.0f} tokens/s")
print(f"output tokens over wall time: {users * length / wall_s:,.0f} tokens/s")
print(f"each user, while decoding: {step.tokens_per_s_per_request:.0f} tokens/s")

# %% [markdown]
# *Checkpoint, 56 minutes. You can reject a claim. What is left: its price, and what a technique moves.*

# %% [markdown] tags=["topic:B24", "topic:N01", "topic:N02", "optional"]
# ## Faster is not cheaper (optional)
#
# A million output tokens cost, with $g$ devices at $p$ dollars an hour, a rate of $r$ tokens/s from all
# of them while busy, and $u$ the share of the paid time in which they are:
#
# $$\frac{g\,p}{3600\,r\,u}\cdot 10^6 .$$
#
# The formula is usually quoted without $g$ and $u$. Prices here are illustrative (surveys of spring
# 2026; the middle of each range).

# %% tags=["topic:B24", "topic:N01", "topic:N02", "optional"]
print("device     users   tokens/s each   $ per million output tokens")
for name, users in (("H100 SXM", 1), ("H100 SXM", 32), ("H200 SXM", 32), ("RTX 4090", 32)):
    chip = llm.accelerator(name)
    step = llm.decode_step(model, chip, users, 1024)
    price = sum(chip.price_per_hour) / 2
    cost = llm.cost_per_million_tokens(price, step.tokens_per_s, utilization=0.6)
    print(f"{name:9} {users:6} {step.tokens_per_s_per_request:13.0f} {cost:21.3f}")

# %% [markdown] tags=["topic:N01", "topic:N02", "optional"]
# Batching divides the bill by 25. Between devices speed and price go separate ways: the slowest card of
# the table sells the cheapest tokens, if 50 tokens a second are enough and the model fits. Buy
# speed for a promise, and cost for a budget. (**Tokens per second per watt** is tokens per joule: at
# equal power 32 users get 25 times as many out of a joule.)

# %% [markdown] tags=["topic:G02"]
# ## Eight knobs, and which bar each one moves
#
# Engines offer many knobs for decode: batch size, maximum context, quantisation (fewer bits per number),
# speculation, graphs, prompt cache. Before you turn one, ask which bar it moves. Quantisation and GQA are
# arithmetic that you can do here, for a lone user with 1,024 tokens and for 64 users with 4,096:

# %% tags=["topic:G02"]
knobs = {
    "as it is": {},
    "8-bit weights": {"bytes_per_weight": 1},
    "8-bit KV": {"bytes_per_value": 1},
    "without GQA": {"bytes_per_value": 2 * 4},  # 32 KV heads, not 8: four times the cache
}

# %% tags=["topic:G02"]
print("                 lone user, 1k   64 users, 4k   prompt of 2,048")
for name, widths in knobs.items():
    lone, many = (
        1000 * llm.decode_step(model, h100, users, context, **widths).time_s
        for users, context in ((1, 1024), (64, 4096))
    )
    prompt_ms = 1000 * llm.prefill_time_s(model, h100, 2048)  # multiplied in 16 bits in each row
    step = llm.decode_step(model, h100, 64, 4096, **widths)
    needs = step.weight_bytes + step.kv_bytes
    mark = "" if needs <= h100.memory_bytes else f"  needs {needs / 1e9:.0f} GB of 80: no such step"
    print(f"{name:15} {lone:11.2f} ms {many:11.1f} ms {prompt_ms:14.1f} ms{mark}")

# %% [markdown] tags=["topic:G02", "topic:H04", "topic:H09", "topic:H10"]
# GQA is worth 2.5 % to the lone user. Without it the 64 would not fit the card at all: the table marks the
# row: a step that cannot run has no time. And GQA is no knob, but a decision made when the
# model was trained.
#
# 8-bit weights are worth a factor of two to the lone user and a sixth to
# the 64, whose step is KV. The last column does not move: weight-only quantisation multiplies in 16
# bits, and a prefill waits for multiplications. To speed *that* up, the arithmetic itself must be in
# 8 bits (W8A8: weights and activations in 8-bit integers; FP8: in 8-bit floating point).
#
# Continuous batching keeps the batch full (chapter 07), a shorter maximum context
# bounds what a user can cost. Speculation, graphs and the prompt cache are among the cards below.

# %% [markdown] tags=["topic:H01", "topic:H02", "topic:H03", "topic:H04", "topic:H05", "topic:H06", "topic:H07", "topic:H08", "topic:H09", "topic:H10", "topic:H11", "topic:H12", "topic:H13", "topic:H14", "topic:H15", "topic:H16", "topic:D10", "topic:O15", "topic:O18"]
# ### Sort sixteen techniques
#
# For each card: in which **phase** is the gain felt, `before` the first pass, in `prefill` or in `decode`? And what
# does it save: `flops` (arithmetic), `bytes` (traffic between memory and arithmetic units), `room` (memory
# capacity), `host` (the processor's time, or waiting for it), or nothing but the `order` of work?
# Two words per card, such as `"prefill flops"`. Where two are fair, either passes.
#
# | card | technique |
# | --- | --- |
# | a | Record the kernels of a decode step once and replay them with one call (CUDA graph). |
# | b | Find prompts that begin alike by a hash of their tokens and keep what they share. |
# | c | Store weights in 8 bits; turn them into 16 bits on the chip and multiply in 16 bits. |
# | d | Compute attention over the prompt tile by tile; never write the matrix of scores (FlashAttention). |
# | e | Tokenise in compiled code, several texts in parallel, without copying them. |
# | f | Store the KV cache in 8 bits, with one scale for each block. |
# | g | Read a long prompt in pieces; running answers make their steps between the pieces. |
# | h | Draw the next token on the device, where its logits (one number for each possible next token) are. |
# | i | Let several query heads share one KV head (GQA; decided when the model is trained). |
# | j | Record the pass over prompts of a few lengths, pad each prompt to one of them, replay. |
# | k | Let a small model draft five tokens; the large one checks them in one pass. |
# | l | Stage inputs in pinned memory, from which the device copies by itself; copy the next ones to the device while it still computes. |
# | m | Hold the KV cache in pages of equal size, taken when a sequence grows (paging). |
# | n | Fuse projections, rotation, softmax and gathering of one layer into a few kernels. |
# | o | Keep the first few tokens (the attention sinks) and a window of the last ones; drop the KV between them. |
# | p | Beam search (several candidate answers are followed at once): the candidates share the KV pages of their common beginning. |

# %%
### BEGIN SOLUTION
techniques = {
    "a": "decode host", "b": "prefill flops", "c": "decode bytes", "d": "prefill bytes",
    "e": "before host", "f": "decode bytes", "g": "decode order", "h": "decode host",
    "i": "decode bytes", "j": "prefill host", "k": "decode bytes", "l": "decode host",
    "m": "decode room", "n": "decode host", "o": "decode room", "p": "decode room",
}  # fmt: skip
### STUB techniques = {
### STUB     "a": ..., "b": ..., "c": ..., "d": ...,
### STUB     "e": ..., "f": ..., "g": ..., "h": ...,
### STUB     "i": ..., "j": ..., "k": ..., "l": ...,
### STUB     "m": ..., "n": ..., "o": ..., "p": ...,
### STUB }
### END SOLUTION
check("phases.techniques", techniques)

# %% [markdown] tags=["topic:D10", "topic:O15", "topic:H15", "topic:H13"]
# Two of the cards are often sold as something else. *Attention sinks* (card o) are listed as "cache
# warm-up" and as a trick for TPOT: they keep the quality of a cache that has been bounded by a window,
# and the bound is what saves memory. *Sampling* (card h) looks like a detail of arithmetic: one row of
# logits of this model is 0.5 MB against 16 GB of weights. But copying it to the processor makes the
# device wait for the processor at every token; a stall of 1 ms is a fifth of a step of 4.83 ms.

# %% [markdown] tags=["topic:D11", "topic:A09"]
# ## Where the model breaks
#
# | the roofline assumes | in reality | what changes |
# | --- | --- | --- |
# | both peaks are reached | gpt-fast: 69 % of an A100's bandwidth, by its own count of bytes; FlashAttention-2: 50 to 73 % of its arithmetic | put your measured shares in: `bandwidth_share`, `flops_share` |
# | nothing between kernels | launches, sampling, the scheduler's own time | a constant per step; it rules small models on fast devices |
# | all weights are read | of the input embedding (1.05 of the 16.06 GB) only a row per user is | the true ceiling lies up to 7 % higher: a claim at 1.05 is not refuted |
# | every weight is multiplied for every token | the input table is looked up, and the output table serves the last position of a prompt only | a prefill of 2,048 tokens needs 60 ms, not 69 (computed below) |
# | once, for all users | a mixture of experts reads those that the batch touches | the first users of a batch are *not* free: each brings new experts |
# | one device | tensor parallelism (each layer split over several devices) adds a synchronisation in each layer | a time per layer that no bandwidth shortens |
# | the batch is a number | users come and go, prompts interrupt | chapter 07 |
#
# The second row in numbers: kernels that neither read much nor multiply add 22 to 27 µs a layer on an H100, put
# together from published times of single kernels, and 24 to 52 where they were fitted to load tests of vLLM 0.15.1. So a
# model of 32 layers pays about 1 ms a step.

# %% tags=["topic:B19", "topic:D11", "optional"]
flops = llm.prefill_flops(model, 2048)
done = flops.total - 2 * tables * 2048 + 2 * tables / 2  # the output table, at one position
for what, amount in (("as counted above", flops.total), ("without the tables", done)):
    print(
        f"{what:19} {amount / 1e12:.1f} TFLOP, {1000 * amount / (0.5 * h100.peak()):.0f} ms at half the peak"
    )

# %% [markdown] tags=["topic:N02", "topic:M01", "topic:O09"]
# ## What to do on Monday morning
#
# 1. **Write down four numbers**: your model's weight bytes, its KV bytes per token, your device's
#    bandwidth, its dense peak. The floor of every step follows.
# 2. **Report the achieved share** of that floor next to every tokens-per-second figure, with batch and
#    context. A rate without both is not a measurement.
# 3. **Find your ridge in the explorer** for your context lengths. If KV binds, a larger batch buys
#    little and 8-bit KV a lot; if weights bind, it is the other way round.
# 4. **Check your promises against each other**: TTFT + (n − 1) · TPOT for your answer lengths.
# 5. **Look at the bystanders.** Plot the largest gap between tokens against the longest prompt that
#    arrived meanwhile.
# 6. **Before you adopt a technique, name the bar that it shortens**, and look whether that bar is the
#    long one.

# %% [markdown] tags=["topic:B24", "topic:N01", "optional"]
# ## More practice (optional, outside the minutes)
#
# **The bill.** Eight devices at 3 dollars an hour each make 12,000 output tokens a second together
# while they are busy. They are busy for 60 % of the paid time. What do a million output tokens cost?

# %% tags=["optional", "topic:B24"]
### BEGIN SOLUTION
bill = f"{8 * 3 / (12_000 * 3600 * 0.6) * 1e6} $"
### STUB bill = ...
### END SOLUTION
check("phases.bill", bill)

# %% [markdown] tags=["optional", "topic:M01"]
# **The largest batch under a promise.** Llama-3.1-8B in 16 bits on an H100 (3.35 TB/s), 2,048 tokens
# of context each. How many users may be in the batch if a step must not take longer than 12 ms, even at
# full bandwidth? (Its KV cache is 131,072 bytes a token, its weights are 16.06 GB.)

# %% tags=["optional"]
### BEGIN SOLUTION
largest = int((0.012 * 3.35e12 - 16.06e9) / (2048 * 131_072))
### STUB largest = ...
### END SOLUTION
check("phases.largest_batch", largest)

# %% [markdown] tags=["optional", "topic:K06"]
# **Does a second replica make anybody faster?** A lone request takes as long as before: its step is
# the same 4.83 ms. But of 32 users each replica serves a part:

# %% tags=["optional", "topic:K06"]
for replicas in (1, 2, 4):
    step = llm.decode_step(model, h100, 32 // replicas, 1024)
    print(f"replicas: {replicas}, {32 // replicas:2} users each: {1000 * step.time_s:.2f} ms per token, "
          f"{replicas * step.tokens_per_s:6,.0f} tokens/s in all")  # fmt: skip

# %% [markdown] tags=["optional", "topic:K06", "topic:D11"]
# Four times the bill shortens their step by a sixth: every replica reads all the weights again.
# Replicas are for *more* users, four times as many at the old speed. And they shorten *waiting*: the
# load of each falls, and with it the queue (chapter 03). So "replicas do nothing for one request's
# latency" is true of a lone request's service and false of its wait.
#
# **Are the first users of a mixture of experts free?** Each layer has 128 experts, of which a token
# visits eight; a batch reads those that any of its tokens visits.

# %% tags=["optional", "topic:D11"]
moe = llm.model("Qwen3-30B-A3B")
for users in (1, 8, 32, 128):
    touched = llm.expert_coverage(moe.experts.num, moe.experts.per_token, users)
    step = llm.decode_step(moe, h100, users, 1024)
    print(f"{users:3} users touch {touched:5.1f} of {moe.experts.num} experts a layer: "
          f"{1000 * step.time_s:5.2f} ms, {step.tokens_per_s_per_request:4.0f} tokens/s each")  # fmt: skip

# %% [markdown]
# ## Sources
#
# - S. Williams, A. Waterman and D. Patterson, *Roofline: an insightful visual performance model for
#   multicore architectures*, Communications of the ACM 52(4), 2009.
# - R. Pope and others, *Efficiently scaling transformer inference*, MLSys 2023; J. Austin and others,
#   *How to scale your model*, 2025: arithmetic and bytes of prefill and decode.
# - A. Agrawal and others, *Sarathi-Serve*, OSDI 2024: chunked prefill, and what it does to the gaps.
# - T. Dao and others, *FlashAttention*, 2022, and *FlashAttention-2*, 2023 (shares of the peak).
#   Y. Leviathan, M. Kalman and Y. Matias, *Fast inference from transformers via speculative decoding*,
#   ICML 2023. G. Xiao and others, *Efficient streaming language models with attention sinks*, ICLR 2024.
# - Azure public dataset, LLM inference
#   traces 2023 (CC BY 4.0): prompt and answer lengths. gpt-fast's README: 93.9 tokens/s, 1,411 GB/s.
# - Kernels of a layer on an H100: two normalisations of 3.1 µs (flashinfer-ai/flashinfer #960, 2025), rotation and
#   writing the cache 11.4 µs, fused 6.9 (vllm-project/vllm #52363, 2026), an activation of about 3 (assumed), and 1.3 µs for
#   each of five more to begin in a graph (Hazy Research, May 2025, as retold). Load tests of vLLM 0.15.1:
#   github.com/inference-sim/training, commit ed5c1d2.
# - Models and devices: `labutils.llm`, a source for each row in `data/models.json` and
#   `data/accelerators.json`.
