"""The physics of serving a language model: shapes, memory, roofline times, cost, levers.

>>> from labutils import llm
>>> spec, device = llm.model("Llama-3.1-8B"), llm.accelerator("H100 SXM")
>>> round(llm.decode_step(spec, device, 32, 1024).tokens_per_s)
5266
>>> llm.max_sequences(spec, 80e9, 4096)
104

All times are lower bounds at peak figures, unless a share of the peak is given. GB = 10⁹ bytes.
The rooms, in order: ``specification`` (models and devices), ``steps`` (how long a step takes at
least), ``memory`` (what fits), ``levers`` (what makes it faster); and ``layouts`` (one model on
several cards), which has a door of its own.
"""

from labutils.llm.levers.disaggregation import kv_transfer_time_s, prefill_workers_per_decode_worker
from labutils.llm.levers.parallel import (
    ParallelStep,
    all_reduce_time_s,
    ring_rate,
    tensor_parallel_step,
)
from labutils.llm.levers.prefix import prefill_share_saved
from labutils.llm.levers.quantisation import decode_bytes_ratio, stored_bytes_per_weight
from labutils.llm.levers.speculation import speculation_speedup, tokens_per_verification
from labutils.llm.memory.kv_pages import empty_slots, mean_empty_slots, pages_for, reserved_waste
from labutils.llm.memory.limits import (
    compute_ridge_batch,
    kv_equals_weights_tokens,
    max_sequences,
    model_ridge_batch,
)
from labutils.llm.memory.objective import BatchLimits, batch_limits
from labutils.llm.specification.accelerator import Accelerator
from labutils.llm.specification.catalog import accelerator, accelerator_names, model, model_names
from labutils.llm.specification.from_config import spec_from_config
from labutils.llm.specification.spec import (
    Experts,
    Indexer,
    Latent,
    LinearAttention,
    ModelSpec,
)
from labutils.llm.steps.attention import causal_pairs, flops_per_pair
from labutils.llm.steps.chunks import chunked_prefill_s, prefill_chunk_tokens
from labutils.llm.steps.cost import cost_per_million_tokens
from labutils.llm.steps.coverage import expert_coverage
from labutils.llm.steps.decode import DecodeStep, decode_step
from labutils.llm.steps.prefill import PrefillFlops, prefill_flops, prefill_step, prefill_time_s
from labutils.llm.steps.roofline import RooflineStep
from labutils.llm.steps.stream import stream_duration_s, tpot_for_duration_s

__all__ = [
    "Accelerator",
    "BatchLimits",
    "DecodeStep",
    "Experts",
    "Indexer",
    "Latent",
    "LinearAttention",
    "ModelSpec",
    "ParallelStep",
    "PrefillFlops",
    "RooflineStep",
    "accelerator",
    "accelerator_names",
    "all_reduce_time_s",
    "batch_limits",
    "causal_pairs",
    "chunked_prefill_s",
    "compute_ridge_batch",
    "cost_per_million_tokens",
    "decode_bytes_ratio",
    "decode_step",
    "empty_slots",
    "expert_coverage",
    "flops_per_pair",
    "kv_equals_weights_tokens",
    "kv_transfer_time_s",
    "max_sequences",
    "mean_empty_slots",
    "model",
    "model_names",
    "model_ridge_batch",
    "pages_for",
    "prefill_chunk_tokens",
    "prefill_flops",
    "prefill_share_saved",
    "prefill_step",
    "prefill_time_s",
    "prefill_workers_per_decode_worker",
    "reserved_waste",
    "ring_rate",
    "spec_from_config",
    "speculation_speedup",
    "stored_bytes_per_weight",
    "stream_duration_s",
    "tensor_parallel_step",
    "tokens_per_verification",
    "tpot_for_duration_s",
]
