"""Where a batch stops being cheap: the two ridges, and the memory that is left for caches."""

import math

from labutils.ground import arguments
from labutils.llm.specification.accelerator import Accelerator
from labutils.llm.specification.spec import ModelSpec
from labutils.llm.steps.coverage import touched_weight_bytes


def compute_ridge_batch(
    accelerator: Accelerator, bytes_per_weight: float = 2.0, precision: str = "bf16"
) -> float:
    """The batch from which arithmetic outlasts the reading of the weights: F·b / (2·BW).

    Of a dense model with short contexts: a cache is read too, and with experts each of them sees
    only its part of the batch, so that the ridge lies further out.
    """
    width = arguments.positive("bytes_per_weight", bytes_per_weight)
    return accelerator.ridge(precision) * width / 2


def model_ridge_batch(
    model: ModelSpec,
    accelerator: Accelerator,
    *,
    bytes_per_weight: float = 2.0,
    precision: str = "bf16",
) -> float:
    """``compute_ridge_batch`` of a model: with experts, all weights are read for a few visited.

    F·b / (2·BW) · parameters / active parameters, contexts short and every expert touched. Without
    experts the last factor is 1.
    """
    ridge = compute_ridge_batch(accelerator, bytes_per_weight, precision)
    return ridge * model.parameters / model.active_parameters


def kv_equals_weights_tokens(
    model: ModelSpec,
    *,
    bytes_per_weight: float = 2.0,
    bytes_per_value: float = 2.0,
    batch: int | None = None,
) -> float:
    """Cached tokens in the whole batch (B·C) at which a step reads as much cache as weights.

    Windows are left out: the figure holds for contexts shorter than the window. With experts,
    ``batch`` tokens touch only some of them; without it all weights count.
    """
    weights = model.weight_bytes(bytes_per_weight)
    if batch is not None:
        size = arguments.whole("batch", batch)
        weights = touched_weight_bytes(model, size, bytes_per_weight)
    return weights / model.kv_bytes_per_token(bytes_per_value)


def max_sequences(
    model: ModelSpec,
    memory_bytes: float,
    context_tokens: float,
    *,
    usable_share: float = 0.9,
    bytes_per_weight: float = 2.0,
    bytes_per_value: float = 2.0,
    overhead_bytes: float = 0.0,
    expert_bytes_per_weight: float | None = None,
) -> int:
    """How many sequences of ``context_tokens`` fit beside the weights (0 if those do not fit).

    ⌊(usable share · memory − weights − overhead) / cache of one sequence⌋, all in bytes: pass
    ``80e9`` for 80 GB and ``80 * 2**30`` for 80 GiB.
    """
    memory = arguments.positive("memory_bytes", memory_bytes)
    usable = arguments.share("usable_share", usable_share) * memory
    context = arguments.positive("context_tokens", context_tokens)
    overhead = arguments.non_negative("overhead_bytes", overhead_bytes)
    held = model.weight_bytes(bytes_per_weight, expert_bytes_per_weight=expert_bytes_per_weight)
    left = usable - held - overhead
    return max(0, math.floor(left / model.kv_bytes(context, bytes_per_value)))
