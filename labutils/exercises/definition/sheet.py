"""An exercise as a sheet: its prose stands as prose, and a wrong answer carries its message.

A module's docstring (or any string) is the sheet: ``id · title · 6 minutes`` (``, optional``) on
its first line, then the three hints, marked ``>``, and the explanation in paragraphs. A wrong
answer is a function or a class: its name is the mistake's name, its docstring what the learner
hears. They stand together in a class, which is nothing but their place.

>>> class Wrong:
...     def rounded_down(tokens):
...         '''You round down. What happens to the last, half-filled page?'''
...         return tokens // 16
>>> [mistake] = mistakes_in(Wrong)
>>> mistake.name, mistake.message
('rounded-down', 'You round down. What happens to the last, half-filled page?')

Predictions are a sheet too; ``!`` marks what is said once the answer is known.

>>> predictions('''
... # little.docs · 1, at least 0
... ? How many documents are inside?
... = There are {} documents inside.
... ! Rate times stay.
... ''')[0].finding
'There are {} documents inside.'
"""

import functools
import re
import sys
from collections.abc import Callable, Iterable
from dataclasses import replace

from labutils.exercises.definition.exercise import Checker, Exercise, Misconception, Prediction
from labutils.ground.sheets import Part, SheetError, parts

_TITLE = re.compile(
    r"(?P<id>\S+) · (?P<title>.+) · (?P<minutes>\d+) minutes?(?P<optional>, optional)?"
)
_PREDICTED = re.compile(
    r"(?P<id>\S+) · (?P<unit>\S+?)(, at least (?P<least>\S+?))?(, at most (?P<most>\S+))?"
)


class Mistakes(list[Misconception]):
    """Wrong answers, in the order in which they are tried for a name."""

    def __call__(self, answer: Callable) -> Callable:
        """Add a function or a class by its name and docstring; used as a decorator."""
        self.append(_mistake(answer.__name__, answer, answer.__doc__))
        return answer

    def add(self, name: str, answer: Callable, message: str) -> None:
        """Add one that has no function of its own."""
        self.append(Misconception(name, answer, " ".join(message.split())))


def mistakes_in(group: type) -> tuple[Misconception, ...]:
    """The wrong answers that stand in a class, each with its docstring."""
    members = {name: one for name, one in vars(group).items() if not name.startswith("__")}
    return tuple(_mistake(name, one, one.__doc__) for name, one in members.items())


def made(make: Callable, mistakes: Iterable[Misconception]) -> tuple[Misconception, ...]:
    """The mistakes, of which each answer is what ``make`` makes of the one that was written."""
    return tuple(replace(one, answer=make(one.answer)) for one in mistakes)


def says(message: str) -> Callable[[Callable], Callable]:
    """What the learner hears of a wrong answer that has no docstring, since it is made or shared.

    >>> class Wrong:
    ...     nothing = says("You return nothing.")(lambda *tokens: None)
    >>> mistakes_in(Wrong)[0].message
    'You return nothing.'
    """

    def with_message(answer: Callable) -> Callable:
        if answer.__doc__:
            raise SheetError(f"{answer.__name__}: expected no docstring beside {message[:40]!r}")
        answer.__doc__ = message
        return answer

    return with_message


def _mistake(name: str, answer: Callable, message: str | None) -> Misconception:
    if not (message or "").strip():
        raise SheetError(f"{name}: expected a docstring, which the learner hears")
    return Misconception(_words(name), answer, " ".join(message.split()))


def _words(name: str) -> str:
    """``rounded_down`` or ``RoundedDown`` as ``rounded-down``; ``APageMore`` as ``a-page-more``."""
    apart = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "-", name.strip("_"))
    return apart.replace("_", "-").lower()


def in_its_file(read: Callable) -> Callable:
    """Errors of ``read``, whose first argument is a sheet, name the file that holds it."""

    @functools.wraps(read)
    def reads(sheet: str, *args, **more):
        try:
            return read(sheet, *args, **more)
        except ValueError as error:
            caller = sys._getframe(1)
            at = f"{caller.f_code.co_filename}, read in line {caller.f_lineno}"
            raise SheetError(f"{at}: {error}") from error

    return reads


@in_its_file
def exercise(sheet: str, checker: Checker, **more) -> Exercise:
    """The exercise of a sheet; ``more`` are other fields of ``Exercise``, ``workings`` say."""
    return of_parts(parts(sheet, ">"), checker, **more)


def of_parts(read: Iterable[Part], checker: Checker, **more) -> Exercise:
    """The exercise whose title, hints and explanation are among the parts of a sheet."""
    first, *rest = read
    named = _TITLE.fullmatch(first.text)
    if not named:
        raise first.error("expected «id · title · 6 minutes», «, optional» at its end or not")
    hints = tuple(part.text for part in rest if part.mark == ">")
    if len(hints) != 3:
        raise first.error(f"expected three hints, not {len(hints)}")
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


@in_its_file
def predictions(sheet: str) -> tuple[Prediction, ...]:
    """The predictions of a sheet: ``# id · unit, at least 0``, ``?``, ``=`` and ``!`` of each."""
    groups: list[list[Part]] = []
    for part in parts(sheet, "#?=!"):
        if part.mark == "#" or not groups:
            groups.append([])
        groups[-1].append(part)
    return tuple(map(_prediction, groups))


def _prediction(group: list[Part]) -> Prediction:
    head, *rest = group
    named = _PREDICTED.fullmatch(head.text) if head.mark == "#" else None
    if not named:
        raise head.error("expected «# id · unit», «, at least 0» and «, at most 1» or not")
    said = {part.mark: part.text for part in rest}
    if sorted(said) not in (["!", "?"], ["!", "=", "?"]) or len(said) < len(rest):
        raise head.error("expected one question (?), one explanation (!), one finding (=) or none")
    more = {"finding": said.get("=")}
    more |= {"at_least": numeral(named["least"]), "at_most": numeral(named["most"])}
    more = {key: value for key, value in more.items() if value is not None}
    return Prediction(named["id"], said["?"], named["unit"], said["!"], **more)


def numeral(text: str | None) -> int | float | None:
    """A number as it was written or filled in: ``3`` stays whole."""
    if text is None:
        return None
    return int(text) if re.fullmatch(r"-?\d+", text) else float(text)
