"""What the second level asks of a store that several processes share, and how a store fails."""

from dataclasses import dataclass
from typing import Protocol


class StoreError(Exception):
    """The store did not do what it was asked for: it is dead, full, locked or refuses."""


class StoreTimeout(StoreError):
    """The store did not answer in its time."""


class StoreGarbage(StoreError):
    """The store answered, and the answer makes no sense."""


@dataclass(frozen=True)
class Found:
    """``value`` as it was set, and the seconds that it has to live at least, from the asking on."""

    value: bytes
    life_s: float


class SharedStore(Protocol):
    """Bytes under a text, each with an end. All errors are ``StoreError``; cancelling is safe."""

    async def get(self, key: str) -> Found | None:
        """What lies under ``key``, if it is still alive."""

    async def set(self, key: str, value: bytes, *, px: int) -> None:
        """Keep ``value`` under ``key`` for ``px`` milliseconds."""

    async def distrust(self) -> None:
        """Give up connections at rest, after an answer that was not to the question."""

    async def aclose(self) -> None:
        """Let go of files and connections."""
