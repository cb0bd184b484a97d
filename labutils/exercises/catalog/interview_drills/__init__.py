"""The two code drills of the interview notebook."""

from .allocator import ALLOCATOR
from .batcher import BATCHER

ORDER = 90
TITLE = "Interview drills"

EXERCISES = (BATCHER, ALLOCATOR)
