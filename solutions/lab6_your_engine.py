# ---
# jupyter:
#   course:
#     order: 16
#     slug: your_engine
#     title: Your engine
#     question: Every piece is yours, and nothing runs. What is missing?
#     minutes: 91
#     needs: [kv_cache_memory, continuous_batching]
#     folder: labs
#     gpu: optional
#     small: {requests: 4, rounds: 1, raced: 2, per_piece: 6, pieces: 1, passes: 2}
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown] tags=["topic:E04"]
# In lab 2 you wrote attention with a cache, in lab 4 a scheduler, in lab 5 its pages. Each passed its
# check, and no two of them have ever met. The scheduler plans requests, the model wants tensors.
#
# Today you write what lies between: pack a step, choose tokens, hand them out, end an answer, survive one
# request's error. At the end there is one engine of **your** functions. You prove it token for token, race
# it, and take it with you as a package of its own.
#
# What you skip, here or in labs 2, 4 and 5, is the course's. No lab needs another one finished. (Words that are new
# to you stand in the glossary at the end of `docs/cards.html`.)

# %%
import asyncio
import inspect
import os
import tempfile
from collections.abc import Hashable, Iterator, Sequence
from pathlib import Path

os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")  # before torch: waiting threads sleep
import torch

from labutils import measure
from labutils.engine import Engine, Generation, Sampling
from labutils.engine.attention import BUCKET_SLOTS, Attend, Bucket, Chunk, KVMemory
from labutils.engine.model import LlamaModel, small_spec
from labutils.engine.packing import PackedStep, slots_of
from labutils.exercises import check, hint, outcome, piece, predict, reveal
from labutils.exercises.catalog.your_engine import lab6_runs as kit

# %%
from labutils.serving.checkpoints import course_model
from labutils.serving.trials.envelope import TrialPlan, engines_of, seal
from labutils.serving.trials.gpu_runs import gpu_summary
from labutils.viz import show
from labutils.viz.figures.envelope import envelope_figure
from labutils.viz.figures.packed_lines import packed_lines
from labutils.workspace.my_engine import engine_map, my_engine
from labutils.workspace.my_engine.bench import bench
from labutils.workspace.my_engine.export import export
from labutils.workspace.my_engine.measured import keep_envelope, keep_race
from labutils.workspace.my_engine.prove import prove

# %% tags=["parameters"]
seed = 7  # every random draw follows from it
device = "cpu"  # or "cuda"
requests = 24  # of the job that is timed
raced = 40  # requests of the race
rounds = 3  # of each timing, in turn
per_piece = 250  # requests in a piece of the envelope's loads
pieces = 7  # of each load
passes = 20  # that calibrate it

# %% [markdown]
# The model is the course's own: two million weights, trained on the course's prose. Everything below runs
# on a laptop's CPU in a few minutes, and **the outputs in the solution edition come from two such cores.**
# With `device = "cuda"` the same cells run on a GPU. The model is too small to fill one, so expect
# ratios to change there; each table says how.

# %%
if device == "cpu":
    torch.set_num_threads(1)  # the matrices are small: two threads would wait for each other
model, tokenizer = course_model("target", device=device)
prompts = kit.some_prompts(requests, model.spec.vocab_size, seed=seed)
wait = measure.synchronizer(device)
print(f"{model.spec.parameters / 1e6:.2g} million weights, {model.spec.layers} layers; "
      f"{requests} requests with prompts of {min(map(len, prompts))} to {max(map(len, prompts))} tokens")  # fmt: skip

# %% [markdown] tags=["topic:E04"]
# ## The flaw: how often does a step read the weights?
#
# With the pieces so far you could serve like this: ask the scheduler for a plan, and run the model **once
# for each request** in it. Your scheduler saves steps, your pages save memory, and every token still
# pays for all weights alone. The other way packs all rows of a step into one line, and calls the model
# once. Both serve the same requests, twelve at a time.
#
# How many times as fast is the second? Commit to a number, or a range that you are 80 % sure of.

# %%
### BEGIN SOLUTION
predict("yours.packed", low=3, high=11)
### STUB predict("yours.packed", ...)
### END SOLUTION


# %% tags=["topic:E04"]
class OneByOne(Engine):
    """The course's engine, but the model runs once for each row of a step."""

    def _forward(self, chunks):
        return [pair for chunk in chunks for pair in Engine._forward(self, [chunk])]


def serving(Engine, **limits):
    """A call that serves the job; answers of 16 tokens."""
    limits = {"num_pages": 128, "max_sequences": 12, "token_budget": 64, **limits}
    return lambda: kit.answers_of(Engine(model, **limits), prompts, tokens=16)


