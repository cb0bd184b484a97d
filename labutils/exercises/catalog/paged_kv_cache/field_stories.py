"""What was reported from the field: the stories of the bug hunt."""

from labutils.exercises.checkers import Call, New, Read, Story
from labutils.exercises.stories.story import stories_in


def _cast(draw) -> tuple[int, list[str]]:
    return draw.whole(2, 9), draw.shuffled(["r1", "r2", "r3", "r4"])


def chained(text: str) -> tuple[str, ...]:
    """Keys as they are chained: each names its page and all before it."""
    return tuple(text[: at + 1] for at in range(len(text)))


def _word(draw, count: int) -> str:
    return "".join(draw.pick("pqr") for _ in range(count))


def _another_users_words(draw):
    """Pages are needed for somebody else; then the one comes back whose words stood in them."""
    page, (one, stranger, third, *_) = _cast(draw)
    pages = draw.whole(2, 3)
    keys = chained(_word(draw, pages))
    strange = chained("s" * (pages + 2))
    yield New((2 * pages + 2, page))
    yield Read("admit", (one, page * pages + 1, keys))
    yield Call("computed", (one, keys))
    yield Call("leave", (one,))
    taken = pages + 1 + draw.whole(1, pages)
    yield Read("admit", (stranger, page * taken + 1, strange))
    yield Call("computed", (stranger, strange))
    yield Call("leave", (stranger,))
    yield Read("admit", (third, page * pages + 1, keys))
    yield Read("reads", (third,))


def _change_hands(page, tokens, rest, texts, stranger):
    """One session's pages go to the other, which leaves before they are computed; it comes back,
    to other pages, and finds these again after its old ones have changed hands once more."""
    (one, first), (other, second) = texts.items()
    for name, text in ((one, first), (other, second), (one, first)):
        yield Read("admit", (name, tokens, chained(text)))
        if name == one:
            yield Call("computed", (one, chained(text)))
        yield Call("leave", (name,))
        if name == one:
            yield Read("admit", (stranger, page * rest, ()))
            yield Call("leave", (stranger,))
    yield Read("admit", (one, tokens, chained(first)))
    yield Read("reads", (one,))
    yield Call("leave", (one,))


class Told:
    def back_after_preemption(draw):
        """The report: under load, and only there, an IndexError, a position behind the end of the
        prompt. It needed a preemption and a hit to happen."""
        # Memory ran short; the newest was preempted, and comes back a moment later.
        page, (one, other, *_) = _cast(draw)
        pages = draw.whole(2, 4)
        tokens, keys = page * pages + draw.whole(1, page - 1), chained(_word(draw, pages))
        yield New((draw.whole(14, 18), page))
        yield Read("admit", (other, page + 1, ()))
        yield Read("admit", (one, tokens, keys))
        yield Call("computed", (one, keys))
        yield Call("leave", (one,))
        grown = tokens + draw.whole(1, page)
        yield Read("admit", (one, grown, keys))
        yield Read("reads", (one,))

    def the_same_question_twice(draw):
        """The report: two users sent the same prompt, of 512 tokens exactly. At the second one the
        attention kernel stopped: a query of length 0."""
        # A prompt that fills its pages to the last place, and is known to the last token.
        page, (one, other, third, idle) = _cast(draw)
        pages = draw.whole(2, 4)
        keys = chained(_word(draw, pages))
        yield New((pages + 2, page))
        yield Read("admit", (idle, page, ("s",)))
        yield Call("computed", (idle, ("s",)))
        yield Call("leave", (idle,))
        yield Read("admit", (one, page * pages, keys))
        yield Call("computed", (one, keys))
        yield Read("admit", (other, page * pages, keys))
        yield Read("reads", (other,))
        yield Read("admit", (third, page * pages + 1, keys))
        # Each of them writes into a page of its own, and the idle one's had to be given out.
        yield from (Call("leave", (name,)) for name in (third, other))
        yield Read("admit", (idle, page + 1, ("s",)))

    another_user_s_words = Story(
        "another user's words",
        _another_users_words,
        "The report: after a busy night a user was answered out of somebody else's conversation. "
        "No error was logged.",
    )

    def an_ordinary_day(draw):
        """Two sessions take turns, as they do all day. What is found has to be what is there, and
        all of it."""
        # Two sessions take turns, with strangers between them.
        page, (one, other, stranger, _) = _cast(draw)
        texts = {one: "u" + _word(draw, 2), other: "v" + _word(draw, 2)}
        pages = draw.whole(9, 10)
        yield New((pages, page))
        yield from _change_hands(page, page * 3 + draw.whole(1, page), pages - 4, texts, stranger)
        for turn in range(4):
            name = draw.pick([one, other])
            keys = chained(texts[name])
            yield Read("admit", (name, page * 3 + draw.whole(1, page), keys))
            yield Read("reads", (name,))
            yield Call("computed", (name, keys))
            yield Call("leave", (name,))
            yield Read("admit", (stranger, page * draw.whole(1, 2), chained(f"{turn}{turn}")))
            yield Call("leave", (stranger,))
        # Both at once; then a single page is taken, and all of the first one's are still there.
        for name in (one, other):
            yield Read("admit", (name, page * 3 + 1, chained(texts[name])))
            yield Call("computed", (name, chained(texts[name])))
        yield from (Call("leave", (name,)) for name in (one, other))
        yield Read("admit", (stranger, page, ()))
        yield Read("admit", (one, page * 3 + 1, chained(texts[one])))


STORIES = stories_in(Told)
