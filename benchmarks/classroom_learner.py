"""A simulated learner: a browser's requests and a kernel's messages, without the browser."""

import json
import queue
import threading
import time
import uuid
from collections.abc import Iterator
from dataclasses import dataclass, field
from urllib.parse import quote

import requests
import websocket

from .classroom_hub import Hub

SPAWN_TIMEOUT_S = 300.0
CELL_TIMEOUT_S = 300.0


class KernelDied(RuntimeError):
    """The kernel went away while a cell ran."""


@dataclass
class Ran:
    """A cell that was run: how long from sending to idle, what it showed, whether it raised."""

    seconds: float
    outputs: list[dict] = field(default_factory=list)
    is_error: bool = False

    @property
    def text(self) -> str:
        """Everything that was printed or shown as plain text."""
        shown = (o.get("text") or o.get("data", {}).get("text/plain", "") for o in self.outputs)
        return "\n".join("".join(part) for part in shown)


class Learner:
    """One learner in one browser: log in, open a notebook, run cells, save."""

    def __init__(self, hub: Hub, name: str):
        self.hub, self.name = hub, name
        self.base = f"{hub.url}/user/{name}"
        self.web = requests.Session()
        self.session_id = uuid.uuid4().hex
        self.kernel_id = ""
        self._socket: websocket.WebSocket | None = None
        self._inbox: queue.SimpleQueue = queue.SimpleQueue()

    def log_in(self) -> float:
        """Log in and wait for the own server; the seconds that it took."""
        start = time.perf_counter()
        login = f"{self.hub.url}/hub/login"
        self.web.get(login, timeout=60).raise_for_status()
        form = {"username": self.name, "password": self.hub.password, "_xsrf": self._xsrf("/hub/")}
        self.web.post(login, data=form, timeout=SPAWN_TIMEOUT_S).raise_for_status()
        while time.perf_counter() - start < SPAWN_TIMEOUT_S:
            page = self.web.get(f"{self.base}/lab", timeout=SPAWN_TIMEOUT_S)
            if page.ok and page.url.startswith(f"{self.base}/"):
                return time.perf_counter() - start
            time.sleep(1.0)
        raise TimeoutError(f"{self.name}: no server within {SPAWN_TIMEOUT_S:g} s")

    def open(self, path: str) -> dict:
        """Open a notebook as JupyterLab does: read it, start its kernel, connect."""
        content = self._call("GET", f"contents/{quote(path)}")["content"]
        about = {"name": "", "path": path, "type": "notebook", "kernel": {"name": "python3"}}
        self.kernel_id = self._call("POST", "sessions", json=about)["kernel"]["id"]
        self._connect()
        return content

    def save(self, path: str, notebook: dict) -> None:
        """Save the notebook, as Ctrl-S does."""
        self._call("PUT", f"contents/{quote(path)}", json={"type": "notebook", "content": notebook})

    def run(self, source: str, *, timeout_s: float = CELL_TIMEOUT_S) -> Ran:
        """Run a cell and wait until the kernel is idle again. Raises ``KernelDied``."""
        message_id, ran = self.send(source), Ran(0.0)
        start = time.perf_counter()
        for message in self._messages(start + timeout_s):
            content, kind = message["content"], message["msg_type"]
            if kind == "status" and content["execution_state"] in ("restarting", "dead"):
                raise KernelDied(self.name)
            if message["parent_header"].get("msg_id") != message_id:
                continue
            if kind == "status" and content["execution_state"] == "idle":
                ran.seconds = time.perf_counter() - start
                return ran
            if kind in ("stream", "display_data", "execute_result", "error"):
                ran.outputs.append({"output_type": kind, **_saved(kind, content)})
                ran.is_error |= kind == "error"
        raise TimeoutError(f"{self.name}: a cell ran for more than {timeout_s:g} s")

    def send(self, source: str) -> str:
        """Send a cell to the kernel and wait for nothing; the message's id."""
        header = {
            "msg_id": uuid.uuid4().hex,
            "msg_type": "execute_request",
            "session": self.session_id,
            "username": self.name,
            "version": "5.3",
        }
        content = {"code": source, "silent": False, "store_history": True, "allow_stdin": False}
        content |= {"user_expressions": {}, "stop_on_error": True}
        message = {"header": header, "parent_header": {}, "metadata": {}, "content": content}
        self._socket.send(json.dumps({**message, "channel": "shell", "buffers": []}))
        return header["msg_id"]

    def interrupt(self) -> None:
        """Press the stop button."""
        self._call("POST", f"kernels/{self.kernel_id}/interrupt")

    def wait_for_kernel(self, *, timeout_s: float = 120.0) -> None:
        """Wait for a kernel that came back after it died, and connect to it."""
        end = time.perf_counter() + timeout_s
        while time.perf_counter() < end:
            if self.hub.kernels_of(self.name):
                self._connect()
                try:
                    self.run("None", timeout_s=10)
                    return
                except (KernelDied, websocket.WebSocketException, OSError):
                    pass
            time.sleep(0.5)
        raise TimeoutError(f"{self.name}: the kernel did not come back")

    def close(self) -> None:
        """Close the tab; the server keeps the kernel."""
        if self._socket is not None:
            self._socket.close()
        self.web.close()

    def _connect(self) -> None:
        """Connect to the kernel; a thread reads along, so that pings are always answered."""
        if self._socket is not None:
            self._socket.close()
        url = f"{self.base}/api/kernels/{self.kernel_id}/channels?session_id={self.session_id}"
        request = requests.Request("GET", url).prepare()
        self._socket = websocket.create_connection(
            url.replace("http://", "ws://", 1),
            cookie=requests.cookies.get_cookie_header(self.web.cookies, request),
            origin=self.hub.url,
            header=self._headers(),
            timeout=60,
        )
        self._socket.settimeout(None)
        self._inbox = queue.SimpleQueue()
        reader = threading.Thread(target=_read, args=(self._socket, self._inbox), daemon=True)
        reader.start()

    def _messages(self, end: float) -> Iterator[dict]:
        while (left := end - time.perf_counter()) > 0:
            try:
                message = self._inbox.get(timeout=left)
            except queue.Empty:
                return
            if message is None:
                raise KernelDied(f"{self.name}: the connection closed")
            yield message

    def _call(self, method: str, path: str, **options) -> dict:
        answer = self.web.request(
            method, f"{self.base}/api/{path}", headers=self._headers(), timeout=120, **options
        )
        answer.raise_for_status()
        return answer.json() if answer.content else {}

    def _headers(self) -> dict[str, str]:
        return {"X-XSRFToken": self._xsrf(f"/user/{self.name}/")}

    def _xsrf(self, path: str) -> str:
        return next((c.value for c in self.web.cookies if c.name == "_xsrf" and c.path == path), "")


def _read(connection: websocket.WebSocket, inbox: queue.SimpleQueue) -> None:
    """Put what the kernel publishes into ``inbox``; None when the connection is gone."""
    try:
        while text := connection.recv():
            message = json.loads(text)
            if message.get("channel") == "iopub":
                inbox.put(message)
    except (websocket.WebSocketException, OSError):
        pass
    inbox.put(None)


def _saved(kind: str, content: dict) -> dict:
    """An output as a notebook keeps it."""
    if kind == "stream":
        return {"name": content["name"], "text": content["text"]}
    if kind == "error":
        return {key: content[key] for key in ("ename", "evalue", "traceback")}
    shown = {"data": content["data"], "metadata": content["metadata"]}
    return shown | ({"execution_count": 1} if kind == "execute_result" else {})
