"""Serve requests: a system on a simulated clock, and what stands around the engine.

The scheduler and its page pool are those of ``labutils.engine``: one policy, two clocks. Rooms:

1. ``memory``, ``scheduling``: other memories and other policies behind the same verbs, an auditor
2. ``simulator``: traces served on a simulated clock; ``walks``: small stories for exercises
3. ``checkpoints``, ``fast``: weights from files; what makes the engine fast, added from outside
4. ``trials``: the models held against real runs
5. ``batcher``: batches without a language model, behind an ``await``

``import labutils.serving`` costs nothing: a room loads when it is imported.
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
    "small_spec": ".engine.model",
    "StaticBatches": "batches",
    "StepPlan": "plan",
    "StepRecord": "step_record",
    "StepShape": "plan",
    "Tokenizer": "checkpoints.tokenizer",
    "trace_keys": "keys",
    "unshared": "keys",
    "WaitUntil": "plan",
}

__all__ = sorted(_HOME)
__getattr__, __dir__ = lazily(__name__, _HOME)
