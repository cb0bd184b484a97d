"""From a plan to tokens: the inputs of one step, the model, and the choice of the next tokens.

Tokens stay on the device. Each open request has a row there, which holds its newest token; the next
step reads it from that row, so it can be put together before the host has seen the token.
"""

import time
from collections.abc import Iterable, Sequence

import numpy as np
import torch

from .attention import PackedStep, attention_path
from .block_manager import PageLeak
from .errors import BadPlan
from .fast.packed_linear import packed
from .kv_layout import Pages
from .kv_pool import KVPool
from .open_request import OpenRequest, Part
from .sampled import Sampled
from .sampling import sample
from .step_graphs import StepGraphs, graphs_or_none


class Runner:
    """Runs steps of ``model`` on a pool of KV pages that is laid out as ``layout`` says.

    With ``graph_rows`` above 0, decode steps of up to that many rows are replayed as CUDA graphs.
    """

    def __init__(
        self,
        model,
        layout: Pages,
        *,
        attention: str = "auto",
        graph_rows: int = 0,
        clock=time.perf_counter,
    ):
        weights = next(model.parameters())
        self.model, self.layout = packed(model), layout
        self.device, self.clock = weights.device, clock
        self.pool = KVPool(
            model.spec,
            layout.num_pages + (graph_rows > 0),  # one for the rows that pad a graph
            layout.page_tokens,
            dtype=weights.dtype,
            device=weights.device,
        )
        self.attention = attention_path(attention, self.pool)
        self.tables = np.zeros((8, 8), dtype=np.int64)  # a line of pages for each row
        self.newest = torch.zeros(8, dtype=torch.int64, device=self.device)  # a token for each row
        self._free_rows = list(range(8))[::-1]
        self.graphs = self._record(graph_rows) if graph_rows else None

    def place(self, part: Part) -> None:
        """Note where the tokens of ``part`` will lie. ``OutOfBlocks`` if there is no room."""
        request, tokens = part.request, part.computed + part.new_tokens
        if request.row is None:
            request.row = self._take_row()
        if tokens <= request.room:
            return
        pages = self.layout.pages(request.id, tokens)
        request.room = len(pages) * self.layout.page_tokens
        if request.room < tokens:
            raise BadPlan(
                f"request {request.id!r} computes {tokens} tokens: expected at most "
                f"{request.room}, what its memory holds"
            )
        if len(pages) > self.tables.shape[1]:
            self.tables = _wider(self.tables, len(pages))
        self.tables[request.row, : len(pages)] = pages

    def forget(self, request: OpenRequest) -> None:
        """A request has ended: its row is free."""
        if request.row is not None:
            self._free_rows.append(request.row)
            request.row = None

    def check(self, open_requests: Iterable[OpenRequest]) -> None:
        """``PageLeak`` unless each row is free or taken once, and its pages are the memory's."""
        taken = [request for request in open_requests if request.row is not None]
        rows = sorted([*self._free_rows, *(request.row for request in taken)])
        if rows != list(range(len(self.tables))):
            raise PageLeak(f"rows {rows}: expected each of {len(self.tables)} once")
        for request in taken:
            known = -(-request.room // self.layout.page_tokens)
            pages = self.layout.pages(request.id, request.room) if known else ()
            if list(pages)[:known] != self.tables[request.row, :known].tolist():
                raise PageLeak(f"request {request.id!r}: its pages moved")

    def run(self, parts: Sequence[Part]) -> Sampled:
        """Compute ``parts`` in one pass; returns the chosen tokens, perhaps still to come."""
        with torch.inference_mode():
            step, fed, rows = self._inputs(parts)
            sampled = Sampled([part for part in parts if part.samples], self.device, self.clock)
            step.tokens[fed[0]] = self.newest[fed[1]]
            logits = self._logits(step)
            sampled.send(self._choose(logits, sampled.parts, rows) if sampled.parts else None)
        return sampled

    def _choose(self, logits: torch.Tensor, parts: Sequence[Part], rows) -> torch.Tensor:
        samplings = [part.request.sampling for part in parts]
        tokens = sample(logits, samplings, [part.uniform for part in parts])
        self.newest[rows] = tokens
        return tokens

    def _logits(self, step: PackedStep) -> torch.Tensor:
        """Logits of the step's outputs, [outputs, vocabulary]: from a graph if one fits."""
        logits = self.graphs.logits(step) if self.graphs else None
        return self._compute(step) if logits is None else logits

    def _compute(self, step: PackedStep) -> torch.Tensor:
        attend = self.attention.bind(step)
        positions = step.positions[None]
        return self.model(step.tokens[None], positions, attend=attend, rows=step.outputs)[0]

    def _record(self, rows: int, record=None) -> StepGraphs | None:
        if not getattr(self.attention, "captures", False):
            raise ValueError("graphs = True: expected an attention path that can be recorded")
        longest = self.pool.spec.max_context or self.pool.num_slots
        return graphs_or_none(
            self._compute,
            most_rows=rows,
            most_pages=min(-(-longest // self.pool.page_tokens), self.layout.num_pages),
            page_tokens=self.pool.page_tokens,
            spare_page=self.layout.num_pages,
            device=self.device,
            record=record,
        )

    def _inputs(self, parts: Sequence[Part]) -> tuple[PackedStep, tuple, torch.Tensor]:
        """The step's tensors; (places, rows) of tokens that the device has; rows of who samples."""
        counts = np.array([part.new_tokens for part in parts])
        computed = np.array([part.computed for part in parts])
        rows = np.array([part.request.row for part in parts])
        ends = np.cumsum(counts)
        line = np.repeat(np.arange(len(parts)), counts)
        positions = np.arange(ends[-1]) + np.repeat(computed - (ends - counts), counts)
        page_tokens = self.layout.page_tokens
        most = -(-int((computed + counts).max()) // page_tokens)
        tables = self.tables[rows, :most]
        slots = tables[line, positions // page_tokens] * page_tokens + positions % page_tokens
        samples = np.array([part.samples for part in parts])
        fed = np.array([part.fed for part in parts])
        tokens, positions, slots, outputs, places, sources, sampling, tables = self._send(
            _tokens(parts, ends),
            positions,
            slots,
            (ends - 1)[samples],
            (ends - 1)[fed],
            rows[fed],
            rows[samples],
            tables,
        )
        step = PackedStep(
            tokens=tokens,
            positions=positions,
            slots=slots,
            query_lengths=tuple(counts.tolist()),
            context_lengths=tuple((computed + counts).tolist()),
            tables=tables,
            page_tokens=page_tokens,
            outputs=outputs,
        )
        return step, (places, sources), sampling

    def _send(self, *arrays: np.ndarray) -> list[torch.Tensor]:
        """Whole numbers as tensors on the device; to another device in a single copy."""
        if self.device.type == "cpu":
            return [torch.from_numpy(array) for array in arrays]
        packed = torch.from_numpy(np.concatenate([array.ravel() for array in arrays]))
        moved = packed.pin_memory().to(self.device, non_blocking=True)
        pieces = moved.split([array.size for array in arrays])
        return [piece.view(array.shape) for piece, array in zip(pieces, arrays)]

    def _take_row(self) -> int:
        if not self._free_rows:
            rows = len(self.tables)
            self.tables = np.concatenate([self.tables, np.zeros_like(self.tables)])
            self.newest = torch.cat([self.newest, torch.zeros_like(self.newest)])
            self._free_rows = list(range(rows, 2 * rows))[::-1]
        return self._free_rows.pop()


def _tokens(parts: Sequence[Part], ends: np.ndarray) -> np.ndarray:
    """The tokens that the parts compute, in a line; 0 where only the device knows one."""
    tokens = np.zeros(ends[-1], dtype=np.int64)
    for part, end in zip(parts, ends.tolist()):
        if part.new_tokens > 1 or not part.fed:
            known = part.request.tokens[part.computed : part.computed + part.new_tokens]
            first = end - part.new_tokens
            tokens[first : first + len(known)] = known
    return tokens


def _wider(tables: np.ndarray, pages: int) -> np.ndarray:
    """The same tables with room for ``pages`` pages a line, and more."""
    return np.pad(tables, ((0, 0), (0, max(pages, 2 * tables.shape[1]) - tables.shape[1])))
