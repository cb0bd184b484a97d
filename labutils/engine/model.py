"""A decoder of the Llama family in plain torch; the attention is whatever the caller plugs in.

RMSNorm before each block, rotary positions, grouped key/value heads, a gated feed-forward; biases
on the projections (Qwen2), norms on queries and keys (Qwen3) and tied embeddings where the
specification says so. Attributes carry the names of Hugging Face's checkpoints.

The model keeps no cache. It hands each layer's queries, keys and values to ``attend`` and goes on
with what comes back: a cache is a function that remembers the keys and values it was handed.
"""

from collections.abc import Callable

import torch
from torch import nn
from torch.nn import functional

from labutils.engine.model_rope import Rope, rotate
from labutils.ground import arguments
from labutils.llm import ModelSpec

Attend = Callable[[int, torch.Tensor, torch.Tensor, torch.Tensor], torch.Tensor]


def causal(layer: int, query: torch.Tensor, key: torch.Tensor, value: torch.Tensor) -> torch.Tensor:
    """Attention without a cache: each token reads itself and the tokens before it in the call.

    ``query`` is [batch, heads, length, head_dim], ``key`` and ``value`` are [batch, KV heads,
    length, head_dim]; query head h reads key/value head h // (heads / KV heads). The result has the
    shape of ``query``. Whatever replaces this function has its signature.
    """
    return functional.scaled_dot_product_attention(
        query, key, value, is_causal=True, enable_gqa=True
    )


def small_spec(**shapes) -> ModelSpec:
    """A model of 1.8 million weights with grouped heads; ``shapes`` replaces any of its fields.

    >>> small_spec(layers=3, num_kv_heads=1).parameters < small_spec().parameters
    True
    """
    chosen = {
        "name": "small",
        "layers": 4,
        "hidden_size": 192,
        "num_heads": 6,
        "num_kv_heads": 2,
        "head_dim": 32,
        "ffn_size": 512,
        "vocab_size": 1024,
        "tied_embeddings": True,
        "max_context": 4096,
    }
    return ModelSpec(**{**chosen, **shapes})


class LlamaModel(nn.Module):
    """``model(tokens)``: token numbers [batch, length] to logits [batch, length, vocabulary].

    Weights are drawn from ``seed`` with standard deviation ``init_std``; at the usual 0.02 an
    untrained model repeats one token whatever it reads, at 0.1 its output depends on every input.
    They hold no gradients. The same seed gives other weights on another kind of device:
    ``load_state_dict`` carries them over.

    Raises ``ValueError`` for a specification with experts, windows, latent attention or sinks.
    """

    def __init__(
        self,
        spec: ModelSpec,
        *,
        rope: Rope | None = None,
        norm_eps: float = 1e-6,
        init_std: float = 0.1,
        seed: int = 0,
        dtype: torch.dtype = torch.float32,
        device: str | torch.device = "cpu",
    ):
        super().__init__()
        _require_plain(spec)
        self.spec, self.rope = spec, rope or Rope()
        eps = arguments.positive("norm_eps", norm_eps)
        with torch.device("meta"):  # no memory is touched before the dtype and the device are known
            table = torch.empty(spec.vocab_size, spec.hidden_size)
            self.embed_tokens = nn.Embedding.from_pretrained(table)  # which draws no numbers
            self.layers = nn.ModuleList(Layer(spec, i, eps) for i in range(spec.layers))
            self.norm = RMSNorm(spec.hidden_size, eps)
            self.lm_head = nn.Linear(spec.hidden_size, spec.vocab_size, bias=False)
        empty = {name: torch.empty(meta.shape, dtype=dtype, device=device)
                 for name, meta in self.state_dict().items()}  # fmt: skip
        self.load_state_dict(empty, assign=True)  # `to_empty` takes seconds to import what it needs
        if spec.tied_embeddings:
            self.lm_head.weight = self.embed_tokens.weight
        self.requires_grad_(False)
        _draw(self, init_std, seed)

    def forward(
        self,
        tokens: torch.Tensor,
        positions: torch.Tensor | None = None,
        *,
        attend: Attend | None = None,
        rows: torch.Tensor | slice | None = None,
        last_only: bool = False,
    ) -> torch.Tensor:
        """Logits after every token, or after those at ``rows``: [batch, wanted, vocabulary].

        ``positions`` has the shape of ``tokens``, or of one row of it; by default 0, 1, 2, …
        ``attend(layer, query, key, value)`` replaces ``causal``. ``rows`` holds indices into the
        length; ``last_only`` is short for the last of them.
        """
        if tokens.ndim != 2 or tokens.is_floating_point():
            shape = f"{tuple(tokens.shape)} of {tokens.dtype}"
            raise ValueError(f"tokens = {shape}: expected whole numbers in [batch, length]")
        if positions is None:
            positions = torch.arange(tokens.shape[1], device=tokens.device)
        rows = slice(-1, None) if last_only else slice(None) if rows is None else rows
        hidden = self.embed_tokens(tokens)
        turn = self.rope.turn(positions, self.spec.head_dim, hidden.dtype)
        for layer in self.layers[:-1]:
            hidden = layer(hidden, turn, attend or causal)
        hidden = self.layers[-1](hidden, turn, attend or causal, rows)
        return self.lm_head(self.norm(hidden))


