"""The caches of the repair exercise: the one that survives, and those that do not."""

import math


class FeatureCache:
    """At most ``capacity`` entries; each may be served before the moment ``dies_s``.

    Invariant: ``entries`` holds (value, dies_s) by key, the least recently used first. A dead entry
    stays until somebody asks for it or it is the least recently used.
    """

    def __init__(self, capacity):
        self.capacity, self.entries = capacity, {}
        self.hits = self.misses = self.evictions = 0

    def get(self, key, now_s):
        """The value, which is now the one used last; None where nothing may be served."""
        entry = self.entries.get(key)
        if entry is None:
            self.misses += 1
            return None
        if not self.lives(entry, now_s):
            self.bury(key)
            return None
        self.hits += 1
        self.touch(key)
        return entry[0]

    def put(self, key, value, dies_s):
        """Keep a value, in the place of an older one or of whoever goes."""
        old = self.entries.pop(key, None)
        self.make_room()
        self.entries[key] = value, self.death(old, dies_s)

    def counts(self):
        """Hits, misses, and entries that had to go for room."""
        return self.hits, self.misses, self.evictions

    def lives(self, entry, now_s):
        """Whether an entry may still be served."""
        return now_s < entry[1]

    def bury(self, key):
        """Take out an entry that was asked for and is dead."""
        self.misses += 1
        del self.entries[key]

    def touch(self, key):
        """Put an entry last."""
        self.entries[key] = self.entries.pop(key)

    def make_room(self):
        """Take out the one whose turn it is, where all places are taken."""
        if len(self.entries) >= self.capacity:
            self.entries.pop(self.victim())
            self.evictions += 1

    def victim(self):
        """Who goes."""
        return next(iter(self.entries))

    def death(self, old, dies_s):
        """When a value dies that is written over an ``old`` entry, or over none."""
        return dies_s


class HandedOut:
    """What the learner begins with; the chapter's stub shows the same lines."""

    def __init__(self, capacity):
        self.capacity, self.entries = capacity, {}
        self.hits = self.misses = self.evictions = 0

    def get(self, key, now_s):
        return self.entries.get(key)

    def put(self, key, value, dies_s):
        if len(self.entries) >= self.capacity:
            oldest = next(iter(self.entries))
            del self.entries[oldest]
        self.entries[key] = value

    def counts(self):
        return self.hits, self.misses, self.evictions


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


class DeadIsAHit(FeatureCache):
    """Counts the hit before it looks at the time."""

    def bury(self, key):
        self.hits += 1
        del self.entries[key]


class DeadIsNoMiss(FeatureCache):
    """What was too old is counted nowhere."""

    def bury(self, key):
        del self.entries[key]


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
