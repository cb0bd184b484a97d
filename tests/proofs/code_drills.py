"""Proofs of the code drills 3 to 6: candidates' mistakes, right answers of other styles."""

import bisect
import heapq
import math
from collections import Counter, OrderedDict
from dataclasses import dataclass, field
from types import SimpleNamespace

from labutils.exercises.definition.verdict import Status
from tests.proofs.proof import Proof

# --- interview.limiter --------------------------------------------------------------------------


class FullAt:
    """A right limiter of another style: one number a tenant, the time at which it is full."""

    def __init__(self, rate, burst):
        self.rate, self.burst, self.full_s, self.told_s = rate, burst, {}, {}

    def now(self, tenant, now_s):
        self.told_s[tenant] = max(now_s, self.told_s.get(tenant, now_s))
        return self.told_s[tenant]

    def missing_s(self, tenant, now_s):
        return max(0, self.full_s.get(tenant, now_s) - now_s)

    def allow(self, tenant, tokens, now_s):
        now_s = self.now(tenant, now_s)
        after_s = self.missing_s(tenant, now_s) + tokens / self.rate
        if after_s > self.burst / self.rate:
            return False
        self.full_s[tenant] = now_s + after_s
        return True

    def wait(self, tenant, tokens, now_s):
        if tokens > self.burst:
            return None
        missing_s = self.missing_s(tenant, self.now(tenant, now_s))
        return max(0, missing_s - (self.burst - tokens) / self.rate)

    def refund(self, tenant, tokens, now_s):
        now_s = self.now(tenant, now_s)
        self.full_s[tenant] = now_s + self.missing_s(tenant, now_s) - tokens / self.rate


class Leaky:
    """Right as well: water that leaks away, and must not rise above the edge."""

    def __init__(self, rate, burst):
        self.rate, self.burst, self.tubs = rate, burst, {}

    def tub(self, tenant, now_s):
        tub = self.tubs.setdefault(tenant, SimpleNamespace(water=0, at=now_s))
        leaks_s = max(now_s - tub.at, 0)
        tub.water, tub.at = max(0, tub.water - self.rate * leaks_s), tub.at + leaks_s
        return tub

    def allow(self, tenant, tokens, now_s):
        tub = self.tub(tenant, now_s)
        if tub.water + tokens <= self.burst:
            tub.water += tokens
            return True
        return False

    def wait(self, tenant, tokens, now_s):
        above = self.tub(tenant, now_s).water + tokens - self.burst
        return None if tokens > self.burst else max(0.0, above / self.rate)

    def refund(self, tenant, tokens, now_s):
        tub = self.tub(tenant, now_s)
        tub.water = max(tub.water - tokens, 0)


def replaying(rate, burst):
    """Right as well: a function that makes it, and plays all that happened again at every call."""
    past = {}

    def level(tenant, now_s):
        held, at = burst, None
        for when, change in [*past.get(tenant, []), (now_s, 0)]:
            at = when if at is None else at
            held = min(burst, held + rate * max(0, when - at))
            at = max(at, when)
            held = min(burst, held + change)
        return held

    def note(tenant, change, now_s):
        past.setdefault(tenant, []).append((now_s, change))

    def allow(tenant, tokens, now_s):
        fits = level(tenant, now_s) >= tokens
        note(tenant, -tokens if fits else 0, now_s)
        return fits

    def wait(tenant, tokens, now_s):
        lacks = tokens - level(tenant, now_s)
        return None if tokens > burst else max(lacks, 0) / rate

    def refund(tenant, tokens, now_s):
        note(tenant, tokens, now_s)

    return SimpleNamespace(allow=allow, wait=wait, refund=refund)


class SlidingLog(Leaky):
    """Adds up what was allowed in the last burst / rate seconds."""

    def __init__(self, rate, burst):
        super().__init__(rate, burst)
        self.log = {}

    def tub(self, tenant, now_s):
        rows = self.log.setdefault(tenant, [])
        now_s = max([now_s, *(at for at, _ in rows)])
        recent = [tokens for at, tokens in rows if at > now_s - self.burst / self.rate]
        return SimpleNamespace(water=max(0, sum(recent)), at=now_s)

    def allow(self, tenant, tokens, now_s):
        tub = self.tub(tenant, now_s)
        allowed = tub.water + tokens <= self.burst
        self.log[tenant].append((tub.at, tokens if allowed else 0))
        return allowed

    def refund(self, tenant, tokens, now_s):
        at = self.tub(tenant, now_s).at
        self.log[tenant].append((at, -tokens))


