"""What happens to a batcher: the stories of the lab, five of which everybody gets asked about."""

from labutils.exercises.rehearsals.scene import Asks, AsyncStory, HangsUp, Opens, Scene
from labutils.exercises.trials.drawing import Draw

NAMES = ["c1", "c2", "c3", "c4", "c5", "c6", "c7", "c8", "c9", "c10"]


def _four(draw):
    """Four names in a random order, and when they ask, close together."""
    return list(zip(draw.times(4, 0, 9, digits=0), draw.shuffled(NAMES)[:4]))


def _ghost(draw):
    """Somebody who asks first, and hangs up while the batch still fills."""
    yield Asks(0, "gus")
    yield HangsUp(draw.whole(2, 9), "gus")


def _closed_browser(draw):
    """One hangs up in the line, and another one while the model works; others stand behind it."""
    yield Opens(4, draw.whole(30, 50) + 0.5)
    yield from _ghost(draw)
    four = [(10 + at_ms, name) for at_ms, name in _four(draw)]
    for at_ms, name in four:
        yield Asks(at_ms, name)
    yield HangsUp(four[-1][0] + draw.whole(5, 15), four[draw.whole(0, 2)][1])
    yield Asks(draw.whole(70, 99), "late")


def _short_answer(draw):
    """The model drops an item's result."""
    yield Opens(4, draw.whole(20, 40) + 0.5)
    four, lost = _four(draw), draw.whole(0, 3)
    for number, (at_ms, name) in enumerate(four):
        yield Asks(at_ms, name, habit="lost" if number == lost else "")
    yield Asks(draw.whole(60, 90), "late")


def _long_answer(draw):
    """The model splits an item in two."""
    yield Opens(4, draw.whole(20, 40) + 0.5)
    four, doubled = _four(draw), draw.whole(0, 3)
    for number, (at_ms, name) in enumerate(four):
        yield Asks(at_ms, name, habit="doubled" if number == doubled else "")
    yield Asks(draw.whole(60, 90), "late")


def _model_raises(draw):
    yield Opens(4, draw.whole(20, 40) + 0.5)
    four, bad = _four(draw), draw.whole(0, 3)
    for number, (at_ms, name) in enumerate(four):
        yield Asks(at_ms, name, habit="poison" if number == bad else "")
    yield Asks(draw.whole(60, 90), "late")


def _gone_and_raising(draw):
    """The model raises, and some of those who asked have hung up by then."""
    yield Opens(4, draw.whole(30, 50) + 0.5)
    yield from _ghost(draw)
    four, bad = [(10 + at_ms, name) for at_ms, name in _four(draw)], draw.whole(0, 3)
    for number, (at_ms, name) in enumerate(four):
        yield Asks(at_ms, name, habit="poison" if number == bad else "")
    leaves = draw.pick([number for number in range(3) if number != bad])
    yield HangsUp(four[-1][0] + draw.whole(5, 15), four[leaves][1])
    yield Asks(draw.whole(70, 99), "late")


def _long_batch(draw):
    """Somebody comes while the model works, and waits from then on."""
    yield Opens(2, draw.whole(30, 50) + 0.5, fixed_ms=draw.whole(100, 140) + 0.25)
    first, second, third = draw.shuffled(NAMES)[:3]
    yield Asks(0, first)
    yield Asks(draw.whole(1, 9), second)
    yield Asks(draw.whole(15, 45), third)


def _flood(draw):
    """More come than there is room for in the line; those in work take no room in it."""
    room = draw.whole(3, 4)
    yield Opens(2, 15.5, max_waiting=room, fixed_ms=draw.whole(60, 80) + 0.25)
    crowd = draw.shuffled(NAMES)[: room + 4]
    for at_ms, name in zip(draw.times(room + 4, 0, 40, digits=0), crowd):
        yield Asks(at_ms, name)
    yield Asks(draw.whole(90, 99), "late")


def _gives_up(draw):
    """Somebody hangs up while still in the line, and makes room for the next."""
    yield Opens(5, 60.5, max_waiting=3)
    a, b, c, d = draw.shuffled(NAMES)[:4]
    for at_ms, name in zip(draw.times(3, 0, 12, digits=0), (a, b, c)):
        yield Asks(at_ms, name)
    yield HangsUp(draw.whole(14, 20), draw.pick((a, b, c)))
    yield Asks(draw.whole(22, 40), d)


def _in_a_hurry(draw):
    """Who is in a hurry says so, and does not wait behind those who are not."""
    yield Opens(2, draw.whole(60, 80) + 0.5)
    yield Asks(0, "c1")
    yield Asks(draw.whole(1, 5), "c2")
    calm = draw.times(2, 7, 18, digits=0)
    yield Asks(calm[0], "c3")
    yield Asks(calm[1], "c4")
    yield Asks(20, "c5", patience_ms=draw.whole(1, 9) + 0.5)


def _at_once(draw):
    """A patience of zero is a patience: this one leaves as soon as the device is free."""
    yield Opens(4, draw.whole(60, 80) + 0.5)
    calm, hurried = draw.shuffled(NAMES)[:2]
    yield Asks(0, calm)
    yield Asks(draw.whole(5, 20), hurried, patience_ms=0)


