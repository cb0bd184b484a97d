"""What stages took, request by request: names and a table of times."""

from collections.abc import Mapping

import numpy as np

from labutils.ground import arguments


def columns_of(stage_samples) -> tuple[list[str], np.ndarray]:
    """Names and times (requests × stages), from a mapping of columns or from an array.

    Raises ``ValueError`` for no requests, columns of different lengths, and times that are not
    finite or below 0.
    """
    if isinstance(stage_samples, Mapping):
        names = [str(name) for name in stage_samples]
        columns = [arguments.sample(f"stage_samples[{n!r}]", stage_samples[n]) for n in names]
        if len({column.size for column in columns}) > 1:
            sizes = {name: column.size for name, column in zip(names, columns)}
            raise ValueError(f"stage_samples = {sizes} values: expected one for each request")
        times = np.stack(columns, axis=1) if columns else np.empty((0, 0))
    else:
        times = _matrix(stage_samples)
        names = [f"stage {i + 1}" for i in range(times.shape[1])]
    if not times.size:
        raise ValueError(f"stage_samples = shape {times.shape}: expected requests and stages")
    if not (times >= 0).all() or not np.isfinite(times).all():
        row, column = np.argwhere(~((times >= 0) & np.isfinite(times)))[0]
        raise ValueError(
            f"stage_samples[{row}, {names[column]!r}] = {times[row, column]:.12g}: "
            "expected finite numbers of at least 0"
        )
    return names, times


def _matrix(stage_samples) -> np.ndarray:
    try:
        times = np.asarray(stage_samples, dtype=float)
    except (TypeError, ValueError):
        times = np.empty(0)
    if times.ndim != 2:
        raise ValueError(f"stage_samples = {times.ndim} axes: expected requests × stages")
    return times