class WholeTokens(Leaky):
    """Rounds what has leaked down to whole tokens."""

    def tub(self, tenant, now_s):
        tub = self.tubs.setdefault(tenant, SimpleNamespace(water=0, at=now_s))
        leaks_s = max(now_s - tub.at, 0)
        tub.water, tub.at = max(0, tub.water - int(self.rate * leaks_s)), tub.at + leaks_s
        return tub


class HeaderInSeconds(Leaky):
    def wait(self, tenant, tokens, now_s):
        wait_s = super().wait(tenant, tokens, now_s)
        return wait_s and math.ceil(wait_s)


class InfiniteWait(Leaky):
    def wait(self, tenant, tokens, now_s):
        return math.inf if tokens > self.burst else super().wait(tenant, tokens, now_s)


class RaisesForTheLarge(Leaky):
    def allow(self, tenant, tokens, now_s):
        if tokens > self.burst:
            raise ValueError("larger than the bucket")
        return super().allow(tenant, tokens, now_s)


class OverflowingTub(Leaky):
    """A refund may leave less than no water."""

    def tub(self, tenant, now_s):
        tub = self.tubs.setdefault(tenant, SimpleNamespace(water=0, at=now_s))
        leaks_s = max(now_s - tub.at, 0)
        tub.water, tub.at = (
            tub.water - min(max(tub.water, 0), self.rate * leaks_s),
            tub.at + leaks_s,
        )
        return tub

    def refund(self, tenant, tokens, now_s):
        self.tub(tenant, now_s).water -= tokens


class LeaksForEver(Leaky):
    def tub(self, tenant, now_s):
        tub = self.tubs.setdefault(tenant, SimpleNamespace(water=0, at=now_s))
        leaks_s = max(now_s - tub.at, 0)
        tub.water, tub.at = tub.water - self.rate * leaks_s, tub.at + leaks_s
        return tub


class LatestIsLast(Leaky):
    """Follows the clock wherever it goes, but leaks nothing on its way back."""

    def tub(self, tenant, now_s):
        tub = super().tub(tenant, now_s)
        tub.at = now_s
        return tub


class RefusedIsSpent(Leaky):
    def allow(self, tenant, tokens, now_s):
        if super().allow(tenant, tokens, now_s):
            return True
        self.tub(tenant, now_s).water = self.burst
        return False


class Strict(Leaky):
    def allow(self, tenant, tokens, now_s):
        return self.tub(tenant, now_s).water + tokens < self.burst and super().allow(
            tenant, tokens, now_s
        )


class WaitReserves(Leaky):
    def wait(self, tenant, tokens, now_s):
        wait_s = super().wait(tenant, tokens, now_s)
        self.allow(tenant, tokens, now_s)
        return wait_s


class WaitsFromEmpty(Leaky):
    def wait(self, tenant, tokens, now_s):
        if tokens > self.burst:
            return None
        return 0 if super().wait(tenant, tokens, now_s) == 0 else tokens / self.rate


class ForgetsUnused(Leaky):
    def refund(self, tenant, tokens, now_s):
        pass


# --- interview.cache ----------------------------------------------------------------------------


class Owed:
    """A right limiter once more: what is missing from a full bucket, a pair a tenant."""

    def __init__(self, rate, burst):
        self.rate, self.burst, self.accounts = rate, burst, {}

    def account(self, tenant, now_s):
        account = self.accounts.setdefault(tenant, [0, now_s])
        passed_s = max(now_s - account[1], 0)
        account[:] = max(account[0] - passed_s * self.rate, 0), account[1] + passed_s
        return account

    def allow(self, tenant, tokens, now_s):
        account = self.account(tenant, now_s)
        fits = account[0] + tokens <= self.burst
        account[0] += tokens * fits
        return fits

    def wait(self, tenant, tokens, now_s):
        lacks = self.account(tenant, now_s)[0] + tokens - self.burst
        return None if tokens > self.burst else max(lacks, 0) / self.rate

    def refund(self, tenant, tokens, now_s):
        account = self.account(tenant, now_s)
        account[0] = max(account[0] - tokens, 0)


class BackWithTheRefund(Owed):
    def refund(self, tenant, tokens, now_s):
        super().refund(tenant, tokens, now_s)
        self.accounts[tenant][1] = now_s


class TrustsALateClock(Owed):
    """A wait is computed with the time as it was told."""

    def wait(self, tenant, tokens, now_s):
        owed, told_s = self.accounts.get(tenant, [0, now_s])
        lacks = max(owed - (now_s - told_s) * self.rate, 0) + tokens - self.burst
        return None if tokens > self.burst else max(lacks, 0) / self.rate


class StrangersMay(Owed):
    def wait(self, tenant, tokens, now_s):
        return super().wait(tenant, tokens, now_s) if tenant in self.accounts else 0


