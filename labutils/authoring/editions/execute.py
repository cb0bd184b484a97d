"""Run a notebook in a fresh kernel, with its own empty ``my/`` folder, and tolerate nothing."""

import os
import re
import tempfile
from pathlib import Path

from nbformat import NotebookNode

from labutils.authoring.editions.outputs import faults, private_paths, settle

CELL_TIMEOUT_S = 60  # also bounds nbclient's last wait, for a reply that widgets may cost it


class ExecutionError(RuntimeError):
    """A notebook that does not run cleanly; the message says which cell and how."""


def execute(notebook: NotebookNode, *, root: Path, folder: str) -> NotebookNode:
    """Run ``notebook`` in place as if it stood in ``root/folder``, and settle its outputs.

    Raises ``ExecutionError`` for an exception in a cell or inside a widget, for anything on
    stderr, and for outputs that would differ in the next run or on another machine.
    """
    with tempfile.TemporaryDirectory() as scratch:
        run(notebook, cwd=root / folder, my=Path(scratch) / "my", refuse_crowding=True)
        found = faults(notebook, private=(*private_paths(root), scratch))
    if found:
        raise ExecutionError("; ".join(found))
    settle(notebook)
    return notebook


def run(notebook: NotebookNode, *, cwd: Path, my: Path, refuse_crowding: bool = False) -> None:
    """Execute every cell in a fresh kernel that keeps its progress under ``my``.

    Crowded figures are refused where a book is built, not with other seeds and sizes. A cell
    tagged ``raises-exception`` may raise; any other exception is an ``ExecutionError``.
    """
    from nbclient import NotebookClient
    from nbclient.exceptions import CellExecutionError

    with tempfile.TemporaryDirectory(prefix="kernel-") as scratch:
        client = NotebookClient(
            notebook,
            config=_transport(Path(scratch)),
            timeout=CELL_TIMEOUT_S,
            kernel_name="python3",
            record_timing=False,
            coalesce_streams=True,
            resources={"metadata": {"path": str(cwd)}},
        )
        try:
            asked = {"LABUTILS_REFUSE_CROWDING": "1"} if refuse_crowding else {}
            client.execute(env=_environment(my, Path(scratch)) | asked)
        except CellExecutionError as error:
            report = re.sub(r"\x1b\[[0-9;]*m", "", error.traceback).strip()
            raise ExecutionError(f"{error.ename}: {error.evalue}\n{report}") from None


def _environment(my: Path, scratch: Path) -> dict[str, str]:
    # A back end or a start-up folder of the caller's shell would change what a notebook shows.
    kept = {k: v for k, v in os.environ.items() if k not in ("MPLBACKEND", "PYTHONSTARTUP")}
    waiting = {"OMP_WAIT_POLICY": "PASSIVE"}  # as in the learner's server
    ours = {"LABUTILS_MY": str(my), "IPYTHONDIR": str(scratch / "ipython")}
    return {**waiting, **kept, **ours}


def _transport(scratch: Path):
    """Sockets in the file system where there are any: quicker, and no warning about open ports."""
    from traitlets.config import Config

    address = {"transport": "ipc", "ip": str(scratch / "socket")}
    return Config({"KernelManager": address} if os.name == "posix" else {})