# %% tags=["nbval-ignore-output", "topic:E04"]
ways = {"a call for each row": serving(OneByOne), "a call for each step": serving(Engine)}
timed = measure.timed_in_turn(ways, repeats=rounds, warm_up=1, min_total_s=0, synchronize=wait)
for name, timing in timed.items():
    print(f"{name:22}{16 * requests / timing.median_s:8,.0f} tokens/s")
gain = timed["a call for each row"].median_s / timed["a call for each step"].median_s
outcome("yours.packed", gain)

# %% tags=["solution-only"]
assert serving(OneByOne)() == serving(Engine)()  # "the same to the last token"

# %% [markdown]
# The arithmetic is the same to the last token. What differs is how often weights are read and operations
# launched. *On a GPU expect* a factor nearer to twelve: there a call of this model is launches and nothing
# else, so twelve calls take twelve times as long.
#
# ## One step, from plan to tokens
#
# This is the whole engine. Requests and pages flow down, tokens come out at the end:
#
# | what happens | function | file of `labutils/engine/` | written in |
# | --- | --- | --- | --- |
# | which request computes what | `schedule` | `scheduler.py` | lab 4 |
# | in which pages | `start`, `grow`, `release` | `pages.py` | lab 5 |
# | **plan to tensors** | `pack` | `packing.py` | **here** |
# | the model runs, its attention reads pages | **`paged_attention`**, **`buckets`**, `Chunk`, `Bucket` | `attention.py` | **here**, labs 2, 5 |
# | **which token comes next** | `sample` | `sampling.py` | **here** |
# | **does the answer end with it** | `take`, `stops`, `words` | `request.py` | **here** |
# | **all of that in order** | `step`, `run`, `cancel`, ... | `loop.py` | **here** |
#
# **The invariant**, to which every check of today comes back: *each request gets the tokens that it would
# get alone, whatever runs beside it; and every page comes back, however a request ends.*
#
# Our names beside those of vLLM, SGLang and nano-vllm: *your words and theirs*, the page `docs/engine_words.md`.
#
# *Checkpoint, 9 minutes. You know what is missing. Next: the line.*
#
# ### One case by hand
#
# Pages hold four tokens. The scheduler has planned a step of two rows:
#
# - **A** decodes. It knows 6 tokens, 5 are computed, and its pages are 7 and 2, in that order.
# - **B** prefills 3 tokens of its prompt of 5; nothing is computed yet. Its pages are 4 and 0.
#
# Four new tokens stand in the line, A's first. Fill in the table yourself before you read on.
#
# | | A | B | B | B |
# | --- | --- | --- | --- | --- |
# | position in its own sequence | 5 | 0 | 1 | 2 |
# | slot: page · 4 + place in the page | 2 · 4 + 1 = 9 | 16 | 17 | 18 |
# | logits wanted? | yes | no | no | no |
#
# A's token 5 is the second in its *second* page. B's last token of the chunk is not the last of its prompt:
# what follows is known already, so its logits would be thrown away. After the step A's context is 6
# tokens, B's is 3: the new ones count, since a token attends to itself.
#
# ### Build 1: pack the step, in `packing.py`
#
# `chunks` are pairs (request, new tokens). A request has `tokens` (all that it knows), `computed` and
# `known` (how many), and `pages`. `slots_of(pages, start, end, page_tokens)` gives slots (lab 5). Return
# a `PackedStep`: four tensors of `torch.int64` on `device`, then three plain lists, last `page_tokens`.

# %%
print(inspect.getdoc(PackedStep))


# %% tags=["topic:E04"]
### INCLUDE labutils.engine.packing:pack


# %%
check("packing.pack", pack)

# %% [markdown]
# Stuck? Put `hint("packing.pack")` into a cell of your own, up to three times; `reveal` explains. As soon
# as a check passes, the function is kept in `my/engine`, and `my_engine()` is the package with all of
# yours in it, from every lab. Names of this notebook stay behind; those of the function's own file are there.
# Anything else is imported inside of the function, and never from `labutils`: your engine stands alone.

# %%
mine = my_engine()
pack = mine.packing.pack
chunks = [(kit.request_of("A", 6, 5, [7, 2]), 1), (kit.request_of("B", 5, 0, [4, 0]), 3)]
line = pack(chunks, 4, torch.device("cpu"))
print(
    "positions", line.positions.tolist(), "slots", line.slots.tolist(), "last", line.last.tolist()
)

