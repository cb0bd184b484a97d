"""What a result needs beside it to mean something: the machine and the versions."""

import os
import platform
import sys
from importlib import metadata
from pathlib import Path

import psutil

PACKAGES = (
    "numpy", "scipy", "numba", "simpy", "ciw", "matplotlib", "ipywidgets", "torch", "transformers",
)  # fmt: skip


def describe() -> dict:
    """Describe processor, memory, operating system, Python and the packages that matter."""
    return {
        "cpu": _cpu_model(),
        "cores": _usable_cores(),
        "memory_gib": round(psutil.virtual_memory().total / 2**30, 1),
        "load_at_start": round(os.getloadavg()[0], 2) if hasattr(os, "getloadavg") else None,
        "os": platform.platform(),
        "python": platform.python_version(),
        "packages": {name: _version(name) for name in PACKAGES},
    }


def _cpu_model() -> str:
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        for line in cpuinfo.read_text().splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.processor() or platform.machine()


def _usable_cores() -> int:
    if sys.platform == "linux":
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None
