"""What a request gets back from the engine."""

from collections.abc import Hashable
from dataclasses import dataclass
from itertools import count

from labutils.metrics import RequestRecord, RequestStatus

STATUS_OF = {
    "length": RequestStatus.OK,
    "stop": RequestStatus.OK,
    "cancelled": RequestStatus.CANCELLED,
    "failed": RequestStatus.FAILED,
    "rejected": RequestStatus.REJECTED,
}
"""How each finish reason is counted by ``labutils.metrics``."""


@dataclass(frozen=True, eq=False)
class Answer:
    """The end of one request, whatever it was.

    ``finish_reason`` is "length" (as long as it may get), "stop" (it said a stop token, the last of
    ``tokens``), "cancelled", "failed" (``error`` is what went wrong, ``tokens`` are those that came
    before) or "rejected" (never served). ``text`` leaves the stop token out; it is None where the
    engine has no tokenizer. ``record`` has the times.
    """

    id: Hashable
    prompt_tokens: tuple[int, ...]
    tokens: tuple[int, ...]
    text: str | None
    finish_reason: str
    error: Exception | None
    record: RequestRecord

    @property
    def ok(self) -> bool:
        """Whether it ended as it should: by "length" or "stop"."""
        return STATUS_OF[self.finish_reason] is RequestStatus.OK


class Answers(dict[Hashable, Answer]):
    """Answers by request id; ``ids`` are those of all requests ever, in order, answered or not."""

    def __init__(self):
        super().__init__()
        self.ids: dict[Hashable, None] = {}
        self._numbers = count()

    def new_id(self, id: Hashable | None = None) -> Hashable:
        """An id for the next request: ``id``, or a number if that is None."""
        if id is None:
            id = next(number for number in self._numbers if number not in self.ids)
        if id in self.ids:
            raise ValueError(f"id = {id!r}: expected another one for each request")
        self.ids[id] = None
        return id

    def records(self) -> list[RequestRecord]:
        """Of those that are answered, in the order in which they came."""
        return [self[id].record for id in self.ids if id in self]


def rejection(id, prompt: list[int], error: Exception, arrival_s: float, now_s: float) -> Answer:
    """The answer to a request that can never be served."""
    record = RequestRecord(
        id,
        arrival_s,
        sent_s=now_s,
        status=RequestStatus.REJECTED,
        prompt_tokens=len(prompt),
    )
    return Answer(id, tuple(prompt), (), None, "rejected", error, record)
