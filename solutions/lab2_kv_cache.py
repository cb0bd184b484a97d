# ---
# jupyter:
#   course:
#     order: 12
#     slug: kv_cache
#     title: KV cache
#     question: The cache must change nothing except time. How do you prove the nothing, and how much time is it?
#     minutes: 81
#     needs: [kv_cache_memory]
#     folder: labs
#     gpu: optional
#     small: {positions: [10, 100, 300], repeats: 2}
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# Somebody has written the shortest program that generates text: put all tokens through the model, take
# the most likely next one, append it, and again. It is right. The first words come at once; at word
# two thousand you watch every single one arrive.
#
# Today you write what every engine has in place of that loop: a **KV cache**, and the loop around it.
# It has one promise to keep: **the cache changes nothing except time.** So you prove equality first, to
# the ninth decimal, and measure speed afterwards. In the last third your cache becomes part of an
# engine: three functions of `labutils/engine/attention.py` are yours today, and stay yours.
#
# Every piece that you skip is taken from the workbook, so that you may enter anywhere. (Words that are new to
# you stand in the glossary at the end of `docs/cards.html`.)

# %%
import os

os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")  # before torch: waiting threads sleep

# %%
from collections.abc import Sequence

import numpy as np
import torch
from torch.nn import functional

from labutils import llm, measure
from labutils.engine import LlamaModel, small_spec
from labutils.exercises import check, hint, outcome, piece, predict, reveal
from labutils.exercises.catalog.kv_cache import design, field, inputs as drawn, trial, workbook
from labutils.exercises.catalog.kv_cache.memory.engine_step import engine_step
from labutils.serving.trials.gpu_runs import gpu_summary
from labutils.viz import show
from labutils.viz.explorers.token_time import token_time_explorer
from labutils.viz.figures.kv_cache import pair_counts
from labutils.workspace.my_engine import engine_map, my_engine

# %% tags=["parameters"]
seed = 7  # every random draw follows from it
device = "cpu"  # "cuda": the shape of Qwen3-0.6B in bfloat16, with random weights
positions = (10, 250, 500, 1000, 2000)  # of the tokens whose time is measured
repeats = 5  # runs of each

# %% [markdown]
# The model is small, with keys and values that are heavy beside its weights, as they are in a large
# model with long contexts. **The outputs in the solution edition come from a laptop-sized CPU.** Set
# `device = "cuda"` above, and the same cells run at full size.

# %%
on_gpu = device == "cuda"
small = small_spec(
    layers=2, hidden_size=256, num_heads=16, num_kv_heads=8, head_dim=64, ffn_size=512
)
spec = llm.model("Qwen3-0.6B") if on_gpu else small
number = {"dtype": torch.bfloat16 if on_gpu else torch.float32, "device": device}
model = LlamaModel(spec, **number)
numbers = torch.Generator().manual_seed(seed)
text = torch.randint(0, spec.vocab_size, (1, positions[-1] + 64), generator=numbers).to(device)
token_bytes = spec.kv_bytes_per_token(number["dtype"].itemsize)
print(f"{spec.parameters / 1e6:.3g} million weights, {token_bytes:,.0f} bytes of KV per token")

# %% [markdown]
# ## How does the time of one token grow with its position?
#
# Three programs write the same answer. One computes all tokens again in every step. One keeps keys and
# values and appends with `torch.cat`. One keeps them in memory that was taken beforehand. By which
# **factor** does token 2,000 take longer than token 10, in each? Commit to numbers, or to ranges that
# you are 80 % sure of: `predict("cache.recompute_growth", low=..., high=...)`.

# %%
### BEGIN SOLUTION
predict("cache.recompute_growth", low=30, high=200)
predict("cache.cat_growth", low=1.5, high=6)
predict("cache.room_growth", low=1, high=3)
### STUB predict("cache.recompute_growth", ...)
### STUB predict("cache.cat_growth", ...)
### STUB predict("cache.room_growth", ...)
### END SOLUTION

# %% tags=["nbval-ignore-output", "topic:B20"]
wait = measure.synchronizer(device)


def per_token(calls, repeats=repeats):
    """Time each call, round after round, so that a noisy moment hits all of them."""
    return measure.timed_in_turn(calls, repeats=repeats, warm_up=1, min_total_s=0, synchronize=wait)


naive = per_token({n: lambda n=n: model(text[:, :n], last_only=True) for n in positions}, 3)
for n, timing in naive.items():
    print(f"token {n:5,} by recomputing: {timing}")
print(
    f"tokens to compute: {positions[-1] / positions[0]:.3g} times as many at the last as at the first"
)
assert list(naive) == list(positions)
first, last = naive[positions[0]], naive[positions[-1]]
steady = first.is_steady and last.is_steady
outcome("cache.recompute_growth", last.median_s / first.median_s, steady=steady)

