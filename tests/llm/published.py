"""The published shapes of every model, typed in once more, and all its weights by name and shape.

Nothing here comes from ``labutils``: this is what its figures are compared with.
"""

from types import SimpleNamespace


def shapes(family, layers, hidden, heads, kv_heads, head_dim, ffn, vocab, total, kv_bytes, **more):
    return SimpleNamespace(**locals() | more, **{key: more.get(key) for key in _OPTIONAL - {*more}})


_OPTIONAL = {"tied", "experts", "chosen", "shared", "dense", "dense_ffn", "active", "window"}
_OPTIONAL |= {"index", "linear"}
_MLA = {"rank": 512, "rope": 64, "query_rank": 1536, "nope": 128, "value": 128}

# The printed totals (billions, with the digits of the table) and cache bytes per token in bf16.
PUBLISHED = {
    "Llama-2-7B": shapes("llama", 32, 4096, 32, 32, 128, 11008, 32000, "6.74", 524288),
    "Llama-2-13B": shapes("llama", 40, 5120, 40, 40, 128, 13824, 32000, "13.02", 819200),
    "Llama-2-70B": shapes("llama", 80, 8192, 64, 8, 128, 28672, 32000, "68.98", 327680),
    "CodeLlama-34B": shapes("llama", 48, 8192, 64, 8, 128, 22016, 32000, "33.74", 196608),
    "Llama-3.1-8B": shapes("llama", 32, 4096, 32, 8, 128, 14336, 128256, "8.03", 131072),
    "Llama-3.1-70B": shapes("llama", 80, 8192, 64, 8, 128, 28672, 128256, "70.55", 327680),
    "Llama-3.1-405B": shapes("llama", 126, 16384, 128, 8, 128, 53248, 128256, "405.85", 516096),
    "Llama-3.2-1B": shapes("llama", 16, 2048, 32, 8, 64, 8192, 128256, "1.24", 32768, tied=True),
    "Llama-3.2-3B": shapes("llama", 28, 3072, 24, 8, 128, 8192, 128256, "3.21", 114688, tied=True),
    "Mistral-7B-v0.1": shapes(
        "llama", 32, 4096, 32, 8, 128, 14336, 32000, "7.24", 131072, window=(4096, 32)
    ),
    "Mixtral-8x7B": shapes(
        "mixtral", 32, 4096, 32, 8, 128, 14336, 32000, "46.70", 131072,
        experts=8, chosen=2, active="12.88",
    ),
    "Qwen2.5-7B": shapes("qwen2", 28, 3584, 28, 4, 128, 18944, 152064, "7.62", 57344),
    "Qwen2.5-72B": shapes("qwen2", 80, 8192, 64, 8, 128, 29568, 152064, "72.71", 327680),
    "Qwen3-0.6B": shapes("qwen3", 28, 1024, 16, 8, 128, 3072, 151936, "0.596", 114688, tied=True),
    "Qwen3-8B": shapes("qwen3", 36, 4096, 32, 8, 128, 12288, 151936, "8.19", 147456),
    "Qwen3-32B": shapes("qwen3", 64, 5120, 64, 8, 128, 25600, 151936, "32.76", 262144),
    "Qwen3-30B-A3B": shapes(
        "qwen3", 48, 2048, 32, 4, 128, 768, 151936, "30.53", 98304,
        experts=128, chosen=8, active="3.35",
    ),
    "Qwen3-235B-A22B": shapes(
        "qwen3", 94, 4096, 64, 4, 128, 1536, 151936, "235.09", 192512,
        experts=128, chosen=8, active="22.2",
    ),
    "Gemma-2-9B": shapes(
        "gemma2", 42, 3584, 16, 8, 256, 14336, 256000, "9.24", 344064, tied=True, window=(4096, 21)
    ),
    "Gemma-2-27B": shapes(
        "gemma2", 46, 4608, 32, 16, 128, 36864, 256000, "27.23", 376832, tied=True,
        window=(4096, 23),
    ),
    "Gemma-3-27B": shapes(
        "gemma3", 62, 5376, 32, 16, 128, 21504, 262144, "27.0", 507904, tied=True,
        window=(1024, 52),
    ),
    "Phi-3-mini-4k": shapes(
        "llama", 32, 3072, 32, 32, 96, 8192, 32064, "3.82", 393216, window=(2048, 32)
    ),
    "Phi-4": shapes("llama", 40, 5120, 40, 10, 128, 17920, 100352, "14.66", 204800),
    "TinyLlama-1.1B": shapes("llama", 22, 2048, 32, 4, 64, 5632, 32000, "1.10", 22528),
    "SmolLM2-135M": shapes("llama", 30, 576, 9, 3, 64, 1536, 49152, "0.1345", 23040, tied=True),
    "gpt-oss-20b": shapes(
        "gpt_oss", 24, 2880, 64, 8, 64, 2880, 201088, "20.9", 49152,
        experts=32, chosen=4, active="3.6", window=(128, 12),
    ),
    "gpt-oss-120b": shapes(
        "gpt_oss", 36, 2880, 64, 8, 64, 2880, 201088, "116.8", 73728,
        experts=128, chosen=4, active="5.1", window=(128, 18),
    ),
    "DeepSeek-V2": shapes(
        "deepseek", 60, 5120, 128, 128, 128, 1536, 102400, "236", 69120,
        experts=160, chosen=6, shared=2, dense=1, dense_ffn=12288, active="21", **_MLA,
    ),
    "DeepSeek-V3": shapes(
        "deepseek", 61, 7168, 128, 128, 128, 2048, 129280, "671", 70272,
        experts=256, chosen=8, shared=1, dense=3, dense_ffn=18432, active="37", **_MLA,
    ),
    "DeepSeek-V3.2": shapes(
        "deepseek", 61, 7168, 128, 128, 128, 2048, 129280, "671.9", 85888,
        experts=256, chosen=8, shared=1, dense=3, dense_ffn=18432, active="37", **_MLA,
        index=(64, 128, 2048),
    ),
    "Kimi-K2": shapes(
        "deepseek", 61, 7168, 64, 64, 128, 2048, 163840, "1026", 70272,
        experts=384, chosen=8, shared=1, dense=1, dense_ffn=18432, active="32", **_MLA,
    ),
    "GLM-4.6": shapes(
        "glm4", 92, 5120, 96, 8, 128, 1536, 151552, "353", 376832,
        experts=160, chosen=8, shared=1, dense=3, dense_ffn=12288, active="33.6",
    ),
    "Llama-4-Scout": shapes(
        "llama4", 48, 5120, 40, 8, 128, 8192, 202048, "108", 196608,
        experts=16, chosen=1, shared=1, active="17", window=(8192, 36),
    ),
    "Llama-4-Maverick": shapes(
        "llama4", 48, 5120, 40, 8, 128, 8192, 202048, "401", 196608,
        experts=128, chosen=1, shared=1, dense=24, dense_ffn=16384, active="17", window=(8192, 36),
    ),
    "Qwen3-Next-80B-A3B": shapes(
        "qwen3_next", 48, 2048, 16, 2, 256, 512, 151936, "80", 24576,
        experts=512, chosen=10, shared=1, active="3.9", linear=(36, 16, 32, 128, 128, 4),
    ),
}  # fmt: skip
# Published active counts that leave the input embedding table out.
WITHOUT_EMBEDDING = {
    *("gpt-oss-20b", "gpt-oss-120b", "DeepSeek-V2", "DeepSeek-V3", "DeepSeek-V3.2", "Kimi-K2"),
}


