"""What is typed into the terminal, taken apart: steps, ranges, bounds."""

import re

_STEP = re.compile(r"(\w+)\s*=\s*(.*?)(?=[\s,;]+\w+\s*=|$)")
_QUANTITY = re.compile(r"[-+]?\$?\d[^\s]*(?:\s+(?!to\b|and\b)[^\d\s$][^\s]*)*")
_BOUND = re.compile(
    r"(?P<side><=|>=|<|>|≤|≥|at most|at least|below|under|above|over)\s*(?P<value>.+)", re.I
)
_AT_MOST = ("<", "<=", "≤", "at most", "below", "under")


def steps_in(text: str) -> dict[str, str]:
    """The steps in "memory=3 GB per_token = 128 KiB"; empty where there are none."""
    return {name: value.strip(" ,;") for name, value in _STEP.findall(text) if value.strip(" ,;")}


def range_in(text: str) -> tuple[str, str] | None:
    """The two ends in "10 20", "10 to 20 ms", "10 ms .. 2 s"; ``None`` where there are not two.

    A first end without a unit takes the second one's.
    """
    spaced = re.sub(r"\.\.+|…|,(?!\d{3}\b)|;|(?<=[\w%])\s*[-–](?=\s*[$\d])", " ", text)
    found = [part.strip() for part in _QUANTITY.findall(spaced)]
    if len(found) != 2:
        return None
    low, high = found
    unit = re.fullmatch(r"[-+]?[\d.,]+(?:e[-+]?\d+)?\s*(.*)", high, re.I)
    if unit and re.fullmatch(r"[-+]?[\d.,]+(?:e[-+]?\d+)?", low, re.I):
        low = f"{low} {unit[1]}".strip()
    return low, high


def bound_in(text: str) -> dict[str, str]:
    """The bound in "< 5 s" or "at least 3 GB", as arguments of ``bound``; empty where none is."""
    found = _BOUND.fullmatch(text.strip())
    if not found:
        return {}
    side = "at_most" if found["side"].lower() in _AT_MOST else "at_least"
    return {side: found["value"]}
