"""Fit a step cost to an engine: run it under a load that varies, and see what its steps take.

The load is counted in steps, not in seconds, so that every repetition has the same steps. What one
step takes is its median over the repetitions; how far they differ is the noise, the limit of what
any model can promise on this machine.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from labutils.ground import arguments
from labutils.ground.units import format_quantity
from labutils.serving.runs.step_cost import StepCost
from labutils.serving.scheduling.step_shape import StepShape

from .stepped_load import SteppedLoad, levels_up_to

NOISY = 0.05
"""Repetitions whose totals differ by more cannot show that a prediction is right within 10 %."""

LEAST_REPETITIONS = 3


@dataclass(frozen=True, eq=False)
class Calibration:
    """A fitted ``cost``, the steps behind it, and how far to trust it.

    ``shapes`` and ``times_s`` are one repetition's steps and their median times; ``totals_s`` the
    busy seconds of each repetition.
    """

    cost: StepCost
    shapes: tuple[StepShape, ...]
    times_s: np.ndarray
    totals_s: tuple[float, ...]

    @property
    def costs(self) -> dict[str, float]:
        """The coefficients by name."""
        return _coefficients(self.cost)

    @property
    def residuals(self) -> np.ndarray:
        """Predicted over measured, less 1, of every step."""
        predicted = [self.cost.time_s(shape) for shape in self.shapes]
        return np.array(predicted) / self.times_s - 1

    @property
    def relative_rms(self) -> float:
        """The typical relative error of a single step."""
        return float(np.sqrt(np.mean(self.residuals**2)))

    @property
    def noise(self) -> float:
        """How far the repetitions' totals differ, relative to the middle one."""
        return float(np.ptp(self.totals_s) / np.median(self.totals_s))

    @property
    def is_noisy(self) -> bool:
        """Whether the machine disagrees with itself by more than 5 %."""
        return self.noise > NOISY

    def verdict(self) -> str:
        """One line for a reader."""
        repetitions = f"{len(self.totals_s)} repetitions of {len(self.shapes)} steps"
        spread = f"{repetitions} differ by {100 * self.noise:.2g} %"
        if self.is_noisy:
            return f"Too noisy: {spread}. Stop what else runs here, and measure again."
        base = format_quantity(float(f"{self.cost.base_s:.3g}"), "s")
        error = f"single steps are off by {100 * self.relative_rms:.2g} %"
        return f"A step takes {base} and what is in it; {error}, {spread}."


def calibrate(
    engine_factory: Callable[[], object],
    *,
    seconds: float = 4.0,
    longest_prompt: int = 256,
    longest_answer: int = 64,
    most_sequences: int | None = None,
    seed: int = 0,
) -> Calibration:
    """Fit a ``StepCost`` to the engine that ``engine_factory()`` makes.

    Requests of random lengths, up to ``longest_prompt`` and ``longest_answer`` tokens, come so that
    1, 2, 4, … and at last ``most_sequences`` (default: the scheduler's limit) are open. The load is
    repeated for about ``seconds``, and three times at least; a first time warms up. A step lasts
    from the end of the one before it, so that all that the engine does in between counts.

    The coefficients fit the medians of single steps by least relative squares; all five are then
    stretched alike, so that a repetition takes as long as the middle one did.
    """
    engine = engine_factory()
    load = SteppedLoad.of(
        engine, longest_prompt=longest_prompt, longest_answer=longest_answer,
        levels=None if most_sequences is None else levels_up_to(most_sequences), seed=seed,
    )  # fmt: skip
    load.run(engine)
    passes, clock = [], engine.clock
    until_s = clock() + arguments.positive("seconds", seconds)
    while len(passes) < LEAST_REPETITIONS or clock() < until_s:
        passes.append(load.run(engine))
    return fitted(load.shapes, np.array(passes))


def fitted(shapes: tuple[StepShape, ...], times_s: np.ndarray) -> Calibration:
    """The calibration from ``times_s`` [repetitions, steps] of steps with these ``shapes``."""
    medians, totals = np.median(times_s, axis=0), times_s.sum(axis=1)
    cost = StepCost.fit(shapes, medians)
    stretch = float(np.median(totals)) / sum(cost.time_s(shape) for shape in shapes)
    stretched = {name: value * stretch for name, value in _coefficients(cost).items()}
    return Calibration(StepCost(**stretched), shapes, medians, tuple(totals.tolist()))


def known_step_cost(profile) -> StepCost | None:
    """The step cost that a ``MachineProfile`` keeps; None until one was measured."""
    return None if profile.step_cost is None else StepCost(**profile.step_cost.costs)


def _coefficients(cost: StepCost) -> dict[str, float]:
    return {name: getattr(cost, name) for name in cost.__dataclass_fields__}
