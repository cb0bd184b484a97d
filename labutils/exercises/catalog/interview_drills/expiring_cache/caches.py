"""The cache of the code drill, as the workbook writes it."""


class Cache:
    """At most ``capacity`` entries, each with a time at which it dies.

    Invariant: ``entries`` holds (value, time of death) by key, the least recently used first. Each
    call first buries what is dead. It is plain, and not fast: burying looks at every entry.
    """

    def __init__(self, capacity):
        self.capacity = capacity
        self.entries = {}
        self.hits = self.misses = self.evicted = 0

    def put(self, key, value, ttl_s, now_s):
        """Keep a value for ``ttl_s`` seconds, in the place of an older one or of whoever goes."""
        self.bury(now_s)
        self.make_room(key)
        self.entries[key] = value, now_s + ttl_s

    def get(self, key, default, now_s):
        """The value, which is now the one used last; ``default`` where none lives."""
        self.bury(now_s)
        if key not in self.entries:
            self.misses += 1
            return default
        self.hits += 1
        self.touch(key, now_s)
        return self.entries[key][0]

    def keys(self, now_s):
        """The keys of living entries, the least recently used first."""
        self.bury(now_s)
        return list(self.entries)

    def counts(self):
        """Hits, misses, and living entries that had to go for room."""
        return self.hits, self.misses, self.evicted

    def bury(self, now_s):
        """Take out what is dead."""
        self.entries = {k: entry for k, entry in self.entries.items() if self.lives(entry, now_s)}

    def lives(self, entry, now_s):
        """Whether an entry may still be served."""
        return now_s < entry[1]

    def make_room(self, key):
        """Take out the old entry of ``key``, or else one that lives if all places are taken."""
        self.entries.pop(key, None)
        if len(self.entries) >= self.capacity:
            self.entries.pop(self.victim())
            self.evicted += 1

    def victim(self):
        """Who goes."""
        return next(iter(self.entries))

    def touch(self, key, now_s):
        """Put an entry last."""
        self.entries[key] = self.entries.pop(key)
