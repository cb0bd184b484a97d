"""One layer's attention of a decode step, three ways, to be timed."""

from collections.abc import Callable
from types import ModuleType

from labutils.exercises.catalog.kv_cache.memory.small_memory import step_of_rows


def decode_calls(
    room: ModuleType, spec, *, batch: int, context: int, page_tokens: int, seed: int, number: dict
) -> dict[str, Callable]:
    """One layer's attention of a decode step: in one piece, by pages together, by pages row by row.

    ``batch`` requests with ``context`` tokens each, the same keys and values in all three; the two
    by pages are ``Bucket`` and ``Chunk`` of ``room``. Each call returns the mixed values
    [KV heads, group, batch, head_dim].
    """
    import torch
    from torch.nn import functional

    draw = torch.Generator().manual_seed(seed)
    pages = -(-context // page_tokens)
    tables = torch.randperm(batch * pages, generator=draw).view(batch, pages).tolist()
    memory = room.attention.KVMemory(spec, batch * pages, page_tokens, **number)
    heads, width = spec.num_kv_heads, spec.head_dim
    keys, values = torch.randn(2, batch, heads, context, width, generator=draw).to(**number)
    query = torch.randn(heads, spec.num_heads // heads, batch, width, generator=draw).to(**number)
    for row, table in enumerate(tables):
        slots = room.packing.slots_of(table, 0, context, page_tokens)
        memory.write(0, torch.tensor(slots, device=query.device), keys[row], values[row])
    step = step_of_rows(
        room, [1] * batch, [context] * batch, tables, page_tokens, device=query.device
    )
    together = room.attention.Bucket(memory, step, slice(0, batch))
    alone = [room.attention.Chunk(memory, step, row) for row in range(batch)]

    def in_one_piece():
        rows = query.permute(2, 0, 1, 3)  # a group is as good as so many tokens: none sees less
        mixed = functional.scaled_dot_product_attention(rows, keys, values)
        return mixed.permute(1, 2, 0, 3)

    def row_by_row():
        return torch.cat([one.attend(0, query[:, :, one.new]) for one in alone], dim=2)

    return {
        "in one piece": in_one_piece,
        "pages, in one call": lambda: together.attend(0, query),
        "pages, row by row": row_by_row,
    }
