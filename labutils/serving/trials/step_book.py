"""Notes of what an engine did, step by step: to draw a run, and to see what its memory held."""

from collections.abc import Hashable
from typing import NamedTuple

from labutils.engine import Plan
from labutils.serving.scheduling.step_shape import StepShape

from .records import ran, work_of


class Entry(NamedTuple):
    """A step: (id, new tokens) of each request, who decodes, who was preempted, its shape."""

    chunks: tuple[tuple[Hashable, int], ...]
    decodes: frozenset
    preempted: tuple[Hashable, ...]
    shape: StepShape


class StepBook:
    """Hand it to an engine: ``engine.on_step = book = StepBook()``. One entry per step and column.

    ``plans`` are the steps as they ran. ``waiting`` are the requests in the queue; ``reserved`` and
    ``filled`` the token slots of the KV memory that some request holds, and that hold a token
    (``total`` are all of them), all three with the step's own work counted. ``ended_by`` is the
    number of answers that had ended before the step.
    """

    def __init__(self):
        self.plans: list[Entry] = []
        self.waiting: list[int] = []
        self.reserved: list[int] = []
        self.filled: list[int] = []
        self.ended_by: list[int] = []
        self.total = 0
        self._known: dict[Hashable, int] = {}

    def __call__(self, engine, plan: Plan) -> None:
        chunks = tuple((one.id, new) for one, new in plan.chunks)
        parts = ran(plan, self._known)
        decodes = {id for (id, _), part in zip(chunks, parts) if part[1] + 1 == part[2]}
        preempted = tuple(one.id for one in plan.preempted)
        self.plans.append(Entry(chunks, frozenset(decodes), preempted, work_of(parts)[0]))
        self.waiting.append(len(getattr(engine.scheduler, "waiting", ())))
        self.ended_by.append(len(engine.requests) - len(engine.open))
        pool = engine.pool
        self.total = pool.page_tokens * pool.num_pages
        self.reserved.append(self.total - pool.page_tokens * pool.num_free)
        self.filled.append(sum(one.computed for one in engine.open.values()))

    def __len__(self) -> int:
        return len(self.plans)

    @property
    def ids(self) -> tuple[Hashable, ...]:
        """Requests in the order in which they first computed something."""
        return tuple(dict.fromkeys(id for plan in self.plans for id, _ in plan.chunks))

    @property
    def filled_share(self) -> float:
        """Which share of all slots held a token, on average over the steps."""
        return sum(self.filled) / (self.total * len(self.filled))
