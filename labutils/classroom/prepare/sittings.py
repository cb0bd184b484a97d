"""A plan as a class lives it: who sits at which notebook, from when to when."""

from dataclasses import dataclass, replace

from labutils.classroom.prepare.plans import Part, Plan


@dataclass(frozen=True)
class Sitting:
    """One piece of the day, in minutes since it began.

    ``kind`` is notebook, talk, break or slack. ``label`` names a notebook (``03``), of which the
    class does the minutes ``first`` to ``last``; 0 stands for a whole chapter's last.
    """

    kind: str
    begins: int
    ends: int
    label: str = ""
    first: int = 0
    last: int = 0


def sittings(plan: Plan) -> tuple[Sitting, ...]:
    """The rows of a plan in order; stretches of one notebook that follow each other are one."""
    found: list[Sitting] = []
    for row in plan.rows:
        for part in row.parts:
            new = _sitting(part, row.at, row.at + row.minutes)
            if found and new.label and _goes_on(found[-1], new):
                found[-1] = replace(found[-1], ends=new.ends, last=new.last)
            else:
                found.append(new)
    return tuple(found)


def labels(plan: Plan) -> tuple[str, ...]:
    """The notebooks of a plan in order; 00 comes first on a first day: it shows the receipt."""
    first = () if plan.after else ("00",)
    return tuple(dict.fromkeys((*first, *(s.label for s in sittings(plan) if s.label))))


def clock(minutes: int, start: int = 0) -> str:
    """A time of the day.

    >>> clock(67), clock(67, start=13 * 60 + 30)
    ('1:07', '14:37')
    """
    hours, rest = divmod(start + minutes, 60)
    return f"{hours}:{rest:02}"


def _sitting(part: Part, begins: int, ends: int) -> Sitting:
    if part.kind in ("talk", "break", "slack"):
        return Sitting(part.kind, begins, ends)
    return Sitting("notebook", begins, ends, part.name, part.first, part.last)


def _goes_on(before: Sitting, new: Sitting) -> bool:
    return (before.label, before.last) == (new.label, new.first)
