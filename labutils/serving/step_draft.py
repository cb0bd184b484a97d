"""A step while its scheduler puts it together."""

from collections.abc import Hashable

from .decode_group import DecodeGroup
from .plan import StepPlan, StepShape, attention_pairs
from .sequence import Sequence


class StepDraft:
    """Gathers who computes how much, and keeps the sums that a ``StepShape`` needs.

    ``tokens_left`` is what the step's token budget still takes.
    """

    __slots__ = (
        "_cached",
        "_decoding",
        "_pairs",
        "_prompts",
        "_tokens",
        "preempted",
        "tokens_left",
    )

    def __init__(self, token_budget: int):
        self.tokens_left = token_budget
        self.preempted: list[Hashable] = []
        self._decoding: DecodeGroup | None = None
        self._prompts: list[tuple[Hashable, int]] = []
        self._cached: list[tuple[Hashable, int]] = []
        self._tokens = self._pairs = 0

    @property
    def has_prompts(self) -> bool:
        """Whether some request prefills in this step."""
        return bool(self._prompts)

    def decode(self, group: DecodeGroup) -> None:
        """One token for every member of ``group``."""
        if group.members:
            self._decoding = group
            self.tokens_left -= len(group.members)

    def prefill(self, sequence: Sequence, new_tokens: int) -> None:
        """The next ``new_tokens`` of what ``sequence`` has to compute."""
        self._prompts.append((sequence.id, new_tokens))
        self._tokens += new_tokens
        self._pairs += attention_pairs(new_tokens, sequence.computed)
        self.tokens_left -= new_tokens

    def start(self, sequence: Sequence, new_tokens: int) -> None:
        """The same for a sequence that was just admitted, behind what was cached of it."""
        if sequence.computed:
            self._cached.append((sequence.id, sequence.computed))
        self.prefill(sequence, new_tokens)

    def plan(self, repeat: int = 1) -> StepPlan | None:
        """The finished plan, decodes before prompts; None if nothing is to be done.

        Nobody computes, but some were preempted, where ends are reported late: those that have
        ended still hold what the others need.
        """
        prompts, group = tuple(self._prompts), self._decoding
        if group is None:
            if not prompts and not self.preempted:
                return None
            shape, chunks = StepShape(self._tokens, self._pairs), prompts
        else:
            shape = StepShape(self._tokens, self._pairs, len(group.members), group.context_tokens)
            chunks = group.chunks + prompts
        return StepPlan(chunks, tuple(self.preempted), shape, repeat, tuple(self._cached))
