"""Caches that do not survive the stories of the code drill, each by one mistake."""

from .caches import Cache


class FirstIn(Cache):
    """A read does not count as use."""

    def touch(self, key, now_s):
        pass


class EvictsTheNewest(Cache):
    def victim(self):
        return list(self.entries)[-1]


class EvictsTheSoonest(Cache):
    """Whoever would die first goes."""

    def victim(self):
        return min(self.entries, key=lambda key: self.entries[key][1])


class OneTooMany(Cache):
    def __init__(self, capacity):
        super().__init__(capacity + 1)


class OneTooFew(Cache):
    def __init__(self, capacity):
        super().__init__(capacity - 1)


class UpdateEvicts(Cache):
    """Makes room before it looks whether the key is there."""

    def make_room(self, key):
        if len(self.entries) >= self.capacity:
            self.entries.pop(self.victim())
            self.evicted += 1
        self.entries.pop(key, None)


class UpdateKeepsItsPlace(Cache):
    """A value that is written again is no more recent than before."""

    def put(self, key, value, ttl_s, now_s):
        order = self.keys(now_s)
        super().put(key, value, ttl_s, now_s)
        if key in order:
            self.entries = {k: self.entries[k] for k in order}


class KeepsTheOldValue(Cache):
    """What is there is not written again."""

    def put(self, key, value, ttl_s, now_s):
        self.bury(now_s)
        if key in self.entries:
            self.touch(key, now_s)
        else:
            super().put(key, value, ttl_s, now_s)


class KeepsTheOldLife(Cache):
    """A value that is written again dies when the first one would have."""

    def put(self, key, value, ttl_s, now_s):
        self.bury(now_s)
        dies_s = self.entries.get(key, (None, now_s + ttl_s))[1]
        super().put(key, value, dies_s - now_s, now_s)


class NeverDies(Cache):
    def lives(self, entry, now_s):
        return True


class LateByAMoment(Cache):
    """Serves an entry whose time has just come."""

    def lives(self, entry, now_s):
        return now_s <= entry[1]


class ReadingProlongs(Cache):
    """Whoever is read begins a new life."""

    def put(self, key, value, ttl_s, now_s):
        super().put(key, (value, ttl_s), ttl_s, now_s)

    def get(self, key, default, now_s):
        found = super().get(key, default, now_s)
        return found[0] if isinstance(found, tuple) else found

    def touch(self, key, now_s):
        super().touch(key, now_s)
        (value, ttl_s), _ = self.entries[key]
        self.entries[key] = (value, ttl_s), now_s + ttl_s


class DeadHoldPlaces(Cache):
    """Finds out that an entry is dead when it is asked for, and not when a place is needed."""

    def put(self, key, value, ttl_s, now_s):
        self.make_room(key)
        self.entries[key] = value, now_s + ttl_s

    def keys(self, now_s):
        return [key for key, entry in self.entries.items() if self.lives(entry, now_s)]

    def get(self, key, default, now_s):
        if key in self.entries and not self.lives(self.entries[key], now_s):
            self.entries.pop(key)
        everything, self.entries = self.entries, self.entries.copy()
        found = super().get(key, default, now_s)
        self.entries = everything
        if key in everything:
            self.touch(key, now_s)
        return found


class BuriesFromTheFront(DeadHoldPlaces):
    """Takes the dead off the old end, up to the first that lives."""

    def put(self, key, value, ttl_s, now_s):
        while self.entries and not self.lives(self.entries[self.victim()], now_s):
            self.entries.pop(self.victim())
        super().put(key, value, ttl_s, now_s)


class ListsTheDead(DeadHoldPlaces):
    """The list of keys holds what is dead and not yet taken out."""

    def put(self, key, value, ttl_s, now_s):
        self.bury(now_s)
        super().put(key, value, ttl_s, now_s)

    def keys(self, now_s):
        return list(self.entries)


class NewestFirst(Cache):
    def keys(self, now_s):
        return super().keys(now_s)[::-1]


class LookingIsUsing(Cache):
    """Whoever lists the keys has read them all, in another order."""

    def keys(self, now_s):
        listed = super().keys(now_s)
        for key in sorted(listed):
            self.touch(key, now_s)
        return listed


class AMissTakesAPlace(Cache):
    """An entry is made for a key that was asked for and is not there."""

    def get(self, key, default, now_s):
        found = super().get(key, default, now_s)
        if key not in self.entries:
            self.put(key, None, 1e9, now_s)
        return found


class DeadIsAHit(Cache):
    """Counts the hit before it looks at the time."""

    def get(self, key, default, now_s):
        known = key in self.entries
        found = super().get(key, default, now_s)
        if known and key not in self.entries:
            self.hits, self.misses = self.hits + 1, self.misses - 1
        return found


class DeadIsNoMiss(Cache):
    """What was too old is counted nowhere."""

    def get(self, key, default, now_s):
        known = key in self.entries
        found = super().get(key, default, now_s)
        self.misses -= known and key not in self.entries
        return found


class DeadIsEvicted(Cache):
    """Counts whoever died as evicted."""

    def bury(self, now_s):
        before = len(self.entries)
        super().bury(now_s)
        self.evicted += before - len(self.entries)


class UpdateIsEvicted(Cache):
    """Counts a value that was overwritten as evicted."""

    def make_room(self, key):
        self.evicted += key in self.entries
        super().make_room(key)


class FalsyIsMissing(Cache):
    """Takes an answer that is empty for none."""

    def get(self, key, default, now_s):
        return super().get(key, default, now_s) or default


class DefaultIsAMiss(Cache):
    """Sees by the value whether it was served."""

    def get(self, key, default, now_s):
        hits, misses = self.hits, self.misses
        found = super().get(key, default, now_s)
        is_miss = found == default
        self.hits, self.misses = hits + (not is_miss), misses + is_miss
        return found


class SameValueIsNoUse(Cache):
    """A write that changes nothing leaves a key where it was."""

    def put(self, key, value, ttl_s, now_s):
        order = self.keys(now_s)
        is_same = key in order and self.entries[key][0] == value
        super().put(key, value, ttl_s, now_s)
        if is_same:
            self.entries = {k: self.entries[k] for k in order}
