"""Answers kept under the meaning of the question: found by the similarity of vectors."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from labutils.ground.arguments import positive, whole

_ROUNDING = 1e-6  # of a dot product of 32-bit unit vectors: a threshold of 1 finds an equal one


@dataclass(frozen=True)
class Scope:
    """Who may share an answer: all of it has to agree. ``settings`` names sampling and tools."""

    tenant: str
    model: str
    prompt_version: str
    settings: str = ""


@dataclass(frozen=True)
class Hit:
    """An ``answer``, the cosine ``similarity`` of its question, the documents it was made from."""

    answer: object
    similarity: float
    sources: frozenset[str]


class SemanticCache:
    """The most similar question's answer, if similar enough, within one ``Scope``.

    ``threshold`` is a cosine similarity: at least that much is a hit. An entry serves for less than
    ``ttl_s`` after its ``put``; ``clock`` returns seconds. Each scope has ``capacity`` entries of
    its own and the least recently used one leaves, so that no tenant can push out another's.
    ``hits``, ``misses``, ``evictions`` count. Vectors have ``dimension`` finite numbers, not all 0.
    """

    def __init__(
        self,
        *,
        dimension: int,
        threshold: float,
        capacity: int,
        ttl_s: float,
        clock: Callable[[], float],
    ):
        if not -1 <= threshold <= 1:
            raise ValueError(f"threshold = {threshold!r}: expected a cosine from -1 to 1")
        self.dimension = whole("dimension", dimension)
        self.threshold, self.ttl_s = float(threshold), positive("ttl_s", ttl_s)
        self.capacity, self._clock = whole("capacity", capacity), clock
        self._shelves: dict[Scope, _Shelf] = {}
        self.hits = self.misses = self.evictions = 0

    def get(self, scope: Scope, vector) -> Hit | None:
        """The best fresh match at or above the threshold, else ``None``."""
        vector = self._unit(vector)
        shelf = self._shelves.get(scope)
        found = shelf.best(vector, self._clock()) if shelf else None
        if found is None or found.similarity < self.threshold - _ROUNDING:
            self.misses += 1
            return None
        self.hits += 1
        shelf.touch(found.row)
        return Hit(shelf.answers[found.row], found.similarity, shelf.sources[found.row])

    def put(self, scope: Scope, vector, answer: object, *, sources: Iterable[str] = ()) -> None:
        """Keep ``answer``; the same vector again replaces it. ``sources`` name its documents."""
        vector = self._unit(vector)
        if isinstance(sources, str):
            raise ValueError(f"sources = {sources!r}: expected several names, not one string")
        shelf = self._shelves.setdefault(scope, _Shelf(self.dimension, self.capacity))
        now_s = self._clock()
        row, evicts = shelf.row_for(vector, now_s)
        self.evictions += evicts
        shelf.fill(row, vector, answer, frozenset(sources), now_s + self.ttl_s)

    def drop_source(self, source: str) -> int:
        """Forget every answer made from document ``source``, in all scopes; how many they were."""
        return sum(shelf.drop_source(source) for shelf in self._shelves.values())

    def __len__(self) -> int:
        now_s = self._clock()
        return sum(int((shelf.dies_s > now_s).sum()) for shelf in self._shelves.values())

    def _unit(self, vector) -> np.ndarray:
        """``vector`` with length 1, so that a dot product is a cosine."""
        vector = np.asarray(vector, dtype=float)
        if vector.shape != (self.dimension,):
            raise ValueError(f"vector of shape {vector.shape}: expected ({self.dimension},)")
        if not np.isfinite(vector).all():
            at = int(np.flatnonzero(~np.isfinite(vector))[0])
            raise ValueError(f"vector[{at}] = {vector[at]}: expected finite numbers only")
        if not vector.any():
            raise ValueError("vector is zero everywhere: expected one with a direction")
        vector = vector / np.abs(vector).max()  # or squares of large numbers overflow
        return (vector / np.linalg.norm(vector)).astype(np.float32)


@dataclass(frozen=True)
class _Match:
    row: int
    similarity: float


class _Shelf:
    """The entries of one scope, a row each. A row whose ``dies_s`` has passed is free."""

    def __init__(self, dimension: int, capacity: int):
        self.capacity = capacity
        self.vectors = np.zeros((0, dimension), np.float32)
        self.dies_s, self.used_at = np.zeros(0), np.zeros(0, np.int64)
        self.answers: list[object] = []
        self.sources: list[frozenset[str]] = []
        self._turn = 0  # of use: a clock may stand still between two

    def best(self, vector: np.ndarray, now_s: float) -> _Match | None:
        """The row nearest to ``vector`` among the fresh ones: one product for all of them."""
        similarity = np.where(self.dies_s > now_s, self.vectors @ vector, -np.inf)
        if not similarity.size or similarity.max() == -np.inf:
            return None
        row = int(similarity.argmax())
        return _Match(row, float(np.clip(similarity[row], -1, 1)))

    def touch(self, row: int) -> None:
        """Make ``row`` the most recently used."""
        self._turn += 1
        self.used_at[row] = self._turn

    def row_for(self, vector: np.ndarray, now_s: float) -> tuple[int, bool]:
        """A row to write in, and whether a fresh entry has to leave it."""
        same = np.flatnonzero((self.vectors == vector).all(axis=1))
        free = same if same.size else np.flatnonzero(self.dies_s <= now_s)
        if free.size:
            return int(free[0]), False
        if len(self.answers) == self.capacity:
            return int(self.used_at.argmin()), True
        self._grow(min(self.capacity, 2 * len(self.answers) + 8))
        return self.row_for(vector, now_s)

    def fill(self, row: int, vector, answer, sources: frozenset[str], dies_s: float) -> None:
        """Write an entry over whatever the row held."""
        self.vectors[row], self.dies_s[row] = vector, dies_s
        self.answers[row], self.sources[row] = answer, sources
        self.touch(row)

    def drop_source(self, source: str) -> int:
        """Free the rows whose answers were made from ``source``."""
        rows = [row for row, sources in enumerate(self.sources) if source in sources]
        for row in rows:
            self.answers[row], self.sources[row] = None, frozenset()
            self.vectors[row], self.dies_s[row] = 0, -np.inf
        return len(rows)

    def _grow(self, rows: int) -> None:
        new = rows - len(self.answers)
        self.vectors = np.pad(self.vectors, ((0, new), (0, 0)))
        self.dies_s = np.pad(self.dies_s, (0, new), constant_values=-np.inf)
        self.used_at = np.pad(self.used_at, (0, new))
        self.answers += [None] * new
        self.sources += [frozenset()] * new
