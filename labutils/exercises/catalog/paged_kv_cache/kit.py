"""What lab 5 runs: a job on an engine, the learner's attention in it, and the calls it times."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from labutils.serving.block_log import BlockLog, BlockMoment

SEATS = 64  # more than memory ever holds here, so that memory alone decides who is inside


@dataclass(frozen=True)
class Job:
    """Requests that are all there at the beginning: prompts, and how long each answer gets.

    Each may take ``limit`` tokens in all, and nobody knows beforehand that it takes fewer.
    """

    prompts: tuple[tuple[int, ...], ...]
    outputs: tuple[int, ...]
    limit: int

    @property
    def trace(self):
        """The lengths alone, for a simulator or a floor."""
        import numpy as np

        from labutils.workload import RequestTrace

        lengths = np.array([len(prompt) for prompt in self.prompts])
        return RequestTrace(np.zeros(len(lengths)), lengths, np.array(self.outputs))


@dataclass(frozen=True)
class Served:
    """What came of a job: answers in its order, a log of the pages, seconds, preemptions."""

    answers: tuple[tuple[int, ...], ...]
    log: BlockLog
    wall_s: float
    preempted: int

    @property
    def tokens_per_s(self) -> float:
        """Tokens of the answers over the wall-clock time."""
        return sum(map(len, self.answers)) / self.wall_s

    @property
    def crowded(self) -> list[BlockMoment]:
        """The steps in which somebody waited for memory; all of them if nobody ever did."""
        return self.log.crowded() or self.log.moments

    @property
    def inside(self) -> float:
        """Requests inside at a time, on average over the steps in which somebody waited."""
        return sum(len(moment.tokens) for moment in self.crowded) / len(self.crowded)

    def filled_share(self, num_slots: int) -> float:
        """Share of the memory's slots that hold a token, while somebody waits for memory."""
        held = sum(sum(moment.tokens.values()) for moment in self.crowded)
        return held / (num_slots * len(self.crowded))


def make_job(count: int, *, limit: int, vocabulary: int, seed: int, common: int = 0) -> Job:
    """``count`` requests of random tokens: ``common`` that all share, then prompts of their own.

    Prompts are uniform from 8 to a quarter of ``limit``; answers geometric with a mean of an eighth
    of it, cut at three eighths.
    """
    import numpy as np

    rng = np.random.default_rng(seed)
    prefix = rng.integers(0, vocabulary, common).tolist()
    lengths = rng.integers(8, limit // 4 + 1, count)
    outputs = np.minimum(rng.geometric(8 / limit, count), 3 * limit // 8)
    prompts = [tuple(prefix + rng.integers(0, vocabulary, n).tolist()) for n in lengths.tolist()]
    return Job(tuple(prompts), tuple(outputs.tolist()), limit)


def serve(
    model, blocks, job: Job, *, tune: Callable | None = None, budget: int = 256, **options
) -> Served:
    """Serve ``job`` on a fresh engine over ``blocks``; every page must come back.

    ``tune(engine)`` may change the engine before it starts; ``options`` are those of ``Engine``.
    """
    from labutils.serving import Continuous, Engine

    scheduler = Continuous(SEATS, blocks, token_budget=budget, chunked=True)
    engine, log = Engine(model, scheduler, **options), BlockLog(scheduler)
    engine.on_step = log.of_engine
    if tune is not None:
        tune(engine)
    begin_s = time.perf_counter()
    ids = [
        engine.add_request(prompt, max_output_tokens=job.limit - len(prompt), stop=_after(length))
        for prompt, length in zip(job.prompts, job.outputs)
    ]
    engine.run()
    wall_s = time.perf_counter() - begin_s
    engine.check()
    answers = tuple(tuple(engine.answers[one].tokens) for one in ids)
    return Served(answers, log, wall_s, sum(step.preempted for step in engine.steps))


def _after(length: int) -> Callable[[Sequence[int]], bool]:
    return lambda answer: len(answer) >= length


class LearnersPath:
    """An attention path of an engine, made of the functions of lab 5."""

    def __init__(self, pool, attention: Callable, slots: Callable):
        self.pool, self.attention, self.slots = pool, attention, slots

    def bind(self, step) -> Callable:
        """The ``attend`` of one step: contexts are worked out once, for all layers."""
        rows = zip(step.tables, step.context_lengths)
        contexts = [self.slots(table, length, step.page_tokens) for table, length in rows]

        def attend(layer, query, key, value):
            return self.attention(self.pool, layer, step, contexts, query, key, value)

        return attend


def with_functions(*, write: Callable, slots: Callable, attention: Callable) -> Callable:
    """A ``tune`` for ``serve``: the engine writes and attends with these functions."""

    def tune(engine) -> None:
        from labutils.exercises import assembled
        from labutils.serving.kv_pool import KVPool

        runner = engine.runner
        given = runner.pool
        pool = assembled(KVPool, write=write)(
            given.spec, given.num_pages, given.page_tokens, dtype=given.dtype, device=given.device
        )
        runner.pool, runner.attention = pool, LearnersPath(pool, attention, slots)
        runner.graphs = None  # recorded with the engine's own functions

    return tune


def sessions(count: int, turns: int, *, seed: int, common: int = 64):
    """Conversations: each turn's prompt is all that was said before, and something new.

    Returns requests in order of arrival and the lengths of their answers. All prompts begin with
    ``common`` tokens of instructions; between two turns of a session somebody thinks for 5 to 60 s.
    """
    from functools import partial

    import numpy as np

    from labutils.serving import Request, chained_keys

    rng, found = np.random.default_rng(seed), []
    instructions = rng.integers(0, 50_000, common).tolist()
    for session in range(count):
        text, now_s = list(instructions), rng.uniform(0, 60)
        for turn in range(turns):
            text += rng.integers(0, 50_000, rng.integers(20, 120)).tolist()
            keys = partial(chained_keys, tuple(text))
            answer = int(rng.integers(30, 200))
            request = Request(f"{session}.{turn}", len(text), 256, arrival_s=now_s, keys=keys)
            found.append((request, answer))
            text += rng.integers(0, 50_000, answer).tolist()
            now_s += rng.uniform(5, 60)
    found.sort(key=lambda pair: pair[0].arrival_s)
    return [request for request, _ in found], [answer for _, answer in found]