# %% [markdown]
# Prefill and decode differ in nothing but the number of tokens that a row brings. *This* is why one call
# can do both.
#
# *Checkpoint, 19 minutes. The model can be called. Next: what to do with the tokens that come back.*
#
# ## When does an answer end?
#
# A token has been chosen. The request notes it, with its time, and says whether its answer ends. Case by
# hand: `stop = {"b."}`, and the tokenizer has the tokens `a`, `b`, `.` and `b.a`.
#
# | answer so far | text | ends? |
# | --- | --- | --- |
# | `a` `b` | ab | no |
# | `a` `b` `.` | ab. | **yes**: the string spans two tokens |
# | `a` `b.a` | ab.a | **yes**: it lies inside of one, and more comes behind it |
#
# So a stop string is looked for in the *text* of the last few tokens. How many? A token stands for at least
# one byte, so a string of n bytes that ends with the newest token lies within the last n.
#
# ### Build 2: take a token, in `Generation` of `request.py`
#
# | attribute | what it is |
# | --- | --- |
# | `self.tokens`, `self.times_s` | prompt and answer so far; one time for each token of the answer |
# | `self.answer` | the tokens of the answer alone |
# | `self.max_output_tokens` | how many the answer may have |
# | `self.stop` | a function of the answer, or a set of token numbers and strings |
# | `self.tokenizer.decode(tokens)` | their text |
#
# `take` returns `"stop"`, `"length"` or None. If both reasons hold, the answer has ended by itself: "stop".


# %% tags=["topic:L03"]
### INCLUDE labutils.engine.request:Generation.take+stops as Taking


# %%
check("request.take", Taking)

# %% [markdown] tags=["optional", "topic:P02"]
# ### Optional, 5 minutes: the words, in `request.py`
#
# What the client reads: the answer as text, without a stop token, and without the stop string and what
# follows it. With several stop strings, the one that begins first counts.


# %% tags=["optional", "topic:P02"]
### INCLUDE labutils.engine.request:Generation.words


# %% tags=["optional"]
check("request.words", words)

# %% [markdown]
# ## Build 3: one step on the model, in `loop.py`
#
# Plan, line, logits, tokens: `_forward` puts them in a row. `sample(logits, samplings, uniforms)` chooses a
# token for each row of logits; it stands in `sampling.py`, and is the optional part of today. Four rules:
#
# 1. Rows of **one** new token stand first in the line, by rising `computed`; longer chunks behind. (Why, you
#    will measure.)
# 2. A request gets a token only if it has **caught up**: after this step all that it knows is computed.
# 3. A request that draws takes **one** number, `request.random.random()`, per token; a greedy one takes 0.0.
#    It takes it once the logits are there: a step whose model raises is computed again. So what is drawn
#    depends on its own seed, and on no other request.
# 4. Nothing keeps gradients: `torch.inference_mode()`.
#
# | attribute | what it is |
# | --- | --- |
# | `self.pool.page_tokens`, `self.device` | what `pack` wants beside the chunks |
# | `self.model(tokens[None], positions[None], attend=, rows=)` | logits [1, outputs, vocabulary] |
# | `paged_attention(self.memory, step)` | the function for `attend`; `rows` are `step.last` |
# | `request.computed`, `request.known` | tokens in memory before this step, and all that it knows |
# | `request.sampling.temperature` | 0 for a greedy request |
#
# Return a list of pairs (request, token). Tokens are ints, no tensors: `tolist()` makes them.

# %%
mine = my_engine(quiet=True)
sample, paged_attention = mine.sampling.sample, mine.attention.paged_attention


# %% tags=["topic:E04"]
### INCLUDE labutils.engine.loop:Engine._forward+_logits as Forwarding


# %%
check("loop.forward", Forwarding)

# %% [markdown]
# *Checkpoint, 34 minutes. From a plan to tokens. Next: the loop around it.*
#
# ## Build 4: the step, and the loop, in `loop.py`
#
# `_compute(chunks, failed)` returns the pairs (request, token) of a plan, and puts requests that cannot be
# computed into the dict `failed`, with their errors. Around it `step` has an order, and the order is the
# exercise:
#
# 1. `self.scheduler.schedule(now_s)`: the plan. If it is None, or a float (a time to wait for), return None.
# 2. A request that runs for the first time gets its `admitted_s`.
# 3. Compute.
# 4. `self.scheduler.commit(plan)`: what ran counts from now on. What failed did not run.
# 5. What failed ends: `_end` takes the request, the reason "failed" and the error.
# 6. The observer's hook, `self.on_step`, gets the engine and the plan. It may be None, and it may
#    raise. **No token may be lost by that**: then 7 happens all the same, and only then its error leaves `step`.
# 7. `self._hand_out(tokens)`; return what it returns.
#
# | attribute | what it is |
# | --- | --- |
# | `self.clock()` | the time now, in seconds |
# | `plan.chunks` | pairs (request, new tokens); a float has no such attribute |
# | `plan._replace(chunks=...)` | the plan with other chunks: for `commit`, without those that failed |
# | `self.on_step` | the hook, or None; it gets the engine and the plan as scheduled, failed rows included |
#
# `run` steps until no request is open (`self.open`). If there is no plan while some are, it raises a
# `RuntimeError` that names a few of them: better an error than a loop that waits for ever.


