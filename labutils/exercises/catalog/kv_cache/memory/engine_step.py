"""One decode step by the engine's own attention, over keys and values that are given."""

from collections.abc import Callable

PAGE_TOKENS = 16


def engine_step(model, keys, values, tokens) -> Callable:
    """A function that computes the last of ``tokens`` [n] behind the others.

    ``keys`` and ``values`` [layers, KV heads, n - 1, head_dim] are theirs; the engine keeps them in
    pages, one behind the other. Each call returns the logits [1, vocabulary].
    """
    import torch

    from labutils.engine.attention import KVMemory, paged_attention
    from labutils.engine.packing import PackedStep

    count, device = len(tokens), tokens.device
    pages = -(-count // PAGE_TOKENS)
    memory = KVMemory(model.spec, pages, PAGE_TOKENS, dtype=keys.dtype, device=device)
    memory.keys[:, :, : count - 1], memory.values[:, :, : count - 1] = keys, values
    here = torch.tensor([count - 1], device=device)
    step = PackedStep(
        tokens[-1:], here, here, torch.zeros_like(here), [1], [count], [list(range(pages))],
        PAGE_TOKENS,
    )  # fmt: skip

    def call():
        attend = paged_attention(memory, step)
        return model(step.tokens[None], step.positions[None], attend=attend, rows=step.last)[0]

    return call
