"""A mock made: which questions, how many minutes, and a design to sketch behind them."""

import random
import secrets
from collections.abc import Sequence
from math import ceil

from labutils.drills.asking.asking import Asking
from labutils.drills.interview.lineup import LONGEST, Story, lineup
from labutils.drills.interview.sitting import MINUTES, Mock
from labutils.drills.repetition.attempts import template_id
from labutils.drills.repetition.choosing import first_sound, matching
from labutils.exercises.display.at_once import at_once
from labutils.exercises.journal.journal import events
from labutils.ground.arguments import positive, whole

QUESTIONS = 10
DESIGN_MINUTES = 45
REMEMBERED = 2  # mocks whose questions do not come again


@at_once
def mock(
    *,
    seed: int | None = None,
    questions: int = QUESTIONS,
    minutes: float | None = None,
    level: int | None = None,
    form: str | None = None,
    decision: str | None = None,
    topics: str | Sequence[str] = (),
    rough: bool = False,
) -> Mock:
    """Begin a timed mock: ten questions in 25 minutes, levels and decisions mixed.

    The clock starts with the first question. The same ``seed`` asks the same questions; without
    one nothing comes that the last two mocks asked. ``level``, ``form``, ``decision``, ``topics``
    (ids such as "D07", or their first letters) and ``rough`` narrow the choice, as for ``drill``;
    where what is left needs more time than 25 minutes, there is more. Raises ``ValueError`` where
    nothing is all of this at once.
    """
    recent = set() if seed is not None else recently_asked()
    seed = secrets.randbelow(10**6) if seed is None else whole("seed", seed, at_least=0)
    number = whole("questions", questions)
    given = MINUTES if minutes is None else positive("minutes", minutes)
    draw, name = random.Random(f"mock/{seed}"), f"mock-{seed}-{secrets.token_hex(3)}"
    pool = matching(level=level, form=form, decision=decision, topics=topics, rough=rough)
    stories = lineup(pool, number, draw, minutes=given, recent=recent)
    planned = sum(story.minutes for story in stories)
    if minutes is None and planned > LONGEST * given:
        given = float(ceil(planned))
    asked = [asking for story in stories for asking in _questions(story, draw, name, rough)]
    return Mock(asked, minutes=given, design=draw.choice(_designs()))


def recently_asked() -> set[str]:
    """Ids of the templates that the last two mocks asked, as the journal tells."""
    by_mock: dict[str, set[str]] = {}
    for event in events():
        if event.get("mock") and (asked := template_id(event)):
            by_mock.setdefault(str(event["mock"]), set()).add(asked)
    return set().union(*list(by_mock.values())[-REMEMBERED:])


def _questions(story: Story, draw: random.Random, name: str, rough: bool) -> list[Asking]:
    """The questions of one story, each behind the one that it follows up."""
    seeds = iter(lambda: draw.randrange(1, 10**5), None)
    seed = first_sound(story.template, seeds)
    asked = [Asking(story.template, seed, mock=name, rough=rough)]
    while len(asked) < story.questions and (following := asked[-1].follow_up()):
        asked.append(following)
    return asked


def _designs() -> tuple[str, ...]:
    """The whiteboard's designs; its questions of ten minutes are no second part."""
    try:
        from labutils.drills.whiteboard import prompts
    except ImportError:  # an edition without them
        return ("",)
    return tuple(item.id for item in prompts() if item.minutes >= DESIGN_MINUTES)
