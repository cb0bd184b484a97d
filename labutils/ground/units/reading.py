"""Read a quantity from what a learner typed.

A regular expression takes the text apart and bounds every part of it; nothing is evaluated.

Rules where habits differ:

- A number without a unit is taken in the wanted unit.
- ``kB, MB, GB, TB`` are powers of 1000, ``KiB, MiB, GiB, TiB`` powers of 1024. ``gb`` means GB;
  ``Gb`` may mean bits, so it is refused.
- ``k, M, G, T`` alone multiply counts, rates and money, not times and not bytes.
- "1,000" is a thousand; "1,5" is refused, because it may mean 1.5. "1/3 s" is a third of it.
- Requests and tokens are counts: see ``spellings.agree``.
"""

import math
import re
from fractions import Fraction
from itertools import pairwise
from numbers import Real

from labutils.ground.units.spellings import AMBIGUOUS, COUNTS, agree, named, size, takes_suffix

LONGEST_TEXT = 80  # characters

# Wanted unit -> what a learner calls it, and how an answer may look.
_KINDS = {
    "1": ("a plain number", '"0.85" or "85 %"'),
    "%": ("a share in percent", '"85 %"'),
    "s": ("a time", '"40 ms" or "1.5 s"'),
    "B": ("an amount of data", '"16 GB" or "13 GiB"'),
    "1/s": ("a rate", '"120/s" or "2k/s"'),
    "req": ("a number of requests", '"120 req" or "2k"'),
    "tok": ("a number of tokens", '"512 tok" or "8k"'),
    "req/s": ("a rate of requests", '"120 req/s" or "2k/s"'),
    "tok/s": ("a rate of tokens", '"1,200 tok/s" or "2k/s"'),
    "B/s": ("a bandwidth", '"3.35 TB/s" or "10 Gbit/s"'),
    "B/tok": ("an amount of data per token", '"128 KiB/tok"'),
    "FLOP": ("an amount of work", '"14 GFLOP" or "2e9 FLOP"'),
    "FLOP/s": ("a computing rate", '"989 TFLOP/s"'),
    "FLOP/B": ("an arithmetic intensity", '"295 FLOP/B"'),
    "$": ("an amount of money", '"$2.50"'),
    "$/h": ("a price per time", '"$2.50/h"'),
    "$/tok": ("a price per token", '"0.6 $/Mtok"'),
}
_SUFFIXES = {
    "k": 10**3, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12,
    "thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12,
}  # fmt: skip
_GROUPED = r"[1-9][0-9]{0,2}(?P<gap>[, _])[0-9]{3}(?:(?P=gap)[0-9]{3})*(?![0-9])(?:\.[0-9]+)?"
_QUANTITY = re.compile(
    rf"(?P<number>[+-]?(?:{_GROUPED}|[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]{{1,3}})?)"
    r"(?: ?/ ?(?P<below>[1-9][0-9]{0,5})(?![0-9.,]))? ?"
    rf"(?P<suffix>(?:{'|'.join(_SUFFIXES)})(?=[ /$]|$))? ?(?P<units>.*)"
)
_PIECE = r"[0-9]+(?:\.[0-9]+)? ?[a-z]+"
_COMPOUND = re.compile(rf"[+-]?{_PIECE}(?:,? (?:and )?{_PIECE}){{1,4}}")
_SLIPS = {  # what the text behind a number starts with -> what to say about it
    r",[0-9]": "Use a decimal point: 1.5, not 1,5.",
    r"\^ ?[0-9]": "Compute it first, and hand in the number.",
    r".*\(": "Write no brackets: the number and its unit alone.",
    r"(-|to |\.\.+|±|\+/-) ?[0-9]": "Give one number, not a range.",
}
_ABOUT = re.compile(r"(?:≈|~|∼|≃|=|about|around|roughly|approximately|approx\.?|ca\.?) ?", re.I)
_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺", "0123456789-+")
_CHARACTERS = str.maketrans(
    {"µ": "u", "μ": "u", "−": "-", "–": "-", "∕": "/", "⁄": "/", "·": "*", "⋅": "*"}
)


class UnreadableQuantity(ValueError):
    """The text is no number with a unit."""


class WrongDimension(ValueError):
    """The text is a quantity, but of another kind than the one asked for."""


def parse(text: str | Real, unit: str) -> float:
    """Return the value of ``text`` in ``unit``: ``parse("40 ms", "s")`` is 0.04.

    ``unit`` is "s", "B", "1/s", "1", "req", "tok/s", "$/h", "%" or any other that the table of
    spellings can build. Finite numbers pass through. Raises ``UnreadableQuantity`` where the text
    cannot be read and ``WrongDimension`` where it measures something else; both are
    ``ValueError`` and name the text, what was expected and an example. The result is the double
    nearest to what is written: "12.3 ms" is exactly 0.0123.
    """
    _check_unit(unit)
    if not isinstance(text, str):
        return _passed_through(text, unit)
    clean = _cleaned(text)
    if len(text) > LONGEST_TEXT:
        raise _unreadable(text, unit)
    value = _compound(clean, text, unit) if _COMPOUND.fullmatch(clean) else None
    if value is None:
        value = _single(clean, text, unit)
    try:
        return float(value)
    except OverflowError:
        raise _unreadable(text, unit) from None


