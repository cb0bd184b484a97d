"""Decode steps as CUDA graphs: one launch instead of some hundred, from buffers that never move.

A graph repeats the very kernels it was recorded with, sizes, addresses and plain numbers included.
So there is one graph for each of a few batch sizes, a step takes the next larger one, and whatever
varies lives in tensors that are overwritten in place. (An integer that is baked in goes wrong
silently: it cost transformers half of a benchmark's right answers, until pull request 45323 mended
it.) Rows that pad a step repeat its first one, down to the slot that it writes.
"""

import warnings
from collections.abc import Callable
from itertools import count, takewhile

import torch

from labutils.engine.packing import PackedStep

from .parts import tables_of

Compute = Callable[[PackedStep], torch.Tensor]
WARM_UPS = 2


def batch_sizes(most_rows: int) -> list[int]:
    """Sizes for which graphs are recorded: powers of two to 32, then every 32, then the largest."""
    below = takewhile(lambda size: size < most_rows, _sizes())
    return [*below, most_rows]


def _sizes():
    yield from (1, 2, 4, 8, 16)
    yield from count(32, 32)


class StepGraphs:
    """Recorded decode steps of up to ``most_rows`` rows and ``most_pages`` pages each.

    ``compute(step)`` gives the logits of a step; it is recorded by ``record`` (on CUDA; tests may
    bring another one) on the first slots of the memory, which hold nothing yet.
    """

    def __init__(
        self, compute: Compute, *, most_rows: int, most_pages: int, page_tokens: int,
        device: torch.device, record: Callable | None = None,
    ):  # fmt: skip
        self.page_tokens, self.most_rows, self.most_pages = page_tokens, most_rows, most_pages
        self._line = torch.zeros(3, most_rows, dtype=torch.int64, device=device)
        shape = (most_rows, most_pages)
        self._tables = torch.zeros(shape, dtype=torch.int64, device=device)
        self._outputs = torch.arange(most_rows, device=device)
        record = record or CudaRecorder()
        steps = {size: self._step(size) for size in batch_sizes(most_rows)}
        # The largest first: the others then fit into the memory that it took.
        self._replay = {size: record(compute, steps[size]) for size in sorted(steps)[::-1]}

    def logits(self, step: PackedStep) -> torch.Tensor | None:
        """Logits [rows, vocabulary] of ``step``; None if no graph fits it.

        They lie in the graph's own buffer, which the next step overwrites.
        """
        rows, pages = len(step.tables), max(map(len, step.tables))
        decodes = len(step.tokens) == rows == len(step.last)
        if not decodes or rows > self.most_rows or pages > self.most_pages:
            return None
        size = min(one for one in self._replay if one >= rows)
        for line, values in zip(self._line, (step.tokens, step.positions, step.slots), strict=True):
            line[:rows] = values
        self._tables[:rows, :pages] = tables_of(step, range(rows))
        self._line[:, rows:size] = self._line[:, :1]
        self._tables[rows:size] = self._tables[:1]
        return self._replay[size]()[:rows]

    def _step(self, rows: int) -> PackedStep:
        """The step that is recorded: views into the buffers, and lengths that bound all others."""
        return PackedStep(
            *self._line[:, :rows],
            last=self._outputs[:rows],
            lengths=[1] * rows,
            contexts=[self.most_pages * self.page_tokens] * rows,
            tables=self._tables[:rows],
            page_tokens=self.page_tokens,
        )


class CudaRecorder:
    """Records CUDA graphs that share one pool of memory."""

    def __init__(self):
        self.memory = torch.cuda.graph_pool_handle()

    def __call__(self, compute: Compute, step: PackedStep) -> Callable[[], torch.Tensor]:
        """Record ``compute(step)``; the function that comes back runs it on what ``step`` holds."""
        stream = torch.cuda.Stream()
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            for _ in range(WARM_UPS):  # compiles kernels, which a recording may not do
                compute(step)
        torch.cuda.current_stream().wait_stream(stream)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, pool=self.memory):
            logits = compute(step)

        def replay() -> torch.Tensor:
            graph.replay()
            return logits

        return replay


def graphs_or_none(compute: Compute, **sizes) -> StepGraphs | None:
    """``StepGraphs``; None, with a warning that says why, if they cannot be recorded here."""
    try:
        with torch.inference_mode():
            return StepGraphs(compute, **sizes)
    except (RuntimeError, ValueError) as error:
        warnings.warn(f"no CUDA graphs: {error}", RuntimeWarning, stacklevel=2)
        return None
