"""What happens to the page pool of the code drill, in the order in which an interviewer asks."""

from labutils.exercises.checkers import Call, New, Read, Story
from labutils.exercises.stories.story import stories_in

FREE = Read("num_free")


def _table(name):
    return Read("table", (name,))


def _grow(name, tokens):
    return Read("grow", (name, tokens))


def _forked(draw, *, rest):
    """A sequence and its fork; ``rest`` is 1 where its last page is to be filled in part, else 0.

    Returns page and pool size, both names and the steps.
    """
    page, pages = draw.whole(4, 8), draw.whole(10, 15)
    parent, child = draw.shuffled("abc")[:2]
    full = draw.whole(1, 3)
    steps = [
        New((pages, page)),
        Call("grow", (parent, full * page + rest * draw.whole(1, page - 2))),
    ]
    return page, pages, parent, child, [*steps, Read("fork", (parent, child))]


def _one_page_two_pens(draw):
    """Two answers go on in the middle of a page that both read; then one of them goes on alone."""
    page, first, second = draw.whole(4, 8), *draw.shuffled("abc")[:2]
    parent = draw.pick([first, second])
    child = second if parent == first else first
    yield New((draw.whole(10, 15), page))
    yield Call("grow", ("z", page))
    yield Call("grow", (parent, page * draw.whole(1, 3) + draw.whole(1, page - 2)))
    yield Call("fork", (parent, child))
    yield _grow(first, 1)
    yield _table(first)
    yield _table(second)
    yield Call("free", ("z",))
    yield _grow(first, 1)
    yield _table(first)
    yield _grow(second, 1)
    yield _table(second)
    yield FREE
    yield Call("free", (first,))
    yield FREE
    yield Call("free", (second,))
    yield FREE