class Ordered:
    """A right cache of another style: an OrderedDict, and a heap that knows who dies next."""

    def __init__(self, capacity):
        self.capacity, self.items, self.deaths = capacity, OrderedDict(), []
        self.tally = Counter()

    def prune(self, now_s):
        while self.deaths and self.deaths[0][0] <= now_s:
            death, key = heapq.heappop(self.deaths)
            if key in self.items and self.items[key][1] == death:
                del self.items[key]

    def put(self, key, value, ttl_s, now_s):
        self.prune(now_s)
        if key not in self.items and len(self.items) == self.capacity:
            self.items.popitem(last=False)
            self.tally["evicted"] += 1
        self.items[key] = (value, now_s + ttl_s)
        self.items.move_to_end(key)
        heapq.heappush(self.deaths, (now_s + ttl_s, key))

    def get(self, key, default, now_s):
        self.prune(now_s)
        self.tally["hit" if key in self.items else "miss"] += 1
        if key not in self.items:
            return default
        self.items.move_to_end(key)
        return self.items[key][0]

    def keys(self, now_s):
        self.prune(now_s)
        return [*self.items]

    def counts(self):
        return [self.tally["hit"], self.tally["miss"], self.tally["evicted"]]


class Ticking:
    """Right as well: a number for every use, and nothing is in any order."""

    def __init__(self, capacity):
        self.capacity, self.tick = capacity, 0
        self.value, self.death, self.used = {}, {}, {}
        self.hits = self.misses = self.evicted = 0

    def living(self, now_s):
        return [key for key in self.value if self.death[key] > now_s]

    def use(self, key):
        self.tick += 1
        self.used[key] = self.tick

    def put(self, key, value, ttl_s, now_s):
        living = self.living(now_s)
        if key not in living and len(living) >= self.capacity:
            self.forget(min(living, key=self.used.get))
            self.evicted += 1
        self.value[key], self.death[key] = value, now_s + ttl_s
        self.use(key)

    def forget(self, key):
        del self.value[key], self.death[key], self.used[key]

    def get(self, key, default, now_s):
        if key in self.living(now_s):
            self.hits += 1
            self.use(key)
            return self.value[key]
        self.misses += 1
        return default

    def keys(self, now_s):
        return sorted(self.living(now_s), key=lambda key: self.used[key])

    def counts(self):
        return self.hits, self.misses, self.evicted


@dataclass
class Linked:
    """Right as well: a list of pairs, searched from the end."""

    capacity: int
    rows: list = field(default_factory=list)
    seen: list = field(default_factory=lambda: [0, 0, 0])

    def row(self, key, now_s):
        self.rows = [row for row in self.rows if now_s - row[2] < row[3]]
        return next((row for row in self.rows if row[0] == key), None)

    def put(self, key, value, ttl_s, now_s):
        if row := self.row(key, now_s):
            self.rows.remove(row)
        if len(self.rows) == self.capacity:
            self.rows.pop(0)
            self.seen[2] += 1
        self.rows.append((key, value, now_s, ttl_s))

    def get(self, key, default, now_s):
        row = self.row(key, now_s)
        self.seen[0 if row else 1] += 1
        if row is None:
            return default
        self.rows.remove(row)
        self.rows.append(row)
        return row[1]

    def keys(self, now_s):
        self.row(None, now_s)
        return [row[0] for row in self.rows]

    def counts(self):
        return tuple(self.seen)


class NothingIsNone(Linked):
    """`or` instead of a look whether the key is there."""

    def get(self, key, default, now_s):
        return super().get(key, default, now_s) or default


class ComparesWithTheDefault(Linked):
    def get(self, key, default, now_s):
        before = self.seen[:]
        found = super().get(key, default, now_s)
        self.seen = before
        self.seen[found == default] += 1
        return found


class NothingNew(Linked):
    """A write of the same value changes the time of death alone."""

    def put(self, key, value, ttl_s, now_s):
        row = self.row(key, now_s)
        if row and row[1] == value:
            self.rows[self.rows.index(row)] = (key, value, now_s, ttl_s)
        else:
            super().put(key, value, ttl_s, now_s)


class ByTheClock(Ticking):
    """The time of the last use says who goes; in one moment several were used."""

    def put(self, key, value, ttl_s, now_s):
        self.now_s = now_s
        super().put(key, value, ttl_s, now_s)

    def get(self, key, default, now_s):
        self.now_s = now_s
        return super().get(key, default, now_s)

    def use(self, key):
        self.used[key] = self.now_s


class MoveNothing(Ordered):
    """An assignment to a key is taken for a use."""

    def put(self, key, value, ttl_s, now_s):
        place = list(self.items).index(key) if key in self.items else None
        super().put(key, value, ttl_s, now_s)
        if place is not None:
            for other in list(self.items)[place:-1]:
                self.items.move_to_end(other)


