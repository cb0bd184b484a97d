"""Collects what happens during a run, compactly: a million requests fit into memory."""

from array import array

import numpy as np

from labutils.metrics import RequestStatus

from .account import Account
from .plan import StepShape
from .step_cost import TICK_S

STEP_COLUMNS = (
    "time_s", "first_s", "growth_s", "steps", "prefill_tokens", "decode_sequences", "running",
    "waiting", "pages_in_use", "stored_tokens", "preemptions", "prompt_tokens", "cached_tokens",
)  # fmt: skip
REQUEST_COLUMNS = (
    "row", "arrival_s", "first_token_s", "finish_s", "status", "prompt_tokens", "cached_tokens",
    "output_tokens", "preemptions",
)  # fmt: skip
STAY_COLUMNS = ("row", "admitted_s", "caught_up_s", "left_s")
PIECE_COLUMNS = ("row", "token_s", "first_step", "end_step")
STATUSES = tuple(RequestStatus)
NOT_REACHED = float("nan")


class Recorder:
    """Rows of numbers, one after the other in plain arrays; ``columns`` takes them apart."""

    def __init__(self):
        self.ids: list = []
        self._steps = array("d")
        self._requests = array("d")
        self._stays = array("d")
        self._pieces = array("d")

    def step(self, now, first, growth, steps, shape: StepShape, ledger, preempted) -> None:
        """Note ``steps`` steps that begin at ``now``, with the books as they stand then."""
        running = ledger.num_running
        self._steps.extend((
            now * TICK_S, first * TICK_S, growth * TICK_S, steps, shape[0], shape[2],
            running, len(ledger.open) - running, ledger.pages.in_use, ledger.stored_tokens,
            preempted, ledger.prompt_tokens, ledger.cached_tokens,
        ))  # fmt: skip

    def request(self, account: Account, finish: int | None, status: RequestStatus) -> None:
        """Note how a request fared, in whatever way it ended; ``finish`` is a tick or None."""
        request, row = account.request, account.row
        self._requests.extend((
            row, request.arrival_s, seconds(account.first_token), seconds(finish),
            STATUSES.index(status), request.prompt_tokens, account.cached,
            account.known - request.prompt_tokens, account.preemptions,
        ))  # fmt: skip
        for admitted, caught_up, left in account.stays:
            self._stays.extend((row, seconds(admitted), seconds(caught_up), seconds(left)))
        for token, first_step, end_step in account.pieces:
            self._pieces.extend((row, seconds(token), first_step, end_step))

    def columns(self) -> tuple[dict[str, np.ndarray], ...]:
        """Steps in order of time; requests, stays and pieces in order of arrival."""
        steps = _table(self._steps, STEP_COLUMNS)
        by_row = [
            _table(rows, names)
            for rows, names in (
                (self._requests, REQUEST_COLUMNS),
                (self._stays, STAY_COLUMNS),
                (self._pieces, PIECE_COLUMNS),
            )
        ]
        ordered = [table[np.argsort(table[:, 0], kind="stable")] for table in by_row]
        names = (STEP_COLUMNS, REQUEST_COLUMNS, STAY_COLUMNS, PIECE_COLUMNS)
        return tuple(
            dict(zip(names, table.T, strict=True))
            for names, table in zip(names, (steps, *ordered), strict=True)
        )


def seconds(ticks: int | None) -> float:
    """Ticks in seconds; NaN for None."""
    return NOT_REACHED if ticks is None else ticks * TICK_S


def _table(rows: array, names: tuple[str, ...]) -> np.ndarray:
    flat = np.frombuffer(rows, dtype=float) if rows else np.empty(0)
    return flat.reshape(-1, len(names))
