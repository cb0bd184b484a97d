"""Collects what happens during a run, compactly."""

import math
from array import array
from struct import Struct

import numpy as np

from labutils.metrics import RequestStatus
from labutils.serving.runs.gaps import GapCounter
from labutils.serving.runs.run import STATUSES
from labutils.serving.scheduling.book import Book

ROW_COLUMNS = (
    "time_s", "duration_s", "steps", "prefill_tokens", "decode_sequences", "running", "waiting",
    "pages_in_use", "stored_tokens", "preemptions", "prompt_tokens", "cached_tokens",
)  # fmt: skip
REQUEST_COLUMNS = (
    "row", "arrival_s", "first_token_s", "last_token_s", "finish_s", "status", "prompt_tokens",
    "cached_tokens", "output_tokens", "preemptions",
)  # fmt: skip
STAY_COLUMNS = ("row", "admitted_s", "caught_up_s", "left_s")
NEVER = float("nan")


class Life(Book):
    """The auditor's book of a request, and what became of it. Times are seconds.

    Its answer gets ``answer`` tokens, of which ``left`` have not come out. ``token_s`` is the time
    of its last token since it was started, ``before_s`` that of its last token before a preemption.
    ``stays`` has a list [admitted, caught up, left] for each time that it had memory. ``times_s``
    are those of all its tokens, or None. Its client gives up at ``due_s``.
    """

    __slots__ = ("answer", "before_s", "due_s", "first_s", "left", "stays", "times_s", "token_s")

    def __init__(self, request, row: int, output_tokens: int, *, token_times: bool):
        super().__init__(request, row)
        self.due_s = math.inf
        self.answer = self.left = output_tokens
        self.first_s = self.token_s = self.before_s = NEVER
        self.stays: list[list[float]] = []
        self.times_s: array | None = array("d") if token_times else None


class Rows:
    """Rows of numbers under ``names``, in one plain array."""

    def __init__(self, names: tuple[str, ...]):
        self.names = names
        self._packed = array("d")
        self._pack = Struct(f"{len(names)}d").pack

    def add(self, *row: float) -> None:
        """One more row, a number for each name."""
        self._packed.frombytes(self._pack(*row))  # extend() takes twice as long

    def columns(self, *, by_first: bool = False) -> dict[str, np.ndarray]:
        """The columns by name; ``by_first`` puts the rows in the order of the first one."""
        flat = np.frombuffer(self._packed, dtype=float) if self._packed else np.empty(0)
        table = flat.reshape(-1, len(self.names))
        if by_first:
            table = table[np.argsort(table[:, 0], kind="stable")]
        return dict(zip(self.names, table.T, strict=True))


class Recorder:
    """What a run leaves behind, in the order in which it happens; ``columns`` puts it in order.

    A row of telemetry is a stretch of steps in which the same requests decode and nothing else
    happens. ``is_new`` says that something has happened since the last step.
    """

    def __init__(self, *, token_times: bool):
        self.ids: list = []
        self.gaps = GapCounter()
        self.is_new = True
        self.times_s: dict[int, array] | None = {} if token_times else None
        self._rows, self._requests = Rows(ROW_COLUMNS), Rows(REQUEST_COLUMNS)
        self._stays = Rows(STAY_COLUMNS)
        self._row: list[float] = []  # the open one: when it began, and the levels then
        self._row_steps, self._row_end_s = 0, NEVER
        self._first_starts = [0, 0]  # prompt tokens, and cached ones, since the last row began

    def step(self, begin_s: float, end_s: float, audited) -> None:
        """Note a step with the books as they stand when it has been planned."""
        if self.is_new or not audited.repeats:
            self._look(begin_s, audited)
        self._row_steps += 1
        self._row_end_s = end_s

    def started(self, life: Life, now_s: float) -> None:
        """A request got memory."""
        if not life.stays:
            self._first_starts[0] += life.request.prompt_tokens
            self._first_starts[1] += life.cached
        life.stays.append([now_s, NEVER, NEVER])
        life.token_s = NEVER
        self.is_new = True

    def preempted(self, life: Life, now_s: float) -> None:
        """A request lost its memory."""
        life.stays[-1][2] = now_s
        life.before_s = life.token_s if life.token_s == life.token_s else life.before_s
        self.is_new = True

    def ended(self, life: Life, now_s: float, status: RequestStatus) -> None:
        """A request is over, in whatever way; ``now_s`` is NaN where that was no end of its own."""
        request, row = life.request, life.rank
        last_s = life.token_s if life.token_s == life.token_s else life.before_s
        self._requests.add(
            row, request.arrival_s, life.first_s, last_s, now_s, STATUSES.index(status),
            request.prompt_tokens, life.cached or 0, life.answer - life.left, life.preemptions,
        )  # fmt: skip
        for stay in life.stays:
            self._stays.add(row, *stay)
        if self.times_s is not None:
            self.times_s[row] = life.times_s
        self.is_new = True

    def columns(self) -> dict[str, dict[str, np.ndarray]]:
        """What a ``ServingRun`` is made of: rows in order of time, the rest in order of arrival."""
        self._close_row()
        requests = self._requests.columns(by_first=True)
        del requests["row"]
        return {
            "rows": self._rows.columns(),
            "requests": requests,
            "stays": self._stays.columns(by_first=True),
            "gaps": self.gaps.total(),
            "times_s": self._all_times(),
        }

    def _all_times(self) -> np.ndarray | None:
        if self.times_s is None:
            return None
        times = [self.times_s[row] for row in sorted(self.times_s)]
        return np.concatenate([np.empty(0), *times])

    def _look(self, begin_s: float, audited) -> None:
        """Begin a row if something has happened, or if not all requests that run decode."""
        prefill_tokens, _, decodes, _ = audited.shape
        is_steady = decodes == audited.num_running
        if self.is_new or not is_steady:
            self._close_row()
            self._row = self._begun(begin_s, prefill_tokens, decodes, audited)
            self._first_starts = [0, 0]
            self.is_new = prefill_tokens > 0 or not is_steady

    def _begun(self, begin_s: float, prefill_tokens: int, decodes: int, audited) -> list[float]:
        running = audited.num_running
        return [
            begin_s, prefill_tokens, decodes, running, len(audited.books) - running,
            audited.memory.in_use, audited.stored_tokens - prefill_tokens - decodes,
            len(audited.preempted), *self._first_starts,
        ]  # fmt: skip

    def _close_row(self) -> None:
        if self._row:
            begin_s, *levels = self._row
            self._rows.add(begin_s, self._row_end_s - begin_s, self._row_steps, *levels)
            self._row, self._row_steps = [], 0
