"""The hedged fleet against independent calculations: no randomness in the verdict."""

import numpy as np
import pytest

from labutils.simulation import FleetDraws, fifo_queue, hedged_fleet
from tests.conftest import only_full

from .reference_fleet import least_work_of_two, lopsided_fleet, worked_off

RULES = ("none", "finish", "start")


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("num_servers", (2, 7, 20))
def test_a_trigger_of_infinity_leaves_separate_queues(rule, num_servers):
    arrivals, draws = lopsided_fleet(num_servers, 1_501, num_servers, utilization=0.9)
    run = hedged_fleet(arrivals, draws, num_servers=num_servers, trigger_s=np.inf, cancel=rule)
    for server in range(num_servers):
        mine = draws.servers[:, 0] == server
        alone = fifo_queue(arrivals[mine], draws.service_s[mine, 0])
        assert np.abs(run.start_s[mine, 0] - alone.start_s).max() <= 1e-9
        assert np.abs(run.finish_s[mine] - alone.departure_s).max() <= 1e-9
    assert np.isnan(run.start_s[:, 1]).all() and np.isnan(run.stop_s[:, 1]).all()
    assert not run.hedged.any() and run.extra_requests == 0
    assert run.extra_work == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("num_servers", [3, *only_full(2, 20)])
@pytest.mark.parametrize("utilization", (0.3, 0.6, 1.1))
@pytest.mark.parametrize("trigger_s", (0.0, 0.05, 0.6, 3.0))
def test_without_cancellation_each_copy_knows_when_it_is_done(num_servers, utilization, trigger_s):
    arrivals, draws = lopsided_fleet(5, 1_203, num_servers, utilization=utilization)
    run = hedged_fleet(arrivals, draws, num_servers=num_servers, trigger_s=trigger_s)
    done, hedged = worked_off(arrivals, draws.service_s, draws.servers, num_servers, trigger_s)
    assert (run.hedged == hedged).all() and hedged.any()
    assert np.abs(run.finish_s - done.min(axis=1)).max() <= 1e-9
    assert np.abs(run.stop_s[:, 0] - done[:, 0]).max() <= 1e-9
    assert np.abs(run.stop_s[hedged, 1] - done[hedged, 1]).max() <= 1e-9
    spent = draws.service_s[:, 0] + np.where(hedged, draws.service_s[:, 1], 0.0)
    assert np.abs(run.work_s - spent).max() <= 1e-9


def test_a_trigger_of_zero_without_cancellation_doubles_every_request():
    arrivals, draws = lopsided_fleet(8, 901, 5, utilization=0.35)
    draws = FleetDraws(draws.service_s + 1e-3, draws.servers)  # in no time, none is unanswered
    run = hedged_fleet(arrivals, draws, num_servers=5, trigger_s=0.0)
    for server in range(5):
        mine = draws.servers.ravel() == server
        alone = fifo_queue(np.repeat(arrivals, 2)[mine], draws.service_s.ravel()[mine])
        assert np.abs(run.stop_s.ravel()[mine] - alone.departure_s).max() <= 1e-9
    assert run.extra_requests == 1
    assert run.extra_work == pytest.approx(
        draws.service_s[:, 1].sum() / draws.service_s[:, 0].sum()
    )


@pytest.mark.parametrize("num_servers", (2, 4, 20))
@pytest.mark.parametrize("utilization", (0.5, 0.9, 1.2))
def test_tied_at_once_joins_the_queue_with_less_work(num_servers, utilization):
    arrivals, draws = lopsided_fleet(21, 1_101, num_servers, utilization=utilization)
    run = hedged_fleet(arrivals, draws, num_servers=num_servers, trigger_s=0.0, cancel="start")
    done = least_work_of_two(arrivals, draws.service_s, draws.servers, num_servers)
    assert np.abs(run.finish_s - done).max() <= 1e-9
    assert (np.isnan(run.start_s).sum(axis=1) == 1).all(), "exactly one copy is ever served"
    assert 0.05 < np.isnan(run.start_s[:, 0]).mean() < 0.95


