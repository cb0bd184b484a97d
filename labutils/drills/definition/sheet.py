"""A drill as a sheet: its texts and numbers in the order in which a learner meets them.

A template is a function that draws numbers and returns ``draw.drill(f'''...''')``. Its name is the
id, its docstring the title, and what it is written with comes from ``writing``:

    @template("B01 A07", level=2, decision="estimate", minutes=2)
    def in_flight(draw: Draw) -> Drill:
        '''Little's law: requests in flight.'''
        rate, stay = draw.whole(20, 90), draw.whole(3, 12)
        return draw.drill(f'''
        {quantity(rate, "req/s")} come to a service, and each stays {stay} s.
        ? How many are in flight?
        = {rate * stay} tolerance=0.02
        - divided {rate / stay}: You divide. Do more of them stay when each stays longer?
        ...

The sheet is an ordinary f-string. Each part of it begins at the margin with a mark and goes on in
lines that are indented by two blanks; story and moral are paragraphs without a mark:

    The story, in a paragraph or several.
    ? The question.
    = {answer} s tolerance=0.03 telling=3
    - name-of-the-mistake {value}: What the learner hears who ends there, and what to ask.
    ? What is chosen first, where something is.
    + The right option.
    x A wrong one.
    ! What speaks against it.
    > A hint: the quantity. (There are three.)
    > The formula.
    > The formula with the numbers put in.
    * name_of_the_step {value} s: A line of the solution that may be handed in.
    . A line of it that is only read.
    ~ A bound that needs no calculator, and why.

    The moral.

- ``=`` holds the answer, its unit (none for a plain number), and what differs from the defaults of
  ``Drill``: ``tolerance``, ``absolute``, ``unsafe``, ``scale=off``. With ``telling=3`` those
  mistakes are kept that the numbers tell apart, five at most; where fewer than three are left,
  other numbers are drawn. Without ``=`` a choice is all that is asked.
- A mistake whose value is ``None`` does not arise with these numbers, and is left out
  (``positive`` and ``within`` say so of a value).
- Options are shuffled; ``{choice(right, wrong)}`` writes them from a mapping. Lines of a claim keep
  their order: write each as ``| line``, and below each sound one ``! why it holds``; the line
  without a reason is the flaw, and what is asked is which it is.
- ``{listing(text)}`` puts a listing or a table on lines of its own, as it stands.
- ``{piece(...)}`` on a line at the margin puts in parts that another function writes.

What is asked next follows the sheet, ``draw.drill(...).then(_next(draw, ...))``, as does a field
that no mark can say: ``.also(accepts=...)``. ``authoring check`` reads every sheet without filling
it in, and names file, line and mark of a slip.
"""

import inspect
from collections.abc import Mapping
from typing import Protocol

from labutils.drills.definition.claim import FIRST, FLAW, in_order
from labutils.drills.definition.drill import Drill, Mistake, Step
from labutils.drills.definition.options import Options
from labutils.drills.definition.pieces import as_it_stands, put_together
from labutils.drills.definition.telling import telling
from labutils.ground.sheets import Part, SheetError, parts

MARKS = "?=-+x!|>*.~"


class Shuffles(Protocol):
    """What a sheet needs of a ``Draw``."""

    def options(self, right: str, wrong: Mapping[str, str], *, question: str = "") -> Options: ...

    def require(self, condition: bool) -> None: ...


def drill(sheet: str, draw: Shuffles | None = None, **more) -> Drill:
    """The drill of a sheet; ``draw`` shuffles its options, ``more`` are other fields of ``Drill``.

    Raises ``SheetError`` for a sheet that cannot be read, ``Redraw`` where too few mistakes tell.
    """
    read = Read(sheet)
    fields, least = read.answer()
    mistakes = read.mistakes()
    if least is not None:
        if least and draw is None:
            raise read.all("=")[0].error("telling needs numbers to draw again: use draw.drill")
        exact = {key: fields[key] for key in ("tolerance", "absolute", "unsafe") if key in fields}
        mistakes = telling(fields["answer"], mistakes, **exact)
        if draw is not None:
            draw.require(len(mistakes) >= least)
    if mistakes:
        fields["mistakes"] = mistakes
    fields["options"] = read.options(draw)
    return Drill(**{**fields, **read.texts(), "steps": read.steps(), **more})


def check(sheet: str, *, whole: bool = True) -> None:
    """Raise ``SheetError`` where a sheet cannot be read; of a piece each part is read alone."""
    read = Read(sheet)
    marked = {part.line for part in read.parts if part.mark}
    for number, line in enumerate(inspect.cleandoc(sheet).split("\n"), 1):
        if line[1:2] == " " and line[0] in MARKS and number not in marked:
            raise Part(line[0], line[2:], number).error(
                "it stands in a paragraph: is «? » missing?"
            )
    read.mistakes(), read.steps()
    if whole:
        read.texts(), read.answer(), read.choice()


