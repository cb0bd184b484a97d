"""A JupyterLab of one's own for a test: free port, temporary folders, gone when the test ends."""

import json
import os
import secrets
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[2]
START_TIMEOUT_S = 60.0


@dataclass(frozen=True)
class LabServer:
    """A running server: its address, its token, the folder that it serves, the learner's folder."""

    url: str
    token: str
    root: Path
    my: Path


@contextmanager
def running_lab(root: Path, scratch: Path):
    """Serve ``root``; keep settings, kernels and the learner's folder below ``scratch``.

    Yields a ``LabServer``. The whole process group ends with the block, kernels included.
    """
    server = LabServer(
        f"http://127.0.0.1:{_free_port()}", secrets.token_hex(16), root, scratch / "my"
    )
    _write_settings(scratch)
    with (scratch / "server.log").open("wb") as log:
        process = subprocess.Popen(
            _command(server),
            env=_environment(server, scratch),
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            _wait_until_up(server, process, scratch / "server.log")
            yield server
        finally:
            _end(process)


def _command(server: LabServer) -> list[str]:
    port = server.url.rsplit(":", 1)[1]
    return [
        sys.executable,
        "-m",
        "jupyterlab",
        "--no-browser",
        "--allow-root",
        "--ip=127.0.0.1",
        f"--port={port}",
        "--ServerApp.port_retries=0",
        "--LabApp.expose_app_in_browser=True",
        # should the test be killed outright, the server ends on its own
        "--MappingKernelManager.cull_idle_timeout=900",
        "--ServerApp.shutdown_no_activity_timeout=1800",
        f"--IdentityProvider.token={server.token}",
        f"--ServerApp.root_dir={server.root}",
    ]


def _environment(server: LabServer, scratch: Path) -> dict[str, str]:
    # The checkout comes first on the path, so that the kernels run what is being tested; the
    # course's own server settings hold; LABUTILS_MY keeps the tests out of anybody's progress.
    names = {
        "JUPYTER_CONFIG_DIR": "config",
        "JUPYTERLAB_SETTINGS_DIR": "settings",
        "JUPYTERLAB_WORKSPACES_DIR": "workspaces",
        "JUPYTER_RUNTIME_DIR": "runtime",
        "JUPYTER_DATA_DIR": "data",
        "IPYTHONDIR": "ipython",
    }
    paths = [str(CHECKOUT), *filter(None, [os.environ.get("PYTHONPATH")])]
    return {
        **os.environ,
        **{name: str(scratch / folder) for name, folder in names.items()},
        "JUPYTER_CONFIG_PATH": str(CHECKOUT / "labutils/workspace/jupyter"),
        "LABUTILS_MY": str(server.my),
        "PYTHONPATH": os.pathsep.join(paths),
    }


def _write_settings(scratch: Path) -> None:
    news = "@jupyterlab/apputils-extension:announcements"
    _write(scratch / "config/labconfig/page_config.json", {"disabledExtensions": {news: True}})
    tracker = scratch / "settings/@jupyterlab/notebook-extension/tracker.jupyterlab-settings"
    # every cell stays in the page, so that a test finds it and a screenshot shows it
    _write(tracker, {"windowingMode": "none"})


def _write(path: Path, content: dict) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content))


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def _wait_until_up(server: LabServer, process: subprocess.Popen, log: Path) -> None:
    deadline = time.monotonic() + START_TIMEOUT_S
    while time.monotonic() < deadline and process.poll() is None:
        try:
            with urllib.request.urlopen(f"{server.url}/api/status?token={server.token}"):
                return
        except (urllib.error.URLError, ConnectionError):
            time.sleep(0.1)
    raise RuntimeError(f"JupyterLab did not start:\n{log.read_text(errors='replace')[-3000:]}")


def _end(process: subprocess.Popen) -> None:
    for sign in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(process.pid, sign)
            process.wait(timeout=10)
            return
        except ProcessLookupError:
            return
        except subprocess.TimeoutExpired:
            continue
