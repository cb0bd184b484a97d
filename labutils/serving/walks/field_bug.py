"""A bug hunt: a scheduler whose rule says how many tokens a request computes next."""

from collections.abc import Callable

from labutils.engine import PagePool, Plan, Request, Scheduler
from labutils.serving.simulator import StepCost, simulate

Rule = Callable[[int, int, int, int], int]
"""(prompt tokens, tokens of the answer so far, tokens computed, tokens left in the step)."""


class ByChunkRule(Scheduler):
    """Chunked continuous batching; ``rule`` says how much each request that prefills computes."""

    def __init__(self, rule: Rule, *args, **limits):
        super().__init__(*args, chunked=True, **limits)
        self.rule = rule

    def _prefill(self, plan: Plan) -> None:
        left = self.token_budget - len(plan.chunks)
        for request in self.running:
            if request.to_compute > 1 and left > 0:
                left -= self._chunk(plan, request, left)
        while self.waiting and self._may_start(self.waiting[0], plan, left):
            request = self.waiting.popleft()
            self.pool.start(request)
            self.running.append(request)
            left -= self._chunk(plan, request, left)

    def _chunk(self, plan: Plan, request: Request, left: int) -> int:
        prompt = request.prompt_tokens
        new = self.rule(prompt, request.known - prompt, request.computed, left)
        plan.chunks.append((request, new))
        return new


def longest_stalls(
    rule: Rule, trace, *, max_sequences: int = 8, token_budget: int = 64, num_pages: int = 20
) -> list[int]:
    """Steps between two tokens, at most, of each request that was preempted; the longest first.

    ``num_pages`` of 16 tokens are so few that ``trace`` runs short of them.
    """
    scheduler = ByChunkRule(rule, max_sequences, PagePool(num_pages), token_budget=token_budget)
    records = simulate(trace, scheduler, StepCost(1.0), token_times=True).records()
    stalls = [round(max(one.itl_s)) for one in records if one.preemptions and len(one.itl_s)]
    return sorted(stalls, reverse=True)
