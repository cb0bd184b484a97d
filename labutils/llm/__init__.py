"""The physics of serving a language model: shapes, memory, roofline times, cost.

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
from .cost import cost_per_million_tokens
from .coverage import expert_coverage
from .decode import DecodeStep, decode_step
from .from_config import spec_from_config
from .limits import compute_ridge_batch, kv_equals_weights_tokens, max_sequences
from .prefill import PrefillFlops, prefill_flops, prefill_step, prefill_time_s
from .roofline import RooflineStep
from .spec import Experts, Latent, ModelSpec

__all__ = [
    "Accelerator",
    "DecodeStep",
    "Experts",
    "Latent",
    "ModelSpec",
    "PrefillFlops",
    "RooflineStep",
    "accelerator",
    "accelerator_names",
    "compute_ridge_batch",
    "cost_per_million_tokens",
    "decode_step",
    "expert_coverage",
    "kv_equals_weights_tokens",
    "max_sequences",
    "model",
    "model_names",
    "prefill_flops",
    "prefill_step",
    "prefill_time_s",
    "spec_from_config",
]
