"""interview.cache · A cache that forgets what is too old · 20 minutes, optional

> There are two orders: who was used last, and who dies when. Which of your calls changes which? A
  read changes the first alone, a write both.
> A dict keeps the order in which keys were inserted: pop a key and insert it again, and it is last.
  Before a `put` evicts anybody: the dead go, then the old entry of the same key.
> bury(now_s): keep what has now_s < death. put: bury, pop(key), if len(entries) >= capacity pop the
  first key and count it, insert (value, now_s + ttl_s). get: bury, count, re-insert. keys: bury,
  list(entries).

Two orders live in this cache, and the bugs come from taking one for the other: *recency* (who goes
when places are short) and *age* (who may not be served any more). A read moves an entry in the
first and must not in the second: otherwise the most popular answer never expires, and the more
people read it the staler it is. A write begins both anew.

The dead hold no places. Where lives differ they may lie anywhere in the order of use, so neither
end finds them; and an eviction is counted only where a living entry had to go, for that count is
what says whether more memory would help.

*Then they ask:* what does it cost? (dict and linked list: O(1) a call; finding the dead on every
call is O(n): a heap of (death, key) beside it, whose stale pairs are skipped, makes it O(log n); or
look when a place is needed, a few at a time.) A thousand people miss the same key at once? (one
computes, the others wait for it.) All entries were written by a deploy? (they die together: spread
the lives by a tenth.) Many threads? (a lock a shard; a read writes, too, for it moves its entry.)
LRU or something else? (a scan flushes an LRU; S3-FIFO and TinyLFU ask whether somebody came twice.)
"""

from labutils.exercises.checkers import Stories
from labutils.exercises.definition.sheet import exercise

from .cache_stories import STORIES
from .caches import Cache
from .wrong_caches import MISTAKES

CACHE = exercise(__doc__, Stories(stories=STORIES, reference=Cache, misconceptions=MISTAKES))
