"""Which pages of a prompt are in memory already."""

from labutils.exercises.checkers import piece_of, slip
from labutils.exercises.definition.exercise import Exercise

from . import walks
from .pool_walk import says, walk_pool


def _found(pool, keys) -> list[int]:
    found = []
    for key in keys:
        if key not in pool.page_of:
            break
        found.append(pool.page_of[key])
    return found


def the_last_page_too(self, request):
    return _found(self, request.keys[: request.known // self.page_tokens])


def over_the_gap(self, request):
    keys = request.keys[: (request.known - 1) // self.page_tokens]
    return [self.page_of[key] for key in keys if key in self.page_of]


def a_page_less(self, request):
    return _found(self, request.keys[: request.known // self.page_tokens])[:-1]


def all_or_none(self, request):
    keys = request.keys[: (request.known - 1) // self.page_tokens]
    found = _found(self, keys)
    return found if len(found) == len(keys) else []


def without_page_0(self, request):
    found = []
    for key in request.keys[: (request.known - 1) // self.page_tokens]:
        page = self.page_of.get(key)
        if not page:
            break
        found.append(page)
    return found


def counts_the_prompt(self, request):
    return _found(self, request.keys[: (request.prompt_tokens - 1) // self.page_tokens])


def nothing_is_found(self, request):
    return []


FIND = Exercise(
    id="pages.find",
    title="Which pages are there already",
    minutes=5,
    checker=piece_of(
        "pages:PagePool.find",
        tried=walk_pool,
        says=says,
        inputs=walks.walks(
            walks.the_same_twice, walks.same_beginning, walks.after_the_gap, walks.back_again
        ),
        mistakes=(
            (
                "one-page-short",
                slip("return found", "return found[:-1]"),
                "You leave out the last page that was found. The page of the last known token is "
                "left out before you look: not twice.",
            ),
            (
                "held-alone",
                slip(
                    "if key not in self.page_of:",
                    "if key not in self.page_of or self.page_of[key] in self.idle:",
                ),
                "A page that is idle is not found. Idle means: nobody holds it, and it can be "
                "found.",
            ),
            (
                "finds-nothing",
                nothing_is_found,
                "Nothing is ever found. Where does `page_of` lead?",
            ),
            (
                "nothing-left-to-compute",
                the_last_page_too,
                "The whole prompt comes out of memory, and nothing is left to compute. From which "
                "token's output does the next one come?",
            ),
            (
                "over-the-gap",
                over_the_gap,
                "You go on behind a page that is not there. At which place of the table would the "
                "tokens behind the gap stand?",
            ),
            (
                "a-page-less",
                a_page_less,
                "A prompt that ends in the middle of a page has its last token there. May all of "
                "its full pages be shared?",
            ),
            (
                "all-or-none",
                all_or_none,
                "The beginning is there and the end is not. What can be used of it?",
            ),
            (
                "without-page-0",
                without_page_0,
                "Page 0 is a page like any other, and `if not page` takes it for none.",
            ),
            (
                "counts-the-prompt",
                counts_the_prompt,
                "A request came back after a preemption with more known tokens than its prompt "
                "has. Which token is its last one now?",
            ),
        ),
    ),
    hints=(
        "Two things end the search: a key that leads nowhere; and the page of the last known "
        "token.",
        "The last known token has the number `request.known - 1`. How many full pages lie before "
        "its own?",
        "Walk through `request.keys[: (request.known - 1) // self.page_tokens]`, break at the "
        "first key that is not in `self.page_of`, and collect `self.page_of[key]` until then.",
    ),
    explanation=(
        "A key names its page and all before it, so a key that is found vouches for the whole "
        "beginning; behind a gap nothing can be used, since every token attends to all before it. "
        "And at least one token has to be computed, or there are no logits to choose the next "
        "token from: the page of the last known token is never shared, even if it is full and "
        "found. vLLM has the same rule, and nano-vllm issue 144 is what happens without it."
    ),
)
