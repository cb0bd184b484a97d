"""A drill in a notebook: ``session = drill()``, then ``.check``, ``.hint``, ``.reveal``."""

import secrets
from collections.abc import Mapping, Sequence

from labutils.drills.asking.asking import Asking
from labutils.drills.definition.drill import Drill
from labutils.drills.definition.template import Template
from labutils.drills.repetition.choosing import first_sound, matching, named, next_template
from labutils.drills.repetition.schedule import Schedule
from labutils.exercises.definition.verdict import Verdict
from labutils.exercises.display.at_once import at_once
from labutils.exercises.display.card import Card, Prose, Shown
from labutils.exercises.journal.journal import record
from labutils.ground.arguments import whole

LARGEST_SEED = 99_999


class Session(Shown):
    """A drill with its numbers; shows its question. Each method shows and returns a card.

    ``asking`` is the same without anything shown: for a face of another kind.
    """

    def __init__(self, asking: Asking):
        self.asking = asking

    @property
    def template(self) -> Template:
        """What kind of question it is: title and topics are for after the answer."""
        return self.asking.template

    @property
    def drill(self) -> Drill:
        """The question with its numbers, the answer included."""
        return self.asking.drill

    @property
    def seed(self) -> int:
        return self.asking.seed

    @property
    def link(self) -> int:
        """Place in the chain of follow-ups; 0 is the first question."""
        return self.asking.link

    @property
    def is_done(self) -> bool:
        """Whether the answer was found, or revealed."""
        return self.asking.is_done

    @property
    def has_follow_up(self) -> bool:
        """Whether the story goes on."""
        return self.asking.has_follow_up

    def card(self) -> Card:
        return self.asking.prompt()

    @at_once
    def predict(self, low=..., high=...) -> Card:
        """Commit to a range that you are 80 % sure of; numbers or text with units."""
        return self.asking.predict(low, high)

    @at_once
    def bound(self, *, at_least=..., at_most=...) -> Card:
        """Commit to a bound that you find in your head, one for each side."""
        return self.asking.bound(at_least=at_least, at_most=at_most)

    @at_once
    def check(self, answer=..., choice=None, **steps) -> Verdict:
        """Judge an answer: a number, text with a unit, a letter; ``...`` is no attempt.

        Where a number and a choice are asked: ``check("40 ms", choice="b")``. ``steps`` are
        intermediate results by name: the first wrong one is where the error lies.
        """
        return self.asking.check(answer, choice, **steps)

    @at_once
    def hint(self) -> Card:
        """The next of three hints; the first reacts to your last wrong answer."""
        return self.asking.hint()

    @at_once
    def reveal(self) -> Card:
        """The worked solution with these numbers."""
        return self.asking.reveal()

    @at_once
    def again(self, *, seed: int | None = None) -> "Session":
        """The same kind of question with new numbers."""
        return Session(
            self.asking.again(new_seed(self.template, self.seed) if seed is None else seed)
        )

    @at_once
    def follow_up(self) -> "Session | Card":
        """The next question of the same story; closed until this one is done."""
        following = self.asking.follow_up()
        if following is None:
            return Card("The end", (Prose("The story ends with this question."),), "neutral")
        return Session(following)


@at_once
def drill(
    template_id: str | None = None,
    *,
    seed: int | None = None,
    level: int | None = None,
    form: str | None = None,
    decision: str | None = None,
    topics: str | Sequence[str] = (),
    rough: bool = False,
    until: str | None = None,
) -> Session:
    """Ask a drill: the one named, or the one whose turn it is.

    ``level`` (1 to 4), ``form`` ("chain", "dashboard", "flaw", …) and ``decision`` ("limit", …),
    ``topics`` (ids, or their first letters) narrow the choice; ``rough`` asks for one
    significant figure in 60 seconds. ``until``, the day of an interview such as "2026-12-04", lets
    all that was met come back before it. The same ``seed`` gives the same numbers. Raises
    ``ValueError`` for an id, a form, a level or a day that does not exist.
    """
    wishes = {"level": level, "form": form, "decision": decision, "topics": topics, "rough": rough}
    return Session(begin(template_id, seed=seed, wishes=wishes, until=until))


def begin(
    template_id: str | None = None,
    *,
    seed: int | None = None,
    wishes: Mapping | None = None,
    terminal: bool = False,
    until: str | None = None,
) -> Asking:
    """What ``drill`` asks, with nothing shown; ``wishes`` are its other arguments by name."""
    if seed is not None:
        seed = whole("seed", seed, at_least=0)
    wishes = {name: wish for name, wish in (wishes or {}).items() if wish}
    if template_id is not None:
        template = named(template_id)
    else:
        schedule = Schedule.read(until=until)
        template = next_template(matching(**wishes), schedule=schedule, recall=not wishes)
    seed = new_seed(template) if seed is None else seed
    if template_id is None:
        record({"event": "drill_asked", "id": f"drill.{template.id}", "seed": seed})
    return Asking(template, seed, rough=bool(wishes.get("rough")), terminal=terminal)


def new_seed(template: Template, old: int | None = None) -> int:
    """A seed that no program can foresee, other than ``old``, for which there are good numbers."""
    return first_sound(template, (s for s in iter(_unforeseen, None) if s != old))


def _unforeseen() -> int:
    return 1 + secrets.randbelow(LARGEST_SEED)
