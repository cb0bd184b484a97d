"""What happens to a cache of features: the stories of the repair exercise.

Some are those of the code drill's cache, told to this one: there a value has a life, and here a
moment at which it dies; there a place is free as soon as its entry is dead, here when somebody asks
for it or it is the least recently used. So no story puts a newcomer beside a dead entry that nobody
has asked for.
"""

from dataclasses import replace

from labutils.exercises.catalog.interview_drills.expiring_cache.cache_stories import (
    STORIES as DRILL,
)
from labutils.exercises.checkers import Call, New, Read, Story
from labutils.exercises.stories.script import Beside, Holds
from labutils.exercises.stories.story import stories_in

LONG_S = 10_000
COUNTS = Read("counts")


def _of_the_drill(name: str) -> Story:
    """A story of the drill, step by step in this cache's words."""
    story = next(story for story in DRILL if story.name == name)
    return replace(story, script=lambda draw: _translated(story.script(draw)))


def _translated(script):
    """``keys`` becomes a ``get`` of every key put so far, and a life the moment of its end."""
    known: dict[str, None] = {}
    for step in script:
        match getattr(step, "method", "new"):
            case "put":
                key, value, life_s, now_s = step.args
                known[key] = None
                yield Call("put", (key, value, now_s + life_s))
            case "get":
                key, _, now_s = step.args
                yield replace(step, args=(key, now_s))
            case "keys":
                yield from (_get(key, *step.args) for key in known)
            case _:
                yield step


def _get(key, now_s):
    return Read("get", (key, now_s))


def _put(draw, key, dies_s):
    return Call("put", (key, draw.whole(11, 99), dies_s))


