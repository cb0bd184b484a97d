"""Quantities as people write them: "40 ms", "2k", "1,000", "≈ 550 req/s", "$2.50/h", "12 %".

``parse`` turns text into a number in the unit that the caller names; ``format_quantity`` does the
reverse. ``spellings`` lists what is understood, ``reading`` and ``writing`` do the work.
"""

from labutils.ground.units.reading import UnreadableQuantity, WrongDimension, parse
from labutils.ground.units.writing import format_quantity

__all__ = ["UnreadableQuantity", "WrongDimension", "format_quantity", "parse"]
