"""Records as lines of JSON: what a worker hands over, and what may be kept of a run."""

import json
import math
from dataclasses import fields

from labutils.metrics import RequestRecord

_TIMES = ("intended_arrival_s", "sent_s", "admitted_s", "finish_s")
_NAMES = tuple(one.name for one in fields(RequestRecord))


def as_line(record: RequestRecord) -> str:
    """The record as one line without its end; a time that was not reached is null."""
    content = {name: getattr(record, name) for name in _NAMES}
    for name in _TIMES:
        content[name] = None if math.isnan(content[name]) else content[name]
    content["token_times_s"] = record.token_times_s.tolist()
    return json.dumps(content, allow_nan=False)


def from_line(line: str) -> RequestRecord:
    """Read a record back; ``ValueError`` for what is none."""
    try:
        content = json.loads(line)
        for name in _TIMES:
            content[name] = math.nan if content[name] is None else content[name]
        return RequestRecord(**content)
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise ValueError(f"record = {line[:80]!r}: expected a line of a run ({error})") from None
