"""The shared store over Redis: two commands a read, one a write, and every error translated."""

import math
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from .shared_store import Found, StoreError, StoreGarbage, StoreTimeout

if TYPE_CHECKING:
    from redis.asyncio import Redis

_ENDLESS = -1  # what PTTL says of a key that has no end; -2 is one that is gone


class RedisStore:
    """``client`` is one of ``our_client``: it must not retry, since the levels can compute.

    It belongs to the event loop on which it is used first.
    """

    def __init__(self, client: "Redis"):
        self._client = client

    async def get(self, key: str) -> Found | None:
        """What lies under ``key``, if it is still alive.

        The remaining life is asked first: if the entry is replaced in between, the new value goes
        with the old life, the shorter one.
        """
        with _errors():
            async with self._client.pipeline(transaction=False) as both:
                life_ms, value = await both.pttl(key).get(key).execute()
        if type(life_ms) is not int or not isinstance(value, bytes | None):
            raise StoreGarbage(f"PTTL and GET answered {life_ms!r} and {type(value).__name__}")
        if value is None:
            return None
        return Found(value, math.inf if life_ms == _ENDLESS else max(0, life_ms) / 1000)

    async def set(self, key: str, value: bytes, *, px: int) -> None:
        """Keep ``value`` under ``key`` for ``px`` milliseconds."""
        with _errors():
            answer = await self._client.set(key, value, px=px)
        if answer is not True:
            raise StoreGarbage(f"SET answered {answer!r}")

    async def distrust(self) -> None:
        """Close the connections at rest: one may still hold the answer to an older question."""
        with _errors():
            await self._client.connection_pool.disconnect(inuse_connections=False)

    async def aclose(self) -> None:
        """Close all connections."""
        with _errors():
            await self._client.aclose()


@contextmanager
def _errors() -> Iterator[None]:
    """The client's errors as ours. What parses garbage may raise anything, so all is caught."""
    from redis import exceptions

    try:
        yield
    except (exceptions.TimeoutError, TimeoutError) as error:
        raise StoreTimeout(str(error)) from error
    except (exceptions.ConnectionError, OSError) as error:
        raise StoreError(str(error)) from error
    except Exception as error:
        raise StoreGarbage(f"{type(error).__name__}: {error}") from error
