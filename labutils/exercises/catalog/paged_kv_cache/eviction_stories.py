"""Stories of step 7: what is idle stays until its page is needed."""

from labutils.exercises.checkers import New, Read, Story

from .oracles import Oracle
from .pool_stories import (
    AUDIT,
    LAYOUT,
    NAMES,
    allocate,
    chained,
    extend,
    free,
    publish,
    readers,
    walk,
)


def _next_turn(draw):
    """A session pauses; nobody needs its pages; it comes back with what was said before."""
    page, (one, other, *_), text, tokens, pages = readers(draw, draw.whole(16, 20))
    yield New((pages, page))
    yield allocate(one, tokens, chained(text))
    yield publish(one, tokens)
    yield free(one)
    yield AUDIT
    yield allocate(other, draw.whole(1, page))
    yield allocate(one, tokens + page, chained(text + "s"))
    yield LAYOUT
    yield AUDIT


def _turn(name: str, text: str, page: int, more: int = 1):
    """One turn of a session: it computes its prompt, and goes idle."""
    tokens = page * len(text) + more
    return [allocate(name, tokens, chained(text)), publish(name, tokens), free(name)]


def _two_sessions(draw):
    """Two sessions go idle one after the other; a stranger needs some of their pages."""
    page, size = draw.whole(3, 6), draw.whole(3, 4)
    first, second, stranger, *_ = draw.shuffled(NAMES)
    pages = 2 * size + 2
    yield New((pages, page))
    yield from _turn(first, "u" * size, page)
    yield from _turn(second, "v" * size, page)
    need = 2 + draw.whole(1, size - 1)
    yield allocate(stranger, page * need)
    yield free(stranger)
    for name, letter in draw.shuffled([(first, "u"), (second, "v")]):
        yield allocate(name, page * size + 1, chained(letter * size))
        yield free(name)
    yield AUDIT


def _where_it_begins(draw):
    """A stranger needs a page or two of an idle session; what is left must be its beginning."""
    page, size = draw.whole(3, 6), draw.whole(4, 5)
    name, stranger, *_ = draw.shuffled(NAMES)
    yield New((size + 1, page))
    yield from _turn(name, "w" * size, page)
    yield allocate(stranger, page * (1 + draw.whole(1, 2)))
    yield free(stranger)
    yield allocate(name, page * size + 1, chained("w" * size))
    yield AUDIT


def _in_vain(draw):
    """An answer wants to grow over all that there is, and is refused; the idle stay findable."""
    page, size = draw.whole(3, 6), draw.whole(3, 4)
    name, greedy, *_ = draw.shuffled(NAMES)
    yield New((size + 3, page))
    yield from _turn(name, "k" * size, page)
    yield allocate(greedy, page)
    yield extend(greedy, page * (size + 5))
    yield AUDIT
    yield allocate(name, page * size + 1, chained("k" * size))
    yield LAYOUT


def _somebody_elses_page(draw):
    """An idle page is needed by a stranger; then the one comes back whose words stood in it."""
    page, size = draw.whole(3, 6), draw.whole(2, 3)
    name, stranger, *_ = draw.shuffled(NAMES)
    yield New((2 * size + 2, page))
    yield from _turn(name, "m" * size, page)
    yield allocate(stranger, page * (size + 2 + draw.whole(1, size)))
    yield AUDIT
    yield Read("look_up", (page * size + 1, chained("m" * size)))


def _its_own_pages(draw):
    """The one idle longest comes back with a longer prompt, and memory is full of idle pages."""
    page, size = draw.whole(3, 6), draw.whole(3, 5)
    first, second, *_ = draw.shuffled(NAMES)
    yield New((2 * size + 1, page))
    yield from _turn(first, "u" * size, page)
    yield from _turn(second, "v" * size, page)
    longer = page * (size + draw.whole(1, size - 1)) + 1
    yield allocate(first, longer, chained("u" * size))
    yield LAYOUT
    yield AUDIT


def _long_week(draw):
    yield from walk(draw, Oracle(draw.whole(7, 11), draw.whole(3, 4)), 30, 4, sharing=True)


EVICTING_STORIES = (
    Story(
        "the next turn",
        _next_turn,
        "A session paused for a minute, in an empty server, and its whole prompt was computed "
        "again.",
    ),
    Story(
        "two sessions",
        _two_sessions,
        "A stranger came in between. Of two idle sessions it hit the one that had just been used.",
    ),
    Story(
        "where it begins",
        _where_it_begins,
        "A page or two of an idle session were taken, and nothing of it was found any more.",
    ),
    Story(
        "in vain",
        _in_vain,
        "An answer was refused another page. Afterwards the sessions in memory were gone.",
    ),
    Story(
        "somebody else's page",
        _somebody_elses_page,
        "A user came back and was answered out of another user's text.",
    ),
    Story(
        "its own pages",
        _its_own_pages,
        "A session came back to a memory full of idle pages, and its answer did not fit its "
        "question.",
    ),
    Story(
        "a long week",
        _long_week,
        "Sessions came and went for a week. Then the hits were not those that memory allowed.",
    ),
)
