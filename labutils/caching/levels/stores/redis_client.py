"""The client for Redis, built in one place, with its timeouts and its retries.

``redis`` is imported where a client is built, so that the levels run without it.
"""

import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from labutils.ground.arguments import positive, whole

if TYPE_CHECKING:
    from redis.asyncio import Redis


def our_client(socket: str | Path, *, timeout_s: float = 0.05, max_connections: int = 8) -> "Redis":
    """A client that tries once and gives up after ``timeout_s``.

    A cache need not be asked twice: the answer can be computed. More than ``max_connections``
    calls at a time wait for one another, up to the same time-out: opening a connection costs more
    than many calls over it, and one event loop keeps few of them busy.
    """
    from redis.asyncio import BlockingConnectionPool, Redis, UnixDomainSocketConnection
    from redis.asyncio.retry import Retry
    from redis.backoff import NoBackoff

    timeout_s = positive("timeout_s", timeout_s)
    pool = BlockingConnectionPool(
        connection_class=UnixDomainSocketConnection,
        path=str(socket),
        max_connections=whole("max_connections", max_connections),
        timeout=timeout_s,
        protocol=2,  # with the next line: nothing to negotiate, a fresh connection is ready sooner
        driver_info=None,
        retry=Retry(NoBackoff(), 0),
        socket_timeout=timeout_s,
        socket_connect_timeout=timeout_s,
    )
    return Redis.from_pool(pool)


def default_client(socket: str | Path) -> "Redis":
    """The client as it comes when nothing but the address is given."""
    from redis.asyncio import Redis

    return Redis(unix_socket_path=str(socket))


@dataclass(frozen=True)
class ClientSettings:
    """What a client does without an answer: ``retries`` after the first try, each after a wait.

    The wait before retry k is drawn evenly between 0 and ``base_s`` · 2^k, cut at ``cap_s``.
    ``timeout_s`` is how long a single try waits for a server that accepts and says nothing.
    """

    retries: int
    base_s: float
    cap_s: float
    timeout_s: float | None

    @property
    def expected_wait_s(self) -> float:
        """Mean of the waits between the tries of one call to a dead server, together.

        The mean of min(c, U) with U even on (0, m) is m/2 where m <= c, else c - c²/2m.
        """
        return sum(self._mean_wait_s(self.base_s * 2**k) for k in range(1, self.retries + 1))

    def _mean_wait_s(self, most_s: float) -> float:
        if most_s <= self.cap_s:
            return most_s / 2
        return self.cap_s - self.cap_s**2 / (2 * most_s)


def settings_of(client: "Redis") -> ClientSettings:
    """The settings that ``client`` was built with, as its connections will have them."""
    given = client.connection_pool.connection_kwargs
    retry = given["retry"]
    backoff = retry._backoff  # the library has no public name for it
    return ClientSettings(
        retries=retry.get_retries(),
        base_s=getattr(backoff, "_base", 0.0),
        cap_s=getattr(backoff, "_cap", 0.0),
        timeout_s=given.get("socket_timeout"),
    )


@dataclass(frozen=True)
class TimedCall:
    """How long one call took, and how it ended: ``"answered"`` or the name of the error."""

    took_s: float
    outcome: str


async def timed_call(client: "Redis") -> TimedCall:
    """Ask ``client`` for a key that nobody wrote, and close its connections."""
    begin_s = time.perf_counter()
    try:
        await client.get("levels:nobody wrote this")
        outcome = "answered"
    except Exception as error:  # whatever it is, it is the finding
        outcome = type(error).__name__
    took_s = time.perf_counter() - begin_s
    await client.aclose()
    return TimedCall(took_s, outcome)