# Worked by hand, trigger 3. Request 0 holds server 0 from 0 to 8, and a copy of it (demand 9) may
# run on server 2 from 3. Request 1 queues behind it; its timer rings at 4, just before request 3
# comes, and its copy runs on server 1 from 5 to 6. Requests 2 and 3 are answered just when their
# timers ring, at 5 and 7. Request 4 comes to server 0 at 6; its copy may run on server 3 from 9.
ARRIVALS = [0.0, 1.0, 2.0, 4.0, 6.0]
DRAWS = FleetDraws(
    np.array([[8.0, 9.0], [4.0, 1.0], [3.0, 9.0], [1.0, 9.0], [2.0, 9.0]]),
    np.array([[0, 2], [0, 1], [1, 2], [1, 3], [0, 3]]),
)
NAN = float("nan")
ORDINARY = {2: [(2, 5), (NAN, NAN)], 3: [(6, 7), (NAN, NAN)]}
# rule, from when, first answer of request 4, (start, stop) of both copies of requests 0, 1 and 4
WORKED = (
    ("none", -np.inf, 14, [(0, 8), (3, 12)], [(8, 12), (5, 6)], [(12, 14), (9, 18)]),
    ("finish", -np.inf, 10, [(0, 8), (3, 8)], [(NAN, NAN), (5, 6)], [(8, 10), (9, 10)]),
    ("start", -np.inf, 10, [(0, 8), (NAN, NAN)], [(NAN, NAN), (5, 6)], [(8, 10), (NAN, NAN)]),
    # At 9 requests 0 and 1 have their answers: the copies in service are called off, server 0
    # goes on with request 4, and its timer rings.
    ("finish", 9.0, 11, [(0, 8), (3, 9)], [(8, 9), (5, 6)], [(9, 11), (9, 11)]),
    # The rule comes before what else happens at 8: the first copy of request 1 never begins.
    ("finish", 8.0, 10, [(0, 8), (3, 8)], [(NAN, NAN), (5, 6)], [(8, 10), (9, 10)]),
    ("finish", 7.0, 10, [(0, 8), (3, 8)], [(NAN, NAN), (5, 6)], [(8, 10), (9, 10)]),
    # Tied from 7 on: the first copy of request 1 leaves the queue, what is in service stays.
    ("start", 7.0, 10, [(0, 8), (3, 12)], [(NAN, NAN), (5, 6)], [(8, 10), (NAN, NAN)]),
)


@pytest.mark.parametrize("rule, since, last_answer, zero, one, four", WORKED)
def test_five_requests_worked_by_hand(rule, since, last_answer, zero, one, four):
    run = hedged_fleet(
        ARRIVALS, DRAWS, num_servers=4, trigger_s=3.0, cancel=rule, cancel_from_s=since
    )
    assert run.finish_s.tolist() == [8, 6, 5, 7, last_answer]
    assert run.sojourn_time_s.tolist() == [8, 5, 3, 3, last_answer - 6]
    for request, copies in {0: zero, 1: one, 4: four, **ORDINARY}.items():
        np.testing.assert_array_equal(run.start_s[request], [start for start, _ in copies])
        np.testing.assert_array_equal(run.stop_s[request], [stop for _, stop in copies])
        worked = np.nansum([stop - start for start, stop in copies])
        assert run.work_s[request] == worked
    zero_sent, four_sent = (not np.isnan(copies[1][0]) for copies in (zero, four))
    assert run.hedged.tolist() == [zero_sent, True, False, False, four_sent]


