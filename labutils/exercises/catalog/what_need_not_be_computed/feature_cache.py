"""reuse.lru · Repair a cache that looks like an LRU · 9 minutes

> Take the stories one at a time. A dict keeps the order in which keys were inserted: which of your
  calls should change that order?
> Take a key out and insert it again, and it is last. Keep (value, dies_s) as the entry; an entry
  that is found dead goes and is a miss. A `put` evicts only for a key that is not there.
> get: if key is not in entries, or now_s >= dies_s: pop(key, None), count a miss, return None; else
  count a hit and re-insert. put: if key is there pop it, elif len(entries) == capacity pop
  next(iter(entries)) and count; then insert (value, dies_s).

Four faults, and none of them raises an error. *FIFO in disguise:* in a dict a read does not move a
key, so the hottest feature goes as soon as it is the oldest. *An update that evicts* costs a place
on every refresh. *A first level that ignores death* serves what the shared level has already
dropped; a copy must bring along the moment at which it dies, or each level adds a life of its own.
*Without counters* nobody sees the other three: they all look like a hit rate that is a little low.

An eviction is counted only where an entry had to go for room. That count says whether more memory
would help; what died of age would have died in any memory.
"""

from labutils.exercises.checkers import Stories
from labutils.exercises.definition.sheet import exercise, mistakes_in

from .feature_caches import FeatureCache, HandedOut
from .feature_stories import STORIES
from .wrong_features import Wrong

MISCONCEPTIONS = mistakes_in(Wrong)

LRU = exercise(
    __doc__,
    Stories(
        stories=STORIES, reference=FeatureCache, start=HandedOut, misconceptions=MISCONCEPTIONS
    ),
)
