"""A service under load as its watcher sees it: it is started, broken, scraped and ended."""

import math
import os
import subprocess
import sys
import time
from collections import deque

import httpx

from labutils.ground import arguments
from labutils.telemetry.watching import Scrape
from labutils.telemetry.watching.wall import RecordedReplica

from .live_faults import known

KEPT = 160  # scrapes: what is drawn, and the window before it
END_S = 5.0


class LiveService:
    """``python -m labutils.live`` with ``scrapes`` of it; ``start`` and ``close``, or a ``with``.

    Times count from the first scrape. The process ends with the one that started it.
    """

    def __init__(self, seed: int):
        self.seed = arguments.whole("seed", seed, at_least=0)
        self.scrapes: deque[Scrape] = deque(maxlen=KEPT)
        self.url = ""
        self._process: subprocess.Popen | None = None
        self._http: httpx.Client | None = None
        self._began_s: float | None = None

    def __enter__(self) -> "LiveService":
        self.start()
        return self

    def __exit__(self, *_) -> None:
        self.close()

    @property
    def is_running(self) -> bool:
        """Whether the server answers."""
        return bool(self.url)

    def start(self) -> None:
        """Wait until it serves. ``RuntimeError`` if it ends before."""
        self._process = subprocess.Popen(
            [sys.executable, "-m", "labutils.live", str(self.seed)], text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        )  # fmt: skip
        try:
            self.url = self._process.stdout.readline().strip()
            if not self.url:
                raise RuntimeError("the service ended before it served: its errors stand above")
            self._http = httpx.Client(base_url=self.url, timeout=30, trust_env=False)
        except BaseException:  # an interrupt while it starts, too
            self.close()
            raise

    def close(self) -> None:
        """End the server, even if it hangs."""
        self.url = ""
        if self._process is None:
            return
        self._process.stdin.close()
        try:
            self._process.wait(END_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process.stdout.close()
        self._process = None
        if self._http is not None:
            self._http.close()

    def inject(self, fault: str) -> None:
        """Let one of ``FAULTS`` begin. ``ValueError`` for any other name."""
        self._say(known(fault))

    def heal(self) -> None:
        """End the fault."""
        self._say("calm")

    def scrape(self) -> Scrape:
        """Read ``/metrics`` once and keep it."""
        self._must_run()
        text = self._http.get("/metrics").text
        now_s = time.monotonic()
        self._began_s = now_s if self._began_s is None else self._began_s
        self.scrapes.append(Scrape.read(now_s - self._began_s, text))
        return self.scrapes[-1]

    def follow(self, seconds: float, every_s: float = 0.5) -> None:
        """Scrape once an interval, for ``seconds``."""
        until_s = time.monotonic() + arguments.positive("seconds", seconds)
        while time.monotonic() < until_s:
            self.scrape()
            time.sleep(every_s)

    def replica(self, seconds: float = math.inf) -> RecordedReplica:
        """What was scraped in the last ``seconds``, as panels read it, and the scrape before."""
        kept, since_s = list(self.scrapes), self.scrapes[-1].time_s - seconds
        first = sum(scrape.time_s <= since_s for scrape in kept) - 1
        return RecordedReplica("live", tuple(kept[max(0, first) :]), ())

    def _must_run(self) -> None:
        if not self.is_running:
            raise RuntimeError("the service does not run: start it first")

    def _say(self, order: str) -> None:
        self._must_run()
        self._process.stdin.write(f"{order}\n")
        self._process.stdin.flush()
