"""What is left of a simulated layout: all requests, whichever copy served them."""

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np

from labutils.metrics import RequestLog
from labutils.serving.runs import ServingRun


@dataclass(frozen=True, eq=False)
class LayoutRun:
    """The ``log`` of all requests in order of arrival, and the ``cards`` that served them.

    ``runs`` are those of the copies, by name of their pool; ``transfer_s`` are the seconds from
    a prompt's end until its cache had moved, one for each request (0 in one pool).
    """

    log: RequestLog
    cards: int
    runs: dict[str, tuple[ServingRun, ...]]
    transfer_s: np.ndarray

    @property
    def preemptions(self) -> int:
        """How often a request lost its memory."""
        return sum(
            int(run.requests["preemptions"].sum()) for pool in self.runs.values() for run in pool
        )

    @property
    def span_s(self) -> float:
        """From the first arrival to the last end."""
        ends = self.log.finish_s[~np.isnan(self.log.finish_s)]
        return float(ends.max() - self.log.intended_arrival_s.min()) if ends.size else 0.0

    def kept(self, *, ttft_s: float, tpot_s: float) -> float:
        """Share of the requests that keep both promises."""
        return float(self.log.meets(ttft_s=ttft_s, tpot_s=tpot_s).mean())

    def goodput_per_s_per_card(self, *, ttft_s: float, tpot_s: float) -> float:
        """Requests that keep both promises, per second and card."""
        return self.kept(ttft_s=ttft_s, tpot_s=tpot_s) * len(self.log) / self.span_s / self.cards

    def tokens_per_s_per_card(self) -> float:
        """Tokens of all answers, per second and card."""
        return float(self.log.output_tokens.sum()) / self.span_s / self.cards

    def cost_per_million_kept_tokens(
        self, *, price_per_hour: float, ttft_s: float, tpot_s: float
    ) -> float:
        """Price of 10⁶ tokens of answers that kept both promises; inf if none did."""
        good = self.log.meets(ttft_s=ttft_s, tpot_s=tpot_s)
        tokens = float(self.log.output_tokens[good].sum())
        paid = self.cards * price_per_hour * self.span_s / 3600
        return paid / tokens * 1e6 if tokens else float("inf")


def joined(runs: Sequence[ServingRun], rows: Sequence[np.ndarray], cost=None) -> RequestLog:
    """One log of several runs: row i of run r is row ``rows[r][i]`` of all.

    With a ``cost`` of a pipeline all tokens of a request come as late as its first one does.
    """
    order = np.argsort(np.concatenate(rows))
    names = [one.name for one in fields(RequestLog) if one.name != "itl_s"]
    columns = {name: np.concatenate([getattr(run.log, name) for run in runs]) for name in names}
    if cost is not None:
        late_s = np.concatenate([cost.late_s(_last_steps_s(run)) for run in runs])
        for name in ("first_token_s", "last_token_s", "finish_s"):
            columns[name] = columns[name] + late_s
    return RequestLog(**{name: column[order] for name, column in columns.items()})


def _last_steps_s(run: ServingRun) -> np.ndarray:
    """For each request the length of the step that brought its first token; 0 without one."""
    begins_s, each_s, first_s = run.telemetry.time_s, run.telemetry.step_s, run.log.first_token_s
    if not each_s.size:
        return np.zeros(first_s.size)
    row = np.searchsorted(begins_s, first_s) - 1  # the last row that had begun before it came
    return np.where(np.isnan(first_s), 0.0, each_s[np.clip(row, 0, each_s.size - 1)])
