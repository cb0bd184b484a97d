"""A bug from the field: an engine that is busy at night."""

from labutils.exercises.checkers.sheets import choice

FIELD = choice("""
streaming.field · Busy at night · 4 minutes

- a: heartbeats are missing
! Then streams would be cut while nothing comes, and clients would complain of broken answers. Here
  they leave by themselves.
- b: clients read too slowly
! Whoever reads slowly is connected, and the server's own metrics count unread events. How many
  clients are connected here?
+ c: the proxy keeps its connection to the server when a client closes its own
- d: the queue is bounded in requests, not in tokens
! A bound decides who comes in. These requests were let in properly, and then nobody read them.
> Compare the two columns: who wrote those tokens, and who read them?
> Directly, the server writes hardly more than is read. What lies between, the second time?
> The server sees one connection, and it is the proxy's. Who closes that one, and when?

The server did all it could: it frees a request when *its* connection closes. The proxy kept that
open and read on, for nobody. nginx does so under `proxy_ignore_client_abort on`, and gateways that
people write do it unless they pass a cancellation on. The two counters belong side by side on a
dashboard: tokens generated, and tokens delivered.
""")
