"""What a server's dashboard would show: one row for each stretch of steps, in order of time."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, eq=False)
class Telemetry:
    """One row for ``steps`` steps from ``time_s`` on in which the same requests ran.

    In a stretch all running requests decode, and nothing else happens: no request arrives, starts,
    prefills, ends or is preempted. A step in which one prefills is a row of its own.

    ``duration_s`` are the seconds of a row, ``step_s`` their mean for each step. ``running``,
    ``waiting`` and ``pages_in_use`` (slots reserved, for a reservation), ``stored_tokens`` (tokens
    whose KV exists), ``preemptions`` (just before the step) are as the row begins;
    ``prefill_tokens`` and ``decode_tokens`` are those of the whole row. ``hit_rate`` is the share
    of all prompt tokens so far that were cached when their request was admitted for the first time;
    NaN before the first.
    """

    time_s: np.ndarray
    duration_s: np.ndarray
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
    def of(cls, rows: dict[str, np.ndarray]) -> "Telemetry":
        """From the recorder's rows."""
        prompts, cached = (np.cumsum(rows[name]) for name in ("prompt_tokens", "cached_tokens"))
        hit_rate = np.divide(cached, prompts, where=prompts > 0, out=np.full(prompts.size, np.nan))
        decode_tokens = rows["steps"] * rows["decode_sequences"]
        same = {name: rows[name] for name in cls.__dataclass_fields__ if name in rows}
        return cls(hit_rate=hit_rate, decode_tokens=decode_tokens, **same)

    def __len__(self) -> int:
        return self.time_s.size

    @property
    def step_s(self) -> np.ndarray:
        """Mean seconds of a step, row by row."""
        return self.duration_s / self.steps

    def mean(self, name: str) -> float:
        """Mean of a column over the busy time."""
        return float(np.average(getattr(self, name), weights=self.duration_s))
