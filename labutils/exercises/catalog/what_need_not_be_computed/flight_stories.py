"""Stories about computations that several askers share: who asks, who leaves, what comes of it."""

from labutils.exercises.rehearsals.flights import Computes
from labutils.exercises.rehearsals.scene import Asks, AsyncStory, HangsUp

NAMES = ["c1", "c2", "c3", "c4", "c5", "c6", "c7", "c8"]
KEYS = ["hours", "prices", "refund", "stock"]
ALIKE = ["7", 7, "price", "prices", "Price"]


def _askers(draw, count, *, key, at_most_ms=9, **options):
    """So many who ask for a key, close together, in order of time."""
    times = draw.times(count, 0, at_most_ms, digits=0)
    return [Asks(at_ms, name, key=key, **options) for at_ms, name in zip(times, NAMES)]


def _takes(draw):
    return draw.whole(30, 60) + 0.25


def _crowd(draw):
    """Many ask for the same thing at about the same time, and two in the same moment."""
    yield Computes(_takes(draw))
    first, *others = _askers(draw, draw.whole(3, 6), key=draw.pick(KEYS))
    yield from (first, Asks(first.at_ms, "twin", key=first.key), *others)


def _two_keys(draw):
    """Different things, some of which look much alike."""
    yield Computes(_takes(draw))
    keys = draw.shuffled(ALIKE)
    for asks, key in zip(_askers(draw, 8, key=""), (*keys, *draw.shuffled(keys))):
        yield Asks(asks.at_ms, asks.name, key=key)


def _once_more(draw):
    """Somebody asks when all is over."""
    yield Computes(_takes(draw))
    key = draw.pick(KEYS)
    yield from _askers(draw, 2, key=key)
    yield Asks(draw.whole(90, 120), "late", key=key)


def _database_down(draw):
    """The computation fails, and the next one does not."""
    yield Computes(_takes(draw), down_until_ms=80.5)
    key = draw.pick(KEYS)
    yield from _askers(draw, 3, key=key)
    yield Asks(draw.whole(90, 120), "late", key=key)


def _at_once_again(draw):
    """The computation fails, and everybody who hears so asks again at once."""
    yield Computes(_takes(draw), down_until_ms=20.5)
    yield from _askers(draw, 3, key=draw.pick(KEYS), again=True)


def _one_leaves(draw):
    """One of three hangs up, not the first."""
    yield Computes(_takes(draw))
    three = _askers(draw, 3, key=draw.pick(KEYS))
    yield from three
    yield HangsUp(draw.whole(12, 25), draw.pick(three[1:]).name)


def _first_leaves(draw):
    """The one who asked first hangs up; somebody comes after that, and one when all is over."""
    yield Computes(_takes(draw))
    key = draw.pick(KEYS)
    yield from _askers(draw, 3, key=key)
    yield HangsUp(draw.whole(12, 17), "c1")
    yield Asks(draw.whole(18, 25), "late", key=key)
    yield Asks(draw.whole(110, 130), "after", key=key)


def _all_leave(draw):
    """All hang up: of one key's two askers the first one first, of another key's the last one.

    Somebody comes much later.
    """
    yield Computes(_takes(draw))
    one, other = draw.shuffled(KEYS)[:2]
    for asks, key in zip(_askers(draw, 4, key=""), (one, one, other, other)):
        yield Asks(asks.at_ms, asks.name, key=key)
    for at_ms, name in zip(draw.times(4, 12, 25, digits=0), ("c1", "c4", "c2", "c3")):
        yield HangsUp(at_ms, name)
    yield Asks(draw.whole(90, 120), "late", key=draw.pick([one, other]))


