"""The code drills of the interview notebook; those after the second have a room each."""

from .allocator import ALLOCATOR
from .batcher import BATCHER
from .bounded_ring import ROUTER
from .expiring_cache import CACHE
from .fair_shares import FAIR
from .token_bucket import LIMITER

ORDER = 90
TITLE = "Interview drills"
MINUTES = 150

EXERCISES = (BATCHER, ALLOCATOR, LIMITER, CACHE, ROUTER, FAIR)
