"""A few constants that make the simulator agree with load tests."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy import optimize, stats

from .errors import FIGURES, errors, figure
from .measured_run import MeasuredRun
from .offered_load import workload
from .simulated import Physics, simulate_run

WEIGHTS = {"mean E2E": 1.0, "median TTFT": 0.2}
START = {
    "bandwidth_share": 0.8,
    "per_layer_s": 30e-6,
    "edge_s": 5e-3,
    "per_step_s": 1e-3,
    "per_sequence_s": 10e-6,
}
_START_FROM = Physics(late_steps=1)
_ALIKE = 0.99  # two constants whose estimates are so correlated are not told apart


@dataclass(frozen=True)
class Fit:
    """Constants that were fitted, in ``physics``, each with its 95 % ``intervals``.

    ``covariance`` is that of their logarithms, in the order of the intervals. ``warnings`` says in
    words which constants these runs cannot tell apart, or not tell at all.
    """

    physics: Physics
    intervals: Mapping[str, tuple[float, float]]
    covariance: np.ndarray
    warnings: tuple[str, ...]

    def drawn(self, rng: np.random.Generator) -> Physics:
        """Constants as they might be as well, by what the fit leaves open.

        ``ValueError`` where it leaves everything open.
        """
        if not np.isfinite(self.covariance).all():
            raise ValueError(f"nothing to draw by: {'; '.join(self.warnings)}")
        logs = rng.multivariate_normal(np.zeros(len(self.intervals)), self.covariance)
        factors = zip(self.intervals, np.exp(logs).tolist(), strict=True)
        drawn = {name: getattr(self.physics, name) * factor for name, factor in factors}
        return replace(self.physics, **drawn)


def fit_runs(
    runs: Sequence[MeasuredRun],
    free: Sequence[str] = ("bandwidth_share", "per_layer_s", "edge_s"),
    *,
    weights: Mapping[str, float] = WEIGHTS,
    physics: Physics = _START_FROM,
    seed: int = 1,
) -> Fit:
    """Fit the constants ``free`` of ``physics``; the others stay as they are.

    Least squares of the logarithms of predicted by measured figures, each stage once, weighted by
    ``weights`` (names of ``errors.FIGURES``); a stage far off counts less (soft L1 above 3 %). The
    constants are fitted as logarithms, so none gets negative; no share exceeds 1. Intervals are
    those of linear least squares at the end: they know the scatter of the stages, not whether the
    form is right.
    """
    unknown = [name for name in free if name not in START]
    if unknown or not free:
        raise ValueError(f"free = {list(free)}: expected names among {', '.join(START)}")
    _require_figures(runs, weights)
    loads = [workload(run, seed=seed) for run in runs]
    start = np.array([START[name] for name in free])
    most = [1.0 if name.endswith("_share") else np.inf for name in free]

    def physics_of(logs) -> Physics:  # from 1 on: the solver's steps are relative
        values = np.minimum(start * np.exp(logs - 1), most)
        return replace(physics, **dict(zip(free, values.tolist(), strict=True)))

    def residuals(logs) -> np.ndarray:
        here = physics_of(logs)
        return np.array(
            [
                weight * np.log1p(row[name])
                for run, load in zip(runs, loads, strict=True)
                for row in errors(simulate_run(run, here, load).run, run)
                for name, weight in weights.items()
            ]
        )

    found = optimize.least_squares(  # small loads are rugged: shorter steps see no slope
        residuals, np.ones(len(free)), diff_step=0.05, loss="soft_l1", f_scale=0.03, max_nfev=20,
        xtol=1e-3, ftol=1e-4,
    )  # fmt: skip
    covariance, warnings = _open(found.jac, residuals(found.x), free)
    freedom = max(1, len(found.jac) - len(free))
    spread = stats.t.ppf(0.975, freedom) * np.sqrt(np.diag(covariance))
    fitted = physics_of(found.x)
    intervals = {
        name: (float(value * np.exp(-wide)), float(value * np.exp(wide)))
        for name, wide in zip(free, spread, strict=True)
        for value in [getattr(fitted, name)]
    }
    return Fit(fitted, intervals, covariance, warnings)


def _require_figures(runs, weights) -> None:
    """``ValueError`` where a stage lacks what it would be held to."""
    if not runs:
        raise ValueError("runs is empty: expected load tests to fit to")
    if unknown := [name for name in weights if name not in FIGURES]:
        raise ValueError(f"weights has {unknown}: expected names among {', '.join(FIGURES)}")
    for run in runs:
        for number, stage in enumerate(run.stages):
            missing = [name for name in weights if np.isnan(figure(run, stage, name))]
            if missing:
                raise ValueError(
                    f"{run.name}, stage {number} does not report {', '.join(missing)}: expected "
                    "every figure of weights"
                )


def _open(jacobian, residuals, free) -> tuple[np.ndarray, tuple[str, ...]]:
    """The covariance of the logarithms, infinite where nothing tells; and that in words."""
    seen = np.linalg.norm(jacobian, axis=0) > 1e-6
    warnings = [
        f"{name}: no figure changes with it"
        for name, is_seen in zip(free, seen, strict=True)
        if not is_seen
    ]
    freedom = len(residuals) - len(free)
    if freedom < 1:
        warnings.append(f"{len(residuals)} figures for {len(free)} constants: no interval")
    if warnings:
        return np.diag(np.full(len(free), np.inf)), tuple(warnings)
    covariance = np.linalg.pinv(jacobian.T @ jacobian) * (residuals @ residuals) / freedom
    deviation = np.sqrt(np.diag(covariance))
    for i, first in enumerate(free):
        for j, second in enumerate(free[:i]):
            if abs(covariance[i, j]) > _ALIKE * deviation[i] * deviation[j]:
                warnings.append(f"{second} and {first}: these loads do not tell them apart")
    return covariance, tuple(warnings)
