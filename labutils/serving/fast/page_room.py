"""How many pages there is memory for."""

import torch

from labutils.measure.sharing import claim_memory_share

ON_A_PROCESSOR = 2**28
"""Bytes of keys and values where no device sets a limit: a quarter of a GiB."""


def pages_that_fit(model, page_tokens: int, max_sequences: int) -> int:
    """Pages of KV that ``max_sequences`` requests could ever fill, or that the memory takes.

    That is 80 % of what is free on a CUDA device, or of this learner's share of one that a class
    uses together, and ``ON_A_PROCESSOR`` elsewhere.
    """
    weights = next(model.parameters())
    most = ON_A_PROCESSOR
    if weights.device.type == "cuda":
        free, total = torch.cuda.mem_get_info(weights.device)
        share = claim_memory_share(str(weights.device)) or 1.0
        most = 0.8 * min(free, share * total - torch.cuda.memory_allocated(weights.device))
    bytes_per_page = page_tokens * model.spec.kv_bytes_per_token(weights.element_size())
    filled = max_sequences * -(-(model.spec.max_context or 2**20) // page_tokens)
    return max(1, min(filled, int(most // bytes_per_page)))
