"""A formula of plain numbers, as typed into an answer: "24/(0.55 + 127*.03) s", "1 - 0.95^4".

A small parser works it out in exact fractions; nothing is evaluated by Python, and what would grow
beyond a few thousand bits is no answer.
"""

import re
from collections.abc import Iterator
from fractions import Fraction

MOST_BITS = 4000  # of a numerator or denominator
_NUMBER = r"(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[+-]?[0-9]{1,2})?"
_TOKEN = re.compile(rf" ?({_NUMBER}|[-+*/^()×·x])")
_TIMES = ("*", "×", "·", "x")


class NoFormula(ValueError):
    """The text is none, or comes to nothing that can be an answer."""


def worked_out(text: str) -> str | None:
    """The formula with which ``text`` begins as a number, and what follows it; None without one.

    A formula has a product, a quotient, a power or brackets: "10-12 s" is a range.
    """
    tokens, ends = [], []
    plain, at = text.replace("**", "^"), 0
    while found := _TOKEN.match(plain, at):
        tokens.append(found[1])
        at = found.end()
        ends.append(at)
    while tokens and not (tokens[-1] == ")" or tokens[-1][-1].isdigit() or tokens[-1][-1] == "."):
        tokens.pop()  # "9.34x", "5.5 /s": an operator at the end belongs to the unit
        ends.pop()
    if not set(tokens) & {*_TIMES, "/", "^", "("}:
        return None
    try:
        value = _whole(tokens)
    except NoFormula:
        return None
    return f"{value:.12g} {plain[ends[-1] :].strip()}".strip()


def _whole(tokens: list[str]) -> float:
    left = iter([*tokens, ""])
    parser = _Parser(left)
    value = parser.sum()
    if parser.now:
        raise NoFormula
    try:
        return float(value)
    except OverflowError:
        raise NoFormula from None


class _Parser:
    """One pass over the tokens; each method takes what is its own and leaves the rest."""

    def __init__(self, tokens: Iterator[str]):
        self.tokens, self.now = tokens, next(tokens)

    def take(self) -> str:
        taken, self.now = self.now, next(self.tokens, "")
        return taken

    def sum(self) -> Fraction:
        value = self.product()
        while self.now and self.now in "+-":
            value = value + self.product() if self.take() == "+" else value - self.product()
        return _bounded(value)

    def product(self) -> Fraction:
        value = self.power()
        while self.now in (*_TIMES, "/"):
            is_quotient, other = self.take() == "/", self.power()
            if is_quotient and not other:
                raise NoFormula
            value = _bounded(value / other if is_quotient else value * other)
        return value

    def power(self) -> Fraction:
        base = self.atom()
        if self.now != "^":
            return base
        self.take()
        return _power(base, self.atom())

    def atom(self) -> Fraction:
        if self.now == "-":
            self.take()
            return -self.power()
        if self.now == "(":
            self.take()
            value = self.sum()
            if self.take() != ")":
                raise NoFormula
            return value
        if not self.now or not (self.now[0].isdigit() or self.now[0] == "."):
            raise NoFormula
        return Fraction(self.take())


def _power(base: Fraction, exponent: Fraction) -> Fraction:
    if exponent.denominator > 1:  # a root
        try:
            return Fraction(float(base) ** float(exponent))
        except (OverflowError, ZeroDivisionError, TypeError, ValueError):
            raise NoFormula from None
    if abs(exponent) * _bits(base) > MOST_BITS or (not base and exponent < 0):
        raise NoFormula
    return base**exponent


def _bounded(value: Fraction) -> Fraction:
    if _bits(value) > MOST_BITS:
        raise NoFormula
    return value


def _bits(value: Fraction) -> int:
    return max(value.numerator.bit_length(), value.denominator.bit_length())
