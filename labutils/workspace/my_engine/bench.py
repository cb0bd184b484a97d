"""How fast an engine is: beside the course's, beside one request at a time, and the floor."""

import html
import random
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import ModuleType

from labutils.measure import Timing, turn

from .engine import my_engine
from .texts.course_engine import course_sources
from .texts.load_pieces import load

NAIVE, YOURS, COURSE = "one at a time", "yours", "the course's"
ON_A_GPU = (
    "On a GPU expect a larger factor over one at a time, and for a model as small as this one a "
    "smaller share of the floor: reading the weights costs the same for one request as for all, "
    "and each operation waits for its launch, some microseconds of the host's time."
)
TOO_LOW = (
    "No engine beats the floor: its rates were measured too low, at a slower moment than the "
    "engines', or by a copy that does not fit into the caches that hold this model. Run it again."
)
SEATS, TOKEN_BUDGET, PAGE_TOKENS, NUM_PAGES = 16, 64, 16, 64
"""So few pages that some requests are preempted."""
FEWEST_ROUNDS = 3
BUSY = 0.25
"""Rounds of one engine that differ by a larger part of their median do not rank two of them."""


@dataclass(frozen=True)
class Asked:
    """The requests of a bench: prompts, and how many tokens each answer gets."""

    prompts: tuple[tuple[int, ...], ...]
    lengths: tuple[int, ...]

    @classmethod
    def draw(cls, requests: int, *, vocabulary: int, seed: int) -> "Asked":
        """Prompts of 8 to 80 tokens and answers of 8 to 48."""
        draws = random.Random(seed)
        sizes = [(draws.randint(8, 80), draws.randint(8, 48)) for _ in range(requests)]
        prompts = (tuple(draws.randrange(vocabulary) for _ in range(size)) for size, _ in sizes)
        return cls(tuple(prompts), tuple(length for _, length in sizes))


@dataclass(frozen=True)
class Served:
    """What an engine made of the requests: the same in every round."""

    answers: tuple[tuple[int, ...], ...]
    steps: int
    preemptions: int


@dataclass(frozen=True)
class Bench:
    """Times by contender, taken in turn; ``repr`` and a notebook show a table and the findings."""

    timings: Mapping[str, Timing]
    served: Mapping[str, Served]
    floor_s: float
    floor_steps: int
    clock: str
    device: str = "cpu"
    model: str = ""

    @property
    def same_answers(self) -> int:
        """How many of your answers are the course's, token for token."""
        pairs = zip(self.served[YOURS].answers, self.served[COURSE].answers, strict=True)
        return sum(mine == theirs for mine, theirs in pairs)

    @property
    def of_the_reference(self) -> float:
        """Your speed over the course's: 0.9 for an engine that takes 11 % longer."""
        return self.timings[COURSE].median_s / self.timings[YOURS].median_s

    @property
    def of_the_floor(self) -> float:
        """How much of what the machine can do at most your engine does."""
        return self.floor_s / self.timings[YOURS].median_s

    @property
    def line(self) -> str:
        """The engine in one line."""
        yours, number = self.served[YOURS], len(self.served[YOURS].answers)
        same = self.same_answers
        many = "s" * (yours.preemptions != 1)
        exact = "token-exact" if same == number else f"{same} of {number} answers the same"
        return (
            f"{exact}, {yours.steps} steps, {yours.preemptions} preemption{many}, "
            f"{100 * self.of_the_reference:.0f} % of the reference, "
            f"{self.share(YOURS)} of the floor{', measured too low' * (self.of_the_floor > 1)}"
        )

    def share(self, contender: str) -> str:
        """How much of the floor a contender reaches; a share above 1 is no number to quote."""
        share = self.floor_s / self.timings[contender].median_s
        return f"{100 * share:.1f} %" if share <= 1 else "over 100 %"

    @property
    def noise(self) -> str:
        """Whether the rounds tell your engine from the course's, or say nothing at all."""
        one, other = self.timings[YOURS], self.timings[COURSE]
        if (rounds := len(one.samples_s)) < FEWEST_ROUNDS:
            few = f"{rounds} round{'s' * (rounds != 1)}, expected at least {FEWEST_ROUNDS}"
            return f"Too few rounds to tell yours from the course's: {few}."
        apart = one.low_s > other.high_s or other.low_s > one.high_s
        spread = max((t.high_s - t.low_s) / t.median_s for t in (one, other))
        noise = f"{rounds} rounds of the same engine differ by up to {100 * spread:.0f} %"
        if apart:
            return f"Yours and the course's differ by more than their noise: {noise}."
        if spread > BUSY:
            return f"The machine was too busy to tell yours from the course's: {noise}."
        return f"Yours and the course's do not differ by more than their noise: {noise}."

    def rows(self) -> list[tuple[str, ...]]:
        """The table: contender, seconds, tokens per second, steps, preemptions, of the floor."""
        tokens = sum(len(answer) for answer in self.served[COURSE].answers)
        head = ("", f"{self.clock} (s)", "tokens/s", "steps", "preempted", "of the floor")
        rows = [head]
        for name, timing in self.timings.items():
            seconds, served = timing.median_s, self.served[name]
            counts = f"{tokens / seconds:,.0f}", str(served.steps), str(served.preemptions)
            rows.append((name, f"{seconds:.3g}", *counts, self.share(name)))
        floor = f"{self.floor_s:.3g}", f"{tokens / self.floor_s:,.0f}", str(self.floor_steps)
        return [*rows, ("floor", *floor, "0", "100.0 %")]

    @property
    def remarks(self) -> list[str]:
        """What is to be said below the table."""
        too_low = self.floor_s > min(one.median_s for one in self.timings.values())
        return [self.noise, *[TOO_LOW] * too_low, ON_A_GPU, self.line]

    def __repr__(self) -> str:
        table = [f"{row[0]:14}" + "".join(f"{cell:>16}" for cell in row[1:]) for row in self.rows()]
        return "\n".join([*table, *self.remarks])

    def _repr_html_(self) -> str:
        cells = [[f"<td>{html.escape(cell)}</td>" for cell in row] for row in self.rows()]
        table = "".join(f"<tr>{''.join(row)}</tr>" for row in cells)
        said = "".join(f"<p>{html.escape(one)}</p>" for one in self.remarks)
        return f"<div><table>{table}</table>{said}</div>"


