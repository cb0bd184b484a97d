"""Who held which page in every step: a log of a run, in the simulator or on the engine."""

from collections import Counter
from collections.abc import Hashable
from dataclasses import dataclass, field

from labutils.engine import Plan


@dataclass(frozen=True)
class PageMoment:
    """One step: page tables and tokens held by request, idle pages, who waits, who was preempted.

    ``idle`` pages are held by no request and can be found under their keys, the one to be evicted
    first in front. ``tokens`` count what the request holds when the step has run. Requests stand
    under their ids.
    """

    step: int
    tables: dict[Hashable, tuple[int, ...]]
    tokens: dict[Hashable, int]
    idle: tuple[int, ...]
    waiting: int
    preempted: tuple[Hashable, ...]

    @property
    def owners(self) -> Counter[int]:
        """In how many tables each page stands that some request holds."""
        return Counter(page for table in self.tables.values() for page in table)


@dataclass
class PageLog:
    """Notes a moment for every step of a ``scheduler`` with a ``pool``.

    ``engine.on_step = log.of_engine`` or ``simulate(…, watch=log.of_simulator)``. Where memory is
    reserved in pieces or unlimited there are no tables, and the rest is noted all the same.
    """

    scheduler: object
    moments: list[PageMoment] = field(default_factory=list)

    def of_engine(self, engine, plan: Plan) -> None:
        """What an engine calls when a step was computed."""
        self._note(plan)

    def of_simulator(self, now_s: float, plan: Plan) -> None:
        """What the simulator calls after a step; requests that ended in it are gone."""
        self._note(plan)

    def crowded(self) -> list[PageMoment]:
        """The moments in which a request waited: those in which memory or places ran out."""
        return [moment for moment in self.moments if moment.waiting]

    def _note(self, plan: Plan) -> None:
        running, pool = self.scheduler.running, self.scheduler.pool
        has_tables = hasattr(pool, "idle")
        self.moments.append(
            PageMoment(
                step=len(self.moments),
                tables={one.id: tuple(one.pages) for one in running} if has_tables else {},
                tokens={one.id: one.computed for one in running},
                idle=tuple(pool.idle) if has_tables else (),
                waiting=len(self.scheduler.waiting),
                preempted=tuple(one.id for one in plan.preempted),
            )
        )
