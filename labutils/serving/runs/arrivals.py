"""What comes in: requests in order of arrival, each with the length that its answer will have.

The length travels beside the request, so that no scheduler can look at it.
"""

import math
from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np

from labutils.engine import Request
from labutils.ground import arguments
from labutils.serving.memory.trace_keys import trace_keys


def arrivals_of(
    source, output_tokens=None, max_output_tokens=None, *, page_tokens: int | None = None
) -> tuple[Iterator[tuple[Request, int]], int]:
    """Pairs (request, tokens of its answer) from a trace or from requests, and their number.

    A trace brings the lengths of its answers; ``max_output_tokens`` is what each request asks for
    (default: the longest answer of the trace). Its requests get names for their pages of
    ``page_tokens``, where it knows any (None: no names). For requests, ``output_tokens`` has one
    length each (default: what they ask for); they are copied. ``ValueError`` names the first bad
    row.
    """
    if hasattr(source, "prompt_tokens"):
        most = most_of_trace(source, output_tokens, max_output_tokens)
        return _from_trace(source, most, page_tokens), len(source)
    requests, lengths = requests_and_lengths(source, output_tokens, max_output_tokens)
    fresh = ((_fresh(request), length) for request, length in zip(requests, lengths))
    return fresh, len(requests)


def patience_of_each(patience_s, requests: int) -> list[float]:
    """Seconds that the client of each request waits, from one number or one for each."""
    column = np.asarray(patience_s, dtype=float)
    if column.shape not in ((), (requests,)):
        raise ValueError(
            f"patience_s has shape {column.shape}: expected a number, or one for each of "
            f"{requests} requests"
        )
    bad = np.flatnonzero(~(column > 0))
    if bad.size:
        name = f"patience_s[{bad[0]}]" if column.ndim else "patience_s"
        raise ValueError(f"{name} = {column.flat[bad[0]]}: expected a number above 0, or infinity")
    return np.broadcast_to(column, requests).tolist()


def requests_and_lengths(
    source, output_tokens=None, max_output_tokens=None
) -> tuple[list[Request], list[int]]:
    """Requests and the lengths of their answers, checked."""
    if max_output_tokens is not None:
        raise ValueError(
            "max_output_tokens is given: expected None, since requests bring their own"
        )
    requests = list(source)
    if output_tokens is None:
        output_tokens = [request.max_output_tokens for request in requests]
    lengths = [int(n) for n in output_tokens]
    if len(lengths) != len(requests):
        raise ValueError(
            f"output_tokens has {len(lengths)} lengths: expected one for each of "
            f"{len(requests)} requests"
        )
    for request, tokens in zip(requests, lengths):
        _check(request, tokens)
    for before, after in pairwise(requests):
        if not after.arrival_s >= before.arrival_s:
            raise ValueError(
                f"arrival_s = {after.arrival_s} of request {after.id!r}: expected requests in "
                f"order of arrival, not before {before.arrival_s}"
            )
    return requests, lengths


def most_of_trace(trace, output_tokens, max_output_tokens) -> int:
    """How long an answer each request of a trace asks for."""
    if output_tokens is not None:
        raise ValueError("output_tokens is given: expected None, since a trace brings its own")
    if len(trace) and trace.arrival_s[0] < 0:
        raise ValueError(
            f"arrival_s[0] = {trace.arrival_s[0]}: expected moments from 0 on, where the clock "
            "begins"
        )
    longest = int(np.max(trace.output_tokens, initial=1))
    if max_output_tokens is None:
        return longest
    most = arguments.whole("max_output_tokens", max_output_tokens)
    if most < longest:
        raise ValueError(
            f"max_output_tokens = {most}: expected at least {longest}, the trace's longest answer"
        )
    return most


def _check(request: Request, tokens: int) -> None:
    request.check()
    if not 0 <= request.arrival_s < math.inf:
        raise ValueError(
            f"arrival_s = {request.arrival_s} of request {request.id!r}: expected a finite moment "
            "from 0 on, where the clock begins"
        )
    if not 1 <= tokens <= request.max_output_tokens:
        raise ValueError(
            f"output_tokens = {tokens} of request {request.id!r}: expected from 1 to its "
            f"max_output_tokens = {request.max_output_tokens}"
        )


def _fresh(request: Request) -> Request:
    """A request as it was before anything ran, so that the caller's list can be simulated again."""
    return Request(
        request.id, request.prompt_tokens, request.max_output_tokens, request.arrival_s,
        keys=request.keys, priority=request.priority,
    )  # fmt: skip


def _from_trace(trace, most: int, page_tokens: int | None) -> Iterator[tuple[Request, int]]:
    """Requests are made one by one as they arrive, so that a million need little memory."""
    names: Sequence = getattr(trace, "prefix_keys", None) or ()
    named = bool(len(names)) and page_tokens is not None
    columns = (trace.arrival_s.tolist(), trace.prompt_tokens.tolist(), trace.output_tokens.tolist())
    for row, (arrival_s, prompt, output) in enumerate(zip(*columns)):
        keys = ()
        if named:
            keys = trace_keys(names[row], trace.prefix_page_tokens, prompt, page_tokens)
        yield Request(row, prompt, most, arrival_s, keys=keys), output
