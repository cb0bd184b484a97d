"""What a queue refuses, and that it says which row."""

import numpy as np
import pytest

from labutils.simulation import (
    deterministic_services,
    fifo_queue,
    fleet_draws,
    periodic_arrivals,
    poisson_arrivals,
    waiting_times,
)

NAN, INF = float("nan"), float("inf")


@pytest.mark.parametrize("queue", (waiting_times, fifo_queue))
@pytest.mark.parametrize(
    "arrivals, services, message",
    (
        ([1, 2, 5, 4.5], [1] * 4, r"arrival_s\[3\] = 4.5: .*arrival_s\[2\] = 5 is later"),
        ([1, 2, 3], [1, 0, -0.25], r"service_s\[2\] = -0.25: expected numbers of at least 0"),
        ([1, 2, 3], [1, 2], "service_s = 2 values: expected one for each of the 3"),
        ([1, NAN, 3], [1, 1, 1], r"arrival_s\[1\] = nan"),
        ([NAN], [1], r"arrival_s\[0\] = nan"),
        ([1, 2, NAN], [1, 1, 1], r"arrival_s\[2\] = nan"),
        ([-INF, 2], [1, 1], r"arrival_s\[0\] = -inf"),
        ([1, INF], [1, 1], r"arrival_s\[1\] = inf"),
        ([1, 2, 3], [1, NAN, 1], r"service_s\[1\] = nan"),
        ([1, 2, 3], [1, 1, INF], r"service_s\[2\] = inf"),
        ([], [], "arrival_s = .*at least one number"),
        ([1.0], [], "service_s = .*at least one number"),
        ("soon", [1], "arrival_s = 'soon'"),
        ([1, 2], ["a", "b"], "service_s = "),
        ([[1, 2], [3, 4]], [[1, 1], [1, 1]], "arrival_s = .*one-dimensional"),
        (3.0, 1.0, "arrival_s = .*one-dimensional"),
        (None, [1], "arrival_s = "),
    ),
)
def test_visits_that_make_no_queue_are_named(queue, arrivals, services, message):
    with pytest.raises(ValueError, match=message):
        queue(arrivals, services)


@pytest.mark.parametrize("num_servers", (0, -1, 2.5, NAN, "two", None, True))
def test_servers_come_in_whole_numbers(num_servers):
    with pytest.raises(ValueError, match=r"num_servers = .*whole number of at least 1"):
        fifo_queue([1.0], [1.0], num_servers=num_servers)


def test_whole_number_floats_are_servers_too():
    assert fifo_queue([1.0, 1.0], [2.0, 2.0], num_servers=2.0).start_s.tolist() == [1, 1]
    assert fifo_queue([1.0, 1.0], [2.0, 2.0], num_servers=np.int64(2)).start_s.tolist() == [1, 1]


@pytest.mark.parametrize(
    "draw",
    [
        lambda n: poisson_arrivals(1.0, n, np.random.default_rng(1)),
        lambda n: periodic_arrivals(1.0, n),
        lambda n: deterministic_services(1.0, n),
        lambda n: fleet_draws(n, 2, np.random.default_rng(1), mean_service_time=1.0),
    ],
)
def test_columns_that_no_memory_holds_are_refused(draw):
    with pytest.raises(ValueError, match="n = 1000000000: expected at most 100,000,000"):
        draw(10**9)