# %% [markdown] tags=["topic:B20"]
# To write one token, this program computes $n$ tokens: the whole sequence through all weights, and every
# pair of tokens in attention. Nearly all of it has been computed before.
#
# *On a GPU expect* a level stretch first, then the same rise: one token and a few hundred cost alike, since a
# step waits for its launches and its weights, and only beyond about a thousand tokens for arithmetic.
#
# ## The seam, and what must hold on either side of it
#
# The model leaves attention to you. In each layer it computes queries, keys and values of the tokens that
# it was given, turns queries and keys by their positions, and calls
#
# `attend(layer, query, key, value)`
#
# with `query` [batch, heads, new, head_dim], `key` and `value` [batch, KV heads, new, head_dim]. It wants
# the mixed values back, shaped like `query`. A cache is an `attend` with a memory. **The invariant:** feed
# a sequence in pieces of any size, and each token's logits are those of one pass over the whole.
#
# **One case by hand.** Three tokens are kept, and two new ones are fed. Token 3 may look at tokens 0 to 3,
# token 4 at all five:
#
# | | token 0 | 1 | 2 | 3 | 4 |
# | --- | --- | --- | --- | --- | --- |
# | token 3, new | yes | yes | yes | yes | no |
# | token 4, new | yes | yes | yes | yes | yes |
#
# ### Build 1: which keys may a token look at?
#
# Of `total` tokens the last `new` ones were just fed. Return that table as a bool tensor [new, total], for
# any two numbers: no token sees the future; each sees itself and all that lies before.


# %%
def visible(new, total):
    """Which of `total` keys each of the `new` last tokens may look at: bool [new, total]."""
    ### BEGIN SOLUTION
    return torch.ones(new, total, dtype=torch.bool).tril(total - new)
    ### END SOLUTION


# %%
check("cache.visible", visible)

# %% [markdown]
# Stuck? Put `hint("cache.visible")` into a cell of your own, up to three times; `reveal` explains.
#
# One rule, three uses: `new == total` is a prefill, `new == 1` a decode step, and anything between is a
# chunk of a prompt behind another.
#
# *Checkpoint, 13 minutes.*
#
# ### Build 2: attention, head by head
#
# Now the mix itself, in plain torch. Query head $h$ reads KV head $\lfloor h / g \rfloor$, where $g$ is the
# number of query heads that share one (grouped-query attention, chapter 06). For each query
#
# $$\text{mix} = \operatorname{softmax}\!\left(\frac{q\,K^\top}{\sqrt{d}} \text{, where visible}\right) V ,$$
#
# with $d$ the width of **one head**. `sees` is your `visible`, or the workbook's until yours passes; its
# mask has to lie where the queries lie: `.to(query.device)`.

# %% tags=["topic:D05"]
which = piece("cache.visible", visible)


def sees(new, total):
    """The mask as a tensor, whether it was built of arrays, of lists, or of tensors."""
    return torch.as_tensor(which(new, total))


# %% tags=["topic:D05"]
def mix(query, key, value):
    """[batch, heads, new, d] over [batch, KV heads, tokens, d]: mixed values like `query`."""
    ### BEGIN SOLUTION
    grouped = query.unflatten(1, (key.shape[1], -1))
    scores = torch.einsum("bkgnd,bktd->bkgnt", grouped, key) / query.shape[-1] ** 0.5
    allowed = sees(query.shape[2], key.shape[2]).to(query.device)
    weights = scores.masked_fill(~allowed, float("-inf")).softmax(-1)
    return torch.einsum("bkgnt,bktd->bkgnd", weights, value).flatten(1, 2)
    ### END SOLUTION


def mixed(seed, heads, kv_heads, old, new):
    """Your `mix` on drawn numbers: `new` queries behind `old` tokens, heads of width 2."""
    return drawn.mixed(mix, seed, heads, kv_heads, old, new)


# %%
check("cache.mix", mixed)

# %% tags=["topic:D05"]
mixing = mix if piece("cache.mix", mixed) is mixed else workbook.mix

# %% [markdown] tags=["optional", "topic:T13", "topic:D05"]
# **Confront, optional: "multi-head attention with a KV cache", from a lesson.** It shows a module with
# `num_heads` in its constructor, a cache, and two commented branches. Here is what it computes, brought to
# our seam. Its heads are claimed: does it have any? Is it causal? Compare it with yours on six tokens of
# width 512, eight heads of 64.

# %% tags=["optional", "topic:T13", "topic:D05"]
LESSON = {}


def lesson(layer, query, key, value):
    """As in the lesson: scores by the width of a head, a softmax, no further word."""
    query, key, value = (part.transpose(1, 2).flatten(2) for part in (query, key, value))
    LESSON["weights"] = torch.softmax(query @ key.mT / 64**0.5, dim=-1)
    return (LESSON["weights"] @ value).unflatten(2, (-1, 64)).transpose(1, 2)


