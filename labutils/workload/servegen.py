"""ServeGen's client rates (Xiang et al., ServeGen, arXiv 2505.09999; Apache-2.0)."""

import math
from dataclasses import dataclass

import numpy as np

from .lines import columns, read_lines, whole_field

HEADER = "client,window_start_s,rate_rps,cv,family,param1,param2"
FAMILIES = ("Gamma", "Weibull")


@dataclass(frozen=True, eq=False)
class ClientRates:
    """How fast and how evenly each client asked, in windows of ``window_s`` seconds: one row each.

    ``family`` and its two ``parameters`` [rows, 2] are the fit to the gaps that the file gives.
    Windows in which a client was silent have no row.
    """

    client: np.ndarray
    window_start_s: np.ndarray
    rate_per_s: np.ndarray
    gap_cv: np.ndarray
    family: np.ndarray
    parameters: np.ndarray
    window_s: float = 600.0

    def __len__(self) -> int:
        return len(self.client)

    @property
    def num_clients(self) -> int:
        """Clients that asked at all."""
        return len(np.unique(self.client))

    def client_shares(self) -> np.ndarray:
        """Each client's share of all requests, the greatest first."""
        _, who = np.unique(self.client, return_inverse=True)  # a number may be as large as it likes
        totals = np.bincount(who, weights=self.rate_per_s)
        return np.sort(totals[totals > 0])[::-1] / totals.sum()

    def window_rates(self) -> tuple[np.ndarray, np.ndarray]:
        """Starts of the windows in which anybody asked, and the rate of all clients in each."""
        starts, which = np.unique(self.window_start_s, return_inverse=True)
        return starts, np.bincount(which, weights=self.rate_per_s)

    def gap_cv_at(self, share: float) -> float:
        """The CV of gaps below which a ``share`` of all requests was sent."""
        order = np.argsort(self.gap_cv)
        sent = np.cumsum(self.rate_per_s[order])
        at = np.searchsorted(sent, share * sent[-1])
        return float(self.gap_cv[order][min(at, len(order) - 1)])


def read_servegen(path) -> ClientRates:
    """Read a CSV file of client, window, rate, CV and fit, plain or gzipped.

    A line that cannot be read raises ``MalformedLine``.
    """
    return read_lines(path, _row, _rates, header=HEADER)


def _row(text: str) -> tuple:
    client, start, rate, cv, family, first, second = columns(text, 7)
    if family not in FAMILIES:
        raise ValueError(f"family = {family!r}: expected one of {', '.join(FAMILIES)}")
    return (
        whole_field("client", client, at_least=0),
        whole_field("window_start_s", start, at_least=0),
        *(_number(*pair) for pair in (("rate_rps", rate), ("cv", cv))),
        family,
        *(_number(*pair) for pair in (("param1", first), ("param2", second))),
    )


def _number(name: str, text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 < value < math.inf:
        raise ValueError(f"{name} = {text!r}: expected a finite number above 0")
    return value


def _rates(rows: list[tuple]) -> ClientRates:
    client, start, rate, cv, family, first, second = zip(*rows, strict=True) if rows else ((),) * 7
    return ClientRates(
        client=np.array(client, dtype=np.int64),
        window_start_s=np.array(start, dtype=np.int64),
        rate_per_s=np.array(rate, dtype=float),
        gap_cv=np.array(cv, dtype=float),
        family=np.array(family, dtype=str),
        parameters=np.array((first, second), dtype=float).T,
    )
