"""Step 5 and 6: which pages a newcomer may share, and who gives them back."""

from labutils.exercises.checkers import Function
from labutils.exercises.definition.exercise import Exercise, Misconception

from . import pools
from . import wrong_pools as wrong
from .oracles import Forgetful
from .pool_stories import PoolStories
from .sharing_stories import SHARING_STORIES


def _inputs():
    from hypothesis import strategies as st

    @st.composite
    def lookups(draw):
        page_tokens = draw(st.integers(2, 9))
        text = draw(st.text("xy", max_size=6))
        keys = [text[: at + 1] for at in range(len(text))]
        names = sorted({*keys, "x", "yy", "xyx"})
        some = st.lists(st.sampled_from(names), unique=True, max_size=len(names))
        gap = st.sampled_from(keys or names).map(lambda lost: [k for k in keys if k != lost])
        known = draw(st.one_of(st.just(keys), gap, some))
        rest = draw(st.sampled_from([0, 1, page_tokens - 1]))
        pages = draw(st.permutations(range(20)))
        tokens = max(1, len(keys) * page_tokens + rest)
        return dict(zip(known, pages)), keys, tokens, page_tokens

    return lookups()


def whole_prompt(page_of, keys, tokens, page_tokens):
    """Takes the last token's page, too."""
    return pools.find(page_of, keys, tokens + 1, page_tokens)


def over_the_gap(page_of, keys, tokens, page_tokens):
    """Takes every page that is there, gaps or not."""
    return [page_of[key] for key in keys[: (tokens - 1) // page_tokens] if key in page_of]


def a_page_less(page_of, keys, tokens, page_tokens):
    """Leaves out the last page that was found, whatever the length."""
    return pools.find(page_of, keys, tokens, page_tokens)[:-1]


def all_or_none(page_of, keys, tokens, page_tokens):
    """Shares only where the whole prompt is there."""
    found = pools.find(page_of, keys, tokens, page_tokens)
    return found if len(found) == (tokens - 1) // page_tokens else []


FIND = Exercise(
    id="paged.find",
    title="Which pages may be shared",
    minutes=5,
    checker=Function(
        reference=pools.find,
        inputs=_inputs,
        misconceptions=(
            Misconception(
                "nothing-left-to-compute",
                whole_prompt,
                "The whole prompt comes out of the cache, and nothing is left to compute. From "
                "which token's output is the first word of the answer predicted?",
            ),
            Misconception(
                "over-the-gap",
                over_the_gap,
                "You go on behind a page that is not there. Where would the tokens behind the gap "
                "stand in the table?",
            ),
            Misconception(
                "a-page-less",
                a_page_less,
                "A prompt that ends in the middle of a page has its last token there. May all of "
                "its full pages be shared?",
            ),
            Misconception(
                "all-or-none",
                all_or_none,
                "The beginning is there and the end is not. What can be used of it?",
            ),
        ),
    ),
    hints=(
        "Two things end the search: a key that leads nowhere, and the page of the last token.",
        "The last token has the number tokens - 1. So the pages before its own are "
        "(tokens - 1) // page_tokens.",
        "Walk through keys[: (tokens - 1) // page_tokens], break at the first key that is not in "
        "page_of, and collect page_of[key] until then.",
    ),
    explanation=(
        "Keys are chained, so a key that is found vouches for everything before it; behind a gap "
        "nothing can be used, since a token attends to all before it. And at least one token has "
        "to be computed, or no logits exist from which to choose the next: the page of the last "
        "token is never shared, even if it is full and known."
    ),
)

SHARING = Exercise(
    id="paged.sharing",
    title="A pool that shares pages",
    minutes=12,
    checker=PoolStories(
        stories=SHARING_STORIES,
        reference=Forgetful,
        house=pools.Sharing,
        misconceptions=(
            Misconception(
                "counts-pages",
                wrong.CountsPages,
                "`allocate` says how many *tokens* are there already. The scheduler would compute "
                "the rest from the wrong place.",
            ),
            Misconception(
                "all-pages-fresh",
                wrong.AllPagesFresh,
                "The newcomer got the shared pages, and fresh ones for the same tokens once more.",
            ),
            Misconception(
                "never-published",
                wrong.NeverPublishes,
                "Nothing of this request is ever found. How does `publish` know under which keys?",
            ),
            Misconception(
                "uncounted-reader",
                wrong.CountsOnlyFresh,
                "A newcomer reads pages that it found, and `owners` does not count it. What "
                "happens when the first owner leaves?",
            ),
            Misconception(
                "frees-for-all",
                wrong.FreesForAll,
                "A page was given back although somebody still reads it. When is it free?",
            ),
            Misconception(
                "never-free",
                wrong.NeverGivesBack,
                "After both have left the page is still held by nobody. Is every reader who leaves "
                "counted down?",
            ),
            Misconception(
                "held-and-refused",
                wrong.HoldsWhatIsRefused,
                "The refusal came after the pages that were found had been counted. What must be "
                "certain before anything changes?",
            ),
        ),
    ),
    hints=(
        "Four things in this order: is there room at all; which pages are there; count this reader "
        "among their owners; take the rest.",
        "`self.must_fit(request, tokens, keys)` refuses. `self.find(tokens, keys)` finds, "
        "`self.hold(found)` counts. The table is what was found, and behind it what was taken.",
        "self.held[request] = found + self.take(self.pages_for(tokens) - len(found)), "
        "self.keys[request] = keys, return len(found) * self.page_tokens. In `free` count every "
        "page of the table down by one, and `drop` it only when its count is 0.",
    ),
    explanation=(
        "A page is given back by whoever leaves last: that is what the count is for. The order in "
        "`allocate` matters. Found pages are counted *before* fresh ones are taken, or taking "
        "might give away what was just found; and nothing is counted before it is certain that all "
        "fits, or a refusal leaves an owner behind who will never leave."
    ),
)