q, k, v = drawn.numbers(seed, 3, 1, 8, 6, 64) / 3
whole = lesson(0, q, k, v)
stepwise = torch.cat(
    [lesson(0, q[:, :, i : i + 1], k[:, :, : i + 1], v[:, :, : i + 1]) for i in range(6)], dim=2
)

# %% tags=["optional", "topic:T13"]
lesson(0, q, k, v)
weights, gaps = LESSON["weights"], (whole - stepwise).abs().amax(dim=(0, 1, 3))
print("its weights:", tuple(weights.shape), " by heads they are (1, 8, 6, 6)")
print(f"its first token gives {100 * weights[0, 0, 1:].sum():.0f} % of its attention to the future")
print("all at once against one by one, token for token:", *(f"{gap:.2f}" for gap in gaps))

# %% tags=["optional", "solution-only"]
assert weights.shape == (1, 6, 6) and gaps[-1] < 1e-12 < gaps[0]
assert (mixing(q, k, v) - whole).abs().max() > 0.1

# %% [markdown] tags=["optional", "topic:T13", "topic:D05"]
# One head as wide as the model, under the name of eight, with the scale of a narrow one. No causal mask, so
# a prompt read at once and the same prompt read token by token are two different models. Only the last
# token agrees, and that is the one that a demonstration prints.
#
# Two assertions of a line each would have caught it: **the shape of the weights**, and **pieces equal the
# whole**, which is the invariant above.

# %% [markdown]
# *Checkpoint, 19 minutes. You have attention that is right for any number of new tokens. Next: keep.*

# %% [markdown] tags=["topic:D04", "topic:T13"]
# ## Keep keys and values: what for, and where?
#
# Keys and values of a token never change: its position is in them, and no later token alters them. So a
# cache is a method `keep(layer, key, value)` that stores the new ones and returns **all so far**, in
# order: [batch, KV heads, tokens so far, head_dim]. Mixing is done already:

# %% tags=["topic:T13"]


class Cache:
    """`attend` for the model: keep what is new, look at everything kept."""

    def __call__(self, layer, query, key, value):
        keys, values = self.keep(layer, key, value)
        return mixing(query, keys, values)


# %% [markdown] tags=["topic:D04", "topic:D05"]
# ### Build 3: a cache that appends
#
# A dict from layer to what is kept, and `torch.cat`. Every layer calls `keep` once in each step; the first
# call of a layer finds nothing.


# %%
class CatCache(Cache):
    """Appends with torch.cat."""

    def __init__(self):
        self.kept = {}

    def keep(self, layer, key, value):
        """Append; return all keys and all values of the layer."""
        ### BEGIN SOLUTION
        if layer in self.kept:
            key = torch.cat([self.kept[layer][0], key], dim=2)
            value = torch.cat([self.kept[layer][1], value], dim=2)
        self.kept[layer] = key, value
        return key, value
        ### END SOLUTION


def kept_by_cat(pieces, layers, first):
    """What your cache returns, piece by piece: keys that say whose they are, values negative."""
    return drawn.kept(CatCache(), pieces, layers, first)


# %%
check("cache.cat", kept_by_cat)

# %% [markdown] tags=["topic:D04"]
# The invariant on a whole model: three layers, six query heads on two KV heads, in float64. Seventeen
# tokens, fed in pieces of 9, 1, 4, 1, 1 and 1.

# %% tags=["topic:D04", "topic:T13"]
Cat = CatCache if piece("cache.cat", kept_by_cat) is kept_by_cat else workbook.CatCache
tiny = LlamaModel(small_spec(layers=3), dtype=torch.float64)
given = torch.randint(0, tiny.spec.vocab_size, (2, 17), generator=numbers)
cache, at, logits = Cat(), 0, []
for size in (9, 1, 4, 1, 1, 1):
    logits.append(tiny(given[:, at : at + size], torch.arange(at, at + size), attend=cache))
    at += size
gap = (torch.cat(logits, dim=1) - tiny(given)).abs().max()
print("pieces equal the whole to nine decimals:", bool(gap < 1e-9))

# %% [markdown] tags=["topic:D05", "topic:B20"]
# ### Build 4: the loop
#
# `generate` reads the prompt once (**prefill**), then feeds each new token alone (**decode**). It is the
# same call both times; only the number of new tokens differs. The model has to be told where its tokens
# stand: `model(tokens, positions, attend=cache, last_only=True)`, positions from 0, one for each token fed.
# `last_only` asks for the logits of the last token, [batch, 1, vocabulary].


