"""What the compiled loop works on: named tuples of arrays, and one record of numbers."""

from typing import NamedTuple

import numpy as np

from labutils.serving.simulator.gaps import NUM_BINS

NEVER = np.nan
FOR_EVER = 2**62  # tokens of room where memory never runs out
UNREGISTERED, FREE_LIST_END = -1, -1


class Rules(NamedTuple):
    """The policy and the step cost: plain numbers."""

    chunked: bool
    paged: bool
    max_sequences: int
    token_budget: int
    num_pages: int
    page_tokens: int
    until_s: float
    base_s: float
    per_prefill_token_s: float
    per_pair_s: float
    per_sequence_s: float
    per_context_token_s: float
    weights_s: float
    per_linear_token_s: float


class Lives(NamedTuple):
    """One row for each request: what is given, what a scheduler counts, what became of it.

    The names of the full pages of request r's prompt are the numbers
    ``names[names_at[r] : names_at[r + 1]]``. Its tokens go to ``times_s`` from ``times_at[r]`` on,
    unless that is empty.
    """

    arrival_s: np.ndarray
    prompt: np.ndarray
    end: np.ndarray  # tokens of prompt and answer
    refused: np.ndarray
    names_at: np.ndarray
    names: np.ndarray
    known: np.ndarray
    cached: np.ndarray  # -1: never started
    preemptions: np.ndarray
    first_s: np.ndarray
    last_s: np.ndarray
    finish_s: np.ndarray
    stay: np.ndarray  # the row of its newest stay
    times_at: np.ndarray
    times_s: np.ndarray


class Line(NamedTuple):
    """The running requests in order of admission, and the preempted ones as a stack.

    ``new`` are the tokens that the step computes of a prompt; ``token_s`` is the time of the last
    token of this stay, for requests behind the first ``state.same``.
    """

    row: np.ndarray
    known: np.ndarray
    computed: np.ndarray
    room: np.ndarray
    end: np.ndarray
    new: np.ndarray
    token_s: np.ndarray
    preempted: np.ndarray


class Pages(NamedTuple):
    """Pages with a name: ``owners`` of each (-1: no page has it), and the idle ones as a list.

    ``before`` and ``after`` link idle pages, the one idle longest first. ``mine`` says, for each
    entry of ``Lives.names``, whether its running request holds the page of that name (and not a
    copy of its own).
    """

    owners: np.ndarray
    before: np.ndarray
    after: np.ndarray
    mine: np.ndarray


class Notes(NamedTuple):
    """What is written down: telemetry rows, stays, gaps between tokens."""

    moments: np.ndarray  # of each row: begin and end
    levels: np.ndarray
    stay_row: np.ndarray
    stay_s: np.ndarray  # admitted, caught up, left
    gaps: np.ndarray


STATE = np.dtype(
    [
        (name, np.float64)
        for name in ("now_s", "carry_s", "same_s", "longest_gap_s")
    ]
    + [
        (name, np.int64)
        for name in (
            "come", "next", "open", "running", "num_preempted", "cut", "same", "blank", "idle",
            "oldest", "newest", "lost", "prompt_tokens", "cached_tokens", "stored", "is_new",
            "rows", "stays",
        )
    ]
)  # fmt: skip
"""The clock and the counters of a run.

``come`` requests have come, ``next`` is the first of them that never started, ``open`` have not
ended. ``cut`` says that the last running request is in the middle of its prompt. The first ``same``
running requests got their last token at ``same_s``. Pages are ``blank`` or ``idle``, the latter
from ``oldest`` to ``newest``. ``lost``, ``prompt_tokens`` and ``cached_tokens`` are preemptions and
first admissions since the last row began; ``is_new`` says that the next step begins a row.
"""

LEVELS = (
    "steps", "prefill_tokens", "decode_sequences", "running", "waiting", "pages_in_use",
    "stored_tokens", "preemptions", "prompt_tokens", "cached_tokens",
)  # fmt: skip


def state_of(rules: Rules) -> np.recarray:
    """The state of a run in which nothing has happened."""
    state = np.zeros(1, dtype=STATE).view(np.recarray)
    state.blank, state.oldest, state.newest = rules.num_pages, FREE_LIST_END, FREE_LIST_END
    state.same_s, state.is_new = NEVER, 1
    return state


def line_of(places: int) -> Line:
    """An empty line with room for ``places`` running requests."""
    whole = [np.zeros(places + 1, dtype=np.int64) for _ in range(6)]
    return Line(*whole, np.full(places + 1, NEVER), np.zeros(places + 1, dtype=np.int64))


def pages_of(num_names: int, num_entries: int) -> Pages:
    """No page has a name yet."""
    links = (np.full(num_names, FREE_LIST_END, dtype=np.int32) for _ in range(2))
    owners = np.full(num_names, UNREGISTERED, dtype=np.int32)
    return Pages(owners, *links, np.zeros(num_entries, dtype=np.bool_))


def notes_of(rows: int, stays: int) -> Notes:
    """Empty tables; memory is taken when it is written to."""
    return Notes(
        np.empty((rows, 2)),
        np.empty((rows, len(LEVELS)), dtype=np.int32),
        np.empty(stays, dtype=np.int32),
        np.empty((stays, 3)),
        np.zeros(NUM_BINS, dtype=np.int64),
    )
