"""The course's engine as text: its files, and which lab writes which of their functions."""

from functools import cache
from importlib.util import find_spec
from pathlib import Path

FILES = (
    "request", "pages", "scheduler", "packing", "attention", "sampling", "loop",
    "model", "model_rope", "__init__",
)  # fmt: skip
"""In the order in which they are read."""

GIVEN_FILES = ("model", "model_rope", "__init__")

WRITTEN = {
    "lab2": {"attention": ("KVMemory.write", "KVMemory.hidden", "Chunk.attend")},
    "lab4": {
        "scheduler": (
            "Scheduler.schedule", "Scheduler.commit", "Scheduler.finish", "Scheduler.admits",
            "Scheduler._decode", "Scheduler._preempt", "Scheduler._prefill",
            "Scheduler._may_start",
        ),
    },
    "lab5": {
        "pages": (
            "PagePool.find", "PagePool.fits", "PagePool.start", "PagePool.grow",
            "PagePool.publish", "PagePool.release", "PagePool.take", "PagePool.hold",
            "PagePool.drop", "PagePool.evict", "page_keys",
        ),
        "packing": ("slots_of",),
        "attention": ("KVMemory.read", "Bucket.attend"),
    },
    "lab6": {
        "packing": ("pack",),
        "sampling": ("sample", "cut", "draw"),
        "request": ("Generation.take", "Generation.stops", "Generation.words"),
        "attention": ("paged_attention", "buckets"),
        "loop": (
            "Engine.step", "Engine.run", "Engine.cancel", "Engine._compute", "Engine._forward",
            "Engine._logits", "Engine._hand_out", "Engine._end",
        ),
    },
}  # fmt: skip
"""Lab -> file -> names of the functions that the learner writes there."""


@cache
def course_sources() -> dict[str, str]:
    """The text of each file of the course's engine."""
    folder = Path(find_spec("labutils.engine").origin).parent
    return {name: (folder / f"{name}.py").read_text(encoding="utf-8") for name in FILES}


def lab_of(file: str, function: str) -> str | None:
    """The lab that writes a function; None for one that is given."""
    return next((lab for lab, files in WRITTEN.items() if function in files.get(file, ())), None)


def targets() -> list[str]:
    """All functions that learners write, as ``file:function``, in the order of the labs."""
    return [
        f"{file}:{function}"
        for files in WRITTEN.values()
        for file, functions in files.items()
        for function in functions
    ]