# %%
def generate(model, prompt, steps, cache):
    """The `steps` tokens that follow each row of `prompt` [batch, length], greedily."""
    ### BEGIN SOLUTION
    tokens, known, chosen = prompt, 0, []
    for _ in range(steps):
        where = torch.arange(known, known + tokens.shape[1], device=tokens.device)
        scores = model(tokens, where, attend=cache, last_only=True)
        known += tokens.shape[1]
        tokens = scores[:, -1].argmax(-1, keepdim=True)
        chosen.append(tokens)
    return torch.cat(chosen, dim=1)
    ### END SOLUTION


def generated(seed, length, steps):
    """Your `generate` after two prompts of `length` drawn tokens, with a model that counts."""
    return drawn.generated(generate, seed, length, steps)


# %%
check("cache.generate", generated)

# %% [markdown] tags=["topic:B20"]
# Now watch your own cache work. `Logged` notes, at each call in layer 0, how many tokens were new and how
# many were looked at. Left, the program from the beginning; right, yours: six tokens of prompt, ten of
# answer. Each number says how often that pair of tokens was compared.

# %% tags=["topic:B20", "topic:D04"]
answering = generate if piece("cache.generate", generated) is generated else workbook.generate
log = []


class Logged(Cat):
    """Notes how many tokens are new and how many are kept, in layer 0."""

    def keep(self, layer, key, value):
        keys, values = super().keep(layer, key, value)
        if layer == 0:
            log.append((key.shape[2], keys.shape[2]))
        return keys, values


answer = answering(tiny, given[:1, :6], 10, Logged())

# %% tags=["topic:B20", "topic:D04", "figure:kv_cache_pairs"]
again, once = np.zeros((2, 15, 15))
for new, total in log:
    once[total - new : total, :total] += sees(new, total).numpy()
    again[:total, :total] += sees(total, total).numpy()
show(
    pair_counts({"recomputed": again, "kept": once}, prompt=6),
    alt="Two triangles of numbers, a row for each token that looks, a column for each it looks at. Left, "
    "recomputed: ten in the rows of the prompt, falling to one in the last row. Right, kept: one "
    "everywhere.",
)

# %% [markdown] tags=["topic:B20", "topic:D04"]
# Each pair once: a new row has $n$ cells, where the triangle has $n(n+1)/2$.
#
# *Checkpoint, 32 minutes. You have a cache, a loop, and one test. How much is the test worth?*

# %% [markdown] tags=["optional", "topic:B20", "topic:D04"]
# **Confront, optional: "from O(n²) to O(n) per token".** A lesson says so of the cache, and the picture
# agrees. But the picture shows attention alone. Each token fed also passes all weights: $n$ times per step
# without a cache, once with it. Count both, in operations (FLOP) for token 2,000:

# %% tags=["optional", "topic:B20"]
print("for token 2,000, in TFLOP                weights   attention")
for name in ("Llama-3.1-8B", "Llama-3.2-1B"):
    for kept in (0, 1999):
        part = llm.prefill_flops(llm.model(name), 2000, cached_tokens=kept)
        label = f"{name}, {'with' if kept else 'without'} cache"
        print(f"{label:35} {part.linear / 1e12:12.4g} {part.attention / 1e12:11.3g}")

# %% [markdown] tags=["optional", "topic:B20"]
# At this length the weights are nearly everything. So the gain is a factor near $n$, in the weights above
# all: the headline $n^2$ to $n$ names the smaller part. The same cache, the right reason.

# %% [markdown] tags=["topic:D05"]
# ## Confront: "an off-by-one position would show"
#
# Would it? Plant one. `late` gives every new token a position one too large, as a loop does that counts
# the prompt from 1. Eight prompts, 32 greedy tokens each, on a model whose weights are drawn with the
# usual standard deviation of 0.02. In how many of the eight answers does any token change?

# %%
### BEGIN SOLUTION
predict("cache.blind", low=0, high=2)
### STUB predict("cache.blind", ...)
### END SOLUTION


# %% tags=["topic:D05"]
def late(model):
    """The model, told for each new token a position that is one too large."""

    def call(tokens, where, **options):
        return model(tokens, where + (tokens.shape[1] == 1), **options)

    return call


def planted(init_std):
    """Answers of the exact and of the late model to eight prompts; how far one logit moves."""
    exact = LlamaModel(small_spec(), init_std=init_std, dtype=torch.float64)
    prompts = torch.randint(0, 1024, (8, 12), generator=torch.Generator().manual_seed(seed))
    where = torch.arange(12)
    moved = (exact(prompts, where) - exact(prompts, where + (where == 11)))[:, -1].abs().max()
    return *(answering(one, prompts, 32, Cat()) for one in (exact, late(exact))), moved


# %% tags=["topic:D05"]
changed = {}
for init_std in (0.02, 0.1):
    exact, wrong, moved = planted(init_std)
    changed[init_std] = int((exact != wrong).any(dim=1).sum())
    distinct = np.mean([len(row.unique()) for row in exact])
    print(f"init_std {init_std}: {changed[init_std]} of 8 answers change; "
          f"different tokens in an answer: {distinct:.0f}; a logit moves by {moved:.1g}")  # fmt: skip
