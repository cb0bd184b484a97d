"""Where the time of a step goes under a layout: terms with names, which add up."""

from dataclasses import dataclass, fields
from typing import NamedTuple


class Work(NamedTuple):
    """What a step asks of one copy of the model, all of its cards together.

    ``tokens`` pass all layers; of them ``rows`` decode. ``kv_bytes`` are read by those that decode,
    with ``decode_flops`` of attention; ``prefill_flops`` are the attention of prompts, whose keys
    and values weigh ``prompt_kv_bytes``.
    """

    tokens: float
    rows: float = 0.0
    kv_bytes: float = 0.0
    decode_flops: float = 0.0
    prefill_flops: float = 0.0
    prompt_kv_bytes: float = 0.0

    def split(self, parts: float) -> "Work":
        """One of ``parts`` equal parts."""
        return Work(*(value / parts for value in self))


@dataclass(frozen=True, kw_only=True)
class LayoutStep:
    """Seconds of a step by what they are spent on; ``time_s`` is their sum.

    ``arithmetic_s`` counts what arithmetic takes beyond the reading that it overlaps with, kernel
    by kernel (the roofline); exchanges overlap with nothing. ``bubble_s`` is what a stage of a
    pipeline waits.
    """

    read_weights_s: float
    read_kv_s: float
    arithmetic_s: float
    all_reduce_s: float = 0.0
    all_to_all_s: float = 0.0
    sequence_exchange_s: float = 0.0
    hand_over_s: float = 0.0
    launch_s: float = 0.0
    bubble_s: float = 0.0

    @property
    def time_s(self) -> float:
        """All terms together."""
        return sum(self.terms.values())

    @property
    def terms(self) -> dict[str, float]:
        """Each term by its name, in words: {"read weights": 0.0031, …}."""
        return {one.name[:-2].replace("_", " "): getattr(self, one.name) for one in fields(self)}

    @property
    def largest(self) -> str:
        """The name of the largest term."""
        return max(self.terms, key=self.terms.get)

    def repeated(self, busy: float, waiting: float = 0.0) -> "LayoutStep":
        """``busy`` times this, and ``waiting`` times as long a bubble."""
        scaled = {one.name: busy * getattr(self, one.name) for one in fields(self)}
        scaled["bubble_s"] += waiting * self.time_s
        return LayoutStep(**scaled)
