"""Caches that do not survive the stories of the code drill, each by one mistake."""

from labutils.exercises.definition.patched import patched

from .caches import Cache

_SHEET = """
one-too-many: There is one entry more than there are places. When do you look?
- self.capacity = capacity
+ self.capacity = capacity + 1

one-too-few: Somebody goes although there is a place. When do you look?
- self.capacity = capacity
+ self.capacity = capacity - 1

evicts-the-newest: The entry used last goes. At which end does your order begin?
- next(iter(self.entries))
+ list(self.entries)[-1]

newest-first: The keys are listed from the other end.
- return list(self.entries)
+ return list(self.entries)[::-1]

first-in: The entry goes that was put first, although it was read since. What counts as use?
- self.entries[key] = self.entries.pop(key)

update-evicts: A key that is there is written again, and another one goes. How many places did it
    need?
- self.entries.pop(key, None)
=     self.evicted += 1
+ self.entries.pop(key, None)

update-keeps-its-place: A key that was just written counts as old. Does assigning to a dict's key
    move it?
- self.make_room(key)
+ if key not in self.entries:
+     self.make_room(key)

keeps-the-old-value: After a second `put` the first value is served.
- self.make_room(key)
+ if key in self.entries:
+     self.touch(key, now_s)
+     return
+ self.make_room(key)

same-value-is-no-use: A key that is written with the value that it has stays where it was. What
    counts as use?
- self.make_room(key)
+ if key not in self.entries or self.entries[key][0] != value:
+     self.make_room(key)

falsy-is-missing: An answer that is empty, or zero, is taken for none. How do you see that a key is
    there?
- return self.entries[key][0]
+ return self.entries[key][0] or default

a-miss-takes-a-place: Who asks for something unknown makes an entry. Which of your calls creates
    keys?
= self.misses += 1
+ self.put(key, None, 1e9, now_s)

looking-is-using: Listing the keys changes who goes next. Who has used anything?
- return list(self.entries)
+ listed = list(self.entries)
+ for key in sorted(listed):
+     self.touch(key, now_s)
+ return listed

listing-counts: Listing the keys counts as hits. Who has asked for a value?
- return list(self.entries)
+ for key in list(self.entries):
+     self.get(key, None, now_s)
+ return list(self.entries)

never-dies: An entry is served after its time. Who compares it with now_s?
- return now_s < entry[1]
+ return True

late-by-a-moment: An entry is served at the moment at which its life is over. For how long is it
    true?
- now_s < entry[1]
+ now_s <= entry[1]

reading-prolongs: Each read begins a new life. Does an answer become true by being asked for?
- self.entries[key] = value, now_s + ttl_s
+ self.entries[key] = value, now_s + ttl_s, ttl_s
- self.entries[key] = self.entries.pop(key)
+ value, _, ttl_s = self.entries.pop(key)
+ self.entries[key] = value, now_s + ttl_s, ttl_s

keeps-the-old-life: A value that is written again dies when the first one would have.
- self.make_room(key)
- self.entries[key] = value, now_s + ttl_s
+ dies_s = self.entries.get(key, (None, now_s + ttl_s))[1]
+ self.make_room(key)
+ self.entries[key] = value, dies_s

lists-the-dead: The list of keys holds what `get` would not serve.
- self.bury(now_s)
- if key not in self.entries:
+ if key in self.entries and not self.lives(self.entries[key], now_s):
+     del self.entries[key]
+ if key not in self.entries:
- self.bury(now_s)
- return list(self.entries)
+ return list(self.entries)

dead-hold-places: A living entry goes although a dead one holds a place. Who is looked at first?
- self.bury(now_s)
- self.make_room(key)
+ self.make_room(key)
- self.bury(now_s)
- if key not in self.entries:
+ if key in self.entries and not self.lives(self.entries[key], now_s):
+     del self.entries[key]
+ if key not in self.entries:
- self.bury(now_s)
- return list(self.entries)
+ return [key for key, entry in self.entries.items() if self.lives(entry, now_s)]

buries-from-the-front: You take out the dead up to the first one that lives. Is your order one of
    age?
- self.bury(now_s)
- self.make_room(key)
+ while self.entries and not self.lives(self.entries[self.victim()], now_s):
+     self.entries.pop(self.victim())
+ self.make_room(key)
- self.bury(now_s)
- if key not in self.entries:
+ if key in self.entries and not self.lives(self.entries[key], now_s):
+     del self.entries[key]
+ if key not in self.entries:
- self.bury(now_s)
- return list(self.entries)
+ return [key for key, entry in self.entries.items() if self.lives(entry, now_s)]

evicts-the-soonest: The entry goes that would die first. What did the interviewer ask for while all
    live?
- next(iter(self.entries))
+ min(self.entries, key=lambda key: self.entries[key][1])

dead-is-a-hit: Whoever found a dead entry counts as a hit. Who had to compute the answer?
- self.bury(now_s)
- if key not in self.entries:
-     self.misses += 1
+ known = key in self.entries
+ self.bury(now_s)
+ if key not in self.entries:
+     self.hits += known
+     self.misses += not known

dead-is-no-miss: Whoever found a dead entry is counted nowhere. What are hits and misses together?
- self.bury(now_s)
- if key not in self.entries:
-     self.misses += 1
+ known = key in self.entries
+ self.bury(now_s)
+ if key not in self.entries:
+     self.misses += not known

default-is-a-miss: An answer that equals the default counts as a miss. Was it served?
- self.hits += 1
+ is_miss = self.entries[key][0] == default
+ self.hits += not is_miss
+ self.misses += is_miss

misses-first: Misses stand before hits. In which order did the interviewer ask for the counts?
- return self.hits, self.misses, self.evicted
+ return self.misses, self.hits, self.evicted

dead-is-evicted: What died of age counts as evicted. Would more memory have helped it?
- self.entries = {k: entry for k, entry in self.entries.items() if self.lives(entry, now_s)}
+ before = len(self.entries)
+ self.entries = {k: entry for k, entry in self.entries.items() if self.lives(entry, now_s)}
+ self.evicted += before - len(self.entries)

dead-is-evicted-for-room: What a `put` finds dead counts as evicted. Would more memory have
    helped it?
- self.bury(now_s)
- self.make_room(key)
+ before = len(self.entries)
+ self.bury(now_s)
+ self.evicted += before - len(self.entries)
+ self.make_room(key)

update-is-evicted: A value that was overwritten counts as evicted. Would more memory have helped it?
- self.entries.pop(key, None)
+ self.evicted += self.entries.pop(key, None) is not None
"""

MISTAKES = patched(Cache, _SHEET)