class Layer(nn.Module):
    """One block: attention, then feed-forward, each on a normalised copy, added to the stream."""

    def __init__(self, spec: ModelSpec, index: int, eps: float):
        super().__init__()
        self.input_layernorm = RMSNorm(spec.hidden_size, eps)
        self.self_attn = Attention(spec, index, eps)
        self.post_attention_layernorm = RMSNorm(spec.hidden_size, eps)
        self.mlp = FeedForward(spec.hidden_size, spec.ffn_size)

    def forward(self, hidden, turn, attend: Attend, rows=slice(None)) -> torch.Tensor:
        """[batch, length, hidden] to the same, or to its ``rows`` along the length.

        Behind the last attention no token needs another one: the rest is computed for ``rows``.
        """
        mixed = self.self_attn(self.input_layernorm(hidden), turn, attend, rows)
        hidden = hidden[:, rows] + mixed
        return hidden + self.mlp(self.post_attention_layernorm(hidden))


class Attention(nn.Module):
    """The projections around ``attend``, which is told the number of its layer."""

    def __init__(self, spec: ModelSpec, index: int, eps: float):
        super().__init__()
        self.index, self.head_dim = index, spec.head_dim
        queries, keys = spec.num_heads * spec.head_dim, spec.num_kv_heads * spec.head_dim
        self.q_proj = nn.Linear(spec.hidden_size, queries, bias=spec.qkv_bias)
        self.k_proj = nn.Linear(spec.hidden_size, keys, bias=spec.qkv_bias)
        self.v_proj = nn.Linear(spec.hidden_size, keys, bias=spec.qkv_bias)
        self.o_proj = nn.Linear(queries, spec.hidden_size, bias=spec.output_bias)
        if spec.qk_norm:
            self.q_norm, self.k_norm = RMSNorm(spec.head_dim, eps), RMSNorm(spec.head_dim, eps)

    def forward(self, hidden, turn, attend: Attend, rows) -> torch.Tensor:
        """[batch, length, hidden] to its ``rows`` along the length, all of which are attended."""
        mixed = attend(self.index, *self.project(hidden, turn))
        return self.o_proj(mixed.transpose(1, 2).flatten(2)[:, rows])

    def project(self, hidden: torch.Tensor, turn) -> tuple[torch.Tensor, ...]:
        """Queries, keys and values, each [batch, heads, length, head_dim], positions applied."""
        query, key, value = (
            part(hidden).unflatten(-1, (-1, self.head_dim)).transpose(1, 2)
            for part in (self.q_proj, self.k_proj, self.v_proj)
        )
        if hasattr(self, "q_norm"):
            query, key = self.q_norm(query), self.k_norm(key)
        return rotate(query, turn), rotate(key, turn), value


class FeedForward(nn.Module):
    """SwiGLU: down(silu(gate(x)) · up(x)) (Shazeer, 2020)."""

    def __init__(self, hidden_size: int, ffn_size: int):
        super().__init__()
        self.gate_proj = nn.Linear(hidden_size, ffn_size, bias=False)
        self.up_proj = nn.Linear(hidden_size, ffn_size, bias=False)
        self.down_proj = nn.Linear(ffn_size, hidden_size, bias=False)

    def forward(self, hidden: torch.Tensor) -> torch.Tensor:
        """[batch, length, hidden] to the same."""
        return self.down_proj(functional.silu(self.gate_proj(hidden)) * self.up_proj(hidden))


class RMSNorm(nn.Module):
    """x / √(mean x² + eps), scaled (Zhang and Sennrich, 2019); in float32 or wider."""

    def __init__(self, size: int, eps: float):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(size))

    def forward(self, values: torch.Tensor) -> torch.Tensor:
        """Normalises the last axis."""
        return functional.rms_norm(values, self.weight.shape, self.weight, self.eps)


def _require_plain(spec: ModelSpec) -> None:
    beyond = {
        "experts": spec.experts,
        "latent": spec.latent,
        "windowed_layers": spec.windowed_layers,
        "sinks": spec.sinks,
        "norms_per_layer": spec.norms_per_layer - 2,
    }
    for name, found in beyond.items():
        if found:
            value = getattr(spec, name)
            raise ValueError(f"{spec.name}: {name} = {value!r}: expected the plain Llama family")
    if spec.head_dim % 2:
        raise ValueError(f"head_dim = {spec.head_dim!r}: expected an even number, to rotate halves")


def _draw(model: LlamaModel, init_std: float, seed: int) -> None:
    """Normal weights from ``seed``, norms of 1."""
    std = arguments.positive("init_std", init_std)
    generator = torch.Generator(model.embed_tokens.weight.device).manual_seed(seed)
    for module in model.modules():
        if isinstance(module, RMSNorm):
            nn.init.ones_(module.weight)
        else:
            for weights in module.parameters(recurse=False):
                nn.init.normal_(weights, std=std, generator=generator)
