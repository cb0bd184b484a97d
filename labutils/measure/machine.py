"""Which machine this is: the names by which measurements are told apart."""

import os
import platform
import sys
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Machine:
    """A device and where it stands; ``gpu`` is ``None`` when the processor does the work.

    Two machines are the same if all three agree. A GPU's entry names the processor too, since
    the processor launches what the GPU does.
    """

    device: str
    cpu: str
    gpu: str | None = None

    @classmethod
    def here(cls, device: str = "cpu") -> "Machine":
        """This machine, computing on ``device`` (cpu or cuda; ``"cuda:1"`` names the second GPU).

        Raises ``ValueError`` for another device.
        """
        kind = str(device).partition(":")[0]
        if kind == "cpu":
            return cls("cpu", cpu_name())
        if kind != "cuda":
            raise ValueError(f"device = {str(device)!r}: expected cpu or cuda")
        import torch

        return cls("cuda", cpu_name(), torch.cuda.get_device_name(device))

    def __str__(self) -> str:
        return self.cpu if self.gpu is None else f"{self.gpu} beside {self.cpu}"


def cpu_name() -> str:
    """The processor's name and how many of its cores this program may use."""
    return f"{_model()}, {_cores()} cores"


def torch_version() -> str | None:
    """The version of torch, without importing it; ``None`` where there is none."""
    from importlib import metadata

    try:
        return metadata.version("torch")
    except metadata.PackageNotFoundError:
        return None


def _model() -> str:
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace")
    except OSError:
        text = ""
    for line in text.splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.processor() or platform.machine() or "unknown processor"


def _cores() -> int:
    if sys.platform == "linux":
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
