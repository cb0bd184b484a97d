"""Token for token: an engine against the course's, on jobs that hold what can go wrong."""

from dataclasses import dataclass
from types import ModuleType

from .engine import my_engine
from .jobs import VOCABULARY, Job, Outcome, jobs, run
from .texts.course_engine import course_sources
from .texts.load_pieces import load


@dataclass(frozen=True)
class Proved:
    """What one job showed; ``problem`` is empty where both engines did the same."""

    job: str
    expected: Outcome
    problem: str = ""

    def __str__(self) -> str:
        if self.problem:
            return f"{self.job}: {self.problem}"
        tokens = sum(len(answer) for answer, _ in self.expected.answers)
        preemptions = self.expected.preemptions
        return (
            f"{self.job}: token-exact, {len(self.expected.answers)} answers, {tokens} tokens, "
            f"{self.expected.steps} steps, {preemptions} preemption{'s' * (preemptions != 1)}, "
            f"{self.expected.cached_tokens} tokens found"
        )


@dataclass(frozen=True)
class Proof:
    """The jobs that an engine was given, one line each."""

    parts: tuple[Proved, ...]

    @property
    def holds(self) -> bool:
        """Whether every job came out as the course's engine has it."""
        return not any(part.problem for part in self.parts)

    def __repr__(self) -> str:
        return "\n".join(map(str, self.parts))


def prove(room: ModuleType | None = None, *, seed: int = 1) -> Proof:
    """Run the engine of ``room`` (default: the one in ``my/engine``) beside the course's.

    Same requests, same limits, a small model in float64 with random weights: in float32 company
    may turn a near tie of two tokens. Answers, reasons, steps, preemptions and found tokens have to
    be equal, and every page has to be in its place after every step.
    """
    room = room or my_engine()
    model, course = small_model(), load(course_sources())
    return Proof(tuple(_proved(room, course, model, job) for job in jobs(seed)))


def small_model():
    """Two layers in float64, whose next token depends on every token before."""
    import torch

    from labutils.engine import LlamaModel, small_spec

    spec = small_spec(
        layers=2, hidden_size=24, num_heads=4, num_kv_heads=2, head_dim=6, ffn_size=20,
        vocab_size=VOCABULARY, max_context=120,
    )  # fmt: skip
    return LlamaModel(spec, dtype=torch.float64, init_std=0.3)


def _proved(room: ModuleType, course: ModuleType, model, job: Job) -> Proved:
    expected = run(course, model, job)
    try:
        got = run(room, model, job)
    except Exception as error:
        return Proved(job.name, expected, f"{type(error).__name__}: {error}")
    return Proved(job.name, expected, _difference(expected, got))


def _difference(expected: Outcome, got: Outcome) -> str:
    """The first thing that differs, in words; empty if nothing does."""
    for number, (right, answer) in enumerate(zip(expected.answers, got.answers)):
        if answer != right:
            at = next((k for k, (a, b) in enumerate(zip(right[0], answer[0])) if a != b), None)
            if at is None:
                return f"request {number} ends elsewhere: {_end(answer)}, expected {_end(right)}"
            pair = f"expected {right[0][at]}, got {answer[0][at]}"
            return f"request {number} differs first in token {at} of its answer: {pair}"
    for name in ("steps", "preemptions", "cached_tokens"):
        if getattr(got, name) != getattr(expected, name):
            return (
                f"the answers are right, with {getattr(got, name)} {name.replace('_', ' ')} "
                f"where the course's engine has {getattr(expected, name)}"
            )
    return ""


def _end(answer: tuple[tuple[int, ...], str]) -> str:
    tokens, reason = answer
    return f'"{reason}" after {len(tokens)} tokens'