outcome("cache.blind", changed[0.02])

# %% tags=["solution-only"]
assert changed[0.02] <= 1 and changed[0.1] >= 6  # another seed may show one

# %% [markdown] tags=["topic:D05"]
# ### At the default initialisation no token shows it
#
# With small weights attention hardly moves the stream: the model repeats one token, whatever it reads.
# Every test of its tokens is green. Its logits do move, by very little. At 0.1 every input counts.
#
# ### Build 5: design the test that sees it
#
# A test is a plan. The one below is the usual first one. The workbook runs your plan against
# **two caches that are right and five that are wrong**, each against the pass without a cache; it must
# accuse the five alone. (One of the right ones counts all positions from 7. Why is that no mistake?)
#
# | key | what it says |
# | --- | --- |
# | `init_std` | spread of the random weights |
# | `dtype` | "float32" or "float64" |
# | `kv_heads` | 1, 2 or 4, for four query heads |
# | `prompts` | one to six lengths in tokens, 64 at most |
# | `pieces` | how many pieces each prompt is fed in |
# | `steps` | tokens after the prompt, one at a time |
# | `compare` | "tokens": the greedy answers; "logits": the largest difference |
# | `tolerance` | a larger difference of logits is an accusation |

# %%
### BEGIN SOLUTION
plan = {
    "init_std": 0.1,
    "dtype": "float64",
    "kv_heads": 2,
    "prompts": (3, 11, 7),
    "pieces": 3,
    "steps": 6,
    "compare": "logits",
    "tolerance": 1e-9,
}
### STUB plan = {
### STUB     "init_std": 0.02,
### STUB     "dtype": "float32",
### STUB     "kv_heads": 4,
### STUB     "prompts": (6, 6),
### STUB     "pieces": 1,
### STUB     "steps": 8,
### STUB     "compare": "tokens",
### STUB     "tolerance": 0.001,
### STUB }
### END SOLUTION
check("cache.test", plan)

# %% tags=["topic:D05"]
first = {name: accused for name, accused, _ in trial.verdicts(design.HANDED_OUT, seed=seed)}
for name, accused, _ in trial.verdicts(plan, seed=seed):
    said = "accused" if accused else "passes "
    print(f"{said} (first plan: {'accused' if first[name] else 'passes'}): a cache that {name}")

# %% [markdown] tags=["topic:D05"]
# Read the list as questions to any test of equality: do positions matter here, do rows differ in length,
# is there a piece behind a piece, are heads grouped, is a row longer than any block or window, and does the
# comparison resolve what it looks for? (Rotary positions count distances only, so a shift of all positions
# is right, and no test can see it or should.)
#
# *Checkpoint, 44 minutes. Equality stands. From here on the clock decides.*

# %% [markdown] tags=["topic:D04"]
# ## Speed: one token is new, and `cat` moves them all
#
# `torch.cat` takes fresh memory for the whole and copies the whole, in every layer, in every step. At the
# last position:

# %% tags=["topic:D04", "nbval-ignore-output"]
moved = 2 * positions[-1] * token_bytes
print(f"in all layers, at the last position: {moved / 1e6:.3g} MB are read and written, for "
      f"{token_bytes / 1e3:.3g} kB that are new")  # fmt: skip
assert moved > 100 * token_bytes

# %% [markdown]
# ### Build 6: room taken beforehand
#
# Take the memory once, `room` tokens for each layer, and write in place. `self.lengths[layer]` counts what
# that layer holds. Return **views** of what is filled, no copies, and nothing behind it. If the new tokens do
# not fit, raise a `ValueError` that says so, **before anything is changed**: the engine will catch it, end
# that request, and serve the others.


# %%
class RoomCache(Cache):
    """Writes into memory that was taken beforehand."""

    def __init__(self, layers, batch, kv_heads, room, head_dim, **number):
        self.keys = torch.zeros(layers, batch, kv_heads, room, head_dim, **number)
        self.values = torch.zeros_like(self.keys)
        self.lengths, self.room = [0] * layers, room

    def keep(self, layer, key, value):
        """Write behind what is there; return views of all keys and values of the layer."""
        ### BEGIN SOLUTION
        start, end = self.lengths[layer], self.lengths[layer] + key.shape[2]
        if end > self.room:
            raise ValueError(f"room for {self.room} tokens, and {end} are to be kept")
        self.keys[layer, :, :, start:end] = key
        self.values[layer, :, :, start:end] = value
        self.lengths[layer] = end
        return self.keys[layer, :, :, :end], self.values[layer, :, :, :end]
        ### END SOLUTION


