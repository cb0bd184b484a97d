"""Attention over a paged cache, in several ways that give the same numbers.

A path is made once, for one pool; ``bind`` prepares what depends on the step alone, and the
function that it returns runs once per layer:

    path = attention_path("gather", pool)
    attend = path.bind(step)
    logits = model(step.tokens[None], step.positions[None], attend=attend, rows=step.outputs)

``rows`` is the specification: one row after the other, as plain as it gets. The others are tested
against it. Names load when they are first used: a path that is not asked for costs nothing.
"""

from labutils.lazy import lazily

_HOME = {
    "attention_path": "choose",
    "best_path": "choose",
    "context_slots": "packed_step",
    "gather_attention": "gather",
    "PackedStep": "packed_step",
    "row_attention": "rows",
}

__all__ = sorted(_HOME)
__getattr__, __dir__ = lazily(__name__, _HOME)
