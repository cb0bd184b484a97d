"""The shared store where there is no Redis: a file of SQLite, which comes with Python."""

import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from labutils.ground.arguments import whole

from .shared_store import Found, StoreError, StoreGarbage

_TABLE = """
CREATE TABLE IF NOT EXISTS entries (key TEXT PRIMARY KEY, value BLOB, dies_s REAL) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS by_end ON entries (dies_s);
"""


class SqliteStore:
    """At most ``capacity`` entries in the file ``path``; beyond it those that end soonest leave.

    Calls run on the event loop itself: one takes microseconds, less than the way to a thread and
    back. So none may wait: a file that another process has locked is an error at once. ``clock``
    is the time of day, the one clock that processes share.
    """

    def __init__(
        self,
        path: str | Path,
        *,
        capacity: int = 100_000,
        clock: Callable[[], float] = time.time,
    ):
        self.capacity = whole("capacity", capacity)
        self._clock = clock
        self._sets = 0
        with _errors():
            # A page's checks may run on another thread; SQLite itself takes one call at a time.
            self._file = sqlite3.connect(
                path, timeout=0, isolation_level=None, check_same_thread=False
            )
            # What a cache loses with the machine's power need not be on disk.
            self._file.executescript("PRAGMA journal_mode=WAL; PRAGMA synchronous=OFF;" + _TABLE)

    async def get(self, key: str) -> Found | None:
        """What lies under ``key``, if it is still alive."""
        with _errors():
            query = "SELECT value, dies_s FROM entries WHERE key = ?"
            row = self._file.execute(query, (key,)).fetchone()
        if row is None:
            return None
        value, dies_s = row
        if not isinstance(value, bytes) or not isinstance(dies_s, float):
            raise StoreGarbage(f"an entry of {type(value).__name__} and {type(dies_s).__name__}")
        life_s = dies_s - self._clock()
        return Found(value, life_s) if life_s > 0 else None

    async def set(self, key: str, value: bytes, *, px: int) -> None:
        """Keep ``value`` under ``key`` for ``px`` milliseconds."""
        with _errors():
            entry = key, value, self._clock() + px / 1000
            self._file.execute("INSERT OR REPLACE INTO entries VALUES (?, ?, ?)", entry)
            self._sets += 1
            if self._sets % max(1, self.capacity // 10) == 0:
                self._sweep()

    async def distrust(self) -> None:
        """Nothing to do: a file mixes up no answers."""

    async def aclose(self) -> None:
        """Close the file; from then on every call is a ``StoreError``."""
        self._file.close()

    def _sweep(self) -> None:
        """Remove what has ended, and what ends soonest where there are too many."""
        self._file.execute("DELETE FROM entries WHERE dies_s <= ?", (self._clock(),))
        (count,) = self._file.execute("SELECT count(*) FROM entries").fetchone()
        soonest = "SELECT key FROM entries ORDER BY dies_s LIMIT ?"
        surplus = (max(0, count - self.capacity),)
        self._file.execute(f"DELETE FROM entries WHERE key IN ({soonest})", surplus)


@contextmanager
def _errors() -> Iterator[None]:
    """SQLite's errors as ours; a damaged file is garbage, all else a store that fails."""
    try:
        yield
    except (sqlite3.OperationalError, sqlite3.ProgrammingError) as error:
        raise StoreError(str(error)) from error
    except sqlite3.Error as error:
        raise StoreGarbage(str(error)) from error
