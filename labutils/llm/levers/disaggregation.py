"""Prefill and decode on separate devices: how many of each, and what moving the cache takes."""

from labutils.ground import arguments
from labutils.llm.specification.spec import ModelSpec


def kv_transfer_time_s(
    model: ModelSpec,
    prompt_tokens: float,
    link_bytes_per_s: float,
    *,
    bytes_per_value: float = 2.0,
) -> float:
    """Seconds to move a prompt's cache over a link: kv(n) / link.

    ``link_bytes_per_s`` is what one direction carries (Zhong et al., DistServe, OSDI 2024, section
    3.3). Nothing is taken to overlap with the prefill.
    """
    link = arguments.positive("link_bytes_per_s", link_bytes_per_s)
    return model.kv_bytes(prompt_tokens, bytes_per_value) / link


def prefill_workers_per_decode_worker(
    *, prefill_s: float, batch: int, output_tokens: float, tpot_s: float
) -> float:
    """Prefill workers that keep one decode worker full: t_pre · B / (n · TPOT).

    Each of ``batch`` seats is free again after n · TPOT seconds, and filling it takes a prefill
    worker ``prefill_s``. Both sides are then equally busy; neither has room for bursts.
    """
    filling = arguments.positive("prefill_s", prefill_s)
    seats = arguments.whole("batch", batch)
    tokens = arguments.positive("output_tokens", output_tokens)
    return filling * seats / (tokens * arguments.positive("tpot_s", tpot_s))
