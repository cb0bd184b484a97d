"""Nobody is left when the one who started it is gone."""

import subprocess
import sys
import time

import psutil

STARTS = """
import subprocess, sys, threading, time
from labutils.ray_fleet import keeper
def started(folder, cpus):
    subprocess.Popen(["sh", "-c", "setsid sleep 600 & exec sleep 600"])
    time.sleep(0.5)
    return "there"
keeper._started = started
keeper.keep("", 1)
"""


def test_the_end_of_the_input_ends_all_even_what_left_its_parent():
    kept = subprocess.Popen(
        [sys.executable, "-c", STARTS], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert kept.stdout.readline() == "ready there\n"
    some = psutil.Process(kept.pid).children(recursive=True)
    kept.communicate(timeout=20)
    assert len(some) == 2 and not psutil.wait_procs(some, timeout=5)[1]


def test_it_need_not_have_started_to_be_ended():
    kept = subprocess.Popen([sys.executable, "-c", STARTS], stdin=subprocess.PIPE)
    until_s = time.monotonic() + 20
    while not (some := psutil.Process(kept.pid).children()) and time.monotonic() < until_s:
        time.sleep(0.01)
    kept.communicate(timeout=20)
    assert not psutil.wait_procs(some, timeout=5)[1]


FAILS_AT_THE_END = """
import sys, threading, time
from labutils.ray_fleet import keeper
ending = threading.Event()
class Failing:
    def __init__(self, command, **streams):
        with open(sys.argv[1], "a") as starts:
            starts.write("begun\\n")
        print("begun", flush=True)
    def wait(self):
        ending.wait()
        return 1
def ended():
    ending.set()
    if threading.current_thread() is not threading.main_thread():
        time.sleep(1)  # time enough for the other to try again
keeper.subprocess.Popen = Failing
keeper.end_descendants = ended
keeper.keep("", 1)
"""


def test_once_the_input_has_ended_a_start_that_fails_is_not_tried_again(tmp_path):
    starts = tmp_path / "starts"
    kept = subprocess.Popen(
        [sys.executable, "-c", FAILS_AT_THE_END, str(starts)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert kept.stdout.readline() == "begun\n"
    kept.communicate(timeout=20)
    assert starts.read_text() == "begun\n"
