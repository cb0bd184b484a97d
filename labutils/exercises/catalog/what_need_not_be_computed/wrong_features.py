"""Caches that do not survive the stories of the repair exercise, each by one mistake."""

import math

from .feature_caches import FeatureCache


class Wrong:
    class FirstIn(FeatureCache):
        """The entry goes that was put first, although it was read since. What counts as use?"""

        def touch(self, key):
            pass

    class LeastFrequent(FeatureCache):
        """The entry goes that was used least often. Asked for is the one whose last use is longest
        ago."""

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

    class ReadsTakeItOut(FeatureCache):
        """Whoever is read is gone afterwards. You take the entry out: who puts it back?"""

        def touch(self, key):
            del self.entries[key]

    class EvictsTheNewest(FeatureCache):
        """The entry used last goes. At which end does your order begin?"""

        def victim(self):
            return list(self.entries)[-1]

    class EvictsTheSoonest(FeatureCache):
        """The entry goes that would die first. By what does this cache choose while all live?"""

        def victim(self):
            return min(self.entries, key=lambda key: self.entries[key][1])

    class OneTooMany(FeatureCache):
        """There is one entry more than there are places. When do you look?"""

        def __init__(self, capacity):
            super().__init__(capacity + 1)

    class OneTooFew(FeatureCache):
        """Somebody goes although there is a place. When do you look?"""

        def __init__(self, capacity):
            super().__init__(capacity - 1)

    class RefusesTheNew(FeatureCache):
        """A new entry is not taken in when all places are taken. Who goes?"""

        def put(self, key, value, dies_s):
            if key not in self.entries and len(self.entries) >= self.capacity:
                self.evictions += 1
            else:
                super().put(key, value, dies_s)

    class UpdateEvicts(FeatureCache):
        """A key that is there is written again, and another one goes. How many places did it
        need?"""

        def put(self, key, value, dies_s):
            self.make_room()
            self.entries.pop(key, None)
            self.entries[key] = value, dies_s

    class UpdateKeepsItsPlace(FeatureCache):
        """A key that was just written counts as old. Does assigning to a dict's key move it?"""

        def put(self, key, value, dies_s):
            if key in self.entries:
                self.entries[key] = value, dies_s
            else:
                super().put(key, value, dies_s)

    class KeepsTheOldValue(FeatureCache):
        """After a second `put` the first value is served."""

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
        """Of two moments of death you keep the later one. Which of them belongs to this value?"""

        def death(self, old, dies_s):
            return max(old[1], dies_s) if old else dies_s

    class KeepsTheShorterLife(FeatureCache):
        """Of two moments of death you keep the earlier one. Which of them belongs to this value?"""

        def death(self, old, dies_s):
            return min(old[1], dies_s) if old else dies_s

    class NeverDies(FeatureCache):
        """An entry is served after its time. Which moment do you compare with now_s?"""

        def lives(self, entry, now_s):
            return True

    class LateByAMoment(FeatureCache):
        """An entry is served at the moment at which it dies. Before which moment may it be
        served?"""

        def lives(self, entry, now_s):
            return now_s <= entry[1]

    class AMissTakesAPlace(FeatureCache):
        """Who asks for something unknown makes an entry. Which of your calls creates keys?"""

        def get(self, key, now_s):
            found = super().get(key, now_s)
            if key not in self.entries:
                self.put(key, None, -math.inf)
            return found

    class DeadHoldTheirPlace(FeatureCache):
        """Somebody asked for an entry that was dead, and it still takes a place from the living.
        Who takes it out, and when?"""

        def bury(self, key):
            self.misses += 1

    class KeepsAGhost(FeatureCache):
        """An entry that was found dead is gone, and when a place is needed it is taken out once
        more, in place of a living one. In how many places do you keep a key?"""

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

    class SharedEnds(FeatureCache):
        """What was put into another cache changes this one. What stands in the class itself, once
        for all its objects?"""

        ends = {}  # noqa: RUF012

        def put(self, key, value, dies_s):
            super().put(key, value, dies_s)
            self.ends[key] = dies_s

        def get(self, key, now_s):
            if key in self.entries:
                self.entries[key] = self.entries[key][0], self.ends[key]
            return super().get(key, now_s)

    class FalsyIsMissing(FeatureCache):
        """A value that is empty, or zero, is taken for none. How do you see that a key is there?"""

        def get(self, key, now_s):
            return super().get(key, now_s) or None

    class CountsNothing(FeatureCache):
        """The counters stay at 0. Which of your methods knows that something happened?"""

        def counts(self):
            return 0, 0, 0

    class CountsMissesAtThePut(FeatureCache):
        """Every `put` counts as a miss. Who asks for a value and does not get it, need not put
        one."""

        def get(self, key, now_s):
            misses = self.misses
            found = super().get(key, now_s)
            self.misses = misses
            return found

        def put(self, key, value, dies_s):
            super().put(key, value, dies_s)
            self.misses += 1

    class CountsEveryAsking(FeatureCache):
        """Every request counts as a miss, the hits too. What are hits and misses together?"""

        def get(self, key, now_s):
            misses = self.misses
            found = super().get(key, now_s)
            self.misses = misses + 1
            return found

    class DeadIsAHit(FeatureCache):
        """Whoever found a dead entry counts as a hit. Who had to compute the value?"""

        def bury(self, key):
            self.hits += 1
            del self.entries[key]

    class DeadIsBoth(FeatureCache):
        """Whoever found a dead entry counts as a hit and as a miss. What do you know at the moment
        at which you count the hit?"""

        def bury(self, key):
            super().bury(key)
            self.hits += 1

    class AbsentIsNoMiss(FeatureCache):
        """Whoever asks for a key that is not there is counted nowhere. What are hits and misses
        together?"""

        def get(self, key, now_s):
            self.misses -= key not in self.entries
            return super().get(key, now_s)

    class DeadIsNoMiss(FeatureCache):
        """Whoever found a dead entry is counted nowhere. What are hits and misses together?"""

        def bury(self, key):
            del self.entries[key]

    class EvictionsAreNotCounted(FeatureCache):
        """Entries go for room, and the third counter stays at 0."""

        def counts(self):
            return self.hits, self.misses, 0

    class DeadIsEvicted(FeatureCache):
        """What died of age counts as evicted. Would more memory have helped it?"""

        def bury(self, key):
            super().bury(key)
            self.evictions += 1

    class UpdateIsEvicted(FeatureCache):
        """A value that was overwritten counts as evicted. Would more memory have helped it?"""

        def put(self, key, value, dies_s):
            self.evictions += key in self.entries
            super().put(key, value, dies_s)

    class KeepsEveryUse(FeatureCache):
        """Something of yours grows with every use: a list of keys, say. How many entries does it
        have in the evening?"""

        def __init__(self, capacity):
            super().__init__(capacity)
            self.uses = []

        def touch(self, key):
            super().touch(key)
            self.uses.append(("get", key))

        def put(self, key, value, dies_s):
            super().put(key, value, dies_s)
            self.uses.append(("put", key))
