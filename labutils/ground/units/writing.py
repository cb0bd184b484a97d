"""Write a quantity so that a person can read it, and ``parse`` too."""

import math

_TIMES = ((1e-3, "ms", 1e3), (1e-6, "µs", 1e6), (0.0, "ns", 1e9))
_PREFIXES = ((1e15, "P"), (1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"))
_SCALED = ("B", "B/s", "B/tok", "bit", "bit/s", "FLOP", "FLOP/s")


def format_quantity(value: float, unit: str) -> str:
    """Return ``value`` (in ``unit``) readably: 0.0123 s is "12.3 ms", 42436 s "11 h 47 min".

    At most four significant digits. ``parse`` reads the result back to within 0.05 %; times of
    two minutes and more come in whole seconds, minutes, hours or days, to within 1.1 %.
    """
    if math.isnan(value):
        return "undefined"
    if value < 0:
        return "-" + format_quantity(-value, unit)
    if math.isinf(value):
        return "∞" + _tail(unit)
    if unit == "s":
        return _time(value)
    if unit.startswith("$"):
        return f"${_dollars(value)}{unit[1:]}"
    value = _rounded(value)
    if unit in _SCALED:
        return _scaled(value, unit)
    return _digits(value) + _tail(unit)


def _time(seconds: float) -> str:
    if _rounded(seconds) >= 120:
        return _long_time(seconds)  # not yet rounded: rounding twice would lose a digit
    seconds = _rounded(seconds)
    if seconds >= 1 or seconds == 0:
        return f"{_digits(seconds)} s"
    name, scale = next((name, scale) for least, name, scale in _TIMES if seconds >= least)
    return f"{_digits(_rounded(seconds * scale))} {name}"


def _long_time(seconds: float) -> str:
    """Return two neighbouring units of days, hours, minutes and seconds."""
    for big, small, limit, names in (
        (60, 1, 7200, ("min", "s")),
        (3600, 60, 172_800, ("h", "min")),
        (86_400, 3600, 8_640_000, ("d", "h")),
    ):
        whole = round(seconds / small) * small
        if whole < limit:
            rest = whole % big // small
            return f"{whole // big} {names[0]}" + (f" {rest} {names[1]}" if rest else "")
    return f"{_digits(_rounded(seconds / 86_400))} d"


def _dollars(value: float) -> str:
    """Return whole cents if they hold the amount ("2.50"), else digits as elsewhere ("0.625")."""
    cents = round(value, 2)
    if 0.01 <= cents < 100 and math.isclose(cents, value, rel_tol=5e-4):
        return f"{cents:.2f}"
    return _digits(_rounded(value))


def _scaled(value: float, unit: str) -> str:
    least, prefix = next(((x, p) for x, p in _PREFIXES if value >= x), (1.0, ""))
    return f"{_digits(_rounded(value / least))} {prefix}{unit}"


def _tail(unit: str) -> str:
    """Return what follows the number: " req/s", "/s" for "1/s", nothing for "1"."""
    return unit[1:] if unit.startswith("1") else f" {unit}"


def _digits(value: float) -> str:
    """Return a number of four significant digits: "0.9161", "12,350", "1.235M", "2e-7"."""
    for least, suffix in ((1e12, "T"), (1e9, "G"), (1e6, "M")):
        if least <= value < 1e15:
            return f"{_rounded(value / least):g}{suffix}"
    if value >= 1e15 or 0 < value < 1e-4:
        mantissa, exponent = f"{value:.3e}".split("e")
        return f"{float(mantissa):g}e{int(exponent)}"
    return f"{value:,.0f}" if value >= 1000 else f"{value:.4g}"


def _rounded(value: float) -> float:
    """Round before the unit is chosen, so that 0.99999 s becomes "1 s", not "1000 ms"."""
    return float(f"{value:.4g}")
