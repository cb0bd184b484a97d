"""Sixteen techniques, sorted by the phase that they speed up and by what they save."""

from labutils.exercises.checkers.sheets import sorting

TECHNIQUES = sorting("""
phases.techniques · Sixteen techniques, one table · 9 minutes

* phase: before · prefill · decode
* resource: flops (flop, arithmetic, compute) · bytes (traffic, bandwidth) · room (capacity) · host
  (cpu) · order (turns)
+ a decode host: Record the kernels of a decode step once and replay them with one call (CUDA
  graph).
! bytes: Replayed kernels read what launched ones read. What happened between two of them before?
! flops: The same kernels run. Which time between them is gone?
+ b prefill flops: Find prompts that begin alike by a hash of their tokens and keep what they share.
! decode: When are the shared tokens passed through the model, and how often now?
! prefill room: It even occupies memory between requests. Which work is not done a second time?
! prefill bytes: Which of the two bars is the longer one while a long prompt is read?
+ c decode bytes / decode room: Store weights in 8 bits; turn them into 16 bits on the chip and
  multiply in 16 bits.
! prefill: In how many bits does it multiply, and which of the two bars is long while a prompt is
  read?
! decode flops: It multiplies in 16 bits as before. What has become smaller?
+ d prefill bytes / prefill room: Compute attention over the prompt tile by tile; never write the
  matrix of scores (FlashAttention).
! prefill flops: Every score is still computed. Where did the matrix of scores go before, and where
  does it go now?
! decode: How many rows has the matrix of scores for one new token?
+ e before host: Tokenise in compiled code, several texts in parallel, without copying them.
! prefill: Can the model's first pass have begun before there are tokens?
! decode: What comes in as text: the prompt or the answer?
+ f decode bytes / decode room: Store the KV cache in 8 bits, with one scale for each block.
! prefill: Who reads the cache again and again?
! decode flops: The scores are computed as before. What is there less of to read?
+ g decode order: Read a long prompt in pieces; running answers make their steps between the pieces.
! prefill: The prompt's own first token needs its last piece. Whose gaps get shorter?
! decode flops: Count the tokens that pass through the model: are there fewer?
! decode bytes: The weights are read once for each piece. Is that less than before?
+ h decode host: Draw the next token on the device, where its logits are.
! bytes: Set one row of logits beside the weights that the step reads. Which other price has a copy
  to the processor at every token?
! flops: Somebody has to draw the token, here or there. Who waits for whom?
! prefill: How often is a token drawn while the prompt is read, and how often later?
+ i decode bytes / decode room: Let several query heads share one KV head (GQA; decided when the
  model is trained).
! prefill: Which part of a model's work has to do with KV, and how large is it in the time of a
  prompt?
! decode flops: Each query head still computes its scores. What are there fewer of?
+ j prefill host: Record the pass over prompts of a few lengths, pad each prompt to one of them,
  replay.
! prefill flops: Padding adds arithmetic. What does a replay save, for a short prompt above all?
! decode: It is recorded for passes over prompts. How many tokens has a pass over a running answer?
+ k decode bytes: Let a small model draft five tokens; the large one checks them in one pass.
! decode flops: Drafts that are thrown away were computed too. What does the large model do once for
  several tokens?
! prefill: Which tokens does nobody know in advance: those of the prompt?
! decode room: There are two models in memory now. What does one pass serve?
+ l prefill host / decode host / before host: Stage inputs in pinned memory; copy the next ones to
  the device while it still computes.
! bytes: These bytes come from the processor's memory, before the step. Who waited for them?
! flops: The device computes what it computed before. What does it no longer do?
+ m decode room: Hold the KV cache in pages of equal size, taken when a sequence grows (paging).
! decode bytes: A step reads every cached token, wherever it lies. What was reserved before, and not
  used?
! decode flops: The blocks change where a token lies. Do they change what is computed with it?
! prefill: Which of the two phases holds the cache for most of the time?
+ n decode host / decode bytes: Fuse projections, rotation, softmax and gathering of one layer into
  a few kernels.
! decode flops: The same numbers are multiplied. What lies between two small kernels?
! prefill: Where are the kernels so short that the gaps between them count?
+ o decode room / decode bytes: Keep the first few tokens and a window of the last ones; drop the KV
  between them.
! host: Nothing is warmed up here. What stops growing with the answer?
! prefill: What grows with each token of the answer, and no longer does?
! decode flops: Attention over the window is a small part of a step's arithmetic. What is bounded?
+ p decode room / decode bytes: Beam search: the candidates share the KV pages of their common
  beginning.
! decode flops: Each candidate still makes its own steps. What is there once instead of once for
  each?
! prefill: How many times is the prompt read for one search? What is copied later?
> Ask two questions of each card. When does it act: before the first pass, while the prompt is read,
  or at each token? And which bar of the explorer does it shorten, if any?
> Arithmetic gets less only where tokens are not passed through the model at all. Smaller numbers in
  memory mean fewer bytes. Recorded and fused kernels, copies and sampling are about the processor
  beside the device.
> One card saves nothing and only changes whose turn it is. Three are about the prefill's kernels,
  its repeated prompts and its launches. All that concerns KV is felt in decode.

**Before:** e. **Prefill:** b saves arithmetic, d traffic (the matrix of scores is never written), j
the processor's time. **Decode, bytes:** c and f make what is read smaller, i there is less of it, k
reads the weights once for several tokens. **Decode, room:** m, o, p, and c, f, i as well. **Decode,
host:** a, h, n; l in any phase. **Order:** g. Three cards are often laid wrongly. Weight-only
quantisation (c) multiplies in 16 bits, so a long prompt gains nothing; for that the multiplication
itself must be in 8 bits. Chunked prefill (g) delays its own first token and protects the others.
Attention sinks (o) keep a windowed cache usable; they warm nothing up.
""")
