"""Arithmetic of attention: operations for one query against one cached token, pairs in a prompt."""


def flops_per_pair(model, *, absorbed: bool = False) -> int:
    """Operations of one layer for one (query, key) pair over all heads, scores and values.

    2 · heads · (key width + value width), which is 4 · heads · head_dim unless attention is latent.
    ``absorbed`` is how latent attention decodes: scores and sums are taken in the compressed space,
    on the very vectors that are cached (DeepSeek-V2, 2024, section 2.1.2).
    """
    if not model.latent:
        return 4 * model.num_heads * model.head_dim
    latent = model.latent
    if absorbed:
        return 2 * model.num_heads * (2 * latent.rank + latent.rope_dim)
    return 2 * model.num_heads * (latent.nope_dim + latent.rope_dim + latent.value_dim)


def causal_pairs(model, tokens: float) -> float:
    """(query, key) pairs of a prompt of ``tokens``, summed over the layers.

    n²/2 a layer (the diagonal's n/2 is left out), and n·w − w²/2 once n exceeds the window w.
    """
    full = (model.layers - model.windowed_layers) * tokens**2 / 2
    if not model.windowed_layers:
        return full
    seen = min(tokens, model.window)
    return full + model.windowed_layers * (tokens * seen - seen**2 / 2)