class Told:
    def room_for_all(draw):
        """Nothing was full, and something was not found."""
        # Everything fits; somebody asks for what was never put.
        count, now_s = draw.whole(2, 4), draw.whole(10, 90)
        *held, stranger = draw.shuffled("abcdefgh")[: count + 1]
        yield New((count,))
        for key in held:
            yield _put(draw, key, now_s + LONG_S)
        for key in (*held, *draw.shuffled(held)):
            yield _get(key, now_s)
        yield _get(stranger, now_s)

    def one_too_many(draw):
        """The cache grew, or threw away what it should keep."""
        # One more than there is room for.
        count, now_s = draw.whole(2, 4), draw.whole(10, 90)
        oldest, *held, newcomer = draw.shuffled("abcdefgh")[: count + 1]
        yield New((count,))
        for key in (oldest, *held, newcomer):
            yield _put(draw, key, now_s + LONG_S)
        for key in (newcomer, *held, oldest):
            yield _get(key, now_s)

    read_again = _of_the_drill("read again")
    in_one_moment = _of_the_drill("in one moment")

    def once_popular(draw):
        """What was read last week kept its place, and what is read today went."""
        # One was read often, and long ago; then the others are read, and a place is needed.
        names, now_s = draw.shuffled("abcdefgh"), draw.whole(10, 90)
        yield New((3,))
        for key in names[:3]:
            yield _put(draw, key, now_s + LONG_S)
        for _ in range(draw.whole(3, 4)):
            yield _get(names[0], now_s)
        for key in names[2:0:-1]:
            yield _get(key, now_s + 1)
        yield _put(draw, names[3], now_s + LONG_S)
        for key in names[:4]:
            yield _get(key, now_s + 2)

    def written_again(draw):
        """A value was written again. Another one was gone, or it was itself gone soon after."""
        # The cache is full, and the middle one is written again; then the oldest, and one more.
        names, now_s = draw.shuffled("abcdefgh"), draw.whole(10, 90)
        first, second, third, newcomer = names[:4]
        yield New((3,))
        for key in (first, second, third, second):
            yield _put(draw, key, now_s + LONG_S)
        for key in (first, third, second):
            yield _get(key, now_s + 1)
        for key in (first, newcomer):
            yield _put(draw, key, now_s + LONG_S)
        for key in (first, third, second, newcomer):
            yield _get(key, now_s + 2)

    not_there = _of_the_drill("not there")
    asked_often = _of_the_drill("asked often")
    too_old = _of_the_drill("too old")
    a_second_life = _of_the_drill("a second life")

    def copied_late(draw):
        """A value came late from the shared cache. It was thrown away at once, or it outlived the
        copy there."""
        # A value comes from the shared level with little of its life left, and dies there and here.
        now_s, left_s = draw.whole(10, 90), draw.whole(3, 9)
        early, other, late, newcomer = draw.shuffled("abcdefgh")[:4]
        yield New((3,))
        yield _put(draw, early, now_s + LONG_S)
        yield _put(draw, other, now_s + draw.whole(500, 900))
        yield _put(draw, late, now_s + left_s)
        yield _put(draw, newcomer, now_s + LONG_S)
        for key in (early, other, late, newcomer):
            yield _get(key, now_s + 1)
        yield _get(late, now_s + left_s - 1)
        yield _get(late, now_s + left_s)
        yield _get(other, now_s + left_s)
        yield _put(draw, late, now_s + left_s - 1)  # the shared level's clock is behind
        yield _get(late, now_s + left_s + 1)

    def a_place_given_back(draw):
        """Somebody asked for a value that was dead. Then a living one made room though a place was
        free, or none did though all were taken."""
        # All places are taken; one is asked for and dead, one comes, and all are taken again.
        now_s, names = draw.whole(10, 90), draw.shuffled("abcdefgh")
        first, dead, last, newcomer, one_more = names[:5]
        yield New((3,))
        yield _put(draw, first, now_s + LONG_S)
        yield _put(draw, dead, now_s + draw.whole(2, 9))
        yield _put(draw, last, now_s + LONG_S)
        yield _get(dead, now_s + 10)
        yield _put(draw, newcomer, now_s + LONG_S)
        for key in (first, dead, last, newcomer):
            yield _get(key, now_s + 11)
        yield _put(draw, one_more, now_s + LONG_S)
        for key in (first, last, newcomer, one_more):
            yield _get(key, now_s + 12)

    def two_caches(draw):
        """Two models had a cache each, of the same keys. One forgot what was put into the other."""
        # Another cache is told another value, and an earlier end.
        now_s, key = draw.whole(10, 90), draw.pick("abcdefgh")
        yield New((3,))
        yield _put(draw, key, now_s + LONG_S)
        yield Beside("put", (key, draw.whole(11, 99), now_s + draw.whole(2, 9)), made=(3,))
        yield _get(key, now_s + 10)

    def empty_values(draw):
        """A value was zero, or empty, and was computed again."""
        # Some values are zero or empty.
        now_s, keys = draw.whole(10, 90), draw.shuffled("abcdefgh")[:4]
        yield New((5,))
        for key, value in zip(keys, draw.shuffled([0, "", False, draw.whole(1, 9)])):
            yield Call("put", (key, value, now_s + LONG_S))
        for key in draw.shuffled(keys):
            yield _get(key, now_s)

    hit_rate = _of_the_drill("hit rate")

    def why_they_went(draw):
        """The page showed evictions, somebody bought memory, and nothing changed."""
        # One is overwritten, some make room, one is found dead.
        now_s, names = draw.whole(10, 90), draw.shuffled("abcdefgh")
        first, second, dying = names[:3]
        yield New((3,))
        yield _put(draw, first, now_s + LONG_S)
        yield _put(draw, second, now_s + LONG_S)
        yield _put(draw, dying, now_s + draw.whole(5, 9))
        yield _put(draw, second, now_s + LONG_S)
        yield COUNTS
        yield _get(dying, now_s + 20)
        yield _put(draw, names[3], now_s + LONG_S)
        yield COUNTS
        for key in names[4 : draw.whole(6, 8)]:
            yield _put(draw, key, now_s + LONG_S)
        yield COUNTS

    def all_day(draw):
        """The same three were asked for all day long, and in the evening the memory was full."""
        # What is kept for an order must not grow with the uses.
        now_s, names = draw.whole(10, 90), draw.shuffled("abcdefgh")[:3]
        yield New((3,))
        for key in names:
            yield _put(draw, key, now_s + LONG_S)
        for _ in range(draw.whole(250, 300)):
            yield Call("get", (draw.pick(names), now_s))
            yield _put(draw, draw.pick(names), now_s + LONG_S)
        yield Holds("vars", (1_000,))


STORIES = stories_in(Told)