# %% tags=["topic:E04"]
### INCLUDE labutils.engine.loop:Engine.step+run as Stepping


# %%
check("loop.step", Stepping)

# %% [markdown] tags=["topic:L03"]
# *Checkpoint, 43 minutes. It steps. Next: hand the tokens to the clients.*
#
# ## Build 5: hand out, end, cancel, in `loop.py`
#
# Now code of other people runs in your loop: a stop rule, a listener that writes to a connection, a
# tokenizer. Three stories:
#
# - **The connection is gone**, and the listener raises. Its request ends as `"failed"`, with that error. The
#   others must not notice.
# - **A listener cancels**, its own request or one whose token of this step is still in your hands. A request
#   that has ended (`finish_reason` is not None) hears nothing more, and ends only once.
# - **A request ends while it waits**, cancelled before it ever ran. Its place in the queue has to go, and
#   whatever pages it holds. The scheduler's `finish` does both.
#
# `_end` is the only place where a request leaves: the scheduler's `finish`, then `self.open`, then
# `finish_s`, `finish_reason` and `error`, last its `text` (with a tokenizer: `request.words()`, which may
# fail too: then the reason becomes `"failed"`; an error that was there before stays). `cancel` ends a request
# with the reason `"cancelled"`, returns whether it was open, and raises a `ValueError` for an id that no request has. `_hand_out` returns a pair (id,
# token) of each request that was open when its turn came, whatever happened then: the token was computed.
#
# | attribute | what it is |
# | --- | --- |
# | `request.take(token, now_s)` | the reason to end, or None |
# | `request.on_token(id, token)` | the listener; it may be None |
# | the scheduler's `finish` | takes a request; frees its place and its pages |
# | `self.open`, `self.requests` | by id: those that have not ended, and all that ever came |


# %% tags=["topic:L03"]
### INCLUDE labutils.engine.loop:Engine._hand_out+_end+cancel as Telling


# %%
check("loop.hand_out", Telling)

# %% [markdown] tags=["topic:L03"]
# A leak is easily overlooked: one page lost with each cancelled request, and after a day the
# engine admits nothing. `check()` is the examiner. It recounts every page, and it is worth a call after
# every step of a test.
#
# ### It runs
#
# Seven requests, five batch slots, memory for fifteen pages of four tokens, at most sixteen tokens in a step:

# %% tags=["topic:E04"]
mine = my_engine()
small = {"num_pages": 15, "page_tokens": 4, "max_sequences": 5, "token_budget": 16}
engine = mine.Engine(model, **small)
lines = kit.watched(engine)
for name, prompt in zip("ABCDEFG", prompts):
    engine.add_request(prompt[: 5 + len(prompt) % 9], id=name, max_output_tokens=9)
while engine.open:
    engine.step()
    engine.check()  # every page is in its place, after every step

# %% tags=["topic:E04", "figure:your_engine_lines"]
show(
    packed_lines(lines),
    alt="A line of boxes for each step, as long as it has tokens. Green boxes of one token stand first, "
    "blue boxes of several behind. Red letters at the right name requests that were preempted; a few steps "
    "later they come again as a blue box that is longer than their prompt.",
)

# %% [markdown] tags=["topic:E04"]
# Every line is one call of the model. Read it from above:
#
# - (a) Which request was preempted first, and what does it compute when it comes back?
# - (b) A blue box without a dot: what was it, and why does it yield no token?
# - (c) Where is the padding?
#
# (a) Its prompt **and** the answer so far, as one chunk: its pages are gone, its tokens are not. (Where
# the beginning of a prompt is still found in memory, the chunk is shorter by those pages.) (b) A chunk of a
# prompt that was cut by the budget of sixteen, perhaps to a single token. (c) There is none in the line.
# Attention still has some, and that is the last part of this lab.
#
# *Checkpoint, 54 minutes. It serves. Next: it survives, and it is fast.*

# %% [markdown] tags=["topic:L03"]
# ## Build 6: one request's error ends that request, in `loop.py`
#
# A request breaks the model: a token outside the vocabulary, a line too long for the memory of a device.
# A step has many rows, and the error does not say whose it is. Compute each row **alone**, so that only
# those at fault fail. That is allowed because a chunk may be computed twice: it writes the same keys to
# the same slots, and nobody has drawn a random number yet. Catch `Exception`, and nothing above it: Ctrl-C is no error of a request.


# %% tags=["topic:L03"]
### INCLUDE labutils.engine.loop:Engine._compute


# %%
check("loop.compute", _compute)

# %% [markdown] tags=["topic:B13"]
# ## Attention is the part that is still padded
#
# Rows that decode have one query each, over contexts of any length. A loop over rows would launch every
# operation once for each. So `Bucket` (lab 5) reads neighbours together, padded to the longest.
#
# Forty requests decode, with contexts of 20 to 59 tokens. One more joins, with 2,000. All are in one padded
# call. **How many times as long does a step take?**

