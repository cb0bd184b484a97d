"""The assistant: a question goes through its stages, each an ``async`` function with one job.

    answer ── embed ── near ──┐
           └─ words ──────────┴─ fuse ── rerank ── prompt ── generate

The two searches run beside each other. Every stage has threads of its own, so that load has
somewhere to queue; the engine has its own queue.
"""

import asyncio
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from labutils.ground import arguments
from labutils.retrieval.corpus import Passage
from labutils.retrieval.embedder import WORD, Embedder
from labutils.retrieval.fusion import fuse_scores
from labutils.retrieval.indexes import ExactIndex
from labutils.retrieval.keywords import KeywordIndex
from labutils.retrieval.rerank import WordReranker
from labutils.retrieval.stage_threads import StageThreads
from labutils.serving.engine_thread import EngineThread
from labutils.telemetry import conventions, stage

SERVERS = {"embed": 1, "near": 1, "words": 1, "rerank": 1, "prompt": 1}
LONGEST_QUESTION = 2_000  # characters
CANDIDATES = 20  # of each search, and for the reranker
Hits = tuple[list[int], list[float]]  # places and scores, best first
WEIGHT_OF_VECTORS = 0.5  # words have 1; chosen on the labelled questions (retrieval.quality)


@dataclass(frozen=True)
class Answer:
    """What came back, and what it was made of."""

    question: str
    text: str
    passages: tuple[Passage, ...]
    prompt_tokens: int
    output_tokens: int
    seconds: float


@dataclass(frozen=True)
class Library:
    """What is searched: passages with the indexes over them, for the tenants who may ask."""

    passages: Sequence[Passage]
    embedder: Embedder
    near: object
    words: KeywordIndex
    reranker: WordReranker
    tenants: Collection[str] = field(default=("course",))

    @classmethod
    def of(cls, passages: Sequence[Passage], *, tenants=("course",), dimensions: int = 96):
        """Train the embedder and build the indexes: some two seconds for the course's own."""
        texts = [passage.words for passage in passages]
        embedder = Embedder.of(texts, dimensions=dimensions)
        return cls(
            passages, embedder, ExactIndex(embedder.embed(texts)), KeywordIndex(texts),
            WordReranker(texts, embedder), tenants,
        )  # fmt: skip


