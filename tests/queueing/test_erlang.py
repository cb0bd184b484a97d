import math

import pytest
from hypothesis import given, settings, strategies as st

from labutils.laws.queueing import MMc, MMcK, UnstableQueueError, erlang_b, erlang_c

from .oracles import birth_death, mmc_p_wait

# Offered loads (Erlangs) at which the published Erlang B tables give this blocking.
PUBLISHED_TRAFFIC = [
    (1, 0.01, 0.0101, 4),
    (5, 0.01, 1.361, 3),
    (10, 0.01, 4.461, 3),
    (20, 0.01, 12.03, 2),
    (50, 0.01, 37.90, 2),
    (100, 0.01, 84.06, 2),
    (10, 0.02, 5.084, 3),
    (20, 0.02, 13.18, 2),
    (100, 0.02, 87.97, 2),
]


@pytest.mark.parametrize(("servers", "blocking", "load", "digits"), PUBLISHED_TRAFFIC)
def test_published_traffic_tables(servers, blocking, load, digits):
    half = 0.5 * 10.0**-digits
    assert erlang_b(load - half, servers) < blocking < erlang_b(load + half, servers)


def test_the_published_call_centre():
    centre = MMc(arrival_rate=100 / 1800, service_rate=1 / 180, num_servers=14)
    assert centre.offered_load == pytest.approx(10)
    assert centre.p_wait == pytest.approx(0.17413, abs=5e-6)
    assert 1 - centre.waiting_time_tail(20) == pytest.approx(0.88835, abs=5e-6)
    assert centre.mean_waiting_time == pytest.approx(7.836, abs=5e-4)
    assert erlang_c(10, 14) == pytest.approx(centre.p_wait, rel=1e-12)


@pytest.mark.parametrize(("load", "servers"), [(0.3, 1), (2.5, 4), (9.0, 7), (30.0, 17)])
def test_blocking_is_the_top_state_of_the_solved_chain(load, servers):
    assert erlang_b(load, servers) == pytest.approx(birth_death(load, 1, servers, servers)[-1])


@pytest.mark.parametrize(
    ("load", "servers"),
    [
        (0.9, 1),
        (7.2, 8),
        (299.9, 300),
        (250.0, 300),
        (9_990.0, 10_000),
        (1 - 1e-9, 1),
        (64 - 64e-9, 64),
    ],
)
def test_waiting_from_the_definition_in_fifty_digits(load, servers):
    assert erlang_c(load, servers) == pytest.approx(float(mmc_p_wait(load, servers)), rel=1e-10)


def test_blocking_survives_extreme_sizes():
    assert erlang_b(100, 10_000) == 0.0
    assert erlang_b(1e9, 10_000) == pytest.approx(1 - 1e-5, abs=1e-9)
    assert erlang_c(100, 10_000) == 0.0


@settings(deadline=None)
@given(st.floats(0.01, 500), st.integers(1, 300))
def test_fewer_are_blocked_by_more_servers_and_more_by_more_load(load, servers):
    blocked = erlang_b(load, servers)
    assert 0 <= blocked < 1
    assert erlang_b(load, servers + 1) < blocked or blocked == 0
    assert erlang_b(load * 1.01, servers) > blocked or blocked == 0
    assert blocked >= 1 - servers / load


def test_blocking_equals_the_loss_queue():
    assert MMcK(30.0, 2.0, 12, 12).p_block == pytest.approx(erlang_b(15.0, 12), rel=1e-12)


def test_an_overloaded_erlang_c_says_so():
    with pytest.raises(UnstableQueueError, match=r"offered_load = 20 Erlangs.*2.5 times") as raised:
        erlang_c(20, 8)
    assert raised.value.excess_rate == 12
    with pytest.raises(UnstableQueueError, match="exactly 1"):
        erlang_c(8, 8)


@pytest.mark.parametrize("bad", [0, -1.5, math.nan, math.inf, "3", True, None])
def test_bad_loads_are_named(bad):
    for formula in (erlang_b, erlang_c):
        with pytest.raises(ValueError, match=f"offered_load = {bad!r}: expected"):
            formula(bad, 4)


@pytest.mark.parametrize("bad", [0, -2, 2.5, math.nan, "4", True])
def test_bad_servers_are_named(bad):
    for formula in (erlang_b, erlang_c):
        with pytest.raises(ValueError, match=f"num_servers = {bad!r}: expected a whole number"):
            formula(0.5, bad)