# %%
### BEGIN SOLUTION
predict("yours.one_long", low=5, high=50)
### STUB predict("yours.one_long", ...)
### END SOLUTION

# %% tags=["nbval-ignore-output", "topic:B13"]
weights = LlamaModel(small_spec(), device=device)
short, long = [20 + n for n in range(40)], [2000]
steps = {
    "40 short": kit.decode_step(weights, short, bucket_slots=10**9),
    "and one of 2,000, padded": kit.decode_step(weights, short + long, bucket_slots=10**9),
    "each row alone": kit.decode_step(weights, short + long, bucket_slots=1),
    "in buckets": kit.decode_step(weights, short + long, bucket_slots=BUCKET_SLOTS),
}
decoding = measure.timed_in_turn(steps, repeats=rounds, warm_up=1, synchronize=wait)

# %% tags=["nbval-ignore-output", "topic:B13"]
alone_s = decoding["40 short"].median_s
print("one decode step of 40 or 41 rows         time   rate of the first line")
for name, timing in decoding.items():
    print(f"{name:32}{1000 * timing.median_s:10.3g} ms {100 * alone_s / timing.median_s:8.0f} %")
outcome("yours.one_long", decoding["and one of 2,000, padded"].median_s / alone_s)

# %% tags=["solution-only"]
assert decoding["in buckets"].median_s < decoding["and one of 2,000, padded"].median_s

# %% [markdown] tags=["topic:B13"]
# One user with a long context, and the tokens of all users come at a fraction of their rate: the padded call
# reads 41 × 2,000 slots where about 3,600 hold a token. *On a GPU expect* the same order with smaller factors: its bandwidth makes
# padding cheap, and the launches of "each row alone" dear. There one kernel follows the page tables, and
# needs no padding at all.
#
# ### Build 7: the cut, in `attention.py`
#
# Rows stand by rising context, so neighbours are alike. Walk along them and cut: a bucket may read at most
# `BUCKET_SLOTS` slots, rows × longest context. By hand, with room for 100 slots:
#
# | contexts | 10 | 20 | 30 | 40 | 90 |
# | --- | --- | --- | --- | --- | --- |
# | with this row: rows × longest | 10 | 40 | 90 | **160** | |
# | after a cut before it | | | | 40 | **180**, so it goes alone |
#
# Buckets: rows 0 to 2, row 3, row 4. A single row is always allowed. Rows with more than one new token
# (chunks) are in no bucket, and a bucket never reaches across one. Yield slices of rows, in any order of rows
# that comes: the rising order makes buckets full, and nothing may break without it.


# %% tags=["topic:B13"]
### INCLUDE labutils.engine.attention:buckets


# %%
check("attention.buckets", buckets)

# %% [markdown]
# ### Build 8: attention for the whole step, in `attention.py`
#
# The function that the model calls in each layer. `Bucket(memory, step, rows)` and
# `Chunk(memory, step, row)` are made **once per step**, since masks and pages are the same in all layers.
# Yours returns a function `attend(layer, query, key, value)`. A part has `new`, the slice of the line where
# its tokens stand, and an `attend(layer, query)` of its own, which maps
# [KV heads, group, tokens, head_dim] to the same. `query` comes as [1, heads, n, head_dim], `key` and
# `value` as [1, KV heads, n, head_dim]. `memory.write(layer, slots, key, value)` puts the new ones into
# their slots, [KV heads, n, head_dim] each (`key[0]`). What has to happen before anything is read?

# %%
buckets = my_engine(quiet=True).attention.buckets


# %% tags=["topic:E04"]
### INCLUDE labutils.engine.attention:paged_attention


# %%
check("attention.paged", paged_attention)

# %% [markdown]
# *Checkpoint, 75 minutes. The last core function stands. Now the proof.*

# %% [markdown] tags=["optional", "topic:O15", "topic:H13"]
# ## Optional, 27 minutes: tokens by chance, in `sampling.py`
#
# So far the likeliest token was taken. Above temperature 0 a token is **drawn**, often from a cut list:
# the `top_k` likeliest, and of these the fewest whose share reaches `top_p`. On a GPU all of it has to stay
# on the device: a loop over rows with `.item()` makes the host wait once for each row.
#
# By hand: shares 0.5, 0.3, 0.15 and 0.05, `top_p` = 0.7. Before each token came 0, 0.5, 0.8, 0.95 of the
# whole. A token stays if *less* than 0.7 came before it: the first two. Their shares sum to 0.8. A uniform
# number of 0.9 points at 0.9 · 0.8 = 0.72 of the running sum (0.5, 0.8): the second token.
#
# ### Optional: the cut
#
# `shares` is [rows, vocabulary], each row with the largest first; `top_k`, `top_p` are [rows, 1]. Return
# the shares with zeros where a token may not be drawn. `top_p` is a share of what `top_k` has left over.


