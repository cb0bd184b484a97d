"""Stories about a batch in work: who gets which result, and what the model may do meanwhile."""

from labutils.exercises.rehearsals.scene import Asks, AsyncStory, HangsUp, Opens, Stops

NAMES = ["c1", "c2", "c3", "c4", "c5", "c6", "c7", "c8", "c9", "c10"]


def _four(draw):
    """Four names in a random order, and when they ask, close together."""
    return list(zip(draw.times(4, 0, 9, digits=0), draw.shuffled(NAMES)[:4]))


def _ghost(draw):
    """Somebody who asks first, and hangs up while the batch still fills."""
    yield Asks(0, "gus")
    yield HangsUp(draw.whole(2, 9), "gus")


def _closed_browser(draw):
    """One hangs up while waiting, and another one while the model works; others stand behind."""
    yield Opens(4, draw.whole(30, 50) + 0.5)
    yield from _ghost(draw)
    four = [(10 + at_ms, name) for at_ms, name in _four(draw)]
    for at_ms, name in four:
        yield Asks(at_ms, name)
    yield HangsUp(four[-1][0] + draw.whole(5, 15), four[draw.whole(0, 2)][1])
    yield Asks(draw.whole(70, 99), "late")


def _one_of_four(habit):
    """The model does to one item of four what its ``habit`` says."""

    def story(draw):
        yield Opens(4, draw.whole(20, 40) + 0.5)
        four, odd = _four(draw), draw.whole(0, 3)
        for number, (at_ms, name) in enumerate(four):
            yield Asks(at_ms, name, habit=habit if number == odd else "")
        yield Asks(draw.whole(60, 90), "late")

    return story


def _empty_result(draw):
    """The model finds nothing in two of the texts: its results are 0 and None."""
    yield Opens(4, draw.whole(20, 40) + 0.5)
    habits = draw.shuffled(["zero", "none", "", ""])
    for (at_ms, name), habit in zip(_four(draw), habits):
        yield Asks(at_ms, name, habit=habit)


def _gone_and(habit):
    """The model does to one item what its ``habit`` says; some who asked have hung up by then."""

    def story(draw):
        yield Opens(4, draw.whole(30, 50) + 0.5)
        yield from _ghost(draw)
        four, bad = [(10 + at_ms, name) for at_ms, name in _four(draw)], draw.whole(0, 3)
        for number, (at_ms, name) in enumerate(four):
            yield Asks(at_ms, name, habit=habit if number == bad else "")
        leaves = draw.pick([number for number in range(3) if number != bad])
        yield HangsUp(four[-1][0] + draw.whole(5, 15), four[leaves][1])
        yield Asks(draw.whole(70, 99), "late")

    return story


def _long_batch(draw):
    """Somebody comes while the model works, and waits from then on."""
    yield Opens(2, draw.whole(30, 50) + 0.5, fixed_ms=draw.whole(100, 140) + 0.25)
    first, second, third = draw.shuffled(NAMES)[:3]
    yield Asks(0, first)
    yield Asks(draw.whole(1, 9), second)
    yield Asks(draw.whole(15, 45), third)


def _shared_pool(draw):
    """Other code of the process holds every thread of the pool that everybody shares."""
    yield Opens(3, draw.whole(20, 40) + 0.5, pool_busy_ms=draw.whole(240, 320) + 0.75)
    first, second = draw.shuffled(NAMES)[:2]
    yield Asks(0, first)
    yield Asks(draw.whole(1, 9), second)


def _told_to_stop(draw):
    """The server shuts down in the middle of a batch: others wait, and one comes too late."""
    yield Opens(2, draw.whole(50, 70) + 0.5, fixed_ms=draw.whole(100, 140) + 0.25)
    first, second, third = draw.shuffled(NAMES)[:3]
    yield Asks(0, first)
    yield Asks(draw.whole(1, 9), second)
    yield Asks(draw.whole(15, 25), third)
    yield Stops(draw.whole(30, 45))
    yield Asks(draw.whole(170, 190), "late")


