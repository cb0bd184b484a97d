"""The router of the code drill, as the workbook writes it.

Consistent hashing with bounded loads (Mirrokni, Thorup and Zadimoghaddam, 2016).
"""

import math


class Router:
    """Nodes stand at places of a ring; a key goes to the next one that is not full.

    Invariant: ``held`` names place and node of each open key. It is plain, and not fast: loads are
    counted whenever they are needed.
    """

    def __init__(self, factor):
        self.factor = factor
        self.nodes, self.points, self.held = [], {}, {}

    def join(self, node, points):
        """A node comes, and stands at these places. Open keys stay where they are."""
        self.nodes.append(node)
        self.points.update(dict.fromkeys(points, node))

    def route(self, key, place):
        """The node of a key, which is open from now on; None where there is no node."""
        if key in self.held:
            return self.held[key][1]
        node = self.choose(place)
        if node is not None:
            self.held[key] = place, node
        return node

    def choose(self, place):
        """The first node with room, clockwise."""
        return next((node for node in self.clockwise(place) if self.has_room(node)), None)

    def clockwise(self, place):
        """The nodes in the order of their points, from ``place`` once round the ring."""
        order = sorted(self.points, key=lambda point: (point < place, point))
        return [self.points[point] for point in order]

    def has_room(self, node):
        """Whether a node may take one more."""
        return self.loads()[node] < self.most()

    def most(self):
        """The most that a node may hold once the next key is open."""
        return math.ceil(self.factor * (len(self.held) + 1) / len(self.nodes))

    def loads(self):
        """How many open keys each node holds."""
        held = [node for _, node in self.held.values()]
        return {node: held.count(node) for node in self.nodes}

    def done(self, key):
        """A key is not open any more: True, or False if it was not."""
        return self.held.pop(key, None) is not None

    def leave(self, node):
        """A node goes; its open keys are closed, and routed again in the order in which they came.

        Returns their new nodes by key.
        """
        self.take_out(node)
        gone = {key: place for key, (place, at) in self.held.items() if at == node}
        for key in gone:
            self.done(key)
        return {key: self.route(key, place) for key, place in gone.items()}

    def take_out(self, node):
        """Forget a node and its points."""
        self.nodes.remove(node)
        self.points = {point: at for point, at in self.points.items() if at != node}
