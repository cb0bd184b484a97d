"""Stories of step 6: several read one page, and the last one gives it back."""

from labutils.exercises.checkers import New, Story

from .oracles import Forgetful
from .pool_stories import AUDIT, LAYOUT, allocate, chained, free, publish, readers, walk


def _second_reader(draw):
    """The same beginning a second time, with another end."""
    page, (one, other, *_), text, tokens, pages = readers(draw, draw.whole(14, 18))
    common = draw.whole(1, len(text) - 1)
    yield New((pages, page))
    yield allocate(one, tokens, chained(text))
    yield publish(one, tokens)
    yield allocate(other, tokens + page, chained(text[:common] + "z" * (len(text) - common)))
    yield LAYOUT
    yield AUDIT


def _one_leaves(draw):
    """Two read the same pages; one leaves, and a stranger comes; then the other leaves."""
    page, (one, other, third, *_), text, tokens, pages = readers(draw, draw.whole(14, 18))
    gone, stays = draw.shuffled([one, other])
    yield New((pages, page))
    yield allocate(one, tokens, chained(text))
    yield publish(one, tokens)
    yield allocate(other, tokens, chained(text))
    yield free(gone)
    yield AUDIT
    yield allocate(third, page * draw.whole(1, 3))
    yield LAYOUT
    yield AUDIT
    yield free(stays)
    yield AUDIT


def _no_room_for_the_rest(draw):
    """The beginning is there, the rest does not fit: nothing may have happened."""
    page, (one, other, *_), text, tokens, _ = readers(draw, 0)
    pages = len(text) + 1 + draw.whole(1, 2)
    yield New((pages, page))
    yield allocate(one, tokens, chained(text))
    yield publish(one, tokens)
    yield allocate(other, tokens + page * draw.whole(3, 5), chained(text))
    yield AUDIT
    yield LAYOUT
    yield allocate(other, tokens, chained(text))
    yield AUDIT
    yield LAYOUT


def _busy_morning(draw):
    yield from walk(draw, Forgetful(draw.whole(9, 13), draw.whole(3, 4)), 26, 4, sharing=True)


SHARING_STORIES = (
    Story(
        "a second reader",
        _second_reader,
        "Two prompts began with the same pages. The second one took as much memory as if it were "
        "alone, or computed what was there.",
    ),
    Story(
        "one of two leaves",
        _one_leaves,
        "Two users had the same instructions in front of their questions. One of them left, and "
        "soon the pool was not what it should have been.",
    ),
    Story(
        "no room for the rest",
        _no_room_for_the_rest,
        "The beginning of a prompt was there, the rest did not fit. After the refusal the books "
        "did not agree with the tables.",
    ),
    Story(
        "a busy morning",
        _busy_morning,
        "Many came and went with the same few beginnings. At noon the numbers did not add up.",
    ),
)