def _one_bad_apple(draw):
    """One item, or two, of a larger batch cannot be read."""
    size = draw.pick((3, 5, 6, 7))
    yield Opens(size, 30.5, options={"bisect": True})
    bad = draw.shuffled(range(size))[: draw.whole(1, 2)]
    names = draw.shuffled(NAMES)[:size]
    for number, at_ms in enumerate(draw.times(size, 0, 12, digits=0)):
        yield Asks(at_ms, names[number], habit="poison" if number in bad else "")


def _alone_and_bad(draw):
    """The bad item is alone in its batch."""
    yield Opens(4, draw.whole(5, 9) + 0.5, options={"bisect": True})
    yield Asks(0, draw.pick(NAMES), habit="poison")
    yield Asks(draw.whole(60, 70), "late")


def _stopped_halfway(draw):
    """The server shuts down while the first half of a batch that failed is tried."""
    size = draw.whole(2, 4)
    yield Opens(size, 30.5, options={"bisect": True})
    bad = draw.whole(0, size - 1)
    for number, at_ms in enumerate(draw.times(size, 0, 12, digits=0)):
        yield Asks(at_ms, NAMES[number], habit="poison" if number == bad else "")
    yield Stops(draw.whole(38, 40))
    yield Asks(draw.whole(90, 99), "late")


def _not_asked_for(draw):
    """Without the option the batch fails as one."""
    yield Opens(3, 30.5)
    for number, at_ms in enumerate(draw.times(3, 0, 12, digits=0)):
        yield Asks(at_ms, NAMES[number], habit="poison" if number == 1 else "")


CLOSED_BROWSER = AsyncStory(
    "a closed browser",
    _closed_browser,
    "One of four closed the browser while the model worked. Others lost their answers.",
)
SHORT_ANSWER = AsyncStory(
    "the short answer",
    _one_of_four("lost"),
    "The model dropped an empty document and returned a result too few. Somebody got the answer of "
    "somebody else.",
)
GONE_AND_SHORT = AsyncStory(
    "the short answer, and a closed browser",
    _gone_and("lost"),
    "The model returned a result too few, and one of the four had hung up. Others never heard, and "
    "nobody was served any more.",
)
LONG_ANSWER = AsyncStory(
    "the long answer",
    _one_of_four("doubled"),
    "The model split a document in two and returned a result too many. Nobody noticed, except "
    "those who got the wrong one.",
)
MODEL_RAISES = AsyncStory(
    "the model raises",
    _one_of_four("poison"),
    "The model could not read one item and raised. Support calls came from people whose pages were "
    "still loading.",
)
GONE_AND_RAISING = AsyncStory(
    "an error, and a closed browser",
    _gone_and("poison"),
    "The model raised, and one of the batch had hung up before. That was the last batch of the "
    "day.",
)
LONG_BATCH = AsyncStory(
    "the long batch",
    _long_batch,
    "A batch took long. A request that came meanwhile was late although its window had passed.",
)
EMPTY_RESULT = AsyncStory(
    "nothing found",
    _empty_result,
    "The model found nothing in a text and said so. The page that asked is still loading.",
)
SHARED_POOL = AsyncStory(
    "a crowd of downloads",
    _shared_pool,
    "Another part of the server downloaded files in threads. The GPU was idle, and batches waited.",
)
TOLD_TO_STOP = AsyncStory(
    "told to stop",
    _told_to_stop,
    "A deployment stopped the server in the middle of a batch. It went on as if nothing had been "
    "said.",
)
ONE_BAD_APPLE = AsyncStory(
    "one bad apple",
    _one_bad_apple,
    "One item that nobody can read, and the whole batch got errors, again at every retry.",
)
ALONE_AND_BAD = AsyncStory(
    "alone, and bad", _alone_and_bad, "The bad item was alone, and nothing was left to try."
)
STOPPED_HALFWAY = AsyncStory(
    "stopped halfway",
    _stopped_halfway,
    "A deployment stopped the server while the first half of a batch was tried. The other half "
    "never heard, or the server went on.",
)
NOT_ASKED_FOR = AsyncStory(
    "nobody asked for a second try",
    _not_asked_for,
    "The model charges for each item. Good items were computed twice although nobody wanted it.",
)
