"""Requests that come at given times, served by a batcher, on the virtual clock or the real one."""

import asyncio
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from labutils.serving.batcher.virtual_loop import run_virtually

GIVE_UP_S = 20.0  # of real time after the last arrival; a notebook must not hang on a lost request


@dataclass(frozen=True, eq=False)
class BatcherLoad:
    """What became of requests that came at ``arrival_s``, in order; times in seconds.

    ``finish_s`` is NaN for who got an error (whose ``errors`` are kept); ``batch_sizes`` are the
    model's calls, ``clock`` "virtual" or "real".
    """

    arrival_s: np.ndarray
    finish_s: np.ndarray
    batch_sizes: np.ndarray
    clock: str
    errors: tuple[Exception, ...] = field(repr=False, default=())

    @property
    def sojourn_time_s(self) -> np.ndarray:
        """From the intended arrival to the answer."""
        return self.finish_s - self.arrival_s

    @property
    def answered(self) -> np.ndarray:
        """Who got an answer."""
        return np.isfinite(self.finish_s)

    @property
    def mean_batch(self) -> float:
        """Requests per call of the model."""
        return float(self.batch_sizes.mean())


def batcher_load(
    make: Callable,
    arrival_s,
    batch_s: Callable,
    *,
    items=None,
    patience_s=None,
    clock: str = "virtual",
) -> BatcherLoad:
    """Offer requests in an open loop to the batcher ``make(model)``, and wait for all answers.

    ``batch_s(items)`` says how long the model takes for a list of ``items`` (one per arrival; their
    numbers where none are given); ``patience_s`` is each one's own patience, if they have any. On
    the "virtual" clock the loop's time jumps, and the run is exact and repeatable; on the "real"
    one the model sleeps in its thread, and timers, threads and Python take the time that they take.
    A notebook's own loop stands still meanwhile. Who has heard nothing on the real clock
    ``GIVE_UP_S`` after the last arrival gives up and counts as not answered.

    Raises ``ValueError`` for another ``clock``, and for arrivals that are not as many as the items.
    """
    arrivals = np.asarray(arrival_s, dtype=float)
    given = list(range(arrivals.size)) if items is None else list(items)
    options = [{"patience_s": own} for own in patience_s] if patience_s is not None else None
    options = options or [{}] * arrivals.size
    for name, values in (("items", given), ("patience_s", options)):
        if len(values) != arrivals.size:
            raise ValueError(f"{name} = {len(values)} of them: expected {arrivals.size}")
    if clock not in ("virtual", "real"):
        raise ValueError(f"clock = {clock!r}: expected 'virtual' or 'real'")
    main = partial(_offered, make, arrivals, batch_s, list(zip(given, options)), clock == "virtual")
    if clock == "virtual":
        return run_virtually(main())
    with ThreadPoolExecutor(max_workers=1) as thread:
        return thread.submit(lambda: asyncio.run(main())).result()


async def _offered(make, arrivals, batch_s, requests, virtual: bool) -> BatcherLoad:
    loop = asyncio.get_running_loop()
    finish_s, sizes, errors = np.full(arrivals.size, np.nan), [], []
    take = loop.work if virtual else time.sleep

    def model(batch):
        sizes.append(len(batch))
        take(batch_s(batch))
        return batch

    async def client(number: int) -> None:
        try:
            item, options = requests[number]
            await batcher.submit(item, **options)
            finish_s[number] = loop.time() - begin_s
        except Exception as error:
            errors.append(error)

    async with make(model) as batcher:
        begin_s, clients = loop.time(), []
        for number, at_s in enumerate(arrivals.tolist()):
            loop.call_at(
                begin_s + at_s, lambda n=number: clients.append(loop.create_task(client(n)))
            )
        await asyncio.sleep(float(arrivals[-1]))
        while len(clients) < arrivals.size:
            await asyncio.sleep(0)
        _, left = await asyncio.wait(clients, timeout=None if virtual else GIVE_UP_S)
        for waiting in left:
            waiting.cancel()
    clock = "virtual" if virtual else "real"
    return BatcherLoad(arrivals, finish_s, np.array(sizes, dtype=int), clock, tuple(errors))
