"""Weights counted from their shapes: matrices, biases and norms of one layer, then the whole."""


def parameters(spec) -> int:
    """All weights of ``spec``: embedding tables, layers, final norm."""
    tables = 1 if spec.tied_embeddings else 2
    layers = spec.layers * (_attention(spec) + spec.norms_per_layer * spec.hidden_size)
    return (
        tables * spec.vocab_size * spec.hidden_size + layers + _ffn_total(spec) + spec.hidden_size
    )


def routed_parameters(spec) -> int:
    """The routed experts of all layers (0 without experts)."""
    if not spec.experts:
        return 0
    return (spec.layers - spec.experts.dense_layers) * spec.experts.num * expert(spec)


def idle_parameters(spec) -> int:
    """The routed experts that one token does not visit."""
    if not spec.experts:
        return 0
    return routed_parameters(spec) // spec.experts.num * (spec.experts.num - spec.experts.per_token)


def expert(spec) -> int:
    """One routed expert of one layer: gate, up and down projection."""
    inner, hidden = spec.experts.ffn_size, spec.hidden_size
    return 3 * inner * hidden + spec.experts.expert_bias * (2 * inner + hidden)


def _attention(spec) -> int:
    matrices = _latent_projections(spec) if spec.latent else _head_projections(spec)
    return matrices + 2 * spec.head_dim * spec.qk_norm + spec.num_heads * spec.sinks


def _head_projections(spec) -> int:
    queries, keys = spec.num_heads * spec.head_dim, spec.num_kv_heads * spec.head_dim
    matrices = spec.hidden_size * (2 * queries + 2 * keys)
    biases = spec.qkv_bias * (queries + 2 * keys) + spec.output_bias * spec.hidden_size
    return matrices + biases


def _latent_projections(spec) -> int:
    latent, hidden, heads = spec.latent, spec.hidden_size, spec.num_heads
    query = heads * (latent.nope_dim + latent.rope_dim)
    down = hidden * (latent.rank + latent.rope_dim) + latent.rank  # and the norm of the latent
    up = latent.rank * heads * (latent.nope_dim + latent.value_dim)
    out = heads * latent.value_dim * hidden
    if latent.query_rank is None:
        return hidden * query + down + up + out
    return (hidden + query + 1) * latent.query_rank + down + up + out


def _ffn_total(spec) -> int:
    dense = 3 * spec.hidden_size * spec.ffn_size
    if not spec.experts:
        return spec.layers * dense
    experts = spec.experts
    router = experts.num * (spec.hidden_size + experts.router_bias)
    layer = (experts.num + experts.shared) * expert(spec) + router
    return experts.dense_layers * dense + (spec.layers - experts.dense_layers) * layer
