"""What revives a fleet that hedges itself to death."""

from labutils.exercises.checkers.sheets import choice

REVIVE = choice(r"""
tails.revive · Which measures revive the fleet? · 4 minutes

- a: Wait: the peak is over, and this load was fine before.
! Compute the load that the clients send now, copies included. Does it let the backlog shrink?
- b: Raise the trigger from 150 ms to 1.5 s.
! How long does a request wait now, and how many of the requests would a trigger of 1.5 s spare?
+ c: Cancel the other copy as soon as one has answered.
! Is the work of the second copy needed once the first has answered?
+ d: Limit the copies to 5 % of the requests.
! What would the load be if copies were rare?
- e: Add two servers to the twenty.
! Compute the load again with 22 servers, copies included. Is there any headroom left that could
  shrink a backlog?
+ f: Turn a third of the requests away.
! With everything sent twice, which load of requests does the fleet just bear?
> Which requests are hedged in the collapsed fleet? Compute the load that this sends to the servers.
> The backlog shrinks only if the load, copies included, is below 1. Twenty servers at load 0.6 are
  twelve servers' worth of requests.
> Everything is sent twice: 24 servers' worth. Check each measure: does it bring what is sent below
  what the servers can do, with every request still waiting for many seconds?

The trap is $2\rho > 1$: twelve servers' worth of requests, sent twice, is 24. Waiting adds to the
backlog, a trigger of 1.5 s is as far below the latency as one of 150 ms, and 22 servers are still
too few for 24 servers' worth. (Four more would do, slowly: the new servers are empty, so what is
dealt to them needs no copy.) Cancellation removes the second half of the work, a budget keeps it at
5 %, and at load 0.4 even two copies of each fit: $2 \cdot 0.4 < 1$. Switching hedging off would do
it too.
""")
