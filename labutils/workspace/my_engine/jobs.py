"""Jobs that an engine has to get right, whoever wrote it: what is asked, and what came of it."""

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from types import ModuleType

VOCABULARY = 61
MOST_STEPS = 5_000  # an engine that computes without end is wrong, too


@dataclass(frozen=True)
class Ask:
    """One request: ``cancel_at`` steps after the start it is cancelled, if that is not None."""

    prompt: tuple[int, ...]
    max_output_tokens: int
    stop: tuple[int, ...] = ()
    seed: int | None = None
    cancel_at: int | None = None


@dataclass(frozen=True)
class Job:
    """Requests and an engine's limits; ``name`` says what the job is there for."""

    name: str
    asks: tuple[Ask, ...]
    num_pages: int
    max_sequences: int
    token_budget: int
    page_tokens: int = 4
    chunked: bool = True


@dataclass(frozen=True)
class Outcome:
    """What an engine did: tokens and reason of each answer, and the course of its steps."""

    answers: list[tuple[tuple[int, ...], str]]
    steps: int
    preemptions: int
    cached_tokens: int
    heard: list[tuple[int, int]] = field(compare=False, default_factory=list)


def run(room: ModuleType, model, job: Job, *, on_step: Callable | None = None) -> Outcome:
    """Serve ``job`` on the engine of ``room``, checking every page after every step.

    Whatever the engine raises comes out; ``RuntimeError`` if it does not end, or tells its
    listeners other tokens than it returns.
    """
    pool = room.PagePool(job.num_pages, job.page_tokens)
    limits = {"token_budget": job.token_budget, "chunked": job.chunked}
    engine = room.Engine(model, room.Scheduler(job.max_sequences, pool, **limits))
    heard: list[tuple[int, int]] = []
    for number, ask in enumerate(job.asks):
        how = room.Sampling(temperature=0.8, top_k=20, top_p=0.9, seed=ask.seed)
        engine.add_request(
            ask.prompt, id=number, max_output_tokens=ask.max_output_tokens, stop=ask.stop,
            sampling=how if ask.seed is not None else room.Sampling(),
            on_token=lambda id, token: heard.append((id, token)),
        )  # fmt: skip
    steps = 0
    while engine.open:
        for number, ask in enumerate(job.asks):
            if ask.cancel_at == steps:
                engine.cancel(number)
        if engine.open and engine.step() is None:
            raise RuntimeError(f"no step was planned, and requests {list(engine.open)} are open")
        engine.check()
        steps += 1
        if steps > MOST_STEPS:
            raise RuntimeError(f"no end after {MOST_STEPS} steps; open: {list(engine.open)[:4]}")
    engine.check()
    return _outcome(engine, steps, heard)


def _outcome(engine, steps: int, heard: list[tuple[int, int]]) -> Outcome:
    requests = [engine.requests[number] for number in range(len(engine.requests))]
    for one in requests:
        told = [token for id, token in heard if id == one.id]
        if told != one.answer:
            raise RuntimeError(
                f"request {one.id}: its listener heard {told}, its answer is {one.answer}"
            )
        if one.error is not None:
            raise one.error
    return Outcome(
        [(tuple(one.answer), one.finish_reason) for one in requests],
        steps,
        sum(one.preemptions for one in requests),
        sum(one.cached or 0 for one in requests),
        heard,
    )


def jobs(seed: int) -> list[Job]:
    """Three jobs: memory that runs out; prompts that share; chunks, stops, draws, cancellation."""
    draw = random.Random(seed)

    def prompt(least: int, most: int) -> tuple[int, ...]:
        return tuple(draw.randrange(VOCABULARY) for _ in range(draw.randint(least, most)))

    crowded = tuple(Ask(prompt(3, 19), draw.randint(6, 21)) for _ in range(14))
    heads = [prompt(9, 13), prompt(21, 30), prompt(13, 17), prompt(9, 13)]
    alike = tuple(Ask(draw.choice(heads) + prompt(1, 9), draw.randint(2, 9)) for _ in range(29))
    mixed = tuple(
        Ask(
            prompt(1, 40), draw.randint(1, 25), stop=prompt(0, 3), seed=n if n % 3 else None,
            cancel_at=draw.randint(0, 30) if n % 5 == 4 else None,
        )
        for n in range(19)
    )  # fmt: skip
    return [
        Job("preemption", crowded, num_pages=13, max_sequences=6, token_budget=23),
        Job("shared prompts", alike, num_pages=19, max_sequences=3, token_budget=64, chunked=False),
        Job("chunks, stops, draws, cancel", mixed, num_pages=61, max_sequences=7, token_budget=11,
            page_tokens=3),
    ]  # fmt: skip
