"""What happens to a batcher: the five stories that every one has to survive, and a scene."""

from labutils.exercises.comparing.drawing import Draw
from labutils.exercises.rehearsals.scene import Asks, AsyncStory, HangsUp, Opens, Scene

from .batch_stories import CLOSED_BROWSER, GONE_AND_RAISING, LONG_BATCH, NAMES, SHORT_ANSWER
from .queue_stories import FLOOD

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
