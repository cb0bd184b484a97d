"""Fair shares: whose tenant was served least, in weighted tokens, is next."""

from labutils.engine import Plan, Request
from labutils.ground import arguments

from .counted import Counted


class TokenCounters(Counted):
    """The virtual token counter (Sheng et al., OSDI 2024, algorithm 2), with weights.

    A tenant pays ``prompt_price`` for each token of a prompt when it starts, ``answer_price`` for
    each token of an answer when it is made, both divided by its weight. The lowest counter of those
    that wait is next. Nothing is wasted: if only one tenant waits, it has the whole server.

    A tenant that has nothing in the queue and comes back is lifted to the lowest counter in it (of
    an empty queue: to that of the tenant that left it last), so idle time is no credit.

    *Bound:* as long as two tenants both have requests waiting, what they were served differs by at
    most 2 ``fairness_bound``.
    """

    def wait(self, request: Request, *, first: bool = False) -> None:
        """Put ``request`` into its tenant's line; a tenant without one gets its counter lifted."""
        tenant, lines = self.promises[request.id].tenant, self.waiting.lines
        if tenant not in lines:
            others = lines or ([self.waiting.left] if self.waiting.left in self.counters else [])
            lift = min((self.counters[one] for one in others), default=0.0)
            self.counters[tenant] = max(self.counters.get(tenant, 0.0), lift)
        super().wait(request, first=first)

    def charge_prompt(self, request: Request) -> None:
        """``request`` starts: its prompt is charged to its tenant, once."""
        if not request.preemptions:
            self.charge(request, self.prompt_price * request.prompt_tokens)

    def commit(self, plan: Plan) -> None:
        """The step runs: each token that it makes is paid for."""
        for request, new in plan.chunks:
            if request.computed + new == request.known:
                self.charge(request, self.answer_price)
        super().commit(plan)


def fairness_bound(
    *, prompt_price: float, answer_price: float, longest_prompt: int, memory_tokens: int
) -> float:
    """How far counters of two waiting tenants, of weight 1, may lie apart.

    The last of its requests to start found its tenant at the lowest counter. Since then the tenant
    paid for at most a prompt of ``longest_prompt`` (L), and for answers in what is left of
    ``memory_tokens`` (M), which all that run hold together: w_q M, or w_q M + (w_p - w_q) L where a
    prompt's token costs more. The paper's max(w_p L, w_q M) is the first and too small for the
    second. Memory has to be reserved up to the longest answer, or M says nothing of what will come.
    """
    longest = arguments.whole("longest_prompt", longest_prompt)
    most = arguments.whole("memory_tokens", memory_tokens, at_least=longest)
    return answer_price * most + max(0.0, prompt_price - answer_price) * longest
