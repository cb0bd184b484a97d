"""Who is there, who is killed, and how every request ended."""

import os
import signal
from collections import Counter
from collections.abc import Iterable

import httpx

from labutils.metrics import RequestRecord, RequestStatus

DONE, REFUSED, TOLD, UNSAID = "done", "refused", "an error event", "lost unsaid"


def replicas_of(url: str) -> list[dict]:
    """Each replica that the door at ``url`` ever saw: number, process, in flight, whether up."""
    return httpx.get(f"{url}/replicas", timeout=30).raise_for_status().json()


def kill(url: str, number: int) -> int:
    """Kill the process of that replica, on this machine, without a word; returns its id."""
    pid = next(one["pid"] for one in replicas_of(url) if one["replica"] == number)
    os.kill(pid, signal.SIGKILL)
    return pid


def ended(records: Iterable[RequestRecord]) -> Counter:
    """How many requests ended how, as their clients saw it. None may be lost unsaid."""
    return Counter(_ending(record) for record in records)


def _ending(record: RequestRecord) -> str:
    reason = str(record.tags.get("reason", ""))
    if record.status is RequestStatus.OK:
        return DONE
    if record.status is RequestStatus.REJECTED or reason.startswith("HTTP "):
        return REFUSED
    return TOLD if reason.startswith("error event") else UNSAID
