"""The small engine, made fast: ``labutils.engine.Engine`` with what its readers need not see."""

import math
import time
from collections import deque
from collections.abc import Hashable, Sequence

import torch

from labutils.engine import Engine, Generation
from labutils.engine.packing import PackedStep, pack
from labutils.engine.sampling import sample

from .account import StepRecord, Watched
from .flight import Flight, Sampled
from .packed_linear import packed
from .page_room import pages_that_fit
from .parts import sent
from .paths import attention_path, best_path
from .step_graphs import graphs_or_none

LONGEST_NAP_S = 0.05


class FastEngine(Engine):
    """Serves requests as ``Engine`` does, faster, and writes down what each step took in ``steps``.

    On a processor the weights are ``packed``. ``attention`` names a path of ``attention_path``.
    ``overlap`` plans and launches the next step while this one runs, so that tokens are read, and
    ends are noticed, one step late; ``graphs`` replays decode steps as CUDA graphs (the default of
    both: on CUDA, where the attention allows it). ``num_pages`` is by default what fits:
    ``pages_that_fit``. All other ``options`` are those of ``Engine``.

    ``idle_until_s`` is None after a step that did something; else the time until which there is
    nothing to compute (infinity: until a request arrives).
    """

    def __init__(
        self, model, scheduler=None, *, num_pages: int | None = None, page_tokens: int = 16,
        max_sequences: int = 16, attention: str = "auto", overlap: bool | None = None,
        graphs: bool | None = None, **options,
    ):  # fmt: skip
        if scheduler is None and num_pages is None:
            num_pages = pages_that_fit(model, page_tokens, max_sequences)
        options |= {"page_tokens": page_tokens, "max_sequences": max_sequences}
        super().__init__(packed(model), scheduler, num_pages=num_pages or 1, **options)
        on_cuda, dtype = self.device.type == "cuda", self.memory.keys.dtype
        if attention == "auto":
            attention = best_path(self.device, dtype)
        self.attention = attention_path(attention, self.memory)
        self.overlap = on_cuda if overlap is None else overlap
        if graphs is None:
            graphs = on_cuda and attention == "triton" and self.pool.page_tokens > 1
        self.graphs = self._recorded() if graphs else None
        self.scheduler = Watched(self.scheduler, self.clock)
        self.steps: list[StepRecord] = []
        self.idle_until_s: float | None = None
        self._parts: list[Sampled] = []  # of the step that is being launched
        self._flights: deque[Flight] = deque()

    def step(self) -> list[tuple[Hashable, int]] | None:
        """Launch the next step; returns the tokens that became known meanwhile. None: no step.

        With ``overlap`` these are the tokens of the step before, if it has any.
        """
        told = super().step()
        self.idle_until_s = self.scheduler.idle_until_s
        if told is None and self._flights:
            told, self.idle_until_s = self._deliver(self._flights.popleft()), None
        return told

    def run(self) -> None:
        """Step until every request has ended."""
        while self.open or self._flights:
            if self.step() is None:
                self._pause()

    def _forward(self, chunks: Sequence[tuple[Generation, int]]) -> list:
        """The same; the tokens stay where they were chosen, and none is returned yet."""
        chunks = sorted(chunks, key=lambda chunk: (chunk[1] > 1, chunk[0].computed))
        rows = [one for one, new in chunks if one.computed + new == one.known]
        with torch.inference_mode():
            step = self._packed(chunks, rows)
            part = Sampled(rows, self.device, self.clock)
            logits = self._logits(step)
            uniforms = [one.random.random() if one.sampling.temperature else 0.0 for one in rows]
            part.send(sample(logits, [one.sampling for one in rows], uniforms))
        self._parts.append(part)
        return []

    def _packed(self, chunks, rows: list[Generation]) -> PackedStep:
        """``pack``; a token that the host has not read yet comes from the step that chose it."""
        unread = [at for at, one in enumerate(rows) if len(one.tokens) < one.known]
        for at in unread:
            rows[at].tokens.append(0)
        try:
            step = pack(chunks, self.pool.page_tokens, self.device)
        finally:
            for at in unread:
                rows[at].tokens.pop()
        if unread:
            before = {one: at for at, one in enumerate(self._flights[-1].rows)}
            places = sent([unread, [before[rows[at]] for at in unread]], self.device)
            step.tokens[step.last[places[0]]] = self._flights[-1].tokens[places[1]]
        return step

    def _logits(self, step: PackedStep) -> torch.Tensor:
        """Logits [outputs, vocabulary]: from a graph if one fits."""
        logits = self.graphs.logits(step) if self.graphs else None
        return self._computed(step) if logits is None else logits

    def _computed(self, step: PackedStep) -> torch.Tensor:
        attend = self.attention.bind(step)
        return self.model(step.tokens[None], step.positions[None], attend=attend, rows=step.last)[0]

    def _recorded(self, record=None):
        """Decode steps as graphs; ``ValueError`` for an attention that cannot be recorded."""
        if not self.attention.captures:
            raise ValueError("graphs = True: expected an attention path that can be recorded")
        size, pages = self.pool.page_tokens, self.pool.num_pages
        longest = self.model.spec.max_context or pages * size
        return graphs_or_none(
            self._computed,
            most_rows=self.scheduler.max_sequences,
            most_pages=min(-(-longest // size), pages),
            page_tokens=size,
            device=self.device,
            record=record,
        )

    def _hand_out(self, tokens: list) -> list[tuple[Hashable, int]]:
        """Queue the launched step; hand out tokens, with overlap those of the step before it."""
        parts, self._parts = self._parts, []
        self._flights.append(Flight.launched(parts, self.scheduler, self.pool, self.clock()))
        told = []
        while len(self._flights) > (self.overlap and bool(self.open)):
            told += self._deliver(self._flights.popleft())
        return told

    def _deliver(self, flight: Flight) -> list[tuple[Hashable, int]]:
        """Read the tokens of a step, tell each request its own, and note what the step took."""
        began_s, spent_s, told = self.clock(), self.scheduler.spent_s, []
        blocked_s = -flight.blocked_s
        for part in flight.parts:
            told += super()._hand_out(list(zip(part.rows, part.read())))
        end_s, blocked_s = self.clock(), blocked_s + flight.blocked_s
        schedule_s = self.scheduler.spent_s - spent_s
        self.steps.append(
            flight.landed(
                schedule_s=schedule_s, delivered_s=end_s - began_s - blocked_s, end_s=end_s
            )
        )
        return told

    def _pause(self) -> None:
        """Wait until the scheduler wants to be asked again."""
        if math.isinf(self.idle_until_s):
            raise RuntimeError(f"schedule planned no step; open: {list(self.open)[:4]}")
        time.sleep(max(0.0, min(self.idle_until_s - self.clock(), LONGEST_NAP_S)))
