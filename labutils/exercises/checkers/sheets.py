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
from labutils.exercises.checkers.numbers.number import Number
from labutils.exercises.checkers.sorting import SortedCard, Sorting
from labutils.exercises.definition.exercise import Exercise, Misconception
from labutils.exercises.definition.sheet import in_its_file, numeral, of_parts
from labutils.ground.sheets import Part, parts

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
    wrong = [(part, *_head(part, "name", "value")) for part in read if part.mark == "-"]
    other = [(part, *_head(part, "value")) for part in read if part.mark == "~"]
    return Number(
        _constant(asked[0], value),
        unit,
        misconceptions=tuple(
            Misconception(name, _constant(part, value), text) for part, (name, value), text in wrong
        ),
        accepts=tuple((_constant(part, value), text) for part, (value,), text in other),
        **dict(_option(asked[0], one) for one in options),
    )


def _head(part: Part, *names: str) -> tuple[list[str], str]:
    """The words before the colon, which are called so, and the text behind it."""
    words, text = part.head()
    if len(words) != len(names):
        raise part.error(f"expected {' '.join(names)} before the colon")
    return words, text


def _constant(part: Part, text: str):
    try:
        value = float(text)
    except ValueError:
        raise part.error(f"expected a number, not {text!r}") from None
    return lambda: value


def _option(part: Part, text: str):
    name, _, value = text.partition("=")
    if name in _OF_NUMBERS:
        return name, tuple(numeral(one) for one in value.split(","))
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
    options, right, said = {}, [], {"+": {}, "-": {}}
    for option, answers in _with_what_is_said(read, "+-"):
        (key,), text = _head(option, "key")
        _once(option, key, options)[key] = text
        right += [key] if option.mark == "+" else []
        for answer in answers:
            _once(answer, key, said[option.mark])[key] = answer.text
    correct = frozenset(right) if several or len(right) > 1 else "".join(right)
    return of_parts(read, Choice(options, correct, said["-"], said["+"]), **more)


@in_its_file
def sorting(sheet: str, **more) -> Exercise:
    """The exercise of a sheet whose cards have a place on every axis.

    ``* axis: bin (other words) · bin`` is an axis, ``+ card place / place: text`` a card with the
    places that pass, and ``! bins: question`` below it what speaks against those bins.
    """
    read = parts(sheet, "*+!>")
    axes = dict(_axis(part) for part in read if part.mark == "*")
    cards = {}
    for card, asked in _with_what_is_said(read, "+"):
        (key, *words), text = card.head()
        places = tuple(tuple(place.split()) for place in " ".join(words).split("/"))
        asks = {" ".join(bins): question for bins, question in map(Part.head, asked)}
        _once(card, key, cards)[key] = SortedCard(text, places, asks)
    return of_parts(read, Sorting(axes, cards), **more)


def _axis(part: Part) -> tuple[str, dict[str, tuple[str, ...]]]:
    (name,), text = _head(part, "axis")
    bins = (one.strip().rstrip(")").partition(" (") for one in text.split("·"))
    return name, {one: tuple(filter(None, words.split(", "))) for one, _, words in bins}


def _with_what_is_said(read: list[Part], marks: str) -> list[tuple[Part, list[Part]]]:
    """Each part with one of ``marks``, and the parts marked ``!`` that stand below it."""
    found: list[tuple[Part, list[Part]]] = []
    for part in read:
        if part.mark and part.mark in marks:
            found.append((part, []))
        elif part.mark == "!":
            if not found:
                raise part.error("expected it below what it speaks of")
            found[-1][1].append(part)
    return found


def _once(part: Part, key: str, known: dict) -> dict:
    if key in known:
        raise part.error(f"expected {key!r} once")
    return known
