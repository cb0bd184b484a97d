"""The memory that a scheduler plans with: pages, reservations, or as much as anybody wants.

Three classes with the same verbs, so that a policy reads the same with each of them.
"""

import math

from .block_manager import BlockManager
from .decode_group import DecodeGroup
from .errors import RequestTooLong
from .request import Request
from .reservation import ContiguousReservation
from .sequence import Sequence


def kv_memory(blocks) -> "Unlimited | Paged | Reserved":
    """The verbs for ``blocks``: a ``BlockManager``, a ``ContiguousReservation`` or None."""
    if blocks is None:
        return Unlimited()
    if isinstance(blocks, ContiguousReservation):
        return Reserved(blocks)
    if hasattr(blocks, "allocate"):
        return Paged(blocks)
    raise ValueError(
        f"blocks = {blocks!r}: expected a BlockManager, a ContiguousReservation or None"
    )


class Unlimited:
    """Memory that never runs out: to study a policy apart from memory."""

    page_tokens = 1

    def refuse_too_long(self, request: Request) -> None:
        """Raise ``RequestTooLong`` if ``request`` might outgrow the whole memory."""

    def tokens_to_hold(self, sequence: Sequence) -> int:
        """Tokens for which an admitted sequence takes memory at once."""
        return sequence.known

    def look_up(self, sequence: Sequence) -> tuple[int, float]:
        """Tokens of a waiting sequence whose KV is there already, and pages free beside those."""
        return 0, math.inf

    def fits(self, sequence: Sequence) -> bool:
        """Whether there is memory to admit a sequence now."""
        return True

    def take(self, sequence: Sequence) -> int:
        """Give an admitted sequence its memory; returns its cached tokens."""
        return 0

    def publish(self, sequence: Sequence) -> None:
        """What a sequence has computed may be shared from now on."""

    def release(self, sequence: Sequence) -> None:
        """Take a sequence's memory back."""

    def is_short(self, group: DecodeGroup) -> bool:
        """Whether the next decode step needs more memory than there is."""
        return False

    def grow(self, group: DecodeGroup, first: int, steps: int) -> None:
        """Take memory for the steps ``first`` to before ``steps`` of a group, counted from 0."""

    def steps_with_room(self, group: DecodeGroup, most: int) -> int:
        """How many steps, up to ``most``, a group can decode; there is room for the first."""
        return most


class Paged(Unlimited):
    """Pages taken when they are needed: the whole prompt at admission, then one at a time."""

    def __init__(self, blocks: BlockManager):
        self.blocks, self.page_tokens = blocks, blocks.page_tokens

    def refuse_too_long(self, request: Request) -> None:
        # The last token of an answer is never computed, so it needs no room.
        needed = self.blocks.pages_for(request.max_tokens - 1)
        if needed > self.blocks.num_blocks:
            raise RequestTooLong(
                f"request {request.id!r} may need {needed} pages: expected at most "
                f"{self.blocks.num_blocks}, the whole pool"
            )

    def look_up(self, sequence: Sequence) -> tuple[int, int]:
        return self.blocks.look_up(sequence.known, self._keys(sequence))

    def fits(self, sequence: Sequence) -> bool:
        return self.blocks.can_allocate(sequence.known, self._keys(sequence))

    def take(self, sequence: Sequence) -> int:
        return self.blocks.allocate(
            sequence.id,
            sequence.known,
            self._keys(sequence),
            count=not sequence.was_admitted,
        )

    def publish(self, sequence: Sequence) -> None:
        if sequence.keys:
            self.blocks.publish(sequence.id, sequence.computed)

    def release(self, sequence: Sequence) -> None:
        self.blocks.free(sequence.id)

    def is_short(self, group: DecodeGroup) -> bool:
        return group.pages_started() > self.blocks.num_free

    def grow(self, group: DecodeGroup, first: int, steps: int) -> None:
        if first < steps and (starting := group.starting_page(first, steps)):
            self.blocks.extend_each(starting)

    def steps_with_room(self, group: DecodeGroup, most: int) -> int:
        # In page_tokens steps every member starts one page: first whole turns, then single steps.
        turns, free = divmod(self.blocks.num_free, len(group))
        for ahead in range(1 + turns * self.page_tokens, most):
            free -= group.pages_started(ahead)
            if free < 0:
                return ahead
        return most

    def _keys(self, sequence: Sequence) -> tuple:
        if sequence.keys is None:
            sequence.keys = sequence.request.keys(self.page_tokens)
        return sequence.keys


class Reserved(Unlimited):
    """One piece for prompt and longest answer, taken at admission: nothing ever grows or moves."""

    def __init__(self, blocks: ContiguousReservation):
        self.blocks = blocks

    def look_up(self, sequence: Sequence) -> tuple[int, int]:
        return 0, max((length for _, length in self.blocks.holes()), default=0)

    def refuse_too_long(self, request: Request) -> None:
        if request.max_tokens > self.blocks.num_tokens:
            raise RequestTooLong(
                f"request {request.id!r} reserves {request.max_tokens} tokens: expected at most "
                f"{self.blocks.num_tokens}, the whole memory"
            )

    def tokens_to_hold(self, sequence: Sequence) -> int:
        return sequence.request.max_tokens

    def fits(self, sequence: Sequence) -> bool:
        return self.blocks.can_allocate(sequence.request.max_tokens)

    def take(self, sequence: Sequence) -> int:
        return self.blocks.allocate(sequence.id, sequence.request.max_tokens)

    def publish(self, sequence: Sequence) -> None:
        self.blocks.extend(sequence.id, sequence.computed)

    def release(self, sequence: Sequence) -> None:
        self.blocks.free(sequence.id)

    def grow(self, group: DecodeGroup, first: int, steps: int) -> None:
        for request_id, tokens in group.starting_page(0, steps):
            self.blocks.extend(request_id, tokens)
