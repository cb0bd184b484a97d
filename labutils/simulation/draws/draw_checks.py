"""What a queue may be fed: arrivals in order, services that take no negative time.

Good input costs a few vectorised comparisons, less than the kernel that follows. Only input
that fails them is looked at again, to name the first row that is wrong.
"""

import numpy as np

from labutils.ground.arguments import sample, whole

MOST_DRAWN = 100_000_000  # 0.8 GB for each column; a run has several


def visits(arrival_s, service_s) -> tuple[np.ndarray, np.ndarray]:
    """Both columns as contiguous float arrays, if they describe a queue's input.

    Raises ``ValueError`` that names the argument and row: empty, NaN or infinite, arrivals out
    of order, negative services, or two different lengths.
    """
    arrivals, services = _as_floats(arrival_s), _as_floats(service_s)
    if not _are_visits(arrivals, services):
        arrivals, services = ordered("arrival_s", arrival_s), none_negative("service_s", service_s)
        same_length("service_s", services, "arrival_s", arrivals)
    return arrivals, services


def arrivals_in_order(arrival_s) -> np.ndarray:
    """``arrival_s`` as a contiguous float array, under the rules and errors of ``visits``."""
    arrivals = _as_floats(arrival_s)
    if not _are_in_order(arrivals):
        arrivals = np.require(ordered("arrival_s", arrival_s), requirements=("C", "W"))
    return arrivals


def ordered(name: str, times_s) -> np.ndarray:
    """``times_s`` as a float array, if it is non-empty, finite and never decreases."""
    times = sample(name, times_s)
    backwards = np.flatnonzero(times[1:] < times[:-1])
    if backwards.size:
        i = int(backwards[0]) + 1
        raise ValueError(
            f"{name}[{i}] = {times[i]:.12g}: expected times in ascending order, "
            f"but {name}[{i - 1}] = {times[i - 1]:.12g} is later"
        )
    return times


def none_negative(name: str, values) -> np.ndarray:
    """``values`` as a contiguous float array, if it is non-empty, finite and nowhere negative."""
    amounts = np.require(sample(name, values), requirements=("C", "W"))
    negative = np.flatnonzero(amounts < 0)
    if negative.size:
        i = int(negative[0])
        raise ValueError(f"{name}[{i}] = {amounts[i]:.12g}: expected numbers of at least 0")
    return amounts


def same_length(name: str, values: np.ndarray, other: str, others: np.ndarray) -> None:
    """Raise ``ValueError`` unless both columns have one value per request."""
    if values.size != others.size:
        raise ValueError(
            f"{name} = {values.size} values: expected one for each of the {others.size} "
            f"values in {other}"
        )


def how_many(n: int) -> int:
    """``n`` as an int, if a column of as many numbers fits an ordinary memory."""
    return whole("n", n, at_most=MOST_DRAWN)


def generator(name: str, rng) -> np.random.Generator:
    """``rng``, if it is a numpy random ``Generator``."""
    if not isinstance(rng, np.random.Generator):
        raise ValueError(
            f"{name} = {rng!r}: expected a numpy random generator, "
            "for example np.random.default_rng(7)"
        )
    return rng


def _as_floats(values):
    """A view where it can be one: a kernel compiles once, for writable contiguous floats."""
    try:
        return np.require(values, dtype=np.float64, requirements=("C", "W"))
    except (TypeError, ValueError):
        return None


def _are_visits(arrivals, services) -> bool:
    return (
        _are_in_order(arrivals)
        and services is not None
        and services.ndim == 1
        and arrivals.size == services.size
        and bool(services.min() >= 0)
        and bool(services.max() < np.inf)
    )


def _are_in_order(arrivals) -> bool:
    # A NaN fails every comparison, so the comparisons find it; sorted arrivals are finite
    # when both ends are.
    return (
        arrivals is not None
        and arrivals.ndim == 1
        and arrivals.size > 0
        and -np.inf < arrivals[0]
        and arrivals[-1] < np.inf
        and bool((arrivals[:-1] <= arrivals[1:]).all())
    )
