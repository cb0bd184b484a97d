"""Which drill comes next: what is due, then what is new and reached, never twice one subject."""

import random
import re
from collections.abc import Iterable, Sequence
from itertools import islice

from labutils.drills.catalog import find, templates
from labutils.drills.definition.template import Decision, Form, Template
from labutils.drills.repetition.recall import PREFIX, is_known, recalls
from labutils.drills.repetition.schedule import Schedule, reached_topics
from labutils.exercises.journal.journal import events

RECENT = 5
ROUGH_FORMS = (Form.number, Form.chain)  # a minute is too short to read a dashboard
_UNFORESEEN = random.SystemRandom()


def matching(
    *,
    level: int | None = None,
    form: str | None = None,
    decision: str | None = None,
    topics: str | Sequence[str] = (),
    rough: bool = False,
) -> tuple[Template, ...]:
    """The templates of that level, form and decision; only those for one figure if ``rough``.

    ``topics`` are ids, or their first letters, in a list or in one text: a template needs one of
    them. Raises ``ValueError`` for a level, form or decision that does not exist, and where no
    template is all of this at once.
    """
    if level not in (None, 1, 2, 3, 4):
        raise ValueError(f"level = {level!r}: expected 1, 2, 3 or 4")
    form, decision = _member(Form, "form", form), _member(Decision, "decision", decision)
    said = topics if isinstance(topics, str) else " ".join(topics)
    wanted = tuple(re.findall(r"\w+", said.upper()))
    found = tuple(
        item
        for item in templates()
        if level in (None, item.level)
        and form in (None, item.form)
        and decision in (None, item.decision)
        and (not wanted or any(id.startswith(wanted) for id in item.topics))
        and (not rough or (item.rough and item.form in ROUGH_FORMS))
    )
    if not found:
        raise ValueError("no drill is all of this at once: leave one of the wishes out")
    return found


def _member(kind, name: str, wanted: str | None):
    """The member of an enumeration, by name or by value."""
    if wanted is None:
        return None
    for item in kind:
        if str(wanted).casefold() in (item.name, item.value):
            return item
    raise ValueError(f"{name} = {wanted!r}: expected {', '.join(item.name for item in kind)}")


def next_template(
    candidates: Sequence[Template],
    *,
    schedule: Schedule | None = None,
    recall: bool = False,
    seed: int | None = None,
) -> Template:
    """The one whose turn it is: due, then new and reached, then new, then the next to be due.

    It is not akin to the last one, and none of the last few comes again, wherever anything else is
    left. ``recall`` lets predictions come back too.
    ``seed`` makes the choice among equals repeatable.
    """
    schedule = schedule or Schedule.read()
    tiers = _tiers(candidates, schedule, recall=recall)
    last = schedule.asked[-RECENT:]
    source = _UNFORESEEN if seed is None else random.Random(seed)
    for shunned in (_like_the_last(schedule, last), set(last), set(last[-1:]), set()):
        for tier in tiers:
            left = [item for item in tier if item.id not in shunned and _can_be_asked(item)]
            if left:
                return source.choice(left)
    raise ValueError("candidates = (): expected at least one template")


def named(template_id: str) -> Template:
    """The template of that id, predictions that came back included ("recall_…").

    Raises ``UnknownDrillError``, a ``ValueError`` that names close ones.
    """
    if str(template_id).startswith(PREFIX):
        found = recalls(events()).get(template_id)
        if found and is_known(found):
            return found
    return find(template_id)


def first_sound(template: Template, seeds: Iterable[int]) -> int:
    """The first of ``seeds`` for which the template finds good numbers; endless ``seeds`` will do.

    One in many thousands may find none, which is no reason to stop an interview.
    """
    for seed in islice(seeds, 50):
        try:
            template.drill(seed)
        except RuntimeError:
            continue
        return seed
    raise RuntimeError(f"drill {template.id!r}: no good numbers for any of 50 seeds")


def akin(one: Template, two: Template) -> bool:
    """Whether two templates are of one subject: they share a module of the catalog, or a topic."""
    same_module = one.make.__module__ == two.make.__module__
    return same_module or bool(set(one.topics) & set(two.topics))


def _tiers(
    candidates: Sequence[Template], schedule: Schedule, *, recall: bool
) -> list[list[Template]]:
    """Groups of templates, the most urgent first; within a group all are equally welcome."""
    wanted = {item.id for item in candidates}
    if recall:
        wanted |= {item.id for item in schedule.known.values() if item.id.startswith(PREFIX)}
    new = [item for item in candidates if item.id not in schedule.due_at]
    reached = reached_topics(schedule.log) if new else set()
    return [
        [item for item in schedule.due if item.id in wanted],
        [item for item in new if reached & set(item.topics)],
        _easiest(new),
        new,
        [item for item in schedule.later if item.id in wanted][:1],
        [item for item in schedule.later if item.id in wanted],
    ]


def _easiest(items: list[Template]) -> list[Template]:
    """Those of the lowest two levels that are left: nobody begins with the hardest."""
    lowest = min((item.level for item in items), default=0)
    return [item for item in items if item.level <= lowest + 1]


def _can_be_asked(template: Template) -> bool:
    """A prediction that the course has dropped cannot."""
    return not template.id.startswith(PREFIX) or is_known(template)


def _like_the_last(schedule: Schedule, last: list[str]) -> set[str]:
    """The last few, and everything akin to the very last."""
    before = [schedule.known[name] for name in last[-1:]]
    return set(last) | {
        key for key, item in schedule.known.items() if any(akin(item, one) for one in before)
    }
