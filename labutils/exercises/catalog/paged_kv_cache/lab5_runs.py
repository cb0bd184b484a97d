"""What lab 5 runs: a job of real text on an engine, and conversations for the simulator."""

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import cycle, pairwise
from types import ModuleType

from labutils.serving.memory import PageLog, PageMoment

PLACES = 64  # more than memory ever holds here, so that memory alone decides how many run
BUDGET = 256  # tokens of a step

INSTRUCTIONS = (
    "You explain the words of people who serve language models. Say what each one means, with one "
    "number and one example. "
)


@dataclass(frozen=True)
class Job:
    """Requests that are all there at the beginning: prompts, and how long each answer gets.

    Each may take ``limit`` tokens in all, and no scheduler learns that it takes fewer.
    """

    prompts: tuple[tuple[int, ...], ...]
    outputs: tuple[int, ...]
    limit: int

    @property
    def lengths(self) -> list[int]:
        """Tokens of each request at its end."""
        return [len(prompt) + answer for prompt, answer in zip(self.prompts, self.outputs)]

    @property
    def trace(self):
        """The lengths alone, for a floor."""
        import numpy as np

        from labutils.workload import RequestTrace

        prompts = np.array([len(prompt) for prompt in self.prompts])
        return RequestTrace(np.zeros(len(prompts)), prompts, np.array(self.outputs))


@dataclass(frozen=True)
class Served:
    """What came of a job: answers in its order, a log of the pages, seconds, preemptions."""

    answers: tuple[tuple[int, ...], ...]
    log: PageLog
    wall_s: float
    preempted: int

    @property
    def steps(self) -> int:
        """Steps that ran."""
        return len(self.log.moments)

    @property
    def tokens_per_s(self) -> float:
        """Tokens of the answers over the wall-clock time."""
        return sum(map(len, self.answers)) / self.wall_s

    @property
    def crowded(self) -> list[PageMoment]:
        """The steps in which a request waited for memory; all of them if none ever did."""
        return self.log.crowded() or self.log.moments

    @property
    def running(self) -> float:
        """Requests that ran at a time, on average over the steps in which one waited."""
        return sum(len(moment.tokens) for moment in self.crowded) / len(self.crowded)

    def filled_share(self, num_slots: int) -> float:
        """Share of the memory's slots that a running request had filled, while one waited.

        A slot that several requests share counts for each of them.
        """
        held = sum(sum(moment.tokens.values()) for moment in self.crowded)
        return held / (num_slots * len(self.crowded))


def glossary_job(count: int, *, limit: int) -> Job:
    """``count`` requests that explain words of the glossary, all with the same instructions.

    Their answers end where the course's model puts its first full stop, or with ``limit`` tokens.
    The words are a list of their own, so that the job stays when the glossary grows.
    """
    from labutils import datafile
    from labutils.engine import Engine
    from labutils.serving.checkpoints import course_model

    model, tokenizer = course_model()
    words, glossary = (
        json.loads(datafile(name).read_text(encoding="utf-8"))
        for name in ("explained_words.json", "glossary.json")
    )
    texts = (
        f"{n}. {word}: {glossary[word]['meaning']}. " for n, word in zip(range(count), cycle(words))
    )
    prompts = [tuple(tokenizer.encode(INSTRUCTIONS + text)) for text in texts]
    enough = count * -(-limit // 16)
    engine = Engine(model, num_pages=enough, max_sequences=PLACES, tokenizer=tokenizer)
    ids = [
        engine.add_request(prompt, max_output_tokens=limit - len(prompt), stop=".")
        for prompt in prompts
    ]
    engine.run()
    outputs = tuple(len(engine.requests[one].answer) for one in ids)
    return Job(tuple(prompts), outputs, limit)


def serve(room: ModuleType, model, pool, job: Job, *, prefix_sharing: bool = True) -> Served:
    """Serve ``job`` on the engine of ``room`` over a fresh ``pool``; every page must come back.

    A request that fails raises its error.
    """
    scheduler = room.Scheduler(PLACES, pool, token_budget=BUDGET, chunked=True)
    engine, log = room.Engine(model, scheduler, prefix_sharing=prefix_sharing), PageLog(scheduler)
    engine.on_step = log.of_engine
    begin_s = time.perf_counter()
    ids = [
        engine.add_request(prompt, max_output_tokens=job.limit - len(prompt), stop=_after(length))
        for prompt, length in zip(job.prompts, job.outputs)
    ]
    engine.run()
    wall_s = time.perf_counter() - begin_s
    engine.check()
    requests = [engine.requests[one] for one in ids]
    for request in requests:
        if request.error is not None:
            raise request.error
    answers = tuple(tuple(request.answer) for request in requests)
    return Served(answers, log, wall_s, sum(request.preemptions for request in requests))


def _after(length: int) -> Callable[[Sequence[int]], bool]:
    return lambda answer: len(answer) >= length


def sessions(room: ModuleType, count: int, turns: int, *, seed: int, page_tokens: int = 16):
    """Conversations: each turn's prompt is all that was said before, and something new.

    Returns requests in order of arrival, with keys by ``room.page_keys``, and the lengths of their
    answers. All prompts begin with 64 tokens of instructions; between two turns of a session a
    user thinks for 5 to 60 s.
    """
    import numpy as np

    rng, found = np.random.default_rng(seed), []
    instructions = rng.integers(0, 50_000, 64).tolist()
    for session in range(count):
        text, now_s = list(instructions), rng.uniform(0, 60)
        for turn in range(turns):
            text += rng.integers(0, 50_000, rng.integers(20, 120)).tolist()
            answer, keys = int(rng.integers(30, 200)), room.page_keys(text, page_tokens)
            request = room.Request(f"{session}.{turn}", len(text), 256, now_s, keys=keys)
            found.append((request, answer))
            text += rng.integers(0, 50_000, answer).tolist()
            now_s += rng.uniform(5, 60)
    found.sort(key=lambda pair: pair[0].arrival_s)
    return [request for request, _ in found], [answer for _, answer in found]


def forgetful(pool: type) -> type:
    """A class of ``pool`` that forgets a page when no request holds it any more."""

    class Forgetful(pool):
        def drop(self, page):
            self.page_of.pop(self.key_of.pop(page, None), None)
            self.blank.append(page)

    return Forgetful


def verdict(ran: dict[str, list[Served]]) -> str:
    """Which contenders differ by more than the rounds of one of them do, in one line.

    Two neighbours of the table differ if the slower one's fastest round is slower than the faster
    one's slowest round.
    """
    order = sorted(ran, key=lambda name: -min(run.wall_s for run in ran[name]))
    ties = [
        f"{slow!r} and {fast!r}"
        for slow, fast in pairwise(order)
        if min(run.wall_s for run in ran[slow]) <= max(run.wall_s for run in ran[fast])
    ]
    if not ties:
        return "Every round of one row is faster than every round of the next slower row."
    return f"Not told apart in these rounds: {', '.join(ties)}."
