import doctest
import math

import pytest
from hypothesis import given, settings, strategies as st

from labutils.laws.queueing import (
    MD1,
    MG1,
    MM1,
    GGc,
    MMc,
    MMcK,
    largest_arrival_rate,
    largest_utilization,
    least_servers,
    least_servers_for_quantile,
    utilization_at_queue_length,
)
from labutils.laws.queueing.models import sizing

FAMILIES = [
    (MM1, {}),
    (MMc, {"num_servers": 7}),
    (MD1, {}),
    (MG1, {"scv_service": 3.5}),
    (GGc, {"num_servers": 5, "scv_arrival": 0.3, "scv_service": 2.0}),
    (MMcK, {"num_servers": 3, "capacity": 40}),
]


def test_closed_forms_for_one_server():
    assert largest_arrival_rate(0.020, service_rate=550) == pytest.approx(550 - 50)
    assert largest_arrival_rate(0.020, service_rate=550, q=0.99) == pytest.approx(
        550 - math.log(100) / 0.020
    )
    wait = 0.0125  # (rho / (1 - rho)) / mu
    assert largest_arrival_rate(wait, service_rate=200, of="waiting_time") == pytest.approx(
        200 * (200 * wait) / (1 + 200 * wait)
    )


def test_the_examples_in_the_docstrings():
    failed, tried = doctest.testmod(sizing, extraglobs={"MMc": MMc})
    assert failed == 0 and tried >= 3


@pytest.mark.parametrize(("model", "parameters"), FAMILIES)
@pytest.mark.parametrize("of", ["sojourn_time", "waiting_time"])
@pytest.mark.parametrize("q", [None, 0.6, 0.99])
def test_the_target_is_met_and_not_a_request_more(model, parameters, of, q):
    target = 1.9 if q is None else 8.5
    rate = largest_arrival_rate(target, service_rate=1.3, q=q, of=of, model=model, **parameters)

    def measure(arrival_rate):
        queue = model(arrival_rate=arrival_rate, service_rate=1.3, **parameters)
        return getattr(queue, f"mean_{of}") if q is None else getattr(queue, f"{of}_quantile")(q)

    assert measure(rate) == pytest.approx(target, rel=1e-9)
    assert measure(rate * 0.999) < target < measure(rate * 1.001)


def test_any_target_is_within_reach_of_a_queue_that_refuses():
    small = {"model": MMcK, "service_rate": 2.0, "num_servers": 2, "capacity": 6}
    assert largest_arrival_rate(10.0, **small) == math.inf
    assert largest_arrival_rate(0.9, **small) < math.inf


@pytest.mark.parametrize(("model", "parameters"), FAMILIES[:5])
def test_absurd_targets_stay_below_capacity(model, parameters):
    rate = largest_arrival_rate(1e25, service_rate=3.0, model=model, **parameters)
    servers = parameters.get("num_servers", 1)
    assert rate < 3.0 * servers
    assert rate == pytest.approx(3.0 * servers, rel=1e-12)


def test_targets_close_to_the_service_time():
    rate = largest_arrival_rate(1 + 1e-9, service_rate=1.0)
    assert rate == pytest.approx(1e-9, rel=1e-6)
    rate = largest_arrival_rate(1e-11, service_rate=1.0, of="waiting_time", model=MD1)
    assert rate == pytest.approx(2e-11, rel=1e-6)


@pytest.mark.parametrize(
    ("target", "q", "alone"), [(0.002, None, "0.002"), (0.005, 0.99, "0.00921034")]
)
def test_targets_below_the_service_time_are_refused(target, q, alone):
    with pytest.raises(ValueError, match=f"target_s = {target}: expected more than {alone} s"):
        largest_arrival_rate(target, service_rate=500, q=q)


def test_where_the_queue_of_one_server_passes_ten():
    assert utilization_at_queue_length(10) == pytest.approx((-10 + math.sqrt(140)) / 2, rel=1e-12)
    assert utilization_at_queue_length(10) == pytest.approx(0.91608, abs=5e-6)


@pytest.mark.parametrize(("model", "parameters"), FAMILIES)
def test_the_queue_has_the_length_asked_for(model, parameters):
    length = 4.25
    load = utilization_at_queue_length(length, model=model, **parameters)
    assert 0 < load < 1
    if model is MMcK:
        assert load == pytest.approx(
            max(
                (
                    MMcK(r / 1e3, 1.0, **parameters)
                    for r in range(1, 6000)
                    if MMcK(r / 1e3, 1.0, **parameters).mean_queue_length <= length
                ),
                key=lambda m: m.arrival_rate,
            ).utilization,
            abs=1e-3,
        )
    else:
        queue = model(
            arrival_rate=load * parameters.get("num_servers", 1), service_rate=1.0, **parameters
        )
        assert queue.mean_queue_length == pytest.approx(length, rel=1e-9)


def test_lengths_that_are_never_reached():
    with pytest.raises(ValueError, match=r"mean_queue_length = 5: expected a length that"):
        utilization_at_queue_length(5, model=MMcK, num_servers=1, capacity=5)
    with pytest.raises(ValueError, match=r"mean_queue_length = 0.1: expected a length that"):
        utilization_at_queue_length(0.1, model=GGc, num_servers=3, scv_arrival=0, scv_service=0)


