"""Counters across restarts, against a server whose every event is known."""

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest

from labutils.metrics.latency import BucketHistogram
from labutils.telemetry.watching import Scrape, Scrapes, Series, counter_increase, stretch

EDGES_S = (0.1, 0.5, 2.0)


class Server:
    """A real client's counter and histogram; a restart forgets both."""

    def __init__(self, replica: str):
        self.replica = replica
        self.restart()

    def restart(self):
        self.registry = CollectorRegistry()
        self.requests = Counter("requests", "h", ["replica"], registry=self.registry)
        self.latency = Histogram(
            "latency_seconds", "h", ["replica"], buckets=EDGES_S, registry=self.registry
        )
        self.serve([])

    def serve(self, latencies_s):
        self.requests.labels(self.replica).inc(len(latencies_s))
        for latency in latencies_s:
            self.latency.labels(self.replica).observe(latency)

    @property
    def text(self) -> str:
        return generate_latest(self.registry).decode()


def counter(values, times_s=None) -> Scrapes:
    times_s = range(0, 15 * len(values), 15) if times_s is None else times_s
    return Scrapes(Scrape(t, {Series("c"): v}) for t, v in zip(times_s, values, strict=True))


@pytest.mark.parametrize("seed", range(5))
def test_increases_and_histograms_count_what_was_served(seed):
    draws = np.random.default_rng(seed)
    servers = {name: Server(name) for name in ("left", "right")}
    scrapes, served, counted = [], [], dict.fromkeys(servers, 0)
    for step in range(13):
        served.append({})
        for name, server in servers.items():
            if counted[name] > 40 and draws.random() < 0.5:
                server.restart()  # right after a scrape, so nothing is lost; below 40, so it shows
                counted[name] = 0
            batch = draws.exponential(0.6, draws.integers(3, 40)) * draws.choice([0.1, 3])
            server.serve(batch)
            counted[name] += len(batch)
            served[-1][name] = batch
        both = [Scrape.read(10.0 * step, server.text).values for server in servers.values()]
        scrapes.append(Scrape(10.0 * step, {**both[0], **both[1]}))
    watched = Scrapes(scrapes)
    for names in (["left"], ["right"], ["left", "right"]):
        labels = {"replica": names[0]} if len(names) == 1 else None
        inside = np.concatenate([served[step][name] for step in range(3, 10) for name in names])
        assert watched.increase("requests_total", 20, 90, labels) == len(inside)
        assert watched.rate("requests_total", 15, 99, labels) == pytest.approx(len(inside) / 70)
        expected = BucketHistogram(EDGES_S)
        expected.record_many(inside)
        found = watched.histogram("latency_seconds", 20, 90, labels)
        assert found.counts.tolist() == expected.counts.tolist()


def in_steps(batches, restarts_at=()):
    """Scrapes of one server that serves a batch before each of them; it restarts before some."""
    server, scrapes = Server("one"), []
    for step, batch in enumerate(batches):
        if step in restarts_at:
            server.restart()
        server.serve(batch)
        scrapes.append(Scrape.read(10.0 * step, server.text))
    return Scrapes(scrapes)


def test_a_histogram_across_a_restart_is_what_was_served():
    # After the restart the first bucket has overtaken its old count (1 -> 3), the whole has not.
    batches = [[0.3], [0.05, 0.3, 0.4, 1.0, 9.0, 9.0], [0.05, 0.05, 0.08], [0.4, 3.0]]
    found = in_steps(batches, restarts_at=[2]).histogram("latency_seconds", 0.0, 30.0)
    expected = BucketHistogram(EDGES_S)
    expected.record_many(np.concatenate(batches[1:]))
    assert found.counts.tolist() == expected.counts.tolist() == [4, 3, 1, 3]


def test_the_window_chooses_the_scrapes():
    scrapes = in_steps([[0.3] * 5, [0.3] * 7, [0.7] * 2, [0.01]])
    assert scrapes.increase("requests_total", 0, 20) == 9
    assert scrapes.increase("requests_total", 0.1, 30) == 3
    assert scrapes.rate("requests_total", 1, 29) == pytest.approx(2 / 10)
    assert scrapes.histogram("latency_seconds", 10, 30).counts.tolist() == [1, 0, 2, 0]
    assert math.isnan(scrapes.increase("requests_total", 11, 29))
    assert math.isnan(scrapes.increase("nobody_counts_this", 0, 30))
    assert scrapes.histogram("latency_seconds", 11, 29).count == 0


def test_replicas_are_corrected_before_they_are_added():
    rows = [(100, 40), (120, 90), (5, 400), (30, 450)]
    keys = [Series("c", (("replica", name),)) for name in ("a", "b")]
    scrapes = Scrapes(Scrape(t, dict(zip(keys, row))) for t, row in enumerate(rows))
    assert scrapes.increase("c", 0, 3) == (20 + 5 + 25) + 410
    assert scrapes.increase("c", 0, 3, {"replica": "a"}) == 50
    summed = [a + b for a, b in rows]
    assert counter_increase(summed) == summed[-1] - summed[0]  # the restart does not show
    assert scrapes.rate("c", 0, 3) == pytest.approx(460 / 3)


