"""What an author adds to prove an exercise: wrong answers, other right ones, and exceptions."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from labutils.exercises.definition.verdict import Status


@dataclass(frozen=True)
class Proof:
    """The evidence for one exercise, beside its reference answer in the chapter's source.

    ``mistakes``: name -> (answer, expected), at least two plausible wrong answers, with the
    diagnosis (a name) or the ``Status`` that each must get. ``alternatives``: name -> a right
    answer in another style, at least one. For a Function exercise an answer is a function or its
    source text, for a Stories exercise a class or its source text (the last function or class
    defined counts; it sees the chapter's names).

    ``equivalent``: mutant -> reason, for generated mutants of the reference answer that are right
    too; the failing test prints the key to list.
    """

    mistakes: Mapping[str, tuple[Any, str | Status]]
    alternatives: Mapping[str, Any]
    equivalent: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self):
        if len(self.mistakes) < 2:
            raise ValueError(f"mistakes = {list(self.mistakes)}: expected at least two")
        if not self.alternatives:
            raise ValueError("alternatives = {}: expected at least one")
        if unexplained := [key for key, reason in self.equivalent.items() if not reason.strip()]:
            raise ValueError(f"equivalent: expected a reason for each of {unexplained}")
