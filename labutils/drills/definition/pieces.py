"""What is filled into a sheet and is more than a word: listings, pieces of another sheet, options.

What has lines of its own goes into the sheet as one line: characters of no alphabet stand for line
ends and blanks until the sheet is read.
"""

import inspect
from collections.abc import Mapping

_BREAK, _BLANK, _JOINT = "\ue000", "\ue001", "\ue002"


def listing(text: str) -> str:
    """``text`` as it stands, on lines of its own: for a listing or a table in a story."""
    return _BREAK + text.replace("\n", _BREAK).replace(" ", _BLANK) + _BREAK


def piece(sheet: str) -> str:
    """Parts of a sheet that another sheet holds, as a line of its own."""
    return inspect.cleandoc(sheet).replace("\n", _JOINT)


def choice(right: str, wrong: Mapping[str, str]) -> str:
    """Options as a piece, where the wrong ones depend on the numbers: each with its reason."""
    against = (f"x {text}\n! {reason}" for text, reason in wrong.items())
    return piece("\n".join((f"+ {right}", *against)))


def positive(value: float) -> float | None:
    """The value to which a mistake leads, None where it is not above 0."""
    return value if value > 0 else None


def within(low: float, value: float, high: float) -> float | None:
    """The value to which a mistake leads, None where nobody would believe it."""
    return value if low < value < high else None


def put_together(sheet: str) -> str:
    """The sheet with its pieces in place, at its margin."""
    return inspect.cleandoc(sheet).replace(_JOINT, "\n") if _JOINT in sheet else sheet


def as_it_stands(text: str) -> str:
    """The text of a part, its listings in lines again."""
    if _BREAK not in text:
        return text
    apart = text.replace(f" {_BREAK}", _BREAK).replace(f"{_BREAK} ", _BREAK).strip(_BREAK)
    return apart.replace(_BREAK, "\n").replace(_BLANK, " ")
