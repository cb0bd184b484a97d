"""What a fleet draws, and what it refuses."""

import numpy as np
import pytest

from labutils.simulation import FleetDraws, fleet_draws, hedged_fleet

NAN = float("nan")


def test_draws_send_two_copies_to_two_servers():
    draws = fleet_draws(
        40_001,
        7,
        np.random.default_rng(3),
        mean_service_time=0.2,
        correlation=0.3,
        kind="gamma",
        scv=0.5,
    )
    assert draws.service_s.shape == draws.servers.shape == (40_001, 2)
    assert (draws.servers[:, 0] != draws.servers[:, 1]).all()
    for column in range(2):
        seen = np.bincount(draws.servers[:, column], minlength=7)
        assert np.abs(seen - 40_001 / 7).max() < 5 * np.sqrt(40_001 / 7)
        assert draws.service_s[:, column].mean() == pytest.approx(0.2, abs=5 * 0.2 / 280)
    same = (draws.service_s[:, 0] == draws.service_s[:, 1]).mean()
    assert same == pytest.approx(0.3, abs=5 * np.sqrt(0.21 / 40_001))
    assert np.corrcoef(draws.service_s.T)[0, 1] == pytest.approx(0.3, abs=0.03)
    pairs = np.bincount(draws.servers @ [7, 1], minlength=49).reshape(7, 7)
    assert (np.diag(pairs) == 0).all()
    assert np.abs(pairs[~np.eye(7, dtype=bool)] - 40_001 / 42).max() < 5 * np.sqrt(40_001 / 42)


def test_a_slider_for_the_correlation_changes_the_repeats_alone():
    few, many = (
        fleet_draws(501, 4, np.random.default_rng(5), mean_service_time=1.0, correlation=c)
        for c in (0.2, 0.7)
    )
    assert (few.service_s[:, 0] == many.service_s[:, 0]).all() and (
        few.servers == many.servers
    ).all()
    is_repeat = many.service_s[:, 0] == many.service_s[:, 1]
    assert (few.service_s[~is_repeat] == many.service_s[~is_repeat]).all()
    whole = fleet_draws(501, 4, np.random.default_rng(5), mean_service_time=1.0, correlation=1)
    assert (whole.service_s[:, 0] == whole.service_s[:, 1]).all()


def small(**changes):
    good = {"service_s": np.ones((3, 2)), "servers": np.array([[0, 1], [1, 2], [2, 0]])}
    return FleetDraws(**{**good, **changes})


@pytest.mark.parametrize(
    "draws, options, message",
    (
        (small(), {"num_servers": 1}, "num_servers = 1: expected at least 2, for a copy goes to"),
        (small(), {"num_servers": 2.5}, "num_servers = 2.5"),
        (small(), {"trigger_s": -1}, "trigger_s = -1: expected a finite number of at least 0"),
        (small(), {"trigger_s": NAN}, "trigger_s = nan"),
        (
            small(),
            {"cancel": "finnish"},
            "cancel = 'finnish': expected one of none, finish, start",
        ),
        (small(), {"cancel_from_s": NAN}, "cancel_from_s = nan: expected a time"),
        (small(), {"cancel_from_s": "now"}, "cancel_from_s = 'now': expected a time"),
        (
            small(service_s=np.ones((2, 2))),
            {},
            r"draws.service_s = shape \(2, 2\): expected \(3, 2\)",
        ),
        (
            small(servers=np.ones(3, dtype=int)),
            {},
            r"draws.servers = shape \(3,\): expected \(3, 2\)",
        ),
        (small(service_s=[[1, 1], [1, -1], [1, 1]]), {}, r"draws.service_s\[1, 1\] = -1"),
        (small(service_s=[[1, 1], [1, 1], [NAN, 1]]), {}, r"draws.service_s\[2, 0\] = nan"),
        (
            small(servers=[[0, 1], [1, 0.5], [2, 0]]),
            {},
            "draws.servers = float64 values: expected whole",
        ),
        (small(servers=[[0, 1], [1, 3], [2, 0]]), {}, r"draws.servers\[1, 1\] = 3: .* 0 to 2"),
        (small(servers=[[0, 1], [1, -1], [2, 0]]), {}, r"draws.servers\[1, 1\] = -1"),
        (small(servers=[[0, 1], [1, 2], [2, 2]]), {}, r"draws.servers\[2\] = \[2, 2\]: .*two diff"),
    ),
)
def test_fleets_that_cannot_be_are_named(draws, options, message):
    with pytest.raises(ValueError, match=message):
        hedged_fleet([1.0, 2.0, 3.0], draws, **{"num_servers": 3, "trigger_s": 1.0, **options})


def test_arrivals_have_to_be_in_order():
    with pytest.raises(ValueError, match=r"arrival_s\[1\] = 1: .*ascending"):
        hedged_fleet([2.0, 1.0, 3.0], small(), num_servers=3, trigger_s=1.0)


@pytest.mark.parametrize(
    "changes, message",
    (
        ({"num_servers": 1}, "num_servers = 1: expected at least 2"),
        ({"n": 0}, "n = 0"),
        ({"mean_service_time": 0}, "mean_service_time = 0"),
        ({"correlation": 1.2}, "correlation = 1.2: expected a number from 0 to 1"),
        ({"correlation": -0.1}, "correlation = -0.1"),
        ({"kind": "pareto"}, "kind = 'pareto'"),
        ({"rng": None}, "rng = None"),
    ),
)
def test_draws_that_cannot_be_are_named(changes, message):
    arguments = {
        "n": 5,
        "num_servers": 3,
        "rng": np.random.default_rng(1),
        "mean_service_time": 1.0,
    }
    with pytest.raises(ValueError, match=message):
        fleet_draws(**{**arguments, **changes})


def test_a_window_runs_forward():
    run = hedged_fleet([1.0, 2.0, 3.0], small(), num_servers=3, trigger_s=1.0)
    with pytest.raises(ValueError, match=r"to_s = 2\.0: expected a time after from_s = 2\.0"):
        run.busy(2.0, 2.0)
