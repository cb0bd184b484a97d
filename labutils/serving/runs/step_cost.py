"""How long a step takes: a sum over what is in it."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from labutils.ground import arguments
from labutils.llm.steps.attention import flops_per_pair
from labutils.serving.scheduling.step_shape import StepShape


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
    ) -> "StepCost":
        """The cost of a ``labutils.llm`` model on an accelerator, from bytes and operations.

        Kernel by kernel the longer of reading and computing counts (chapter 05's roofline): reading
        the weights, or multiplying every token of the step with them, prompt or answer. Attention
        has kernels of its own, whose time is added: a context token its KV bytes, a pair of a
        prompt its operations. ``overhead_s`` of host and launches is the base.

        Windows and an indexer's choice are left out, so that real steps of such models are shorter.
        Left out, so that real steps are longer: kernels that neither read nor multiply, the KV
        bytes that a chunk reads of its own earlier ones, and that no kernel overlaps perfectly.
        """
        flops_per_s = accelerator.peak(precision) * arguments.positive("flops_share", flops_share)
        share = arguments.positive("bandwidth_share", bandwidth_share)
        bytes_per_s = accelerator.bandwidth_bytes_per_s * share
        return cls(
            base_s=overhead_s,
            weights_s=model.weight_bytes(bytes_per_weight) / bytes_per_s,
            per_linear_token_s=2 * model.active_parameters / flops_per_s,
            per_pair_s=model.attention_layers * flops_per_pair(model) / flops_per_s,
            per_sequence_s=per_sequence_s,
            per_context_token_s=model.kv_bytes_per_token(bytes_per_value) / bytes_per_s,
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
