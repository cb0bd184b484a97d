"""An incident as a dashboard shows it: windows, counts, and the fluid argument."""

import numpy as np
import pytest

from labutils import simulation as sim
from labutils.simulation.incident import incident_runs


def runs_of(times, *, rates=(300.0,), durations=(8.0,), seed=3, **changes):
    settings = {
        "num_servers": 5,
        "mean_service_time": 0.01,
        "trigger_s": 0.05,
        "runs": 3,
        "rng": np.random.default_rng(seed),
    }
    return incident_runs(rates, durations, times, **(settings | changes))


def test_one_run_counts_what_the_fleet_shows():
    """Rebuilt from the same draws with loops over requests."""
    times, rng = np.array([0.4, 2.0, 2.1, 7.9, 30.0]), np.random.default_rng(17)
    arrivals = sim.piecewise_poisson_arrivals((200.0, 450.0), (3.0, 5.0), rng)
    draws = sim.fleet_draws(arrivals.size, 5, rng, mean_service_time=0.01)
    run = sim.hedged_fleet(arrivals, draws, num_servers=5, trigger_s=0.05)
    seen = runs_of(times, rates=(200.0, 450.0), durations=(3.0, 5.0), seed=17, runs=1, window_s=0.3)
    for t, median, unanswered in zip(times, seen.median_s[0], seen.unanswered[0]):
        stays = [f - a for a, f in zip(arrivals, run.finish_s) if t - 0.3 < f <= t]
        inside = sum(a <= t < f for a, f in zip(arrivals, run.finish_s))
        assert unanswered == inside
        assert median == pytest.approx(np.median(stays), nan_ok=True) if stays else np.isnan(median)


def test_a_window_without_answers_has_no_median_and_an_empty_run_no_requests():
    seen = runs_of([0.5, 90.0], rates=(0.0,))
    assert np.isnan(seen.median_s).all() and not seen.unanswered.any()


def test_runs_differ_and_follow_from_the_generator():
    once, again = (runs_of([1.0, 5.0], seed=4) for _ in range(2))
    assert (once.median_s == again.median_s).all()
    assert len(set(once.median_s[:, 1])) == 3


def test_the_trap_holds_at_0_6_and_cancellation_drains_it_at_the_fluid_rate():
    """2 × 0.6 > 1; after the switch N requests need N / (capacity - arrivals) seconds."""
    times = np.arange(0.5, 60, 0.5)
    seen = runs_of(
        times, rates=(400.0, 300.0), durations=(20.0, 40.0), trigger_s=0.15, cancel_from_s=35.0,
        runs=4,
    )  # fmt: skip
    at = {t: seen.unanswered[:, times == t][:, 0] for t in (20.0, 35.0, 45.0)}
    assert (at[20.0] > 500).all() and (at[35.0] > at[20.0]).all()
    drained = (at[35.0] - at[45.0]) / 10
    assert drained == pytest.approx(500 - 300, rel=0.25)


def test_asked_and_sent_count_requests_and_copies_of_a_second():
    """In the trap everything is sent twice, until the switch; loads per server of the fleet."""
    times = np.arange(0.5, 60, 0.5)
    seen = runs_of(
        times, rates=(400.0, 300.0), durations=(20.0, 40.0), trigger_s=0.15, cancel_from_s=35.0,
        runs=4,
    )  # fmt: skip
    for (from_s, to_s), asked, copies in (
        ((12, 19), 0.8, 2),
        ((22, 34), 0.6, 2),
        ((37, 59), 0.6, 1),
    ):
        near = (times > from_s) & (times <= to_s)
        assert seen.asked[:, near].mean() == pytest.approx(asked, rel=0.05)
        assert seen.sent[:, near].mean() == pytest.approx(
            copies * seen.asked[:, near].mean(), rel=0.02
        )
    assert seen.asked[:, 0].mean() == pytest.approx(0.8, rel=0.3)  # a window of half a second


def test_two_more_servers_do_not_revive_the_fleet_and_four_do():
    """Exercise tails.revive: servers that are empty when they join at second 90."""

    def backlog(extra, at_s):
        rng = np.random.default_rng(6)
        arrivals = sim.piecewise_poisson_arrivals((1200, 1600, 1200), (10, 40, 350), rng)
        fleet = np.where(arrivals < 90, 20, 20 + extra)
        first = rng.integers(fleet)
        homes = np.column_stack((first, (first + 1 + rng.integers(fleet - 1)) % fleet))
        drawn = sim.fleet_draws(arrivals.size, 20 + extra, rng, mean_service_time=0.01)
        run = sim.hedged_fleet(
            arrivals, sim.FleetDraws(drawn.service_s, homes), num_servers=20 + extra,
            trigger_s=0.15,
        )  # fmt: skip
        return [int((arrivals <= t).sum() - (run.finish_s <= t).sum()) for t in at_s]

    at_the_start, later = backlog(2, (90, 400))
    assert later > 1.3 * at_the_start
    at_the_start, later = backlog(4, (90, 400))
    assert later < 0.8 * at_the_start


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"window_s": 0}, "window_s = 0"),
        ({"runs": 0}, "runs = 0"),
        ({"rng": 7}, "rng = 7"),
        ({"cancel": "never"}, "cancel = 'never'"),
    ],
)
def test_bad_input_is_named(change, message):
    with pytest.raises(ValueError, match=message):
        runs_of([1.0], **change)


def test_times_must_ascend():
    with pytest.raises(ValueError, match="times_s"):
        runs_of([2.0, 1.0])
