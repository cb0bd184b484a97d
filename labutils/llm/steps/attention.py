"""Arithmetic of attention: operations of one query, and of all queries of a prompt."""


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


def decode_attention_flops(model, context_tokens: float) -> float:
    """Operations of one new token against its cache, over all layers, in compressed space.

    An indexer scores all cached tokens for the few that are attended to: 2 · heads · width each.
    Linear attention reads, corrects and writes its state: 6 for each number in it (Yang and others,
    *Gated delta networks*, 2024, equation 10).
    """
    attended = flops_per_pair(model, absorbed=True) * model.attended_tokens(context_tokens)
    return attended + _scoring(model) * model.cached_tokens(context_tokens) + _states(model)


def prefill_attention_flops(model, tokens: float) -> float:
    """The same for all tokens of a prompt, in the heads' own space."""
    scored = _scoring(model) * causal_pairs(model, tokens)
    return flops_per_pair(model) * attended_pairs(model, tokens) + scored + _states(model) * tokens


def causal_pairs(model, tokens: float) -> float:
    """(query, key) pairs of a prompt of ``tokens``, summed over the layers.

    n²/2 a layer (the diagonal's n/2 is left out), and n·w − w²/2 once n exceeds the window w.
    """
    full = (model.attention_layers - model.windowed_layers) * tokens**2 / 2
    if not model.windowed_layers:
        return full
    return full + model.windowed_layers * _bounded(tokens, model.window)


def attended_pairs(model, tokens: float) -> float:
    """Of those pairs, the ones that an indexer lets through; without one, all of them."""
    if not model.indexer:
        return causal_pairs(model, tokens)
    return model.attention_layers * _bounded(tokens, model.indexer.top)


def _bounded(tokens: float, most: float) -> float:
    seen = min(tokens, most)
    return tokens * seen - seen**2 / 2


def _scoring(model) -> int:
    return 2 * model.indexer.heads * model.indexer.head_dim if model.indexer else 0


def _states(model) -> int:
    if not model.linear:
        return 0
    one = model.linear
    return 6 * one.layers * one.value_heads * one.key_dim * one.value_dim
