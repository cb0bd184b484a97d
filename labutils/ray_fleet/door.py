"""The way in: asks the router, and streams from the replica that it chose."""

import math
from collections.abc import AsyncIterator, Callable

from ray import serve
from ray.exceptions import RayError
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse

from labutils.server import ProtocolError
from labutils.server.outgoing import error_response

from .door_desk import Asked, Desk
from .loopback_ports import keep_to_loopback
from .passing_on import LOST, ReplicaLost, Telling


class Door(Telling):
    """``/replicas`` says who is there, ``/replicas/2/metrics`` is that replica's; the rest is sent.

    A stream whose replica dies ends in an error event, an answer that has not begun in 503: nobody
    is left without a word.
    """

    def __init__(self, fleet: str, engine: Callable[[], object], router):
        keep_to_loopback()
        found = engine()
        spec, self.encode = found.model.spec, found.tokenizer.encode
        self.longest_text = (spec.max_context or math.inf) * found.tokenizer.longest
        self.tokens = range(spec.vocab_size)
        self.desk = Desk(router, page_tokens=found.pool.page_tokens)
        replicas = serve.get_deployment_handle("Replica", fleet)
        self.ask = replicas.options(stream=True, method_name="ask")
        self.pids: dict[int, int] = {}

    async def __call__(self, request: Request) -> Response:
        """Whatever the client asks, asked of a replica."""
        path = request.scope["path"].removeprefix(request.scope["root_path"])
        parts = path.split("/", 3)
        if parts[1] == "replicas":
            if len(parts) == 4 and parts[2].isdigit():
                return await self._sent(request, f"/{parts[3]}", number=int(parts[2]))
            return JSONResponse(await self._who())
        return await self._sent(request, path)

    async def _sent(self, request: Request, path: str, number: int | None = None) -> Response:
        body = await request.body()
        asked = Asked(
            request.method, path, request.headers.raw, body, self.desk, number=number or 0
        )
        if number is None:
            prompt = asked.prompt_or([], self.longest_text)
            tokens = self.encode(prompt) if isinstance(prompt, str) else prompt
            is_known = all(token in self.tokens for token in tokens)
            asked.arrival = self.desk.arrival(tokens if is_known else [])
        return await self._answer(asked)

    async def _answer(self, asked: Asked) -> Response:
        pieces = self.ask.remote(asked)
        try:
            status, headers, pid = await anext(aiter(pieces))
        except RayError:
            self.over(asked)
            why = ProtocolError(500, asked.error, code="router") if asked.error else LOST
            return error_response(why)
        except BaseException:
            self.over(asked)
            pieces.cancel()
            raise
        number = self.desk.sent.get(asked.arrival.row) if asked.arrival else asked.number
        self.pids[number] = pid
        response = StreamingResponse(self.told(asked, _pieces_of(pieces)), status)
        response.raw_headers = [*headers, (b"x-replica", str(number).encode())]
        return response

    async def _who(self) -> list[dict]:
        """Of each replica: its number, its process, requests in flight, whether it is up."""
        numbers, up = self.desk.numbers, self.desk.up
        await self._touch(numbers[up[0]] if up else 0)  # so that it is known who is up
        for name in self.desk.up:  # one after the other: Ray 2.60 takes two at once for one
            if numbers[name] not in self.pids:
                await self._touch(numbers[name])
        counts = self.desk.counts()
        return [
            {"replica": number, "pid": self.pids.get(number), "in_flight": counts[number],
             "is_up": name in self.desk.up}
            for name, number in self.desk.numbers.items()
        ]  # fmt: skip

    async def _touch(self, number: int) -> None:
        asked = Asked("GET", "/ready", [(b"host", b"127.0.0.1")], b"", self.desk, number=number)
        response = await self._answer(asked)
        if isinstance(response, StreamingResponse):
            async for _ in response.body_iterator:
                pass


async def _pieces_of(answer) -> AsyncIterator[bytes]:
    """Of Ray's answer, which is cancelled if nobody hears it to its end."""
    try:
        async for piece in answer:
            yield piece
    except RayError as error:
        raise ReplicaLost from error
    finally:
        answer.cancel()
