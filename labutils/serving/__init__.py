"""Serve requests: what waits, what runs, which memory it holds. One system, two clocks.

Nothing here reads a clock or a tensor except where it says so, so that a scheduler can be driven by
a simulated clock or by a real engine.

>>> blocks = BlockManager(num_blocks=8, page_tokens=16)
>>> blocks.allocate("a", tokens=40), blocks.table("a"), blocks.num_free
(0, (0, 1, 2), 5)

Where to begin reading, from what a request is to the loop that serves it:

1. ``request``, ``plan``: what a scheduler learns, and what it answers;
2. ``scheduler`` (with ``sequence``, ``running``, ``step_draft``): who computes what in a step;
3. ``block_manager``: whose page is which, and which pages are shared;
4. ``kv_pool``: the tensors that those pages are;
5. ``attention``: ``packed_step``, then ``rows``, the specification, then ``gather``;
6. ``open_request``, ``kv_layout``, ``runner``, ``sampling``: from a plan to the next tokens;
7. ``launch``, ``flight``, ``engine``: the loop around all of it, on the wall clock.

``old_simulator`` drives 1 to 3 on a simulated clock, with a ``step_cost`` in the place of 4 to 7.

Names load when they are first used: ``import labutils.serving`` costs nothing.
"""

from labutils.lazy import lazily

_HOME = {
    "AdmissionView": "admission",
    "admit_what_fits": "admission",
    "Answer": "answer",
    "BadPlan": "errors",
    "BlockManager": "block_manager",
    "chained_keys": "keys",
    "ContiguousReservation": "reservation",
    "Continuous": "scheduler",
    "course_model": "checkpoints.checkpoint",
    "DynamicBatcher": "batcher.dynamic_batcher",
    "DynamicBatches": "batches",
    "Engine": "engine",
    "LengthBuckets": "batcher.length_buckets",
    "LlamaModel": ".engine.model",
    "load_checkpoint": "checkpoints.checkpoint",
    "load_hf_state": "checkpoints.model_weights",
    "known_step_cost": "trials.calibration",
    "memory_floor": "trials.floor",
    "model_from_config": "checkpoints.model_weights",
    "OutOfBlocks": "block_manager",
    "packed": "fast.packed_linear",
    "PageLeak": "block_manager",
    "random_model": "checkpoints.checkpoint",
    "replay": "trials.replay",
    "Request": "request",
    "RequestTooLong": "errors",
    "sample": "sampling",
    "Sampling": "sampling",
    "Scheduler": "scheduler",
    "ServingRun": "run",
    "simulate": "old_simulator",
    "small_spec": ".engine.model",
    "StaticBatches": "batches",
    "StepCost": "step_cost",
    "StepPlan": "plan",
    "StepRecord": "step_record",
    "StepShape": "plan",
    "Telemetry": "telemetry",
    "Timeline": "timeline",
    "Tokenizer": "checkpoints.tokenizer",
    "trace_keys": "keys",
    "unshared": "keys",
    "WaitUntil": "plan",
}

__all__ = sorted(_HOME)
__getattr__, __dir__ = lazily(__name__, _HOME)
