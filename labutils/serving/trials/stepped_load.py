"""A load whose arrivals are counted in steps, so that each pass runs the same steps."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np

from labutils.ground import arguments
from labutils.serving.scheduling.step_shape import StepShape

from .records import StepLog
from .replay import is_full

STEPS_PER_LEVEL = 24


@dataclass(kw_only=True)
class SteppedLoad:
    """The same steps in every pass, on other tokens, so that no prefix is found again.

    ``shapes`` are those of its steps; empty before the first pass.
    """

    shortest_prompt: int
    longest_prompt: int
    longest_answer: int
    levels: tuple[int, ...]
    vocab_size: int
    seed: int
    shapes: tuple[StepShape, ...] = ()
    passes: int = 0

    @classmethod
    def of(
        cls, engine, *, longest_prompt: int, longest_answer: int, shortest_prompt: int = 1,
        levels: tuple[int, ...] | None = None, seed: int = 0,
    ) -> "SteppedLoad":  # fmt: skip
        """A load for engines like ``engine``: ``levels`` requests are open, 24 steps each."""
        return cls(
            shortest_prompt=arguments.whole("shortest_prompt", shortest_prompt),
            longest_prompt=arguments.whole("longest_prompt", longest_prompt),
            longest_answer=arguments.whole("longest_answer", longest_answer),
            levels=levels or levels_up_to(engine.scheduler.max_sequences),
            vocab_size=engine.model.spec.vocab_size,
            seed=seed,
        )

    def run(self, engine) -> np.ndarray:
        """Serve it once; returns the seconds that each step took, on the engine's clock.

        ``RuntimeError`` if the engine takes other steps than in the first pass.
        """
        engine.on_step = log = StepLog(also=engine.on_step)
        coming = self._requests()
        begin_s = engine.clock()
        for level in self.levels:
            for _ in range(STEPS_PER_LEVEL):
                while len(engine.open) < level:
                    prompt, answer = next(coming)
                    ends = partial(is_full, answer)  # as in ``replay``: it takes its time, too
                    engine.add_request(prompt, max_output_tokens=answer, stop=ends)
                engine.step()
        engine.run()
        self.passes += 1
        self.shapes = self.shapes or log.shapes
        if self.shapes != log.shapes:
            raise RuntimeError(
                "The engine took other steps for the same load; does it look at a clock?"
            )
        engine.on_step = log.also
        return log.durations_s(begin_s)

    def _requests(self) -> Iterator[tuple[list[int], int]]:
        """Prompts and lengths of answers for one pass, all drawn before it begins."""
        most = STEPS_PER_LEVEL * len(self.levels) + sum(self.levels)
        lengths = np.random.default_rng(self.seed)
        tokens = np.random.default_rng((self.seed, self.passes))
        prompts = lengths.integers(self.shortest_prompt, self.longest_prompt, most, endpoint=True)
        answers = lengths.integers(1, self.longest_answer, most, endpoint=True).tolist()
        texts = [tokens.integers(0, self.vocab_size, size).tolist() for size in prompts]
        return zip(texts, answers)


def levels_up_to(most_sequences: int) -> tuple[int, ...]:
    """1, 2, 4, … and at last ``most_sequences``."""
    most = arguments.whole("most_sequences", most_sequences)
    return (*(2**k for k in range((most - 1).bit_length())), most)
