"""A real server under load: each fault moves its panel, and nothing outlives whoever started it."""

import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from labutils.live import FAULTS, LiveService
from labutils.telemetry.watching.wall.live_panels import CAUSES

PATIENCE_S = 40.0


@pytest.fixture(scope="module")
def service():
    with LiveService(7) as service:
        assert until(
            service, lambda: "all" in panel(service, 10) and panel(service, 10)["all"] > 90
        )
        yield service


@pytest.fixture(scope="module")
def calm(service):
    """What each panel shows before anything has befallen the service."""
    return {fault.panel: panel(service, fault.panel) for fault in FAULTS.values()}


def panel(service, number):
    """What a panel of the new wall shows now, over five seconds."""
    one = service.replica()
    lines = CAUSES[number - 1].lines([one], one.times_s[-1:], 5.0)
    return {name: float(values[-1]) for name, values in lines.items()}


def until(service, holds):
    """Scrape until ``holds``, at most ``PATIENCE_S``; whether it did."""
    ends_s = time.monotonic() + PATIENCE_S
    while time.monotonic() < ends_s:
        service.scrape()
        if len(service.scrapes) > 3 and holds():
            return True
        time.sleep(0.3)
    return False


MOVES = {
    "neighbour": lambda now, calm: now["live"] > max(0.1, calm["live"]),
    "memory": lambda now, calm: now["all"] > 70 > calm["all"],
    "burst": lambda now, calm: now["over_budget"] > 1 > calm["over_budget"],
    "leaving": lambda now, calm: now["cancelled"] > 0.5 > calm["cancelled"],
    "release": lambda now, calm: now["all"] < 50 < calm["all"],
}


@pytest.mark.full
@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_seen_on_its_panel_and_goes_when_it_is_healed(service, calm, fault):
    number = FAULTS[fault].panel

    def is_seen():
        return MOVES[fault](panel(service, number), calm[number])

    assert until(service, lambda: not is_seen())  # the end of the fault before cuts requests off
    service.inject(fault)
    assert until(service, is_seen)
    service.heal()
    assert until(service, lambda: not is_seen() and panel(service, 4)["waiting"] == 0)


@pytest.mark.full
def test_a_fault_that_there_is_not_is_refused(service):
    with pytest.raises(ValueError, match="fault = 'fire': expected one of neighbour, memory"):
        service.inject("fire")


@pytest.mark.parametrize("seed", [-1, 1.5, "7"])
def test_a_bad_seed_is_refused(seed):
    with pytest.raises(ValueError, match=r"seed = .*: expected a whole number"):
        LiveService(seed)


def test_what_does_not_run_cannot_be_broken():
    with pytest.raises(RuntimeError, match="start it first"):
        LiveService(7).inject("burst")


HOLDS = """
import time
from labutils.live import LiveService
with LiveService(7) as service:
    print(service._process.pid, flush=True)
    time.sleep(60)
"""


@pytest.mark.full
@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGINT])
def test_it_ends_with_whoever_started_it(end):
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLDS], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    pid = int(holder.stdout.readline())
    holder.send_signal(end)
    holder.wait(15)
    holder.stdout.close()
    ends_s = time.monotonic() + 15
    while is_alive(pid) and time.monotonic() < ends_s:
        time.sleep(0.1)
    assert not is_alive(pid)


def is_alive(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    with open(f"/proc/{pid}/stat") as stat:  # an orphan that has ended may wait for its new parent
        return stat.read().rpartition(")")[2].split()[0] != "Z"


@pytest.mark.full
def test_times_count_from_the_first_scrape(service):
    times_s = service.replica().times_s
    assert (np.diff(times_s) > 0).all() and times_s[0] >= 0
