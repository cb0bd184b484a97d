"""A small engine that serves a language model: continuous batching over a paged KV cache."""

import warnings

with warnings.catch_warnings():  # torch does without NumPy
    warnings.filterwarnings("ignore", message="Failed to initialize NumPy")
    from .loop import Engine
    from .model import LlamaModel
    from .pages import OutOfPages, PageLeak, PagePool, RequestTooLong, page_keys
    from .request import Generation, Request, Sampling
    from .scheduler import Plan, Scheduler

__all__ = [
    "Engine",
    "Generation",
    "LlamaModel",
    "OutOfPages",
    "PageLeak",
    "PagePool",
    "Plan",
    "Request",
    "RequestTooLong",
    "Sampling",
    "Scheduler",
    "page_keys",
]
