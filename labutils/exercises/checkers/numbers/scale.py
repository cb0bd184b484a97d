"""Factors by which answers go wrong as a whole: prefixes, bits, minutes, GB against GiB."""

import math
from dataclasses import dataclass

from labutils.exercises.definition.verdict import Status

ROUNDED = 0.02  # a slip of scale is exact but for rounding, however wide the tolerance is

_TWICE = "Was something counted twice, or one of two parts left out?"
_EIGHT = "Check bits against bytes, or a count of eight."
_CLOCK = "Check seconds, minutes and hours."
_BINARY = "Check powers of 1024 (KiB, MiB, GiB) against powers of 1000 (kB, MB, GB)."
_PERCENT = "Check percent against plain fractions."


_KIBI = 1.024
_EXACT = 1e-3  # so near to a ratio of prefixes comes no inexact answer


def _factors() -> dict[float, tuple[str, str]]:
    """Factor above 1 -> (how it reads, the question it raises)."""
    factors = {10.0**k: (f"{10**k:,}", _decimal(k)) for k in range(1, 16)}
    factors |= {2.0: ("2", _TWICE), 8.0: ("8", _EIGHT)}
    return factors | {60.0: ("60", _CLOCK), 3600.0: ("3,600", _CLOCK), 86400.0: ("86,400", _CLOCK)}


def _binary_factors() -> dict[float, tuple[str, str]]:
    powers = [(base, k) for base in (1024, 1.024) for k in range(1, 5)]
    return {base**k: (f"{base}^{k}" if k > 1 else str(base), _BINARY) for base, k in powers}


def _decimal(power: int) -> str:
    if power == 2:
        return _PERCENT
    return "Check the unit and its prefix." if power % 3 == 0 else "Check the decimal point."


_FACTORS = _factors()
_WITHOUT_A_CAUSE = (2.0, 10.0)  # too near to be units alone: one wrong term may do it
_FACTORS_OF_BYTES = _FACTORS | _binary_factors()
_FACTORS_OF_SHARES = {f: said for f, said in _FACTORS.items() if said[1] != _CLOCK}
_FACTORS_OF_MONEY = _FACTORS | {100.0: ("100", "Check cents against dollars.")}


def known_factors() -> dict[float, tuple[str, str]]:
    """Factor above 1 -> (how it reads, the question it raises)."""
    return _FACTORS_OF_BYTES


@dataclass(frozen=True)
class Slip:
    """A factor between two numbers: ``status`` is scale if units explain it."""

    message: str
    status: Status


def _factors_for(unit: str, expected: float) -> dict[float, tuple[str, str]]:
    if "B" in unit:
        return _FACTORS_OF_BYTES
    if unit == "%" or (unit == "1" and abs(expected) < 1):
        return _FACTORS_OF_SHARES
    return _FACTORS_OF_MONEY if unit == "$" else _FACTORS


def slip_of_scale(
    answer: float, expected: float, *, unit: str, share: float, slack: float = ROUNDED
) -> Slip | None:
    """Name the factor between ``answer`` and ``expected``, if it is one that units explain.

    ``share`` is the tolerance as a share of ``expected``. A factor counts only if it lies farther
    from 1 than twice the tolerance, so that it cannot be confused with an inexact answer; just
    1.024 counts in any case.
    ``slack`` is how far an answer may be from the exact factor. The ratios of binary to decimal
    prefixes count where ``unit`` holds bytes, and minutes and hours for no share.
    """
    if not expected or not answer or (answer > 0) != (expected > 0):
        return None
    ratio = answer / expected
    if not math.isfinite(ratio) or ratio == 0:
        return None
    known = _factors_for(unit, expected)
    way, upward = ("large", ratio) if ratio > 1 else ("small", 1 / ratio)
    factor = min(known, key=lambda factor: abs(math.log(upward / factor)))
    distance = factor - 1 if ratio > 1 else 1 - 1 / factor
    off = abs(upward / factor - 1)
    near = distance <= 2 * share and not (factor == _KIBI and off < _EXACT)
    if near or off > min(share, slack, distance / 4) + 1e-9:
        return None
    reads, question = known[factor]
    message = f"Your answer is {reads} times too {way}."
    if "B" in unit and factor >= 1000:
        message += f" Without a unit it is read as {'bytes' if unit == 'B' else unit}."
    if factor in _WITHOUT_A_CAUSE:
        return Slip(message, Status.wrong)
    return Slip(f"{message} {question}", Status.scale)