@settings(max_examples=60, deadline=None)
@given(st.floats(0.01, 400), st.floats(0.05, 20), st.floats(1e-4, 10))
def test_least_servers_is_enough_and_one_fewer_is_not(load, mean_service_time, relative_wait):
    arrival_rate, target = load / mean_service_time, relative_wait * mean_service_time
    servers = least_servers(arrival_rate, mean_service_time, target)
    assert MMc(arrival_rate, 1 / mean_service_time, servers).mean_waiting_time <= target
    if servers - 1 > load * (1 + 1e-9):  # an ulp above, it is no queue that settles
        fewer = MMc(arrival_rate, 1 / mean_service_time, servers - 1)
        assert fewer.mean_waiting_time > target


@settings(max_examples=60, deadline=None)
@given(st.floats(0.01, 200), st.floats(0.5, 0.999), st.sampled_from(["sojourn", "waiting"]))
def test_least_servers_for_a_quantile(load, q, of):
    target = 0.3 if of == "waiting" else 0.3 - math.log(1 - q)
    servers = least_servers_for_quantile(load, 1.0, target, q=q, of=f"{of}_time")
    measure = f"{of}_time_quantile"
    assert getattr(MMc(load, 1.0, servers), measure)(q) <= target
    if servers - 1 > load * (1 + 1e-9):  # an ulp above, it is no queue that settles
        assert getattr(MMc(load, 1.0, servers - 1), measure)(q) > target


def test_the_published_call_centre_needs_its_fourteen_agents():
    assert least_servers(100 / 1800, 180, 10) == 14
    assert least_servers_for_quantile(100 / 1800, 180, 20, q=0.85, of="waiting_time") == 14
    assert least_servers_for_quantile(100 / 1800, 180, 20, q=0.89, of="waiting_time") == 15


def test_variable_services_cost_servers():
    plain = least_servers(7.2, 1.0, 0.05)
    variable = least_servers(7.2, 1.0, 0.05, model=GGc, scv_arrival=1, scv_service=9)
    assert variable > plain
    assert GGc(7.2, 1.0, variable, 1, 9).mean_waiting_time <= 0.05
    assert GGc(7.2, 1.0, variable - 1, 1, 9).mean_waiting_time > 0.05


@pytest.mark.parametrize(
    ("arrival_rate", "mean_service_time"),
    [
        (8.0, 1.0),
        (10, 0.3),
        (3, 1 / 3),
        (3 * (1 / 0.09), 0.09),  # the offered load rounds to just below 3
    ],
)
def test_a_whole_number_of_erlangs_is_not_enough(arrival_rate, mean_service_time):
    assert (
        least_servers(arrival_rate, mean_service_time, 1e9)
        == round(arrival_rate * mean_service_time) + 1
    )


def test_ten_thousand_servers():
    servers = least_servers(10_000, 1.0, 1e-6)
    assert MMc(10_000, 1.0, servers).mean_waiting_time <= 1e-6
    assert MMc(10_000, 1.0, servers - 1).mean_waiting_time > 1e-6


def test_more_servers_do_not_shorten_the_service():
    with pytest.raises(ValueError, match=r"max_time_s = 4.5: expected more than 4.60517 s"):
        least_servers_for_quantile(3.0, 1.0, 4.5, q=0.99)


@pytest.mark.parametrize("bad", [0, -1, math.nan, math.inf, "0.1", True])
def test_bad_arguments_are_named(bad):
    for call, name in [
        (lambda: largest_arrival_rate(bad, service_rate=2.0), "target_s"),
        (lambda: largest_arrival_rate(1.0, service_rate=bad), "service_rate"),
        (lambda: largest_arrival_rate(1.0, service_rate=2.0, q=bad), "q"),
        (lambda: utilization_at_queue_length(bad), "mean_queue_length"),
        (lambda: least_servers(bad, 1.0, 1.0), "arrival_rate"),
        (lambda: least_servers(1.0, bad, 1.0), "mean_service_time"),
        (lambda: least_servers(1.0, 1.0, bad), "max_mean_waiting_time"),
        (lambda: least_servers_for_quantile(1.0, 1.0, bad, q=0.9), "max_time_s"),
        (lambda: least_servers_for_quantile(1.0, 1.0, 9.0, q=bad), "q"),
    ]:
        with pytest.raises(ValueError, match=f"^{name} = {bad!r}: expected"):
            call()


def test_an_unknown_time_is_named():
    with pytest.raises(ValueError, match="of = 'latency': expected 'sojourn_time'"):
        largest_arrival_rate(1.0, service_rate=2.0, of="latency")


@pytest.mark.parametrize("num_servers", [1, 3, 17])
@pytest.mark.parametrize("q", [None, 0.95])
def test_the_largest_utilization_is_the_largest_rate_per_capacity(num_servers, q):
    """Whatever the service rate is: here 7/s, with the target in units of 1/7 s."""
    parameters = {"model": MMc, "num_servers": num_servers, "q": q}
    load = largest_utilization(5.5, **parameters)
    rate = largest_arrival_rate(5.5 / 7, service_rate=7, **parameters)
    assert load == pytest.approx(rate / (7 * num_servers), rel=1e-9)
    queue = MMc(load * num_servers, 1.0, num_servers)
    time = queue.mean_sojourn_time if q is None else queue.sojourn_time_quantile(q)
    assert time == pytest.approx(5.5, rel=1e-6)


@pytest.mark.parametrize("rate", [1e30, 1e308, 10**7])
def test_a_fleet_beyond_every_loop_is_refused_at_once(rate):
    with pytest.raises(ValueError, match=r"num_servers = 1.*: expected at most 10,000,000"):
        least_servers(rate, 1.0, 1.0)
