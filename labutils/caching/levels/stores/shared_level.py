"""The shared store that this machine can have, and one sentence that says which."""

import os
import shutil
import tempfile
from importlib.util import find_spec
from pathlib import Path

from .redis_client import our_client
from .redis_server import RedisServer
from .redis_store import RedisStore
from .shared_store import SharedStore
from .sqlite_store import SqliteStore


class SharedLevel:
    """``store`` for the second level; ``server`` is ours to kill, or ``None`` with SQLite.

    ``async with`` or ``aclose`` end what was started. Printed, it says what it is.
    """

    def __init__(self, store: SharedStore, sentence: str, *, server=None, folder=None):
        self.store, self.sentence, self.server = store, sentence, server
        self._folder = folder

    def __str__(self) -> str:
        return self.sentence

    async def aclose(self) -> None:
        """Close the store, end the server, remove the file."""
        await self.store.aclose()
        if self.server is not None:
            self.server.stop()
        if self._folder is not None:
            self._folder.cleanup()

    async def __aenter__(self) -> "SharedLevel":
        return self

    async def __aexit__(self, *error) -> None:
        await self.aclose()


def redis_or_sqlite(*, timeout_s: float = 0.05) -> SharedLevel:
    """Redis in a process of its own if this machine has it, else a file of SQLite."""
    missing = why_no_redis()
    if missing is None:
        try:
            server = RedisServer().start()
        except (OSError, RuntimeError) as error:
            missing = str(error)
        else:
            sentence = "The shared level is a real Redis, on a private socket, nothing on disk."
            client = our_client(server.socket, timeout_s=timeout_s)
            return SharedLevel(RedisStore(client), sentence, server=server)
    folder = tempfile.TemporaryDirectory(prefix="levels-", ignore_cleanup_errors=True)
    sentence = f"The shared level is SQLite, since there is no Redis here ({missing})."
    return SharedLevel(SqliteStore(Path(folder.name) / "levels.sqlite"), sentence, folder=folder)


def why_no_redis() -> str | None:
    """What is missing for a Redis of our own, or ``None``."""
    if os.name != "posix":
        return "this system starts no Redis of our own"
    if find_spec("redis") is None:
        return "the package redis is not installed"
    return None if shutil.which("redis-server") else "no redis-server on the path"
