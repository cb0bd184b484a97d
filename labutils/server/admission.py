"""Who may come in: a queue bounded in tokens, a budget for each tenant, and kept promises."""

import math
from collections.abc import Iterable
from dataclasses import dataclass

from labutils.ground import arguments
from labutils.laws.capacity.limiter import Limiter
from labutils.serving.promises import Tenant
from labutils.serving.runs.step_cost import StepCost

from .protocol import ProtocolError


@dataclass(frozen=True)
class Limits:
    """What a server takes in. ``waiting_tokens`` bounds the prompts that have no first token yet.

    ``open_requests`` bounds all that have not ended. ``tenants`` (none: anybody may come, without a
    budget) have budgets in tokens, prompt and longest answer together.
    """

    waiting_tokens: int = 16_384
    open_requests: int = 512
    tenants: tuple[Tenant, ...] = ()

    def __post_init__(self):
        for name in ("waiting_tokens", "open_requests"):
            arguments.whole(name, getattr(self, name))


@dataclass
class Ticket:
    """What one admitted request holds: its prompt until the first token, its place to the end."""

    tenant: str
    prompt_tokens: int
    most_tokens: int
    waits: bool = True
    is_open: bool = True


class Admission:
    """``admit`` a request or say at once why not; it never waits, and is told the time.

    Invariant: ``waiting_tokens`` and ``open_requests`` are the sums over open tickets.
    """

    def __init__(
        self, limits: Limits, *, step_cost: StepCost | None = None, token_budget: int = 512
    ):
        self.limits, self.step_cost, self.token_budget = limits, step_cost, token_budget
        self.waiting_tokens = self.open_requests = 0
        self.is_draining = False
        self.tenants = {one.name: one for one in limits.tenants}
        self.buckets = {
            one.name: Limiter(one.tokens_per_s, one.burst_tokens)
            for one in limits.tenants if one.is_limited
        }  # fmt: skip

    def admit(
        self, tenant: str, prompt_tokens: int, max_tokens: int, now_s: float,
        *, ttft_s: float = math.inf,
    ) -> Ticket:  # fmt: skip
        """A ticket, or ``ProtocolError``: 429 is the tenant's own doing, 503 the server's state."""
        self.is_open_to(tenant)
        limits, tokens = self.limits, prompt_tokens + max_tokens
        waiting = self.waiting_tokens + prompt_tokens
        if self.waiting_tokens and waiting > limits.waiting_tokens:
            raise self.full(f"{waiting:,} tokens of prompts would wait")
        if self.open_requests >= limits.open_requests:
            raise self.full(f"{self.open_requests} requests are open")
        self.keeps(prompt_tokens, ttft_s)
        bucket = self.buckets.get(tenant)
        if bucket and not bucket.allow(tenant, tokens, now_s):
            raise self.over_budget(tokens, bucket.wait(tenant, tokens, now_s))
        self.waiting_tokens = waiting
        self.open_requests += 1
        return Ticket(tenant, prompt_tokens, tokens)

    def started(self, ticket: Ticket) -> None:
        """The first token is out, or none will come: the prompt no longer counts as waiting."""
        if ticket.waits:
            ticket.waits = False
            self.waiting_tokens -= ticket.prompt_tokens

    def ended(self, ticket: Ticket, used_tokens: int, now_s: float) -> None:
        """It has ended; what its answer did not use flows back into the tenant's budget."""
        self.started(ticket)
        if ticket.is_open:
            ticket.is_open = False
            self.open_requests -= 1
            if bucket := self.buckets.get(ticket.tenant):
                bucket.refund(ticket.tenant, ticket.most_tokens - used_tokens, now_s)

    def predicted_ttft_s(self, prompt_tokens: int) -> float:
        """At least so long until a first token, behind the prompts that wait; NaN: not known.

        Steps of ``token_budget`` prompt tokens; attention and decodes are left out, so it is a
        lower limit, and a refusal is safe (chapter 11).
        """
        if self.step_cost is None:
            return math.nan
        tokens = self.waiting_tokens + prompt_tokens
        steps = math.ceil(tokens / self.token_budget)
        return steps * self.step_cost.base_s + tokens * self.step_cost.per_prefill_token_s

    def is_open_to(self, tenant: str) -> None:
        """``ProtocolError`` while it drains (503), and for a tenant that is not known (403)."""
        if self.is_draining:
            raise ProtocolError(
                503, "the server is shutting down", code="draining", retry_after_s=5
            )
        if self.tenants and tenant not in self.tenants:
            raise ProtocolError(403, "the tenant is not known here", code="unknown_tenant")

    def full(self, why: str) -> ProtocolError:
        """The server's own state, 503: come back when those who wait have had their turn."""
        again_s = self.predicted_ttft_s(0)
        again_s = 1.0 if math.isnan(again_s) else again_s
        return ProtocolError(503, f"{why}: the server is full", code="full", retry_after_s=again_s)

    def over_budget(self, tokens: int, wait_s: float | None) -> ProtocolError:
        """The tenant's own doing, 429; ``wait_s`` is None for more than its bucket ever holds."""
        again = "it never holds as many" if wait_s is None else f"enough in {wait_s:.3g} s"
        why = f"{tokens:,} tokens are over the tenant's budget: {again}"
        return ProtocolError(429, why, code="over_budget", retry_after_s=wait_s)

    def keeps(self, prompt_tokens: int, ttft_s: float) -> None:
        """``ProtocolError`` (503) if a first token within ``ttft_s`` is out of the question."""
        predicted_s = self.predicted_ttft_s(prompt_tokens)
        if predicted_s > ttft_s:  # not where it is NaN
            raise ProtocolError(
                503, f"first token after {predicted_s:.3g} s at best, wanted within {ttft_s:.3g} s",
                code="too_late", retry_after_s=predicted_s - ttft_s, predicted_ttft_s=predicted_s,
            )  # fmt: skip


def tenants_of(lines: Iterable[str]) -> tuple[Tenant, ...]:
    """Tenants written as NAME:TOKENS_PER_S:BURST, as a command line has them."""
    found = []
    for line in lines:
        name, *numbers = line.split(":")
        try:
            rate, burst = map(float, numbers if name else ())
        except ValueError:
            expected = "expected NAME:TOKENS_PER_S:BURST_TOKENS"
            raise ValueError(f"tenant = {line!r}: {expected}") from None
        found.append(Tenant(name=name, tokens_per_s=rate, burst_tokens=burst))
    return tuple(found)
