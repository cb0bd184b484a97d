"""Chunked prefill: how many prompt tokens a step may carry, and what that costs the prompt."""

import math

from labutils.ground import arguments
from labutils.llm.specification.accelerator import Accelerator
from labutils.llm.specification.spec import ModelSpec


def prefill_chunk_tokens(
    model: ModelSpec,
    accelerator: Accelerator,
    *,
    itl_s: float,
    decode_step_s: float,
    flops_share: float = 0.5,
    precision: str = "bf16",
) -> float:
    """Prompt tokens that fit into a step beside the decodes: (T − t_dec) · F · share / (2P).

    The linear part of the arithmetic alone, put on top of the decode step: reading and computing
    overlap on a device, so this is on the safe side; attention over a long prompt takes some back
    (Agrawal et al., Sarathi-Serve, OSDI 2024). 0 where the decode step alone reaches the target.
    """
    target = arguments.positive("itl_s", itl_s)
    spare = target - arguments.non_negative("decode_step_s", decode_step_s)
    rate = accelerator.peak(precision) * arguments.share("flops_share", flops_share)
    return max(0.0, spare) * rate / (2 * model.active_parameters)


def chunked_prefill_s(prompt_tokens: int, chunk_tokens: int, step_s: float) -> float:
    """Seconds until a prompt's first token, alone in the queue: ⌈n / chunk⌉ steps.

    The first token needs the last chunk: chunks shorten nobody's own prefill.
    """
    chunk = arguments.whole("chunk_tokens", chunk_tokens)
    steps = math.ceil(arguments.whole("prompt_tokens", prompt_tokens) / chunk)
    return steps * arguments.positive("step_s", step_s)
