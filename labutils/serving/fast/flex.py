"""FlexAttention over the memory itself: a block mask that names physical pages, and no copy."""

from functools import cache

import torch
from torch.nn.attention.flex_attention import BlockMask, flex_attention

from labutils.engine.attention import KVMemory
from labutils.engine.model import Attend
from labutils.engine.packing import PackedStep

from .parts import chunks_of, decoding_rows, packed_like, places, sent, tables_of

NOWHERE = 1 << 40  # the place in its sequence of a page that a row does not hold
FEWEST_ROWS = 8
QUERY_BLOCK = 128  # one query lies in one block; the kernel for CUDA wants 16 or a multiple


class FlexPath:
    """Decoding rows by FlexAttention on the pages where they lie; chunks of prompts one by one.

    ``compiled`` makes the kernel that reads each row's pages alone, once per process (seconds, and
    a C++ compiler on a processor). Without it, and in float64, which the kernel does not know,
    torch compares each row with the whole memory: the same numbers, and slow.
    """

    captures = False

    def __init__(self, memory: KVMemory, *, compiled: bool = True):
        self.memory = memory
        compiled = compiled and memory.keys.dtype != torch.float64
        self._attention = _compiled() if compiled else flex_attention

    def bind(self, step: PackedStep) -> Attend:
        """The ``attend`` of one step: writes the new keys and values, then takes all rows."""
        memory, rows = self.memory, decoding_rows(step)
        at, mask, chunks = places(step, rows), self._mask(step, rows), chunks_of(step)

        def attend(layer, query, key, value):
            memory.write(layer, step.slots, key[0], value[0])
            mixed = packed_like(query)
            if rows:
                queries = query[0, :, at].transpose(0, 1)
                mixed[0, :, at] = self._decode(layer, queries, mask).transpose(0, 1)
            for chunk in chunks:
                mixed[0, :, chunk.new] = chunk.attend(memory, layer, query[0], key[0], value[0])
            return mixed

        return attend

    def _mask(self, step: PackedStep, rows: list[int]) -> BlockMask:
        """What ``rows`` may read, padded with empty rows to a power of two.

        Each number of rows is another kernel to compile, and one kernel for any number is more than
        torch 2.13 can generate.
        """
        padded = max(FEWEST_ROWS, 1 << (len(rows) - 1).bit_length())
        real = tables_of(step, rows)
        tables = real.new_zeros(padded, real.shape[1])
        tables[: len(rows)] = real
        lengths = [step.contexts[row] for row in rows] + [0] * (padded - len(rows))
        num_pages = self.memory.keys.shape[2] // step.page_tokens
        return page_mask(tables, sent(lengths, real.device), num_pages, step.page_tokens)

    def _decode(self, layer: int, query: torch.Tensor, mask: BlockMask) -> torch.Tensor:
        """[rows, heads, head_dim] to the same; all rows read the one memory (a batch of 1)."""
        shape = mask.shape[0], *query.shape[1:]  # as many rows as were compiled for
        asked = query.new_zeros(shape)
        asked[: len(query)] = query
        halves = (half[layer][None] for half in (self.memory.keys, self.memory.values))
        mixed = self._attention(asked.unsqueeze(2), *halves, block_mask=mask, enable_gqa=True)
        return mixed[: len(query)].squeeze(2)


def page_mask(
    tables: torch.Tensor, lengths: torch.Tensor, num_pages: int, page_tokens: int
) -> BlockMask:
    """Which slots of the memory each decoding row may read, as blocks of one page.

    ``tables`` [rows, most pages] and ``lengths`` [rows] (the new token included) describe the rows.
    Pages that a row fills are listed apart from its last one: they need no test of single slots.
    The lists are as wide as the memory, which the compiled kernel takes for granted.
    """
    rows, most = tables.shape
    full, rest = lengths // page_tokens, lengths % page_tokens
    filled = tables.new_zeros(rows, num_pages)
    filled[:, :most] = tables
    begun = torch.zeros_like(filled)
    begun[:, :1] = filled.gather(1, full.clamp(max=num_pages - 1)[:, None].long())
    place = _places(tables, full + (rest > 0), num_pages)

    def visible(row, head, query, slot):
        page, offset = slot // page_tokens, slot % page_tokens
        return place[row, page] * page_tokens + offset < lengths[row]

    return BlockMask.from_kv_blocks(
        kv_num_blocks=(rest > 0).int()[:, None, None],
        kv_indices=begun.int()[:, None, None],
        full_kv_num_blocks=full.int()[:, None, None],
        full_kv_indices=filled.int()[:, None, None],
        BLOCK_SIZE=(QUERY_BLOCK, page_tokens),
        mask_mod=visible,
        seq_lengths=(1, num_pages * page_tokens),
        compute_q_blocks=False,
    )


def _places(tables: torch.Tensor, held: torch.Tensor, num_pages: int) -> torch.Tensor:
    """[rows, all pages]: which page of a row's sequence each is, ``NOWHERE`` for others."""
    order = torch.arange(tables.shape[1], device=tables.device).expand(tables.shape)
    target = tables.long().masked_fill(order >= held[:, None], num_pages)  # padding: a spare column
    places = torch.full((len(tables), num_pages + 1), NOWHERE, device=tables.device)
    return places.scatter_(1, target, order)[:, :num_pages].contiguous()


@cache
def _compiled():
    return torch.compile(flex_attention, dynamic=False)
