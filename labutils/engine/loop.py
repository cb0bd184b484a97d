"""The loop: ask the scheduler, compute its plan with the model, hand out the tokens."""

import operator
import time
from collections.abc import Callable, Hashable, Iterable, Sequence
from itertools import count

import torch

from labutils.ground import arguments

from .attention import KVMemory, paged_attention
from .packing import PackedStep, pack
from .pages import PagePool, page_keys
from .request import Generation
from .sampling import sample
from .scheduler import Plan, Scheduler


class Engine:
    """Serves requests with ``model``: ``add_request``, then ``step`` until none is open.

    ``scheduler`` is a ``Scheduler`` or has its verbs, with a ``pool`` that says where keys and
    values lie. The default runs ``max_sequences`` requests over ``num_pages`` pages.

    Whatever is wrong with one request ends that request alone: ``requests[id].error`` says what.
    ``on_step(engine, plan)`` is called after each step, before its tokens are handed out. One
    thread at a time may use an engine; callbacks may add and cancel requests.
    """

    def __init__(
        self, model, scheduler: Scheduler | None = None, *, num_pages: int = 512,
        page_tokens: int = 16, max_sequences: int = 16, token_budget: int = 512,
        chunked: bool = True, prefix_sharing: bool = True, tokenizer=None,
        clock: Callable[[], float] = time.perf_counter,
    ):  # fmt: skip
        weights = next(model.parameters())
        if scheduler is None:
            pool = PagePool(num_pages, page_tokens)
            scheduler = Scheduler(max_sequences, pool, token_budget=token_budget, chunked=chunked)
        self.model, self.scheduler, self.pool = model, scheduler, scheduler.pool
        self.tokenizer, self.clock, self.device = tokenizer, clock, weights.device
        self.prefix_sharing = prefix_sharing
        sizes = self.pool.num_pages, self.pool.page_tokens
        self.memory = KVMemory(model.spec, *sizes, dtype=weights.dtype, device=self.device)
        self.requests: dict[Hashable, Generation] = {}  # all that ever came
        self.open: dict[Hashable, Generation] = {}  # those that have not ended
        self.on_step: Callable[[Engine, Plan], None] | None = None
        self._numbers = count()

    def add_request(
        self, prompt: Sequence[int] | str, *, max_output_tokens: int = 64,
        id: Hashable | None = None, arrival_s: float | None = None, salt: str = "", **options,
    ) -> Hashable:  # fmt: skip
        """Let a request wait for its answer of up to ``max_output_tokens``; returns its id.

        ``arrival_s`` is when the user asked (default: now), ``salt`` is for ``page_keys``, and
        ``options`` are ``Generation``'s: ``sampling``, ``stop``, ``on_token``, ``priority``. A
        request that can never be served is rejected at once, and its ``error`` says why.
        """
        now_s = self.clock()
        id = next(n for n in self._numbers if n not in self.requests) if id is None else id
        if id in self.requests:
            raise ValueError(f"id = {id!r}: expected another one for each request")
        when = {"sent_s": now_s, "arrival_s": now_s if arrival_s is None else arrival_s}
        try:
            given = self._tokens(prompt, max_output_tokens)
            keys = page_keys(given, self.pool.page_tokens, salt=salt) if self.prefix_sharing else ()
            options |= {"keys": keys, "tokenizer": self.tokenizer}
            request = Generation(id, given, max_output_tokens, **when, **options)
            self.scheduler.add(request)
            self.open[id] = request
        except ValueError as error:
            request = Generation(id, (), 0, **when)
            request.finish_reason, request.error = "rejected", error
        self.requests[id] = request
        return id

    def generate(self, prompts: Iterable[Sequence[int] | str], **options) -> list[Generation]:
        """Serve ``prompts`` to their end, in their order; ``options`` are ``add_request``'s."""
        if isinstance(prompts, str):
            raise ValueError(f"prompts = {prompts!r}: expected a list of prompts, not a single one")
        ids = [self.add_request(prompt, **options) for prompt in prompts]
        self.run()
        return [self.requests[id] for id in ids]

    def run(self) -> None:
        """Step until every request has ended."""
        while self.open:
            if self.step() is None:
                raise RuntimeError(f"schedule planned no step; open: {list(self.open)[:4]}")

    def cancel(self, id: Hashable) -> bool:
        """End a request now; False if it had ended before. ``ValueError`` for an unknown id."""
        if id not in self.requests:
            raise ValueError(f"id = {id!r}: expected that of a request")
        was_open = id in self.open
        if was_open:
            self._end(self.open[id], "cancelled")
        return was_open

    def step(self) -> list[tuple[Hashable, int]] | None:
        """Compute the next step; returns its tokens as pairs (id, token); None: no step."""
        now_s = self.clock()
        plan = self.scheduler.schedule(now_s)
        if not hasattr(plan, "chunks"):  # None, or a time to wait for
            return None
        for request, _ in plan.chunks:
            request.admitted_s = now_s if request.admitted_s is None else request.admitted_s
        failed: dict[Generation, Exception] = {}
        tokens = self._compute(plan.chunks, failed)
        self.scheduler.commit(plan._replace(chunks=[c for c in plan.chunks if c[0] not in failed]))
        for request, error in failed.items():
            self._end(request, "failed", error)
        try:
            if self.on_step is not None:
                self.on_step(self, plan)
        finally:  # a hook that raises loses no token
            told = self._hand_out(tokens)
        return told

    def check(self) -> None:
        """``PageLeak`` unless every page is where it should be."""
        self.pool.check(self.open.values())

    def _compute(self, chunks: Sequence[tuple[Generation, int]], failed: dict) -> list[tuple]:
        """Pairs (request, next token); a request that cannot be computed goes into ``failed``.

        If the model raises, each request is computed alone, so that only those at fault fail: to
        compute a chunk again writes the same keys to the same slots.
        """
        try:
            return self._forward(chunks) if chunks else []
        except Exception as error:
            if len(chunks) == 1:
                failed[chunks[0][0]] = error
                return []
        return [pair for chunk in chunks for pair in self._compute([chunk], failed)]

    def _forward(self, chunks: Sequence[tuple[Generation, int]]) -> list[tuple[Generation, int]]:
        """Pack the step, run the model, choose a token for each request that has caught up.

        Decodes come first, by rising context, so that neighbours can be read together.
        """
        chunks = sorted(chunks, key=lambda chunk: (chunk[1] > 1, chunk[0].computed))
        rows = [one for one, new in chunks if one.computed + new == one.known]
        with torch.inference_mode():
            logits = self._logits(pack(chunks, self.pool.page_tokens, self.device))
            uniforms = [one.random.random() if one.sampling.temperature else 0.0 for one in rows]
            tokens = sample(logits, [one.sampling for one in rows], uniforms)
        return list(zip(rows, tokens.tolist()))

    def _logits(self, step: PackedStep) -> torch.Tensor:
        """Logits [outputs, vocabulary] after the tokens at ``step.last``."""
        attend = paged_attention(self.memory, step)
        return self.model(step.tokens[None], step.positions[None], attend=attend, rows=step.last)[0]

    def _hand_out(self, tokens: Sequence[tuple[Generation, int]]) -> list[tuple[Hashable, int]]:
        """Tell each request its token, unless it has ended; end those that end with it."""
        told, now_s = [], self.clock()
        for request, token in tokens:
            if request.finish_reason is not None:
                continue
            told.append((request.id, token))
            try:
                reason, error = request.take(token, now_s), None
                if request.on_token is not None:
                    request.on_token(request.id, token)
            except Exception as raised:
                reason, error = "failed", raised
            if reason is not None and request.finish_reason is None:
                self._end(request, reason, error)
        return told

    def _end(self, request: Generation, reason: str, error: Exception | None = None) -> None:
        """Take a request out: its memory goes back, its answer is there."""
        self.scheduler.finish(request)
        del self.open[request.id]
        request.finish_s, request.finish_reason, request.error = self.clock(), reason, error
        try:
            request.text = self.tokenizer and request.words()
        except Exception as raised:
            request.finish_reason, request.error = "failed", error or raised

    def _tokens(self, prompt: Sequence[int] | str, max_output_tokens: int) -> list[int]:
        """Token numbers of ``prompt``. ``ValueError`` unless model and context can take them."""
        arguments.whole("max_output_tokens", max_output_tokens)
        if isinstance(prompt, str):
            if self.tokenizer is None:
                raise ValueError("prompt is text: expected token numbers, as there is no tokenizer")
            prompt = self.tokenizer.encode(prompt)
        try:
            tokens = [operator.index(token) for token in prompt]
        except TypeError as error:
            raise ValueError(f"prompt: expected whole token numbers ({error})") from None
        most, vocabulary = self.model.spec.max_context, self.model.spec.vocab_size
        unknown = [token for token in tokens if not 0 <= token < vocabulary]
        if unknown:
            raise ValueError(f"prompt has token {unknown[0]!s:.20}: expected 0 to {vocabulary - 1}")
        if most is not None and len(tokens) + max_output_tokens > most:
            asked = f"{len(tokens)} tokens of prompt and {max_output_tokens} of answer"
            raise ValueError(f"{asked}: expected at most {most} together, the model's context")
        return tokens