def test_shares_are_those_of_the_hand_worked_fleet():
    run = hedged_fleet(ARRIVALS, DRAWS, num_servers=4, trigger_s=3.0, cancel="finish")
    assert run.extra_requests == 3 / 5
    # 8+5, 1, 3, 1, 2+1 server-seconds, where the first copies alone ask for 8+4+3+1+2.
    assert run.extra_work == pytest.approx(21 / 18 - 1)
    assert run.busy(0.0, 10.0) == pytest.approx(2.1)
    assert run.busy(3.0, 5.0) == pytest.approx(3.0)
    assert run.busy(8.0, 9.5) == pytest.approx((1.5 + 0.5) / 1.5)
    assert run.in_flight().at(4.5) == 4


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("since", (-np.inf, 40.0, 1e9))
@pytest.mark.parametrize("trigger_s", (0.0, 0.1, 0.8))
def test_nothing_is_lost_and_no_server_idles_while_a_copy_waits(rule, since, trigger_s):
    arrivals, draws = lopsided_fleet(4, 1_207, 6, utilization=0.8)
    run = hedged_fleet(
        arrivals, draws, num_servers=6, trigger_s=trigger_s, cancel=rule, cancel_from_s=since
    )
    served = ~np.isnan(run.start_s)
    assert (served == ~np.isnan(run.stop_s)).all() and served.any(axis=1).all()
    spent = np.where(served, run.stop_s - run.start_s, 0.0)
    full = served & (spent >= draws.service_s - 1e-9)
    # Answered once, by the first copy that was served in full.
    by_copy = np.where(full, run.stop_s, np.inf)
    assert np.abs(by_copy.min(axis=1) - run.finish_s).max() <= 1e-9
    assert (spent <= draws.service_s + 1e-9).all()
    assert (run.start_s[served] >= np.stack((arrivals, arrivals + trigger_s), 1)[served]).all()
    assert (run.hedged | ~served[:, 1]).all()
    if rule == "none":
        assert full.sum() == arrivals.size + run.hedged.sum()
    end = np.nanmax(run.stop_s)
    assert run.work_s.sum() == pytest.approx(run.busy(arrivals[0], end) * (end - arrivals[0]))
    for server in range(6):
        mine = served & (draws.servers == server)
        joined = np.stack((arrivals, arrivals + trigger_s), 1)[mine]
        order = np.lexsort((joined, run.stop_s[mine], run.start_s[mine]))
        start, stop, joined = run.start_s[mine][order], run.stop_s[mine][order], joined[order]
        assert (start[1:] >= stop[:-1]).all(), "one copy at a time"
        assert (np.diff(joined) >= -1e-12).all(), "first come, first served"
        late = start[1:] > joined[1:] + 1e-12
        assert (start[1:][late] == stop[:-1][late]).all(), "at once when the server is free"


@pytest.mark.parametrize("rule", RULES)
def test_littles_law_holds_on_the_sample_path(rule):
    arrivals, draws = lopsided_fleet(15, 2_003, 8, utilization=0.9)
    run = hedged_fleet(arrivals, draws, num_servers=8, trigger_s=0.4, cancel=rule)
    area = run.in_flight().integral(arrivals[0], run.finish_s.max())
    assert area == pytest.approx(run.sojourn_time_s.sum(), rel=1e-12)
    inside = ((arrivals <= 50.0) & (run.finish_s > 50.0)).sum()
    assert run.in_flight().at(50.0) == inside > 0


def test_called_off_or_not_the_past_is_the_same():
    arrivals, draws = lopsided_fleet(31, 1_501, 5, utilization=1.2)
    options = {"num_servers": 5, "trigger_s": 0.3}
    never = hedged_fleet(arrivals, draws, **options)
    later = hedged_fleet(arrivals, draws, cancel="finish", cancel_from_s=30.0, **options)
    before = later.finish_s < 30.0
    assert (later.finish_s[before] == never.finish_s[before]).all() and before.sum() > 200
    copies_before = (later.start_s < 30.0) & (later.stop_s < 30.0)
    assert (later.stop_s[copies_before] == never.stop_s[copies_before]).all()
    assert later.finish_s.max() < never.finish_s.max() - 1.0
    # From then on no copy of an answered request is in service.
    after = later.stop_s > 30.0
    assert (later.stop_s <= np.maximum(later.finish_s, 30.0)[:, None])[after].all()


@pytest.mark.parametrize("rule", RULES)
def test_time_has_no_origin_and_no_unit(rule):
    arrivals, draws = lopsided_fleet(2, 801, 4, utilization=0.8)
    here = hedged_fleet(arrivals, draws, num_servers=4, trigger_s=0.5, cancel=rule)
    faster = FleetDraws(draws.service_s / 1e3, draws.servers)
    there = hedged_fleet(9.0 + arrivals / 1e3, faster, num_servers=4, trigger_s=0.5e-3, cancel=rule)
    assert np.abs(1e3 * there.sojourn_time_s - here.sojourn_time_s).max() <= 1e-9
    assert (here.hedged == there.hedged).all()
