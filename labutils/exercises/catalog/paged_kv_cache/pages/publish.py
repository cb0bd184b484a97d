"""What a step has computed can be found from now on."""

from labutils.exercises.checkers import piece_of, slip
from labutils.exercises.definition.exercise import Exercise

from . import walks
from .pool_walk import says, walk_pool


def _publish(pool, request, first: int, full: int) -> None:
    for key, page in zip(request.keys[first:full], request.pages[first:full]):
        if key not in pool.page_of:
            pool.page_of[key], pool.key_of[page] = page, key


def all_at_once(self, request, new_tokens):
    _publish(self, request, 0, len(request.keys))


def page_begun(self, request, new_tokens):
    _publish(self, request, 0, -(-request.computed // self.page_tokens))


def computed_twice(self, request, new_tokens):
    first = request.computed // self.page_tokens
    _publish(self, request, first, (request.computed + new_tokens) // self.page_tokens)


def new_tokens_alone(self, request, new_tokens):
    first = (request.computed - new_tokens) // self.page_tokens
    _publish(self, request, first, first + new_tokens // self.page_tokens)


def the_latest_wins(self, request, new_tokens):
    first = (request.computed - new_tokens) // self.page_tokens
    full = request.computed // self.page_tokens
    for key, page in zip(request.keys[first:full], request.pages[first:full]):
        self.page_of[key], self.key_of[page] = page, key


def one_way(self, request, new_tokens):
    first = (request.computed - new_tokens) // self.page_tokens
    full = request.computed // self.page_tokens
    for key, page in zip(request.keys[first:full], request.pages[first:full]):
        self.page_of.setdefault(key, page)


def nothing(self, request, new_tokens):
    return


def from_the_first_page(self, request, new_tokens):
    first = (request.computed - new_tokens) // self.page_tokens
    full = request.computed // self.page_tokens
    for key, page in zip(request.keys[first:full], request.pages):
        if key not in self.page_of:
            self.page_of[key], self.key_of[page] = page, key


PUBLISH = Exercise(
    id="pages.publish",
    title="Make computed pages findable",
    minutes=6,
    checker=piece_of(
        "pages:PagePool.publish",
        tried=walk_pool,
        says=says,
        inputs=walks.walks(walks.in_chunks, walks.side_by_side, walks.same_beginning),
        mistakes=(
            (
                "answers-too",
                slip(
                    "for key, page in zip(request.keys[first:full], request.pages[first:full]):",
                    "for n in range(first, full):\n        key, page = request.keys[n], "
                    "request.pages[n]",
                ),
                "A page of the answer has no key: `keys` ends with the prompt's last full page, "
                "and the pages go on.",
            ),
            (
                "begun-before",
                slip(
                    "(request.computed - new_tokens) // self.page_tokens",
                    "self.pages_for(request.computed - new_tokens)",
                ),
                "A page that earlier steps began and this one has filled is never found. Is the "
                "first page to look at rounded up?",
            ),
            (
                "not-computed-yet",
                all_at_once,
                "Pages can be found before they are computed: another request reads what is not "
                "there yet. How far is this one?",
            ),
            (
                "half-full-pages",
                page_begun,
                "A page that is filled in part can be found, and whoever finds it takes it for "
                "full.",
            ),
            (
                "counts-new-tokens-twice",
                computed_twice,
                "When `publish` is called, the new tokens are in `request.computed` already. "
                "Where did they begin?",
            ),
            (
                "counts-new-tokens-alone",
                new_tokens_alone,
                "A page that was begun in one step and filled in the next is never published. "
                "Count full pages before the step and after it.",
            ),
            (
                "the-latest-wins",
                the_latest_wins,
                "Two requests computed the same page, and the second one took the key over: the "
                "first page still has the key and is found no more. Which of the two is to be "
                "found?",
            ),
            (
                "one-way",
                one_way,
                "The key leads to the page, and the page does not know its key. How will it be "
                "forgotten when the page gets new content?",
            ),
            (
                "never-published",
                nothing,
                "Nothing of this request is ever found. Which two dicts lead from a key to a page "
                "and back?",
            ),
            (
                "other-pages",
                from_the_first_page,
                "Key and page do not belong together: the third key names the third page of the "
                "table.",
            ),
        ),
    ),
    hints=(
        "How many pages were full before this step, and how many are full after it? Those between "
        "are new.",
        "`first = (request.computed - new_tokens) // self.page_tokens` and `full = "
        "request.computed // self.page_tokens`. Keys and pages of that stretch go together.",
        "for key, page in zip(request.keys[first:full], request.pages[first:full]): if the key is "
        "not in self.page_of yet: self.page_of[key], self.key_of[page] = page, key.",
    ),
    explanation=(
        "A page is published when it is full, and not before: its key names all its tokens. A "
        "chunk that ends in the middle of a page leaves it to a later step, so what counts is full "
        "pages before and after, not new tokens over page size. `zip` ends with the shorter list: "
        "pages of the answer have no key here. Where two requests computed the same page at once, "
        "one of the two stays findable; the other one is blank as soon as its request leaves."
    ),
)
