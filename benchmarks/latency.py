"""What a percentile costs per value: exact, in buckets, in windows, beside other packages."""

from collections.abc import Iterator

import numpy as np

from labutils.metrics import RequestLog
from labutils.metrics.latency import BucketHistogram, LogHistogram, percentile, percentile_interval

from .registry import Goal, Row, Settings, Unavailable, benchmark
from .timing import Contender, Timing, side_by_side

VALUES = 200_000
QUANTILES = (0.5, 0.99, 0.999)


@benchmark
def exact(settings: Settings) -> Iterator[Row]:
    """Percentiles of 200,000 values, kept in full"""
    values = _latencies_s()
    timings = side_by_side(
        {
            "sort": _per_value(lambda: np.sort(values)),
            "numpy": _per_value(lambda: np.quantile(values, QUANTILES, method="inverted_cdf")),
            "three": _per_value(lambda: percentile(values, QUANTILES)),
            "one": _per_value(lambda: percentile(values, 0.99)),
            "interval": _per_value(lambda: percentile_interval(values, 0.99)),
        },
        rounds=settings.choose(9, 2),
    )
    yield _row("percentile, p99", timings["one"])
    yield _row("percentile, p50, p99, p99.9", timings["three"])
    yield _row("percentile_interval, p99", timings["interval"])
    yield _ratio("  numpy.quantile / percentile, all three", timings, "numpy", "three")
    yield _ratio("  sorting / percentile, all three", timings, "sort", "three")


@benchmark
def recording(settings: Settings) -> Iterator[Row]:
    """Recording 200,000 values in a histogram"""
    values = _latencies_s()
    timings = side_by_side(
        {
            "logarithms": _per_value(lambda: np.log(values)),
            "log": _per_value(lambda: LogHistogram().record_many(values)),
            "buckets": _per_value(lambda: BucketHistogram().record_many(values)),
            "numpy": _per_value(lambda: np.histogram(values, BucketHistogram().edges_s)),
            "singly": _singly(LogHistogram().record, values[: settings.choose(20_000, 2_000)]),
            **_peers(values[: settings.choose(20_000, 2_000)]),
        },
        rounds=settings.choose(9, 2),
    )
    note = f"{timings['log'].times_slower_than(timings['logarithms'])[0]:.1f} × the logarithms"
    yield _row("LogHistogram.record_many", timings["log"], note)
    yield _row("BucketHistogram.record_many", timings["buckets"])
    yield _row("LogHistogram.record, one by one", timings["singly"])
    yield _row("hdrhistogram record_value", timings["hdr"])
    yield _row("prometheus_client observe", timings["prometheus"])
    goal = Goal(30, at_least=True)
    yield _ratio("  hdrhistogram / LogHistogram.record_many", timings, "hdr", "log", goal)
    goal = Goal(30, at_least=True)
    yield _ratio(
        "  prometheus_client / BucketHistogram.record_many", timings, "prometheus", "buckets", goal
    )
    yield _ratio("  numpy.histogram / BucketHistogram.record_many", timings, "numpy", "buckets")


@benchmark
def reading(settings: Settings) -> Iterator[Row]:
    """Merging two histograms of 200,000 values each, and reading p99"""
    values = _latencies_s()
    ours, theirs = _recorded(values), _recorded(3 * values)
    hdr, other = _hdr(values[:20_000]), _hdr(3 * values[:20_000])
    timings = side_by_side(
        {
            "merge": Contender(lambda: ours.merge(theirs), repeats=9),
            "hdr merge": Contender(lambda: hdr.add(other), repeats=3),
            "quantile": Contender(lambda: ours.quantile(0.99), repeats=9),
            "hdr quantile": Contender(lambda: hdr.get_value_at_percentile(99), repeats=3),
        },
        rounds=settings.choose(9, 2),
    )
    for name in ("merge", "quantile"):
        timing = timings[name]
        yield Row(f"LogHistogram.{name}", timing.best_ns / 1e3, "µs", timing.median_ns / 1e3)
        yield _ratio(f"  hdrhistogram / LogHistogram.{name}", timings, f"hdr {name}", name)


@benchmark
def request_log(settings: Settings) -> Iterator[Row]:
    """The columns of a log of 200,000 requests"""
    rng = np.random.default_rng(5)
    arrival, first, last = np.cumsum(rng.exponential(size=(3, VALUES)), axis=0)
    tokens = rng.integers(1, 500, VALUES)

    def make():
        return RequestLog.from_times(arrival, last, first_token_s=first, output_tokens=tokens)

    log = make()
    timings = side_by_side(
        {
            "make": Contender(make, repeats=5),
            "columns": Contender(lambda: (log.ttft_s, log.tpot_s, log.e2e_s, log.ok), repeats=5),
            "goodput": Contender(
                lambda: log.goodput_per_s(0.5, 2.5, ttft_s=1.0, e2e_s=2.0), repeats=5
            ),
            "in flight": Contender(lambda: log.mean_in_flight(0.5, 2.5), repeats=5),
        },
        rounds=settings.choose(9, 2),
    )
    for key, name, goal in (
        ("make", "RequestLog.from_times, all rows checked", Goal(10)),
        ("columns", "ttft_s, tpot_s, e2e_s and ok", Goal(5)),
        ("goodput", "goodput_per_s", None),
        ("in flight", "mean_in_flight", None),
    ):
        yield Row(name, timings[key].best_ns / 1e6, "ms", timings[key].median_ns / 1e6, goal)


def _latencies_s() -> np.ndarray:
    return np.random.default_rng(2).lognormal(-1.0, 0.9, VALUES)


def _per_value(call) -> Contender:
    return Contender(call, VALUES, repeats=3)


def _singly(record, values) -> Contender:
    """One call per value, as a service would record."""
    singles = values.tolist()
    return Contender(lambda: [record(value) for value in singles], len(singles))


def _peers(values) -> dict[str, Contender]:
    """The packages that record a value a call, HdrHistogram in its whole microseconds."""
    try:
        from prometheus_client import CollectorRegistry, Histogram
    except ImportError:
        raise Unavailable("not installed: pip install prometheus-client") from None
    observe = Histogram("e2e_seconds", "e2e", registry=CollectorRegistry()).observe
    return {
        "hdr": _singly(_empty_hdr().record_value, _microseconds(values)),
        "prometheus": _singly(observe, values),
    }


def _recorded(values) -> LogHistogram:
    histogram = LogHistogram()
    histogram.record_many(values)
    return histogram


def _hdr(values):
    histogram = _empty_hdr()
    for value in _microseconds(values).tolist():
        histogram.record_value(value)
    return histogram


def _empty_hdr():
    """One µs to an hour at two significant digits, 1 % as ours."""
    try:
        from hdrh.histogram import HdrHistogram
    except ImportError:
        raise Unavailable("not installed: pip install hdrhistogram") from None
    return HdrHistogram(1, 3_600_000_000, 2)


def _microseconds(values) -> np.ndarray:
    return (values * 1e6).astype(np.int64) + 1


def _row(name: str, timing: Timing, note: str = "") -> Row:
    return Row(name, timing.best_ns, "ns", timing.median_ns, note=note)


def _ratio(name: str, timings: dict[str, Timing], slow: str, fast: str, goal=None) -> Row:
    best, median = timings[slow].times_slower_than(timings[fast])
    return Row(name, best, "×", median, goal)
