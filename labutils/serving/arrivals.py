"""What comes in: requests in order of arrival, each with the length that its answer will have.

The length travels beside the request, so that no scheduler can look at it.
"""

from collections.abc import Iterable, Iterator
from functools import partial
from itertools import pairwise

import numpy as np

from labutils import arguments

from .keys import trace_keys
from .request import Request

NEVER = float("inf")


def arrivals_of(
    source, output_tokens=None, max_output_tokens=None
) -> tuple[Iterator[tuple[Request, int]], int]:
    """Pairs (request, tokens of its answer) from a trace or from requests, and their number.

    A trace brings the lengths of its answers; ``max_output_tokens`` is what each request asks for
    (default: the longest answer of the trace). For requests, ``output_tokens`` has one length each
    (default: what they ask for). Raises ``ValueError`` naming the first bad row.
    """
    if hasattr(source, "prompt_tokens"):
        if output_tokens is not None:
            raise ValueError("output_tokens is given: expected None, since a trace brings its own")
        return _from_trace(source, max_output_tokens), len(source)
    if max_output_tokens is not None:
        raise ValueError(
            "max_output_tokens is given: expected None, since requests bring their own"
        )
    requests = list(source)
    return _from_requests(requests, output_tokens), len(requests)


def _from_requests(requests: list[Request], output_tokens) -> Iterator[tuple[Request, int]]:
    if output_tokens is None:
        output_tokens = [request.max_output_tokens for request in requests]
    lengths = [int(n) for n in output_tokens]
    if len(lengths) != len(requests):
        raise ValueError(
            f"output_tokens has {len(lengths)} lengths: expected one for each of "
            f"{len(requests)} requests"
        )
    for request, tokens in zip(requests, lengths):
        if not 1 <= tokens <= request.max_output_tokens:
            raise ValueError(
                f"output_tokens = {tokens} of request {request.id!r}: expected from 1 to its "
                f"max_output_tokens = {request.max_output_tokens}"
            )
    for before, after in pairwise(requests):
        if after.arrival_s < before.arrival_s:
            raise ValueError(
                f"arrival_s = {after.arrival_s} of request {after.id!r}: expected requests in "
                f"order of arrival, not before {before.arrival_s}"
            )
    return iter(zip(requests, lengths))


def _from_trace(trace, max_output_tokens) -> Iterator[tuple[Request, int]]:
    """Requests are made one by one as they arrive, so that a million need little memory."""
    longest = int(np.max(trace.output_tokens))
    if max_output_tokens is None:
        max_output_tokens = longest
    most = arguments.whole("max_output_tokens", max_output_tokens)
    if most < longest:
        raise ValueError(
            f"max_output_tokens = {most}: expected at least {longest}, the trace's longest answer"
        )
    keys = getattr(trace, "prefix_keys", None)
    columns = (trace.arrival_s.tolist(), trace.prompt_tokens.tolist(), trace.output_tokens.tolist())
    if keys is None:
        return (
            (Request(row, prompt, most, arrival_s), output)
            for row, (arrival_s, prompt, output) in enumerate(zip(*columns))
        )
    return (
        (Request(row, prompt, most, arrival_s, _keys(trace, keys[row], prompt)), output)
        for row, (arrival_s, prompt, output) in enumerate(zip(*columns))
    )


def _keys(trace, keys: Iterable, prompt_tokens: int):
    return partial(_trace_keys, keys, trace.prefix_page_tokens, prompt_tokens)


def _trace_keys(keys, key_tokens, prompt_tokens, page_tokens):
    return trace_keys(keys, key_tokens, prompt_tokens, page_tokens)