# %%
def kept_in_room(pieces, room, first):
    """What your cache returns, piece by piece, in three layers with room for so many tokens.

    "ValueError" stands for a piece that was refused, "copied" for one that came in new memory.
    """
    return drawn.kept_in_place(RoomCache(3, 1, 2, room, 1, dtype=torch.float64), pieces, 3, first)


check("cache.room", kept_in_room)

# %% [markdown]
# Now the three programs, token for token. Each cache is filled up to the position, then single steps of
# the model are timed, in turn.

# %% tags=["topic:D04"]
Room = RoomCache if piece("cache.room", kept_in_room) is kept_in_room else workbook.RoomCache
shape = spec.layers, 1, spec.num_kv_heads, positions[-1] + 2 * repeats + 2, spec.head_dim


def filled(cache, tokens):
    """The cache with drawn keys and values of so many tokens; for time, any will do."""
    for layer in range(spec.layers):
        size = 2, 1, spec.num_kv_heads, tokens, spec.head_dim
        cache.keep(layer, *torch.randn(size, device=device).to(number["dtype"]))
    return cache


# %% tags=["nbval-ignore-output", "topic:D04"]
def step_of(cache, n):
    """One decode step of the model at position n, over a cache that is filled up to it."""
    filled(cache, n - 1)
    where = torch.tensor([n - 1], device=device)
    return lambda: model(text[:, n - 1 : n], where, attend=cache, last_only=True)


makers = {"cat": Cat, "preallocated": lambda: Room(*shape, **number)}
calls = {(name, n): step_of(make(), n) for name, make in makers.items() for n in positions}
measured = per_token(calls, 2 * repeats)
timings = {"recompute": naive} | {m: {n: measured[m, n] for n in positions} for m in makers}

# %% tags=["nbval-ignore-output", "topic:D04", "topic:B20"]
noisy = [1 for runs in timings.values() for timing in runs.values() if not timing.is_steady]
print(f"{len(noisy)} of {3 * len(positions)} timings are too noisy to trust: 80 % of their runs "
      "lie more than a factor of 2 apart. If it is more than a few, run again.")  # fmt: skip
ends = {m: (t[positions[0]], t[positions[-1]]) for m, t in timings.items()}
growth = {m: last.median_s / first.median_s for m, (first, last) in ends.items()}
steady = {m: all(timing.is_steady for timing in two) for m, two in ends.items()}
assert all(ratio > 0 for ratio in growth.values()) and len(timings) == 3
display(outcome("cache.cat_growth", growth["cat"], steady=steady["cat"]))
display(outcome("cache.room_growth", growth["preallocated"], steady=steady["preallocated"]))

# %% [markdown]
# The explorer holds **your** runs. Move the token; switch to *with a cache*, where the two that hug the
# axis part.
#
# - (a) From which token on does `recompute` cost ten times what a cache costs?
# - (b) What does an answer of 2,000 tokens take in each of the three?
# - (c) The preallocated cache copies nothing. Why does its line rise at all?

# %% tags=["nbval-ignore-output", "figure:kv_cache_token_time", "topic:B20"]
explorer = token_time_explorer(timings)
explorer

# %% [markdown] tags=["topic:B20", "topic:D04"]
# (a) On a processor early, within the first thousand tokens: at first a step is fixed cost, dozens of
# operations to be launched, and the arithmetic hides behind it. (b) The finding adds the tokens up: minutes
# against seconds. (c) Attention reads every key and value that is kept, $O(n)$ bytes. A step with a cache is
# a constant (the weights) and a slope (the KV).
#
# Count the bytes of the two slopes. Preallocated: attention reads each kept byte once. `cat`: read, write,
# and then read by attention, three times as much. The measured ratio is below three, because `mix` makes a copy
# of its own in both (its products want keys side by side in memory). **Profile yours, at the
# length that you serve.**
#
# *On a GPU expect* both slopes to be flatter by its bandwidth, some hundred times a laptop's: at token 2,000 the
# launches still hide them, and `cat` shows at ten thousands of tokens, or with many sequences.
#
# *Checkpoint, 60 minutes. A cache that costs what a token weighs. Next: the same for many requests.*
#
# ## The same memory in the engine
#
# `RoomCache` holds rows that are equally long. An engine serves many requests, none as long as the next. So
# it keeps **one** memory for all of them, `KVMemory` in `labutils/engine/attention.py`: `keys[layer]` and
# `values[layer]` are [KV heads, slots, head_dim], taken once. Every token lives in one **slot**. Which
# token lives where is lab 5's subject; here token i lies in slot i.
#
# Three functions of that file are yours today. Each is a method, so it begins with `self`. As soon as its
# check passes it is kept in `my/engine/attention.py`, and later labs run it: after lab 6 the whole engine is
# yours. Names of this notebook stay behind: import inside of the function what that file does not import.
#
# ### Build 7: write to slots, in `KVMemory`
#
# A step computes n tokens of many requests, in one line. `slots` [n] says where each one goes.


