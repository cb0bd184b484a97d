"""Step 7: what nobody holds stays until its page is needed."""

from labutils.exercises.definition.exercise import Exercise, Misconception

from . import pools
from . import wrong_pools as wrong
from .eviction_stories import EVICTING_STORIES
from .oracles import Oracle
from .pool_stories import PoolStories

EVICTION = Exercise(
    id="paged.eviction",
    title="Eviction, the one idle longest first",
    minutes=12,
    checker=PoolStories(
        stories=EVICTING_STORIES,
        reference=Oracle,
        house=pools.Evicting,
        misconceptions=(
            Misconception(
                "nothing-is-idle",
                wrong.NothingIsIdle,
                "A session paused, and its prompt is computed again. Where do pages go that have a "
                "key and no owner?",
            ),
            Misconception(
                "newest-first",
                wrong.NewestFirst,
                "The page that became idle last is the first to go. Who is likelier to come back: "
                "who left a moment ago, or who left an hour ago?",
            ),
            Misconception(
                "head-first",
                wrong.HeadFirst,
                "The head of a prompt went before its tail. What can be used of a prompt whose "
                "first page is gone? And in which order does your `free` of step 6 go?",
            ),
            Misconception(
                "evicts-what-it-found",
                wrong.TakesBeforeItHolds,
                "One request has the same page twice in its table: it was found, and it was given "
                "out as fresh. Until when is a page that `allocate` of step 6 found still idle?",
            ),
            Misconception(
                "evicts-first",
                wrong.IdleFirst,
                "Something findable was thrown away although blank pages were left.",
            ),
            Misconception(
                "evicts-in-vain",
                wrong.EvictsForNothing,
                "A request was refused, and what was idle is gone all the same.",
            ),
            Misconception(
                "keeps-the-key",
                wrong.KeepsTheKey,
                "A page has new content and is still found under its old key: somebody reads "
                "another's tokens. What must go together with the content?",
            ),
            Misconception(
                "all-is-idle",
                wrong.AllIsIdle,
                "Pages that nobody can find wait in the same line as those that somebody may come "
                "back for. Which of the two should go first?",
            ),
        ),
    ),
    hints=(
        "Two questions: where does a page go when its last reader leaves, and where do pages come "
        "from when the blank ones do not suffice?",
        "`drop(page)`: a page with a key becomes the newest in `self.idle`, any other goes the old "
        "way (`super().drop(page)`). `take(count)`: while too few pages are blank, the oldest "
        "of `self.idle` goes the old way, too.",
        "In `take`, only if count <= self.num_free: while len(self.blank) < count: page = "
        "next(iter(self.idle)); del self.idle[page]; super().drop(page). Then return "
        "super().take(count). `super().drop` also forgets the key.",
    ),
    explanation=(
        "A dict keeps its order, so it is a queue from which any page can be pulled out when it is "
        "held again: least recently used, in two lines. Idle pages are free pages; whether they "
        "hold something is no reason to refuse anybody. Since `free` walks the table from its end, "
        "the tail of a session goes before its head. And content and key go together: a key that "
        "outlives its content is the one bug here that gives a user somebody else's words."
    ),
)
