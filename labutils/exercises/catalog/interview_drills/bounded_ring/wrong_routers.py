"""Routers that do not survive the stories of the code drill, each by one mistake."""

from labutils.exercises.definition.patched import patched

from .routers import Router

_SHEET = """
counter-clockwise: You go to the point before the key. Which way round did the interviewer say?
- (point < place, point)
+ (point > place, -point)

strictly-after: A key that lies on a point goes past it. At or after?
- point < place
+ point <= place

ends-at-the-end: Behind the last point a key goes back. Where does a ring go on?
- order = sorted(self.points, key=lambda point: (point < place, point))
+ place = min(place, max(self.points, default=0))
+ order = sorted(self.points, key=lambda point: (point < place, point))

modulo: You take the key's place modulo the number of nodes. How many keys move when one comes?
- order = sorted(self.points, key=lambda point: (point < place, point))
- return [self.points[point] for point in order]
+ first = place % max(len(self.nodes), 1)
+ return self.nodes[first:] + self.nodes[:first]

nearest-point: You go to the nearest point on either side. Which way round did the interviewer say?
- (point < place, point)
+ min((point - place) % 1000, (place - point) % 1000)

one-point-each: A node stands at one of its places alone.
- dict.fromkeys(points, node)
+ dict.fromkeys(points[:1], node)

without-bound: One node takes everything. How many may it hold?
- return self.loads()[node] < self.most()
+ return True

rounds-down: A node is called full too early. Which way did the interviewer round?
- return math.ceil(self.factor * (len(self.held) + 1) / len(self.nodes))
+ return max(1, math.floor(self.factor * (len(self.held) + 1) / len(self.nodes)))

rounds-down-to-none: A node is called full before it holds anything. Which way did the interviewer
    round?
- return math.ceil(self.factor * (len(self.held) + 1) / len(self.nodes))
+ return math.floor(self.factor * (len(self.held) + 1) / len(self.nodes))

to-the-nearest: A node is called full too early where less than half is cut off. Which way did the
    interviewer round?
- return math.ceil(self.factor * (len(self.held) + 1) / len(self.nodes))
+ return max(1, round(self.factor * (len(self.held) + 1) / len(self.nodes)))

to-the-nearest-or-none: A node is called full too early where less than half is cut off. Which way
    did the interviewer round?
- return math.ceil(self.factor * (len(self.held) + 1) / len(self.nodes))
+ return round(self.factor * (len(self.held) + 1) / len(self.nodes))

without-the-factor: A node may hold no more than the mean, whatever the factor. What did the
    interviewer let it hold?
- math.ceil(self.factor * (len(self.held) + 1) / len(self.nodes))
+ math.ceil((len(self.held) + 1) / len(self.nodes))

without-the-new-one: The bound counts what is open already. Which keys are open once this one is
    placed?
- return math.ceil(self.factor * (len(self.held) + 1) / len(self.nodes))
+ return max(1, math.ceil(self.factor * len(self.held) / len(self.nodes)))

one-above-the-bound: A node holds one key more than its bound. Do you compare before or after it is
    placed?
- / len(self.nodes))
+ / len(self.nodes)) + 1

takes-at-the-bound: A node that holds its bound takes one more. Is it full then, and what does
    rounding up make of a bound that is whole?
- < self.most()
+ <= self.factor * (len(self.held) + 1) / len(self.nodes)

bound-by-points: The bound divides by the points on the ring. Who holds the load, a point or a node?
- return next((node for node in self.clockwise(place) if self.has_room(node)), None)
+ order = self.clockwise(place)
+ return next((node for node in order if self.has_room(node)), next(iter(order), None))
- return math.ceil(self.factor * (len(self.held) + 1) / len(self.nodes))
+ return max(1, math.ceil(self.factor * (len(self.held) + 1) / len(self.points)))

bound-by-points-or-none: The bound divides by the points on the ring. Who holds the load, a point or
    a node?
- return math.ceil(self.factor * (len(self.held) + 1) / len(self.nodes))
+ return math.ceil(self.factor * (len(self.held) + 1) / len(self.points))

to-the-emptiest: If a node is full, the emptiest takes the key. Will another router find it there?
- return next((node for node in self.clockwise(place) if self.has_room(node)), None)
+ order = self.clockwise(place)
+ if order and not self.has_room(order[0]):
+     return min(order, key=self.loads().get)
+ return next(iter(order), None)

looks-once: Behind a full node the next point takes the key, full or not, and whoever stands there.
- return next((node for node in self.clockwise(place) if self.has_room(node)), None)
+ order = self.clockwise(place)
+ full = bool(order) and not self.has_room(order[0])
+ return order[full % len(order)] if order else None

walk-ends-at-the-end: Behind a full node the walk stops at the last point of the ring. Where does a
    ring go on?
- return next((node for node in self.clockwise(place) if self.has_room(node)), None)
+ order = self.clockwise(place)
+ upto = sum(point >= place for point in self.points) or len(order)
+ return next((node for node in order[:upto] if self.has_room(node)), next(iter(order), None))

walk-ends-in-none: Behind a full node the walk stops at the last point of the ring. Where does a
    ring go on?
- return next((node for node in self.clockwise(place) if self.has_room(node)), None)
+ order = self.clockwise(place)
+ upto = sum(point >= place for point in self.points) or len(order)
+ return next((node for node in order[:upto] if self.has_room(node)), None)

counts-twice: A key that was open is counted again. How many conversations is it?
= self.nodes, self.points, self.held = [], {}, {}
+ self.again = []
- return self.held[key][1]
+ self.again.append(self.held[key][1])
+ return self.held[key][1]
- held.count(node) for
+ held.count(node) + self.again.count(node) for

not-sticky: A key that is open is placed anew. Where does its cache lie?
- if key in self.held:
-     return self.held[key][1]
+ self.held.pop(key, None)

not-sticky-in-its-own-way: A key that is open is placed anew, and its own load is in its way. Where
    does its cache lie?
- if key in self.held:
-     return self.held[key][1]

from-the-last-place: A key that was asked for at another place is routed from there when its node
    goes. Which place did the interviewer name?
- return self.held[key][1]
+ self.held[key] = place, self.held[key][1]
+ return self.held[key][1]

placed-twice: A key that is open is placed a second time, and counts on both nodes.
= self.nodes, self.points, self.held = [], {}, {}
+ self.twice = 0
- return self.held[key][1]
+ self.twice += 1
+ self.held[f"{key} before {self.twice}"] = self.held.pop(key)

the-empty-are-missing: A node on which no key is open is missing in `loads`. How much does it hold?
- for node in self.nodes}
+ for node in self.nodes if node in held}
- return self.loads()[node] < self.most()
+ return self.loads().get(node, 0) < self.most()

load-stays: A key is done, and its node counts it still.
= self.nodes, self.points, self.held = [], {}, {}
+ self.ended = []
- held.count(node) for
+ held.count(node) + self.ended.count(node) for
- return self.held.pop(key, None) is not None
+ if key not in self.held:
+     return False
+ self.ended.append(self.held.pop(key)[1])
+ return True

never-closes: A key is done, and is open still.
= self.nodes, self.points, self.held = [], {}, {}
+ self.closed = set()
- if key in self.held:
+ if key in self.closed:
+     self.closed.discard(key)
+     del self.held[key]
+ if key in self.held:
- return self.held.pop(key, None) is not None
+ was_open = key in self.held and key not in self.closed
+ self.closed.add(key)
+ return was_open

always-done: `done` says True for a key that is not open. How shall the caller's bug be found?
- return self.held.pop(key, None) is not None
+ self.held.pop(key, None)
+ return True

join-moves-open-keys: A node comes, and open keys move to it. What lies on their old node?
= self.points.update(dict.fromkeys(points, node))
+ for key, (place, _) in self.held.items():
+     if self.clockwise(place)[0] == node:
+         self.held[key] = place, node

join-levels-out: A node comes, and takes over what others hold above the new bound. What lies on the
    node on which they were open?
= self.points.update(dict.fromkeys(points, node))
+ most = math.ceil(self.factor * len(self.held) / len(self.nodes))
+ for key, (place, at) in self.held.items():
+     if self.loads()[at] > most:
+         self.held[key] = place, node

leave-moves-all: A node goes, and keys move that it did not hold. Who lost anything?
- for key in gone:
- ...
+ everybody, self.held = self.held, {}
+ found = {key: self.route(key, place) for key, (place, _) in everybody.items()}
+ return {key: found[key] for key in gone}

leave-loses-them: A node goes, and its open keys with it.
- gone = {key: place for key, (place, at) in self.held.items() if at == node}
- ...
+ self.held = {key: pair for key, pair in self.held.items() if pair[1] != node}
+ return {}

homeless-count: While one key of a node that went is placed, its others count as open. When are they
    closed?
- for key in gone:
- ...
+ moved = {}
+ for key, place in gone.items():
+     self.done(key)
+     moved[key] = self.route(key, place)
+ return moved

counted-till-the-end: A node goes, and while its keys are placed it still counts among the nodes, so
    that the bound is too low. How many share the load at that moment?
- self.take_out(node)
- gone = {key: place for key, (place, at) in self.held.items() if at == node}
- ...
+ self.points = {point: at for point, at in self.points.items() if at != node}
+ gone = {key: place for key, (place, at) in self.held.items() if at == node}
+ for key in gone:
+     self.done(key)
+ moved = {key: self.route(key, place) for key, place in gone.items()}
+ self.take_out(node)
+ return moved

in-the-order-of-names: The keys of a node that went are placed in the order of their names. Which
    order did the interviewer ask for?
- for key, place in gone.items()}
+ for key, place in sorted(gone.items())}

leave-to-one: All keys of a node that went stand on the next one. How many may it hold?
- for key in gone:
- ...
+ moved = {key: next(iter(self.clockwise(place)), None) for key, place in gone.items()}
+ self.held.update({key: (place, moved[key]) for key, place in gone.items()})
+ return moved

leaves-its-points: A node is gone, and keys are still sent to it. What is left of it on the ring?
- return self.loads()[node] < self.most()
+ return node not in self.nodes or self.loads()[node] < self.most()
- self.points = {point: at for point, at in self.points.items() if at != node}

counts-the-gone: The bound divides by nodes that are gone. How many share the load now?
= self.nodes, self.points, self.held = [], {}, {}
+ self.ever = 0
= self.nodes.append(node)
+ self.ever += 1
- return next((node for node in self.clockwise(place) if self.has_room(node)), None)
+ order = self.clockwise(place)
+ return next((node for node in order if self.has_room(node)), next(iter(order), None))
- / len(self.nodes))
+ / self.ever)
"""

MISTAKES = patched(Router, _SHEET)
