"""Who is there, who is killed, and how every request ended."""

import contextlib
import os
import signal
import threading
import time
from collections import Counter
from collections.abc import Iterable

import httpx
import psutil

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


def weighs() -> dict:
    """What this process has started: how many processes, their memory, where they listen."""
    some = psutil.Process().children(recursive=True)
    listening = [
        one.laddr.ip.removeprefix("::ffff:")
        for process in some
        for one in process.net_connections()
        if one.status == psutil.CONN_LISTEN
    ]
    mb = sum(process.memory_full_info().uss for process in some) / 1e6
    return {"processes": len(some), "mb": round(mb), "ports": len(listening),
            "addresses": sorted({*listening})}  # fmt: skip


def rows_of(records: Iterable[RequestRecord]) -> list[dict]:
    """Each request as plain data: when it was sent, its TTFT, when and how it ended, and where.

    Times are in seconds; ``replica`` and ``ttft_s`` are None where there was none.
    """
    return [
        {"sent_s": round(one.sent_s, 3), "finish_s": round(one.finish_s, 3),
         "ttft_s": round(one.ttft_s, 3) if len(one.token_times_s) else None,
         "replica": one.tags.get("replica"), "ended": _ending(one)}
        for one in records
    ]  # fmt: skip


def _ending(record: RequestRecord) -> str:
    reason = str(record.tags.get("reason", ""))
    if record.status is RequestStatus.OK:
        return DONE
    if record.status is RequestStatus.REJECTED or reason.startswith("HTTP "):
        return REFUSED
    return TOLD if reason.startswith("error event") else UNSAID


class Watch:
    """Looks every ``every_s`` at who is there and at one counter of each, until the block ends.

    ``times_s`` count from the block's begin; ``up`` has the numbers of the replicas that were up at
    each of them, and ``counts`` what the counter of each replica that answered said. A look that
    gets no answer leaves nothing.
    """

    def __init__(self, url: str, counter: str, *, every_s: float = 0.5):
        self.url, self.counter, self.every_s = url, counter, every_s
        self.times_s: list[float] = []
        self.up: list[list[int]] = []
        self.counts: list[dict[int, float]] = []
        self._over = threading.Event()
        self._looking = threading.Thread(target=self._look)

    def __enter__(self) -> "Watch":
        self.began_s = time.monotonic()
        self._looking.start()
        return self

    def __exit__(self, *_) -> None:
        self._over.set()
        self._looking.join()

    def told(self) -> dict:
        """What was seen, as plain data."""
        return {"times_s": self.times_s, "up": self.up, "counts": self.counts}

    def _look(self) -> None:
        with httpx.Client(base_url=self.url, timeout=5) as http:
            while not self._over.wait(self.every_s):
                with contextlib.suppress(httpx.HTTPError):  # the door is gone, or a replica hangs
                    self._look_once(http)

    def _look_once(self, http: httpx.Client) -> None:
        now_s = time.monotonic() - self.began_s
        up = [one["replica"] for one in http.get("/replicas").json() if one["is_up"]]
        told = {number: http.get(f"/replicas/{number}/metrics") for number in up}
        self.times_s.append(round(now_s, 3))
        self.up.append(up)
        self.counts.append({
            number: _value(one.text, self.counter)
            for number, one in told.items() if one.status_code == 200
        })  # fmt: skip


def _value(text: str, counter: str) -> float:
    """Of a counter in a server's metrics, summed over its labels."""
    lines = (line for line in text.splitlines() if line.partition("{")[0] == counter)
    return sum(float(line.rpartition(" ")[2]) for line in lines)