# %% tags=["topic:D04"]
### INCLUDE labutils.engine.attention:KVMemory.write


# %%
check("attention.write", write)

# %% [markdown] tags=["topic:D05"]
# ### Build 8: what a token may not see, in `KVMemory`
#
# The mask of Build 1 once more, as a number that is **added** to each score. 0 lets it through; minus infinity leaves nothing of it. Each token sees the first so many
# slots of its context. What stands behind them (a later token, or a place not filled yet) is hidden.
# The mask has the type and the device of `self.keys`, whichever they are: so have the scores.
# By hand, for the case from above in six slots: `hidden([4, 5], 6)` is

# %% tags=["topic:D05"]
print(torch.tensor([[0, 0, 0, 0, -torch.inf, -torch.inf], [0, 0, 0, 0, 0, -torch.inf]]))


# %% tags=["topic:D05"]
### INCLUDE labutils.engine.attention:KVMemory.hidden


# %%
check("attention.hidden", hidden)

# %% [markdown] tags=["topic:D05"]
# ### Build 9: a chunk behind a context, in `Chunk`
#
# The engine makes a `Chunk` for each request with several new tokens. It has `self.memory`, the request's
# pages (`self.pages`), and `self.hidden`, made by your function. `self.memory.read(layer, self.pages)` gives
# keys and values of the whole context in order, each [KV heads, slots, head_dim]; lab 5 writes it. `query`
# comes in groups, [KV heads, group, new, head_dim]: the query heads of a group share one KV head.
#
# Torch has the mix: `functional.scaled_dot_product_attention(query, keys, values, attn_mask=…,
# enable_gqa=True)`. It takes four axes from each: batch, heads, tokens, head_dim. Here the KV heads stand
# where it expects the batch. Why not `is_causal=True`? Because it hangs in the upper left corner.


# %% tags=["topic:D05"]
### INCLUDE labutils.engine.attention:Chunk.attend


# %%
check("attention.chunk", attend)

# %% [markdown] tags=["topic:D05"]
# `my_engine()` is the engine with your functions in it. It reads the prompt in chunks of five tokens at
# most, over pages of four. Your own loop, with a cache that appends, says what the answer must be.

# %% tags=["topic:D05"]
mine = my_engine()
served = mine.Engine(tiny, num_pages=9, page_tokens=4, token_budget=5, max_sequences=2)
(request,) = served.generate([given[0].tolist()], max_output_tokens=10)
alone = answering(tiny, given[:1], 10, Cat())[0].tolist()
print("the engine in chunks, against your loop, token by token:", request.answer == alone)

# %% tags=["solution-only"]
assert request.answer == alone

# %% [markdown] tags=["topic:D05"]
# The map of your engine: a box for each function, as wide as it is long. Filled: yours. Dotted: given in every lab.

# %% tags=["nbval-ignore-output"]
owned = engine_map()
assert owned.lines > 0
owned

# %% [markdown]
# *Checkpoint, 70 minutes. The cache stands, by itself and in the engine.*
#
# ## How far from the machine's own floor?
#
# A step must read all weights and all kept KV at least once. Bytes over copy bandwidth is the floor, as in
# lab 1. The reference is the engine's attention, over pages, in turn with yours.

# %% tags=["nbval-ignore-output"]
last = positions[-1]
mine_at_last = filled(Room(*shape, **number), last - 1)
halves = (half[:, 0, :, : last - 1] for half in (mine_at_last.keys, mine_at_last.values))
by_engine = engine_step(model, *halves, text[0, :last])
in_turn = {name: step_of(make(), last) for name, make in makers.items()}
compared = per_token(in_turn | {"reference: engine": by_engine}, 2 * repeats)
profile = measure.MachineProfile.load(device=device)
bandwidth = profile.copy_bandwidth_bytes_per_s or measure.copy_bandwidth(device).bytes_per_s

# %% tags=["solution-only"]
here = torch.tensor([last - 1], device=device)
by_mine = model(text[:, last - 1 : last], here, attend=mine_at_last)
rounding = {torch.float32: 1e-4, torch.bfloat16: 0.15}[number["dtype"]]  # of 28 layers, in bf16
assert (by_engine() - by_mine).square().mean().sqrt() < rounding * by_mine.std()

# %% tags=["nbval-ignore-output", "topic:B20"]
floor_s = (number["dtype"].itemsize * spec.parameters + last * token_bytes) / bandwidth
rows = {"recompute": naive[last]} | compared
print(f"token {last:,} of one sequence       median   of the floor")
for name, timing in rows.items():
    noisy = "" if timing.is_steady else "   too noisy: run it again"
    print(
        f"{name:24}{1000 * timing.median_s:12.3g} ms {100 * floor_s / timing.median_s:9.2g} %{noisy}"
    )