def weights(name):
    """(weight's name, its shape) for every tensor of the checkpoint."""
    p = PUBLISHED[name]
    yield "embed_tokens", (p.vocab, p.hidden)
    if not p.tied:
        yield "lm_head", (p.vocab, p.hidden)
    yield "norm", (p.hidden,)
    for layer in range(p.layers):
        linear = p.linear and layer < p.linear[0]  # which ones does not matter to a count
        mixing = delta_net(p) if linear else attention(p)
        for part in (norms(p), mixing, feed_forward(p, layer, name)):
            for weight, shape in part:
                yield f"layers.{layer}.{weight}", shape


def norms(p):
    yield "input_layernorm", (p.hidden,)
    yield "post_attention_layernorm", (p.hidden,)
    if p.family in ("gemma2", "gemma3"):
        yield "pre_feedforward_layernorm", (p.hidden,)
        yield "post_feedforward_layernorm", (p.hidden,)


def attention(p):
    if p.family == "deepseek":
        yield "q_a_proj", (p.query_rank, p.hidden)
        yield "q_a_layernorm", (p.query_rank,)
        yield "q_b_proj", (p.heads * (p.nope + p.rope), p.query_rank)
        yield "kv_a_proj_with_mqa", (p.rank + p.rope, p.hidden)
        yield "kv_a_layernorm", (p.rank,)
        yield "kv_b_proj", (p.heads * (p.nope + p.value), p.rank)
        yield "o_proj", (p.hidden, p.heads * p.value)
        if p.index:
            heads, width, _ = p.index
            yield "indexer.wq_b", (heads * width, p.query_rank)
            yield "indexer.wk", (width, p.hidden)
            yield "indexer.k_norm.weight", (width,)
            yield "indexer.k_norm.bias", (width,)
            yield "indexer.weights_proj", (heads, p.hidden)
        return
    yield "q_proj", (p.heads * p.head_dim, p.hidden)
    if p.linear:
        yield "q_proj.gate", (p.heads * p.head_dim, p.hidden)
    yield "k_proj", (p.kv_heads * p.head_dim, p.hidden)
    yield "v_proj", (p.kv_heads * p.head_dim, p.hidden)
    yield "o_proj", (p.hidden, p.heads * p.head_dim)
    if p.family in ("qwen2", "gpt_oss", "glm4"):
        yield "q_proj.bias", (p.heads * p.head_dim,)
        yield "k_proj.bias", (p.kv_heads * p.head_dim,)
        yield "v_proj.bias", (p.kv_heads * p.head_dim,)
    if p.family == "gpt_oss":
        yield "o_proj.bias", (p.hidden,)
        yield "sinks", (p.heads,)
    if p.family in ("qwen3", "gemma3", "qwen3_next", "glm4"):
        yield "q_norm", (p.head_dim,)
        yield "k_norm", (p.head_dim,)


