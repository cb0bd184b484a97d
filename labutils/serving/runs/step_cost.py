"""How long a step takes: a sum over what is in it."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from labutils.ground import arguments
from labutils.llm.layouts import Deployment, Hosts, Layout, Rates, Work
from labutils.llm.steps.attention import decode_attention_flops, flops_per_pair
from labutils.serving.scheduling.step_shape import StepShape

_LONG_TOKENS = 2048  # of a step whose messages fill the link
_BENDING = ("pp", "ep", "sp")  # sizes above 1 with which tokens wait for each other


@dataclass(frozen=True)
class StepCost:
    """Seconds that a step takes: a base, plus so much for each item of its ``StepShape``.

    The linear form is DistServe's (Zhong et al., 2024, appendix A): prefill a + b·tokens +
    c·tokens², decode a + b·contexts + c·batch. ``per_pair_s`` takes attention pairs, about half the
    square.

    The last two overlap, as on a device that reads and computes at once (Williams et al., 2009):
    reading the weights takes ``weights_s``, multiplying with them ``per_linear_token_s`` for each
    token of the step, prefill or decode, and the larger of the two counts.
    """

    base_s: float
    per_prefill_token_s: float = 0.0
    per_pair_s: float = 0.0
    per_sequence_s: float = 0.0
    per_context_token_s: float = 0.0
    weights_s: float = 0.0
    per_linear_token_s: float = 0.0

    def __post_init__(self):
        for name in self.__dataclass_fields__:
            object.__setattr__(self, name, arguments.non_negative(name, getattr(self, name)))

    def time_s(self, shape: StepShape) -> float:
        """Seconds of one step. (The compiled simulator adds in the same order.)"""
        prefill_tokens, pairs, sequences, context_tokens = shape
        linear_s = self.per_linear_token_s * (prefill_tokens + sequences)
        seconds = self.base_s + (linear_s if linear_s > self.weights_s else self.weights_s)
        if prefill_tokens:
            seconds += self.per_prefill_token_s * prefill_tokens + self.per_pair_s * pairs
        return seconds + self.per_sequence_s * sequences + self.per_context_token_s * context_tokens

    @classmethod
    def from_roofline(
        cls,
        model,
        accelerator,
        *,
        bytes_per_weight: float = 2.0,
        bytes_per_value: float = 2.0,
        precision: str = "bf16",
        bandwidth_share: float = 1.0,
        flops_share: float = 0.5,
        overhead_s: float = 0.0,
        per_sequence_s: float = 0.0,
        tp: int = 1,
        hosts: Hosts | None = None,
        per_layer_s: float = 0.0,
    ) -> "StepCost":
        """The cost of a ``labutils.llm`` model on an accelerator, from bytes and operations.

        Kernel by kernel the longer of reading and computing counts (chapter 05's roofline): reading
        the weights, or multiplying every token of the step with them, prompt or answer. Attention
        has kernels of its own, whose time is added: a context token its KV bytes, a pair of a
        prompt its operations. ``overhead_s`` of host and launches is the base, with ``per_layer_s``
        for each layer: kernels that neither read much nor multiply.

        Windows and an indexer's choice are left out, so that real steps of such models are shorter.
        Left out, so that real steps are longer: the KV bytes that a chunk reads of its own earlier
        ones, and that no kernel overlaps perfectly.

        ``tp`` cards share weights, caches and operations, and add two all-reduces a layer over the
        link of ``hosts`` (None: the accelerator's own). That is ``of_deployment`` at 64 rows.
        """
        if arguments.whole("tp", tp) > 1:
            rates = Rates(
                bytes_per_weight=bytes_per_weight,
                bytes_per_value=bytes_per_value,
                precision=precision,
                bandwidth_share=bandwidth_share,
                flops_share=flops_share,
                launch_s=overhead_s,
                per_layer_s=per_layer_s,
            )
            hosts = replace(hosts, device=accelerator) if hosts else Hosts(device=accelerator)
            cut = Deployment(model=model, layout=Layout(tp=tp), hosts=hosts, rates=rates)
            flat = cls.of_deployment(cut)
            return replace(flat, per_sequence_s=flat.per_sequence_s + per_sequence_s)
        flops_per_s = accelerator.peak(precision) * arguments.positive("flops_share", flops_share)
        share = arguments.positive("bandwidth_share", bandwidth_share)
        bytes_per_s = accelerator.bandwidth_bytes_per_s * share
        return cls(
            base_s=overhead_s + model.layers * arguments.non_negative("per_layer_s", per_layer_s),
            weights_s=model.weight_bytes(bytes_per_weight) / bytes_per_s,
            per_linear_token_s=2 * model.active_parameters / flops_per_s,
            per_pair_s=model.attention_layers * flops_per_pair(model) / flops_per_s,
            per_sequence_s=per_sequence_s,
            per_context_token_s=model.kv_bytes_per_token(bytes_per_value) / bytes_per_s,
        )

    @classmethod
    def of_deployment(cls, deployment: Deployment, *, rows: int = 64) -> "StepCost":
        """One copy of ``deployment``, flattened for steps in which about ``rows`` sequences decode.

        A ``LayoutCost`` term by term, but for two that bend. Of routed experts every step reads the
        share that ``rows`` tokens touch by even picks: too much for a few sequences, too little
        beside a prompt. The all-reduces of decoding rows lie on the line through half and twice as
        many; a prompt's token adds its part of a long message.

        ``ValueError`` for what is no sum over tokens: pipelines, placed experts, windows, and rows
        that touch less than nine tenths of the weights.
        """
        stage, model, width = deployment.stage, deployment.model, deployment.rates.bytes_per_value
        step = stage.terms(Work(tokens=arguments.whole("rows", rows)))
        _require_flat(deployment, rows, step.read_weights_s * stage.bytes_per_s)
        few_s, many_s, long_s = (
            stage.all_reduces_s(Work(tokens=n)) for n in (rows / 2, 2 * rows, rows + _LONG_TOKENS)
        )
        reduce_row_s = (many_s - few_s) / (1.5 * rows)
        flop_s = 1 / (deployment.layout.cards_of_a_copy * stage.flops_per_s)
        read_s = model.kv_bytes_per_token(width) * stage.kv_share / stage.bytes_per_s
        return cls(
            base_s=step.launch_s + many_s - 2 * rows * reduce_row_s,
            per_prefill_token_s=(long_s - step.all_reduce_s) / _LONG_TOKENS,
            per_pair_s=model.attention_layers * flops_per_pair(model) * flop_s,
            per_sequence_s=reduce_row_s,
            per_context_token_s=max(read_s, decode_attention_flops(model, 1) * flop_s),
            weights_s=step.read_weights_s,
            per_linear_token_s=2 * model.active_parameters * flop_s,
        )

    @classmethod
    def fit(cls, shapes: Iterable[StepShape], times_s) -> "StepCost":
        """The linear cost that fits measured steps best: least squares of the relative errors.

        No coefficient gets negative: one that would is 0, and the others are fitted again. A
        quantity that never varies cannot be told from the base; it gets 0.
        """
        times = arguments.sample("times_s", times_s)
        rows = np.array([(1, *shape) for shape in shapes], dtype=float)
        if len(rows) != times.size or (times <= 0).any():
            raise ValueError(
                f"times_s has {times.size} values: expected {len(rows)}, one above 0 for each shape"
            )
        return cls(*_non_negative_fit(rows / times[:, None]))


def _require_flat(deployment: Deployment, rows: int, weight_bytes: float) -> None:
    layout, model = deployment.layout, deployment.model
    bends = {f"{name} = {getattr(layout, name)}": getattr(layout, name) > 1 for name in _BENDING}
    bends |= {"windows": model.windowed_layers, "an indexer": model.indexer}
    bends["linear attention"] = model.linear
    unread = weight_bytes < 0.9 * sum(deployment.stage.stored_bytes)
    bends[f"experts that {rows} rows leave unread"] = unread
    for what in filter(bends.get, bends):
        raise ValueError(
            f"deployment has {what}: expected none, since its steps then take no fixed time for "
            "each token; simulate it with LayoutCost(deployment)"
        )


def _non_negative_fit(rows: np.ndarray) -> list[float]:
    """Coefficients of at least 0 that make each row sum to about 1."""
    varies = np.ptp(rows / rows[:, :1], axis=0) > 0
    used = np.flatnonzero(varies | (np.arange(rows.shape[1]) == 0))
    while True:
        scale = np.abs(rows[:, used]).max(axis=0)
        fitted = np.linalg.lstsq(rows[:, used] / scale, np.ones(len(rows)), rcond=None)[0] / scale
        if (fitted >= 0).all():
            coefficients = np.zeros(rows.shape[1])
            coefficients[used] = fitted
            return coefficients.tolist()
        used = np.delete(used, np.argmin(fitted * scale))
