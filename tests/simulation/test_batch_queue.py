"""The batching kernel: against ten lines of Python, by hand, and by what may never be lost."""

import math

import numpy as np
import pytest

from labutils.laws.batching import AffineBatchTime
from labutils.simulation import batch_queue, fifo_queue
from tests.simulation import reference_batch

INF = math.inf
TABLE = np.array([99.0, 0.31, 0.52, 0.55, 0.9, 0.91, 1.4, 1.43, 1.5, 2.2, 2.25, 2.3, 2.31])
RULES = [(most, timeout) for most in (1, 2, 5, 12) for timeout in (0.0, 0.2, 0.9, 7.0, INF)]


def lopsided_arrivals(seed, n, *, mean_gap=0.33):
    """Skewed gaps, many ties, an odd start; all times are multiples of 1/64, so sums are exact."""
    rng = np.random.default_rng(seed)
    gaps = rng.gamma(0.6, mean_gap / 0.6, n)
    gaps[rng.random(n) < 0.2] = 0.0
    return np.round(64 * (3.7 + np.cumsum(gaps))) / 64


@pytest.mark.parametrize("most, timeout", RULES)
def test_kernel_equals_the_reference(most, timeout):
    arrivals = lopsided_arrivals(most, 301 + most)
    run = batch_queue(arrivals, TABLE, max_batch=most, batch_timeout_s=timeout)
    sizes, starts, finishes = reference_batch.batches(arrivals, TABLE, most, timeout)
    assert run.batch_sizes.tolist() == list(sizes)
    assert run.batch_start_s.tolist() == list(starts)
    assert run.batch_finish_s.tolist() == list(finishes)
    ready = reference_batch.ready(arrivals.tolist(), sizes, starts, most, timeout)
    assert (run.fill_s + arrivals).tolist() == pytest.approx(ready, abs=1e-12)


@pytest.mark.parametrize("seed", range(6))
def test_batches_of_all_sizes_and_runs_of_all_lengths(seed):
    """The kernel works on eight places at once; neither a batch nor the run ends on an eighth."""
    rng = np.random.default_rng(seed)
    arrivals = lopsided_arrivals(seed, int(rng.integers(1, 260)), mean_gap=0.02)
    table = np.r_[0.0, np.cumsum(rng.random(40)) / 60]
    for most in (7, 8, 9, 17, 40):
        timeout = rng.choice([0.0, 0.05, 0.5])
        run = batch_queue(arrivals, table, max_batch=most, batch_timeout_s=timeout)
        sizes, starts, finishes = reference_batch.batches(arrivals, table, most, timeout)
        assert run.batch_sizes.tolist() == list(sizes)
        assert run.start_s.tolist() == np.repeat(starts, sizes).tolist()
        assert run.finish_s.tolist() == np.repeat(finishes, sizes).tolist()


@pytest.mark.parametrize("most, timeout", RULES)
def test_nobody_is_lost_and_the_parts_add_up(most, timeout):
    arrivals = lopsided_arrivals(40 + most, 4_003)
    run = batch_queue(arrivals, TABLE, max_batch=most, batch_timeout_s=timeout)
    assert run.batch_sizes.sum() == arrivals.size
    assert run.batch_sizes.min() >= 1
    assert run.batch_sizes.max() <= most
    assert (run.batch_start_s[1:] >= run.batch_finish_s[:-1]).all()
    for part in (run.fill_s, run.queue_s, run.service_s):
        assert part.size == arrivals.size
        assert part.min() >= 0
    np.testing.assert_allclose(run.fill_s + run.queue_s, run.waiting_time_s, atol=1e-9)
    np.testing.assert_allclose(run.waiting_time_s + run.service_s, run.sojourn_time_s, atol=1e-9)
    assert run.fill_s.max() <= timeout + 1e-9
    each = np.repeat(np.arange(run.batch_sizes.size), run.batch_sizes)
    assert run.start_s.tolist() == run.batch_start_s[each].tolist()
    np.testing.assert_allclose(run.service_s, TABLE[run.batch_sizes[each]], atol=1e-9)


@pytest.mark.parametrize("timeout", (0.0, 0.3, INF))
def test_batches_of_one_are_a_first_come_first_served_queue(timeout):
    arrivals = lopsided_arrivals(3, 2_001, mean_gap=0.4)
    run = batch_queue(arrivals, [0.0, 0.35], max_batch=1, batch_timeout_s=timeout)
    queue = fifo_queue(arrivals, np.full(arrivals.size, 0.35))
    np.testing.assert_allclose(run.start_s, queue.start_s, atol=1e-9)
    assert run.fill_s.max() == 0


@pytest.mark.parametrize("most, timeout", ((7, 0.0), (7, 0.6), (5, INF)))
def test_littles_law_on_the_path(most, timeout):
    """L counted from the curve of who is inside, λ and W from the columns; empty at both ends."""
    arrivals = lopsided_arrivals(77, 3_017)
    run = batch_queue(arrivals, TABLE, max_batch=most, batch_timeout_s=timeout)
    begin, end = arrivals[0], run.finish_s[-1]
    inside = run.in_flight()
    assert inside.counts[-1] == 0
    rate = arrivals.size / (end - begin)
    assert inside.mean(begin, end) == pytest.approx(rate * run.sojourn_time_s.mean(), rel=1e-11)
    assert run.throughput_per_s == pytest.approx(rate, rel=1e-12)
    assert inside.at(end - 1e-6) == run.batch_sizes[-1]


