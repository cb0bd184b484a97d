"""One request on its way: generated, told event by event, and accounted for at its end."""

import asyncio
import math
import time
from dataclasses import dataclass, field

from labutils.serving.engine_thread import EngineStopped, EngineThread
from labutils.serving.promises import Promise
from labutils.serving.scheduling.refused import Refused

from .admission import Admission, Ticket
from .detokeniser import Detokeniser
from .event_log import EventLog, TooSlow
from .protocol import Ask, ProtocolError


@dataclass(frozen=True, kw_only=True)
class Caller:
    """Who asks, and under which conditions; from headers."""

    request_id: str
    tenant: str = "anybody"
    ttft_s: float = math.inf  # the first token is wanted within so many seconds
    resume_s: float = 0.0  # the answer goes on for so long after the client is gone


@dataclass(kw_only=True)
class Ending:
    """What became of a request; moments are those of the engine's clock, None: not reached."""

    id: str
    ask: Ask
    caller: Caller
    arrival_s: float
    prompt_tokens: int
    status: int = 200
    reason: str = "failed"
    error: str | None = None
    finish_s: float = 0.0
    output_tokens: int = 0
    detokenise_s: float = 0.0
    request: object = field(default=None, repr=False)  # the Generation, where it came so far
    refusal: ProtocolError | None = None  # the engine would not have it: it never ran


class Job:
    """Generates the answer to one ``ask`` into a ``log``; ``start`` it, then ``leave`` or wait."""

    def __init__(
        self, id: str, ask: Ask, caller: Caller, tokens: list[int], ticket: Ticket, *,
        engine_thread: EngineThread, admission: Admission, model: str, on_end,
        most_unread: int = 4_096, stream_interval: int = 1,
    ):  # fmt: skip
        self.id, self.ask, self.tokens, self.ticket, self.model = id, ask, tokens, ticket, model
        self.engine_thread, self.admission, self.on_end = engine_thread, admission, on_end
        engine = engine_thread.engine
        self.words = Detokeniser(engine.tokenizer.decode, ask.stop)
        self.log, self.text, self.usage = EventLog(most_unread), "", {}
        now_s = engine.clock()
        self.ending = Ending(
            id=id, ask=ask, caller=caller, arrival_s=now_s, prompt_tokens=len(tokens)
        )
        self.detokenise_s = 0.0
        self.stream_interval, self.unsaid = stream_interval, []
        self.readers: set = set()  # streams whose clients are connected
        self.task: asyncio.Task | None = None

    def start(self) -> None:
        """Begin; the task ends with the answer, in whatever way."""
        self.task = asyncio.create_task(self._run())

    def leave(self, why: str = "the client has left") -> None:
        """Nobody wants the rest: its memory is free after the step under way."""
        if self.task is not None and not self.task.done():
            self.ending.reason = "cancelled"
            self.log.fail(ProtocolError(499, why, code="cancelled"))
            self.ending.error = str(self.log.error)
            self.task.cancel()

    async def _run(self) -> None:
        try:
            request = await self._generate()
        except asyncio.CancelledError:
            self.ending.status = 499
        except Exception as error:
            self._fails(_as_protocol(error))
        else:
            self._ends(request)
        finally:
            self._accounts()

    async def _generate(self):
        ask, engine = self.ask, self.engine_thread.engine
        stop = [*ask.stop, *(() if ask.ignore_end else engine.tokenizer.end_tokens)]
        with _promised(engine.scheduler, self.id, self.ending.caller):
            return await self.engine_thread.generate(
                self.tokens, max_output_tokens=ask.max_tokens, id=self.id, sampling=ask.sampling,
                stop=stop, arrival_s=self.ending.arrival_s, on_token=self._hears,
            )  # fmt: skip

    def _hears(self, token: int) -> None:
        """A token is computed: the prompt no longer counts as waiting; the text goes to the log.

        The first one goes out at once, those behind it ``stream_interval`` at a time.
        """
        self.admission.started(self.ticket)
        self.ending.output_tokens += 1
        self.unsaid.append(token)
        wanted = self.stream_interval if self.ending.output_tokens > 1 else 1
        if self.log.is_closed or len(self.unsaid) < wanted:
            return
        began_s = time.perf_counter()
        text = self.words.push(*self.unsaid)
        self.unsaid.clear()
        self.detokenise_s += time.perf_counter() - began_s
        if text and self.ask.stream:
            try:
                self.log.write(self._chunk(text))
            except TooSlow:
                self.leave("the client reads too slowly")
                self.ending.error = "slow reader"

    def _chunk(self, text: str, reason: str | None = None) -> dict:
        is_first = not self.log.events
        return self.ask.chunk(self.id, self.model, text, reason, is_first=is_first)

    def _ends(self, request) -> None:
        reason = request.finish_reason
        self.ending.request, self.ending.reason = request, reason
        rest, self.text = self.words.end(request.text), request.text
        self.usage = _usage(request)
        if self.ask.stream:
            self.log.write(self._chunk(rest, reason))
            if self.ask.include_usage:
                self.log.write(self.ask.usage_chunk(self.id, self.model, self.usage))
        self.log.end()

    def _fails(self, error: ProtocolError) -> None:
        self.ending.status, self.ending.error = error.status, str(error)
        if error.code in ("refused", "cannot_be_served") and not self.ending.output_tokens:
            self.ending.refusal = error
        self.log.fail(error)

    def _accounts(self) -> None:
        ending = self.ending
        used = len(self.tokens) + ending.output_tokens
        ending.finish_s, ending.detokenise_s = self.engine_thread.engine.clock(), self.detokenise_s
        self.admission.ended(self.ticket, used, ending.finish_s)
        self.on_end(ending)


class _promised:
    """While it is open, a scheduler that looks at promises finds the caller's."""

    def __init__(self, scheduler, id: str, caller: Caller):
        self.table = getattr(getattr(scheduler, "promises", None), "by_id", {})
        self.id, self.caller = id, caller

    def __enter__(self):
        self.table[self.id] = Promise(ttft_s=self.caller.ttft_s, tenant=self.caller.tenant)

    def __exit__(self, *error):
        self.table.pop(self.id, None)


def _usage(request) -> dict:
    prompt, answer = request.prompt_tokens, len(request.answer)
    return {
        "prompt_tokens": prompt, "completion_tokens": answer, "total_tokens": prompt + answer,
        "prompt_tokens_details": {"cached_tokens": request.cached or 0},
    }  # fmt: skip


def _as_protocol(error: Exception) -> ProtocolError:
    """What a client is told of an error inside; nothing of the server's own."""
    if isinstance(error, Refused):
        again_s = error.retry_after_s or error.predicted_ttft_s
        return ProtocolError(503, str(error), code="refused", retry_after_s=again_s)
    if isinstance(error, EngineStopped):
        return ProtocolError(503, "the engine has stopped", code="engine_stopped")
    if isinstance(error, ValueError):
        return ProtocolError(400, str(error)[:200], param="prompt", code="cannot_be_served")
    return ProtocolError(500, "the request failed inside the engine", code="failed")
