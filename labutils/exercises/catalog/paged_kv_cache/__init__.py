"""Exercises and predictions of lab 5, the paged KV cache."""

from labutils.exercises.definition.exercise import Prediction

from .allocator import ALLOCATOR
from .eviction import EVICTION
from .field import BUGS
from .paged_attention import ATTENTION, SLOTS, WRITE
from .practice import POOLS, SIXTEEN_KB
from .sharing import FIND, SHARING

ORDER = 15
TITLE = "Paged KV cache"

EXERCISES = (
    ALLOCATOR, SLOTS, WRITE, ATTENTION, FIND, SHARING, EVICTION, BUGS, SIXTEEN_KB, POOLS,
)  # fmt: skip

PREDICTIONS = (
    Prediction(
        id="paged.more",
        question=(
            "The same bytes, the same requests: how many requests are inside at a time with pages "
            "of 16 tokens, for each one with a slot of 256?"
        ),
        unit="1",
        at_least=0,
        explanation=(
            "A slot is as long as the longest request that is allowed; a table is as long as what "
            "has been written so far, rounded up to a page. The ratio is about 256 over the mean "
            "of what a request holds, and less where not enough wait to fill the memory."
        ),
    ),
    Prediction(
        id="paged.step",
        question=(
            "Attention of one decode step, sixteen sequences of equal length: how long with pages, "
            "for each millisecond with caches in one piece?"
        ),
        unit="1",
        at_least=0,
        explanation=(
            "The scores and the mixing are the same numbers in the same amount. What is added is "
            "finding and copying every key and value, so the ratio is above 1; how far above, "
            "depends on the machine and on the path."
        ),
    ),
)
