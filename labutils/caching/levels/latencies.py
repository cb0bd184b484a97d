"""What a value costs from each level, through the whole way of a request."""

import time
from collections.abc import Awaitable, Callable
from itertools import count

import numpy as np

from labutils.ground.arguments import whole

from .stores.shared_store import SharedStore
from .three_levels import Answer, Compute, ThreeLevels

KEY = ("acme", "thing", "kept")
FOR_EVER_S, AT_ONCE_S = 600.0, 1e-9


async def level_latencies(
    store: SharedStore, compute: Compute, *, num_requests: int = 1_000
) -> dict[str, np.ndarray]:
    """Seconds of the answers from ``"process"``, ``"shared"`` and ``"compute"``.

    ``num_requests`` each, one at a time. The first two have their value; "shared" does not find it
    in the process, and "compute" asks for a new key each time, so it pays for both look-ups in
    vain. What another level answered, since the store is gone say, is left out: so there may be
    fewer, or none.
    """
    num_requests, new = whole("num_requests", num_requests), count()
    kept = ThreeLevels(store, process_ttl_s=FOR_EVER_S, ttl_s=FOR_EVER_S, timeout_s=1)
    looks = ThreeLevels(store, process_ttl_s=AT_ONCE_S, ttl_s=FOR_EVER_S, timeout_s=1)
    ways = {
        "process": lambda: kept.answer(KEY, compute),
        "shared": lambda: looks.answer(KEY, compute),
        "compute": lambda: kept.answer(("acme", "new", next(new)), compute),
    }
    took_s = {}
    for name, ask in ways.items():
        await ask()
        await kept.settle()  # the writes that stay behind the answers
        await looks.settle()
        took_s[name] = await _times(ask, name, num_requests)
    await kept.settle()
    return took_s


async def _times(ask: Callable[[], Awaitable[Answer]], level: str, num_requests: int) -> np.ndarray:
    took_s = []
    for _ in range(num_requests):
        begin_s = time.perf_counter()
        answer = await ask()
        end_s = time.perf_counter()
        if answer.level == level:
            took_s.append(end_s - begin_s)
    return np.array(took_s)
