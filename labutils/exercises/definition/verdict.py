"""The verdict on one answer, and the one vocabulary that every check uses."""

from dataclasses import dataclass
from enum import StrEnum

from labutils.exercises.display.card import Card, Code, Prose, Shown


class Status(StrEnum):
    """How an answer stands; the values are what the progress files hold."""

    not_attempted = "not_attempted"
    unreadable = "unreadable"
    raised = "raised"
    timed_out = "timed_out"
    unit = "unit"
    scale = "scale"
    misconception = "misconception"
    wrong = "wrong"
    close = "close"
    too_noisy = "too_noisy"
    right = "right"


_LABELS = {
    Status.not_attempted: ("Not attempted yet", "neutral"),
    Status.unreadable: ("Cannot read this answer", "warning"),
    Status.raised: ("Your code raises an error", "error"),
    Status.timed_out: ("Time is up", "error"),
    Status.unit: ("Wrong unit", "warning"),
    Status.scale: ("Wrong scale", "warning"),
    Status.misconception: ("Not right: a known trap", "warning"),
    Status.wrong: ("Not right", "error"),
    Status.close: ("Close, not yet right", "warning"),
    Status.too_noisy: ("Too noisy to tell", "warning"),
    Status.right: ("Right", "success"),
}


@dataclass(frozen=True, repr=False)
class Verdict(Shown):
    """What a check found.

    ``message`` says it in a sentence or two, ``detail`` holds lines that keep their breaks (a
    failing call, the line that raised), ``diagnosis`` is the name of the mistake where one is
    known, ``note`` adds what is worth knowing beside the verdict.
    """

    status: Status
    message: str
    detail: str = ""
    diagnosis: str | None = None
    note: str = ""

    @property
    def passed(self) -> bool:
        """Whether the answer is right."""
        return self.status is Status.right

    def card(self) -> Card:
        label, accent = _LABELS[self.status]
        parts = [Prose(self.message)]
        parts += [Code(self.detail)] if self.detail else []
        parts += [Prose(self.note)] if self.note else []
        return Card(label, tuple(parts), accent)
