"""The scripted device: a timer that is right on it can be checked without waiting."""

import copy

import pytest

from labutils.measure import Job, ScriptedStream


def test_a_job_begins_when_it_is_launched_and_the_device_is_free():
    stream = ScriptedStream(busy_s=2.0, launch_s=0.25)
    stream.launch(Job(1.0))
    assert stream.clock() == 0.25  # the host goes on
    stream.synchronize()
    assert stream.clock() == 3.0
    stream.launch(Job(0.5))
    stream.synchronize()
    assert stream.clock() == 3.75


def test_waiting_for_an_idle_device_takes_no_time():
    stream = ScriptedStream(launch_s=1.0)
    stream.launch(Job(0.0))
    stream.synchronize()
    stream.synchronize()
    assert stream.clock() == 1.0


def test_a_job_takes_one_duration_after_the_other_and_stays_at_the_last():
    job = Job(3, 1.5, 0.5)
    assert [job() for _ in range(5)] == [3, 1.5, 0.5, 0.5, 0.5]


def test_both_can_be_pasted_and_copied():
    given = (ScriptedStream(busy_s=0.5, launch_s=0.125), Job(2.0, 1.0))
    assert repr(given) == "(ScriptedStream(busy_s=0.5, launch_s=0.125), Job(2.0, 1.0))"
    stream, job = copy.deepcopy(given)
    stream.launch(job)
    stream.synchronize()
    assert (given[0].clock(), given[1]()) == (0.0, 2.0)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (Job, "seconds = "),
        (lambda: Job(1, -2), "seconds = -2"),
        (lambda: ScriptedStream(busy_s=-1), "busy_s = -1"),
        (lambda: ScriptedStream(launch_s="x"), "launch_s = 'x'"),
        (lambda: ScriptedStream().launch(None), "expected the call itself"),
    ],
)
def test_what_cannot_be_is_named(make, message):
    with pytest.raises(ValueError, match=message):
        make()
