"""Step 1: pages for tokens as they come."""

from labutils.exercises.definition.exercise import Exercise, Misconception

from . import pools
from . import wrong_pools as wrong
from .oracles import Unshared
from .pages_stories import PAGES_STORIES
from .pool_stories import PoolStories

ALLOCATOR = Exercise(
    id="paged.allocator",
    title="An allocator that conserves its pages",
    minutes=10,
    checker=PoolStories(
        stories=PAGES_STORIES,
        reference=Unshared,
        house=pools.Pages,
        misconceptions=(
            Misconception(
                "a-page-too-many",
                wrong.APageTooMany,
                "A request whose tokens fill their pages gets one page more than it needs.",
            ),
            Misconception(
                "rounds-down",
                wrong.RoundsDown,
                "Some tokens have no page: what becomes of those that fill a page in part?",
            ),
            Misconception(
                "counts-tokens-twice",
                wrong.AddsWhatIsThere,
                "`extend` is told how many tokens the request holds in all. How many pages does it "
                "have already?",
            ),
            Misconception(
                "takes-what-there-is",
                wrong.TakesWhatThereIs,
                "A refused request keeps the pages that it got on the way. All or nothing: when do "
                "you know how many are needed?",
            ),
            Misconception(
                "lost-pages",
                wrong.LosesThem,
                "Pages are in no table and not free: they are lost. Who gives them back when a "
                "request goes?",
            ),
            Misconception(
                "keeps-the-table",
                wrong.KeepsTheTable,
                "A page is free and in a table at once. The next request gets it, and two write "
                "into it: what becomes of the table of a request that is gone?",
            ),
            Misconception(
                "nobody-owns-it",
                wrong.CountsNoOwners,
                "The tables say that a page is held, and `owners` does not know of it. Which of "
                "the given methods keeps that count?",
            ),
            Misconception(
                "keeps-one-back",
                wrong.KeepsOneBack,
                "A request is refused although the free pages are as many as it needs.",
            ),
        ),
    ),
    hints=(
        "Count first, touch afterwards: how many pages will there be, how many are there? Let one "
        "method ask for a number of pages, and let it refuse before it has changed anything.",
        "`take(count)`: compare with `self.num_free`; pop from `self.blank`; `self.hold` the pages "
        "and return them. `allocate` and `extend` say how many they need, with `self.pages_for`.",
        "`self.held[request] = self.take(self.pages_for(tokens))`, and return 0. `extend` takes "
        "`self.pages_for(tokens) - len(self.held[request])` more. `free` pops the table and calls "
        "`self.drop(page)` for each page in it.",
    ),
    explanation=(
        "Every page is blank, idle or held: never in two of these places, never in none. It breaks "
        "where a refusal comes after the first change, and where a release forgets something. With "
        "one method that takes pages, all or nothing, both `allocate` and `extend` inherit the "
        "first property; with one that drops a page, every way of leaving inherits the second."
    ),
)
