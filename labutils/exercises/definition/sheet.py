"""An exercise as a sheet: its prose stands as prose, and a wrong answer carries its message.

A module's docstring (or any string) is the sheet: ``id · title · 6 minutes`` (``, optional``) on
its first line, then the three hints, marked ``>``, and the explanation in paragraphs. Each function
or class under ``@mistakes`` is a wrong answer: its name is the mistake's name, its
docstring what the learner hears.

>>> mistakes = Mistakes()
>>> @mistakes
... def rounded_down(tokens):
...     '''You round down. What happens to the last, half-filled page?'''
...     return tokens // 16
>>> mistakes[0].name, mistakes[0].message
('rounded-down', 'You round down. What happens to the last, half-filled page?')
"""

import re
from collections.abc import Callable

from labutils.exercises.definition.exercise import Checker, Exercise, Misconception
from labutils.sheets import SheetError, parts

_TITLE = re.compile(
    r"(?P<id>\S+) · (?P<title>.+) · (?P<minutes>\d+) minutes?(?P<optional>, optional)?"
)


class Mistakes(list[Misconception]):
    """Wrong answers, in the order in which they are tried for a name."""

    def __call__(self, answer: Callable) -> Callable:
        """Add a function or a class by its name and docstring; used as a decorator."""
        if not (answer.__doc__ or "").strip():
            raise SheetError(f"{answer.__name__}: expected a docstring, which the learner hears")
        self.add(_words(answer.__name__), answer, answer.__doc__)
        return answer

    def add(self, name: str, answer: Callable, message: str) -> None:
        """Add one that has no function of its own."""
        self.append(Misconception(name, answer, " ".join(message.split())))


def _words(name: str) -> str:
    """``rounded_down`` or ``RoundedDown`` as ``rounded-down``."""
    apart = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", name.strip("_"))
    return apart.replace("_", "-").lower()


def exercise(sheet: str, checker: Checker, **more) -> Exercise:
    """The exercise of a sheet; ``more`` are other fields of ``Exercise``, ``workings`` say."""
    first, *rest = parts(sheet, ">")
    named = _TITLE.fullmatch(first.text)
    if not named:
        raise first.error("expected «id · title · 6 minutes», «, optional» at its end or not")
    hints = tuple(part.text for part in rest if part.mark)
    if len(hints) != 3:
        raise SheetError(f"{named['id']}: expected three hints, not {len(hints)}")
    return Exercise(
        id=named["id"],
        title=named["title"],
        minutes=int(named["minutes"]),
        optional=bool(named["optional"]),
        checker=checker,
        hints=hints,
        explanation="\n\n".join(part.text for part in rest if not part.mark),
        **more,
    )
