"""Stories about the queue: who is let in, when a batch leaves, and who has gone by then."""

from labutils.exercises.rehearsals.scene import Asks, AsyncStory, HangsUp, Opens

from .batch_stories import NAMES


def _flood(draw):
    """More come than there is room for in the queue; those in work take no room in it."""
    # an odd number, and a window longer than two batches: the last one's deadline shows
    yield Opens(2, 180.5, max_waiting=draw.whole(3, 4), fixed_ms=draw.whole(60, 80) + 0.25)
    for at_ms, name in zip(draw.times(8, 0, 40, digits=0), draw.shuffled(NAMES)):
        yield Asks(at_ms, name)
    yield Asks(draw.whole(90, 99), "late")


def _gives_up(draw):
    """Somebody hangs up while still waiting, and makes room for the next."""
    yield Opens(5, 60.5, max_waiting=3)
    a, b, c, d = draw.shuffled(NAMES)[:4]
    for at_ms, name in zip(draw.times(3, 0, 12, digits=0), (a, b, c)):
        yield Asks(at_ms, name)
    yield HangsUp(draw.whole(14, 20), draw.pick((a, b, c)))
    yield Asks(draw.whole(22, 40), d)


def _in_a_hurry(draw):
    """A request in a hurry says so, and does not wait behind those that are not."""
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
    """A request that has waited for longer than the window goes once the machine is free."""
    yield Opens(3, draw.whole(20, 40) + 0.5, fixed_ms=draw.whole(100, 130) + 0.25)
    for at_ms, name in zip((0, 1, 2), draw.shuffled(NAMES)[:3]):
        yield Asks(at_ms, name)
    yield Asks(draw.whole(20, 50), "late")


def _rush(draw):
    """Full batches leave at once, and the one left over waits for a window of its own."""
    most = draw.whole(2, 3)
    yield Opens(most, draw.whole(70, 90) + 0.5, fixed_ms=5.25)
    names = draw.shuffled(NAMES)[: 2 * most + 1]
    for at_ms, name in zip(draw.times(2 * most + 1, 0, 40, digits=0), names):
        yield Asks(at_ms, name)


def _rush_at_a_busy_machine(draw):
    """By the time it looks more wait than fit into a batch, and nobody is due."""
    yield Opens(3, draw.whole(280, 320) + 0.5, fixed_ms=draw.whole(100, 130) + 0.25)
    names = draw.shuffled(NAMES)
    for at_ms, name in zip((0, 1, 2, *draw.times(5, 20, 80, digits=0)), names):
        yield Asks(at_ms, name)


def _impatient(draw):
    """One of those that wait is in a hurry: the batch leaves when the first is due."""
    yield Opens(6, draw.whole(70, 90) + 0.5)
    first, second = draw.shuffled(NAMES)[:2]
    yield Asks(0, first)
    yield Asks(draw.whole(5, 20), second, patience_ms=draw.whole(5, 20) + 0.5)
    yield Asks(draw.whole(42, 48), "late")


def _hurried_alone(draw):
    """The only one in an empty night is in a hurry."""
    yield Opens(draw.whole(3, 6), draw.whole(70, 90) + 0.5)
    yield Asks(0, draw.pick(NAMES), patience_ms=draw.whole(5, 20) + 0.5)


def _first_hangs_up(draw):
    """The first hangs up while waiting: now the second has waited longest."""
    yield Opens(draw.whole(3, 6), draw.whole(60, 80) + 0.5)
    first, second = draw.shuffled(NAMES)[:2]
    yield Asks(0, first)
    yield Asks(draw.whole(5, 9), second)
    yield HangsUp(draw.whole(12, 30), first)


FLOOD = AsyncStory(
    "the flood",
    _flood,
    "A crawler came. Everybody was accepted, and soon nobody was answered before giving up.",
)
GIVES_UP = AsyncStory(
    "gives up while waiting",
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
RUSH_AT_A_BUSY_MACHINE = AsyncStory(
    "a rush at a busy machine",
    _rush_at_a_busy_machine,
    "The machine became free, more than a batch stood there, and nothing left.",
)
IMPATIENT = AsyncStory(
    "one of them is in a hurry",
    _impatient,
    "A request with little patience shared the queue with one that had much.",
)
HURRIED_ALONE = AsyncStory(
    "in a hurry, and alone",
    _hurried_alone,
    "One request came in an empty night, in a hurry, and waited for company like any other.",
)
FIRST_HANGS_UP = AsyncStory(
    "the first hangs up",
    _first_hangs_up,
    "The request that had waited longest hung up, and the batch still left on its account.",
)
