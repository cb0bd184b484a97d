"""A bug hunt: a scheduler whose rule says how many tokens a request computes next."""

from collections.abc import Callable

from .block_manager import BlockManager
from .old_simulator import simulate
from .scheduler import Continuous
from .step_cost import StepCost

Rule = Callable[[int, int, int, int], int]
"""(prompt tokens, tokens of the answer so far, tokens computed, tokens left in the step)."""


class ByRule(Continuous):
    """Chunked continuous batching; ``rule`` says how much each request that reads computes."""

    def __init__(self, rule: Rule, *args, **limits):
        super().__init__(*args, chunked=True, **limits)
        self.rule = rule

    def _prefill(self, step) -> None:
        for one in self.running.prefilling:
            if step.tokens_left:
                step.prefill(one, self._chunk(one, step))
        while self.waiting and self._may_start(self.waiting[0], step):
            newcomer = self.waiting.popleft()
            self.running.start(newcomer)
            step.start(newcomer, self._chunk(newcomer, step))

    def _chunk(self, one, step) -> int:
        prompt = one.request.prompt_tokens
        return self.rule(prompt, one.known - prompt, one.computed, step.tokens_left)


def longest_stalls(
    rule: Rule, trace, *, max_sequences: int = 8, token_budget: int = 64, num_pages: int = 20
) -> list[int]:
    """Steps between two tokens, at most, of each request that was preempted; the longest first.

    ``num_pages`` of 16 tokens are so few that ``trace`` runs short of them.
    """
    scheduler = ByRule(rule, max_sequences, BlockManager(num_pages), token_budget=token_budget)
    records = simulate(trace, scheduler, StepCost(1.0)).records()
    stalls = [round(max(one.itl_s)) for one in records if one.preemptions and len(one.itl_s)]
    return sorted(stalls, reverse=True)
