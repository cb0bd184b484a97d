"""Scrapes of one or more servers, one after the other, and how fast their counters grew."""

import math
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import groupby

import numpy as np

from labutils.ground import arguments
from labutils.metrics.latency import BucketHistogram

from .exposition import Series, read_exposition
from .quantile import histogram_of


@dataclass(frozen=True)
class Scrape:
    """What was read at one moment: ``time_s`` on any clock, the value of each series."""

    time_s: float
    values: Mapping[Series, float]

    @classmethod
    def read(cls, time_s: float, text: str) -> "Scrape":
        """A scrape from the text that the server sent; ``ValueError`` as ``read_exposition``."""
        families = read_exposition(text).values()
        samples = [sample for family in families for sample in family.samples]
        return cls(time_s, {sample.series: sample.value for sample in samples})


def counter_increase(values) -> np.ndarray | float:
    """How far a counter rose from its first value to its last, restarts corrected.

    Last - first + the sum of all values that were followed by a smaller one: a counter falls only
    when its process starts anew at 0. What it counted between its last scrape and the restart is
    lost, and a restart after which it has overtaken its old value goes unseen. ``values`` has one
    row for each scrape; a second axis holds counters that restart together, such as the buckets of
    a histogram: whichever falls tells the restart of all. ``ValueError`` without a row.
    """
    rows = np.asarray(values, dtype=float)
    if not len(rows):
        raise ValueError("values = []: expected at least one scrape")
    falls = np.diff(rows, axis=0) < 0
    restarts = falls if rows.ndim == 1 else falls.any(axis=1, keepdims=True)
    return (rows[-1] - rows[0] + (rows[:-1] * restarts).sum(axis=0))[()]


