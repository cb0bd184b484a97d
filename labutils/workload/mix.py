"""Look-alike workloads: lengths and burstiness of public traces, drawn from quantile tables."""

from dataclasses import dataclass

import numpy as np

from labutils.ground.arguments import positive, whole

from .catalogue import row, table
from .quantile_table import QuantileTable
from .trace import MOST_REQUESTS, RequestTrace


@dataclass(frozen=True, eq=False)
class RequestMix:
    """What requests of one kind look like. Prompt and output lengths are drawn independently.

    ``gap_cv`` and ``rate_per_s`` are those of the trace behind it; ``source``, ``licence`` and
    ``note`` say where the quantiles come from and what they leave out.
    """

    name: str
    title: str
    prompt_tokens: QuantileTable
    output_tokens: QuantileTable
    gap_cv: float
    rate_per_s: float
    source: str
    licence: str
    note: str

    @property
    def burstiness(self) -> float:
        """vLLM's convention: the shape of gamma gaps, 1 / CV². 1 is Poisson, below 1 bursty."""
        return self.gap_cv**-2

    def draw(self, num_requests: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """Prompt and output tokens of ``num_requests`` requests (int64 arrays)."""
        num_requests = whole("num_requests", num_requests, at_most=MOST_REQUESTS)
        prompts = self.prompt_tokens.draw_whole(num_requests, rng)
        return prompts, self.output_tokens.draw_whole(num_requests, rng)

    def trace(
        self, num_requests: int, rate_per_s: float, *, seed: int, burstiness: float | None = None
    ) -> RequestTrace:
        """Requests that arrive with independent gamma gaps of mean 1 / ``rate_per_s``.

        The first comes one gap after 0. One ``seed`` gives the same lengths, and gaps in the same
        proportions, at every rate, so that rates can be compared request by request.
        """
        mean_gap_s = 1 / positive("rate_per_s", rate_per_s)
        shape = positive("burstiness", self.burstiness if burstiness is None else burstiness)
        rng = np.random.default_rng(seed)
        prompts, outputs = self.draw(num_requests, rng)
        gaps = rng.standard_gamma(shape, len(prompts)) / shape
        return RequestTrace(np.cumsum(gaps) * mean_gap_s, prompts, outputs, name=self.name)


def mix(name: str) -> RequestMix:
    """The mix called ``name``; ``ValueError`` lists those that there are."""
    chosen = row("mixes", name)
    levels = table()["levels"]
    lengths = {
        column: QuantileTable(levels, chosen[column]["quantiles"], chosen[column]["mean"])
        for column in ("prompt_tokens", "output_tokens")
    }
    told = ("title", "gap_cv", "rate_per_s", "source", "licence", "note")
    return RequestMix(name=name, **lengths, **{field: chosen[field] for field in told})


def mix_names() -> tuple[str, ...]:
    """The names that ``mix`` knows."""
    return tuple(table()["mixes"])