def _just_then(draw):
    """All have hung up, the computation is about to stop, and somebody comes just then.

    One more comes when the old one has stopped and the new one still works.
    """
    yield Computes(draw.whole(60, 80) + 0.25, stops_ms=draw.whole(10, 14) + 0.5)
    key, leaves_ms = draw.pick(KEYS), draw.whole(12, 20)
    yield Asks(draw.whole(0, 9), "c1", key=key)
    yield HangsUp(leaves_ms, "c1")
    yield Asks(leaves_ms + draw.whole(2, 8), "c2", key=key)
    yield Asks(leaves_ms + draw.whole(20, 40), "late", key=key)


def _nothing_found(draw):
    """The results are None, 0 and an empty text."""
    keys = draw.shuffled(KEYS)[:3]
    yield Computes(_takes(draw), results=dict(zip(keys, (None, 0, ""))))
    for asks, key in zip(_askers(draw, 6, key=""), (*keys, *draw.shuffled(keys))):
        yield Asks(asks.at_ms, asks.name, key=key)


def _long_report(draw):
    """A computation of a minute and more; somebody joins it near its end."""
    yield Computes(draw.whole(61_000, 63_000) + 0.25)
    key = draw.pick(KEYS)
    yield from _askers(draw, 2, key=key)
    yield Asks(60_000, "late", key=key)


def _long_day(draw):
    """One computation fails, one is left by everybody, one ends well; then we look what remains."""
    yield Computes(_takes(draw), down_until_ms=20.5, looks_after=True)
    page = draw.whole(1_000, 99_999)  # nobody has asked for these before
    failing, left, ending = (f"page {page + number}" for number in range(3))
    yield from _askers(draw, 2, key=failing)
    yield Asks(draw.whole(21, 25), "c3", key=left)
    yield HangsUp(draw.whole(26, 35), "c3")
    for name in NAMES[3:5]:
        yield Asks(draw.whole(90, 99), name, key=ending)


CROWD = AsyncStory(
    "a crowd",
    _crowd,
    "A page became popular. It showed in the database, or in how long the visitors waited.",
)
TWO_KEYS = AsyncStory(
    "two questions",
    _two_keys,
    "Two people asked two things. Somebody got the wrong answer, or late.",
)
ONCE_MORE = AsyncStory(
    "once more", _once_more, "The opening hours changed at noon. Later visitors read the old ones."
)
DATABASE_DOWN = AsyncStory(
    "the database is down",
    _database_down,
    "The database failed for a moment. Some pages still load, or still show that error.",
)
AT_ONCE_AGAIN = AsyncStory(
    "at once again",
    _at_once_again,
    "The database failed and was back at once. Every client tried again at once, and not all of "
    "them got what they should.",
)
ONE_LEAVES = AsyncStory(
    "a closed tab", _one_leaves, "One of three closed the tab. It was not the only one to notice."
)
FIRST_LEAVES = AsyncStory(
    "the first one leaves",
    _first_leaves,
    "The one who had asked first closed the tab. Others noticed, or the database did.",
)
ALL_LEAVE = AsyncStory(
    "all leave", _all_leave, "Everybody closed the tab. What happens in the database now?"
)
JUST_THEN = AsyncStory(
    "just then",
    _just_then,
    "The last one left, and somebody came a moment later. The visit did not go as it should.",
)
NOTHING_FOUND = AsyncStory(
    "nothing found",
    _nothing_found,
    "The database found nothing and said so. Not everybody who asked was told, or not in time.",
)
LONG_REPORT = AsyncStory(
    "a long report",
    _long_report,
    "A report takes a minute to compute. It was computed, and not everybody who waited got it.",
)
LONG_DAY = AsyncStory(
    "a long day",
    _long_day,
    "Everybody heard what they should all day long, and in the evening the memory was full.",
)

ALL = (
    CROWD, TWO_KEYS, ONCE_MORE, NOTHING_FOUND, DATABASE_DOWN, ONE_LEAVES, FIRST_LEAVES, ALL_LEAVE,
    JUST_THEN, AT_ONCE_AGAIN, LONG_REPORT, LONG_DAY,
)  # fmt: skip