class ChecksOnRead(Ordered):
    """Nothing dies before it is read."""

    def prune(self, now_s):
        pass

    def get(self, key, default, now_s):
        if key in self.items and self.items[key][1] <= now_s:
            del self.items[key]
        return super().get(key, default, now_s)

    def keys(self, now_s):
        return [key for key in self.items if self.items[key][1] > now_s]


class OldDeaths(Ordered):
    """A death in the heap takes the entry, though it was written again since."""

    def prune(self, now_s):
        while self.deaths and self.deaths[0][0] <= now_s:
            self.items.pop(heapq.heappop(self.deaths)[1], None)


class OneMoment(Ordered):
    def prune(self, now_s):
        super().prune(now_s - 1e-6)


class SlidingLife(Linked):
    """Writes what was read again, from now on."""

    def get(self, key, default, now_s):
        value = super().get(key, default, now_s)
        if self.row(key, now_s):
            key, kept, _, ttl_s = self.rows.pop()
            self.rows.append((key, kept, now_s, ttl_s))
        return value


class EvictsBeforeItLooks(Linked):
    def put(self, key, value, ttl_s, now_s):
        self.row(key, now_s)
        if len(self.rows) == self.capacity:
            self.rows.pop(0)
            self.seen[2] += 1
        super().put(key, value, ttl_s, now_s)


class LeastFrequent(Ticking):
    """Whoever was used least often goes."""

    def use(self, key):
        self.used[key] = self.used.get(key, 0) + 1


class CountsAllThatWent(Linked):
    def row(self, key, now_s):
        before = len(self.rows)
        found = super().row(key, now_s)
        self.seen[2] += before - len(self.rows)
        return found


class KeysByName(Ticking):
    def keys(self, now_s):
        return sorted(self.living(now_s))


class ReadsAreFree(Linked):
    def get(self, key, default, now_s):
        order = self.keys(now_s)
        value = super().get(key, default, now_s)
        self.rows.sort(key=lambda row: order.index(row[0]))
        return value


# --- interview.router ---------------------------------------------------------------------------


