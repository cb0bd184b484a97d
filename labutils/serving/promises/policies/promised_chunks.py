"""Prompts in pieces just small enough for what was promised to those who read."""

import math
from typing import ClassVar

from labutils.ground import arguments
from labutils.serving.runs.step_cost import StepCost
from labutils.serving.scheduling.step_shape import StepShape, attention_pairs

from .promising import Promising


class PromisedChunks(Promising):
    """Chunked prefill whose token budget follows from the tightest TPOT promise that decodes.

    Each step takes the largest budget, from ``least`` prompt tokens up to ``token_budget``, with
    which it is predicted to last no longer than that promise. While nothing decodes, or nothing was
    promised to what does, the budget is whole.
    """

    tried_with: ClassVar = {"least": 2}

    def __init__(
        self, *args, step_cost: StepCost, least: int = 16, chunked: bool = True, **options
    ):  # fmt: skip
        if not chunked:
            raise ValueError(f"chunked = {chunked}: expected True, since it cuts prompts")
        super().__init__(*args, step_cost=step_cost, chunked=True, **options)
        self.least, self.most = arguments.whole("least", least), self.token_budget

    def schedule(self, now_s: float):
        """The next step, with its budget; where no prompt is around, none is needed."""
        decoding = [one for one in self.running if one.to_compute == 1]
        if self.may_prefill(len(decoding)):
            tpot_s = min((self.promises[one.id].tpot_s for one in decoding), default=math.inf)
            self.token_budget = self.budget([one.known for one in decoding], tpot_s)
        return super().schedule(now_s)

    def may_prefill(self, decodes: int) -> bool:
        """Whether the next step could hold some of a prompt; else its budget matters to nobody."""
        has_place = len(self.running) < self.max_sequences
        return decodes < len(self.running) or bool(self.waiting and has_place)

    def budget(self, contexts: list[int], tpot_s: float) -> int:
        """The most tokens of a step that decodes over ``contexts`` within ``tpot_s``.

        All tokens of prompts are taken for the end of the longest prompt around, the costliest
        place.
        """
        decodes, context = len(contexts), sum(contexts)
        prompts = [one.known for one in self.running if one.to_compute > 1]
        prompts += [one.known for one in self.waiting]
        longest = max(prompts, default=0)
        low, high = min(decodes + self.least, self.most), self.most
        while low < high and tpot_s < math.inf:
            middle = (low + high + 1) // 2
            new = middle - decodes
            pairs = attention_pairs(new, max(longest - new, 0))
            step_s = self.step_cost.time_s(StepShape(new, pairs, decodes, context))
            low, high = (middle, high) if step_s <= tpot_s else (low, middle - 1)
        return high