# %% tags=["optional", "topic:O15", "topic:H13"]
### INCLUDE labutils.engine.sampling:cut


# %% tags=["optional"]
check("sampling.cut", cut)

# %% [markdown] tags=["optional", "topic:O15"]
# ### Optional: the draw
#
# `uniform` [rows, 1] is one number per row, from 0 to below 1. Return the place [rows, 1] at which the
# running sum of `shares` passes that share of the whole. Two odd cases: rounding may make the number reach
# the whole; and shares that are not numbers give the last place, never one behind it.


# %% tags=["optional", "topic:O15"]
### INCLUDE labutils.engine.sampling:draw


# %% tags=["optional"]
check("sampling.draw", draw)

# %% tags=["optional"]
mine = my_engine(quiet=True)
cut, draw = mine.sampling.cut, mine.sampling.draw

# %% [markdown] tags=["optional", "topic:O15", "topic:H13"]
# ### Optional: all rows at once
#
# Greedy rows, drawn rows and cut rows stand beside each other. Most servers see none of the third kind in
# most steps: a sort of the whole vocabulary is worth avoiding. So a row without limits is drawn in the order
# of the vocabulary, whatever its neighbours need, and a row that is cut in the order of its ranks.


# %% tags=["optional", "topic:O15", "topic:H13"]
### INCLUDE labutils.engine.sampling:sample


# %% tags=["optional"]
check("sampling.sample", sample)

# %% [markdown] tags=["topic:E04"]
# ## Token for token
#
# "It writes text" proves nothing: an engine that mixes up two requests writes fine text. The proof runs
# your engine beside the course's on three jobs that hold what can go wrong, in float64 (in float32 company
# may turn a near tie of two tokens). Every token, every reason, every step, every preemption and every page
# found has to be equal, and all pages are recounted after every step.

# %%
mine = my_engine()
proof = prove(mine)
proof

# %% tags=["solution-only"]
assert proof.holds

# %% [markdown] tags=["topic:E04"]
# ### Bug hunt: a report from the field
#
# A colleague has tidied up `_forward`. "Text looks right, and it passed my test, a single request. With
# traffic, users say that answers change their subject in mid-sentence." This is the function, and this is
# what the proof says about that engine:

# %% tags=["topic:E04"]
theirs = kit.colleagues_engine()
print(kit.colleagues_source())
print(prove(theirs))

# %% [markdown]
# What is wrong? (a) Pages of one request are overwritten by another. (b) Tokens go to the wrong requests.
# (c) Preempted requests lose what they had computed. (d) Random numbers are drawn in another order.

# %%
### BEGIN SOLUTION
culprit = "b"
### STUB culprit = ...  # "a", "b", "c" or "d"
### END SOLUTION
check("loop.field", culprit)

# %% [markdown]
# ## How fast is it?
#
# Forty requests, in turn: your engine; the course's; the course's with one request at a time. Beside them the
# machine's floor: the time in which the job's bytes and operations pass at the rates of this machine.
# **What share of the course's rate does yours reach?**

# %%
### BEGIN SOLUTION
predict("yours.share", low=0.85, high=1.1)
### STUB predict("yours.share", ...)
### END SOLUTION


# %% tags=["nbval-ignore-output", "topic:E04"]
race = bench(mine, requests=raced, rounds=rounds, model=None if device == "cpu" else model)
display(race)
print(gpu_summary())
keep_race(mine, race)  # in `my/engine`, for the page below
outcome("yours.share", race.of_the_reference)

# %% [markdown]
# Yours and the course's differ by what Python does between two calls of the model; the line below the
# table says whether they differ at all. The floor is far below: a model of nine megabytes is mostly
# launches, some hundred small operations in each step.

# %% [markdown] tags=["topic:L08"]
# ## The envelope: can a simulator say how your engine will do?
#
# Chapter 07's simulator runs the same scheduler, on a simulated clock. It learns one thing about your engine:
# what a step costs, fitted to a few passes of varied steps. Then it serves requests that your engine has
# not seen, at 0.5, 0.7 and 1.5 times the capacity that it computes itself. These predictions are **sealed**:
# the eight characters below are a digest of them.
#
# Only then your engine runs. The model is a tiny one here, so that some five thousand requests take half a
# minute on a quiet core; a slow machine is given fewer, as the output says. Each percentile rests on 250
# requests, seven times over; a slow machine is given fewer, and of less than 200 none is judged. How far the machine
# repeats itself is measured as well, and the band within which a prediction must lie is taken from it. Time is processor time, corrected by a
# *yardstick*: a fixed piece of work, timed again and again, that says how fast the machine is at the moment. So
# other programs disturb little.

