"""A service behind a cache, and what becomes of it when the cache is emptied.

>>> import numpy as np
>>> service = CachedService()
>>> draws = flush_draws(service, 600, np.random.default_rng(7))
>>> dead = run_flush(service, draws, duration_s=600, flush_s=60)
>>> remedy = Remedy(from_s=180, single_flight=True)
>>> alive = run_flush(service, draws, duration_s=600, flush_s=60, remedy=remedy)
>>> dead.back_at_s, 180 < alive.back_at_s < 360
(inf, True)

The outage is metastable (Bronson et al., HotOS 2021): the flush triggers it, and it sustains
itself. Every answer comes after its client has left, so nothing fills the cache, and the misses
keep the queue too long for an answer in time.

Read ``service`` (the numbers, the remedies), ``flush_twin`` (the story in SimPy),
``flush_kernels`` (the same as a loop) and ``flush_run`` (one run, second by second).
"""

from labutils.simulation.flush.flush_run import FlushRun, run_flush
from labutils.simulation.flush.service import CachedService, FlushDraws, Remedy, flush_draws

__all__ = ["CachedService", "FlushDraws", "FlushRun", "Remedy", "flush_draws", "run_flush"]