def _quiet_night(draw):
    """One or two, and no more: the window of the oldest, and not a moment longer."""
    yield Opens(draw.whole(4, 9), draw.whole(20, 40) + 0.5)
    first, second = draw.shuffled(NAMES)[:2]
    yield Asks(0, first)
    yield Asks(draw.whole(3, 15), second)
    yield Asks(draw.whole(130, 160), "late")


def _after_a_long_batch(draw):
    """Who has waited for longer than the window goes as soon as the machine is free."""
    yield Opens(3, draw.whole(20, 40) + 0.5, fixed_ms=draw.whole(100, 130) + 0.25)
    for at_ms, name in zip((0, 1, 2), draw.shuffled(NAMES)[:3]):
        yield Asks(at_ms, name)
    yield Asks(draw.whole(20, 50), "late")


def _rush(draw):
    """Full batches leave at once, and who is left over waits for a window of their own."""
    most = draw.whole(2, 3)
    yield Opens(most, draw.whole(70, 90) + 0.5, fixed_ms=5.25)
    names = draw.shuffled(NAMES)[: 2 * most + 1]
    for at_ms, name in zip(draw.times(2 * most + 1, 0, 40, digits=0), names):
        yield Asks(at_ms, name)


def _impatient(draw):
    """One of those who wait is in a hurry: the batch leaves when the first is due."""
    yield Opens(6, draw.whole(70, 90) + 0.5)
    first, second = draw.shuffled(NAMES)[:2]
    yield Asks(0, first)
    yield Asks(draw.whole(5, 20), second, patience_ms=draw.whole(5, 20) + 0.5)
    yield Asks(draw.whole(42, 48), "late")


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
    _short_answer,
    "The model dropped an empty document and returned a result too few. Somebody got the answer of "
    "somebody else.",
)
LONG_ANSWER = AsyncStory(
    "the long answer",
    _long_answer,
    "The model split a document in two and returned a result too many. Nobody noticed, except "
    "those who got the wrong one.",
)
MODEL_RAISES = AsyncStory(
    "the model raises",
    _model_raises,
    "The model could not read one item and raised. Support calls came from people whose pages were "
    "still loading.",
)
GONE_AND_RAISING = AsyncStory(
    "an error, and a closed browser",
    _gone_and_raising,
    "The model raised, and one of the batch had hung up before. That was the last batch of the "
    "day.",
)
LONG_BATCH = AsyncStory(
    "the long batch",
    _long_batch,
    "A batch took long. Who came meanwhile was late although the window had passed.",
)
FLOOD = AsyncStory(
    "the flood",
    _flood,
    "A crawler came. Everybody was accepted, and soon nobody was answered before giving up.",
)
GIVES_UP = AsyncStory(
    "gives up in the line",
    _gives_up,
    "Somebody hung up while still waiting. The place stayed taken, and the next one was sent away.",
)
IN_A_HURRY = AsyncStory(
    "in a hurry",
    _in_a_hurry,
    "Somebody had said how little time there was, and went with the last.",
)
AT_ONCE = AsyncStory(
    "not a moment to lose",
    _at_once,
    "Somebody wanted no company at all, said so, and waited as long as everybody else.",
)
QUIET_NIGHT = AsyncStory(
    "a quiet night",
    _quiet_night,
    "Two came in an empty night. The answer was promised after a window and a batch.",
)
AFTER_A_LONG_BATCH = AsyncStory(
    "after a long batch",
    _after_a_long_batch,
    "The machine became free, somebody was late already, and it did nothing.",
)
RUSH = AsyncStory("a rush", _rush, "In the rush, a full batch stood and waited.")
IMPATIENT = AsyncStory(
    "one of them is in a hurry",
    _impatient,
    "A request with little patience shared the line with one that had much.",
)
ONE_BAD_APPLE = AsyncStory(
    "one bad apple",
    _one_bad_apple,
    "One item that nobody can read, and the whole batch got errors, again at every retry.",
)
ALONE_AND_BAD = AsyncStory(
    "alone, and bad", _alone_and_bad, "The bad item was alone, and nothing was left to try."
)
NOT_ASKED_FOR = AsyncStory(
    "nobody asked for a second try",
    _not_asked_for,
    "The model charges for each item. Good items were computed twice although nobody wanted it.",
)

FIVE = (CLOSED_BROWSER, SHORT_ANSWER, GONE_AND_RAISING, FLOOD, LONG_BATCH)
"""The stories that every batcher has to survive."""

ONE_CANCEL = Scene(
    Opens(8, 30.5, fixed_ms=40.25),
    (
        *(Asks(at_ms, name) for at_ms, name in zip((0, 2, 4, 6), NAMES)),
        HangsUp(15, NAMES[0]),
        Asks(90, "late"),
    ),
)
"""Four share a batch, and the first of them hangs up before it starts."""


def told(story: AsyncStory, seed: int) -> Scene:
    """One telling of a story, with the numbers that a seed gives."""
    return story.told(Draw(seed))
