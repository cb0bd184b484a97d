"""Notes of what an engine did, step by step: to draw a run, and to see what its memory held."""

from collections.abc import Hashable

from .plan import StepPlan


class StepBook:
    """Hand it to an engine: ``engine.on_step = book = StepBook()``. One entry per step and column.

    ``plans`` are the steps as they ran. ``waiting`` are the requests in the queue; ``reserved`` and
    ``filled`` the token slots of the KV memory that somebody holds, and that hold a token
    (``total`` are all of them; zeros for a scheduler without memory), all three with the step's own
    work counted. ``ended_by`` is the number of answers that had ended before the step.
    """

    def __init__(self):
        self.plans: list[StepPlan] = []
        self.waiting: list[int] = []
        self.reserved: list[int] = []
        self.filled: list[int] = []
        self.ended_by: list[int] = []
        self.total = 0
        self._computed: dict[Hashable, int] = {}

    def __call__(self, engine, plan: StepPlan) -> None:
        self.plans.append(plan)
        self.waiting.append(len(getattr(engine.scheduler, "waiting", ())))
        self.ended_by.append(len(engine.answers))
        self._fill(engine, plan)
        page_tokens = engine.layout.page_tokens
        self.total = page_tokens * engine.layout.num_pages
        self.reserved.append(page_tokens * engine.layout.in_use)
        self.filled.append(sum(self._computed.values()))

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

    def _fill(self, engine, plan: StepPlan) -> None:
        for id in [id for id in self._computed if id in engine.answers]:
            del self._computed[id]
        for id in plan.preempted:
            self._computed.pop(id, None)
        cached = dict(plan.cached)
        for id, new_tokens in plan.chunks:
            self._computed[id] = self._computed.get(id, cached.get(id, 0)) + new_tokens
