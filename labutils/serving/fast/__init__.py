"""What makes ``labutils.engine`` fast, and what watches it: all of it added from outside.

1. ``engine``: the engine whose next step is planned while this one runs
2. ``account``, ``flight``: what each step took; a step whose tokens are still to be read
3. ``packed_linear``: weights in the order in which a processor reads them
4. ``paths``, ``parts``, ``flex``, ``triton_path``, ``triton_kernel``: other ways to attend
5. ``step_graphs``: decode steps as CUDA graphs; ``page_room``: how many pages there is memory for
"""

from typing import TYPE_CHECKING

from labutils.ground.lazy import lazily

if TYPE_CHECKING:
    from .account import StepRecord
    from .fast_engine import FastEngine
    from .packed_linear import packed
    from .page_room import pages_that_fit
    from .paths import attention_path, best_path, row_attention

_HOME = {
    "FastEngine": "fast_engine",
    "StepRecord": "account",
    "attention_path": "paths",
    "best_path": "paths",
    "packed": "packed_linear",
    "pages_that_fit": "page_room",
    "row_attention": "paths",
}

__all__ = [
    "FastEngine", "StepRecord", "attention_path", "best_path", "packed", "pages_that_fit",
    "row_attention",
]  # fmt: skip
__getattr__, __dir__ = lazily(__name__, _HOME)
