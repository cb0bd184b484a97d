import dataclasses
import math
import pickle

import numpy as np
import pytest

from labutils.laws.queueing import (
    MD1,
    MG1,
    MM1,
    GGc,
    MMc,
    MMcK,
    QueueModel,
    UnstableQueueError,
    erlang_b,
    erlang_c,
    least_servers,
)

MODELS = [
    (MM1, {}),
    (MMc, {"num_servers": 3}),
    (MD1, {}),
    (MG1, {"scv_service": 2.0}),
    (GGc, {"num_servers": 3, "scv_arrival": 1.0, "scv_service": 2.0}),
    (MMcK, {"num_servers": 3, "capacity": 9}),
]
ENDLESS = MODELS[:5]


@pytest.mark.parametrize(("model", "others"), MODELS)
@pytest.mark.parametrize("name", ["arrival_rate", "service_rate"])
@pytest.mark.parametrize("bad", [0, -3.5, math.nan, math.inf, "40 ms", True, None, 1 + 2j])
def test_bad_rates_are_named(model, others, name, bad):
    rates = {"arrival_rate": 1.0, "service_rate": 2.0, name: bad}
    with pytest.raises(ValueError) as raised:
        model(**rates, **others)
    assert str(raised.value) == f"{name} = {bad!r}: expected a finite number above 0"


@pytest.mark.parametrize("model", [MMc, GGc, MMcK])
@pytest.mark.parametrize("bad", [0, -1, 2.5, math.nan, math.inf, "3", True])
def test_bad_servers_are_named(model, bad):
    others = {MMc: {}, GGc: {"scv_arrival": 1, "scv_service": 1}, MMcK: {"capacity": 90}}[model]
    with pytest.raises(ValueError, match=f"num_servers = {bad!r}: expected a whole number of at"):
        model(arrival_rate=1.0, service_rate=2.0, num_servers=bad, **others)


@pytest.mark.parametrize(
    "ask",
    [
        lambda: erlang_b(1e9, 10**9),
        lambda: erlang_c(0.5, 10**12),
        lambda: MMc(1.0, 2.0, 10**10),
        lambda: least_servers(1e9, 1.0, 0.1),
        lambda: erlang_b(1.0, 10**400),
    ],
)
def test_a_loop_that_would_not_end_is_refused(ask):
    expected = r"num_servers = 1.*: expected (at most 10,000,000|a whole number)"
    with pytest.raises(ValueError, match=expected):
        ask()


@pytest.mark.parametrize(("model", "others"), MODELS)
@pytest.mark.parametrize("bad", [0, 1, -0.5, 1.5, 99, math.nan, "p99", True, None])
def test_bad_quantiles_are_named(model, others, bad):
    queue = model(arrival_rate=1.0, service_rate=2.0, **others)
    for quantile in (queue.waiting_time_quantile, queue.sojourn_time_quantile):
        with pytest.raises(ValueError, match=f"q = {bad!r}: expected a number strictly between"):
            quantile(bad)


@pytest.mark.parametrize(("model", "others"), MODELS)
@pytest.mark.parametrize("bad", [-1e-9, math.nan, math.inf, "1 s", True, None])
def test_bad_times_are_named(model, others, bad):
    queue = model(arrival_rate=1.0, service_rate=2.0, **others)
    for tail in (queue.waiting_time_tail, queue.sojourn_time_tail):
        with pytest.raises(ValueError, match=f"t = {bad!r}: expected a finite number of at least"):
            tail(bad)
        with pytest.raises(ValueError, match=r"t = -2.0: expected a finite number of at least 0"):
            tail([0.5, -2.0])
        with pytest.raises(ValueError, match=r"t\[1\] = nan: expected finite numbers only"):
            tail([0.5, math.nan])


@pytest.mark.parametrize(("model", "others"), MODELS)
def test_tails_take_many_times_at_once(model, others):
    queue = model(arrival_rate=1.5, service_rate=2.0, **others)
    t = np.array([0.0, 0.2, 0.9, 3.1])
    for tail in (queue.waiting_time_tail, queue.sojourn_time_tail):
        assert list(tail(t)) == [tail(float(x)) for x in t]
        assert all(a >= b for a, b in zip(tail(t), tail(t)[1:]))


@pytest.mark.parametrize(("model", "others"), ENDLESS)
def test_an_overloaded_queue_says_by_how_much(model, others):
    servers = others.get("num_servers", 1)
    capacity = 550 * servers
    with pytest.raises(UnstableQueueError) as raised:
        model(arrival_rate=20_000, service_rate=550, **others)
    error = raised.value
    assert isinstance(error, ValueError)
    assert error.utilization == pytest.approx(20_000 / capacity)
    assert error.excess_rate == 20_000 - capacity
    assert str(error) == (
        f"arrival_rate = 20000/s against a capacity of {capacity}/s: overloaded "
        f"{20_000 / capacity:.3g} times; the backlog grows by {20_000 - capacity} requests every "
        "second (see Overload)"
    )


def test_the_wording_of_the_launch():
    with pytest.raises(UnstableQueueError, match=r"36\.4 times.* 19450 requests every second"):
        MM1(20_000, 550)


@pytest.mark.parametrize(("model", "others"), ENDLESS)
def test_a_queue_without_a_spare_moment_is_unstable_too(model, others):
    servers = others.get("num_servers", 1)
    with pytest.raises(UnstableQueueError, match="utilization is exactly 1") as raised:
        model(arrival_rate=5.0 * servers, service_rate=5.0, **others)
    assert raised.value.utilization == 1 and raised.value.excess_rate == 0
    model(arrival_rate=5.0 * servers * (1 - 1e-12), service_rate=5.0, **others)


def test_a_slight_overload_is_not_called_one_times():
    with pytest.raises(UnstableQueueError, match=r"overloaded by 0\.6 %; .* by 3 requests"):
        MM1(503, 500)
    with pytest.raises(UnstableQueueError, match=r"overloaded by 9\.8 %"):
        MM1(549, 500)
    with pytest.raises(UnstableQueueError, match=r"overloaded 1\.12 times"):
        MM1(560, 500)


def test_the_error_survives_the_way_between_processes():
    with pytest.raises(UnstableQueueError) as raised:
        MMc(30, 2.0, 4)
    copy = pickle.loads(pickle.dumps(raised.value))
    assert str(copy) == str(raised.value)
    assert (copy.utilization, copy.excess_rate) == (3.75, 22)


@pytest.mark.parametrize(("model", "others"), MODELS)
def test_models_are_frozen_clean_values(model, others):
    queue = model(
        arrival_rate=np.int64(1),
        service_rate=np.float32(2.5),
        **{name: np.float64(value) for name, value in others.items()},
    )
    assert isinstance(queue, QueueModel)
    assert type(queue.arrival_rate) is float and type(queue.service_rate) is float
    assert type(queue.num_servers) is int
    assert queue == model(arrival_rate=1, service_rate=2.5, **others)
    assert hash(queue) == hash(model(arrival_rate=1, service_rate=2.5, **others))
    with pytest.raises(dataclasses.FrozenInstanceError):
        queue.arrival_rate = 2.0


@pytest.mark.parametrize("model", [MMc, GGc, MMcK])
def test_the_number_of_servers_has_no_silent_default(model):
    with pytest.raises(TypeError, match="num_servers"):
        model(arrival_rate=1.0, service_rate=2.0)
