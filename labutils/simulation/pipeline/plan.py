"""What a pipeline is: stages in a row, and branches that run side by side."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from labutils.ground.arguments import whole
from labutils.laws.queueing import Stage
from labutils.simulation.draws.draw_checks import generator
from labutils.simulation.draws.variates import draw_unit


@dataclass(frozen=True, init=False)
class Parallel:
    """Branches that a request enters at one moment and leaves when the last of them is done.

    A branch is a stage, or stages and further ``Parallel`` in a row:
    ``Parallel(bm25, [embed, vector])``.
    """

    branches: tuple

    def __init__(self, *branches):
        if len(branches) < 2:
            raise ValueError(f"branches = {branches!r}: expected at least two")
        object.__setattr__(self, "branches", tuple(map(in_a_row, branches)))


def in_a_row(plan) -> tuple:
    """A plan as a tuple of stages and ``Parallel``, whatever sequence or single part it was."""
    if isinstance(plan, Stage | Parallel):
        return (plan,)
    parts = tuple(plan) if isinstance(plan, Sequence) and not isinstance(plan, str) else ()
    if not parts or not all(isinstance(part, Stage | Parallel) for part in parts):
        raise ValueError(f"plan = {plan!r}: expected stages and Parallel branches, at least one")
    return parts


def stages_of(plan) -> tuple[Stage, ...]:
    """All stages of a plan in reading order: the order of the columns everywhere in this room.

    Raises ``ValueError`` for an empty plan and for two stages of one name.
    """
    stages = tuple(_stages(in_a_row(plan)))
    names = [stage.name for stage in stages]
    if twice := [name for name in names if names.count(name) > 1]:
        raise ValueError(f"plan: two stages are called {twice[0]!r}: expected a name for each")
    return stages


def _stages(parts):
    for part in parts:
        if isinstance(part, Stage):
            yield part
        else:
            for branch in part.branches:
                yield from _stages(branch)


def column_of(plan, name: str) -> int:
    """The column of the stage of that name; ``ValueError`` if there is none."""
    names = [stage.name for stage in stages_of(plan)]
    if name not in names:
        raise ValueError(f"stage = {name!r}: expected one of {', '.join(names)}")
    return names.index(name)


def with_stage(plan, name: str, **changes) -> tuple:
    """The plan with fields of one stage changed: ``with_stage(plan, "rerank", servers=3)``.

    Raises ``ValueError`` for a name that no stage has.
    """
    column_of(plan, name)

    def changed(part):
        if isinstance(part, Stage):
            return replace(part, **changes) if part.name == name else part
        return Parallel(*(tuple(map(changed, branch)) for branch in part.branches))

    return tuple(map(changed, in_a_row(plan)))


def stage_services(
    plan, n: int, rng: np.random.Generator, *, kind: str | None = None
) -> np.ndarray:
    """Draw how long each of ``n`` requests is served at each stage: requests × stages, in seconds.

    Independent draws of mean 1 and the stage's scv, multiplied by its demand. The distribution is
    gamma (exponential where the scv is 1), or the ``kind`` of ``draw_unit`` that takes an scv.
    """
    stages, n = stages_of(plan), whole("n", n)
    generator("rng", rng)
    columns = [stage.demand_s * _unit(stage, n, rng, kind) for stage in stages]
    return np.stack(columns).T


def _unit(stage: Stage, n: int, rng, kind: str | None) -> np.ndarray:
    if stage.scv == 0:
        return np.ones(n)
    return draw_unit(kind or "gamma", n, rng, stage.scv)
