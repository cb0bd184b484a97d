"""What lab 7 runs beside its exercises: ``Speculative`` with the learner's functions, and races."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec, module_from_spec
from types import ModuleType

from labutils.exercises.actions import piece
from labutils.serving.checkpoints.checkpoint import course_model
from labutils.serving.fast import packed
from labutils.serving.speculation import (
    LookupDraft,
    ModelDraft,
    Tally,
    acceptance,
    spare_pages,
    stretch,
)

from .draft_texts import PROMPT_TOKENS, pieces_of
from .look_back import on_text
from .missing_part import on_lists
from .one_step import line_of
from .take_back import books_after
from .the_rule import by_numbers

PIECES = {
    "accepted_greedily": ("speculative.greedy", lambda rule: rule, acceptance),
    "verification": ("speculative.one_step", line_of, stretch),
    "give_back": ("speculative.give_back", books_after, spare_pages),
    "missing": ("speculative.missing", on_lists, acceptance),
    "accepted": ("speculative.rule", by_numbers, acceptance),
    "followed": ("speculative.look_back", on_text, LookupDraft),
}
"""For each function of the lab: its exercise, how that tries it, and where the course's stands."""

TEXT = "course text"
WARM_STEPS = 2  # the prompts, and the draft's reading of them


def usable(function: Callable) -> Callable:
    """The learner's function if it passes its check, else the course's; a line says which."""
    exercise_id, adapter, home = PIECES[function.__name__]
    courses, tried = getattr(home, function.__name__), adapter(function)
    if function is courses:  # it stands in already, and that was said
        return function
    return function if piece(exercise_id, tried) is tried else courses


def speculative_with(*functions: Callable) -> type:
    """``Speculative`` with these functions in the places of those of their names."""
    spec = find_spec("labutils.serving.speculation.speculative")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    for function in functions:
        setattr(module, function.__name__, function)
    return module.Speculative


@cache
def pair(device: str = "cpu"):
    """The course's target and draft, with weights laid out for speed, and their tokenizer."""
    (target, tokenizer), (draft, _) = (course_model(n, device=device) for n in ("target", "draft"))
    return packed(target), packed(draft), tokenizer


def engine_for(room: ModuleType, model, batch: int, *, answer: int, spare: float = 1.0):
    """An engine of ``room`` with ``batch`` seats and pages for them: all, or a share ``spare``."""
    pages = batch * (-(-(PROMPT_TOKENS + answer) // 16) + 1)
    return room.Engine(
        model, num_pages=max(6, int(spare * pages)), max_sequences=batch,
        token_budget=max(512, batch * PROMPT_TOKENS),
    )  # fmt: skip


@dataclass(frozen=True)
class Window:
    """Steps during which all requests were open."""

    tokens: int
    steps: int
    seconds: float

    @property
    def step_s(self) -> float:
        """Seconds of a step."""
        return self.seconds / self.steps

    @property
    def tokens_per_s(self) -> float:
        """Of all requests together."""
        return self.tokens / self.seconds


def window(engine, prompts: Sequence[Sequence[int]], *, answer: int) -> Window:
    """Serve ``prompts`` greedily; what happens behind the first steps, up to the first end.

    Seconds are processor time of this thread where the model runs on a CPU.
    """
    for prompt in prompts:
        engine.add_request(prompt, max_output_tokens=answer)
    for _ in range(WARM_STEPS):
        engine.step()
    clock = time.thread_time if engine.device.type == "cpu" else time.perf_counter
    tokens = steps = 0
    begun = clock()
    while len(engine.open) == len(prompts):
        tokens += len(engine.step())
        steps += 1
    return Window(tokens, steps, clock() - begun)


def steps_of(engine, prompt: Sequence[int], *, answer: int) -> list[tuple[list[int], list[int]]]:
    """Serve one request; for each step behind its prompt's, what was drafted and what it got."""
    said: list[list[int]] = []
    propose = engine.draft.propose

    def noting(requests, counts):
        found = propose(requests, counts)
        said[:] = [list(one.tokens) for one in found]
        return found

    engine.draft.propose = noting
    request = engine.requests[engine.add_request(prompt, max_output_tokens=answer)]
    engine.step()
    steps = []
    while engine.open:
        before = len(request.answer)
        said.clear()
        engine.step()
        steps.append((said[0] if said else [], request.answer[before:]))
    return steps


def step_seconds(room: ModuleType, model, counts: Sequence[int], *, answer: int, rounds: int):
    """Seconds of a decode step of ``model`` by its rows, the best of ``rounds`` in turn."""
    times: dict[int, list[float]] = {count: [] for count in counts}
    for _ in range(rounds):
        for count in counts:
            engine = engine_for(room, model, count, answer=answer)
            times[count].append(
                window(engine, pieces_of("course text", count), answer=answer).step_s
            )
    return {count: min(found) for count, found in times.items()}


def tally_of(speculative: Callable, kind: str, count: int, *, answer: int, sampling=None) -> Tally:
    """What became of the drafts of ``count`` requests: ``speculative()`` makes an engine."""
    engine = speculative()
    options = {} if sampling is None else {"sampling": sampling}
    engine.generate(pieces_of(kind, count), max_output_tokens=answer, **options)
    engine.check()
    return engine.tally


def gain_of(alone: Callable, drafting: Callable, batch: int, *, answer: int, rounds: int) -> float:
    """Tokens per second of ``drafting()`` over ``alone()``: the best of ``rounds`` of each."""
    prompts, rates = pieces_of(TEXT, batch), []
    for _ in range(rounds):  # in turn, so that a noisy moment hits both
        rates.append([window(make(), prompts, answer=answer) for make in (alone, drafting)])
    before, after = (max(one.tokens_per_s for one in found) for found in zip(*rates))
    return after / before


def predicted_gains(
    by_place: Sequence[float], steps: Mapping[int, float], draft_s: float, *, batch: int
) -> dict[int, float]:
    """The expected gain by the number of drafts, from acceptance by place and single steps.

    ``steps[rows]`` is a step of the target; verifying k drafts of ``batch`` requests is taken for
    one of batch · (k + 1) rows. Numbers whose step was not measured are left out.
    """
    found, reach, tokens = {}, 1.0, 1.0
    for drafts, share in enumerate(by_place, 1):
        reach *= share
        tokens += reach
        if batch * (drafts + 1) in steps:
            cost = steps[batch * (drafts + 1)] + drafts * draft_s
            found[drafts] = tokens * steps[batch] / cost
    return found


class Renumbered(ModelDraft):
    """A draft whose tokenizer has the same words under other numbers, and nobody has looked."""

    def propose(self, requests, counts):
        """What the model says, each token moved by one."""
        said = super().propose(requests, counts)
        words = self.model.spec.vocab_size
        return [one._replace(tokens=[(token + 1) % words for token in one.tokens]) for one in said]
