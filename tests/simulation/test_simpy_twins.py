"""Kernel and story on shared draws: the same run, request by request."""

import numpy as np
import pytest

from labutils.simulation import fifo_queue, waiting_times
from labutils.simulation.queues import twins


@pytest.mark.parametrize("num_servers", (1, 3, 8, 20, 35))
@pytest.mark.parametrize("utilization", (0.8, 1.15))
def test_twin_equals_kernel(visits, num_servers, utilization):
    arrivals, services = visits(
        100 + num_servers, 3_003, utilization=utilization, num_servers=num_servers
    )
    story = twins.fifo_queue(arrivals, services, num_servers=num_servers)
    kernel = fifo_queue(arrivals, services, num_servers=num_servers)
    for column in ("arrival_s", "start_s", "departure_s"):
        assert np.abs(getattr(story, column) - getattr(kernel, column)).max() <= 1e-9
    assert kernel.waiting_time_s.max() > 0.2 * services.mean()


def test_twin_of_one_server_equals_the_waiting_time_recursion(visits):
    arrivals, services = visits(9, 2_001, utilization=0.9, num_servers=1)
    story = twins.fifo_queue(arrivals, services)
    assert np.abs(story.waiting_time_s - waiting_times(arrivals, services)).max() <= 1e-9


def test_twin_keeps_the_order_of_simultaneous_arrivals():
    story = twins.fifo_queue([1.5, 1.5, 1.5], [4.0, 1.0, 2.0])
    assert story.start_s.tolist() == [1.5, 5.5, 6.5]


def test_twin_refuses_what_the_kernel_refuses():
    with pytest.raises(ValueError, match=r"arrival_s\[1\] = 1"):
        twins.fifo_queue([2.0, 1.0], [1.0, 1.0])
    with pytest.raises(ValueError, match=r"num_servers = 1\.5"):
        twins.fifo_queue([1.0, 2.0], [1.0, 1.0], num_servers=1.5)