class Assistant:
    """``await assistant.answer("What is goodput?")`` over a library, with an engine.

    ``servers`` gives threads to stages (default ``SERVERS``); ``recorder`` is a
    ``labutils.telemetry`` recorder: one trace a request. ``engine`` is one of ``labutils.engine``
    or a learner's, with a tokenizer.
    """

    def __init__(
        self, library: Library, engine, recorder, *, servers: Mapping[str, int] | None = None,
        max_output_tokens: int = 32,
    ):  # fmt: skip
        servers = SERVERS | dict(servers or {})
        if unknown := set(servers) - set(SERVERS):
            raise ValueError(f"servers = {sorted(unknown)}: expected names of {list(SERVERS)}")
        self.library, self.tracer = library, recorder.tracer("labutils.retrieval")
        self.max_output_tokens = arguments.whole("max_output_tokens", max_output_tokens)
        self.threads = {n: StageThreads(n, count, self.tracer) for n, count in servers.items()}
        self._room = engine.model.spec.max_context - self.max_output_tokens  # for the prompt
        self.engine, self.engine_thread = engine, EngineThread(engine)
        self._clock_offset_ns = time.time_ns() - int(1e9 * engine.clock())

    async def answer(
        self, question: str, *, tenant: str = "course",
        on_token: Callable[[int], None] | None = None,
    ) -> Answer:  # fmt: skip
        """Search, write the prompt, generate. ``ValueError`` for a question that cannot be taken.

        ``on_token`` hears each token as it comes.
        """
        began_s = time.perf_counter()
        with stage(self.tracer, "answer"):
            self._admit(question, tenant)
            near, words = await asyncio.gather(self._near(question), self._words(question))
            with stage(self.tracer, "fuse"):
                candidates = fused(words, near)
            best = await self._rerank(question, candidates)
            prompt, used = await self._prompt(question, best)
            request = await self._generate(prompt, on_token)
        passages = tuple(self.library.passages[place] for place in used)
        took_s = time.perf_counter() - began_s
        return Answer(
            question, request.text, passages, request.prompt_tokens, len(request.answer), took_s
        )

    def close(self) -> None:
        """End the threads; open requests end with ``EngineStopped``."""
        self.engine_thread.close()
        for threads in self.threads.values():
            threads.close()

    def _admit(self, question: str, tenant: str) -> None:
        if not isinstance(question, str):
            raise ValueError(f"question = {question!r:.60}: expected a text")
        if len(question) > LONGEST_QUESTION:
            raise ValueError(
                f"question has {len(question):,} characters: expected at most {LONGEST_QUESTION:,}"
            )
        try:
            question.encode()
        except UnicodeEncodeError:
            raise ValueError(
                f"question = {question!r:.60}: expected characters that UTF-8 can write"
            ) from None
        if not WORD.search(question):
            raise ValueError(f"question = {question!r:.60}: expected a text of at least one word")
        if tenant not in self.library.tenants:
            known = ", ".join(sorted(self.library.tenants))
            raise ValueError(f"tenant = {tenant!r}: expected one of {known}")
        fitted(question, (), self.engine.tokenizer.encode, self._room)  # alone, before any search

    async def _near(self, question: str) -> Hits:
        """Passages whose vectors are near the question's."""
        vectors = await self.threads["embed"].run(self.library.embedder.embed, [question])
        search = self.library.near.search
        places, scores = await self.threads["near"].run(search, vectors[0], self._candidates())
        alike = scores > 0  # a question of unknown words has no direction: nothing is near it
        return places[alike].tolist(), scores[alike].tolist()

    async def _words(self, question: str) -> Hits:
        """Passages that share words with the question."""
        search = self.library.words.search
        places, scores = await self.threads["words"].run(search, question, self._candidates())
        return places.tolist(), scores.tolist()

    async def _rerank(self, question: str, places: list[int]) -> list[int]:
        """The candidates again, compared word by word."""
        ranked = self.library.reranker.ranked
        return await self.threads["rerank"].run(ranked, question, places, candidates=len(places))

    async def _prompt(self, question: str, places: list[int]) -> tuple[list[int], list[int]]:
        """Tokens of the prompt, and the places of the passages that fitted into it."""
        texts = [self.library.passages[place].words for place in places]
        encode = self.engine.tokenizer.encode
        tokens, used = await self.threads["prompt"].run(fitted, question, texts, encode, self._room)
        return tokens, [places[n] for n in used]

    async def _generate(self, prompt: list[int], on_token):
        """Let the engine answer, and write down its line and its work as two spans."""
        now_ns = time.time_ns
        began_ns = now_ns()
        request, error = None, None
        try:
            request = await self.engine_thread.generate(
                prompt, max_output_tokens=self.max_output_tokens, on_token=on_token
            )
            return request
        except BaseException as raised:
            error = raised
            raise
        finally:
            self._note_generation(began_ns, now_ns(), request, error)

    def _note_generation(self, began_ns: int, ended_ns: int, request, error) -> None:
        admitted_ns = began_ns if request is None else self._in_ns(request.admitted_s)
        waiting = self.tracer.start_span("wait.generate", start_time=began_ns)
        waiting.end(end_time=max(admitted_ns, began_ns))
        span = self.tracer.start_span("generate", start_time=max(admitted_ns, began_ns))
        span.set_attribute(conventions.OPERATION_NAME, "text_completion")
        span.set_attribute(conventions.REQUEST_MAX_TOKENS, self.max_output_tokens)
        if request is None:
            span.set_attribute(conventions.ERROR_TYPE, type(error).__qualname__)
        else:
            self._note_tokens(span, request)
        span.end(end_time=ended_ns)

    def _note_tokens(self, span, request) -> None:
        span.add_event("first token", timestamp=self._in_ns(request.times_s[0]))
        span.set_attribute(conventions.INPUT_TOKENS, request.prompt_tokens)
        span.set_attribute(conventions.OUTPUT_TOKENS, len(request.answer))
        span.set_attribute(conventions.CACHE_READ_INPUT_TOKENS, request.cached or 0)
        span.set_attribute(conventions.FINISH_REASONS, [request.finish_reason])
        first_s = request.times_s[0] - request.admitted_s
        span.set_attribute(conventions.TIME_TO_FIRST_CHUNK, first_s)
        if (gaps := np.diff(request.times_s)).size:
            span.set_attribute(conventions.TIME_PER_OUTPUT_TOKEN, float(gaps.mean()))
            span.set_attribute(conventions.LONGEST_GAP, float(gaps.max()))

    def _in_ns(self, engine_s: float) -> int:
        """A moment of the engine's clock, as nanoseconds since 1970."""
        return self._clock_offset_ns + int(1e9 * engine_s)

    def _candidates(self) -> int:
        return min(CANDIDATES, len(self.library.passages))


def fused(words: Hits, near: Hits, weight_of_vectors: float = WEIGHT_OF_VECTORS) -> list[int]:
    """The candidates of both searches, by their weighted scores, best first."""
    return fuse_scores([words, near], [1.0, weight_of_vectors])[:CANDIDATES]


def fitted(
    question: str, texts: Sequence[str], encode: Callable[[str], list[int]], room: int
) -> tuple[list[int], list[int]]:
    """A prompt of at most ``room`` tokens: passages best first, as many as fit, then the question.

    Returns its tokens and the places of the passages in it. A passage that does not fit is left
    out, and a shorter one after it may still come in. Raises ``ValueError`` if the question alone
    is too long.
    """
    end = encode(f"\n\n{question}\n")
    if len(end) > room:
        raise ValueError(f"question has {len(end)} tokens: expected at most {room}")
    tokens, used = [], []
    for place, text in enumerate(texts):
        more = encode(f"{text}\n\n")
        if len(tokens) + len(more) + len(end) <= room:
            tokens += more
            used.append(place)
    return tokens + end, used
