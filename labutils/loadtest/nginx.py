"""A real nginx before a server, for as long as a block lasts."""

import contextlib
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from .proxy import Proxy

START_S = 10.0
# Ends nginx when the input ends: whoever started it wants that, or is gone.
_SHELL = 'exec 3<&0; "$@" & n=$!; { read -r _ <&3; kill $n; } & wait $n; kill $! 2>/dev/null'
# Paths are below the folder in which it runs: one with a blank or a semicolon needs no quotes.
_FILE = """
daemon off; master_process off; pid pid;
events {{ worker_connections 1024; }}
http {{
  access_log off; client_body_temp_path 1; proxy_temp_path 2;
  fastcgi_temp_path 3; uwsgi_temp_path 4; scgi_temp_path 5;
  server {{
    listen 127.0.0.1:{port};
    location / {{ proxy_pass {url}; {directives} }}
  }}
}}
"""


class Nginx(Proxy):
    """What ``Proxy`` is, by an nginx of one's own, on a free port of this machine.

    It collects (``holds_bytes``) only what it asks for in HTTP/1.0, as it does unless it is told
    otherwise; in 1.1 an answer comes in chunks, and each is passed on. It gives up whoever leaves
    unless it stores the answer (``reads_on``). It puts a timer off only by 0.3 s or more (its
    NGX_TIMER_LAZY_DELAY), so an ``idle_s`` below 0.6 cuts streams that are not idle.

    ``FileNotFoundError`` where no ``nginx`` is found, ``RuntimeError`` if it does not start.
    """

    @staticmethod
    def program() -> str | None:
        """Where it is; on Debian that is no folder of an ordinary user's path."""
        return shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin:/usr/local/sbin")

    @contextlib.contextmanager
    def running(self) -> Iterator[str]:
        """Serve from a process of its own; it ends with the block, or with this interpreter."""
        program = self.program()
        if program is None:
            raise FileNotFoundError("no nginx on the path")
        with tempfile.TemporaryDirectory(prefix="nginx-") as folder:
            port, log = _free_port(), Path(folder) / "error.log"
            made = self._file(folder, port)
            command = [program, "-e", str(log), "-p", folder, "-c", str(made)]
            process = subprocess.Popen(
                ["/bin/sh", "-c", _SHELL, "sh", *command], stdin=subprocess.PIPE,
                stderr=subprocess.DEVNULL, process_group=0, cwd=folder,
            )  # fmt: skip
            try:
                _wait_until_it_listens(port, process, log)
                yield f"http://127.0.0.1:{port}"
            finally:
                process.communicate()

    def _file(self, folder: str, port: int) -> Path:
        said = [f"proxy_read_timeout {round(1e3 * self.idle_s)}ms"]
        if not self.heeds:
            said.append("proxy_ignore_headers X-Accel-Buffering")
        if self.holds_bytes:
            said.append(f"proxy_buffer_size {self.holds_bytes}")
            said.append(f"proxy_buffers 8 {self.holds_bytes}")
        else:
            said.append("proxy_http_version 1.1")
        if self.reads_on:
            said.append("proxy_ignore_client_abort on; proxy_store kept/$request_id")
        elif not self.holds_bytes:
            said.append("proxy_buffering off")
        url, directives = self.to.geturl(), " ".join(f"{one};" for one in said)
        made = Path(folder) / "nginx.conf"
        made.write_text(_FILE.format(port=port, url=url, directives=directives))
        return made


def nearest_proxy() -> type[Proxy]:
    """nginx where it is installed, and its stand-in elsewhere."""
    return Nginx if Nginx.program() else Proxy


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


def _wait_until_it_listens(port: int, process: subprocess.Popen, log: Path) -> None:
    until_s = time.monotonic() + START_S
    while True:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port)):
            return
        if process.poll() is not None or time.monotonic() > until_s:
            said = log.read_text(errors="replace").strip().splitlines() if log.exists() else []
            raise RuntimeError(f"nginx does not start: {(said or ['no word'])[-1]}")
        time.sleep(0.005)
