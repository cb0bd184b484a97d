"""How fast an attention path reads the cache: bytes of keys and values by the time of one layer."""

from dataclasses import replace

from labutils.measure import synchronizer, timed


def attention_rate(
    path: str, spec, batch: int, context: int, page_tokens: int, device: str
) -> dict[str, float]:
    """Microseconds and GB/s of one decode step of ``batch`` rows, all of ``context`` tokens.

    A single layer, its pages in random order; bytes are those of the keys and values read once.
    """
    import torch

    from labutils.engine.attention import KVMemory
    from labutils.serving.fast import attention_path

    one_layer, pages = replace(spec, layers=1), -(-context // page_tokens)
    dtype = torch.bfloat16 if device == "cuda" else torch.float32
    there = torch.device(device)
    memory = KVMemory(one_layer, batch * pages, page_tokens, dtype=dtype, device=there)
    draws = torch.Generator(device).manual_seed(0)
    memory.keys[0].normal_(generator=draws)
    memory.values[0].normal_(generator=draws)
    step = _decode_step(batch, context, pages, page_tokens, there)
    if path == "flex":  # each shape is another kernel, and torch keeps eight of a function
        torch.compiler.reset()
    attend = attention_path(path, memory).bind(step)
    shape = (1, spec.num_heads, batch, spec.head_dim)
    query = torch.randn(shape, generator=draws, device=device).to(dtype)
    key = query[:, : spec.num_kv_heads].contiguous()
    with torch.inference_mode():
        timing = timed(lambda: attend(0, query, key, key), synchronize=synchronizer(device))
    num_bytes = batch * context * one_layer.kv_bytes_per_token(dtype.itemsize)
    return {"us": timing.median_s * 1e6, "gb_per_s": num_bytes / timing.median_s / 1e9}


def _decode_step(batch: int, context: int, pages: int, page_tokens: int, device):
    """Every row computes its last token; its pages lie anywhere."""
    import torch

    from labutils.engine.packing import PackedStep

    order = torch.randperm(batch * pages, generator=torch.Generator().manual_seed(0))
    tables = order.view(batch, pages)
    last = torch.full((batch,), context - 1, device=device)
    return PackedStep(
        tokens=torch.zeros_like(last),
        positions=last,
        slots=tables[:, -1].to(device) * page_tokens + last % page_tokens,
        last=torch.arange(batch, device=device),
        lengths=[1] * batch,
        contexts=[context] * batch,
        tables=tables.tolist(),
        page_tokens=page_tokens,
    )
