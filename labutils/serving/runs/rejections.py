"""Why requests of a run were rejected, in words."""

from collections.abc import Mapping

import numpy as np

from labutils.engine import Request, RequestTooLong


def rejections(rejected: np.ndarray, source, output_tokens, max_output_tokens, pool) -> str:
    """Some sentences on the requests whose rows are ``rejected``; empty if none is.

    ``source`` and the two lengths are those of ``simulate``, ``pool`` is what refused them. Some
    may have been refused for an answer that they ask for and never give: that is said too.
    """
    rows = np.flatnonzero(rejected).tolist()
    if not rows:
        return ""
    if hasattr(source, "prompt_tokens"):
        prompts, answers = source.prompt_tokens, source.output_tokens
        asked = np.full(len(answers), max_output_tokens or answers.max())
    else:
        prompts = [request.prompt_tokens for request in source]
        asked = [request.max_output_tokens for request in source]
        answers = asked if output_tokens is None else output_tokens
    largest = max(int(prompts[row] + asked[row]) for row in rows)
    text = (
        f"{len(rows)} of {len(rejected)} requests were rejected: with the longest answer that each "
        f"asks for, up to {largest:,} tokens in all, it could outgrow the whole memory."
    )
    fit = sum(_fits(pool, int(prompts[row]), int(answers[row])) for row in rows)
    if fit:
        text += (
            f" {fit} of them would fit with the answers that they get. A trace lets each ask for "
            "its longest answer; requests bring a max_output_tokens of their own."
        )
    return text


def refusals_in_words(refusals: Mapping, requests: int) -> str:
    """A sentence on the requests that a policy refused, with the first of its answers."""
    if not refusals:
        return ""
    first = next(iter(refusals.values()))
    return f"{len(refusals)} of {requests} requests were refused by the policy, the first: {first}."


def _fits(pool, prompt_tokens: int, output_tokens: int) -> bool:
    try:
        pool.refuse_too_long(Request("", prompt_tokens, output_tokens))
    except RequestTooLong:
        return False
    return True
