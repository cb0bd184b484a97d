"""What this process may use of the machine, container limits included."""

import os
import shutil
import subprocess
import time
from contextlib import suppress
from itertools import pairwise
from pathlib import Path

_CGROUP = Path("/sys/fs/cgroup")


def usable_cores() -> int:
    """Cores that this process may run on: affinity and a container's quota, whichever is less."""
    allowed = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    with suppress(OSError, ValueError):
        quota_us, period_us = (_CGROUP / "cpu.max").read_text().split()
        allowed = min(allowed, max(1, round(int(quota_us) / int(period_us))))
    return allowed or 1


def memory_bytes() -> int:
    """Bytes of memory: the machine's, or a container's limit where that is less."""
    import psutil  # here, so that preflight can still say that it is missing

    total = psutil.virtual_memory().total
    with suppress(OSError, ValueError):
        total = min(total, int((_CGROUP / "memory.max").read_text()))
    return total


def timer_resolution_s(*, readings: int = 2000) -> float:
    """Smallest step, in seconds, that ``time.perf_counter`` was seen to take."""
    ticks = [time.perf_counter() for _ in range(readings)]
    steps = [later - earlier for earlier, later in pairwise(ticks)]
    return min((step for step in steps if step > 0), default=float("inf"))


def has_nvidia_gpu() -> bool:
    """Whether the NVIDIA driver lists a GPU, whatever torch can do with it."""
    tool = shutil.which("nvidia-smi")
    if tool is None:
        return False
    with suppress(OSError, subprocess.SubprocessError):
        done = subprocess.run([tool, "-L"], capture_output=True, text=True, timeout=5)
        return done.returncode == 0 and done.stdout.startswith("GPU ")
    return False
