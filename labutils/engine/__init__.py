"""One small engine that serves a language model: continuous batching over a paged KV cache.

Read it in this order:

1. ``request``: one object per request, from its arrival to its end
2. ``pages``: which request holds which page, what is shared, what is evicted
3. ``scheduler``: which request computes what in the next step
4. ``packing``: from a plan to tensors
5. ``attention``: keys and values in memory, and attention over them
6. ``sampling``: which token comes next
7. ``loop``: the engine around all of it
8. ``model``, ``model_rope``: the transformer, which leaves attention to its caller

>>> scheduler = Scheduler(2, PagePool(num_pages=8), token_budget=6, chunked=True)
>>> for name, prompt_tokens in (("a", 5), ("b", 4)):
...     scheduler.add(Request(name, prompt_tokens, max_output_tokens=9))
>>> [(request.id, new) for request, new in scheduler.schedule(0.0).chunks]
[('a', 5), ('b', 1)]
"""

from typing import TYPE_CHECKING

from labutils.ground.lazy import lazily

from .pages import OutOfPages, PageLeak, PagePool, RequestTooLong, page_keys
from .request import Generation, Request, Sampling
from .scheduler import Plan, Scheduler

if TYPE_CHECKING:
    from .loop import Engine
    from .model import LlamaModel, small_spec

_HOME = {"Engine": "loop", "LlamaModel": "model", "small_spec": "model"}  # these need torch

__all__ = [
    "Engine", "Generation", "LlamaModel", "OutOfPages", "PageLeak", "PagePool", "Plan", "Request",
    "RequestTooLong", "Sampling", "Scheduler", "page_keys", "small_spec",
]  # fmt: skip
__getattr__, __dir__ = lazily(__name__, _HOME)
