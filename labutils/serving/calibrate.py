"""Fit a step cost to an engine: run it under a load that varies, and see what its steps take.

The load is counted in steps, not in seconds, so that every repetition has the same steps. What one
step takes is its median over the repetitions; how far they differ is the noise, the limit of what
any model can promise on this machine.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from labutils import arguments
from labutils.units import format_quantity

from .plan import StepShape
from .step_cost import StepCost

NOISY = 0.05
"""Repetitions whose totals differ by more cannot show that a prediction is right within 10 %."""

LEAST_REPETITIONS = 3
STEPS_PER_LEVEL = 24


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
    from its start to the next one's, so that all that the engine does in between counts.

    The coefficients fit the medians of single steps by least relative squares; all five are then
    stretched alike, so that a repetition takes as long as the middle one did.
    """
    engine = engine_factory()
    load = _Load(
        longest_prompt=arguments.whole("longest_prompt", longest_prompt),
        longest_answer=arguments.whole("longest_answer", longest_answer),
        levels=_levels(engine, most_sequences),
        vocab_size=engine.model.spec.vocab_size,
        seed=seed,
    )
    load.run(engine, repetition=0)
    shapes, times_s, clock = None, [], engine.clock
    until_s = clock() + arguments.positive("seconds", seconds)
    while len(times_s) < LEAST_REPETITIONS or clock() < until_s:
        steps = load.run(engine, repetition=1 + len(times_s))
        times_s.append(_step_times_s(steps))
        shapes = shapes or tuple(step.shape for step in steps)
        _require_same(shapes, steps)
    return fitted(shapes, np.array(times_s))


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


@dataclass(frozen=True, kw_only=True)
class _Load:
    """The same steps in every repetition, on other tokens, so that no prefix is found again."""

    longest_prompt: int
    longest_answer: int
    levels: tuple[int, ...]
    vocab_size: int
    seed: int

    def run(self, engine, *, repetition: int) -> list:
        """Serve it once; returns the records of its steps."""
        lengths = np.random.default_rng(self.seed)
        tokens = np.random.default_rng((self.seed, repetition))
        first, added, ended = len(engine.steps), 0, len(engine.answers)
        for level in self.levels:
            for _ in range(STEPS_PER_LEVEL):
                while added - (len(engine.answers) - ended) < level:
                    self._add(engine, lengths, tokens)
                    added += 1
                engine.step()
        engine.run()
        return engine.steps[first:]

    def _add(self, engine, lengths, tokens) -> None:
        prompt = int(lengths.integers(1, self.longest_prompt, endpoint=True))
        answer = int(lengths.integers(1, self.longest_answer, endpoint=True))
        engine.add_request(
            tokens.integers(0, self.vocab_size, prompt).tolist(), max_output_tokens=answer
        )


def _levels(engine, most_sequences: int | None) -> tuple[int, ...]:
    if most_sequences is None:
        most_sequences = engine.scheduler.max_sequences
    most = arguments.whole("most_sequences", most_sequences)
    return (*(2**k for k in range((most - 1).bit_length())), most)


def _step_times_s(steps: list) -> np.ndarray:
    """From each start to the next; the last step by its own clock."""
    starts = [step.start_s for step in steps]
    return np.append(np.diff(starts), steps[-1].wall_s)


def _require_same(shapes, steps) -> None:
    if shapes != tuple(step.shape for step in steps):
        raise RuntimeError(
            "The engine took other steps for the same load; does it look at a clock?"
        )


def _coefficients(cost: StepCost) -> dict[str, float]:
    return {name: getattr(cost, name) for name in cost.__dataclass_fields__}