class Read:
    """The parts of one sheet, by their marks."""

    def __init__(self, sheet: str):
        self.parts = parts(put_together(sheet), MARKS, closing="?")
        self._by_mark: dict[str, list[Part]] = {}
        for part in self.parts:
            self._by_mark.setdefault(part.mark, []).append(part)

    def all(self, mark: str) -> list[Part]:
        """The parts with that mark, in order."""
        return self._by_mark.get(mark, [])

    def _most(self, mark: str, most: int) -> list[Part]:
        found = self.all(mark)
        if len(found) > most:
            raise found[most].error(f"expected {most} of this mark at most")
        return found

    def texts(self) -> dict:
        """Story, question, hints, bound and moral."""
        marked = [number for number, part in enumerate(self.parts) if part.mark]
        if not self.all("?"):
            raise SheetError("mark ?: expected a question")
        for part in self.parts[marked[0] : marked[-1]]:
            if not part.mark:
                raise part.error("expected a mark: between story and moral each part has one")
        hints = tuple(map(_text, self._most(">", 3)))
        if len(hints) < 3:
            raise SheetError(f"mark >: expected three hints, not {len(hints)}")
        return {
            "story": "\n\n".join(map(_text, self.parts[: marked[0]])),
            "question": _text(self.all("?")[0]),
            "hints": hints,
            "sanity": "".join(map(_text, self._most("~", 1))),
            "moral": "\n\n".join(map(_text, self.parts[marked[-1] + 1 :])),
        }

    def answer(self) -> tuple[dict, int | None]:
        """Answer, unit and tolerances, and how many mistakes must tell (None: all are kept)."""
        for part in self._most("=", 1):
            value, *rest = part.text.split()
            named = dict(word.split("=", 1) for word in rest if "=" in word)
            unit = [word for word in rest if "=" not in word]
            if len(unit) > 1:
                raise part.error(f"{' '.join(unit)!r}: expected one unit")
            fields = {"answer": _number(part, value)} | ({"unit": unit[0]} if unit else {})
            for key, said in named.items():
                fields[key] = _field(part, key, said)
            return fields, fields.pop("telling", None)
        return {}, None

    def mistakes(self) -> tuple[Mistake, ...]:
        """Those that arise with these numbers."""
        found = []
        for part in self.all("-"):
            words, message = part.head()
            if len(words) != 2:
                raise part.error("expected «name value: message»")
            if words[1] != "None":
                found.append(Mistake(words[0], _number(part, words[1]), as_it_stands(message)))
        return tuple(found)

    def steps(self) -> tuple[Step, ...]:
        """The worked solution."""
        return tuple(_step(part) for part in self.parts if part.mark in ("*", "."))

    def options(self, draw: Shuffles | None) -> Options | None:
        """The choice: shuffled, or lines of a claim in order."""
        asked = [_text(part) for part in self.all("?")[1:]]
        choice = self.choice()
        if claim := [(text, reason) for mark, text, reason in choice if mark == "|"]:
            return in_order(*(asked or [FIRST]), *claim)
        if not choice:
            return None
        (right,) = [text for mark, text, _ in choice if mark == "+"]
        wrong = {text: reason for mark, text, reason in choice if mark == "x"}
        if draw is None:
            raise self.all("+")[0].error("options are shuffled: use draw.drill")
        return draw.options(right, wrong, question="".join(asked))

    def choice(self) -> list[tuple[str, str, str]]:
        """(mark, text, what is said against choosing it) of each option; one has no reason."""
        self._most("?", 2)
        shown = [part for part in self.parts if part.mark and part.mark in "+x|!"]
        found = []
        for part, below in zip(shown, [*shown[1:], None]):
            reason = _text(below) if below is not None and below.mark == "!" else FLAW
            if part.mark == "x" and not reason:
                raise part.error("expected «! what speaks against it» below it")
            if part.mark in "+!" and reason:
                raise below.error("expected it below a wrong option, or a line that holds")
            if part.mark != "!":
                found.append((part.mark, _text(part), reason))
        right = sum(reason == FLAW for _, _, reason in found)
        if found and right != 1:
            raise shown[0].error(f"{right} options are right, or lines the flaw: expected one")
        return found


def _step(part: Part) -> Step:
    if part.mark == ".":
        return Step(_text(part))
    words, text = part.head()
    if len(words) not in (2, 3):
        raise part.error("expected «name value unit: text», the unit only where there is one")
    try:
        return Step(as_it_stands(text), words[0], _number(part, words[1]), *words[2:])
    except ValueError as error:
        raise part.error(str(error)) from None


def _field(part: Part, key: str, said: str) -> float | str | bool:
    """What stands behind the unit of an answer."""
    words = {"unsafe": {"above": "above", "below": "below"}, "scale": {"off": False}}
    if key in ("tolerance", "absolute", "telling"):
        return _number(part, said)
    if said not in words.get(key, {}):
        known = "tolerance, absolute, telling=3, unsafe=above, unsafe=below, scale=off"
        raise part.error(f"{key}={said}: expected one of {known}")
    return words[key][said]


def _number(part: Part, said: str) -> float:
    """A number that is filled in with ``str`` comes back exactly; a whole one stays whole."""
    try:
        return int(said) if said.removeprefix("-").isdigit() else float(said)
    except ValueError:
        raise part.error(f"{said!r}: expected a number") from None


def _text(part: Part) -> str:
    return as_it_stands(part.text)