# %% tags=["nbval-ignore-output", "topic:L08"]
plan = TrialPlan(requests=per_piece, pieces=pieces, passes=passes)
sealed = seal(engines_of(mine), plan)
print(f"sealed: {sealed.digest}; capacity {sealed.capacity_per_s:.0f} requests a second")
a_pass = sealed.calibration.times_s
print(f"a step takes {1000 * min(a_pass):.2g} to {1000 * max(a_pass):.2g} ms; eight run at a time")
less = "" if sealed.plan == plan else f", not {pieces} of {per_piece}: this machine is slow"
print(f"of each load {sealed.plan.pieces} pieces of {sealed.plan.requests} requests{less}")

# %% [markdown]
# **Your guess first**, in the units of your machine. At 0.7 of the capacity: which TTFT is exceeded by one
# request in a hundred? At 1.5: by how many requests a second does the backlog grow? (`...` leaves it out.)

# %%
### BEGIN SOLUTION
my_ttft_p99_s, my_backlog_per_s = 5 * max(a_pass), 0.5 * sealed.capacity_per_s
### STUB my_ttft_p99_s, my_backlog_per_s = ..., ...  # seconds; requests a second
### END SOLUTION

# %% tags=["nbval-ignore-output", "topic:L08"]
opened = sealed.open(sealed.run())
keep_envelope(mine, sealed, opened)
print(f"opened: {sealed.digest}", opened.verdict(), *opened.lines(), sep="\n")

# %% tags=["nbval-ignore-output", "topic:L08", "figure:your_engine_envelope"]
guesses = {(0.7, "ttft_p99_s"): my_ttft_p99_s, (1.5, "backlog_per_s"): my_backlog_per_s}
show(
    envelope_figure(opened, guesses),
    alt="Predicted over measured on a log axis, each with its band: for loads of 0.5 and 0.7 the p50 and p99 "
    "of TTFT and TPOT, for 1.5 the growth of the backlog. Small marks are single pieces of a load; crosses "
    "are the learner's own guesses.",
)

# %% [markdown] tags=["topic:L08"]
# Nobody tuned anything to these loads. The scheduler is the same object in both worlds, so what lies outside
# of its band comes from the cost of a step, or from the machine: the verdict says when it was too busy to
# judge. Near capacity waiting grows like $1/(1 - \varrho)$, where $\varrho$ is the load: at 0.7 a step that
# takes 3 % longer makes that 8 % larger, and the wait with its own 3 % some 11 %, so the band there is wider. *On a GPU expect* a fit of other
# coefficients, and the same agreement: the steps differ, the scheduler does not.
#
# ## Yours
#
# The map: one box for each function, as wide as it is long. Filled is yours; an outline is the course's;
# dotted ones (records, checks of arguments, the examiner) are given. Point at a box to read its name
# and, where it is open, the lab that writes it. (In the solution edition this lab alone was run.)

# %%
whole = engine_map()
whole

# %% [markdown]
# And it writes. Three requests run together on your engine; the first one's text appears token by token,
# while the other two decode in the same steps:

# %%
engine = mine.Engine(model, num_pages=64, max_sequences=4, token_budget=64, tokenizer=tokenizer)
opening = "A queue grows when"
print(opening, end="")
engine.add_request(opening, max_output_tokens=48, on_token=kit.Streaming(engine))
beside = {ask: engine.add_request(ask, max_output_tokens=30, stop=["."])
          for ask in ("A batch that is closed", "Every request that runs holds pages, and")}  # fmt: skip
engine.run()
for ask, id in beside.items():
    print(f"\n\n[{engine.requests[id].finish_reason}] {ask}{engine.requests[id].text}", end="")
engine.check()

# %% [markdown]
# A model this small knows the course's prose and nothing else. Every step that brought you these words was
# planned, packed, attended, chosen and handed out by functions that you may open in `my/engine`.

# %% tags=["nbval-ignore-output"]
print("three jobs:", "token-exact" if proof.holds else "NOT token-exact")
print("the race:  ", race.line)
print("the map:   ", whole.finding)
if not whole.is_whole:
    rest = sum(row.lines for row in whole.rows if row.lab and not row.yours)
    print(
        f"{rest} more lines of it are written in labs 2, 4, 5 and in the optional parts of this one."
    )

# %% [markdown]
# ### Take it with you
#
# `export` writes a package of its own that needs torch and safetensors alone: your functions, the trained
# model, a test with recorded tokens, a command that writes text, the race for any machine, a README. It is small
# enough to be read in an evening, and you can explain every line of it. Link its `index.html` in an application:
# your lines, the proof, the race and the envelope as you measured them, the steps. In a terminal:
#
# ```
# labutils engine                 # the map
# labutils engine prove           # token for token, three jobs
# labutils engine export DIR      # then: cd DIR && python test_engine.py
# ```

