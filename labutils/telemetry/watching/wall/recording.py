"""A run that was recorded: what each replica's ``/metrics`` said, and what its users saw."""

import json
import lzma
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from labutils import datafile
from labutils.ground import arguments
from labutils.metrics.latency import BucketHistogram
from labutils.telemetry.watching import Scrape, Scrapes, Series, histogram_of, read_sample

FILE = "watching.jsonl.xz"
SERVICE = ("a", "b", "c", "d")  # the replicas that users meet; the canary stands beside them


@dataclass(frozen=True)
class User:
    """What one user saw, from the moment of asking on; ``ttft_s`` is infinite without an answer.

    ``tries`` counts the requests that the client sent for it.
    """

    arrival_s: float
    ttft_s: float
    end_s: float
    tries: int
    is_answered: bool


@dataclass(frozen=True)
class RecordedReplica:
    """One server's scrapes, in order of time, and its users, in order of arrival."""

    name: str
    scrapes: tuple[Scrape, ...]
    users: tuple[User, ...]

    @cached_property
    def times_s(self) -> np.ndarray:
        """The moments of the scrapes."""
        return np.array([scrape.time_s for scrape in self.scrapes])

    def raw(self, name: str, **labels: str) -> np.ndarray:
        """For each scrape a metric's value, over all series with these labels; 0 without any."""
        found = [one for one in self._series if one.name == name]
        found = [one for one in found if labels.items() <= dict(one.labels).items()]
        return sum((self._column(series) for series in found), np.zeros(len(self.scrapes)))

    def counter(self, name: str, **labels: str) -> np.ndarray:
        """For each scrape what a counter has counted since the first one, restarts corrected."""
        key = name, *labels.items()
        if key not in self._kept:
            self._kept[key] = unbroken(self.raw(name, **labels))
        return self._kept[key]

    def buckets(self, name: str) -> np.ndarray:
        """For each scrape (row) the cumulative counts of a histogram, restarts corrected."""
        if f"{name}_bucket" not in self._kept:
            columns = [self._column(series) for _, series in self._ladder(name)]
            self._kept[f"{name}_bucket"] = unbroken(np.column_stack(columns))
        return self._kept[f"{name}_bucket"]

    def edges_s(self, name: str) -> list[float]:
        """The upper edges of a histogram, infinity the last."""
        return [edge for edge, _ in self._ladder(name)]

    def at(self, rows: np.ndarray, moment_s: float):
        """The row of the last scrape up to a moment; the first row before any."""
        return rows[max(0, int(np.searchsorted(self.times_s, moment_s, side="right")) - 1)]

    def within(self, rows: np.ndarray, since_s: float, until_s: float):
        """How far counters rose between two moments."""
        return self.at(rows, until_s) - self.at(rows, since_s)

    def histogram(self, name: str, since_s: float, until_s: float) -> BucketHistogram:
        """What a histogram counted between two moments."""
        counts = self.within(self.buckets(name), since_s, until_s)
        return histogram_of(self.edges_s(name), counts)

    @cached_property
    def _kept(self) -> dict[object, np.ndarray]:
        return {}

    @cached_property
    def _ladders(self) -> dict[str, list[tuple[float, Series]]]:
        return {}

    @cached_property
    def _series(self) -> list[Series]:
        return list({series: None for scrape in self.scrapes for series in scrape.values})

    def _column(self, series: Series) -> np.ndarray:
        return np.array([scrape.values.get(series, 0.0) for scrape in self.scrapes])

    def _ladder(self, name: str) -> list[tuple[float, Series]]:
        """The buckets of a histogram with their upper edges, in order."""
        if name not in self._ladders:
            found = [series for series in self._series if series.name == f"{name}_bucket"]
            if not found:
                raise ValueError(f"name = {name!r}: expected a histogram that was scraped")
            edges = [(float(series.label("le")), series) for series in found]
            self._ladders[name] = sorted(edges, key=lambda pair: pair[0])
        return self._ladders[name]


@dataclass(frozen=True)
class Recording:
    """All replicas by name, and ``about``: where, when, and what was done to them."""

    about: Mapping
    replicas: Mapping[str, RecordedReplica]

    @classmethod
    def load(cls) -> "Recording":
        """The run that the course keeps."""
        lines = lzma.decompress(datafile(FILE).read_bytes()).decode().splitlines()
        about, *rows = map(json.loads, lines)
        met: dict[str, Series] = {}
        return cls(about, {row["replica"]: _replica(row, met) for row in rows})

    def service(self) -> tuple[RecordedReplica, ...]:
        """The replicas that users meet."""
        return tuple(self.replicas[name] for name in SERVICE)

    def users(self, since_s: float = 0.0, until_s: float = np.inf) -> list[User]:
        """The service's users that arrived between two moments."""
        every = [user for replica in self.service() for user in replica.users]
        return [user for user in every if since_s <= user.arrival_s < until_s]

    def scrapes(self, names: Sequence[str] = SERVICE) -> Scrapes:
        """Several replicas as one scraper sees them: told apart by the label ``replica``."""
        together: dict[float, dict[Series, float]] = {}
        for name in names:
            for scrape in self.replicas[name].scrapes:
                values = together.setdefault(scrape.time_s, {})
                values |= {_of(name, series): value for series, value in scrape.values.items()}
        return Scrapes(Scrape(time_s, values) for time_s, values in sorted(together.items()))


def unbroken(values) -> np.ndarray:
    """What counters have counted since their first row, row by row: restarts start at 0.

    A row is one scrape; where any column falls, all have started anew.
    """
    rows = np.asarray(values, dtype=float)
    if rows.ndim not in (1, 2) or not len(rows):
        raise ValueError(f"values = shape {rows.shape}: expected a row for each scrape")
    table = rows.reshape(len(rows), -1)
    steps = np.diff(table, axis=0)
    fell = (steps < 0).any(axis=1, keepdims=True)
    steps = np.where(fell, table[1:], steps)
    first = np.zeros((1, table.shape[1]))
    return np.concatenate((first, np.cumsum(steps, axis=0))).reshape(rows.shape)


def _replica(row: dict, met: dict[str, Series]) -> RecordedReplica:
    scrapes = tuple(_scrape(one["time_s"], one["text"], met) for one in row["scrapes"])
    return RecordedReplica(row["replica"], scrapes, tuple(map(_user, row["users"])))


def _scrape(time_s: float, text: str, met: dict[str, Series]) -> Scrape:
    """``Scrape.read``, which reads each series once: hundreds of scrapes hold the same ones."""
    values = {}
    for line in text.splitlines():
        if line and not line.startswith("#"):
            name, _, value = line.rpartition(" ")
            if name not in met:
                met[name] = read_sample(line).series
            values[met[name]] = float(value)
    return Scrape(time_s, values)


def _user(row: dict) -> User:
    ttft_s = arguments.positive("ttft_s", row["ttft_s"]) if "ttft_s" in row else np.inf
    return User(row["arrival_s"], ttft_s, row["end_s"], row["tries"], row["status"] == "ok")


def _of(replica: str, series: Series) -> Series:
    return Series(series.name, tuple(sorted((*series.labels, ("replica", replica)))))
