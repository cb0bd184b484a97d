"""A server's life: it warms up, serves, and drains when it is told to end."""

import asyncio
import contextlib
import math
import socket
import threading
from collections.abc import Iterator

import uvicorn

from labutils.ground import arguments
from labutils.ground.loopback import is_loopback
from labutils.serving.engine_thread import EngineThread
from labutils.serving.runs.step_cost import StepCost

from .admission import Admission, Limits
from .app import Front
from .half_open import bound_silence
from .outgoing import EventStream
from .protocol import ProtocolError
from .settings import Settings
from .watch import Watch

WAITING = 2_048  # connections that nobody has accepted yet


class Server:
    """An engine behind HTTP. ``run`` it in the main thread, or ``with server.running() as url``.

    ``watching`` are options of ``Watch``. ``ValueError`` for an address that is not this machine's
    own loopback, unless clients have to send a token. A subclass may be built of other parts.
    """

    threads, admissions, streams = EngineThread, Admission, EventStream

    def __init__(
        self, engine, *, host: str = "127.0.0.1", port: int = 0, limits: Limits | None = None,
        settings: Settings | None = None, step_cost: StepCost | None = None, drain_s: float = 30.0,
        **watching,
    ):  # fmt: skip
        settings = Settings() if settings is None else settings
        if engine.tokenizer is None:
            raise ValueError("engine.tokenizer = None: expected one, since clients send text")
        if not is_loopback(host) and not settings.token:
            raise ValueError(
                f"host = {host!r}: expected a loopback address, or a token for clients"
            )
        self.engine, self.drain_s = engine, arguments.non_negative("drain_s", drain_s)
        self.socket = listening(host, port)
        bound_silence(self.socket, settings.gone_s)
        limits = Limits() if limits is None else limits
        budget = engine.scheduler.token_budget
        admission = self.admissions(limits, step_cost=step_cost, token_budget=budget)
        watch = Watch(engine, model=settings.model, **watching)
        self.front = Front(self.threads(engine), admission, watch, settings, self.streams)
        host, port = self.socket.getsockname()[:2]
        self.url = f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
        config = uvicorn.Config(
            self.front.app(), log_config=None, lifespan="off", timeout_graceful_shutdown=2,
            access_log=False, http="h11", h11_max_incomplete_event_size=32_768, backlog=64,
        )  # fmt: skip
        self._uvicorn = _Uvicorn(config, self.drain)

    def run(self) -> None:
        """Serve until SIGTERM or SIGINT; then drain."""
        try:
            asyncio.run(self._serve())
        finally:
            self.front.engine_thread.close()

    @contextlib.contextmanager
    def running(self) -> Iterator[str]:
        """Serve in a thread of its own, from the moment it is ready; drains at the end."""
        thread = threading.Thread(target=self.run, name="server")
        thread.start()
        try:
            self._wait_until_ready(thread)
            yield self.url
        finally:
            self.drain()
            thread.join()

    def drain(self) -> None:
        """Let nobody in any more, and end when all that run have ended, or after ``drain_s``."""
        loop = self._uvicorn.loop
        if loop is not None and not loop.is_closed():
            with contextlib.suppress(RuntimeError):  # closed in between: it has ended
                loop.call_soon_threadsafe(lambda: loop.create_task(self.drained()))

    async def _serve(self) -> None:
        self._uvicorn.loop = asyncio.get_running_loop()
        warming = asyncio.create_task(self._warm_up())
        await self._uvicorn.serve(sockets=[self.socket])
        warming.cancel()

    async def _warm_up(self) -> None:
        """A few generations: nobody's first token pays for what is built at first use.

        Short and long prompts in turn, none like another: the quickest of each say what a step
        costs, if nobody has said so before, and with that which promises cannot be kept.
        """
        admission, pool, least_s = self.front.admission, self.engine.pool, {}
        context = self.engine.model.spec.max_context or math.inf
        room = min(context, pool.num_pages * pool.page_tokens) / 2
        long = max(8, int(min(admission.token_budget, room)))
        for number, tokens in enumerate((4, long) * 3):
            prompt = [number] * tokens
            request = await self.front.engine_thread.generate(prompt, max_output_tokens=2)
            took_s = request.times_s[0] - request.admitted_s
            least_s[tokens] = min(took_s, least_s.get(tokens, took_s))
        if admission.step_cost is None:
            per_token_s = max(0.0, least_s[long] - least_s[4]) / (long - 4)
            base_s = max(0.0, least_s[4] - 4 * per_token_s)
            admission.step_cost = StepCost(base_s, per_prefill_token_s=per_token_s)
        self.front.is_ready = True

    async def drained(self) -> None:
        """Let nobody in, give those who run ``drain_s``, tell the late ones, and exit.

        The late ones have 5 s to stop. A second call does nothing: signals come twice.
        """
        admission, jobs = self.front.admission, self.front.jobs
        if admission.is_draining:
            return
        admission.is_draining = True
        tasks = [job.task for job in jobs.values()]
        if tasks:
            await asyncio.wait(tasks, timeout=self.drain_s)
        why = ProtocolError(503, "the server shut down before the end", code="draining")
        for job in jobs.values():
            job.log.fail(why)
            job.leave()
        if late := [task for task in tasks if not task.done()]:
            await asyncio.wait(late, timeout=5)
        self.exit()

    def exit(self) -> None:
        """Close the connections that are left, and end."""
        self._uvicorn.should_exit = True

    def _wait_until_ready(self, thread: threading.Thread) -> None:
        while not self.front.is_ready:
            thread.join(0.005)
            if not thread.is_alive() or not self.front.engine_thread.is_open:
                raise RuntimeError("the server ended before it was ready")


class _Uvicorn(uvicorn.Server):
    """The first signal drains, the second one ends at once."""

    def __init__(self, config, drain):
        super().__init__(config)
        self.drain, self.loop, self.is_told = drain, None, False

    async def startup(self, sockets) -> None:
        """``backlog`` is how many asyncio accepts, or complains of, at a time; more may wait."""
        await super().startup(sockets)
        for one in sockets:
            one.listen(WAITING)

    def handle_exit(self, sig, frame) -> None:
        """Called for SIGINT and SIGTERM."""
        if self.is_told:
            super().handle_exit(sig, frame)
        self.is_told = True
        self.drain()


def listening(host: str, port: int) -> socket.socket:
    """A bound socket: its port is known before anybody serves, and nobody else can take it."""
    made = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        made.bind((host, port))
        made.listen(WAITING)  # who connects before anybody serves waits, and is not turned away
    except (OSError, OverflowError) as error:
        made.close()
        raise ValueError(f"port = {port}: expected a free one on {host} ({error})") from None
    return made
