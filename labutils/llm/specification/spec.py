"""The shapes of a language model, and what follows from them alone: parameters and KV bytes."""

from dataclasses import dataclass
from functools import cached_property

from labutils.ground import arguments
from labutils.llm.specification import weights

_COUNTS = (
    "layers",
    "hidden_size",
    "num_heads",
    "num_kv_heads",
    "head_dim",
    "ffn_size",
    "vocab_size",
    "norms_per_layer",
)


def _check_counts(spec, names: tuple[str, ...], at_least: int = 1) -> None:
    for name in names:
        arguments.whole(name, getattr(spec, name), at_least=at_least)


def _complain(name: str, value, expected: str):
    raise ValueError(f"{name} = {value!r}: expected {expected}")


@dataclass(frozen=True, kw_only=True)
class Experts:
    """The feed-forward layers of a mixture of experts.

    ``num`` routed experts of inner width ``ffn_size``, of which a token visits ``per_token``;
    ``shared`` more of the same width that every token visits, behind a gate if ``shared_gate``. As
    many as ``dense_layers`` layers hold an ordinary feed-forward instead.
    """

    num: int
    per_token: int
    ffn_size: int
    shared: int = 0
    dense_layers: int = 0
    router_bias: bool = False
    expert_bias: bool = False
    shared_gate: bool = False

    def __post_init__(self):
        _check_counts(self, ("num", "per_token", "ffn_size"))
        _check_counts(self, ("shared", "dense_layers"), at_least=0)
        if self.per_token > self.num:
            _complain("per_token", self.per_token, f"at most num = {self.num} experts")


@dataclass(frozen=True, kw_only=True)
class Latent:
    """Multi-head latent attention, which caches one vector a token (DeepSeek-V2, 2024).

    ``rank`` compressed values plus ``rope_dim`` rotated ones are kept per layer, for any number of
    heads. Queries are compressed to ``query_rank`` (None: not at all); a head's query and key
    hold ``nope_dim + rope_dim`` numbers, its value ``value_dim``.
    """

    rank: int
    rope_dim: int
    nope_dim: int
    value_dim: int
    query_rank: int | None = None

    def __post_init__(self):
        _check_counts(self, ("rank", "rope_dim", "nope_dim", "value_dim"))
        if self.query_rank is not None:
            _check_counts(self, ("query_rank",))


@dataclass(frozen=True, kw_only=True)
class Indexer:
    """Sparse attention, which picks what a query reads (DeepSeek-V3.2, 2025).

    In every layer ``heads`` small heads of width ``head_dim`` score all cached tokens by a key of
    that width, which is cached as well; attention reads the ``top`` best of them.
    """

    heads: int
    head_dim: int
    top: int

    def __post_init__(self):
        _check_counts(self, ("heads", "head_dim", "top"))


@dataclass(frozen=True, kw_only=True)
class LinearAttention:
    """Layers that keep a state of fixed size, whatever the context (Gated DeltaNet, 2024).

    ``layers`` of the model's have, in place of attention, ``value_heads`` states of ``key_dim`` by
    ``value_dim`` numbers, and the last ``kernel`` inputs of a convolution over queries, keys and
    values. Queries and keys have ``key_heads``.
    """

    layers: int
    key_heads: int
    value_heads: int
    key_dim: int
    value_dim: int
    kernel: int

    def __post_init__(self):
        _check_counts(self, tuple(self.__dataclass_fields__))

    @property
    def channels(self) -> int:
        """Queries, keys and values of one token in one layer, all heads."""
        return 2 * self.key_heads * self.key_dim + self.value_heads * self.value_dim

    @property
    def state_values(self) -> int:
        """Numbers that a sequence keeps, over all these layers."""
        states = self.value_heads * self.key_dim * self.value_dim
        return self.layers * (states + self.kernel * self.channels)


