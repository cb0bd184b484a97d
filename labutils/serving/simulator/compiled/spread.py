"""Numbers for the pages of prompts, from those of a trace's blocks of another size."""

import numpy as np

from labutils.ground import arguments
from labutils.simulation.queues.compiled import compiled

from .job import Job


def names_of(job: Job, page_tokens: int) -> tuple[np.ndarray, np.ndarray]:
    """Where each request's pages begin, and the numbers of their names, as ``trace_keys`` tells it.

    Smaller pages split a block, larger ones take the number of their last block; pages that the
    prompt does not fill get none. ``ValueError`` unless one of the two sizes divides the other.
    """
    page_tokens, key_tokens = arguments.whole("page_tokens", page_tokens), job.key_tokens
    if page_tokens % key_tokens and key_tokens % page_tokens:
        raise ValueError(
            f"page_tokens = {page_tokens}: expected a divisor or a multiple of the trace's "
            f"{key_tokens} tokens per key"
        )
    parts, blocks = max(key_tokens // page_tokens, 1), max(page_tokens // key_tokens, 1)
    known = np.diff(job.keys.starts) * parts // blocks
    starts = np.zeros(len(job.ids) + 1, dtype=np.int64)
    np.cumsum(np.minimum(job.prompt // page_tokens, known), out=starts[1:])
    if job.keys.count * parts >= 2**31:
        raise ValueError(f"{job.keys.count * parts} names of pages: expected fewer than {2**31}")
    names = np.empty(int(starts[-1]), dtype=np.int32)
    spread(starts, names, job.keys.starts, job.keys.numbers, parts, blocks)
    return starts, names


@compiled
def spread(starts, names, key_starts, keys, parts, blocks):
    """Fill ``names`` for requests whose pages begin at ``starts``."""
    for row in range(starts.size - 1):
        for page in range(starts[row + 1] - starts[row]):
            block = key_starts[row] + (page // parts if blocks == 1 else (page + 1) * blocks - 1)
            names[starts[row] + page] = keys[block] * parts + page % parts
