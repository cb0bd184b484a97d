"""Lab 9's fleet on two machines, one of which is lost under load: who was told, who came back.

``unshare --map-root-user --net python -m benchmarks.ray_two_machines``; it needs Ray and Linux. The
machines are two network namespaces with a cable between them: each has an address, a raylet and a
loopback of its own; cores and memory they share.
"""

import contextlib
import os
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from unittest import mock

import psutil

from labutils import ray_fleet
from labutils.exercises.catalog.fleet_on_ray import lab9_loads as load
from labutils.exercises.catalog.many_replicas.two_choices import TwoChoices
from labutils.loadtest import closed_plan, run_load
from labutils.ray_fleet.keeper import adopt_orphans, end_descendants
from labutils.ray_fleet.this_machine import as_set, settings
from labutils.server import Server

CLUSTER = {"RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "1"}  # Ray's default, on Linux
HERE, THERE, LOST_AFTER_S, SECONDS = "10.77.0.1", "10.77.0.2", 4.0, 30.0
CABLE = f"""
ip link set lo up
ip link add here type veth peer name there
ip link set there netns $0
ip address add {HERE}/24 dev here
ip link set here up
nsenter --target $0 --net sh -ec '
    ip link set lo up; ip address add {THERE}/24 dev there; ip link set there up'
"""
START = (
    sys.executable, "-m", "ray.scripts.scripts", "start", "--num-cpus=3", "--num-gpus=0",
    "--object-store-memory=104857600", "--disable-usage-stats",
)  # fmt: skip


def run(*words: str) -> None:
    """Carry out a command that has to succeed."""
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL)


def network_of(pid: int) -> str:
    """The network namespace in which a process lives."""
    return os.readlink(f"/proc/{pid}/ns/net")


@contextlib.contextmanager
def second_machine() -> Iterator[int]:
    """A process in a network of its own, to which a cable leads from here."""
    with subprocess.Popen(["unshare", "--net", "sleep", "infinity"]) as other:
        try:
            while network_of(other.pid) == network_of(os.getpid()):
                pass
            run("sh", "-ec", CABLE, str(other.pid))
            yield other.pid
        finally:
            other.kill()


def on(other: int) -> list[psutil.Process]:
    """All that this process has started on the second machine."""
    some = psutil.Process().children(recursive=True)
    return [one for one in some if one.pid != other and network_of(one.pid) == network_of(other)]


def lose(other: int) -> None:
    """Kill all that runs on the second machine, without a word."""
    for one in on(other):
        one.kill()


def main() -> None:
    """Print on which machine each replica is, how the answers ended, and who is up when."""
    adopt_orphans()
    with contextlib.ExitStack() as stack:
        place = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        stack.enter_context(mock.patch.dict(os.environ, settings(place) | CLUSTER))
        other = stack.enter_context(second_machine())
        stack.callback(end_descendants)
        run(*START, "--head", f"--node-ip-address={HERE}", "--port=6379",
            "--include-dashboard=false", f"--temp-dir={place}")  # fmt: skip
        run("nsenter", f"--target={other}", "--net", *START, f"--address={HERE}:6379",
            f"--node-ip-address={THERE}")  # fmt: skip
        ray = stack.enter_context(as_set())
        ray.init(f"{HERE}:6379", log_to_driver=False, logging_level="ERROR")
        stack.callback(ray.shutdown)
        url = ray_fleet.serving(server=Server, engine=load.engine, router=TwoChoices(1))
        load.warmed(url)
        names = [(one.cmdline() or [""])[0] for one in on(other)]
        print("on the second machine:", [name for name in names if "Serve" in name])
        users = closed_plan(9, SECONDS, [load.kind(max_tokens=48)], seed=7)
        with ray_fleet.Watch(url, "vllm:generation_tokens_total") as seen:
            threading.Timer(LOST_AFTER_S, lose, [other]).start()
            records = run_load(users, load.target(url)).records
        by = Counter(one.tags.get("replica") for one in records)
        print("answers:", dict(ray_fleet.ended(records)), "by replica:", dict(by))
        before = None
        for at_s, up in zip(seen.times_s, seen.up):
            if up != before:
                print(f"up at {at_s - LOST_AFTER_S:+.1f} s: {up}")
            before = up


if __name__ == "__main__":
    main()