def _cleaned(text: str) -> str:
    """Return ``text`` in plain characters: one kind of space, of minus and of power of ten."""
    text = re.sub(r"([⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺]+)", r"^\1", text[: LONGEST_TEXT + 1])
    text = text.translate(_SUPERSCRIPTS).translate(_CHARACTERS)
    text = " ".join(text.replace("**", "^").split()).replace("per cent", "percent")
    text = _ABOUT.sub("", text, count=1) if _ABOUT.match(text) else text
    text = re.sub(r"(?<=[0-9.]) ?[x×*] ?10 ?\^ ?([+-]?[0-9]{1,3})(?![0-9])", r"e\1", text)
    return re.sub(r"^([+-]?)10\^([+-]?[0-9]{1,3})(?![0-9])", r"\g<1>1e\2", text)


def _single(clean: str, text: str, unit: str) -> Fraction:
    dollars = re.match(r"([+-]?)\$ ?(?=[0-9.])", clean)
    match = _QUANTITY.fullmatch(dollars[1] + clean[dollars.end() :] if dollars else clean)
    if not match:
        raise _unreadable(text, unit)
    for start, note in _SLIPS.items():
        if re.match(start, match["units"]):
            raise _unreadable(text, unit, note)
    units, suffix = ("$ " * bool(dollars) + match["units"]).strip(), match["suffix"]
    if suffix and not units and not takes_suffix(size(named(unit))[1]):
        raise _wrong(text, f"a count: {suffix} of what?", unit)
    number = Fraction(re.sub(r"[, _]", "", match["number"])) / int(match["below"] or 1)
    number *= _SUFFIXES.get(suffix, 1)
    return number * _factor(units, text, unit) if units else number


def _compound(clean: str, text: str, unit: str) -> Fraction:
    """Return the sum of "2 h 20 min 5 s"; each unit must be smaller than the one before."""
    pieces = re.findall(r"([0-9]+(?:\.[0-9]+)?) ?([a-z]+)", re.sub(r"\band ", "", clean))
    factors = [_factor(name, text, unit) for _, name in pieces]
    if size(named(pieces[0][1]))[1] != {"[time]": 1} or any(
        later >= earlier for earlier, later in pairwise(factors)
    ):
        raise _unreadable(text, unit)
    total = sum(Fraction(number) * factor for (number, _), factor in zip(pieces, factors))
    return -total if clean.startswith("-") else total


def _factor(units: str, text: str, unit: str) -> Fraction:
    try:
        have, dimensions = size(named(units))
    except KeyError as error:
        name = error.args[0]
        raise _unreadable(text, unit, AMBIGUOUS.get(name) or _unknown(name, unit)) from None
    wanted, wanted_dimensions = size(named(unit))
    if not agree(dimensions, wanted_dimensions):
        raise _wrong(text, _kind_of(units, dimensions), unit)
    return have / wanted


def _unknown(name: str, unit: str) -> str:
    """What to say about a name that is no unit; where a count is wanted, it may be a noun."""
    if not name:
        return ""
    wanted = size(named(unit))[1]
    counted = wanted.keys() <= {"[time]", *COUNTS} and takes_suffix(wanted)
    noun = counted and name.isalpha() and len(name) > 2
    return f"The unit {_short(name)} is not known here{': leave the noun out' * noun}."


def _passed_through(value, unit: str) -> float:
    value = value.item() if getattr(value, "ndim", None) == 0 else value
    if not isinstance(value, Real) or isinstance(value, bool):
        raise _unreadable(value, unit)
    try:
        number = float(value)
    except OverflowError:  # an integer of 400 digits
        number = math.inf
    if not math.isfinite(number):
        raise _unreadable(value, unit)
    return number


def _check_unit(unit: str) -> None:
    expected = f"unit = {unit!r}: expected one such as {', '.join(_KINDS)}"
    if not unit:
        raise ValueError(expected)
    try:
        named(unit)
    except KeyError:
        raise ValueError(expected) from None


def _kind_of(units: str, dimensions: dict) -> str:
    kinds = (words for unit, (words, _) in _KINDS.items() if size(named(unit))[1] == dimensions)
    return next(kinds, f"a quantity in {units}")


def _expected(unit: str) -> str:
    words, example = _KINDS.get(unit, ("a quantity", f'"3 {unit}"'))
    return f"{words} in {unit}" if unit != "1" else words, example


def _unreadable(text, unit: str, note: str = "") -> UnreadableQuantity:
    words, example = _expected(unit)
    note = f" {note}" if note else ""
    return UnreadableQuantity(
        f"{_short(text)} cannot be read as {words}.{note} Write for example {example}."
    )


def _wrong(text: str, found: str, unit: str) -> WrongDimension:
    words, example = _expected(unit)
    end = "" if found.endswith("?") else "."
    return WrongDimension(f"{_short(text)} is {found}{end} Expected {words}, such as {example}.")


def _short(value) -> str:
    try:
        shown = repr(value[:LONGEST_TEXT] if isinstance(value, str) else value)
    except Exception:  # a learner's own object
        shown = f"<{type(value).__name__}>"
    return shown if len(shown) <= 44 else shown[:40] + " …"