# %%
with tempfile.TemporaryDirectory() as place:  # a folder of your choice, to keep it
    folder = export(Path(place) / "my_engine_package")
    for file in sorted(folder.rglob("*.*")):
        print(file.relative_to(folder))

# %% [markdown] tags=["optional", "topic:P02"]
# ## Optional: an `await`able front
#
# Your engine is a loop that somebody has to step; a server's handlers want to write
# `await front.answer(prompt)`. Lab 3's batcher had such a front. For the engine it is this: one task steps,
# the clients wait on futures, and a client that hangs up cancels its request.


# %% tags=["optional", "topic:P02"]
class Front:
    """`await front.answer(prompt)`, while a task of its own steps the engine."""

    def __init__(self, engine):
        self.engine, self.waiting = engine, {}

    async def answer(self, prompt, **options):
        id = self.engine.add_request(prompt, **options)
        self.waiting[id] = asyncio.get_running_loop().create_future()
        try:
            return await self.waiting[id]
        finally:  # also when the client hangs up: for a request that has ended this does nothing
            del self.waiting[id]
            self.engine.cancel(id)


# %% tags=["optional", "topic:P02"]
async def stepping(front):
    """Steps the engine, and lets the clients in between two steps."""
    while True:
        if front.engine.open:
            front.engine.step()
        for id, future in front.waiting.items():
            if front.engine.requests[id].finish_reason is not None and not future.done():
                future.set_result(front.engine.requests[id])
        await asyncio.sleep(0)  # the others' turn


# %% tags=["optional", "topic:P02"]
front = Front(mine.Engine(model, num_pages=64, tokenizer=tokenizer))
task = asyncio.create_task(stepping(front))
asks = ("A queue grows when", "The tail of", "Tokens per second")
clients = [asyncio.create_task(front.answer(ask, max_output_tokens=20)) for ask in asks]
for _ in range(12):
    await asyncio.sleep(0)
clients[1].cancel()  # hangs up in the middle of its answer
done = await asyncio.gather(*clients, return_exceptions=True)
task.cancel()
for one in done:
    print(getattr(one, "finish_reason", type(one).__name__), repr(getattr(one, "text", "")))
front.engine.check()
print("free pages:", front.engine.pool.num_free, "of 64")

# %% tags=["optional", "solution-only"]
assert front.engine.pool.num_free == 64

# %% [markdown] tags=["optional", "topic:P02"]
# This front is the shortest that works: it spins while nothing is open, and if `step` raises, its task ends and
# the clients wait for ever. A server waits on an event, and fails all futures with the error. Two questions
# remain. A step holds up the event loop for as long as the model computes: it
# belongs into a thread of its own, and then `cancel` may come while a step runs. (Let the stepping task make
# all calls of the engine, between steps.) And a client that reads slowly needs a queue of its own, with a
# limit, or its tokens pile up.

# %% [markdown]
# ## Stretch
#
# - **A fork.** Two answers to one prompt: the second request could hold the pages of the first. Which two
#   verbs of the pool would you need, and which of them copies the last page when they part?
# - **The longest line.** `token_budget` bounds the line of a step. Draw `packed_lines` for budgets of 12, 48
#   and 200. Which requests gain, and which wait?
# - **Explain one step of your engine**, aloud, in two minutes, for a request that is preempted: which lists
#   does it leave, which numbers of it go to 0, what stays? `labutils drill` asks this too.
# - **Read the real ones.** Six questions to be answered in the source of vLLM, SGLang and nano-vllm stand at
#   the end of *your words and theirs*, `docs/engine_words.md`.
#
# ## What to do on Monday morning
#
# 1. **Ask for the proof** of the engine that you run: the same tokens alone and in a batch, in float64, with
#    preemption, shared prompts and cancellation among the jobs.
# 2. **Cancel a hundred requests**, then count free pages. A leak shows itself on the first day or in a month.
# 3. **Raise in a callback.** Whose answers stop?
# 4. **Let one long context join** forty short ones, and look at the time between tokens of all of them.
#
# ## Sources
#
# - G.-I. Yu and others, *Orca: a distributed serving system for transformer-based generative models*, 2022:
#   scheduling by iteration, and one batch for rows that differ in length.
# - W. Kwon and others, *Efficient memory management for large language model serving with PagedAttention*,
#   2023: block tables and slots.
# - A. Holtzman and others, *The curious case of neural text degeneration*, 2020: top-p.
# - vLLM, `vllm/v1/worker/gpu_model_runner.py`, `_prepare_inputs`: the same packing, for a real machine.
# - nano-vllm, `nanovllm/engine/`: the whole of it, in files as short as these.