class Told:
    def full_pages(draw):
        """A prompt filled its pages to the last place, and took another amount than planned."""
        # Nobody yet; then a sequence that fills its pages to the last place.
        page, pages = draw.whole(3, 9), draw.whole(9, 15)
        yield New((pages, page))
        yield _table("a")
        yield Call("grow", ("a", page * draw.whole(2, 5)))
        yield _table("a")
        yield FREE

    def no_tokens_yet(draw):
        """A sequence began without a token, and the pool did not know it."""
        # A sequence of no tokens ends, and its name is used again.
        yield New((draw.whole(4, 9), draw.whole(3, 9)))
        yield _grow("a", 0)
        yield _table("a")
        yield Read("free", ("a",))
        yield Read("free", ("a",))
        yield _grow("a", draw.whole(1, 9))
        yield FREE

    def word_by_word(draw):
        """Answers grew by a token, and the pool by other steps."""
        # A prompt, and an answer of one token at a time over the edge of a page.
        page, name = draw.whole(3, 7), draw.pick("abc")
        yield New((draw.whole(12, 18), page))
        yield _grow(name, page * draw.whole(1, 3) + draw.whole(1, page - 1))
        for _ in range(page + 1):
            yield _grow(name, 1)
            yield _table(name)

    def no_room(draw):
        """One was refused, and the others met a pool that was not the one from before."""
        # Two want more than is left, one exactly that; a refusal leaves no trace.
        page, pages, left = draw.whole(4, 9), draw.whole(9, 14), draw.whole(2, 4)
        one, other, third = draw.shuffled("abc")
        yield New((pages, page))
        yield _grow(one, page * (pages - left) - 2)
        yield _grow(other, page * left + draw.whole(1, 2 * page))
        yield FREE
        yield _table(other)
        yield _grow(one, page * left + 3)
        yield _grow(one, 1)
        yield _table(one)
        yield _grow(third, page * left)
        yield _table(third)
        yield FREE

    def comes_back(draw):
        """A session ended, and came back with a short question."""
        # Sequences go, and one of the same name comes back, shorter than before.
        page, one, other = draw.whole(3, 9), *draw.shuffled("abc")[:2]
        yield New((draw.whole(12, 18), page))
        yield Call("grow", (one, page * draw.whole(3, 5) + 1))
        yield Call("grow", (other, page * draw.whole(2, 3) - 1))
        yield Read("free", (one,))
        yield FREE
        yield _grow(one, draw.whole(1, page))
        yield _table(one)
        yield _grow(other, 2)
        yield _table(other)

    def freed_twice(draw):
        """A time-out freed a sequence, and its client did too. Two users read each other's
        answers."""
        # A time-out and the client free the same sequence; then two others come.
        page, pages = draw.whole(3, 9), draw.whole(9, 12)
        gone, one, other = draw.shuffled("abc")
        yield New((pages, page))
        yield Call("grow", (gone, page * draw.whole(2, 4)))
        yield Read("free", (gone,))
        yield Read("free", (gone,))
        yield FREE
        yield _grow(one, page * draw.whole(2, 4))
        yield _grow(other, page * draw.whole(2, 4))
        yield _table(one)
        yield _table(other)
        yield Read("free", (gone,))
        yield FREE

    def two_answers(draw):
        """Two answers to one prompt took twice the pages, or one went on with the other's words."""
        # Two answers to one prompt read the same pages; each goes on with pages of its own.
        page, _, parent, child, steps = _forked(draw, rest=0)
        yield from steps
        yield _table(child)
        yield FREE
        yield _grow(child, draw.whole(1, page))
        yield _grow(parent, page + draw.whole(1, page))
        yield _table(parent)
        yield _table(child)

    def one_leaves(draw):
        """One of two answers was done. The other went on in the pages of a stranger, or the pool
        shrank."""
        # One of two readers leaves, and a stranger comes; then the other leaves.
        page, _, parent, child, steps = _forked(draw, rest=0)
        gone, stays = draw.shuffled([parent, child])
        yield from steps
        yield Call("free", (gone,))
        yield FREE
        yield Call("grow", ("z", page * 2))
        yield _table("z")
        yield _table(stays)
        yield Call("free", (stays,))
        yield FREE

    def whose_name(draw):
        """A fork was asked for that cannot be, and something changed."""
        # Forks of a stranger and of one that was refused, to a name that is taken, and to itself.
        page, pages, parent, child, steps = _forked(draw, rest=1)
        yield from steps
        yield Call("grow", ("z", page))
        yield Read("fork", ("nobody", "w"))
        yield Call("grow", ("x", page * (pages + 1)))
        yield Read("fork", ("x", "y"))
        yield Read("fork", (parent, "z"))
        yield Read("fork", (parent, parent))
        yield _table("z")
        yield Call("free", ("z",))
        yield FREE
        yield _table(child)

    one_page_two_pens = Story(
        "one page, two pens",
        _one_page_two_pens,
        "Two answers went on in the middle of the same page.",
    )

    def the_reader_has_left(draw):
        """A page was copied for fear of a reader who had left."""
        # The page in the middle of which one goes on was shared, and is not any more.
        _, _, parent, child, steps = _forked(draw, rest=1)
        gone, stays = draw.shuffled([parent, child])
        yield from steps
        yield Call("free", (gone,))
        yield _grow(stays, 1)
        yield _table(stays)
        yield FREE

    def no_room_for_the_copy(draw):
        """The pool was full, the next token would have fitted, and something was lost."""
        # The tokens would fit, their page has to be copied, and no page is free.
        page, pages, parent, child, steps = _forked(draw, rest=1)
        spare, first = draw.whole(0, 1), draw.pick([parent, child])
        yield from steps
        taken = -(-steps[1].args[1] // page)
        yield Call("grow", ("z", page * (pages - taken - spare)))
        yield _grow(first, 1 + spare * page)
        yield _table(first)
        yield FREE
        yield Call("free", ("z",))
        yield _grow(first, 1)
        yield _table(first)
        yield FREE

    def nothing_to_write(draw):
        """A step brought no new token, and took a page or was refused."""
        # A step brings no token to one that shares its last page; then the pool is full, and again.
        page, pages, parent, child, steps = _forked(draw, rest=1)
        one = draw.pick([parent, child])
        yield from steps
        yield _grow(one, 0)
        yield _table(one)
        yield FREE
        yield Call("grow", ("z", page * (pages - -(-steps[1].args[1] // page))))
        yield _grow(one, 0)
        yield Call("free", ("z",))
        yield _grow(one, 1)
        yield _table(one)
        yield FREE


STORIES = stories_in(Told)
