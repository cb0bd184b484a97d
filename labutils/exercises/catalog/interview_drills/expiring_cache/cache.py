"""Code drill: a cache in 20 minutes, in the order in which an interviewer adds to it."""

from labutils.exercises.checkers import Stories
from labutils.exercises.definition.exercise import Exercise, Misconception

from . import wrong_caches as wrong
from .cache_stories import STORIES
from .caches import Cache

MISCONCEPTIONS = (
    Misconception(
        "one-too-many",
        wrong.OneTooMany,
        "There is one entry more than there are places. When do you look?",
    ),
    Misconception(
        "one-too-few", wrong.OneTooFew, "Somebody goes although there is a place. When do you look?"
    ),
    Misconception(
        "evicts-the-newest",
        wrong.EvictsTheNewest,
        "The entry used last goes. At which end does your order begin?",
    ),
    Misconception(
        "newest-first",
        wrong.NewestFirst,
        "The keys are listed from the other end.",
    ),
    Misconception(
        "first-in",
        wrong.FirstIn,
        "The entry goes that was put first, although it was read since. What counts as use?",
    ),
    Misconception(
        "update-evicts",
        wrong.UpdateEvicts,
        "A key that is there is written again, and another one goes. How many places did it need?",
    ),
    Misconception(
        "update-keeps-its-place",
        wrong.UpdateKeepsItsPlace,
        "A key that was just written counts as old. Does assigning to a dict's key move it?",
    ),
    Misconception(
        "keeps-the-old-value",
        wrong.KeepsTheOldValue,
        "After a second `put` the first value is served.",
    ),
    Misconception(
        "same-value-is-no-use",
        wrong.SameValueIsNoUse,
        "A key that is written with the value that it has stays where it was. What counts as use?",
    ),
    Misconception(
        "falsy-is-missing",
        wrong.FalsyIsMissing,
        "An answer that is empty, or zero, is taken for none. How do you see that a key is there?",
    ),
    Misconception(
        "a-miss-takes-a-place",
        wrong.AMissTakesAPlace,
        "Who asks for something unknown makes an entry. Which of your calls creates keys?",
    ),
    Misconception(
        "looking-is-using",
        wrong.LookingIsUsing,
        "Listing the keys changes who goes next. Who has used anything?",
    ),
    Misconception(
        "never-dies",
        wrong.NeverDies,
        "An entry is served after its time. Who compares it with now_s?",
    ),
    Misconception(
        "late-by-a-moment",
        wrong.LateByAMoment,
        "An entry is served at the moment at which its life is over. For how long is it true?",
    ),
    Misconception(
        "reading-prolongs",
        wrong.ReadingProlongs,
        "Each read begins a new life. Does an answer become true by being asked for?",
    ),
    Misconception(
        "keeps-the-old-life",
        wrong.KeepsTheOldLife,
        "A value that is written again dies when the first one would have.",
    ),
    Misconception(
        "lists-the-dead",
        wrong.ListsTheDead,
        "The list of keys holds what `get` would not serve.",
    ),
    Misconception(
        "dead-hold-places",
        wrong.DeadHoldPlaces,
        "A living entry goes although a dead one holds a place. Who is looked at first?",
    ),
    Misconception(
        "buries-from-the-front",
        wrong.BuriesFromTheFront,
        "You take out the dead up to the first one that lives. Is your order one of age?",
    ),
    Misconception(
        "evicts-the-soonest",
        wrong.EvictsTheSoonest,
        "The entry goes that would die first. What did the interviewer ask for while all live?",
    ),
    Misconception(
        "dead-is-a-hit",
        wrong.DeadIsAHit,
        "Whoever found a dead entry counts as a hit. Who had to compute the answer?",
    ),
    Misconception(
        "dead-is-no-miss",
        wrong.DeadIsNoMiss,
        "Whoever found a dead entry is counted nowhere. What are hits and misses together?",
    ),
    Misconception(
        "default-is-a-miss",
        wrong.DefaultIsAMiss,
        "An answer that equals the default counts as a miss. Was it served?",
    ),
    Misconception(
        "dead-is-evicted",
        wrong.DeadIsEvicted,
        "What died of age counts as evicted. Would more memory have helped it?",
    ),
    Misconception(
        "update-is-evicted",
        wrong.UpdateIsEvicted,
        "A value that was overwritten counts as evicted. Would more memory have helped it?",
    ),
)

CACHE = Exercise(
    id="interview.cache",
    title="A cache that forgets what is too old",
    minutes=20,
    optional=True,
    checker=Stories(stories=STORIES, reference=Cache, misconceptions=MISCONCEPTIONS),
    hints=(
        "There are two orders: who was used last, and who dies when. Which of your calls changes "
        "which? A read changes the first alone, a write both.",
        "A dict keeps the order in which keys were inserted: pop a key and insert it again, and it "
        "is last. Before a `put` evicts anybody: the dead go, then the old entry of the same key.",
        "bury(now_s): keep what has now_s < death. put: bury, pop(key), if len(entries) >= "
        "capacity pop the first key and count it, insert (value, now_s + ttl_s). get: bury, count, "
        "re-insert. keys: bury, list(entries).",
    ),
    explanation=(
        "Two orders live in this cache, and the bugs come from taking one for the other: *recency* "
        "(who goes when places are short) and *age* (who may not be served any more). A read moves "
        "an entry in the first and must not in the second: otherwise the most popular answer never "
        "expires, and the more people read it the staler it is. A write begins both anew.\n\n"
        "The dead hold no places. Where lives differ they may lie anywhere in the order of use, so "
        "neither end finds them; and an eviction is counted only where a living entry had to go, "
        "for that count is what says whether more memory would help.\n\n"
        "*Then they ask:* what does it cost? (dict and linked list: O(1) a call; finding the dead "
        "on every call is O(n): a heap of (death, key) beside it, whose stale pairs are skipped, "
        "makes it O(log n); or look when a place is needed, a few at a time.) A thousand people "
        "miss the same key at once? (one computes, the others wait for it.) All entries were "
        "written by a deploy? (they die together: spread the lives by a tenth.) Many threads? (a "
        "lock a shard; a read writes, too, for it moves its entry.) LRU or something else? (a scan "
        "flushes an LRU; S3-FIFO and TinyLFU ask whether somebody came twice.)"
    ),
)
