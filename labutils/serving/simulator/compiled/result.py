"""From the tables of a compiled run to the columns of a ``ServingRun``."""

import numpy as np

from labutils.metrics import RequestStatus
from labutils.serving.runs.gaps import TokenGaps
from labutils.serving.runs.run import STATUSES, ServingRun

from .job import Job
from .tables import Notes

OK, REJECTED, CANCELLED, TIMED_OUT, FAILED = (
    STATUSES.index(RequestStatus(one))
    for one in ("ok", "rejected", "cancelled", "timed_out", "failed")
)


def result_of(
    job: Job, lives: np.recarray, line: np.recarray, notes: Notes, due: np.recarray, state, *,
    token_times: bool,
) -> ServingRun:  # fmt: skip
    """The run up to its end, or to where it was broken off."""
    _break_off(lives, line, state)
    come = int(state.come)
    stays = notes.stays[: int(state.stays)]
    stays = stays[np.argsort(stays.row, kind="stable")]
    return ServingRun(
        job.ids[:come],
        rows=_rows(notes.rows[: int(state.rows)]),
        requests={name: column[:come] for name, column in _requests(lives, due).items()},
        stays=_columns(stays),
        gaps=TokenGaps(notes.gaps, float(state.longest_gap_s)),
        times_s=_times(notes) if token_times else None,
    )


def _columns(table: np.recarray) -> dict[str, np.ndarray]:
    return {name: np.asarray(table[name]) for name in table.dtype.names}


def _rows(rows: np.recarray) -> dict[str, np.ndarray]:
    columns = _columns(rows)
    columns["duration_s"] = columns.pop("end_s") - columns["time_s"]
    return columns


def _break_off(lives: np.recarray, line: np.recarray, state) -> None:
    """Bring the requests up to date that still run."""
    for slot in range(int(state.running)):
        row = line.row[slot]
        token_s = state.same_s if slot < state.same else line.token_s[slot]
        lives.known[row] = line.known[slot]
        lives.last_s[row] = lives.last_s[row] if np.isnan(token_s) else token_s


def _status(lives: np.recarray, due: np.recarray) -> np.ndarray:
    is_whole = lives.known == lives.end
    status = np.where(np.isnan(lives.finish_s), CANCELLED, np.where(is_whole, OK, FAILED))
    status = np.where(lives.out, REJECTED, status).astype(np.int8)
    ends_s = lives.finish_s[due.row]
    status[due.row[(ends_s > due.at_s) | ~is_whole[due.row] & (ends_s == due.at_s)]] = TIMED_OUT
    return status


def _requests(lives: np.recarray, due: np.recarray) -> dict[str, np.ndarray]:
    return {
        "arrival_s": lives.arrival_s,
        "first_token_s": lives.first_s,
        "last_token_s": lives.last_s,
        "finish_s": lives.finish_s,
        "status": _status(lives, due),
        "prompt_tokens": lives.prompt,
        "cached_tokens": np.maximum(lives.cached, 0),
        "output_tokens": lives.known - lives.prompt,
        "preemptions": lives.preemptions,
    }


def _times(notes: Notes) -> np.ndarray:
    """The times of all tokens that came out, request after request."""
    kept = np.isfinite(notes.times_s)
    return notes.times_s if kept.all() else notes.times_s[kept]
