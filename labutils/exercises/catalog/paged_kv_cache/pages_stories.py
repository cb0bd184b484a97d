"""Stories of step 1: pages come as tokens come, and go back."""

from labutils.exercises.checkers import New, Story

from .oracles import Unshared
from .pool_stories import AUDIT, LAYOUT, NAMES, allocate, extend, free, walk


def _full_pages(draw):
    """Tokens that fill their pages to the last place."""
    page = draw.whole(3, 9)
    yield New((draw.whole(12, 20), page))
    yield allocate(draw.pick(NAMES), page * draw.whole(2, 5))
    yield AUDIT


def _word_by_word(draw):
    """A prompt, and an answer that grows by one token at a time, over the edge of a page."""
    page, name = draw.whole(3, 9), draw.pick(NAMES)
    tokens = page * draw.whole(1, 3) + draw.whole(1, page - 1)
    yield New((draw.whole(14, 20), page))
    yield allocate(name, tokens)
    for more in range(1, page + 2):
        yield extend(name, tokens + more)
        yield AUDIT
    yield LAYOUT


def _the_last_page(draw):
    """Somebody wants more than is left, then all that is left, and then it is full."""
    page, pages, left = draw.whole(4, 9), draw.whole(9, 14), draw.whole(2, 4)
    first, second, third, *_ = draw.shuffled(NAMES)
    tokens = page * (pages - left) - 2
    yield New((pages, page))
    yield allocate(first, tokens)
    yield allocate(second, page * left + draw.whole(1, 2 * page))
    yield LAYOUT
    yield AUDIT
    yield extend(first, tokens + 2 + page * left + 1)
    yield LAYOUT
    yield AUDIT
    yield allocate(third, page * left)
    yield extend(first, tokens + 1)
    yield extend(third, page * left + 1)
    yield LAYOUT
    yield AUDIT


def _same_name_again(draw):
    """Requests go, and one of the same name comes back, shorter than before."""
    page, (one, other, *_) = draw.whole(3, 9), draw.shuffled(NAMES)
    yield New((draw.whole(15, 20), page))
    yield allocate(one, page * draw.whole(3, 5) + 1)
    yield allocate(other, page * draw.whole(2, 4) - 1)
    yield free(one)
    yield AUDIT
    yield LAYOUT
    yield allocate(one, draw.whole(1, page))
    yield AUDIT
    yield LAYOUT


def _long_day(draw):
    yield from walk(draw, Unshared(draw.whole(7, 12), draw.whole(3, 5)), 24, 5, sharing=False)


PAGES_STORIES = (
    Story(
        "full pages",
        _full_pages,
        "A prompt filled its pages to the last place, and took other memory than planned.",
    ),
    Story(
        "word by word",
        _word_by_word,
        "Answers grew by one token at a time, and the pool did not fill as the tokens did.",
    ),
    Story(
        "the last page",
        _the_last_page,
        "The pool was nearly full. One request was refused, and afterwards the others met a pool "
        "that was not the one from before.",
    ),
    Story(
        "the same name again",
        _same_name_again,
        "A session ended and came back with a short question.",
    ),
    Story(
        "a long day",
        _long_day,
        "After some hours of traffic an idle server had fewer pages than in the morning, or two "
        "users read each other's answers.",
    ),
)
