"""interview.router · A router with bounded load · 25 minutes, optional

> Two things are kept apart: the ring (who stands where) and the books (which key is open on which
  node). A node that comes changes the ring alone.
> Walk the points clockwise from the key, once round, and take the first node whose load is below
  the bound. As factor is at least 1, there is one. The bound counts the key that you are placing.
> order = sorted(points, key=lambda point: (point < place, point)); bound = ceil(factor × (open + 1)
  / nodes). leave: take node and points off, note its keys with their places, close them all, then
  route each.

A hash modulo n moves nearly all keys when n changes; on a ring a node that comes takes its arcs and
nothing else, and one that goes leaves its keys to whoever stands next. What moves is about 1/n.
Several points a node even out the arcs.

But a ring balances keys and not load: one hot document is one place. The bound (Mirrokni, Thorup
and Zadimoghaddam, 2016) says that nobody holds more than factor times the mean, rounded up, and
lets a key walk on clockwise from full nodes. A factor near 1 balances and scatters a prefix over
many caches; a large one keeps caches warm and lets one node burn. The bound never refuses anybody:
n nodes with ⌈factor × m / n⌉ places each have at least m.

*Then they ask:* what does a look-up cost? (points kept sorted, `bisect`: O(log p), and a few steps
past full nodes.) Requests differ in length? (count tokens or pages as load, not keys.) Two routers?
(each sees a part of the loads: gossip them, or let the node refuse and walk on.) The first node was
full for a minute, and the prefix lies on the second now? (go home when there is room, and pay one
prefill; or leave it while the conversation lasts, as here.) How many points? (the spread of the
arcs falls like 1/√points; a hundred or so.)
"""

from labutils.exercises.checkers import Stories
from labutils.exercises.definition.sheet import exercise

from .router_stories import STORIES
from .routers import Router
from .wrong_routers import MISTAKES

ROUTER = exercise(__doc__, Stories(stories=STORIES, reference=Router, misconceptions=MISTAKES))
