"""Caches that do not survive the stories of the repair exercise, each by one mistake."""

import math

from .feature_caches import FeatureCache


class FirstIn(FeatureCache):
    """A read does not count as use."""

    def touch(self, key):
        pass


class LeastFrequent(FeatureCache):
    """Evicts the one that was used least often since it was written."""

    def __init__(self, capacity):
        super().__init__(capacity)
        self.uses = {}

    def put(self, key, value, dies_s):
        self.uses[key] = 0
        super().put(key, value, dies_s)

    def touch(self, key):
        self.uses[key] += 1

    def victim(self):
        return min(self.entries, key=self.uses.get)


class EvictsTheNewest(FeatureCache):
    def victim(self):
        return list(self.entries)[-1]


class EvictsTheSoonest(FeatureCache):
    """Whoever would die first goes."""

    def victim(self):
        return min(self.entries, key=lambda key: self.entries[key][1])


class ReadsTakeItOut(FeatureCache):
    """Takes an entry out to put it last, and does not put it back."""

    def touch(self, key):
        del self.entries[key]


class OneTooMany(FeatureCache):
    def __init__(self, capacity):
        super().__init__(capacity + 1)


class OneTooFew(FeatureCache):
    def __init__(self, capacity):
        super().__init__(capacity - 1)


class RefusesTheNew(FeatureCache):
    """Counts an eviction, and does not take in what is new."""

    def put(self, key, value, dies_s):
        if key not in self.entries and len(self.entries) >= self.capacity:
            self.evictions += 1
        else:
            super().put(key, value, dies_s)


class UpdateEvicts(FeatureCache):
    """Makes room before it looks whether the key is there."""

    def put(self, key, value, dies_s):
        self.make_room()
        self.entries.pop(key, None)
        self.entries[key] = value, dies_s


class UpdateKeepsItsPlace(FeatureCache):
    """A value that is written again is no more recent than before."""

    def put(self, key, value, dies_s):
        if key in self.entries:
            self.entries[key] = value, dies_s
        else:
            super().put(key, value, dies_s)


class KeepsTheOldValue(FeatureCache):
    """What is there is not written again."""

    def put(self, key, value, dies_s):
        if key in self.entries:
            self.touch(key)
        else:
            super().put(key, value, dies_s)


class KeepsTheOldLife(FeatureCache):
    """A value that is written again dies when the first one would have."""

    def death(self, old, dies_s):
        return old[1] if old else dies_s


class KeepsTheLongerLife(FeatureCache):
    def death(self, old, dies_s):
        return max(old[1], dies_s) if old else dies_s


class KeepsTheShorterLife(FeatureCache):
    def death(self, old, dies_s):
        return min(old[1], dies_s) if old else dies_s


class NeverDies(FeatureCache):
    def lives(self, entry, now_s):
        return True


class LateByAMoment(FeatureCache):
    """Serves an entry whose time has just come."""

    def lives(self, entry, now_s):
        return now_s <= entry[1]


class FalsyIsMissing(FeatureCache):
    """Takes a value that is empty for none."""

    def get(self, key, now_s):
        return super().get(key, now_s) or None


class DeadHoldTheirPlace(FeatureCache):
    """A dead entry that was asked for is still there."""

    def bury(self, key):
        self.misses += 1


class KeepsAGhost(FeatureCache):
    """The order of use stands beside the entries, and a dead entry stays in it."""

    def __init__(self, capacity):
        super().__init__(capacity)
        self.order = []

    def touch(self, key):
        if key in self.order:
            self.order.remove(key)
        self.order.append(key)

    def put(self, key, value, dies_s):
        if key not in self.order and len(self.entries) >= self.capacity:
            self.entries.pop(self.order.pop(0), None)
            self.evictions += 1
        self.touch(key)
        self.entries[key] = value, dies_s


class DeadIsAHit(FeatureCache):
    """Counts the hit before it looks at the time."""

    def bury(self, key):
        self.hits += 1
        del self.entries[key]


class DeadIsBoth(FeatureCache):
    """Counts the hit before it looks at the time, and then the miss."""

    def bury(self, key):
        super().bury(key)
        self.hits += 1


class DeadIsNoMiss(FeatureCache):
    """What was too old is counted nowhere."""

    def bury(self, key):
        del self.entries[key]


class AbsentIsNoMiss(FeatureCache):
    """What is not there is counted nowhere."""

    def get(self, key, now_s):
        self.misses -= key not in self.entries
        return super().get(key, now_s)


class DeadIsEvicted(FeatureCache):
    """Counts whoever died of age as evicted."""

    def bury(self, key):
        super().bury(key)
        self.evictions += 1


class UpdateIsEvicted(FeatureCache):
    """Counts a value that was overwritten as evicted."""

    def put(self, key, value, dies_s):
        self.evictions += key in self.entries
        super().put(key, value, dies_s)


class CountsEveryAsking(FeatureCache):
    """Counts every request as a miss first, and some as a hit as well."""

    def get(self, key, now_s):
        misses = self.misses
        found = super().get(key, now_s)
        self.misses = misses + 1
        return found


class CountsMissesAtThePut(FeatureCache):
    """A value that is put had to be computed, so somebody must have missed it."""

    def get(self, key, now_s):
        misses = self.misses
        found = super().get(key, now_s)
        self.misses = misses
        return found

    def put(self, key, value, dies_s):
        super().put(key, value, dies_s)
        self.misses += 1


class CountsNothing(FeatureCache):
    def counts(self):
        return 0, 0, 0


class EvictionsAreNotCounted(FeatureCache):
    def counts(self):
        return self.hits, self.misses, 0


class AMissTakesAPlace(FeatureCache):
    """An entry is made for a key that was asked for and is not there."""

    def get(self, key, now_s):
        found = super().get(key, now_s)
        if key not in self.entries:
            self.put(key, None, -math.inf)
        return found