class Scrapes:
    """Scrapes in order of time; several servers tell themselves apart by a label.

    All figures are about the scrapes from ``since_s`` to ``until_s``, both ends included
    (Prometheus 3 leaves the start out), and about the series of a name that carry the given labels:
    each is corrected for its restarts first, then they are added. Added first, the restart of one
    would hide in the rise of the others. NaN where no series has two scrapes there.

    ``ValueError`` unless the times ascend.
    """

    def __init__(self, scrapes: Iterable[Scrape]):
        self._scrapes = tuple(scrapes)
        self._times_s = [arguments.finite("time_s", scrape.time_s) for scrape in self._scrapes]
        if any(later <= earlier for earlier, later in zip(self._times_s, self._times_s[1:])):
            raise ValueError(f"scrapes = at {self._times_s}: expected times that ascend")

    def points(self, series: Series, since_s: float, until_s: float) -> tuple[np.ndarray, ...]:
        """(times in seconds, values) of one series; scrapes that lack it are left out."""
        inside = self._inside(since_s, until_s)
        there = [scrape for scrape in inside if series in scrape.values]
        times_s = [scrape.time_s for scrape in there]
        return np.array(times_s), np.array([scrape.values[series] for scrape in there])

    def _inside(self, since_s: float, until_s: float) -> tuple[Scrape, ...]:
        return self._scrapes[
            bisect_left(self._times_s, since_s) : bisect_right(self._times_s, until_s)
        ]

    def matching(self, name: str, labels: Mapping[str, str] | None = None) -> list[Series]:
        """All series of that name with at least these labels, sorted."""
        wanted = set((labels or {}).items())
        met = {series for scrape in self._scrapes for series in scrape.values}
        found = [one for one in met if one.name == name and wanted <= set(one.labels)]
        return sorted(found, key=lambda series: series.labels)

    def increase(
        self, name: str, since_s: float, until_s: float, labels: Mapping[str, str] | None = None
    ) -> float:
        """How much the counters rose between the first and the last scrape of the window.

        It is a whole number for a counter of events. Prometheus' ``increase`` is not: it stretches
        the result to the edges of the window, as ``stretched_increase`` does.
        """
        return self._sum(name, labels, (since_s, until_s), lambda _, v: counter_increase(v))

    def rate(
        self, name: str, since_s: float, until_s: float, labels: Mapping[str, str] | None = None
    ) -> float:
        """The increase per second between the first and the last scrape of the window.

        Prometheus' ``rate`` stretches the increase first and divides by the whole window: the same
        where scrapes reach close to both its edges, less where the series began or ended inside.
        """
        return self._sum(
            name, labels, (since_s, until_s), lambda t, v: counter_increase(v) / (t[-1] - t[0])
        )

    def stretched_increase(
        self, name: str, since_s: float, until_s: float, labels: Mapping[str, str] | None = None
    ) -> float:
        """The increase as Prometheus shows it: each series' own, stretched to the window."""
        window = since_s, until_s
        return self._sum(
            name, labels, window, lambda t, v: counter_increase(v) * stretch(t, v, *window)
        )

    def histogram(
        self, name: str, since_s: float, until_s: float, labels: Mapping[str, str] | None = None
    ) -> BucketHistogram:
        """What the histograms of that name counted within the window, bucket by bucket, added up.

        ``name`` is the family's, without ``_bucket``. Prometheus corrects each bucket for restarts
        by itself, so a bucket that has overtaken its old count while the others have not leaves it
        with a crooked histogram; here the buckets of one series restart together.
        """
        total = None
        found = sorted(self.matching(f"{name}_bucket", labels), key=_owner)
        for _, buckets in groupby(found, key=_owner):
            one = self._one_histogram(list(buckets), since_s, until_s)
            total = one if total is None else total.merge(one)
        if total is None:
            raise ValueError(f"name = {name!r}: expected a histogram that was scraped")
        return total

    def _one_histogram(self, buckets, since_s: float, until_s: float) -> BucketHistogram:
        """A server may respell an edge, ``1`` as ``1.0``: buckets are told by its number."""
        edges = {series: _upper_edge(series) for series in buckets}
        inside = self._inside(since_s, until_s)
        rows: dict[float, list[float]] = {edge: [] for edge in sorted(edges.values())}
        for scrape in inside:
            found = {edges[one]: scrape.values[one] for one in buckets if one in scrape.values}
            if found and (missing := rows.keys() - found):
                raise ValueError(
                    f"scrapes = at {scrape.time_s} s without le = {min(missing)} of "
                    f"{buckets[0].name}: expected all buckets in each"
                )
            for edge, value in found.items():
                rows[edge].append(value)
        counts = np.zeros(len(rows))
        if len(rows[min(rows)]) > 1:
            counts = counter_increase(np.column_stack(list(rows.values())))
        return histogram_of(list(rows), counts)

    def _sum(self, name, labels, window, of_one) -> float:
        points = (self.points(series, *window) for series in self.matching(name, labels))
        grown = [float(of_one(times, values)) for times, values in points if len(times) > 1]
        return math.fsum(grown) if grown else math.nan


def stretch(times_s, values, since_s: float, until_s: float) -> float:
    """The factor by which Prometheus stretches an increase to the edges of the window.

    Out to an edge that is less than 1.1 mean gaps away, else out by half a gap, where the series is
    guessed to have begun or ended; never back beyond the moment at which the line through the
    counter reaches 0. Source: ``extrapolatedRate`` in ``promql/functions.go`` as of 2026.

    Prometheus 2.42 differs in one case: with the edge far away and that 0 between 0.5 and 1.1 gaps
    before the first scrape, it goes back to the 0.
    """
    covered = times_s[-1] - times_s[0]
    gap = covered / (len(times_s) - 1)
    before, after = (
        gap / 2 if distance >= 1.1 * gap else distance
        for distance in (times_s[0] - since_s, until_s - times_s[-1])
    )
    grown = counter_increase(values)
    if grown > 0:
        before = min(before, covered * values[0] / grown)
    return float((covered + before + after) / covered)


def _owner(series: Series) -> tuple:
    return tuple(pair for pair in series.labels if pair[0] != "le")


def _upper_edge(series: Series) -> float:
    edge = series.label("le")
    try:
        return float(edge)
    except ValueError:
        raise ValueError(f"le = {edge!r} of {series.name}: expected a number") from None
