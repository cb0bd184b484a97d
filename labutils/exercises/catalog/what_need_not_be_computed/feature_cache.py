"""Repair a cache that circulates in a lesson."""

from labutils.exercises.checkers import Stories
from labutils.exercises.definition.exercise import Exercise, Misconception

from . import wrong_features as wrong
from .feature_caches import FeatureCache, HandedOut
from .feature_stories import STORIES

MISCONCEPTIONS = (
    Misconception(
        "first-in",
        wrong.FirstIn,
        "The entry goes that was put first, although it was read since. What counts as use?",
    ),
    Misconception(
        "least-frequent",
        wrong.LeastFrequent,
        "The entry goes that was used least often. Asked for is the one whose last use is longest "
        "ago.",
    ),
    Misconception(
        "reads-take-it-out",
        wrong.ReadsTakeItOut,
        "Whoever is read is gone afterwards. You take the entry out: who puts it back?",
    ),
    Misconception(
        "evicts-the-newest",
        wrong.EvictsTheNewest,
        "The entry used last goes. At which end does your order begin?",
    ),
    Misconception(
        "evicts-the-soonest",
        wrong.EvictsTheSoonest,
        "The entry goes that would die first. By what does this cache choose while all live?",
    ),
    Misconception(
        "one-too-many",
        wrong.OneTooMany,
        "There is one entry more than there are places. When do you look?",
    ),
    Misconception(
        "one-too-few",
        wrong.OneTooFew,
        "Somebody goes although there is a place. When do you look?",
    ),
    Misconception(
        "refuses-the-new",
        wrong.RefusesTheNew,
        "A new entry is not taken in when all places are taken. Who goes?",
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
        "keeps-the-old-life",
        wrong.KeepsTheOldLife,
        "A value that is written again dies when the first one would have.",
    ),
    Misconception(
        "keeps-the-longer-life",
        wrong.KeepsTheLongerLife,
        "Of two moments of death you keep the later one. Which of them belongs to this value?",
    ),
    Misconception(
        "keeps-the-shorter-life",
        wrong.KeepsTheShorterLife,
        "Of two moments of death you keep the earlier one. Which of them belongs to this value?",
    ),
    Misconception(
        "never-dies",
        wrong.NeverDies,
        "An entry is served after its time. Which moment do you compare with now_s?",
    ),
    Misconception(
        "late-by-a-moment",
        wrong.LateByAMoment,
        "An entry is served at the moment at which it dies. Before which moment may it be served?",
    ),
    Misconception(
        "a-miss-takes-a-place",
        wrong.AMissTakesAPlace,
        "Who asks for something unknown makes an entry. Which of your calls creates keys?",
    ),
    Misconception(
        "dead-hold-their-place",
        wrong.DeadHoldTheirPlace,
        "Somebody asked for an entry that was dead, and it still takes a place from the living. "
        "Who takes it out, and when?",
    ),
    Misconception(
        "keeps-a-ghost",
        wrong.KeepsAGhost,
        "An entry that was found dead is gone, and when a place is needed it is taken out once "
        "more, in place of a living one. In how many places do you keep a key?",
    ),
    Misconception(
        "falsy-is-missing",
        wrong.FalsyIsMissing,
        "A value that is empty, or zero, is taken for none. How do you see that a key is there?",
    ),
    Misconception(
        "counts-nothing",
        wrong.CountsNothing,
        "The counters stay at 0. Which of your methods knows that something happened?",
    ),
    Misconception(
        "counts-misses-at-the-put",
        wrong.CountsMissesAtThePut,
        "Every `put` counts as a miss. Who asks for a value and does not get it, need not put one.",
    ),
    Misconception(
        "counts-every-asking",
        wrong.CountsEveryAsking,
        "Every request counts as a miss, the hits too. What are hits and misses together?",
    ),
    Misconception(
        "dead-is-a-hit",
        wrong.DeadIsAHit,
        "Whoever found a dead entry counts as a hit. Who had to compute the value?",
    ),
    Misconception(
        "dead-is-both",
        wrong.DeadIsBoth,
        "Whoever found a dead entry counts as a hit and as a miss. What do you know at the moment "
        "at which you count the hit?",
    ),
    Misconception(
        "absent-is-no-miss",
        wrong.AbsentIsNoMiss,
        "Whoever asks for a key that is not there is counted nowhere. What are hits and misses "
        "together?",
    ),
    Misconception(
        "dead-is-no-miss",
        wrong.DeadIsNoMiss,
        "Whoever found a dead entry is counted nowhere. What are hits and misses together?",
    ),
    Misconception(
        "evictions-are-not-counted",
        wrong.EvictionsAreNotCounted,
        "Entries go for room, and the third counter stays at 0.",
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

LRU = Exercise(
    id="reuse.lru",
    title="Repair a cache that looks like an LRU",
    minutes=9,
    checker=Stories(
        stories=STORIES,
        reference=FeatureCache,
        start=HandedOut,
        misconceptions=MISCONCEPTIONS,
    ),
    hints=(
        "Take the stories one at a time. A dict keeps the order in which keys were inserted: which "
        "of your calls should change that order?",
        "Take a key out and insert it again, and it is last. Keep (value, dies_s) as the entry; an "
        "entry that is found dead goes and is a miss. A `put` evicts only for a key that is not "
        "there.",
        "get: if key is not in entries, or now_s >= dies_s: pop(key, None), count a miss, return "
        "None; else count a hit and re-insert. put: if key is there pop it, elif len(entries) == "
        "capacity pop next(iter(entries)) and count; then insert (value, dies_s).",
    ),
    explanation=(
        "Four faults, and none of them raises an error. *FIFO in disguise:* in a dict a read does "
        "not move a key, so the hottest feature goes as soon as it is the oldest. *An update that "
        "evicts* costs a place on every refresh. *A first level that ignores death* serves what "
        "the shared level has already dropped; a copy must bring along the moment at which it "
        "dies, or each level adds a life of its own. *Without counters* nobody sees the other "
        "three: they all look like a hit rate that is a little low.\n\n"
        "An eviction is counted only where an entry had to go for room. That count says whether "
        "more memory would help; what died of age would have died in any memory."
    ),
)
