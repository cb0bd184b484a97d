"""The columns that a compiled run starts from, checked before it begins."""

from collections.abc import Hashable, Sequence
from typing import NamedTuple

import numpy as np

from labutils.serving.runs.arrivals import most_of_trace, requests_and_lengths
from labutils.workload.key_numbers import KeyNumbers


class Job(NamedTuple):
    """One row for each request, in order of arrival; ``most`` are tokens that it may grow to.

    ``keys`` names blocks of ``key_tokens``; None where nothing has a name.
    """

    ids: Sequence[Hashable]
    arrival_s: np.ndarray
    prompt: np.ndarray
    output: np.ndarray
    most: np.ndarray
    keys: KeyNumbers | None
    key_tokens: int


def job_of(source, output_tokens, max_output_tokens, page_tokens: int) -> Job:
    """The columns of a trace or of requests. ``ValueError`` names the first bad row."""
    if hasattr(source, "prompt_tokens"):
        job = _of_trace(source, most_of_trace(source, output_tokens, max_output_tokens))
    else:
        job = _of_requests(*_columns(source, output_tokens, max_output_tokens), page_tokens)
    _check_order(job.arrival_s)
    return job


def _of_trace(trace, most: int) -> Job:
    columns = (np.asarray(trace.arrival_s, float), *map(np.asarray, _lengths(trace)))
    for name, column in zip(("prompt_tokens", "output_tokens"), columns[1:]):
        bad = np.flatnonzero(column < 1)
        if bad.size:
            raise ValueError(f"{name}[{bad[0]}] = {column[bad[0]]}: expected at least 1")
    named = getattr(trace, "prefix_keys", None) is not None
    keys, key_tokens = (trace.key_numbers, trace.prefix_page_tokens) if named else (None, 1)
    return Job(range(len(trace)), *columns, columns[1] + most, keys, key_tokens)


def _lengths(trace) -> tuple:
    return trace.prompt_tokens, trace.output_tokens


def _columns(source, output_tokens, max_output_tokens) -> tuple[list, np.ndarray, np.ndarray]:
    """Requests, their lengths [3, n] (prompt, most of the answer, answer) and their arrivals.

    All are checked at once; only if something is wrong they are looked at one by one, to name it.
    """
    requests = list(source)
    given = [one.max_output_tokens for one in requests] if output_tokens is None else output_tokens
    try:
        prompts, longest = ([getattr(r, name) for r in requests] for name in _LENGTHS)
        lengths = np.array([prompts, longest, list(given)])
        arrival_s = np.array([one.arrival_s for one in requests], dtype=float)
        good = lengths.dtype.kind == "i" and (lengths[2] <= lengths[1]).all() and lengths.min() > 0
    except (TypeError, ValueError):  # columns of unequal length among others
        good = False
    if not (good or not requests) or max_output_tokens is not None:
        requests, given = requests_and_lengths(requests, output_tokens, max_output_tokens)
        lengths = np.array([[int(getattr(r, n)) for r in requests] for n in _LENGTHS] + [given])
        arrival_s = np.array([one.arrival_s for one in requests], dtype=float)
    return requests, lengths.astype(np.int64), arrival_s


_LENGTHS = ("prompt_tokens", "max_output_tokens")


def _of_requests(requests, lengths: np.ndarray, arrival_s: np.ndarray, page_tokens: int) -> Job:
    prompt, longest, output = lengths.reshape(3, -1)
    ids = tuple(one.id for one in requests)
    if len(set(ids)) < len(ids):
        twice = next(one for at, one in enumerate(ids) if one in ids[:at])
        raise ValueError(f"id = {twice!r}: expected another one for each request")
    keys = None
    if any(one.keys for one in requests):
        keys = KeyNumbers.of([one.keys[: one.prompt_tokens // page_tokens] for one in requests])
    return Job(ids, arrival_s, prompt, output, prompt + longest, keys, page_tokens)


def _check_order(arrival_s: np.ndarray) -> None:
    bad = np.flatnonzero(~np.isfinite(arrival_s) | (np.diff(arrival_s, prepend=-np.inf) < 0))
    if bad.size:
        raise ValueError(
            f"arrival_s[{bad[0]}] = {arrival_s[bad[0]]}: expected a finite time, not before that "
            "of the request in front of it"
        )
