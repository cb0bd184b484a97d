"""The tables of many replicas: those of one run, with one more axis in front."""

from typing import NamedTuple

import numpy as np

from ..tables import Rules, record

RULE = record(
    float64="base_s per_prefill_token_s per_pair_s per_sequence_s per_context_token_s weights_s "
    "per_linear_token_s",
    int64="max_sequences token_budget num_pages page_tokens",
    bool="chunked paged",
)
"""``Rules`` as a row of a table: replicas need not be alike."""

DESK = record(int64="given since waiting running pages busy held")
"""What is known of a replica.

It was ``given`` so many requests, ``since`` of them after its last report. That report says how
many were ``waiting`` and ``running``, and how many ``pages`` these held. In its newest step
``busy`` requests ran and ``held`` pages were in use, before the answers that end with it left.
"""

LOOK = record(float64="busy_s free_s", int64="waiting running pages num_pages")
"""What a replica looks like at a moment, not only when it reports.

It executed steps for ``busy_s``, and is free since ``free_s`` if nothing is in flight.
"""

CLOCK = record(
    float64="reported_s report_every_s tick_s", int64="next fresh calls", bool="is_ready is_full"
)
"""When all replicas reported last, and how far the sending has come: to ``tick_s`` at most.

They report ``report_every_s`` (0: at each choice, -1: never).

Of the attempts ``next`` is the one to be sent; it ``is_ready`` once its row is written. Of the
requests ``fresh`` is the first that was never sent. ``calls`` are to come, and ``is_full`` says
that a table is.
"""

ATTEMPT = record(float64="arrival_s", int64="origin place", int32="number replica")
"""A request on its way: ``origin`` is its row among the requests, ``number`` counts from 1.

It is at ``place`` in the table of its ``replica``.
"""

CALL = record(float64="at_s", int64="row", bool="gives_up")
"""At ``at_s`` the client of an attempt gives up, or sends the request again."""


class Policy(NamedTuple):
    """A router of ours, as numbers; ``kind`` is one of those below.

    ``two``: of two replicas at random the better one. A load is counted as ``own`` times the
    requests in flight, as the router counts them itself, plus so much for each request that was
    reported ``waiting`` or ``running``, and for each one sent ``since``. ``prefix``, ``queue`` and
    ``kv`` are weights of scores from 0 to 1. ``bound``: no replica gets more than so many times
    the mean number in flight.
    """

    kind: int
    two: bool = False
    own: float = 0.0
    since: float = 0.0
    waiting: float = 0.0
    running: float = 0.0
    bound: float = 0.0
    prefix: float = 0.0
    queue: float = 0.0
    kv: float = 0.0


RANDOM, IN_TURN, BY_LOAD, BY_PREFIX, BY_SCORE, FIXED = range(6)


class Requests(NamedTuple):
    """What comes, in order of arrival: tokens of prompts and of answers, as columns.

    An answer may grow until its request needs ``most_pages``. The names of its prompt's pages are
    ``Replicas.names[names_at[row]:names_at[row + 1]]``. ``patience_s`` is empty where nobody gives
    up, ``fixed`` where no router knew in advance who goes where.

    There is a row of ``attempts``, and of ``draws`` (two numbers from 0 to 1 for the router), for
    each time that a request may be sent: ``most_attempts`` times, ``wait_s`` after a client gave
    up, and each time ``factor`` times as long. ``calls`` is a heap, empty where nobody tries again.
    """

    arrival_s: np.ndarray
    prompt: np.ndarray
    output: np.ndarray
    most_pages: np.ndarray
    names_at: np.ndarray
    patience_s: np.ndarray
    fixed: np.ndarray
    most_attempts: int
    wait_s: float
    factor: float
    attempts: np.ndarray
    draws: np.ndarray
    calls: np.ndarray


class Replicas(NamedTuple):
    """Row r of each table is replica r's; ``names`` are those of all requests, as they come.

    ``sent[r, name]`` says that the router has sent a prompt with a page of that name there. ``up``
    are the replicas to which it may send.
    """

    rules: np.ndarray
    lives: np.ndarray
    line: np.ndarray
    book: np.ndarray
    names: np.ndarray
    mine: np.ndarray
    rows: np.ndarray
    stays: np.ndarray
    gaps: np.ndarray
    times_s: np.ndarray
    due: np.ndarray
    states: np.ndarray
    desks: np.ndarray
    sent: np.ndarray
    up: np.ndarray


def rules_table(rules: list[Rules]) -> np.recarray:
    """The rules of all replicas."""
    rows = [tuple(getattr(one, name) for name in RULE.names) for one in rules]
    return np.array(rows, dtype=RULE).view(np.recarray)
