"""Who held which page in every step: a log of a run, in the simulator or on the engine."""

from collections import Counter
from collections.abc import Hashable
from dataclasses import dataclass, field

from .plan import StepPlan


@dataclass(frozen=True)
class BlockMoment:
    """One step: block tables and tokens held by request, idle pages, who waits, who was preempted.

    ``idle`` pages are held by nobody and can be found under their keys, the one to be evicted first
    in front. ``tokens`` count what the request holds when the step has run.
    """

    step: int
    tables: dict[Hashable, tuple[int, ...]]
    tokens: dict[Hashable, int]
    idle: tuple[int, ...]
    waiting: int
    preempted: tuple[Hashable, ...]

    @property
    def owners(self) -> Counter[int]:
        """In how many tables each page stands that somebody holds."""
        return Counter(page for table in self.tables.values() for page in table)


@dataclass
class BlockLog:
    """Notes a moment for every step of a ``scheduler`` whose ``blocks`` have tables.

    ``engine.on_step = log.of_engine`` or ``simulate(…, jumps=False, watch=log.of_simulator)``.
    Where ``blocks`` is a reservation there are no tables, and the rest is noted all the same.
    """

    scheduler: object
    moments: list[BlockMoment] = field(default_factory=list)
    _tokens: dict[Hashable, int] = field(default_factory=dict)

    def of_engine(self, engine, plan: StepPlan) -> None:
        """What an engine calls when a step was launched."""
        self._note(plan)

    def of_simulator(self, now_s: float, plan: StepPlan, steps: int) -> None:
        """What the simulator calls after a step; those that ended in it are gone."""
        self._note(plan)

    def crowded(self) -> list[BlockMoment]:
        """The moments in which somebody waited: memory was what limited who is inside."""
        return [moment for moment in self.moments if moment.waiting]

    def _note(self, plan: StepPlan) -> None:
        blocks, tokens = self.scheduler.blocks, self._tokens
        for request in plan.preempted:
            tokens.pop(request, None)
        for request, cached in plan.cached:
            tokens[request] = cached
        for request, new in plan.chunks:
            tokens[request] = tokens.get(request, 0) + new
        held = {request for request in tokens if blocks.room(request)}
        self._tokens = {request: count for request, count in tokens.items() if request in held}
        self.moments.append(
            BlockMoment(
                step=len(self.moments),
                tables=blocks.tables() if hasattr(blocks, "tables") else {},
                tokens=dict(self._tokens),
                idle=blocks.idle_pages() if hasattr(blocks, "idle_pages") else (),
                waiting=len(self.scheduler.waiting),
                preempted=plan.preempted,
            )
        )
