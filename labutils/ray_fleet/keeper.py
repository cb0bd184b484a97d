"""Keeps a Ray of this machine alone, and ends it when the standard input ends.

Whoever started it holds the other end: closing that ends Ray, and so does being killed. Ray's own
processes are not asked: they are all descendants of this one, and none is left.
"""

import contextlib
import ctypes
import os
import shutil
import socket
import subprocess
import sys
import threading
import time
import traceback
from pathlib import Path

import psutil

READY, LOG = "ready", "keeper.log"
_ADOPT_ORPHANS = 36  # PR_SET_CHILD_SUBREAPER, of Linux
_PORTS = (
    "dashboard-agent-grpc", "dashboard-agent-listen", "runtime-env-agent", "metrics-export",
    "ray-client-server",
)  # fmt: skip
_SHARED_BYTES = 100 * 2**20
_STARTS = threading.Lock()


def keep(folder: str, cpus: int) -> None:
    """Start Ray, say its address, and wait for the end of the input, which may come any time."""
    adopt_orphans()
    ending = threading.Thread(target=_end_with_input, args=[Path(folder)])
    ending.start()
    try:
        print(READY, _started(folder, cpus), flush=True)
    except Exception:
        end_descendants()
        traceback.print_exc()
        os._exit(1)
    ending.join()


def adopt_orphans() -> None:
    """Make this process the parent of all whose own is gone (on Linux): Ray's leave theirs."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_ADOPT_ORPHANS, 1, 0, 0, 0)


def _end_with_input(folder: Path) -> None:
    sys.stdin.read()
    _STARTS.acquire()  # for good: a start that was killed is tried again
    end_descendants()
    if folder.is_symlink():
        shutil.rmtree(folder.resolve(), ignore_errors=True)
        with contextlib.suppress(OSError):
            folder.unlink()
            folder.parent.rmdir()  # it was made for the link
    elif (folder / LOG).exists():
        shutil.rmtree(folder, ignore_errors=True)
    os._exit(0)  # Ray's own farewell would wait for those that are gone


def end_descendants(within_s: float = 5.0) -> None:
    """Kill whatever this process has started, until nothing is left: dying ones may start more."""
    until_s = time.monotonic() + within_s
    while (left := psutil.Process().children(recursive=True)) and time.monotonic() < until_s:
        for one in left:
            try:
                one.kill()
            except psutil.NoSuchProcess:
                continue
        psutil.wait_procs(left, timeout=0.2)


def _started(folder: str, cpus: int) -> str:
    """Ray waits 15 s for ports that it has to learn, and 30 s for the node: too short where others
    compute. So the ports are given, and it may try again."""
    for is_last in (False, False, True):
        port, *others = free_ports(1 + len(_PORTS))
        words = ["--head", "--node-ip-address=127.0.0.1", f"--port={port}", f"--num-cpus={cpus}"]
        words += ["--num-gpus=0", "--include-dashboard=false", f"--temp-dir={folder}"]
        words += [f"--{name}-port={own}" for name, own in zip(_PORTS, others)]
        words += [f"--object-store-memory={_SHARED_BYTES}", "--disable-usage-stats"]
        command = [sys.executable, "-m", "ray.scripts.scripts", "start", *words]
        with _STARTS:
            starting = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=sys.stderr)
        if not starting.wait():
            return f"127.0.0.1:{port}"
        if not is_last:
            end_descendants()
    raise RuntimeError("ray start failed three times")


def free_ports(many: int) -> list[int]:
    """Ports of this machine on which nobody listens now."""
    with contextlib.ExitStack() as stack:
        held = [stack.enter_context(socket.create_server(("127.0.0.1", 0))) for _ in range(many)]
        return [one.getsockname()[1] for one in held]


if __name__ == "__main__":
    keep(sys.argv[1], int(sys.argv[2]))
