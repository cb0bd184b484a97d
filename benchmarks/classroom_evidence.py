"""What is left of a lesson: journals and notebooks on the disk, memory of the processes."""

import json
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import nbformat
import psutil

from .classroom_hub import Hub
from .classroom_lesson import PATH, Record

MIB = 1024**2


@dataclass(frozen=True)
class Memory:
    """Memory of one learner's server and kernels in MiB: resident, and the proportional share.

    The proportional set size (PSS) divides a page by the number of processes that share it, so it
    may be summed over learners; resident sizes (RSS) count shared pages again and again.
    """

    server_rss: float = 0.0
    server_pss: float = 0.0
    kernel_rss: float = 0.0
    kernel_pss: float = 0.0

    @property
    def pss(self) -> float:
        """Server and kernel together."""
        return self.server_pss + self.kernel_pss

    @property
    def rss(self) -> float:
        """Server and kernel together."""
        return self.server_rss + self.kernel_rss


def memory_of(hub: Hub, name: str) -> Memory:
    """Measure the processes of one learner; 0 for what is not there."""
    server = hub.server_of(name)
    server_rss, server_pss = _sizes([server] if server else [])
    kernel_rss, kernel_pss = _sizes(hub.kernels_of(name))
    return Memory(server_rss, server_pss, kernel_rss, kernel_pss)


def _sizes(processes: list[psutil.Process]) -> tuple[float, float]:
    rss = pss = 0.0
    for process in processes:
        with suppress(psutil.Error):
            found = process.memory_full_info()
            rss += found.rss / MIB
            pss += getattr(found, "pss", 0) / MIB  # Linux alone knows it
    return rss, pss


def losses(hub: Hub, record: Record) -> list[str]:
    """What a learner lost: empty where journal and notebook hold all that was done."""
    home = hub.home(record.name)
    found = [record.trouble] if record.trouble else []
    kept = _checks_in(home / "my" / "progress")
    if kept != record.checks:
        found.append(f"journal: {len(kept)} checks, {len(record.checks)} were made")
    try:
        notebook = nbformat.read(home / PATH, as_version=4)
        nbformat.validate(notebook)
    except Exception as error:
        return [*found, f"notebook: {error}"]
    if _work(notebook.cells) != _work(record.saved.get("cells", [])):
        found.append("notebook: not as it was saved")
    return found


def _checks_in(folder: Path) -> list[tuple[str, bool]]:
    """The checks in all journals of a folder, in order of time; a damaged line raises."""
    lines = [line for file in folder.glob("*.jsonl") for line in file.read_text().splitlines()]
    events = sorted((json.loads(line) for line in lines), key=lambda event: event["at"])
    return [(e["id"], e["status"] == "right") for e in events if e["event"] == "check"]


def _work(cells) -> list[tuple[str, str, int]]:
    return [
        (cell["cell_type"], "".join(cell["source"]), len(cell.get("outputs", ()))) for cell in cells
    ]
