"""A value as it lies in the shared store: it says what it is, whose it is, and that it is whole.

Bytes 0-3 the version, 4-19 a checksum of all that follows, 20-23 the length of the key's text, the
key's text, one byte for the kind, the value. A store that mixes up its answers, as a connection
does that still holds the reply to a cancelled request, hands out whole values of somebody else: the
key inside gives them away. The checksum finds accidents; it is no signature, so whoever may write
to the store may forge an entry.
"""

from hashlib import blake2b
from struct import Struct

VERSION = b"tif1"
_HEAD = Struct(">4s16sI")
_VALUE, _NOTHING = b"V", b"0"


class BrokenSeal(ValueError):
    """What lies in the store is not the value of this key; the message says why."""


def seal(text: str, value: bytes | None) -> bytes:
    """``value`` for the key of this ``text``; ``None`` says that there is none, which is known."""
    key = text.encode()
    body = key + (_NOTHING if value is None else _VALUE + value)
    return _HEAD.pack(VERSION, _checksum(len(key), body), len(key)) + body


def unseal(text: str, sealed: bytes) -> bytes | None:
    """The value that was sealed for this key. Raises ``BrokenSeal`` for anything else."""
    if not isinstance(sealed, bytes) or len(sealed) <= _HEAD.size:
        raise BrokenSeal("too short for a value of this cache")
    version, checksum, key_bytes = _HEAD.unpack_from(sealed)
    if version != VERSION:
        raise BrokenSeal(f"version {version!r}, expected {VERSION!r}")
    body = sealed[_HEAD.size :]
    if checksum != _checksum(key_bytes, body):
        raise BrokenSeal("the checksum does not fit")
    if body[:key_bytes] != text.encode():
        raise BrokenSeal("it was kept under another key")
    kind, value = body[key_bytes : key_bytes + 1], body[key_bytes + 1 :]
    if kind == _VALUE:
        return value
    if kind == _NOTHING and not value:
        return None
    raise BrokenSeal(f"kind {kind!r}, expected {_VALUE!r} or {_NOTHING!r}")


def _checksum(key_bytes: int, body: bytes) -> bytes:
    return blake2b(key_bytes.to_bytes(4, "big") + body, digest_size=16).digest()
