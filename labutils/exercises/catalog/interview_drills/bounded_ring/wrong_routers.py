"""Routers that do not survive the stories of the code drill, each by one mistake."""

import math

from .routers import Router


class CounterClockwise(Router):
    """Goes back to the last point before the key."""

    def clockwise(self, place):
        order = sorted(self.points, key=lambda point: (point > place, -point))
        return [self.points[point] for point in order]


class StrictlyAfter(Router):
    """A key that lies on a point goes to the next one."""

    def clockwise(self, place):
        return super().clockwise(place + 1)


class EndsAtTheEnd(Router):
    """Behind the last point there is nobody, so the last node takes it."""

    def clockwise(self, place):
        last = max(self.points, default=0)
        return super().clockwise(min(place, last))


class Modulo(Router):
    """A key's node is its place modulo the number of nodes."""

    def clockwise(self, place):
        first = place % max(len(self.nodes), 1)
        return self.nodes[first:] + self.nodes[:first]


class NearestPoint(Router):
    """Goes to the nearest point, on either side."""

    def clockwise(self, place):
        order = sorted(
            self.points, key=lambda point: min((point - place) % 1000, (place - point) % 1000)
        )
        return [self.points[point] for point in order]


class OnePointEach(Router):
    """Keeps the first place of a node."""

    def join(self, node, points):
        super().join(node, points[:1])


class WithoutBound(Router):
    def has_room(self, node):
        return True


class RoundsDown(Router):
    def most(self):
        return max(1, math.floor(self.factor * (len(self.held) + 1) / len(self.nodes)))


class WithoutTheNewOne(Router):
    """The bound counts those that are open already."""

    def most(self):
        return max(1, math.ceil(self.factor * len(self.held) / len(self.nodes)))


class OneAboveTheBound(Router):
    def most(self):
        return super().most() + 1


class TakesAtTheBound(Router):
    """A node that holds exactly its bound takes one more."""

    def has_room(self, node):
        return self.loads()[node] <= self.factor * (len(self.held) + 1) / len(self.nodes)


class BoundByPoints(Router):
    """Divides by the points on the ring."""

    def most(self):
        return max(1, math.ceil(self.factor * (len(self.held) + 1) / len(self.points)))

    def choose(self, place):
        fallback = self.clockwise(place)[:1]
        return super().choose(place) or next(iter(fallback), None)


class ToTheEmptiest(Router):
    """If the first is full, the emptiest takes it."""

    def choose(self, place):
        order = self.clockwise(place)
        if order and not self.has_room(order[0]):
            return min(order, key=self.loads().get)
        return next(iter(order), None)


class LooksOnce(Router):
    """If the first is full, the point behind it takes it, full or not."""

    def choose(self, place):
        order = self.clockwise(place)
        full = bool(order) and not self.has_room(order[0])
        return order[full % len(order)] if order else None


class CountsTwice(Router):
    """A key that is open already counts again."""

    def __init__(self, factor):
        super().__init__(factor)
        self.again = []

    def route(self, key, place):
        known = key in self.held
        node = super().route(key, place)
        self.again += [node] if known else []
        return node

    def loads(self):
        return {node: count + self.again.count(node) for node, count in super().loads().items()}


class NotSticky(Router):
    """A key that is open is placed anew."""

    def route(self, key, place):
        self.held.pop(key, None)
        return super().route(key, place)


class PlacedTwice(Router):
    """A key that is open is placed anew, and its old node counts it still."""

    def __init__(self, factor):
        super().__init__(factor)
        self.twice = 0

    def route(self, key, place):
        if key in self.held:
            self.twice += 1
            self.held[f"{key} before {self.twice}"] = self.held.pop(key)
        return super().route(key, place)


class LoadStays(Router):
    """A key that is done is forgotten, and its node's load is not."""

    def __init__(self, factor):
        super().__init__(factor)
        self.ended = []

    def done(self, key):
        if key in self.held:
            self.ended.append(self.held[key][1])
        return super().done(key)

    def loads(self):
        return {node: count + self.ended.count(node) for node, count in super().loads().items()}


class NeverCloses(Router):
    """A key that is done stays open."""

    def __init__(self, factor):
        super().__init__(factor)
        self.closed = set()

    def done(self, key):
        was_open = key in self.held and key not in self.closed
        self.closed.add(key)
        return was_open

    def route(self, key, place):
        if key in self.closed:
            self.closed.discard(key)
            del self.held[key]
        return super().route(key, place)

    def leave(self, node):
        moved = super().leave(node)
        self.closed -= moved.keys()
        return moved


class AlwaysDone(Router):
    def done(self, key):
        super().done(key)
        return True


class JoinMovesOpenKeys(Router):
    """When a node comes, open keys that would now be its go there."""

    def join(self, node, points):
        super().join(node, points)
        for key, (place, _) in self.held.items():
            if self.clockwise(place)[0] == node:
                self.held[key] = place, node


class LeaveMovesAll(Router):
    """When a node goes, everybody is placed anew."""

    def leave(self, node):
        self.take_out(node)
        gone = {key: place for key, (place, at) in self.held.items() if at == node}
        everybody, self.held = self.held, {}
        found = {key: self.route(key, place) for key, (place, _) in everybody.items()}
        return {key: found[key] for key in gone}


class LeaveLosesThem(Router):
    """The keys of a node that goes are gone with it."""

    def leave(self, node):
        self.take_out(node)
        self.held = {key: pair for key, pair in self.held.items() if pair[1] != node}
        return {}


class HomelessCount(Router):
    """While one key of a node that went is placed, the others count as open."""

    def leave(self, node):
        self.take_out(node)
        moved = {}
        for key, (place, at) in list(self.held.items()):
            if at == node:
                self.done(key)
                moved[key] = self.route(key, place)
        return moved


class LeaveToOne(Router):
    """The next node takes all keys of one that goes, full or not."""

    def leave(self, node):
        self.take_out(node)
        moved = {}
        for key, (place, at) in self.held.items():
            if at == node:
                moved[key] = next(iter(self.clockwise(place)), None)
                self.held[key] = place, moved[key]
        return moved


class LeavesItsPoints(Router):
    """The points of a node that is gone stay, and nobody stands there."""

    def take_out(self, node):
        self.nodes.remove(node)

    def has_room(self, node):
        return node not in self.nodes or super().has_room(node)


class CountsTheGone(Router):
    """The bound divides by all nodes that ever came."""

    def __init__(self, factor):
        super().__init__(factor)
        self.ever = 0

    def join(self, node, points):
        super().join(node, points)
        self.ever += 1

    def most(self):
        return math.ceil(self.factor * (len(self.held) + 1) / self.ever)

    def choose(self, place):
        return super().choose(place) or next(iter(self.clockwise(place)), None)


class JoinLevelsOut(Router):
    """A node that comes is given what the others hold above the new bound."""

    def join(self, node, points):
        super().join(node, points)
        most = math.ceil(self.factor * len(self.held) / len(self.nodes))
        for key, (place, at) in self.held.items():
            if self.loads()[at] > most:
                self.held[key] = place, node
