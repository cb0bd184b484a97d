"""What the page's kernel of chapter 03 cannot compute: all that the explorer simulates."""

import numpy as np

from labutils.authoring.site.recording.excerpt import Excerpt
from labutils.simulation import LoadCurve
from labutils.viz.explorers.load import (
    PERCENT_LOADS,
    SIMULATED_LOADS,
    Draws,
    simulated_ceiling,
)
from labutils.viz.style import CARD, GRID, INK, color

NUM_REQUESTS, QUANTILE = 200_000, 0.99
ROLES = ("theory", "measurement", "limit")


def load_entries(found: Excerpt, grid: dict) -> dict:
    """The entries of the load explorer's table, beside its controls: points, lines and ceilings."""
    draws = Draws(found.names()["seed"], NUM_REQUESTS)
    servers, scvs, targets = (
        [value for _, value in grid[name]] for name in ("servers", "scv", "target")
    )
    pairs = [(count, scv) for count in servers for scv in scvs]
    return {
        "kernel": True,
        "colors": {"card": CARD, "grid": GRID, "ink": INK, **{role: color(role) for role in ROLES}},
        "at": SIMULATED_LOADS.tolist(),
        "percents": PERCENT_LOADS.round(9).tolist(),
        "targets": [float(target) for target in targets],
        "points": {f"{c} {scv:g}": _points(draws.curve(c, scv)) for c, scv in pairs},
        "simulated": {
            f"{c} {scv:g}": _line(draws.stretches(c, scv, QUANTILE), targets)
            for c, scv in pairs
            if scv != 1  # exponential services have a formula
        },
    }


def _points(curve: LoadCurve) -> dict:
    return {
        "mean": _short(curve.mean_sojourn_time),
        "margin": _short(curve.half_width(), 3),
        "p99": _short(curve.sojourn_time_quantile(QUANTILE)),
        "requests": int(curve.sojourn_counts[0].sum()),
    }


def _line(runs: np.ndarray, targets: list[float]) -> dict:
    found = [simulated_ceiling(target, runs) for target in targets]
    return {
        "latency": _short(runs.mean(axis=0)),
        # whole, since a digit less turns a tie into its neighbour
        "ceilings": [None if one is None else [one.load, one.margin] for one in found],
    }


def _short(numbers, digits: int = 4) -> list[float]:
    """Numbers that are only drawn."""
    return [float(f"{number:.{digits}g}") for number in numbers]
