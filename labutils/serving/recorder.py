"""Collects what happens during a run, compactly: a million requests fit into memory."""

from array import array
from struct import Struct

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


class Rows:
    """Rows of numbers under ``names``, in one plain array."""

    def __init__(self, names: tuple[str, ...]):
        self.names = names
        self._packed = array("d")
        self._pack = Struct(f"{len(names)}d").pack

    def add(self, *row: float) -> None:
        """One more row, a number for each name."""
        self._packed.frombytes(self._pack(*row))  # extend() takes twice as long

    def columns(self, *, by_first: bool) -> dict[str, np.ndarray]:
        """The columns by name; ``by_first`` puts the rows in the order of the first one."""
        flat = np.frombuffer(self._packed, dtype=float) if self._packed else np.empty(0)
        table = flat.reshape(-1, len(self.names))
        if by_first:
            table = table[np.argsort(table[:, 0], kind="stable")]
        return dict(zip(self.names, table.T, strict=True))


class Recorder:
    """What a run leaves behind, in the order in which it happens; ``columns`` puts it in order."""

    def __init__(self):
        self.ids: list = []
        self._steps, self._requests = Rows(STEP_COLUMNS), Rows(REQUEST_COLUMNS)
        self._stays, self._pieces = Rows(STAY_COLUMNS), Rows(PIECE_COLUMNS)

    def step(self, now, first, growth, steps, shape: StepShape, ledger, preempted) -> None:
        """Note ``steps`` steps that begin at ``now``, with the books as they stand then."""
        running = ledger.num_running
        self._steps.add(
            now * TICK_S, first * TICK_S, growth * TICK_S, steps, shape[0], shape[2],
            running, len(ledger.open) - running, ledger.pages.in_use, ledger.stored_tokens,
            preempted, ledger.prompt_tokens, ledger.cached_tokens,
        )  # fmt: skip

    def request(self, account: Account, finish: int | None, status: RequestStatus) -> None:
        """Note how a request fared, in whatever way it ended; ``finish`` is a tick or None."""
        request, row = account.request, account.row
        self._requests.add(
            row, request.arrival_s, seconds(account.first_token), seconds(finish),
            STATUSES.index(status), request.prompt_tokens, account.cached,
            account.known - request.prompt_tokens, account.preemptions,
        )  # fmt: skip
        for admitted, caught_up, left in account.stays:
            self._stays.add(row, seconds(admitted), seconds(caught_up), seconds(left))
        for token, first_step, end_step in account.pieces:
            self._pieces.add(row, seconds(token), first_step, end_step)

    def columns(self) -> tuple[dict[str, np.ndarray], ...]:
        """Steps in order of time; requests, stays and pieces in order of arrival."""
        by_row = (self._requests, self._stays, self._pieces)
        return (
            self._steps.columns(by_first=False),
            *(rows.columns(by_first=True) for rows in by_row),
        )


def seconds(ticks: int | None) -> float:
    """Ticks in seconds; NaN for None."""
    return NOT_REACHED if ticks is None else ticks * TICK_S
