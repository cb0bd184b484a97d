"""A plan, carried out in this process."""

import asyncio
import itertools
import time
from collections.abc import Awaitable, Callable

import aiohttp

from labutils.ground import arguments
from labutils.metrics import RequestRecord

from .plans.load_plan import LoadPlan
from .stream_client import StreamClient, open_client
from .target import Target

DEFAULT_TIMEOUT_S = 60.0
KNOCK_S = 5.0


class Unreachable(ConnectionError):
    """Nobody listens where the load was to go."""


class LoadRun:
    """Sends the requests of ``plan`` to ``target`` and keeps a record of each in ``records``.

    ``await run.go()`` carries it out; when that is cancelled, the requests on their way are
    recorded as cancelled and ``records`` holds all there is. Times are seconds of ``clock`` from
    the start of the run; the default, ``time.perf_counter``, is the same in all processes of a
    machine. ``on_record`` hears of each record as it ends.
    """

    def __init__(
        self,
        plan: LoadPlan,
        target: Target,
        *,
        timeout_s: float = DEFAULT_TIMEOUT_S,
        clock: Callable[[], float] = time.perf_counter,
        on_record: Callable[[RequestRecord], None] | None = None,
    ):
        self.plan, self.target = plan, target
        self.records: list[RequestRecord] = []
        self._timeout_s = arguments.positive("timeout_s", timeout_s)
        self._clock, self._on_record = clock, on_record
        self._origin_s = clock()

    def now(self) -> float:
        """Seconds since the start of the run."""
        return self._clock() - self._origin_s

    async def go(self, begin: Callable[[], Awaitable[float]] | None = None) -> None:
        """Carry the plan out, as soon as the server answers at all: ``Unreachable`` if it does not.

        ``begin`` is awaited then and says at which moment of the clock the run starts; left out,
        it starts at once.
        """
        async with open_client(self.target) as http:
            await _knock(http, self.target)
            self._origin_s = self._clock() if begin is None else await begin()
            client = StreamClient(
                http,
                self.target,
                self.plan,
                now=self.now,
                keep=self._keep,
                timeout_s=self._timeout_s,
            )
            await (self._open(client) if self.plan.is_open else self._closed(client))

    async def _open(self, client: StreamClient) -> None:
        """Send each request at its planned time, without waiting for earlier answers."""
        async with asyncio.TaskGroup() as group:
            for request in self.plan.requests:
                await self._until(request.at_s)
                group.create_task(client.ask(request, request.at_s))

    async def _closed(self, client: StreamClient) -> None:
        line = enumerate(itertools.cycle(self.plan.requests))
        await self._until(0.0)
        async with asyncio.TaskGroup() as group:
            for _ in range(self.plan.users):
                group.create_task(self._user(client, line))

    async def _user(self, client: StreamClient, line) -> None:
        """Think, ask, wait for the answer, and begin anew: a slow server is asked less."""
        for number, request in line:
            due_s = self.now() + request.at_s
            if due_s >= self.plan.seconds:
                return
            await self._until(due_s)
            await client.ask(request, due_s, again=number // len(self.plan))

    async def _until(self, due_s: float) -> None:
        while (left_s := due_s - self.now()) > 0:
            await asyncio.sleep(left_s)

    def _keep(self, record: RequestRecord) -> None:
        self.records.append(record)
        if self._on_record is not None:
            self._on_record(record)


async def _knock(http: aiohttp.ClientSession, target: Target) -> None:
    """Ask for the models: any answer will do.

    It keeps what a first request costs the client itself (imports, mostly) out of the run.
    """
    patience = aiohttp.ClientTimeout(total=KNOCK_S, sock_connect=KNOCK_S)
    try:
        async with http.get(target.models, timeout=patience, allow_redirects=False):
            pass
    except (aiohttp.ClientConnectorError, aiohttp.ConnectionTimeoutError) as error:
        raise Unreachable(f"{target.url} cannot be reached: {error or 'no answer'}") from None
    except (aiohttp.ClientError, TimeoutError):
        return  # somebody is there; what the matter is, the requests will find out
