"""Where the KV of each request lies, asked of whatever memory the scheduler plans with.

The attention paths read block tables. A ``BlockManager`` has them; a reservation is a table of
pages of one token, in order; and where a scheduler plans without memory, the engine keeps a block
manager of its own.
"""

from collections.abc import Hashable, Sequence

import torch

from labutils.measure.sharing import claim_memory_share

from .block_manager import BlockManager
from .page_watch import PageWatch
from .reservation import ContiguousReservation


def kv_layout(blocks, *, num_pages: int, page_tokens: int) -> "Pages":
    """The layout for a scheduler's ``blocks``; the two sizes count where that is None."""
    if blocks is None:
        return OwnPages(BlockManager(num_pages, page_tokens, prefix_sharing=False))
    return Pieces(blocks) if isinstance(blocks, ContiguousReservation) else Pages(blocks)


def pages_that_fit(model, page_tokens: int, max_sequences: int) -> int:
    """Pages of KV that ``max_sequences`` requests could ever fill, or that the memory takes.

    That is 80 % of what is free on a CUDA device, or of this learner's share of one that a class
    uses together, and a quarter of a GiB elsewhere.
    """
    weights = next(model.parameters())
    most = 2**28
    if weights.device.type == "cuda":
        free, total = torch.cuda.mem_get_info(weights.device)
        share = claim_memory_share(str(weights.device)) or 1.0
        most = 0.8 * min(free, share * total - torch.cuda.memory_allocated(weights.device))
    bytes_per_page = page_tokens * model.spec.kv_bytes_per_token(weights.element_size())
    filled = max_sequences * -(-(model.spec.max_context or 2**20) // page_tokens)
    return max(1, min(filled, int(most // bytes_per_page)))


class Pages:
    """Block tables that the scheduler fills; the engine only reads them."""

    def __init__(self, blocks):
        self.blocks, self._watch = blocks, PageWatch(blocks)
        self.num_pages, self.page_tokens = self._sizes()

    @property
    def in_use(self) -> int:
        """Pages held by somebody."""
        return self._watch.in_use

    def pages(self, request_id: Hashable, tokens: int) -> Sequence[int]:
        """The pages of a request that is about to hold ``tokens`` tokens, in order."""
        return self.blocks.table(request_id)

    def release(self, request_id: Hashable) -> None:
        """A request has lost its memory, or ended."""
        self._watch.check_released(request_id, "ended or was preempted")

    def check(self, *, nobody_runs: bool) -> None:
        """``BadPlan`` or ``PageLeak`` if a page is lost, held twice, or held by nobody."""
        self._watch.check_books()
        self._watch.check_unused(nobody_runs=nobody_runs)

    def _sizes(self) -> tuple[int, int]:
        return self.blocks.num_blocks, self.blocks.page_tokens


class Pieces(Pages):
    """Contiguous reservations: pages of one token, in a row."""

    def pages(self, request_id: Hashable, tokens: int) -> Sequence[int]:
        start, length = self.blocks.span(request_id)
        return range(start, start + length)

    def _sizes(self) -> tuple[int, int]:
        return self.blocks.num_tokens, 1


class OwnPages(Pages):
    """For a scheduler without memory: first come, first served; who finds none left fails."""

    def pages(self, request_id: Hashable, tokens: int) -> Sequence[int]:
        """The same; takes what is missing, or raises ``OutOfBlocks``."""
        if self.blocks.room(request_id):
            self.blocks.extend(request_id, tokens)
        else:
            self.blocks.allocate(request_id, tokens)
        return self.blocks.table(request_id)

    def release(self, request_id: Hashable) -> None:
        if self.blocks.room(request_id):
            self.blocks.free(request_id)
