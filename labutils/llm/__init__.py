"""The physics of serving a language model: shapes, memory, roofline times, cost, levers.

>>> from labutils import llm
>>> spec, device = llm.model("Llama-3.1-8B"), llm.accelerator("H100 SXM")
>>> round(llm.decode_step(spec, device, 32, 1024).tokens_per_s)
5266
>>> llm.max_sequences(spec, 80e9, 4096)
104

All times are lower bounds at peak figures, unless a share of the peak is given. GB = 10⁹ bytes.
"""

from .accelerator import Accelerator
from .catalog import accelerator, accelerator_names, model, model_names
from .chunks import chunked_prefill_s, prefill_chunk_tokens
from .cost import cost_per_million_tokens
from .coverage import expert_coverage
from .decode import DecodeStep, decode_step
from .disaggregation import kv_transfer_time_s, prefill_workers_per_decode_worker
from .from_config import spec_from_config
from .limits import (
    compute_ridge_batch,
    kv_equals_weights_tokens,
    max_sequences,
    model_ridge_batch,
)
from .objective import BatchLimits, batch_limits
from .pages import empty_slots, mean_empty_slots, pages_for, reserved_waste
from .parallel import ParallelStep, all_reduce_time_s, ring_rate, tensor_parallel_step
from .prefill import PrefillFlops, prefill_flops, prefill_step, prefill_time_s
from .prefix import prefill_share_saved
from .quantisation import decode_bytes_ratio, stored_bytes_per_weight
from .roofline import RooflineStep
from .spec import Experts, Latent, ModelSpec
from .speculation import speculation_speedup, tokens_per_verification
from .stream import stream_duration_s, tpot_for_duration_s

__all__ = [
    "Accelerator",
    "BatchLimits",
    "DecodeStep",
    "Experts",
    "Latent",
    "ModelSpec",
    "ParallelStep",
    "PrefillFlops",
    "RooflineStep",
    "accelerator",
    "accelerator_names",
    "all_reduce_time_s",
    "batch_limits",
    "chunked_prefill_s",
    "compute_ridge_batch",
    "cost_per_million_tokens",
    "decode_bytes_ratio",
    "decode_step",
    "empty_slots",
    "expert_coverage",
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
