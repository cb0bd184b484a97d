"""Five things that befall a service, each of which somebody who watches has to name."""

from dataclasses import dataclass

from labutils.loadtest import RequestKind

SHORT = RequestKind(prompt_words=24, max_tokens=24)
"""What users ask on a quiet day."""


@dataclass(frozen=True, kw_only=True)
class Fault:
    """``said`` names it to learners; it is seen on panel ``panel`` (from 1) of the new wall.

    It may add requests of a ``kind``, ``rate_per_s`` of them, make each step take ``step_s``
    longer, or round the model's weights to ``bits``.
    """

    said: str
    panel: int
    kind: RequestKind | None = None
    rate_per_s: float = 0.0
    step_s: float = 0.0
    bits: int | None = None


FAULTS = {
    "neighbour": Fault(said="a neighbour takes the cores", panel=3, step_s=0.12),
    "memory": Fault(
        said="long answers fill the memory", panel=5, rate_per_s=2,
        kind=RequestKind(name="long", prompt_words=24, max_tokens=400),
    ),
    "burst": Fault(
        said="one tenant sends too much", panel=6, rate_per_s=12,
        kind=RequestKind(name="burst", tenant="reports", prompt_words=24, max_tokens=24),
    ),
    "leaving": Fault(
        said="clients hang up", panel=7, rate_per_s=3,
        kind=RequestKind(name="leaving", prompt_words=24, max_tokens=100, leave_share=1.0,
                         leave_after=2),
    ),
    "release": Fault(said="a new release answers worse", panel=10, bits=2),
}  # fmt: skip


def known(fault: str) -> str:
    """``fault``, if it is one of ``FAULTS``."""
    if fault not in FAULTS:
        raise ValueError(f"fault = {fault!r}: expected one of {', '.join(FAULTS)}")
    return fault
