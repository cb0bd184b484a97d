"""The caches of the repair exercise: the one that survives, and the one handed out."""


class FeatureCache:
    """At most ``capacity`` entries; each may be served before the moment ``dies_s``.

    Invariant: ``entries`` holds (value, dies_s) by key, the least recently used first. A dead entry
    stays until somebody asks for it or it is the least recently used.
    """

    def __init__(self, capacity):
        self.capacity, self.entries = capacity, {}
        self.hits = self.misses = self.evictions = 0

    def get(self, key, now_s):
        """The value, which becomes the most recently used; None where no live one is there."""
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
        """Keep a value: it replaces the one under its key, or one that is evicted."""
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
        """Evict one entry where all places are taken."""
        if len(self.entries) >= self.capacity:
            self.entries.pop(self.victim())
            self.evictions += 1

    def victim(self):
        """The key of the entry that is evicted, the least recently used."""
        return next(iter(self.entries))

    def death(self, old, dies_s):
        """The moment at which a value dies; ``old`` is the entry that it replaces, or None."""
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
