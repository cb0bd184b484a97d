"""From the tables of a compiled run to the columns of a ``ServingRun``."""

import numpy as np

from labutils.metrics import RequestStatus
from labutils.serving.simulator.gaps import TokenGaps
from labutils.serving.simulator.recorder import STATUSES
from labutils.serving.simulator.run import ServingRun

from .job import Job
from .tables import LEVELS, Line, Lives, Notes

OK, REJECTED, CANCELLED = (
    STATUSES.index(one)
    for one in (RequestStatus.OK, RequestStatus.REJECTED, RequestStatus.CANCELLED)
)


def result_of(
    job: Job, lives: Lives, line: Line, notes: Notes, state, *, token_times: bool
) -> ServingRun:
    """The run up to its end, or to where it was broken off."""
    _break_off(lives, line, state)
    come, rows, stays = int(state.come), int(state.rows), int(state.stays)
    begin_s, end_s = notes.moments[:rows].T
    order = np.argsort(notes.stay_row[:stays], kind="stable")
    moments = dict(zip(("admitted_s", "caught_up_s", "left_s"), notes.stay_s[order].T))
    return ServingRun(
        job.ids[:come],
        rows={
            "time_s": begin_s,
            "duration_s": end_s - begin_s,
            **dict(zip(LEVELS, notes.levels[:rows].T, strict=True)),
        },
        requests={name: column[:come] for name, column in _requests(lives).items()},
        stays={"row": notes.stay_row[order], **moments},
        gaps=TokenGaps(notes.gaps, float(state.longest_gap_s)),
        times_s=_times(lives) if token_times else None,
    )


def _break_off(lives: Lives, line: Line, state) -> None:
    """Bring the requests up to date that still run."""
    for slot in range(int(state.running)):
        row = line.row[slot]
        token_s = state.same_s if slot < state.same else line.token_s[slot]
        lives.known[row] = line.known[slot]
        lives.last_s[row] = lives.last_s[row] if np.isnan(token_s) else token_s


def _requests(lives: Lives) -> dict[str, np.ndarray]:
    status = np.where(np.isnan(lives.finish_s), CANCELLED, OK)
    return {
        "arrival_s": lives.arrival_s,
        "first_token_s": lives.first_s,
        "last_token_s": lives.last_s,
        "finish_s": lives.finish_s,
        "status": np.where(lives.refused, REJECTED, status).astype(np.int8),
        "prompt_tokens": lives.prompt,
        "cached_tokens": np.maximum(lives.cached, 0),
        "output_tokens": lives.known - lives.prompt,
        "preemptions": lives.preemptions,
    }


def _times(lives: Lives) -> np.ndarray:
    """The times of all tokens that came out, request after request."""
    kept = np.isfinite(lives.times_s)
    return lives.times_s if kept.all() else lives.times_s[kept]
