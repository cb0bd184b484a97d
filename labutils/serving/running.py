"""The requests that were admitted and have not ended."""

from collections.abc import Hashable

from .decode_group import DecodeGroup
from .kv_memory import Unlimited
from .plan import StepPlan
from .sequence import Sequence


class Running:
    """Who holds memory: sequences that prefill, that decode, and that wait for their end.

    An answer of full length is *complete*: its request computes nothing any more, but keeps its
    memory until its end is reported, which may be a step late.
    """

    def __init__(self, memory: Unlimited):
        self.memory = memory
        self.prefilling: list[Sequence] = []  # in order of admission, and after all that decode
        self.decoding = DecodeGroup(memory.page_tokens)
        self.complete: dict[Hashable, Sequence] = {}

    def __len__(self) -> int:
        return len(self.decoding.members) + len(self.prefilling) + len(self.complete)

    def start(self, sequence: Sequence) -> None:
        """Admit a sequence: it gets its memory, and whatever of its prompt is cached there."""
        sequence.computed = self.memory.take(sequence)
        sequence.was_admitted = True
        self.prefilling.append(sequence)

    def commit(self, plan: StepPlan, steps: int) -> None:
        """Move everybody on who takes part in ``plan``."""
        if plan.shape.decode_sequences:
            self.memory.grow(self.decoding, 1, steps)
            for sequence in self.decoding.advance(steps):
                self.complete[sequence.id] = sequence
        if plan.shape.prefill_tokens:
            self._prefill(dict(plan.chunks[plan.shape.decode_sequences :]))

    def preempt_newest(self) -> Sequence:
        """Take the memory of the sequence that was admitted last. It has to start again."""
        if self.prefilling:
            sequence = self.prefilling.pop()
        else:
            sequence = self.decoding.leave(self.decoding.newest.id)
        self.memory.release(sequence)
        sequence.computed = 0
        return sequence

    def remove(self, request_id: Hashable) -> bool:
        """Let a request go for good; False if it does not run."""
        if request_id in self.decoding.members:
            sequence = self.decoding.leave(request_id)
        elif request_id in self.complete:
            sequence = self.complete.pop(request_id)
        else:
            sequence = next((one for one in self.prefilling if one.id == request_id), None)
            if sequence is None:
                return False
            self.prefilling.remove(sequence)
        self.memory.release(sequence)
        return True

    def _prefill(self, new_tokens: dict[Hashable, int]) -> None:
        open_prompts = []
        for sequence in self.prefilling:
            caught_up = sequence.compute(new_tokens.get(sequence.id, 0))
            self.memory.publish(sequence)
            if not caught_up:
                open_prompts.append(sequence)
            elif sequence.is_complete:
                self.complete[sequence.id] = sequence
            else:
                self.decoding.join(sequence)
        self.prefilling = open_prompts
