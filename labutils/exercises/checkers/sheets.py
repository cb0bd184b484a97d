"""Exercises whose checker stands in the sheet, too: a number, options, cards to be sorted.

A number: ``= value unit``, with options of ``Number`` behind it (``tolerance=0.01 story=24,0.06``);
``- name value: message`` is a mistake, ``~ value: note`` another convention that is right. The
values are filled in by an f-string.

>>> backwards = number(f'''
... little.backwards · The law backwards · 3 minutes
...
... = {24 / 0.060} req/s tolerance=0.005
... - one-place {1 / 0.060}: That is what one place carries.
... > You know L and W.
... > λ = L / W.
... > 24 / 0.060.
...
... Twice as many places double it.
... ''')
>>> backwards.judge(16.67).diagnosis
'one-place'

A choice: ``+ key: text`` is right and ``- key: text`` wrong; ``!`` below says what speaks against a
wrong option, or what to ask whoever leaves out a right one.
"""

from labutils.exercises.checkers.choice import Choice
from labutils.exercises.checkers.number import Number
from labutils.exercises.checkers.sorting import SortedCard, Sorting
from labutils.exercises.definition import sheet as sheets
from labutils.exercises.definition.exercise import Exercise, Misconception
from labutils.exercises.definition.sheet import in_its_file, of_parts
from labutils.sheets import Part, parts

_OF_NUMBERS = ("story", "factors")  # options of Number that are lists


@in_its_file
def number(sheet: str, **more) -> Exercise:
    """The exercise of a sheet that asks for one number; ``more`` are fields of ``Exercise``."""
    read = parts(sheet, "=-~>")
    return of_parts(read, number_of(read), **more)


def number_of(read: list[Part]) -> Number:
    """The checker that the parts ``=``, ``-`` and ``~`` of a sheet describe."""
    asked = [part for part in read if part.mark == "="]
    if len(asked) != 1:
        raise read[0].error(f"expected one value (=), not {len(asked)}")
    value, unit, *options = asked[0].text.split()
    wrong = [(part, *part.head()) for part in read if part.mark == "-"]
    other = [(part, *part.head()) for part in read if part.mark == "~"]
    return Number(
        _constant(asked[0], value),
        unit,
        misconceptions=tuple(
            Misconception(name, _constant(part, value), text) for part, (name, value), text in wrong
        ),
        accepts=tuple((_constant(part, value), text) for part, (value,), text in other),
        **dict(_option(asked[0], one) for one in options),
    )


def _constant(part: Part, text: str):
    try:
        value = float(text)
    except ValueError:
        raise part.error(f"expected a number, not {text!r}") from None
    return lambda: value


def _option(part: Part, text: str):
    name, _, value = text.partition("=")
    if name in _OF_NUMBERS:
        return name, tuple(sheets.number(one) for one in value.split(","))
    if name in ("tolerance", "absolute"):
        return name, float(value)
    if name in ("unsafe", "scale"):
        return name, value if name == "unsafe" else value != "False"
    raise part.error(f"expected an option of Number, not {name!r}")


@in_its_file
def choice(sheet: str, *, several: bool = False, **more) -> Exercise:
    """The exercise of a sheet that asks for one option, or for ``several``.

    Several are asked for where more than one is right; ``several`` says so where just one is.
    """
    read = parts(sheet, "+-!>")
    options = [part for part in read if part.mark in ("+", "-")]
    texts = {key: text for (key,), text in (part.head() for part in options)}
    right = [part.head()[0][0] for part in options if part.mark == "+"]
    said = {option.head()[0][0]: answer.text for option, (answer,) in _followed(read, options, "!")}
    checker = Choice(
        texts,
        frozenset(right) if several or len(right) > 1 else "".join(right),
        diagnoses={key: text for key, text in said.items() if key not in right},
        omissions={key: text for key, text in said.items() if key in right},
    )
    return of_parts(read, checker, **more)


@in_its_file
def sorting(sheet: str, **more) -> Exercise:
    """The exercise of a sheet whose cards have a place on every axis.

    ``* axis: bin (other words) · bin`` is an axis, ``+ card place / place: text`` a card with the
    places that pass, and ``! bins: question`` below it what speaks against those bins.
    """
    read = parts(sheet, "*+!>")
    axes = dict(_axis(part) for part in read if part.mark == "*")
    cards = {}
    for part, asked in _followed(read, [part for part in read if part.mark == "+"], "!"):
        (key, *places), text = part.head()
        places = tuple(tuple(place.split()) for place in " ".join(places).split("/"))
        questions = (question.head() for question in asked)
        cards[key] = SortedCard(text, places, {" ".join(bins): asks for bins, asks in questions})
    return of_parts(read, Sorting(axes, cards), **more)


def _axis(part: Part) -> tuple[str, dict[str, tuple[str, ...]]]:
    (name,), text = part.head()
    bins = (one.strip().rstrip(")").partition(" (") for one in text.split("·"))
    return name, {one: tuple(filter(None, words.split(", "))) for one, _, words in bins}


def _followed(read: list[Part], heads: list[Part], mark: str) -> list[tuple[Part, list[Part]]]:
    """Each of ``heads`` that has parts with this mark below it, and those."""
    found: list[tuple[Part, list[Part]]] = []
    for part in read:
        if part in heads:
            found.append((part, []))
        elif part.mark == mark:
            if not found:
                raise part.error("expected it below what it speaks of")
            found[-1][1].append(part)
    return [(head, below) for head, below in found if below]
