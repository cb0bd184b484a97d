"""Attention over a paged cache, in several ways that give the same numbers.

A path is made once, for one pool; ``bind`` prepares what depends on the step alone, and the
function that it returns runs once per layer:

    path = attention_path("gather", pool)
    attend = path.bind(step)
    logits = model(step.tokens[None], step.positions[None], attend=attend, rows=step.outputs)

``rows`` is the specification: one row after the other, as plain as it gets. The others are tested
against it. Names load when they are first used: a path that is not asked for costs nothing.
"""

from importlib import import_module

_HOME = {
    "attention_path": "choose",
    "best_path": "choose",
    "context_slots": "packed_step",
    "gather_attention": "gather",
    "PackedStep": "packed_step",
    "row_attention": "rows",
}

__all__ = sorted(_HOME)


def __getattr__(name: str):
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOME[name]}"), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