def bench(
    room: ModuleType | None = None, *, requests: int = 40, rounds: int = 5, seed: int = 3,
    model=None, rates=None,
) -> Bench:  # fmt: skip
    """Race the engine of ``room`` (default: the one in ``my/engine``) against the course's.

    The course's trained model serves ``requests`` on one core: with your engine, with the course's,
    and with the course's one request at a time, in turn, ``rounds`` times after a first one. On a
    processor, processor time counts, so that other programs take nothing away. The floor is
    ``memory_floor`` by this machine's ``rates``: unless they are given, measured on the same core
    (or GPU) and by the same clock.
    It takes about half a minute.
    """
    from labutils.serving.trials import one_core

    with one_core():
        model = _course_model() if model is None else model
        asked = Asked.draw(requests, vocabulary=model.spec.vocab_size, seed=seed)
        source = time.process_time if _on_cpu(model) else time.perf_counter
        course = load(course_sources())
        rooms = {NAIVE: (course, 1), COURSE: (course, SEATS), YOURS: (room or my_engine(), SEATS)}
        served: dict[str, Served] = {}
        calls = {name: _call(name, *one, model, asked, served) for name, one in rooms.items()}
        with turn(_device(model)):
            timings = _in_turn(calls, rounds, source)
        floor = _floor(model, asked, _rates(model, source) if rates is None else rates)
    clock = "processor time" if _on_cpu(model) else "wall time"
    device, size = str(_device(model)), model.spec.parameters / 1e6
    kind = str(next(model.parameters()).dtype).removeprefix("torch.")
    said = f"{size:.2g} million weights in {kind}"
    return Bench(timings, served, floor.time_s, floor.steps, clock, device, said)


def _call(name: str, room: ModuleType, seats: int, model, asked: Asked, served: dict) -> Callable:
    def call() -> None:
        served[name] = serve(room, model, asked, seats=seats)

    return call


def _in_turn(calls: Mapping[str, Callable], rounds: int, clock: Callable) -> dict[str, Timing]:
    """Seconds of each call in each round; the first round warms up, and every other goes back."""
    taken: dict[str, list[float]] = {name: [] for name in calls}
    names = list(calls)
    for number in range(rounds + 1):
        for name in names if number % 2 else names[::-1]:
            begin_s = clock()
            calls[name]()
            taken[name].append(clock() - begin_s)
    return {name: Timing(tuple(seconds[1:])) for name, seconds in taken.items()}


def serve(room: ModuleType, model, asked: Asked, *, seats: int) -> Served:
    """Serve all requests with the engine of ``room``, at most ``seats`` at a time."""
    pool = room.PagePool(NUM_PAGES, PAGE_TOKENS)
    scheduler = room.Scheduler(seats, pool, token_budget=TOKEN_BUDGET, chunked=True)
    engine = room.Engine(model, scheduler)
    steps: list[int] = []
    engine.on_step = lambda engine, plan: steps.append(len(plan.chunks))
    for number, (prompt, length) in enumerate(zip(asked.prompts, asked.lengths)):
        engine.add_request(prompt, max_output_tokens=length, id=number)
    engine.run()
    engine.check()
    ended = [engine.requests[number] for number in range(len(asked.prompts))]
    for one in ended:
        if one.error is not None:
            raise one.error
    answers = tuple(tuple(one.answer) for one in ended)
    return Served(answers, len(steps), sum(one.preemptions for one in ended))


def _floor(model, asked: Asked, rates):
    import numpy as np

    from labutils.serving.trials import memory_floor
    from labutils.workload import RequestTrace

    sizes = [len(prompt) for prompt in asked.prompts]
    job = RequestTrace(np.zeros(len(sizes)), sizes, asked.lengths)
    size = next(model.parameters()).element_size()
    return memory_floor(
        model.spec, job, rates, max_sequences=SEATS, token_budget=TOKEN_BUDGET,
        bytes_per_weight=size, bytes_per_value=size,
    )  # fmt: skip


def _rates(model, clock: Callable[[], float]):
    """What the model's device copies and multiplies a second by ``clock``, at its quickest."""
    from labutils.measure import copy_bandwidth, matrix_rate
    from labutils.serving.trials import Rates

    one = next(model.parameters())
    device, kind = str(one.device), str(one.dtype).removeprefix("torch.")
    return Rates(
        copy_bandwidth_bytes_per_s=copy_bandwidth(device, clock=clock).high_per_s,
        matrix_flops_per_s=matrix_rate(device, dtype=kind, clock=clock).high_per_s,
    )


def _course_model():
    from labutils.serving.checkpoints import course_model

    return course_model()[0]


def _device(model):
    return next(model.parameters()).device


def _on_cpu(model) -> bool:
    return _device(model).type == "cpu"
