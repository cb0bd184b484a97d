"""Functions on tensors, checked on inputs that can be read."""

import contextlib
import functools
from collections.abc import Callable
from dataclasses import dataclass

from labutils.exercises.checkers import Function
from labutils.exercises.definition.verdict import Verdict

DIGITS = 4


@contextlib.contextmanager
def one_thread():
    """Tensors of a few numbers gain nothing from threads, which on a busy machine cost much."""
    import torch

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)


@dataclass(frozen=True)
class Through(Function):
    """A checker for a function on tensors, which it sees ``through`` one on plain numbers.

    ``through(function)`` is a function of what ``inputs`` draws. ``reference`` and the answers of
    misconceptions are such functions; ``house`` is the workbook's own function on tensors.
    """

    through: Callable = lambda function: function
    house: Callable = print

    @property
    def house_answer(self) -> Callable:
        return self.house

    def check(self, answer) -> Verdict:
        seen = not callable(answer) or hasattr(answer, "seen_through")
        with one_thread():
            return super().check(answer if seen else self.through(answer))


def numbers(seed: int, *shape: int):
    """Normal numbers in float64."""
    import torch

    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def rounded(values) -> list:
    """As nested lists, to four digits."""
    return values.double().round(decimals=DIGITS).tolist()


def written(write: Callable) -> Callable:
    """What stands in a pool of 4 slots, 2 layers and 2 KV heads after ``write``."""

    @functools.wraps(write)
    def write_at(layer: int, slots: list[int], first: int) -> dict:
        import torch

        from labutils.engine.model import small_spec
        from labutils.serving.kv_pool import KVPool

        spec = small_spec(layers=2, hidden_size=8, num_heads=4, num_kv_heads=2, head_dim=2)
        pool = KVPool(spec, 2, 2, dtype=torch.float64)
        tokens = torch.arange(first, first + len(slots), dtype=torch.float64)
        key = torch.stack([tokens, tokens + 100])[:, :, None].expand(-1, -1, 2).contiguous()
        write(pool, layer, torch.tensor(slots), key, -key)
        return {
            "keys": [pool.keys[one][:, :, 0].tolist() for one in range(2)],
            "values": [pool.values[one][:, :, 1].tolist() for one in range(2)],
        }

    return _with_own_signature(write_at)


def attended(attention: Callable) -> Callable:
    """What ``attention`` makes of rows with ``new`` tokens behind ``old`` ones, page by page."""

    @functools.wraps(attention)
    def attend_rows(old: list[int], new: list[int], page_tokens: int, kv_heads: int, seed: int):
        import torch

        pool, step, contexts = scattered(old, new, page_tokens, kv_heads, seed)
        count = sum(new)
        query = numbers(seed + 1, 1, 2 * kv_heads, count, 4)
        key, value = numbers(seed + 2, 2, 1, kv_heads, count, 4)
        mixed = attention(pool, 1, step, contexts, query, key, value)
        if not isinstance(mixed, torch.Tensor) or mixed.shape != query.shape:
            return mixed
        kept = pool.keys[1][:, step.slots].sum() + pool.values[1][:, step.slots].square().sum()
        return {"mixed": rounded(mixed[0]), "kept": rounded(kept)}

    return _with_own_signature(attend_rows)


def scattered(old: list[int], new: list[int], page_tokens: int, kv_heads: int, seed: int):
    """A pool with ``old`` tokens of each row in pages of no order, and the step of the ``new``."""
    import torch

    from labutils.engine.model import small_spec
    from labutils.serving.attention import PackedStep, context_slots
    from labutils.serving.kv_pool import KVPool

    lengths = [before + more for before, more in zip(old, new)]
    sizes = [-(-length // page_tokens) for length in lengths]
    order = torch.randperm(sum(sizes) + 2, generator=torch.Generator().manual_seed(seed))
    tables = torch.zeros(len(old), max(sizes), dtype=torch.int64)
    for row, pages in enumerate(order[: sum(sizes)].split(sizes)):
        tables[row, : len(pages)] = pages
    contexts = [context_slots(t, length, page_tokens) for t, length in zip(tables, lengths)]
    positions = [torch.arange(a, b) for a, b in zip(old, lengths)]
    slots = [own[before:] for own, before in zip(contexts, old)]
    spec = small_spec(layers=2, num_heads=2 * kv_heads, num_kv_heads=kv_heads, head_dim=4)
    pool = KVPool(spec, len(order), page_tokens, dtype=torch.float64)
    for layer in range(2):
        pool.keys[layer].copy_(numbers(seed + 3 + layer, *pool.keys[layer].shape))
        pool.values[layer].copy_(numbers(seed + 5 + layer, *pool.values[layer].shape))
    step = PackedStep(
        tokens=torch.zeros(sum(new), dtype=torch.int64),
        positions=torch.cat(positions),
        slots=torch.cat(slots),
        query_lengths=tuple(new),
        context_lengths=tuple(lengths),
        tables=tables,
        page_tokens=page_tokens,
        outputs=torch.cumsum(torch.tensor(new), 0) - 1,
    )
    return pool, step, contexts


def _with_own_signature(function: Callable) -> Callable:
    """``functools.wraps`` hands on the name; the arguments are the wrapper's own."""
    del function.__wrapped__
    function.seen_through = True
    return function
