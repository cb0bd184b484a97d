"""The name of a cached value: whose it is, and which."""

import json
import math
from numbers import Integral, Real

Part = str | int | float | bool
Key = tuple[str, *tuple[Part, ...]]
"""The tenant first, then at least one part that says which of the tenant's values it is."""


def key_text(key: Key) -> str:
    """``key`` as one line of JSON: two keys share a text only if they are the same key.

    Python holds 1, 1.0 and True for the same dictionary key; their texts differ. Raises
    ``ValueError`` for a key without tenant or name, a part of another type, NaN, an infinity, or
    characters that UTF-8 cannot write (two such texts could be one).

    >>> key_text(("acme", "answer", 7))
    '["acme","answer",7]'
    """
    if not isinstance(key, tuple) or len(key) < 2 or not isinstance(key[0], str) or not key[0]:
        raise ValueError(
            f"key = {key!r}: expected a tuple of the tenant (a string, not empty) and at least one "
            "part that names the value"
        )
    parts = [_plain(key, part) for part in key]
    text = json.dumps(parts, ensure_ascii=False, separators=(",", ":"))
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ValueError(f"key = {key!r}: expected characters that UTF-8 can write") from None
    return text


def _plain(key: Key, part: Part) -> Part:
    """``part`` without a subclass's own manner (NumPy's whole numbers are no ``int``)."""
    if isinstance(part, bool):
        return part
    if isinstance(part, str):
        return str(part)
    if isinstance(part, Integral):
        return int(part)
    if isinstance(part, Real) and math.isfinite(part):
        return float(part)
    raise ValueError(
        f"key = {key!r}: expected each part a string, a truth value or a finite number, "
        f"got {part!r}"
    )
