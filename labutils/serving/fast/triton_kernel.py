"""Attention of decoding rows over pages, in two Triton kernels: parts of a context, then the whole.

A row with a long context would keep one multiprocessor busy while the others wait, so its context
is split; each part gives its own softmax sums, and a second kernel merges them (Dao et al., 2023,
"Flash-Decoding"). The query heads that share a KV head form one tile, and the tile of keys has
nothing to do with the size of a page (Ringlein et al., 2025, arXiv 2511.11581).
"""

import torch
import triton
import triton.language as tl

TILE = 64  # tokens read at once
MOST_SPLITS = 64
PROGRAMS_PER_MULTIPROCESSOR = 4


def paged_attention(
    query: torch.Tensor,
    keys: torch.Tensor,
    values: torch.Tensor,
    tables: torch.Tensor,
    lengths: torch.Tensor,
    *,
    page_tokens: int,
    multiprocessors: int,
) -> torch.Tensor:
    """One new token of each row, [rows, heads, head_dim], over its context in memory.

    ``keys`` and ``values`` [KV heads, slots, head_dim] are those of one layer, ``tables`` [rows,
    most pages] and ``lengths`` [rows] say where and how long each context is. The grid depends on
    shapes alone, so that a CUDA graph of it holds for any lengths.
    """
    rows, heads, head_dim = query.shape
    kv_heads, group = len(keys), heads // len(keys)
    query = query if query.stride(-1) == 1 else query.contiguous()
    splits = num_splits(rows * kv_heads, tables.shape[1] * page_tokens, multiprocessors)
    width = triton.next_power_of_2(head_dim)
    parts = query.new_empty((rows, heads, splits, head_dim), dtype=torch.float32)
    sums = query.new_empty((2, rows, heads, splits), dtype=torch.float32)
    _attend_part[(rows, kv_heads, splits)](
        query, keys, values, tables, lengths, parts, sums[0], sums[1],
        head_dim**-0.5, query.stride(0), query.stride(1), keys.stride(0), tables.stride(0),
        GROUP=group, PADDED_GROUP=max(16, triton.next_power_of_2(group)), HEAD_DIM=head_dim,
        WIDTH=width, PAGE=page_tokens, TILE=TILE, SPLITS=splits,
    )  # fmt: skip
    mixed = torch.empty((rows, heads, head_dim), dtype=query.dtype, device=query.device)
    _merge[(rows * heads,)](
        parts, sums[0], sums[1], mixed, HEAD_DIM=head_dim, WIDTH=width, SPLITS=splits
    )
    return mixed


def num_splits(programs: int, longest: int, multiprocessors: int) -> int:
    """Parts of each context, a power of two: enough to fill the device, none under two tiles."""
    wanted = PROGRAMS_PER_MULTIPROCESSOR * multiprocessors // programs
    most = max(1, min(wanted, longest // (2 * TILE), MOST_SPLITS))
    return 1 << (most.bit_length() - 1)


@triton.jit
def _attend_part(
    query, keys, values, tables, lengths, parts, tops, totals,
    scale, row_stride, head_stride, kv_stride, table_stride,
    GROUP: tl.constexpr, PADDED_GROUP: tl.constexpr, HEAD_DIM: tl.constexpr,
    WIDTH: tl.constexpr, PAGE: tl.constexpr, TILE: tl.constexpr, SPLITS: tl.constexpr,
):  # fmt: skip
    """One row, one KV head, one part of the context: weighted values, largest score, sum."""
    row, kv_head, split = tl.program_id(0), tl.program_id(1), tl.program_id(2)
    length = tl.load(lengths + row)
    span = tl.cdiv(tl.cdiv(length, TILE), SPLITS) * TILE
    first = split * span
    last = tl.minimum(length, first + span)

    member, column = tl.arange(0, PADDED_GROUP), tl.arange(0, WIDTH)
    head = kv_head * GROUP + member
    real = (member < GROUP)[:, None] & (column < HEAD_DIM)[None, :]
    at = query + row * row_stride + head[:, None] * head_stride + column[None, :]
    asked = tl.load(at, mask=real, other=0.0)

    top = tl.full([PADDED_GROUP], float("-inf"), tl.float32)
    total = tl.zeros([PADDED_GROUP], tl.float32)
    mixed = tl.zeros([PADDED_GROUP, WIDTH], tl.float32)
    for start in range(first, last, TILE):
        token = start + tl.arange(0, TILE)
        seen = token < last
        page = tl.load(tables + row * table_stride + token // PAGE, mask=seen, other=0)
        slot = page.to(tl.int64) * PAGE + token % PAGE
        where = kv_head * kv_stride + slot[:, None] * HEAD_DIM + column[None, :]
        inside = seen[:, None] & (column < HEAD_DIM)[None, :]
        key = tl.load(keys + where, mask=inside, other=0.0)
        score = tl.dot(asked, tl.trans(key), input_precision="ieee") * scale
        score = tl.where(seen[None, :], score, float("-inf"))
        higher = tl.maximum(top, tl.max(score, 1))
        kept = tl.exp(top - higher)  # what was summed so far refers to a lower top
        weight = tl.exp(score - higher[:, None])
        value = tl.load(values + where, mask=inside, other=0.0)
        mixed = mixed * kept[:, None]
        mixed += tl.dot(weight.to(value.dtype), value, input_precision="ieee")
        total = total * kept + tl.sum(weight, 1)
        top = higher

    line = (row * tl.num_programs(1) * GROUP + head) * SPLITS + split
    tl.store(parts + line[:, None] * HEAD_DIM + column[None, :], mixed, mask=real)
    tl.store(tops + line, top, mask=member < GROUP)
    tl.store(totals + line, total, mask=member < GROUP)


@triton.jit
def _merge(
    parts, tops, totals, mixed,
    HEAD_DIM: tl.constexpr, WIDTH: tl.constexpr, SPLITS: tl.constexpr,
):  # fmt: skip
    """One row and head: its parts, each weighed by exp(its top − the highest top), over the sum.

    A part behind the end of a short context has top −∞, and weighs nothing.
    """
    line = tl.program_id(0)
    split, column = tl.arange(0, SPLITS), tl.arange(0, WIDTH)
    top = tl.load(tops + line * SPLITS + split)
    weight = tl.exp(top - tl.max(top, 0))
    total = tl.sum(weight * tl.load(totals + line * SPLITS + split), 0)
    at = parts + (line * SPLITS + split)[:, None] * HEAD_DIM + column[None, :]
    part = tl.load(at, mask=(column < HEAD_DIM)[None, :], other=0.0)
    whole = tl.sum(part * weight[:, None], 0) / total
    tl.store(mixed + line * HEAD_DIM + column, whole, mask=column < HEAD_DIM)