@dataclass(frozen=True, kw_only=True)
class ModelSpec:
    """A decoder-only transformer, by its shapes.

    ``ffn_size`` is the inner width of a dense feed-forward (an expert's, where every layer has
    experts). ``windowed_layers`` of the ``layers`` see, and cache, only the last ``window`` tokens;
    those of ``linear`` cache no tokens at all. ``output_gate``: queries come with as many gates.
    ``status`` tells how the shapes were read: "V" in a primary source, "S" in a secondary one, ""
    for a specification of your own.
    """

    name: str
    layers: int
    hidden_size: int
    num_heads: int
    num_kv_heads: int
    head_dim: int
    ffn_size: int
    vocab_size: int
    tied_embeddings: bool = False
    max_context: int | None = None
    window: int | None = None
    windowed_layers: int = 0
    latent: Latent | None = None
    indexer: Indexer | None = None
    linear: LinearAttention | None = None
    experts: Experts | None = None
    qkv_bias: bool = False
    output_bias: bool = False
    qk_norm: bool = False
    sinks: bool = False
    output_gate: bool = False
    norms_per_layer: int = 2
    source: str = ""
    status: str = ""
    as_of: str = ""
    note: str = ""

    def __post_init__(self):
        _check_counts(self, _COUNTS)
        arguments.whole("windowed_layers", self.windowed_layers, at_least=0)
        if self.max_context is not None:
            arguments.whole("max_context", self.max_context)
        if self.num_heads % self.num_kv_heads:
            _complain(
                "num_kv_heads", self.num_kv_heads, f"a divisor of num_heads = {self.num_heads}"
            )
        if self.windowed_layers > self.attention_layers:
            expected = f"at most layers = {self.attention_layers}"
            _complain("windowed_layers", self.windowed_layers, expected)
        if self.windowed_layers:
            arguments.whole("window", self.window)
        if self.indexer and self.windowed_layers:
            _complain("windowed_layers", self.windowed_layers, "0 beside an indexer")
        if self.experts and self.experts.dense_layers >= self.layers:
            _complain(
                "dense_layers", self.experts.dense_layers, f"fewer than layers = {self.layers}"
            )

    @cached_property
    def parameters(self) -> int:
        """All weights, summed from their shapes."""
        return weights.parameters(self)

    @cached_property
    def active_parameters(self) -> int:
        """The weights that one token visits: all but the routed experts it is not sent to.

        Both embedding tables count, as in ``parameters``; some published figures leave one out.
        """
        return weights.parameters(self) - weights.idle_parameters(self)

    @cached_property
    def expert_parameters(self) -> int:
        """The weights of all routed experts together (0 without experts)."""
        return weights.routed_parameters(self)

    def weight_bytes(
        self, bytes_per_weight: float = 2.0, *, expert_bytes_per_weight: float | None = None
    ) -> float:
        """Memory of the weights in bytes: 2 a weight in bf16, 1 in int8 or fp8, 0.5 in 4 bits.

        ``expert_bytes_per_weight`` where the routed experts are stored otherwise than the rest:
        17/32 in MXFP4, which spends 8 bits on every 32 weights of 4.
        """
        width = arguments.positive("bytes_per_weight", bytes_per_weight)
        if expert_bytes_per_weight is None:
            return self.parameters * width
        narrow = arguments.positive("expert_bytes_per_weight", expert_bytes_per_weight)
        rest = self.parameters - self.expert_parameters
        return rest * width + self.expert_parameters * narrow

    @property
    def attention_layers(self) -> int:
        """Layers with a cache that grows with the context."""
        return self.layers - (self.linear.layers if self.linear else 0)

    @property
    def kv_values_per_layer(self) -> int:
        """Numbers that one token leaves in the cache of one layer of attention.

        A key and a value for each KV head, or the one compressed vector of latent attention; and
        the key of an indexer.
        """
        picked = self.indexer.head_dim if self.indexer else 0
        if self.latent:
            return self.latent.rank + self.latent.rope_dim + picked
        return 2 * self.num_kv_heads * self.head_dim + picked

    def kv_bytes_per_token(self, bytes_per_value: float = 2.0) -> float:
        """Cache bytes of one token over all layers, as long as no window has dropped it."""
        width = arguments.positive("bytes_per_value", bytes_per_value)
        return self.attention_layers * self.kv_values_per_layer * width

    def kv_bytes(self, context_tokens: float, bytes_per_value: float = 2.0) -> float:
        """Cache bytes of one sequence of ``context_tokens``; windowed layers keep their window.

        Linear attention adds its state, as large for one token as for a million.
        """
        width = arguments.positive("bytes_per_value", bytes_per_value)
        state = self.linear.state_values if self.linear else 0
        return (self.cached_tokens(context_tokens) * self.kv_values_per_layer + state) * width

    def kv_bytes_read(self, context_tokens: float, bytes_per_value: float = 2.0) -> float:
        """Of those, what a decode step reads: with an indexer all its keys, and what it picks."""
        stored = self.kv_bytes(context_tokens, bytes_per_value)
        passed_over = self.cached_tokens(context_tokens) - self.attended_tokens(context_tokens)
        if not passed_over:
            return stored
        values = self.kv_values_per_layer - self.indexer.head_dim
        return stored - passed_over * values * bytes_per_value

    def cached_tokens(self, context_tokens: float) -> float:
        """Entries in the cache of one sequence, summed over the layers."""
        context = arguments.non_negative("context_tokens", context_tokens)
        full = (self.attention_layers - self.windowed_layers) * context
        if not self.windowed_layers:
            return full
        return full + self.windowed_layers * min(context, self.window)

    def attended_tokens(self, context_tokens: float) -> float:
        """Of those, the entries that a query attends to: no more than an indexer picks."""
        cached = self.cached_tokens(context_tokens)
        return min(cached, self.attention_layers * self.indexer.top) if self.indexer else cached
