"""Questions at given moments, whether or not earlier ones are answered, and what became of each."""

import asyncio
from collections.abc import Iterable, Sequence

import numpy as np

from labutils.ground import arguments
from labutils.metrics import RequestRecord
from labutils.metrics.status import RequestStatus
from labutils.retrieval.assistant import Answer, Assistant


def poisson_moments(rate_per_s: float, count: int, rng: np.random.Generator) -> np.ndarray:
    """Moments of ``count`` Poisson arrivals, in seconds from the start."""
    arguments.positive("rate_per_s", rate_per_s)
    return np.cumsum(rng.exponential(1 / rate_per_s, arguments.whole("count", count)))


async def ask_on_schedule(
    assistant: Assistant, questions: Sequence[str], moments_s: Iterable[float], *,
    patience_s: float | None = None, tenant: str = "course",
) -> tuple[RequestRecord, ...]:  # fmt: skip
    """A record for each moment, in their order; question n is ``questions[n % len(questions)]``.

    Times count from the start of the run, latency from the moment at which a question was due.
    Who waits longer than ``patience_s`` after that gives up ("timed_out"). A ``ValueError`` makes
    it "rejected", another error "failed"; its name stands in the tags. The traces are in the
    assistant's recorder.
    """
    if not questions:
        raise ValueError("questions = []: expected at least one")
    loop = asyncio.get_running_loop()
    began_s = loop.time()

    def now_s() -> float:
        return loop.time() - began_s

    async def ask(n: int, due_s: float) -> RequestRecord:
        await asyncio.sleep(due_s - now_s())
        sent_s, times_s = max(now_s(), due_s), []
        left_s = None if patience_s is None else due_s + patience_s - sent_s
        end = await _end_of(assistant.answer(
            questions[n % len(questions)], tenant=tenant,
            on_token=lambda _: times_s.append(now_s()),
        ), left_s)  # fmt: skip
        return _record(n, due_s, sent_s, times_s, now_s(), end)

    asked = (ask(n, float(due_s)) for n, due_s in enumerate(moments_s))
    return tuple(await asyncio.gather(*asked))


async def _end_of(answering, left_s: float | None) -> Answer | Exception:
    try:
        return await asyncio.wait_for(answering, left_s)
    except Exception as error:
        return error


def _record(
    n: int, due_s: float, sent_s: float, times_s: list[float], finish_s: float, end
) -> RequestRecord:
    answered = isinstance(end, Answer)
    return RequestRecord(
        n, due_s, sent_s,
        token_times_s=list(times_s), finish_s=finish_s, status=_status(end),
        prompt_tokens=end.prompt_tokens if answered else 0,
        tags={} if answered else {"error": type(end).__qualname__},
    )  # fmt: skip


def _status(end: Answer | Exception) -> RequestStatus:
    for kind, status in (
        (Answer, RequestStatus.OK),
        (TimeoutError, RequestStatus.TIMED_OUT),
        (ValueError, RequestStatus.REJECTED),
    ):
        if isinstance(end, kind):
            return status
    return RequestStatus.FAILED
