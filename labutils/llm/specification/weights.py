"""Weights counted from their shapes: matrices, biases and norms of one layer, then the whole."""


def parameters(spec) -> int:
    """All weights of ``spec``: embedding tables, layers, final norm."""
    tables = 1 if spec.tied_embeddings else 2
    layers = spec.attention_layers * _attention(spec) + _linear_layers(spec)
    norms = (spec.layers * spec.norms_per_layer + 1) * spec.hidden_size
    return tables * spec.vocab_size * spec.hidden_size + layers + norms + _ffn_total(spec)


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
    small = 2 * spec.head_dim * spec.qk_norm + spec.num_heads * spec.sinks
    return matrices + small + _indexer(spec)


def _indexer(spec) -> int:
    if not spec.indexer:
        return 0
    heads, width = spec.indexer.heads, spec.indexer.head_dim
    key = (spec.hidden_size + 2) * width  # and the scale and the bias of its norm
    return spec.latent.query_rank * heads * width + key + spec.hidden_size * heads


def _linear_layers(spec) -> int:
    """Gated DeltaNet: in and out, two gates a head, a convolution, decay and step, a norm."""
    linear = spec.linear
    if not linear:
        return 0
    values = linear.value_heads * linear.value_dim
    matrices = spec.hidden_size * (linear.channels + 2 * values + 2 * linear.value_heads)
    small = linear.channels * linear.kernel + 2 * linear.value_heads + linear.value_dim
    return linear.layers * (matrices + small)


def _head_projections(spec) -> int:
    outputs, keys = spec.num_heads * spec.head_dim, spec.num_kv_heads * spec.head_dim
    queries = (1 + spec.output_gate) * outputs
    matrices = spec.hidden_size * (queries + 2 * keys + outputs)
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
    router += spec.hidden_size * experts.shared_gate
    layer = (experts.num + experts.shared) * expert(spec) + router
    return experts.dense_layers * dense + (spec.layers - experts.dense_layers) * layer
