"""A JupyterHub on the loopback device for one class: started, watched, and ended by process id."""

import ctypes
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import psutil

from labutils.workspace.hub import packages_of

from .registry import Unavailable

ROOT = Path(__file__).resolve().parents[1]
PROXY = "configurable-http-proxy"
SERVER = "labutils.workspace.hub"
START_TIMEOUT_S = 60.0
_PR_SET_PDEATHSIG = 1
INSTALL = (
    "python3 -m venv hub && hub/bin/pip install jupyterhub && "
    f"npm install --prefix hub {PROXY}; then set CLASSROOM_HUB=hub"
)


@dataclass(frozen=True)
class Installation:
    """Where JupyterHub and its proxy are: a Python, its environment, a program."""

    python: str
    hub: str  # empty where it is this Python's own
    proxy: str


@dataclass(frozen=True)
class Hub:
    """A running hub: its address, the password of everybody, and where the homes are."""

    url: str
    password: str
    homes: Path
    process: psutil.Process

    def home(self, name: str) -> Path:
        """The home folder of a learner."""
        return self.homes / name

    def server_of(self, name: str) -> psutil.Process | None:
        """The process of a learner's server."""
        for process in self.process.children(recursive=True):
            with suppress(psutil.Error):
                is_server = SERVER in process.cmdline()
                if is_server and process.environ().get("JUPYTERHUB_USER") == name:
                    return process
        return None

    def kernels_of(self, name: str) -> list[psutil.Process]:
        """The kernels that a learner's server runs."""
        server, found = self.server_of(name), []
        for process in server.children(recursive=True) if server else []:
            with suppress(psutil.Error):
                if any("ipykernel_launcher" in word for word in process.cmdline()):
                    found.append(process)
        return found


def installation() -> Installation:
    """Find JupyterHub and its proxy. Raises ``Unavailable``, which says how to install them.

    ``CLASSROOM_HUB`` names a virtual environment in which both are; without it, they are looked
    for in this Python and on the path.
    """
    named = os.environ.get("CLASSROOM_HUB", "").strip()
    if not named:
        proxy = shutil.which(PROXY)
        if find_spec("jupyterhub") is None or proxy is None:
            missing = PROXY if find_spec("jupyterhub") else "jupyterhub"
            raise Unavailable(f"{missing} is not installed. {INSTALL}")
        return Installation(sys.executable, "", proxy)
    folder = Path(named).expanduser().absolute()
    python, proxy = folder / "bin" / "python", folder / "node_modules" / ".bin" / PROXY
    try:
        packages_of(folder)
    except SystemExit as trouble:
        raise Unavailable(f"{trouble}. {INSTALL}") from None
    if not proxy.exists() or not shutil.which("node"):
        raise Unavailable(f"no {PROXY} in {folder}, or no node on the path. {INSTALL}")
    return Installation(str(python), str(folder), str(proxy))


@contextmanager
def running_hub(found: Installation, scratch: Path, *, cold: bool = False) -> Iterator[Hub]:
    """Run a hub whose files all lie below ``scratch``; every process of it ends with the block.

    ``cold`` gives each learner an empty folder of compiled loops: the first morning of a class
    whose course folder is read-only.
    """
    ports = [_free_port() for _ in range(3)]
    password, homes = "in one room", scratch / "homes"
    homes.mkdir(parents=True)
    settings = scratch / "hub.json"
    settings.write_text(json.dumps(_settings(found, scratch, ports, password, cold)))
    with (scratch / "hub.log").open("wb") as log:
        process = psutil.Popen(
            [found.python, "-m", "jupyterhub", "-f", str(settings)],
            cwd=scratch,
            env=_environment(scratch),
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            preexec_fn=_end_with_parent,
        )
        url = f"http://127.0.0.1:{ports[0]}"
        try:
            _wait_until_up(url, process, scratch / "hub.log")
            yield Hub(url, password, homes, process)
        finally:
            end(process)


def _settings(
    found: Installation, scratch: Path, ports: list[int], password: str, cold: bool
) -> dict:
    public, hub, proxy = (f"http://127.0.0.1:{port}" for port in ports)
    return {
        "JupyterHub": {
            "bind_url": public,
            "hub_bind_url": hub,
            "db_url": f"sqlite:///{scratch / 'hub.sqlite'}",
            "cookie_secret_file": str(scratch / "cookie_secret"),
            "spawner_class": "simple",
            "authenticator_class": "dummy",
            "log_level": "WARN",
        },
        "ConfigurableHTTPProxy": {
            "command": [found.proxy],
            "api_url": proxy,
            "pid_file": str(scratch / "proxy.pid"),
        },
        "DummyAuthenticator": {"password": password},
        "Authenticator": {"allow_all": True},
        "SimpleLocalProcessSpawner": {"home_dir_template": f"{scratch}/homes/{{username}}"},
        "Spawner": {
            "cmd": _command(found, cold),
            "args": ["--allow-root"],  # containers; elsewhere it changes nothing
            "ip": "127.0.0.1",
            "default_url": "/lab",
            "start_timeout": 300,
            "http_timeout": 300,
            "environment": {"PYTHONPATH": str(ROOT)},
        },
    }


def _command(found: Installation, cold: bool) -> list[str]:
    """A learner's server; ``cold``: with an empty folder of compiled loops in each home."""
    folder = 'export NUMBA_CACHE_DIR="$HOME/compiled"; exec "$0" "$@"'
    command = [sys.executable, "-m", SERVER, *([found.hub] if found.hub else [])]
    return ["sh", "-c", folder, *command] if cold else command


def _environment(scratch: Path) -> dict[str, str]:
    """The hub's own: no progress and no settings of whoever runs the test."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("JUPYTER", "LABUTILS"))}
    return {**kept, "HOME": str(scratch)}


def end(process: psutil.Process, *, patience_s: float = 15.0) -> None:
    """End a process and all that it started, each by its id: asked first, then killed."""
    family = [process]
    with suppress(psutil.Error):
        family += process.children(recursive=True)
    for sign in (signal.SIGTERM, signal.SIGKILL):
        for one in family:
            with suppress(psutil.Error):
                one.send_signal(sign)
        _, family = psutil.wait_procs(family, timeout=patience_s)
        if not family:
            return


def _end_with_parent() -> None:
    """Have this process told to end when its parent is killed outright; Linux alone can do it."""
    with suppress(AttributeError, OSError):
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)


def _wait_until_up(url: str, process: psutil.Process, log: Path) -> None:
    deadline = time.monotonic() + START_TIMEOUT_S
    while time.monotonic() < deadline and process.is_running():
        try:
            with urllib.request.urlopen(f"{url}/hub/api", timeout=5):
                return
        except (urllib.error.URLError, ConnectionError, TimeoutError):
            time.sleep(0.2)
    raise RuntimeError(f"JupyterHub did not start:\n{log.read_text(errors='replace')[-3000:]}")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
