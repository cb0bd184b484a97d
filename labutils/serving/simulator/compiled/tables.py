"""What the compiled loop works on: named tuples of arrays, and one record of numbers."""

from typing import NamedTuple

import numpy as np

from labutils.serving.runs.gaps import NUM_BINS

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
    base_s: float
    per_prefill_token_s: float
    per_pair_s: float
    per_sequence_s: float
    per_context_token_s: float
    weights_s: float
    per_linear_token_s: float


def record(**kinds: str) -> np.dtype:
    """A record of the fields that stand, parted by spaces, under each kind of number."""
    fields = [(name, kind) for kind, names in kinds.items() for name in names.split()]
    return np.dtype(fields, align=True)


LIFE = record(
    float64="arrival_s first_s last_s finish_s",
    int64="prompt end known cached names_at names_end stay times_at",
    int32="preemptions",
    bool="out",
)
"""A request: what is given, what its scheduler counts, what became of it.

It ends with ``end`` tokens; ``cached`` is -1 until it starts. The names of the full pages of its
prompt are ``Pages.names[names_at:names_end]``, its newest stay is ``Notes.stays[stay]``, and the
times of its tokens are noted in ``Notes.times_s`` from ``times_at`` on, unless that is empty. It is
``out`` of the queue if it was refused, or left before it started.
"""

DUE = record(float64="at_s", int64="row")
"""When the client of a request gives up; a table of them is in order of time."""

SLOT = record(float64="token_s", int64="row known computed room end new preempted")
"""A place in the line of running requests, in order of admission.

``row`` is its request, ``new`` are the tokens that the step computes of a prompt; ``token_s`` is
the time of the last token of this stay, for requests behind the first ``state.same``. ``preempted``
is another column: the rows of requests that wait in front, as a stack.
"""

PAGE = record(int32="owners before after")
"""A name of a page: ``owners`` (-1: no page has it), and its neighbours among the idle ones."""

ROW = record(
    float64="time_s end_s",
    int32="steps prefill_tokens decode_sequences running waiting pages_in_use stored_tokens "
    "preemptions prompt_tokens cached_tokens",
)
"""A row of telemetry."""

STAY = record(float64="admitted_s caught_up_s left_s", int64="row")
"""A time in which a request had memory; ``caught_up_s`` is when its prompt had been computed."""

STATE = record(
    float64="now_s carry_s stop_s due_s same_s longest_gap_s",
    int64="come next open running num_preempted same blank idle oldest newest lost prompt_tokens "
    "cached_tokens stored is_new rows stays due",
)
"""The clock and the counters of a run.

No step begins at ``stop_s`` or later.
``come`` requests have come, ``next`` is the first of them that never started, ``open`` have not
ended. The first ``same`` running requests got their last token at ``same_s``. Pages are ``blank``
or ``idle``, the latter from ``oldest`` to ``newest``. ``lost``, ``prompt_tokens`` and
``cached_tokens`` are preemptions and first admissions since the last row began; ``is_new`` says
that the next step begins a row. ``rows`` and ``stays`` are written down. ``due`` of the table
of ``DUE`` are over, and the next one is at ``due_s``.
"""


class Pages(NamedTuple):
    """``book`` has a ``PAGE`` for each name, and ``names`` the numbers of each request's.

    ``mine`` says, for each entry of ``names``, whether its running request holds the page of that
    name (and not a copy of its own). Idle pages are linked, the one idle longest first.
    """

    book: np.ndarray
    names: np.ndarray
    mine: np.ndarray


class Notes(NamedTuple):
    """What is written down: rows of telemetry, stays, gaps between tokens, times of tokens."""

    rows: np.ndarray
    stays: np.ndarray
    gaps: np.ndarray
    times_s: np.ndarray


def state_of(rules: Rules, stop_s: float) -> np.recarray:
    """The state of a run in which nothing has happened."""
    state = table(1, STATE)
    state.blank, state.oldest, state.newest = rules.num_pages, FREE_LIST_END, FREE_LIST_END
    state.stop_s, state.same_s, state.is_new, state.due_s = stop_s, NEVER, 1, np.inf
    return state


def table(rows: int, kind: np.dtype) -> np.recarray:
    """A table of zeros; memory is taken when it is written to."""
    return np.zeros(rows, dtype=kind).view(np.recarray)


def pages_of(names: np.ndarray, count: int) -> Pages:
    """No page has one of the ``count`` names yet."""
    book = table(count, PAGE)
    book.owners = UNREGISTERED
    return Pages(book, names, np.zeros(names.size, dtype=np.bool_))


def notes_of(rows: int, stays: int, num_times: int) -> Notes:
    """Empty tables."""
    gaps = np.zeros(NUM_BINS, dtype=np.int64)
    return Notes(table(rows, ROW), table(stays, STAY), gaps, np.full(num_times, NEVER))
