"""What a server's dashboard would show: one row for each jump, in order of time."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, eq=False)
class Telemetry:
    """One row per jump: ``steps`` equal steps, but for contexts that grow, from ``time_s`` on.

    ``step_s`` is the mean duration of one of them. ``running``, ``waiting`` and ``pages_in_use``
    (slots reserved, for a reservation), ``stored_tokens`` (tokens whose KV exists), ``preemptions``
    (just before the step) are as the row begins; ``prefill_tokens`` and ``decode_tokens`` are those
    of the whole row. ``hit_rate`` is the share of all prompt tokens so far that were cached when
    their request was admitted for the first time; NaN before the first.
    """

    time_s: np.ndarray
    step_s: np.ndarray
    steps: np.ndarray
    running: np.ndarray
    waiting: np.ndarray
    pages_in_use: np.ndarray
    stored_tokens: np.ndarray
    preemptions: np.ndarray
    hit_rate: np.ndarray
    prefill_tokens: np.ndarray
    decode_tokens: np.ndarray

    @classmethod
    def of(cls, columns: dict[str, np.ndarray]) -> "Telemetry":
        """From the recorder's columns."""
        steps = columns["steps"]
        prompts = columns["prompt_tokens"]
        hit_rate = np.divide(
            columns["cached_tokens"], prompts, where=prompts > 0, out=np.full(steps.size, np.nan)
        )
        same = (
            "time_s", "running", "waiting", "pages_in_use", "stored_tokens", "preemptions",
            "prefill_tokens",
        )  # fmt: skip
        return cls(
            steps=steps,
            step_s=columns["first_s"] + columns["growth_s"] * (steps - 1) / 2,
            hit_rate=hit_rate,
            decode_tokens=steps * columns["decode_sequences"],
            **{name: columns[name] for name in same},
        )

    def __len__(self) -> int:
        return self.time_s.size

    @property
    def duration_s(self) -> np.ndarray:
        """Seconds that each row covers."""
        return self.steps * self.step_s

    def mean(self, name: str) -> float:
        """Mean of a column over the busy time."""
        return float(np.average(getattr(self, name), weights=self.duration_s))
