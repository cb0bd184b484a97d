"""How many experts a batch wakes up, and what their weights weigh."""

import numpy as np

from labutils.ground import arguments


def expert_coverage(num_experts: int, per_token: int, tokens):
    """Expected number of distinct experts that ``tokens`` tokens visit in one layer.

    Each token picks ``per_token`` of ``num_experts`` evenly and independently of the others, so an
    expert is left out with probability (1 − k/E)^tokens:

    >>> round(expert_coverage(128, 8, 32), 1)
    111.8

    ``tokens`` may be an array. Real routers are less even and wake fewer.
    """
    total = arguments.whole("num_experts", num_experts)
    chosen = arguments.whole("per_token", per_token)
    if chosen > total:
        raise ValueError(f"per_token = {per_token!r}: expected at most num_experts = {total}")
    count = np.asarray(tokens, dtype=float)
    if not (np.isfinite(count) & (count >= 0)).all():
        raise ValueError(f"tokens = {tokens!r}: expected finite numbers of at least 0")
    covered = total * (1 - (1 - chosen / total) ** count)
    return covered if count.ndim else float(covered)


def touched_weight_bytes(
    model, tokens: float, bytes_per_weight: float, expert_bytes_per_weight: float | None = None
) -> float:
    """Expected bytes of weights that a step with ``tokens`` tokens reads: all, without experts.

    Router, shared experts, attention and both embedding tables are read whole.
    """
    stored = model.weight_bytes(bytes_per_weight, expert_bytes_per_weight=expert_bytes_per_weight)
    experts = model.experts
    if not experts:
        return stored
    width = bytes_per_weight if expert_bytes_per_weight is None else expert_bytes_per_weight
    idle = 1 - expert_coverage(experts.num, experts.per_token, tokens) / experts.num
    return stored - idle * model.expert_parameters * width
