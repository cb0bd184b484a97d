"""Which stories a mock asks, and how many questions of each.

An interviewer picks at random and keeps a few rules: one story in depth, one hard question, hardly
any letters, no subject twice, nothing of the last times. The deep and the hard story are drawn
first, each template as likely as another; the rest is drawn several times, and what keeps the rules
best is taken.
"""

import random
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

from labutils.drills.definition.template import Form, Template
from labutils.drills.repetition.choosing import akin

DRAWN = 12
DEEP, DEEPEST = 3, 4  # questions of the story in depth: at least, at most
HARD = 4  # the level of which one question is asked
TYPICAL_MINUTES = 2.5  # of a question
FOLLOW_UP_MINUTES = 1.5  # of each question behind the first of a story that is no chain
SHORTEST, LONGEST = 0.8, 1.08  # of the minutes of a mock


@dataclass(frozen=True)
class Story:
    """A template, and how many questions of its story are asked."""

    template: Template
    questions: int = 1

    @property
    def minutes(self) -> float:
        """A chain states the minutes of all its questions, another template those of the first."""
        own = self.template.minutes
        if self.template.form is Form.chain:
            return own * self.questions / len(letters(self.template))
        return own + FOLLOW_UP_MINUTES * (self.questions - 1)

    @property
    def num_letters(self) -> int:
        """Questions that are answered by a letter alone."""
        return sum(letters(self.template)[: self.questions])


@cache
def letters(template: Template) -> tuple[bool, ...]:
    """For each question of a template's story whether a letter is all that it asks."""
    found, drill = [], template.drill(0)
    while drill is not None:
        found.append(drill.answer is None)
        drill = drill.follow_up
    return tuple(found)


def lineup(
    candidates: Sequence[Template],
    questions: int,
    draw: random.Random,
    *,
    minutes: float,
    recent: Collection[str] = (),
) -> list[Story]:
    """Stories with ``questions`` questions in all for ``minutes``; ``recent`` are ids to avoid.

    The same ``draw`` gives the same stories. Rules that the candidates cannot keep are given up.
    """
    fresh = [item for item in candidates if item.id not in recent]
    pool = fresh if len(fresh) >= questions else list(candidates)
    left = draw.sample(pool, len(pool))
    deep = _take(left, lambda item: item.level < HARD and len(letters(item)) >= DEEP)
    fixed = [Story(item, min(len(letters(item)), DEEPEST)) for item in deep]
    has_letter = any(story.num_letters for story in fixed)
    hard = _take(
        left,
        lambda item: item.level == HARD and not (has_letter and Story(item).num_letters),
        fixed,
    )
    fixed += [Story(item) for item in hard]
    drawn = [_filled(fixed, left, questions, draw, LONGEST * minutes) for _ in range(DRAWN)]
    return min(drawn, key=lambda stories: _burden(stories, minutes))


def _filled(
    fixed: list[Story], pool: list[Template], questions: int, draw: random.Random, most: float
) -> list[Story]:
    """One line-up: the fixed stories, one with a second question, and others with one.

    None takes so long that those behind it would have to be short to end within ``most`` minutes.
    """
    left = draw.sample(pool, len(pool))
    has_letter = any(story.num_letters for story in fixed)
    second = _take(
        left,
        lambda item: (
            item.level < HARD
            and len(letters(item)) > 1
            and Story(item, 2).num_letters <= (0 if has_letter else 1)
        ),
        fixed,
    )
    stories = [*fixed, *(Story(item, 2) for item in second)]
    while (missing := questions - sum(story.questions for story in stories)) > 0:
        used = {story.template.id for story in stories}
        if used.issuperset(item.id for item in left) and (deeper := _deeper(stories)):
            stories = deeper
            continue
        spent = sum(story.minutes for story in stories)
        stories.append(Story(_next(left, stories, most - spent - TYPICAL_MINUTES * (missing - 1))))
    return _shortened(_in_order(stories), questions)


def _deeper(stories: list[Story]) -> list[Story]:
    """The stories with one question more, of the first that has one; empty where none has."""
    for at, story in enumerate(stories):
        if story.questions < len(letters(story.template)):
            more = Story(story.template, story.questions + 1)
            return [*stories[:at], more, *stories[at + 1 :]]
    return []


def _take(left: list[Template], fits, stories: Sequence[Story] = ()) -> list[Template]:
    fitting = [item for item in left if fits(item)]
    found = (_strange_to(stories, fitting) or fitting)[:1]
    for item in found:
        left.remove(item)
    return found


def _strange_to(stories: Sequence[Story], candidates: Sequence[Template]) -> list[Template]:
    """Those that are akin to none of the stories (see ``akin``), sought out at one go."""
    modules = {story.template.make.__module__ for story in stories}
    topics = {topic for story in stories for topic in story.template.topics}
    return [
        item
        for item in candidates
        if item.make.__module__ not in modules and topics.isdisjoint(item.topics)
    ]


def _next(left: list[Template], stories: list[Story], minutes: float) -> Template:
    """Of the next few that break no rule, and take no more than ``minutes`` where there are such.

    It is the one whose level and form were asked least.
    """
    ours = [story.template for story in stories]
    known = {item.id for item in ours}
    new = [item for item in left if item.id not in known]
    is_known = any(item.trivia for item in ours)
    has_letter = any(story.num_letters for story in stories)
    kept = [
        item
        for item in new
        if item.level < HARD
        and not (is_known and item.trivia)
        and not (has_letter and Story(item).num_letters)
    ]
    if not new:  # fewer templates than questions: other numbers
        return min(left or ours, key=ours.count)
    kept = _strange_to(stories, kept) or kept or new
    others = [item for item in kept if item.minutes <= minutes] or kept
    levels = Counter(item.level for item in ours)
    forms = _forms(ours)
    return min(others[:3], key=lambda item: levels[item.level] + forms[item.form])


def _in_order(stories: list[Story]) -> list[Story]:
    """An easy one first, the hardest near the end; the order among equals is the drawn one."""
    ranked = sorted(stories, key=lambda story: (story.template.level, story.questions > 1))
    return [*ranked[:1], *ranked[2:-1], *ranked[1:2], *ranked[-1:]] if len(ranked) > 3 else ranked


def _shortened(stories: list[Story], questions: int) -> list[Story]:
    """The stories with no more than so many questions in all."""
    found, left = [], questions
    for story in stories:
        if left:
            found.append(Story(story.template, min(story.questions, left)))
            left -= found[-1].questions
    return found


def _burden(stories: list[Story], minutes: float) -> float:
    """How badly a line-up keeps the rules; what counts most stands first."""
    templates = [story.template for story in stories]
    spent = sum(story.minutes for story in stories)
    outside = max(0.0, SHORTEST * minutes - spent, spent - LONGEST * minutes)
    decisions = Counter(item.decision for item in templates)
    return (
        100 * (len(templates) - len(set(templates)))
        + 30 * max(0, sum(story.num_letters for story in stories) - 1)
        + 30 * max(0, sum(item.trivia for item in templates) - 1)
        + 60 * outside
        + 8 * len({1, 2} - {item.level for item in templates})
        + 5 * sum(akin(one, two) for one, two in pairwise(templates))
        + max(3, *decisions.values())
        + max(_forms(templates).values())
    )


def _forms(templates: Sequence[Template]) -> Counter[Form]:
    """How often each form stands there; plain numbers, of which half may be, count half."""
    forms = Counter(item.form for item in templates)
    forms[Form.number] //= 2
    return forms
