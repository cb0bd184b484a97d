"""Numbers read out of the words that a drill prints."""

import re

from labutils.ground.units import parse

TIME = r"([\d.,]+ (?:ms|µs|s)\b|\d+ min(?: \d+ s)?|\d+ h(?: \d+ min)?)"


def times(text: str) -> list[float]:
    return [parse(shown, "s") for shown in re.findall(TIME, text)]


def rates(text: str) -> list[float]:
    return [float(shown.replace(",", "")) for shown in re.findall(r"([\d.,]+) req/s", text)]


def shares(text: str) -> list[float]:
    return [float(shown) / 100 for shown in re.findall(r"([\d.e-]+) %", text)]


def count(pattern: str, text: str) -> int:
    return int(re.search(pattern, text)[1].replace(",", ""))
