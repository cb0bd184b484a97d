"""Exercises and predictions of lab 6, the learner's own engine."""

from labutils.exercises.definition.sheet import predictions

ORDER = 16
TITLE = "Your engine"
MINUTES = 91

PREDICTIONS = predictions("""
# yours.packed · 1, at least 0
? Twelve requests run at a time. One engine calls the model once for each row of a step, the other
  packs all rows into one line. How many times as fast is the second?
= Packed into one line, a step is {} times as fast.
! Each call reads all weights and launches all operations, for one token. In one line they are read
  and launched once for twelve. What is left over is attention, which reads each request's own
  context, and the arithmetic of the rows themselves.

# yours.one_long · 1, at least 0
? Forty requests with short contexts decode in one padded call. One with 2,000 tokens joins. How
  many times as long does a step take?
= With the long request a step takes {} times as long.
! The padded call reads rows × longest context: 41 × 2,000 slots in the place of 40 × 60. The
  weights cost what they did before, so the factor is less than the ratio of the slots. With a cut
  into buckets the long row goes alone.

# yours.share · 1, at least 0
? Tokens per second of your engine, as a share of the course's engine on the same job?
= Your engine reaches {} times the course's tokens per second.
! Both run the same kernels on the same lines, so they differ in Python alone: some microseconds for
  each row of a step, beside milliseconds for the model. A share that is far below 1 has a reason:
  rows computed one by one, or tables and masks built in each layer.
""")