class Sorted:
    """A right router of another style: sorted points and bisect, loads kept as it goes."""

    def __init__(self, factor):
        self.factor, self.points, self.owners = factor, [], []
        self.load, self.where, self.at = {}, {}, {}

    def join(self, node, points):
        self.load[node] = 0
        for point in points:
            place = bisect.bisect(self.points, point)
            self.points.insert(place, point)
            self.owners.insert(place, node)

    def start(self, place):
        return bisect.bisect_left(self.points, place)

    def route(self, key, place):
        if key in self.where:
            return self.where[key]
        start = self.start(place)
        for node in self.owners[start:] + self.owners[:start]:
            if self.takes(node):
                self.load[node] += 1
                self.where[key], self.at[key] = node, place
                return node
        return None

    def takes(self, node):
        return self.load[node] + 1 <= -(-self.factor * (len(self.where) + 1) // len(self.load))

    def loads(self):
        return dict(self.load)

    def done(self, key):
        if key not in self.where:
            return False
        self.load[self.where.pop(key)] -= 1
        return True

    def leave(self, node):
        kept = [pair for pair in zip(self.points, self.owners) if pair[1] != node]
        self.points, self.owners = [p for p, _ in kept], [o for _, o in kept]
        homeless = [key for key in self.where if self.where[key] == node]
        for key in homeless:
            self.done(key)
        del self.load[node]
        return {key: self.route(key, self.at[key]) for key in homeless}


def stepping(factor):
    """Right as well: closures, and a walk of a thousand steps round the ring."""
    nodes, stands, opened = [], {}, {}

    def join(node, points):
        nodes.append(node)
        for point in points:
            stands[point] = node

    def loads():
        return {node: sum(at == node for at, _ in opened.values()) for node in nodes}

    def route(key, place):
        if key in opened:
            return opened[key][0]
        for step in range(1000):
            node = stands.get((place + step) % 1000)
            if node and loads()[node] < factor * (len(opened) + 1) / len(nodes):
                opened[key] = (node, place)
                return node

    def done(key):
        return bool(opened.pop(key, False))

    def leave(node):
        nodes.remove(node)
        for point in [point for point, at in stands.items() if at == node]:
            del stands[point]
        moved = [(key, place) for key, (at, place) in opened.items() if at == node]
        for key, _ in moved:
            done(key)
        return {key: route(key, place) for key, place in moved}

    return SimpleNamespace(join=join, loads=loads, route=route, done=done, leave=leave)


@dataclass
class Server:
    name: str
    points: list
    keys: dict = field(default_factory=dict)


class Servers:
    """Right as well: an object a node, each with its own keys."""

    def __init__(self, factor):
        self.factor, self.servers, self.clock = factor, [], 0

    def join(self, node, points):
        self.servers.append(Server(node, list(points)))

    def holder(self, key):
        return next((server for server in self.servers if key in server.keys), None)

    def route(self, key, place):
        holder = self.holder(key)
        if holder is None:
            after = sorted(
                ((p - place) % 1000, k) for k, s in enumerate(self.servers) for p in s.points
            )
            total = sum(len(server.keys) for server in self.servers) + 1
            most = math.ceil(self.factor * total / max(len(self.servers), 1))
            found = [self.servers[k] for _, k in after if len(self.servers[k].keys) < most]
            if not found:
                return None
            holder, self.clock = found[0], self.clock + 1
            holder.keys[key] = self.clock, place
        return holder.name

    def loads(self):
        return {server.name: len(server.keys) for server in self.servers}

    def done(self, key):
        holder = self.holder(key)
        return holder is not None and holder.keys.pop(key) is not None

    def leave(self, node):
        (gone,) = [server for server in self.servers if server.name == node]
        self.servers.remove(gone)
        in_order = sorted(gone.keys.items(), key=lambda item: item[1])
        return {key: self.route(key, place) for key, (_, place) in in_order}


class PastThePoint(Sorted):
    def start(self, place):
        return bisect.bisect(self.points, place)


class NoWayRound(Sorted):
    """Behind the last point there is nobody, and None comes back."""

    def route(self, key, place):
        first = self.start(place)
        owners, self.owners = self.owners, [None] * first + self.owners[first:]
        try:
            return super().route(key, place) if first < len(self.points) else None
        finally:
            self.owners = owners

    def takes(self, node):
        return node is not None and super().takes(node)


class LastTakesTheRest(Sorted):
    def start(self, place):
        return min(super().start(place), len(self.points) - 1)


class HashesTheName(Sorted):
    """Takes the key's place modulo the number of nodes."""

    def route(self, key, place):
        names = list(self.load)
        if key not in self.where and names:
            self.where[key], self.at[key] = names[place % len(names)], place
            self.load[self.where[key]] += 1
        return self.where.get(key)


class FloorOfTheMean(Sorted):
    def takes(self, node):
        return self.load[node] < max(1, self.factor * (len(self.where) + 1) // len(self.load))


class OldMean(Sorted):
    def takes(self, node):
        mean = len(self.where) / len(self.load)
        return self.load[node] < max(1, math.ceil(self.factor * mean))


class LeastLoaded(Sorted):
    """Whoever holds least takes what the first cannot."""

    def route(self, key, place):
        if key in self.where or not self.points:
            return super().route(key, place)
        start = self.start(place)
        order = self.owners[start:] + self.owners[:start]
        node = order[0] if self.takes(order[0]) else min(order, key=self.load.get)
        self.load[node] += 1
        self.where[key], self.at[key] = node, place
        return node


class ForgetsToCount(Sorted):
    """`done` forgets the key and not its load."""

    def done(self, key):
        return self.where.pop(key, None) is not None


class RingOrder(Sorted):
    """The homeless are placed in the order of their places."""

    def leave(self, node):
        gone = sorted(key for key in self.where if self.where[key] == node)
        for key in sorted(gone, key=lambda key: self.at[key], reverse=True):
            self.where[key] = self.where.pop(key)
        return super().leave(node)


class OnlyTheBusy(Sorted):
    """Nodes without an open key are not in `loads`."""

    def loads(self):
        return {node: load for node, load in self.load.items() if load}


class RehashesAll(Sorted):
    def leave(self, node):
        kept = [pair for pair in zip(self.points, self.owners) if pair[1] != node]
        self.points, self.owners = [p for p, _ in kept], [o for _, o in kept]
        homeless = [key for key in self.where if self.where[key] == node]
        everybody, self.where = list(self.where), {}
        self.load = {other: 0 for other in self.load if other != node}
        found = {key: self.route(key, self.at[key]) for key in everybody}
        return {key: found[key] for key in homeless}


class MovesToTheNew(Sorted):
    """Open keys in the arcs of a node that comes go there."""

    def join(self, node, points):
        super().join(node, points)
        for key, place in self.at.items():
            if key in self.where and self.owners[self.start(place) % len(self.points)] == node:
                self.load[self.where[key]] -= 1
                self.where[key], self.load[node] = node, self.load[node] + 1


class EvensOut(Sorted):
    """Whoever comes takes from the fullest what is above the bound."""

    def join(self, node, points):
        super().join(node, points)
        most = math.ceil(self.factor * len(self.where) / len(self.load))
        for key in self.where:
            if self.load[self.where[key]] > most:
                self.load[self.where[key]] -= 1
                self.where[key], self.load[node] = node, self.load[node] + 1


class DropsThem(Sorted):
    def leave(self, node):
        super().leave(node)
        return {}


class OneByOneAway(Sorted):
    """Closes a key of the node that goes when its turn to be placed has come."""

    def leave(self, node):
        kept = [pair for pair in zip(self.points, self.owners) if pair[1] != node]
        self.points, self.owners = [p for p, _ in kept], [o for _, o in kept]
        homeless = [key for key in self.where if self.where[key] == node]
        del self.load[node]
        moved = {}
        for key in homeless:
            del self.where[key]
            moved[key] = self.route(key, self.at[key])
        return moved


class UpToTheBound(Sorted):
    def takes(self, node):
        return self.load[node] <= self.factor * (len(self.where) + 1) / len(self.load)


# --- interview.fair -----------------------------------------------------------------------------


@dataclass
class Customer:
    weight: float
    used: float = 0.0
    line: list = field(default_factory=list)
    at_work: int = 0

    @property
    def here(self):
        return bool(self.line or self.at_work)


class Customers:
    """A right scheduler of another style: an object a tenant."""

    def __init__(self, prompt_price, answer_price, weights):
        self.prompt_price, self.answer_price, self.weights = prompt_price, answer_price, weights
        self.customers, self.owner, self.gone = {}, {}, None

    def of(self, tenant):
        if tenant not in self.customers:
            self.customers[tenant] = Customer(self.weights.get(tenant, 1))
        return self.customers[tenant]

    def submit(self, name, tenant, prompt_tokens):
        customer = self.of(tenant)
        if not customer.here:
            self.greet(customer)
        customer.line.append((name, prompt_tokens))

    def greet(self, customer):
        here = [other.used for other in self.customers.values() if other.here]
        if here:
            customer.used = max(customer.used, min(here))
        elif self.gone:
            customer.used = max(customer.used, self.gone.used)

    def pick(self):
        ready = [customer for customer in self.customers.values() if customer.line]
        if ready:
            customer = self.best(ready)
            name, tokens = customer.line.pop(0)
            customer.used += self.prompt_price * tokens / customer.weight
            customer.at_work += 1
            self.owner[name] = customer
            return name
        return None

    def best(self, ready):
        return min(ready, key=lambda customer: customer.used)

    def made(self, name, tokens):
        customer = self.owner[name]
        customer.used += tokens * self.answer_price / customer.weight

    def done(self, name):
        self.gone = self.owner.pop(name)
        self.gone.at_work -= 1

    def counter(self, tenant):
        return self.customers[tenant].used if tenant in self.customers else 0


def booked(prompt_price, answer_price, weights):
    """Right as well: closures, a sorted list of tickets, and a journal that is summed."""
    journal, tickets, running, seen, last = [], [], {}, [], []

    def counter(tenant):
        return sum(amount for who, amount in journal if who == tenant)

    def here():
        return {tenant for _, tenant, _ in tickets} | set(running.values())

    def book(tenant, amount):
        journal.append((tenant, amount / weights.get(tenant, 1)))

    def submit(name, tenant, prompt_tokens):
        if tenant not in seen:
            seen.append(tenant)
        if tenant not in here():
            least = min([counter(other) for other in here()] or [counter(t) for t in last] or [0])
            journal.append((tenant, max(0, least - counter(tenant))))
        tickets.append((name, tenant, prompt_tokens))

    def pick():
        if not tickets:
            return None
        ticket = min(tickets, key=lambda row: (counter(row[1]), seen.index(row[1])))
        tickets.remove(ticket)
        name, tenant, tokens = ticket
        running[name] = tenant
        book(tenant, prompt_price * tokens)
        return name

    def made(name, tokens):
        book(running[name], answer_price * tokens)

    def done(name):
        last[:] = [running.pop(name)]

    return SimpleNamespace(counter=counter, submit=submit, pick=pick, made=made, done=done)


class Heaped(Customers):
    """Right as well: a heap of those who wait, whose stale entries are thrown away."""

    def best(self, ready):
        order = list(self.customers.values())
        heap = [(customer.used, order.index(customer)) for customer in ready]
        heapq.heapify(heap)
        return order[heapq.heappop(heap)[1]]


class OldestOfTheTied(Customers):
    """Of equal counters the one whose request came first."""

    def __init__(self, *settings):
        super().__init__(*settings)
        self.came = {}

    def submit(self, name, tenant, prompt_tokens):
        self.came[name] = len(self.came)
        super().submit(name, tenant, prompt_tokens)

    def best(self, ready):
        return min(ready, key=lambda one: (one.used, self.came[one.line[0][0]]))


class SavesUp(Customers):
    def greet(self, customer):
        pass


class GreetsStrangers(Customers):
    def submit(self, name, tenant, prompt_tokens):
        if tenant not in self.customers:
            self.greet(self.of(tenant))
        self.of(tenant).line.append((name, prompt_tokens))


class EqualsOut(Customers):
    """Whoever comes gets exactly the lowest counter."""

    def greet(self, customer):
        customer.used = 0
        super().greet(customer)


class BehindEverybody(Customers):
    def greet(self, customer):
        here = [other.used for other in self.customers.values() if other.here]
        super().greet(customer)
        customer.used = max([customer.used, *here])


class AddsTheLift(Customers):
    """Puts the lowest counter on top of what the tenant had."""

    def greet(self, customer):
        before, customer.used = customer.used, 0
        super().greet(customer)
        customer.used += before


class LastPicked(Customers):
    """At night the tenant counts that was picked last."""

    picked = None

    def pick(self):
        name = super().pick()
        self.picked = self.owner[name] if name else self.picked
        return name

    def done(self, name):
        super().done(name)
        self.gone = self.picked


class LastToCome(Customers):
    """At night the tenant counts that submitted last."""

    def submit(self, name, tenant, prompt_tokens):
        super().submit(name, tenant, prompt_tokens)
        self.came = self.of(tenant)

    def done(self, name):
        super().done(name)
        self.gone = self.came


class RunningTotals(Customers):
    """Charges all that a request has made so far, each time."""

    def __init__(self, *settings):
        super().__init__(*settings)
        self.total = Counter()

    def made(self, name, tokens):
        self.total[name] += tokens
        super().made(name, self.total[name])


class WholeCharges(Customers):
    """Divides by the weight without a rest."""

    def made(self, name, tokens):
        customer = self.owner[name]
        customer.used += tokens * self.answer_price // customer.weight


class PaysAtTheDoor(Customers):
    def submit(self, name, tenant, prompt_tokens):
        super().submit(name, tenant, prompt_tokens)
        customer = self.of(tenant)
        customer.used += self.prompt_price * prompt_tokens / customer.weight
        customer.line[-1] = (name, 0)


class GoneWhenAtWork(Customers):
    def submit(self, name, tenant, prompt_tokens):
        saved = {who: one.at_work for who, one in self.customers.items()}
        for one in self.customers.values():
            one.at_work = 0
        super().submit(name, tenant, prompt_tokens)
        for who, at_work in saved.items():
            self.customers[who].at_work = at_work


class QueueAlone(Customers):
    """The rule of the paper: active is who stands in the queue."""

    def submit(self, name, tenant, prompt_tokens):
        customer = self.of(tenant)
        here = [other.used for other in self.customers.values() if other.line]
        if not customer.line:
            least = min(here) if here else self.gone.used if self.gone else 0
            customer.used = max(customer.used, least)
        customer.line.append((name, prompt_tokens))

    def pick(self):
        name = super().pick()
        if name and not self.owner[name].line:
            self.gone = self.owner[name]
        return name

    def done(self, name):
        self.owner.pop(name)


class Longest(Customers):
    """The longest line comes first."""

    def best(self, ready):
        return max(ready, key=lambda customer: len(customer.line))


class PromptsAtFullPrice(Customers):
    """The weight counts for answers alone."""

    def best(self, ready):
        chosen = super().best(ready)
        price = self.prompt_price * chosen.line[0][1]
        chosen.used += price - price / chosen.weight
        return chosen


class GreetsByWeight(Customers):
    def greet(self, customer):
        before, customer.used = customer.used, 0
        super().greet(customer)
        customer.used = max(before, customer.used / customer.weight)


class GreetsWhenPicked(Customers):
    """Whoever only waits is greeted each time a place is free."""

    def submit(self, name, tenant, prompt_tokens):
        self.of(tenant).line.append((name, prompt_tokens))

    def pick(self):
        for customer in self.customers.values():
            if customer.line and not customer.at_work:
                others = [c.used for c in self.customers.values() if c.here and c is not customer]
                customer.used = max(customer.used, min(others, default=0))
        return super().pick()


class Inverted(Customers):
    def of(self, tenant):
        customer = super().of(tenant)
        customer.weight = 1 / self.weights.get(tenant, 1)
        return customer


PROOFS = {
    "interview.limiter": Proof(
        mistakes={
            "a sliding log": (SlidingLog, "sliding-log"),
            "whole tokens": (WholeTokens, "whole-tokens"),
            "a header in seconds": (HeaderInSeconds, Status.wrong),
            "waits for ever": (InfiniteWait, Status.wrong),
            "raises for the large": (RaisesForTheLarge, Status.raised),
            "a tub that overflows": (OverflowingTub, "refunds-without-end"),
            "leaks for ever": (LeaksForEver, "never-full"),
            "latest is last": (LatestIsLast, "pays-twice"),
            "refused is spent": (RefusedIsSpent, "takes-what-there-is"),
            "strict": (Strict, "never-the-last"),
            "wait reserves": (WaitReserves, "asking-takes"),
            "waits from empty": (WaitsFromEmpty, "waits-for-all"),
            "forgets the unused": (ForgetsUnused, "keeps-the-rest"),
            "back with the refund": (BackWithTheRefund, "refund-sets-the-clock-back"),
            "trusts a late clock": (TrustsALateClock, "waits-by-another-clock"),
            "strangers may": (StrangersMay, "strangers-never-wait"),
        },
        alternatives={
            "full at": FullAt,
            "a leaky bucket": Leaky,
            "replaying": replaying,
            "what is owed": Owed,
        },
    ),
    "interview.cache": Proof(
        mistakes={
            "by the clock": (ByTheClock, Status.wrong),
            "moves nothing": (MoveNothing, "update-keeps-its-place"),
            "checks on read": (ChecksOnRead, "dead-hold-places"),
            "old deaths": (OldDeaths, Status.wrong),
            "one moment": (OneMoment, "late-by-a-moment"),
            "sliding life": (SlidingLife, "reading-prolongs"),
            "evicts before it looks": (EvictsBeforeItLooks, "update-evicts"),
            "least frequent": (LeastFrequent, Status.wrong),
            "counts all that went": (CountsAllThatWent, "dead-is-evicted"),
            "keys by name": (KeysByName, Status.wrong),
            "reads are free": (ReadsAreFree, "first-in"),
            "nothing is none": (NothingIsNone, "falsy-is-missing"),
            "compares with the default": (ComparesWithTheDefault, "default-is-a-miss"),
            "nothing new": (NothingNew, "same-value-is-no-use"),
        },
        alternatives={"ordered, and a heap": Ordered, "ticking": Ticking, "a list": Linked},
    ),
    "interview.router": Proof(
        mistakes={
            "past the point": (PastThePoint, "strictly-after"),
            "no way round": (NoWayRound, Status.wrong),
            "the last takes the rest": (LastTakesTheRest, "ends-at-the-end"),
            "hashes": (HashesTheName, "modulo"),
            "floor of the mean": (FloorOfTheMean, "rounds-down"),
            "the old mean": (OldMean, "without-the-new-one"),
            "least loaded": (LeastLoaded, "to-the-emptiest"),
            "forgets to count": (ForgetsToCount, "load-stays"),
            "in the ring's order": (RingOrder, Status.wrong),
            "only the busy": (OnlyTheBusy, Status.wrong),
            "rehashes all": (RehashesAll, "leave-moves-all"),
            "moves to the new": (MovesToTheNew, "join-moves-open-keys"),
            "drops them": (DropsThem, Status.wrong),
            "evens out": (EvensOut, "join-levels-out"),
            "one by one away": (OneByOneAway, "homeless-count"),
            "up to the bound": (UpToTheBound, "takes-at-the-bound"),
        },
        alternatives={"sorted points": Sorted, "stepping": stepping, "servers": Servers},
    ),
    "interview.fair": Proof(
        mistakes={
            "the oldest of the tied": (OldestOfTheTied, "ties-to-the-oldest"),
            "saves up": (SavesUp, "never-lifts"),
            "greets strangers": (GreetsStrangers, "lifts-strangers-only"),
            "equals out": (EqualsOut, "lowers-too"),
            "behind everybody": (BehindEverybody, "lifts-to-the-highest"),
            "adds the lift": (AddsTheLift, Status.wrong),
            "last picked": (LastPicked, Status.wrong),
            "last to come": (LastToCome, Status.wrong),
            "running totals": (RunningTotals, "running-totals"),
            "whole charges": (WholeCharges, Status.wrong),
            "pays at the door": (PaysAtTheDoor, "charges-the-waiting"),
            "gone when at work": (GoneWhenAtWork, "waiting-is-active"),
            "the queue alone": (QueueAlone, "as-in-the-paper"),
            "the longest line": (Longest, Status.wrong),
            "inverted": (Inverted, "multiplies-by-weight"),
            "prompts at full price": (PromptsAtFullPrice, "weighs-answers"),
            "greets by weight": (GreetsByWeight, "lifts-by-weight"),
            "greets when picked": (GreetsWhenPicked, "lifts-at-the-pick"),
        },
        alternatives={"customers": Customers, "booked": booked, "a heap": Heaped},
    ),
}
