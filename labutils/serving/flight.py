"""A step that was launched and whose tokens were not read yet."""

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass

from .open_request import OpenRequest, Part
from .plan import StepPlan, StepShape, attention_pairs
from .sampled import Sampled
from .step_record import StepRecord


@dataclass(slots=True)
class Flight:
    """A launched step: its tokens on their way, and what its launch took (seconds)."""

    start_s: float
    plan: StepPlan
    sampled: list[Sampled]
    failed: dict[Hashable, Exception]
    rows: int
    pages_in_use: int
    schedule_s: float = 0.0
    host_s: float = 0.0

    @property
    def blocked_s(self) -> float:
        """Seconds in which the host only waited for the device, as far as they have passed."""
        return sum(one.blocked_s for one in self.sampled)

    def tokens(self, clock: Callable[[], float]) -> Iterator[tuple[OpenRequest, int, float]]:
        """Each new token with its request and the time at which it was known.

        Waits for them; passes over requests that have ended meanwhile.
        """
        for sampled in self.sampled:
            tokens = sampled.read()
            now_s = clock()
            for part, token in zip(sampled.parts, tokens):
                if not part.request.has_ended:
                    yield part.request, token, now_s

    def record(self, end_s: float) -> StepRecord:
        """What is kept of it, once its tokens were delivered."""
        return StepRecord(
            start_s=self.start_s,
            schedule_s=self.schedule_s,
            host_s=max(self.host_s, 0.0),
            device_s=sum(one.device_s for one in self.sampled),
            wall_s=end_s - self.start_s,
            shape=self.plan.shape,
            rows=self.rows,
            pages_in_use=self.pages_in_use,
            preempted=len(self.plan.preempted),
        )


def plan_of(plan: StepPlan, ran: Sequence[Part]) -> StepPlan:
    """``plan`` as it really ran: with those of its parts that did, and with its shape."""
    if plan.shape is not None and len(ran) == len(plan.chunks):
        return plan
    chunks = tuple((part.request.id, part.new_tokens) for part in ran)
    return plan._replace(chunks=chunks, shape=_shape(ran))


def _shape(parts: Sequence[Part]) -> StepShape:
    decodes = [part for part in parts if part.decodes]
    prompts = [part for part in parts if not part.decodes]
    return StepShape(
        sum(part.new_tokens for part in prompts),
        sum(attention_pairs(part.new_tokens, part.computed) for part in prompts),
        len(decodes),
        sum(part.computed + 1 for part in decodes),
    )
