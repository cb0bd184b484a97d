# ---
# jupyter:
#   course:
#     order: 16
#     slug: your_engine
#     title: Your engine
#     question: Every piece is yours, and nothing runs. What is missing?
#     minutes: 120
#     needs: [kv_cache_memory, continuous_batching]
#     folder: labs
#     gpu: optional
#     reading: 40
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %%
from collections.abc import Hashable, Iterator, Sequence

import torch

from labutils.engine import Engine, Generation, Sampling
from labutils.engine.attention import BUCKET_SLOTS, Attend, Bucket, Chunk, KVMemory
from labutils.engine.packing import PackedStep, slots_of
from labutils.exercises import check, hint, outcome, piece, predict, reveal
from labutils.own_engine import engine_map, my_engine

# %%
### INCLUDE labutils.engine.packing:pack

# %%
check("packing.pack", pack)

# %%
### INCLUDE labutils.engine.sampling:cut

# %%
check("sampling.cut", cut)

# %%
### INCLUDE labutils.engine.sampling:draw

# %%
check("sampling.draw", draw)

# %%
mine = my_engine()
pack, cut, draw = mine.packing.pack, mine.sampling.cut, mine.sampling.draw

# %%
### INCLUDE labutils.engine.sampling:sample

# %%
check("sampling.sample", sample)

# %%
### INCLUDE labutils.engine.request:Generation.take+stops as Taking

# %%
check("request.take", Taking)

# %%
### INCLUDE labutils.engine.request:Generation.words

# %%
check("request.words", words)

# %%
mine = my_engine(quiet=True)
sample, paged_attention = mine.sampling.sample, mine.attention.paged_attention

# %%
### INCLUDE labutils.engine.loop:Engine._forward+_logits as Forwarding

# %%
check("loop.forward", Forwarding)

# %%
### INCLUDE labutils.engine.loop:Engine.step+run as Stepping

# %%
check("loop.step", Stepping)

# %%
### INCLUDE labutils.engine.loop:Engine._hand_out+_end+cancel as Telling

# %%
check("loop.hand_out", Telling)

# %%
### INCLUDE labutils.engine.loop:Engine._compute

# %%
check("loop.compute", _compute)

# %%
### INCLUDE labutils.engine.attention:buckets

# %%
check("attention.buckets", buckets)

# %%
buckets = my_engine(quiet=True).attention.buckets

# %%
### INCLUDE labutils.engine.attention:paged_attention

# %%
check("attention.paged", paged_attention)
