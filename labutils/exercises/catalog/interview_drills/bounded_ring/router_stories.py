"""What happens to the router of the code drill, in the order in which an interviewer asks.

The hash is the interviewer's: places on the ring come as numbers from 0 to 999, so every result is
exact. Factor, keys and nodes are such that the bound is the same in whatever order it is computed.
"""

from labutils.exercises.checkers import Call, New, Read
from labutils.exercises.stories.story import stories_in

LOADS = Read("loads")
LOOSE = 4.0  # as many as there are nodes at most: the bound never binds


def _route(key, place):
    return Read("route", (key, place))


class _Ring:
    """Nodes with two points each, a b c a b c …, at least 80 places apart.

    ``before(i)`` is a place whose next point is the i-th, which belongs to ``names[i % count]``.
    """

    def __init__(self, draw, count, factor=LOOSE, *, absent=0):
        self.draw, self.names = (
            draw,
            [f"n{number}" for number in draw.shuffled(range(1, count + 1))],
        )
        width = 1000 // (2 * count)
        middle = [width * slot + width // 2 for slot in range(2 * count)]
        self.points = [place + draw.whole(-9, 9) for place in middle]
        self.here = self.names[: count - absent]
        self.steps = [New((factor,)), *(self.joins(name) for name in sorted(self.here))]

    def joins(self, name):
        first = self.names.index(name)
        return Call("join", (name, [self.points[first], self.points[first + len(self.names)]]))

    def before(self, at):
        return self.points[at] - self.draw.whole(1, 30)


class Told:
    def round_the_ring(draw):
        """Two routers sent the same key to different nodes."""
        # Keys between the points, one of them behind the last.
        ring = _Ring(draw, 3)
        yield from ring.steps
        for key, at in zip("pqrs", draw.shuffled(range(6))[:4]):
            yield _route(key, ring.before(at))
        yield _route("z", ring.points[-1] + draw.whole(1, 30))

    def on_the_spot(draw):
        """A key lay exactly where a node stands."""
        # A key lies exactly on a point, one a place behind it, and some where the ring closes.
        ring = _Ring(draw, 3)
        yield from ring.steps
        for key, at in zip("pq", draw.shuffled(range(6))):
            yield _route(key, ring.points[at])
        yield _route("r", ring.points[draw.whole(0, 5)] + 1)
        yield Call("join", ("n8", [0]))
        yield Call("join", ("n9", [999]))
        yield _route("s", 999)
        yield _route("t", 0)

    def nobody_there(draw):
        """A key came while all nodes were still starting."""
        # A key comes before the first node; then it goes nearly all the way round.
        point = draw.whole(0, 998)
        yield New((LOOSE,))
        yield _route("p", draw.whole(0, 999))
        yield Call("join", ("n1", [point]))
        yield _route("p", point + 1)

    def hot_place(draw):
        """One document was asked for by everybody."""
        # Everybody asks for the same document.
        ring = _Ring(draw, 4, draw.pick([1.25, 1.5]))
        place = ring.before(draw.whole(0, 3))
        yield from ring.steps
        for key in "pqrstuv":
            yield _route(key, place)
        yield LOADS

    def neighbours_are_full(draw):
        """A node was full, and its keys went to another one than planned."""
        # The node of a key is full, and the next one, too.
        ring, first = _Ring(draw, 4, 1.5), draw.whole(0, 3)
        yield from ring.steps
        for key, step in zip("pqrs", (1, 2, 0, 1)):
            yield Call("route", (key, ring.before(first + step)))
        yield _route("t", ring.before(first + 1))
        yield _route("u", ring.before(first + 1))
        yield _route("v", ring.before(first))
        yield LOADS

    def full_at_the_end(draw):
        """The last node of the ring was full, and its keys went where there was no room."""
        # The walk past full nodes goes on where the ring begins, and by the same bound.
        ring = _Ring(draw, 3, 1.0)
        place = ring.before(5)
        yield from ring.steps
        for key in "pqrst":
            yield _route(key, place)
        yield LOADS

    def twice_in_a_row(draw):
        """A full node stood twice in a row on the ring."""
        # The next two points belong to the same node, which is full.
        place, gap = draw.whole(50, 200), draw.whole(40, 90)
        yield New((1.0,))
        yield Call("join", ("n1", [place, place + gap]))
        yield Call("join", ("n2", [place + 2 * gap, place + 5 * gap]))
        yield _route("p", place - draw.whole(1, 30))
        yield _route("q", place - draw.whole(1, 30))
        yield _route("r", place - draw.whole(1, 30))
        yield LOADS

    def asked_again(draw):
        """A conversation went on, and its cache lay elsewhere."""
        # A conversation that is open goes on, while its place has become hot.
        ring, first = _Ring(draw, 4, 1.5), draw.whole(0, 3)
        place = ring.before(first)
        yield from ring.steps
        yield Call("route", ("p", place))
        yield Call("route", ("q", place))
        yield _route("q", place)
        yield LOADS
        yield _route("r", place)

    def closed(draw):
        """Conversations ended, and the loads were wrong."""
        # Conversations end, and one ends twice.
        ring, first = _Ring(draw, 4, 1.5), draw.whole(0, 3)
        place = ring.before(first)
        yield from ring.steps
        for key in "pqr":
            yield Call("route", (key, place))
        yield Read("done", ("p",))
        yield LOADS
        yield Read("done", ("p",))
        yield _route("s", place)
        yield _route("p", place)
        yield LOADS

    def a_node_comes(draw):
        """A node came, and most caches were cold."""
        # Nothing is open when a node comes; afterwards the same keys come again.
        ring = _Ring(draw, 4, absent=1)
        places = {key: ring.before(at) for key, at in zip("pqrstuvw", range(8))}
        yield from ring.steps
        keys = draw.shuffled("pqrstuvw")
        for key in keys[:5]:
            yield _route(key, places[key])
            yield Call("done", (key,))
        yield ring.joins(ring.names[-1])
        for key in keys:
            yield _route(key, places[key])

    def comes_while_open(draw):
        """A node came in the middle of conversations."""
        # A node comes, and would be next for conversations that are open.
        ring = _Ring(draw, 4, absent=1)
        last = draw.pick([3, 7])
        yield from ring.steps
        yield Call("route", ("p", ring.before(last)))
        yield ring.joins(ring.names[-1])
        yield _route("p", ring.before(last))
        yield LOADS
        yield _route("q", ring.before(last))

    def comes_while_full(draw):
        """A node came, and conversations moved to it."""
        # All nodes hold what they may, and another one comes.
        ring, first = _Ring(draw, 3, 1.0, absent=1), draw.whole(0, 2)
        keys = draw.shuffled("pqrsuv")
        yield from ring.steps
        for key in keys:
            yield Call("route", (key, ring.before(first)))
        yield ring.joins(ring.names[-1])
        yield LOADS
        yield _route(keys[0], ring.before(first))
        yield _route("t", ring.before(first))

    def a_node_goes(draw):
        """A node went, and so did conversations of others."""
        # A node goes, with conversations open there and elsewhere.
        ring, first = _Ring(draw, 4), draw.whole(0, 3)
        yield from ring.steps
        for key, step in zip("pqrs", draw.shuffled([0, 0, 1, 2])):
            yield Call("route", (key, ring.before(first + step)))
        for key in "pqrs":  # and is asked for again, at another place
            yield Call("route", (key, ring.before(first + 2)))
        yield Read("leave", (ring.names[first],))
        yield LOADS
        for key in "pqrs":
            yield _route(key, draw.whole(0, 999))

    def its_place(draw):
        """A node was gone, and keys were still sent there, or lost."""
        # A node is gone, and keys come that were its own.
        ring, first = _Ring(draw, 4), draw.whole(0, 3)
        yield from ring.steps
        yield Call("leave", (ring.names[first],))
        yield _route("p", ring.before(first))
        yield _route("q", ring.before(first + 4))
        yield LOADS

    def moved_once(draw):
        """A node went, and conversations of others moved."""
        # A place is hot, and a node goes that had nothing to do with it.
        ring, first = _Ring(draw, 4, 1.5), draw.whole(0, 3)
        yield from ring.steps
        for key in "pqr":
            yield Call("route", (key, ring.before(first)))
        yield Call("done", ("p",))
        yield Read("leave", (ring.names[(first + 2) % 4],))
        yield _route("q", ring.before(first))
        yield _route("r", ring.before(first))

    def from_its_own_place(draw):
        """A node went, and a key was sent on from there, although there was room where it lies."""
        # A key lies before a full node, which has room again when the key's node goes.
        ring, first = _Ring(draw, 3, 1.0), draw.whole(0, 2)
        yield from ring.steps
        for key in "pq":
            yield Call("route", (key, ring.before(first)))
        yield Call("done", ("p",))
        yield Read("leave", (ring.names[(first + 1) % 3],))

    def room_for_the_homeless(draw):
        """A node went, and the next one on the ring fell after it."""
        # A node goes whose conversations do not fit on the next one.
        ring, first = _Ring(draw, 3, 1.0), draw.whole(0, 2)
        yield from ring.steps
        for key, step in zip(draw.shuffled("pqrstu"), (0, 1, 2, 0, 1, 2)):
            yield Call("route", (key, ring.before(first + step)))
        yield Read("leave", (ring.names[first],))
        yield LOADS

    def closed_first(draw):
        """A node went, and its neighbour held more than its part."""
        # A node goes with two conversations; only a little is open elsewhere.
        ring, first = _Ring(draw, 3, 1.0), draw.whole(0, 2)
        yield from ring.steps
        for key, step in zip("pqrs", (0, 1, 2, 0)):
            yield Call("route", (key, ring.before(first + step)))
        yield Call("done", ("r",))
        yield Read("leave", (ring.names[first],))
        yield LOADS

    def fewer_nodes(draw):
        """A node was gone, and the others held the wrong number."""
        # A node is gone, and the others may hold more each.
        ring, first = _Ring(draw, 3, 1.5), draw.whole(0, 2)
        yield from ring.steps
        yield Call("leave", (ring.names[first],))
        for key in "pqrst":
            yield _route(key, ring.before(first + 1))
        yield LOADS

    def one_is_left(draw):
        """One node was left, and somebody was turned away."""
        # Of two nodes one goes, and the other has to take everything.
        ring = _Ring(draw, 2, 1.0)
        yield from ring.steps
        yield Call("leave", (ring.names[0],))
        for key in "pqr":
            yield _route(key, draw.whole(0, 999))


STORIES = stories_in(Told)
