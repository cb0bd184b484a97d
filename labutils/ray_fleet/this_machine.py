"""Ray on this machine alone, for as long as a block lasts."""

import contextlib
import importlib
import os
import secrets
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import ModuleType
from unittest import mock

from labutils.ground.folder import my_folder

from .installed import missing
from .keeper import LOG, READY

LONGEST = 40
"""Characters of a folder below which the names of Ray's sockets fit into the 107 of a socket."""


@contextlib.contextmanager
def local_ray(*, cpus: int = 8, folder: Path | None = None) -> Iterator[str]:
    """Start Ray, connect this process, and yield the address; nothing is left afterwards.

    Only this machine reaches it, and only with its token. Its files lie in ``folder`` (default:
    ``ray`` in the learner's own) and go with it. ``cpus`` is what Ray believes that it can share
    out: replicas that do not fit would be waited for in silence. A process of its own keeps it, so
    that it ends with the block, after an interrupt, and if this process is killed.

    ``ModuleNotFoundError`` where Ray is not installed, ``RuntimeError`` if it does not start.
    """
    if reason := missing():
        raise ModuleNotFoundError(reason)
    place = (my_folder() / "ray" if folder is None else Path(folder)).absolute()
    place.mkdir(parents=True, exist_ok=True)
    with contextlib.ExitStack() as stack:
        own = Path(stack.enter_context(_short(place)))
        stack.enter_context(mock.patch.dict(os.environ, settings(place)))
        ray = stack.enter_context(as_set())
        keeper = stack.enter_context(_kept(own, cpus))
        address = _heard(keeper, own)
        stack.callback(_disconnect, ray)
        _whole(ray.init, address, log_to_driver=False, logging_level="ERROR")
        yield address


@contextlib.contextmanager
def as_set() -> Iterator[ModuleType]:
    """Ray, as the environment wants it now: it may have been imported before."""
    for name in ("door", "replica"):
        _whole(importlib.import_module, f"{__package__}.{name}")
    import ray
    from ray._private import ray_constants
    from ray._raylet import AuthenticationTokenLoader, Config

    Config.initialize("")
    AuthenticationTokenLoader.instance().reset_cache()
    with mock.patch.object(ray_constants, "ENABLE_RAY_CLUSTER", False):
        yield ray


def _whole(do: Callable, *given, **named):
    """Do it in a thread, which no interrupt reaches: half an import or init ends Ray for good."""
    with ThreadPoolExecutor(1) as aside:
        return aside.submit(do, *given, **named).result()


def _token(place: Path) -> Path:
    """A file that holds the token; one for good, since a process of Ray's reads it once."""
    token = place / "token"
    if not token.exists():
        token.touch(mode=0o600)
        token.write_text(secrets.token_hex(32))
    return token


def settings(place: Path) -> dict[str, str]:
    """What Ray reads of the environment, here and in all that it starts; makes its token."""
    root = str(Path(__file__).resolve().parents[2])
    paths = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    return {
        "LABUTILS_MY": str(my_folder().absolute()),  # replicas have a working folder of their own
        "RAY_USAGE_STATS_ENABLED": "0",
        "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0",  # despite its name: the node is 127.0.0.1
        "RAY_AUTH_MODE": "token",
        "RAY_AUTH_TOKEN_PATH": str(_token(place)),
        "RAY_SERVE_HANDLE_AUTOSCALING_METRIC_PUSH_INTERVAL_S": "0.5",
        "RAY_SERVE_REPLICA_AUTOSCALING_METRIC_PUSH_INTERVAL_S": "0.5",
        "OMP_NUM_THREADS": "1",
        "OMP_WAIT_POLICY": "PASSIVE",
        "PYTHONPATH": os.pathsep.join([root, *(path for path in paths if path not in ("", root))]),
    }


@contextlib.contextmanager
def _short(place: Path) -> Iterator[str]:
    """A folder of its own in ``place``, by a name that is short enough for a socket in it."""
    with contextlib.ExitStack() as stack:
        own = tempfile.mkdtemp(prefix="r", dir=place)
        stack.callback(shutil.rmtree, own, ignore_errors=True)
        if len(own) > LONGEST:
            link = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="r"))) / "r"
            link.symlink_to(own)
            own = str(link)
        yield own


@contextlib.contextmanager
def _kept(folder: Path, cpus: int) -> Iterator[subprocess.Popen]:
    with (folder / LOG).open("w") as log:
        keeper = subprocess.Popen(
            [sys.executable, "-m", "labutils.ray_fleet.keeper", str(folder), str(cpus)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, text=True,
            start_new_session=True,  # Ctrl-C is for the one who asks
        )  # fmt: skip
    try:
        yield keeper
    finally:
        keeper.stdin.close()
        keeper.wait()
        keeper.stdout.close()


def _heard(keeper: subprocess.Popen, folder: Path) -> str:
    """The address that the keeper says."""
    for line in keeper.stdout:
        word, _, address = line.strip().partition(" ")
        if word == READY:
            return address
    said = (folder / LOG).read_text(errors="replace").strip().splitlines()
    raise RuntimeError(f"Ray does not start: {(said or ['no word'])[-1]}")


def _disconnect(ray) -> None:
    from ray import serve

    serve.context._set_global_client(None)  # the next block has a Serve of its own
    ray.shutdown()
