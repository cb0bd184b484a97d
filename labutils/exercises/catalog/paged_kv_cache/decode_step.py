"""One layer's attention of a decode step, three ways, to be timed."""

from collections.abc import Callable

from .kit import LearnersPath


def decode_calls(
    spec, *, batch: int, context: int, page_tokens: int, seed: int, attention: Callable,
    slots: Callable, number: dict,
) -> dict[str, Callable]:  # fmt: skip
    """One layer's attention of a decode step, three ways: in one piece, by pages, the engine's.

    ``batch`` sequences of ``context`` tokens each, the same keys and values in all three. Each call
    returns the mixed values [heads, batch, head_dim].
    """
    import torch
    from torch.nn import functional

    from labutils.serving.attention import attention_path
    from labutils.serving.kv_pool import KVPool

    draw = torch.Generator().manual_seed(seed)
    pages = -(-context // page_tokens)
    tables = torch.randperm(batch * pages, generator=draw).view(batch, pages)
    step = _decode_step(tables.to(number["device"]), context, page_tokens)
    pool = KVPool(spec, batch * pages, page_tokens, **number)
    heads, width = (spec.num_kv_heads, batch, context), spec.head_dim
    keys, values = (torch.randn(*heads, width, generator=draw).to(**number) for _ in range(2))
    query = torch.randn(1, spec.num_heads, batch, width, generator=draw).to(**number)
    key, value = (half[:, :, -1][None] for half in (keys, values))
    where = torch.cat([slots(table, context, page_tokens) for table in step.tables])
    pool.write(0, where, keys.flatten(1, 2), values.flatten(1, 2))
    piece = [half.transpose(0, 1).contiguous() for half in (keys, values)]  # one row's side by side
    alone = query[0].transpose(0, 1)[:, :, None]  # [batch, heads, 1, head_dim]

    def in_one_piece():
        for half, new in zip(piece, (key, value)):
            half[:, :, -1] = new[0].transpose(0, 1)
        mixed = functional.scaled_dot_product_attention(alone, *piece, enable_gqa=True)
        return mixed[:, :, 0].transpose(0, 1)

    yours = LearnersPath(pool, attention, slots).bind(step)
    engines = attention_path("auto", pool).bind(step)
    return {
        "in one piece": in_one_piece,
        "pages, yours": lambda: yours(0, query, key, value)[0],
        "pages, the engine's": lambda: engines(0, query, key, value)[0],
    }


def _decode_step(tables, context: int, page_tokens: int):
    """The step in which every row computes its last token."""
    import torch

    from labutils.serving.attention import PackedStep

    rows = len(tables)
    last = tables[:, (context - 1) // page_tokens] * page_tokens + (context - 1) % page_tokens
    return PackedStep(
        tokens=torch.zeros(rows, dtype=torch.int64, device=tables.device),
        positions=torch.full((rows,), context - 1, device=tables.device),
        slots=last,
        query_lengths=(1,) * rows,
        context_lengths=(context,) * rows,
        tables=tables,
        page_tokens=page_tokens,
        outputs=torch.arange(rows, device=tables.device),
    )