def test_a_series_that_comes_later_counts_from_its_first_scrape():
    old, new = Series("c", (("replica", "a"),)), Series("c", (("replica", "b"),))
    scrapes = Scrapes([
        Scrape(0, {old: 1}), Scrape(10, {old: 2, new: 50}), Scrape(20, {old: 4, new: 57}),
    ])  # fmt: skip
    assert scrapes.increase("c", 0, 20) == 3 + 7
    assert scrapes.rate("c", 0, 20) == pytest.approx(3 / 20 + 7 / 10)


@settings(max_examples=100, deadline=None, derandomize=True)
@given(st.lists(st.lists(st.integers(0, 50), min_size=1, max_size=8), min_size=1, max_size=6))
def test_the_increase_is_the_sum_of_steps_between_restarts(lives):
    """Each list is a life of the process: what it counted before each of its scrapes."""
    values = [int(total) for life in lives for total in np.cumsum(life)]
    seen = sum(v - u if v >= u else v for u, v in pairwise(values))
    assert counter_increase(values) == seen
    assert 0 <= seen <= sum(map(sum, lives)) - lives[0][0]


def test_a_restart_of_one_bucket_is_one_of_all():
    rows = [[3, 10], [5, 8]]
    assert counter_increase(rows).tolist() == [5, 8]
    assert [counter_increase(column) for column in np.transpose(rows)] == [2, 8]  # each by itself


def test_the_stretch_by_hand():
    # 4 scrapes, 15 s apart, at 5..50 s of a window of 60 s: both edges are near, 45 s become 60.
    near = counter([7, 9, 12, 13], [5, 20, 35, 50])
    assert near.stretched_increase("c", 0, 60) == pytest.approx(8)
    # 25 s are more than 1.1 gaps from the start: the series is guessed to begin half a gap before.
    far = counter([700, 703, 706], [25, 40, 55])
    assert far.stretched_increase("c", 0, 60) == pytest.approx(6 * (30 + 7.5 + 5) / 30)
    # A line through 1 and 7 reaches 0 after 5 s back: no further than that.
    young = counter([1, 4, 7], [15, 30, 45])
    assert young.stretched_increase("c", 0, 60) == pytest.approx(6 * (30 + 5 + 15) / 30)
    # Far from the start, with its 0 seven seconds back: half a gap. (Prometheus 2.42 says 42.)
    late = counter([7, 17, 27, 37], [25, 35, 45, 55])
    assert late.stretched_increase("c", 0, 60) == pytest.approx(40)
    assert far.increase("c", 0, 60) == young.increase("c", 0, 60) == 6


def test_the_stretch_of_a_still_counter_and_of_a_restarted_one():
    assert stretch(np.array([10.0, 20.0]), np.array([4.0, 4.0]), 0, 30) == pytest.approx(3)
    assert stretch(np.array([10.0, 20.0]), np.array([4.0, 1.0]), 0, 30) == pytest.approx(3)


def edge(le):
    return Scrapes([Scrape(0, {Series("h_bucket", (("le", le),)): 1})]).histogram("h", 0, 1)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: counter([1, 2], [5, 5]), r"scrapes = at \[5.0, 5.0\]: expected times that ascend"),
        (lambda: counter([1], [math.nan]), "time_s = nan: expected a finite number"),
        (lambda: counter([1, 2]).histogram("c", 0, 9), "name = 'c': expected a histogram that was"),
        (lambda: counter_increase([]), r"values = \[\]: expected at least one scrape"),
        (lambda: edge(""), "le = '' of h_bucket: expected a number"),
        (lambda: Scrape.read(0, "a\n"), "text, line 1 = 'a': expected a number"),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.parametrize("again", ["1.0", "1e0", "+1"])
def test_a_bucket_is_the_same_however_its_edge_is_spelled(again):
    def text(le, n):
        return f'h_bucket{{le="{le}"}} {n}\nh_bucket{{le="+Inf"}} {n + 1}\n'

    two = Scrapes([Scrape.read(0, text("1", 2)), Scrape.read(15, text(again, 5))])
    assert two.histogram("h", 0, 60).counts.tolist() == [3, 0]


def test_buckets_that_come_and_go_are_refused():
    low, high = (Series("h_bucket", (("le", le),)) for le in ("0.5", "+Inf"))
    torn = Scrapes([Scrape(0, {low: 1, high: 2}), Scrape(1, {high: 3})])
    with pytest.raises(ValueError, match="expected all buckets in each"):
        torn.histogram("h", 0, 1)
