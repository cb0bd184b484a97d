"""How a request can end."""

from enum import StrEnum


class RequestStatus(StrEnum):
    """How a request ended."""

    OK = "ok"
    CANCELLED = "cancelled"
    TIMED_OUT = "timed_out"
    FAILED = "failed"
    REJECTED = "rejected"


def as_status(name: str, value) -> RequestStatus:
    """``value`` as a status, if it is one; ``ValueError`` that lists them otherwise."""
    try:
        return RequestStatus(value)
    except ValueError:
        known = ", ".join(repr(str(status)) for status in RequestStatus)
        raise ValueError(f"{name} = {value!r}: expected one of {known}") from None