def test_clockwork_with_a_timeout():
    """Every 4 s one comes; patience of 9 s holds three, and a batch of three runs for 2 s."""
    arrivals = 4.0 * np.arange(12)
    run = batch_queue(arrivals, [0, 1, 1.5, 2, 9], max_batch=4, batch_timeout_s=9)
    assert run.batch_sizes.tolist() == [3, 3, 3, 3]
    assert run.batch_start_s.tolist() == [9, 21, 33, 45]
    assert run.fill_s[:3].tolist() == [9, 5, 1]
    assert run.queue_s.max() == 0
    assert run.sojourn_time_s[3:6].tolist() == [11, 7, 3]
    assert run.utilization == 8 / 47
    assert run.mean_batch == 3


def test_clockwork_that_fills_while_the_server_is_busy():
    """Every 1 s one comes, two to a batch, 3 s for each: full after 1 s, later every time."""
    run = batch_queue(np.arange(8.0), [0, 3, 3], max_batch=2, batch_timeout_s=INF)
    assert run.batch_start_s.tolist() == [1, 4, 7, 10]
    assert run.fill_s.tolist() == [1, 0] * 4
    assert run.queue_s.tolist() == [0, 0, 1, 1, 2, 2, 3, 3]
    assert run.service_s.tolist() == [3] * 8


def test_the_oldest_one_s_patience_counts_from_its_arrival():
    """Also while the server is busy: the second request was out of patience at 11, not at 20."""
    run = batch_queue([0, 6, 14, 15.5], [0, 10, 5, 5], max_batch=2, batch_timeout_s=5)
    assert run.batch_sizes.tolist() == [1, 2, 1]
    assert run.batch_start_s.tolist() == [5, 15, 20.5]
    assert run.fill_s.tolist() == [5, 5, 0, 5]
    assert run.queue_s.tolist() == [0, 4, 1, 0]


def test_who_comes_as_the_batch_starts_comes_along():
    run = batch_queue([0.0, 2.0, 2.0, 2.5], [0, 1, 1, 1], max_batch=3, batch_timeout_s=2)
    assert run.batch_sizes.tolist() == [3, 1]
    run = batch_queue([0.0, 1.0, 1.5], [0, 1, 1], max_batch=2, batch_timeout_s=0)
    assert run.batch_sizes.tolist() == [1, 2 - 1, 1]


def test_the_last_batch_of_endless_patience_closes_with_the_last_arrival():
    run = batch_queue([0, 1, 2, 3, 4], [0, 7, 7, 7], max_batch=3, batch_timeout_s=INF)
    assert run.batch_sizes.tolist() == [3, 2]
    assert run.batch_start_s.tolist() == [2, 9]
    assert run.fill_s.tolist() == [2, 1, 0, 1, 0]
    assert run.queue_s.tolist() == [0, 0, 0, 5, 5]


def test_a_model_and_its_table_are_the_same():
    model, arrivals = AffineBatchTime(0.2, 0.07), lopsided_arrivals(8, 501)
    table = [0.0, *(model(size) for size in range(1, 7))]
    runs = [
        batch_queue(arrivals, service, max_batch=6, batch_timeout_s=0.1)
        for service in (model, table)
    ]
    assert runs[0].finish_s.tolist() == runs[1].finish_s.tolist()


def test_overload_cannot_hide_behind_the_arrivals():
    """800/s meet a server that does one in 4.9 ms: it finishes 204/s, and says so."""
    arrivals = np.arange(1, 20_001) / 800
    model = AffineBatchTime(0.004, 0.0009)
    run = batch_queue(arrivals, model, max_batch=1, batch_timeout_s=INF)
    assert run.throughput_per_s == pytest.approx(1 / 0.0049, rel=1e-3)


def test_the_mean_batch_is_over_batches():
    run = batch_queue([0, 10, 10, 10], [0, 1, 1, 1], max_batch=3, batch_timeout_s=0)
    assert run.batch_sizes.tolist() == [1, 3]
    assert run.mean_batch == 2


def test_the_published_run_comes_back_to_every_digit():
    """200,000 requests at 800/s, fill-16, seed 7: percentiles, mean, rate, L two ways, the gap.

    The gap between L and λW is no noise: the rate ends with the last arrival, L with the last
    finish. With one window it is rounding.
    """
    arrivals = np.cumsum(np.random.default_rng(7).exponential(1 / 800, 200_000))
    model = AffineBatchTime(0.004, 0.0009)
    run = batch_queue(arrivals, model, max_batch=16, batch_timeout_s=INF)
    latency_ms = 1e3 * run.sojourn_time_s
    quoted = [*np.percentile(latency_ms, [50, 95, 99]), latency_ms.mean()]
    assert np.round(quoted, 2).tolist() == [32.17, 48.27, 59.50, 32.75]
    rate = arrivals.size / arrivals[-1]
    inside = run.in_flight().mean(0.0, run.finish_s[-1])
    by_law = rate * run.sojourn_time_s.mean()
    assert round(rate, 1) == 800.3
    assert (round(inside, 3), round(by_law, 3)) == (26.207, 26.209)
    assert abs(by_law / inside - 1) == pytest.approx(7.51e-5, abs=5e-8)
    same_window = arrivals.size / run.finish_s[-1] * run.sojourn_time_s.mean()
    assert same_window == pytest.approx(inside, rel=1e-11)
