"""Whether the head of the queue may start: what a rule sees, and the default rule."""

from typing import NamedTuple


class AdmissionView(NamedTuple):
    """What may be known about the head of the queue and the server when a step is planned.

    ``prompt_tokens`` are all that have to be computed or found: after a preemption the tokens of
    the answer so far count too. ``cached_tokens`` of them are still in memory. ``free_blocks`` are
    the pages of ``page_tokens`` tokens that can be had beside those (infinitely many where memory
    is not limited; where it is reserved in one piece, the slots of the longest hole, and a page is
    one slot). ``tokens_to_hold`` are the tokens for which memory is taken at admission: the prompt,
    or with reservation everything up to the longest answer. ``tokens_left`` is what the step's
    budget still takes.
    """

    prompt_tokens: int
    cached_tokens: int
    free_blocks: int
    page_tokens: int
    running: int
    max_sequences: int
    tokens_left: int
    tokens_to_hold: int

    @property
    def blocks_needed(self) -> int:
        """Pages that admission takes from the free ones."""
        whole = -(-self.tokens_to_hold // self.page_tokens)
        return whole - self.cached_tokens // self.page_tokens


def admit_what_fits(view: AdmissionView) -> bool:
    """The default rule: a place is free, and there is memory for the whole prompt."""
    return view.running < view.max_sequences and view.blocks_needed <= view.free_blocks