def delta_net(p):
    """Gated DeltaNet, as Qwen3-Next has it."""
    _, key_heads, value_heads, key_dim, value_dim, kernel = p.linear
    keys, values = key_heads * key_dim, value_heads * value_dim
    yield "in_proj_qkvz", (2 * keys + 2 * values, p.hidden)
    yield "in_proj_ba", (2 * value_heads, p.hidden)
    yield "conv1d", (2 * keys + values, 1, kernel)
    yield "dt_bias", (value_heads,)
    yield "A_log", (value_heads,)
    yield "norm", (value_dim,)
    yield "out_proj", (p.hidden, values)


def feed_forward(p, layer, name):
    if not p.experts or layer < (p.dense or 0):
        yield from gated("mlp", p.dense_ffn or p.ffn, p.hidden)
        return
    yield "gate", (p.experts, p.hidden)
    if p.family in ("gpt_oss", "glm4") or name in ("DeepSeek-V3", "DeepSeek-V3.2", "Kimi-K2"):
        yield "gate.bias", (p.experts,)
    for expert in range(p.experts):
        yield from gated(f"experts.{expert}", p.ffn, p.hidden)
        if p.family == "gpt_oss":
            yield f"experts.{expert}.gate_up_proj.bias", (2 * p.ffn,)
            yield f"experts.{expert}.down_proj.bias", (p.hidden,)
    if p.shared:
        yield from gated("shared_experts", p.shared * p.ffn, p.hidden)
        if p.family == "qwen3_next":
            yield "shared_expert_gate", (1, p.hidden)


def gated(prefix, inner, hidden):
    yield f"{prefix}.gate_proj", (inner, hidden)
    yield f"{prefix}.up_proj", (inner, hidden)
    yield f"{prefix}.down_proj", (hidden, inner)
