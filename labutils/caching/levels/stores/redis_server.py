"""A Redis server for one experiment: on a private socket, nothing on disk, made to be killed."""

import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import weakref
from pathlib import Path

from labutils.ground.arguments import whole

LONGEST_SOCKET = 100  # bytes of a path; systems allow 104 to 108
START_S, STOP_S = 5.0, 2.0
# Ends the server whose starter is gone, however it went: then the pipe is closed without a line.
_WATCH = 'read -r line || { kill -9 "$0"; rm -f "$1/redis.sock" "$1/log"; rmdir "$1"; } 2>/dev/null'


class RedisServer:
    """``with RedisServer() as server``, or ``start()`` and ``stop()``; ``socket`` is its address.

    The folder is private to the user and goes with the server. No port is open, nothing is written
    to disk, and beyond ``memory_mib`` the least recently used keys leave. It ends with ``stop``,
    with the object, with the interpreter, and when that is killed. Raises ``FileNotFoundError``
    without a ``redis-server`` on the path, ``RuntimeError`` if that does not start.
    """

    def __init__(self, *, memory_mib: int = 64):
        self.memory_mib = whole("memory_mib", memory_mib)
        self._running: _Running | None = None
        self._folder = Path(_private_folder())
        self._owner = os.getpid()
        weakref.finalize(self, _remove, self._folder, self._owner)
        self._ending = None
        self.socket = str(self._folder / "redis.sock")

    def start(self) -> "RedisServer":
        """Start it, empty, unless it runs; returns once it answers. After ``kill``: a new one.

        One that is stalled goes on.
        """
        if self.is_running:
            self.resume()
        else:
            self._end()
            command = self._command()
            self._folder.mkdir(mode=0o700, exist_ok=True)
            self._running = _Running(command, self._folder)
            self._ending = weakref.finalize(self, self._running.end)
            try:
                self._running.wait_until_it_answers(self.socket)
            except BaseException:
                self._end()
                raise
        return self

    @property
    def is_running(self) -> bool:
        """Whether the process lives (a stalled one does)."""
        return self._running is not None and self._running.process.poll() is None

    @property
    def pid(self) -> int | None:
        """Its process, while there is one."""
        return self._running.process.pid if self.is_running else None

    def kill(self) -> None:
        """End it at once, as a crash does (SIGKILL): whoever waits for an answer gets none."""
        self._end(signal.SIGKILL)

    def stall(self) -> None:
        """Stop it without ending it (SIGSTOP): it accepts connections and says nothing."""
        self._tell(signal.SIGSTOP)

    def resume(self) -> None:
        """Let it go on (SIGCONT)."""
        self._tell(signal.SIGCONT)

    def stop(self) -> None:
        """End it and remove its folder; ``start`` makes both anew."""
        self._end()
        _remove(self._folder, self._owner)

    def __enter__(self) -> "RedisServer":
        return self.start()

    def __exit__(self, *error) -> None:
        self.stop()

    def _command(self) -> list[str]:
        program = shutil.which("redis-server")
        if program is None:
            raise FileNotFoundError("no redis-server on the path")
        return [
            program, "--port", "0", "--unixsocket", self.socket, "--unixsocketperm", "700",
            "--save", "", "--appendonly", "no", "--dir", str(self._folder),
            "--maxmemory", f"{self.memory_mib}mb", "--maxmemory-policy", "allkeys-lru",
        ]  # fmt: skip

    def _tell(self, number: signal.Signals) -> None:
        if not self.is_running:
            raise RuntimeError("the server does not run: start() it first")
        self._running.process.send_signal(number)

    def _end(self, number: signal.Signals = signal.SIGTERM) -> None:
        if self._running is not None:
            self._ending.detach()
            self._running.end(number)
            self._running = None


class _Running:
    """The process, and beside it a shell that ends it when this interpreter is gone."""

    def __init__(self, command: list[str], folder: Path):
        self.log = folder / "log"
        # In groups of their own: stopping a cell interrupts the kernel's whole group.
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, process_group=0
            )
        self.watch = subprocess.Popen(
            ["/bin/sh", "-c", _WATCH, str(self.process.pid), str(folder)],
            stdin=subprocess.PIPE,
            process_group=0,
        )
        self.owner = os.getpid()

    def wait_until_it_answers(self, address: str) -> None:
        until_s = time.monotonic() + START_S
        while not _answers(address):
            if self.process.poll() is not None or time.monotonic() > until_s:
                said = self.log.read_text(errors="replace").strip().splitlines()
                raise RuntimeError(f"redis-server does not start: {(said or ['no word'])[-1]}")
            time.sleep(0.002)

    def end(self, number: signal.Signals = signal.SIGTERM) -> None:
        """End the server, wait for it, and only then let the shell go: it must not kill another."""
        if os.getpid() != self.owner:
            return  # a forked child's copy of the object ends nothing
        if self.process.poll() is None:
            self.process.send_signal(number)
            self.process.send_signal(signal.SIGCONT)  # one that is stalled hears nothing else
            try:
                self.process.wait(STOP_S)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        if self.watch.poll() is None:
            self.watch.communicate(b"ended\n")


def _remove(folder: Path, owner: int) -> None:
    if os.getpid() == owner:  # not in a forked child
        shutil.rmtree(folder, ignore_errors=True)


def _answers(address: str) -> bool:
    with socket.socket(socket.AF_UNIX) as line:
        line.settimeout(0.5)
        try:
            line.connect(address)
            line.sendall(b"PING\r\n")
            return line.recv(16).startswith(b"+PONG")
        except OSError:
            return False


def _private_folder() -> str:
    """A new folder that only this user may enter, with a path short enough for a socket."""
    for parent in (None, "/tmp"):
        folder = tempfile.mkdtemp(prefix="levels-", dir=parent)
        if len(os.fsencode(folder)) + len("/redis.sock") <= LONGEST_SOCKET:
            return folder
        os.rmdir(folder)
    raise RuntimeError("no temporary folder with a path that is short enough for a socket")
