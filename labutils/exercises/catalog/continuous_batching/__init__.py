"""Exercises and predictions of chapter 07, continuous batching."""

from labutils.exercises.definition.sheet import predictions

ORDER = 7
TITLE = "Continuous batching"
MINUTES = 75

PREDICTIONS = predictions("""
# continuous.code_gain · 1, at least 0
? Sixteen slots, a backlog of code requests (long prompts, short answers). By slots alone, static
  batches could become about six times as fast. By which factor does continuous batching really
  raise the throughput?
= Continuous batching raises the throughput for code by a factor of {}.
! Empty slots are saved only while answers are written. Reading the prompts takes as long as before,
  and in code most of the time goes there.

# continuous.chunked_ttft · 1, at least 0
? Sixteen answers are being written when a prompt of 8,000 tokens arrives. It is read in chunks of a
  step with at most 512 tokens, instead of in one piece. By which factor does the time to its own
  first token change (above 1: it gets longer)?
= In chunks, its own first token takes {} times as long.
! The first token needs the last chunk, and the FLOPs stay the same. A chunk of some 500 tokens
  computes for longer than the weights are read, so the reading hides; what comes on top are the
  others' tokens and the keys and values that they read. Those who gain are the others: their
  longest gap shrinks to one step.
""")
