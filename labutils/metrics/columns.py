"""Checks for the columns of a log: as long as each other, in order, NaN where not reached."""

import numpy as np

from labutils.ground import arguments

from .status import RequestStatus, as_status

# In the order in which a request goes through them.
TIMES = (
    "intended_arrival_s",
    "sent_s",
    "admitted_s",
    "first_token_s",
    "last_token_s",
    "finish_s",
)
STATUS = f"<U{max(len(status) for status in RequestStatus)}"


def ordered_times(given: dict) -> dict[str, np.ndarray]:
    """Clean time columns by name, if none runs backwards; one that is None becomes all NaN."""
    arrivals = arguments.sample("intended_arrival_s", given["intended_arrival_s"])
    clean = {"intended_arrival_s": arrivals}
    latest, latest_name = arrivals, "intended_arrival_s"
    for name in TIMES[1:]:
        if given[name] is None:
            clean[name] = np.full(arrivals.size, np.nan)
            continue
        clean[name] = _times(name, given[name], arrivals.size)
        _check_order(name, clean[name], latest_name, latest)
        latest, latest_name = np.fmax(latest, clean[name]), name
    return clean


def token_counts(output_tokens, n: int) -> np.ndarray:
    """``output_tokens`` as whole numbers, one per request; 0 for all if it is None."""
    if output_tokens is None:
        return np.zeros(n, dtype=np.int64)
    given = _one_each("output_tokens", arguments.sample("output_tokens", output_tokens), n)
    bad = np.flatnonzero((given < 0) | (given != np.floor(given)))
    if bad.size:
        raise _bad("output_tokens", bad[0], given, "a whole number of at least 0")
    return given.astype(np.int64)


def statuses(status, n: int) -> np.ndarray:
    """``status`` as an array of strings, one per request; "ok" for all if it is None."""
    if status is None:
        return np.full(n, "ok", dtype=STATUS)
    given = _one_each("status", np.asarray(status), n)
    known = np.zeros(n, dtype=bool)
    for one in RequestStatus:
        known |= given == one
    if not known.all():
        at = int(np.argmin(known))
        as_status(f"status[{at}]", given[at].item())
    return given.astype(STATUS)


def check_finished(finish_s: np.ndarray, status: np.ndarray) -> None:
    """Raise ``ValueError`` for the first request that is "ok" but has no finish."""
    unfinished = np.isnan(finish_s)
    if unfinished.any() and (unfinished & (status == RequestStatus.OK)).any():
        at = int(np.argmax(unfinished & (status == RequestStatus.OK)))
        raise ValueError(
            f"finish_s[{at}] = nan: expected the time at which an 'ok' request finished"
        )


def window_width(from_s: float, to_s: float) -> float:
    """Seconds from one edge of a window to the other, if it has any."""
    width = arguments.finite("to_s", to_s) - arguments.finite("from_s", from_s)
    if width <= 0:
        raise ValueError(f"to_s = {to_s!r}: expected a time after from_s = {from_s!r}")
    return width


def _times(name: str, values, n: int) -> np.ndarray:
    try:
        times = np.asarray(values, dtype=float)
    except (TypeError, ValueError):
        raise ValueError(f"{name} = {values!r}: expected one number per request") from None
    infinite = np.isinf(_one_each(name, times, n))
    if infinite.any():
        raise _bad(name, np.argmax(infinite), times, "a finite time, or NaN if not reached")
    return times


def _one_each(name: str, values: np.ndarray, n: int) -> np.ndarray:
    if values.shape != (n,):
        raise ValueError(
            f"{name} = shape {values.shape}: expected one value for each of the {n} requests"
        )
    return values


def _check_order(name: str, times: np.ndarray, before: str, earlier: np.ndarray) -> None:
    backwards = times < earlier  # never true of a NaN
    if backwards.any():
        at = int(np.argmax(backwards))
        raise _bad(name, at, times, f"at least {earlier[at]}, the time of {before} or before it")


def _bad(name: str, at: int, values: np.ndarray, expected: str) -> ValueError:
    return ValueError(f"{name}[{int(at)}] = {values[at]}: expected {expected}")
