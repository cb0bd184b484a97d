"""A prefix that many prompts share: what caching it saves."""

from labutils.ground import arguments


def prefill_share_saved(hit_rate: float, shared_tokens: float, prompt_tokens: float) -> float:
    """Share of the prefill's linear arithmetic that is saved: hit rate · shared / prompt.

    ``prompt_tokens`` is the mean. Attention of the new tokens over the shared ones is still paid:
    ``prefill_flops(..., cached_tokens=…)`` counts it.
    """
    prompt = arguments.positive("prompt_tokens", prompt_tokens)
    shared = arguments.non_negative("shared_tokens", shared_tokens)
    hits = arguments.non_negative("hit_rate", hit_rate)
    if hits > 1:
        raise ValueError(f"hit_rate = {hit_rate!r}: expected a share, 0 to 1")
    if shared > prompt:
        raise ValueError(
            f"shared_tokens = {shared_tokens!r}: expected at most prompt_tokens = {prompt_tokens!r}"
        )
    return hits * shared / prompt
