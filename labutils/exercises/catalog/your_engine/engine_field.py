"""A bug from the field: an engine that mixes up two requests."""

from labutils.exercises.checkers.sheets import choice

FIELD = choice("""
loop.field · Answers that change their subject · 2 minutes

- a: pages of one request are overwritten by another
! Slots come from `pack`, which looks at each request's own pages, in whatever order the rows stand.
  Which two lists does the last line put side by side?
+ b: tokens go to the wrong requests
- c: preempted requests lose what they had computed
! The third job differs in its very first token, before anything was preempted. And a request that
  comes back is packed like any other.
- d: random numbers are drawn in another order
! The first two jobs are greedy, and they differ as well. Nothing is drawn there.
> A single request passes. What is there to mix up as soon as there are two?
> `rows` and the logits are zipped together. In which order does each of them stand?
> `rows` is taken from the plan; then the chunks are sorted, and the line follows that order. The
  first row's token goes to whichever request the plan names first.

Two orders that are equal most of the time: as long as all requests decode and the oldest has the
longest context, nobody notices. vLLM reorders its batch too, decodes first, and keeps one index for
all that belongs to a row. The remedy is the same here: sort first, then take everything from the
sorted list. And a test of a single request can never see an error between two.
""")
