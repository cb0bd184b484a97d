"""Prompts in pieces just small enough for what was promised to those who read."""

import math

from labutils import arguments
from labutils.serving.runs.step_cost import StepCost

from ..forecast import shape_of
from .promising import Promising


class PromisedChunks(Promising):
    """Chunked prefill whose token budget follows from the tightest TPOT promise that decodes.

    Each step takes the largest budget, from ``least`` prompt tokens up to ``token_budget``, with
    which it is predicted to last no longer than that promise. While nothing decodes, or nothing was
    promised to what does, the budget is whole.
    """

    def __init__(self, *args, step_cost: StepCost, least: int = 16, **options):
        super().__init__(*args, chunked=True, **options)
        self.step_cost, self.least = step_cost, arguments.whole("least", least)
        self.most = self.token_budget

    def schedule(self, now_s: float):
        """The next step, with its budget."""
        decoding = [one for one in self.running if one.to_compute == 1]
        tpot_s = min((self.promises[one.id].tpot_s for one in decoding), default=math.inf)
        self.token_budget = self.budget([one.known for one in decoding], tpot_s)
        return super().schedule(now_s)

    def budget(self, contexts: list[int], tpot_s: float) -> int:
        """The most tokens of a step that decodes over ``contexts`` within ``tpot_s``."""
        low, high = min(len(contexts) + self.least, self.most), self.most
        while low < high:
            middle = (low + high + 1) // 2
            fits = self.step_s(contexts, middle - len(contexts)) <= tpot_s
            low, high = (middle, high) if fits else (low, middle - 1)
        return low

    def step_s(self, contexts: list[int], new: int) -> float:
        """Seconds of a step that decodes over ``contexts`` and takes ``new`` tokens of prompts.

        All of them are taken for the end of the longest prompt around, the costliest place.
        """
        prompts = [one.known for one in self.running if one.to_compute > 1]
        prompts += [one.known for one in self.waiting]
        longest = max(prompts, default=new)
        decodes = [(known - 1, known, 1) for known in contexts]
        step = shape_of([*decodes, (max(longest - new, 0), longest + 2, new)])
        return self.step_cost.time_s(step)