print(f"{'floor':24}{1000 * floor_s:12.3g} ms   at {bandwidth / 1e9:.3g} GB/s")
print(gpu_summary())
assert 0 < floor_s < float("inf") and len(rows) == 4

# %% [markdown]
# *Preallocated* is yours (or the workbook's), and the first row against it is what a cache buys. (More than
# 100 %? Then weights or KV fit into the processor's own cache, and never came from memory.) A step of one
# sequence pays its fixed cost, and reads every weight, for a single token. Pages buy no speed for one
# sequence either. Both come into their own when **many sequences share a step**: lab 4.
#
# *On a GPU expect* three cached rows that hardly differ and lie far below the floor: 28 layers of some
# twenty launches each, at 5 µs (lab 1), are 3 ms, where the bytes take less than one. Recomputing costs a few
# times as much, not a hundred times: its arithmetic hides behind the same launches.
#
# ## Bug hunt: three bugs from the field
#
# This cache is in a small engine's tree, and its tests are green: the room is exactly as long as the test,
# the model has no groups, a prompt comes in one piece. Then three reports come in. You have written each of
# the three lines right today. Run the check, read the first story, mend, and go again. (`fed` comes with the
# base class: it draws numbers and calls the cache.)


# %%
### BEGIN SOLUTION
class FieldCache(field.Fed):
    """One layer of a small engine's cache: keys and values in one buffer."""

    def __init__(self, kv_heads, room):
        self.kept = torch.zeros(2, 1, kv_heads, room, 2, dtype=torch.float64)
        self.length = 0

    def __call__(self, layer, query, key, value):
        new, groups = key.shape[2], query.shape[1] // key.shape[1]
        self.kept[:, :, :, self.length : self.length + new] = torch.stack([key, value])
        self.length += new
        filled = self.kept[:, :, :, : self.length]
        keys, values = (part.repeat_interleave(groups, dim=1) for part in filled)
        attention = torch.nn.functional.scaled_dot_product_attention
        return attention(query, keys, values, attn_mask=sees(new, self.length))


### STUB class FieldCache(field.Fed):
### STUB     """One layer of a small engine's cache: keys and values in one buffer."""
### STUB     def __init__(self, kv_heads, room):
### STUB         self.kept = torch.zeros(2, 1, kv_heads, room, 2, dtype=torch.float64)
### STUB         self.length = 0
### STUB     def __call__(self, layer, query, key, value):
### STUB         new, groups = key.shape[2], query.shape[1] // key.shape[1]
### STUB         self.kept[:, :, :, self.length : self.length + new] = torch.stack([key, value])
### STUB         self.length += new
### STUB         keys, values = (part.repeat(1, groups, 1, 1) for part in self.kept)
### STUB         attention = torch.nn.functional.scaled_dot_product_attention
### STUB         return attention(query, keys, values, is_causal=new > 1)
### END SOLUTION


# %%
check("cache.field", FieldCache)

# %% [markdown]
# ## Stretch
#
# - **Batch.** `RoomCache` takes a batch, and all of its rows are equally long. Give each row a length of its own:
#   which of your pieces change? (Positions, the mask, the place of writing. Slots are the engine's answer.)
# - **Undo.** Speculative decoding writes four tokens and takes two back. What does that cost in each cache?
# - **Half the bytes.** Keep KV in bfloat16 under a float32 model. What becomes of the time at the last position,
#   and which tolerance does your test of equality need now?
#
# ## What to do on Monday morning
#
# 1. **Ask for the invariant test** of the engine that you run: pieces equal the whole, at logits, in float64,
#    on weights that depend on their input.
# 2. **Look for `is_causal`** next to a cache. Right for a prefill from nothing, wrong for a piece behind a
#    prefix.
# 3. **Time single tokens at the lengths that you serve**, not the mean over an answer: a slope is a copy, or
#    attention.
# 4. **Refuse loudly when the room is full**, for that request alone.
#
# Next: one sequence leaves the machine idle, and preallocated room is reserved room. In lab 4 many
# sequences share every step.
#
# ## Sources
#
# - A. Vaswani and others, *Attention is all you need*, 2017, section 3.2: the scale, the heads, the mask.
# - J. Ainslie and others, *GQA: training generalized multi-query transformer models from multi-head
#   checkpoints*, 2023.
# - J. Su and others, *RoFormer: enhanced transformer with rotary position embedding*, 2021, section 3.4:
#   scores depend on distances.
# - R. Pope and others, *Efficiently scaling transformer inference*, 2022, sections 2 and 3: what a decode
#   step reads.
# - The documentation of `torch.nn.functional.scaled_dot_product_attention`: `is_causal` is a triangle in the
#   upper left corner when the lengths differ.
