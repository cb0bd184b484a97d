"""Generators before a freezing server, against one that counts milliseconds one by one."""

import numpy as np
import pytest

from labutils.metrics.latency import percentile
from labutils.simulation.closed_loop import closed_loop, open_loop


def tick_by_tick(sent_ms, work_ms, stalls_ms):
    """When ``work_ms`` whole milliseconds outside of all freezes are over, counted one by one."""
    now = sent_ms
    while work_ms:
        work_ms -= not any(start <= now < end for start, end in stalls_ms)
        now += 1
    return now


def some_traffic(seed):
    rng = np.random.default_rng(seed)
    edges = np.sort(rng.choice(np.arange(1, 400), size=6, replace=False)).tolist()
    stalls = list(zip(edges[::2], edges[1::2], strict=True))
    return np.sort(rng.integers(0, 420, 61)), rng.integers(1, 60, 61), stalls


@pytest.mark.parametrize("seed", range(8))
def test_the_open_loop_equals_a_count_of_milliseconds(seed):
    sent, work, stalls = some_traffic(seed)
    log = open_loop(sent, work, stalls_s=stalls)
    expected = [tick_by_tick(s, w, stalls) for s, w in zip(sent, work, strict=True)]
    assert log.done_s == pytest.approx(expected, abs=1e-9)
    assert (log.sent_s == sent).all() and len(log) == 61
    assert log.latency_s == pytest.approx(np.array(expected) - sent, abs=1e-9)


@pytest.mark.parametrize(("seed", "clients", "think"), [(1, 1, 0), (2, 1, 7), (3, 3, 0), (4, 4, 5)])
def test_the_closed_loop_equals_a_count_of_milliseconds(seed, clients, think):
    _, work, stalls = some_traffic(seed)
    rows = []
    for client in range(clients):
        now = 0
        for request in work[client::clients]:
            done = tick_by_tick(now, request, stalls)
            rows.append((now, done))
            now = done + think
    log = closed_loop(work, num_clients=clients, think_s=think, stalls_s=stalls)
    got = sorted(zip(log.sent_s.tolist(), log.done_s.tolist(), strict=True))
    assert np.array(got) == pytest.approx(np.array(sorted(rows)))
    assert (np.diff(log.sent_s) >= 0).all()


def test_without_a_freeze_both_record_the_work():
    work = np.array([0.3, 0.0, 0.7, 0.2])
    assert open_loop([1, 1, 1.5, 9], work).latency_s == pytest.approx(work)
    log = closed_loop(work, think_s=0.1)
    assert log.latency_s == pytest.approx(work)
    assert log.sent_s == pytest.approx([0, 0.4, 0.5, 1.3])


def test_each_waiting_client_records_a_long_freeze_once():
    for clients in (1, 5):
        log = closed_loop(np.full(3_000, 0.01), num_clients=clients, stalls_s=[(2.003, 50)])
        assert (log.latency_s > 1).sum() == clients


def test_the_stall_of_tenes_talk():
    """100 requests a second at 1 ms for 100 s, then 100 s frozen; computed by hand."""
    stall = [(100.0, 200.0)]
    waited = closed_loop(np.full(10_001, 0.001), think_s=0.009, stalls_s=stall).latency_s
    assert waited.mean() == pytest.approx(0.0110, rel=1e-3)
    assert percentile(waited, 0.9999) == pytest.approx(0.001)
    meant = open_loop(0.01 * np.arange(20_000), np.full(20_000, 0.001), stalls_s=stall).latency_s
    assert meant.mean() == pytest.approx(0.001 + (100 + 0.01) / 4, rel=1e-6)
    assert percentile(meant, [0.5, 0.75, 0.99]) == pytest.approx([0.001, 50, 98], rel=1e-3)


def test_what_is_given_stays_as_it_was():
    sent, work = np.arange(5.0), np.full(5, 2.0)
    open_loop(sent, work, stalls_s=[(1, 3)])
    closed_loop(work, stalls_s=[(1, 3)])
    assert (sent == np.arange(5)).all() and (work == 2).all()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: open_loop([2, 1], [1, 1]), r"intended_s\[1\] = 1"),
        (lambda: open_loop([1, 2], [1]), "service_s = 1 values"),
        (lambda: open_loop([1], [1], stalls_s=[(3, 2)]), r"stalls_s\[0\] = \(3, 2\)"),
        (lambda: open_loop([1], [1], stalls_s=[(1, 4), (3, 5)]), r"stalls_s\[1\]"),
        (lambda: closed_loop([1], stalls_s=[1]), r"stalls_s\[0\] = 1: expected a pair"),
        (lambda: closed_loop([1, -1]), r"service_s\[1\] = -1"),
        (lambda: closed_loop([1], num_clients=0), "num_clients = 0"),
        (lambda: closed_loop([1], think_s=-1), "think_s = -1"),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()
