"""Spot the flaw: one of latency, throughput and concurrency quoted for another."""

from labutils.exercises.checkers.sheets import choice

WHICH_NUMBER = choice(r"""
two.which_number · Spot the flaw: one quantity quoted for another · 2 minutes

- a: The service finishes 800 documents a second at its busiest hour.
! Finished work per second: that is a throughput, and it was read off a counter. Which sentence uses
  it for something else?
+ b: At that hour, therefore, it serves 800 documents at once.
- c: A document takes 40 ms on average, from its arrival to its finished vector.
! From arrival to completion, in milliseconds: that is a latency, and called so.
- d: On average 32 documents are inside, waiting ones included.
! How many are inside at a moment: that is a concurrency, and called so.
> Write behind each sentence the unit of its number: per second, seconds, or none.
> Two sentences speak of the same moment and disagree on how many documents are inside.
> “At once” asks for documents, not for documents per second. Which letter is that?

800 a second is a *throughput*. How many are served at once is the *concurrency*, and the report
itself says what it is: 32. The two differ by the time that each document stays, 0.040 s:
$800 \cdot 0.040 = 32$. That is Little's law, the next chapter. A capacity plan that takes 800/s for
800 at once orders 25 times the slots that the service needs.
""")
