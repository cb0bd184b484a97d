"""One compiled run, from the columns of the job to those of a ``ServingRun``."""

from collections.abc import Sequence

import numpy as np

from labutils.engine import PagePool, Scheduler
from labutils.serving.runs.run import ServingRun
from labutils.serving.runs.step_cost import StepCost

from .job import Job
from .result import result_of
from .serve import DONE, serve
from .spread import names_of
from .tables import DUE, LIFE, NEVER, SLOT, Notes, Pages, Rules, notes_of, pages_of, state_of, table

MOST = 2**31  # tokens: counts of one step fit into 32 bits, attention pairs into 64
ROWS_AT_A_TIME = 100_000  # of telemetry, between two lines of progress


def run_compiled(
    job: Job, scheduler: Scheduler, cost: StepCost, *, token_times: bool, until_s: float, on_end,
    patience_s: Sequence[float] | None = None,
) -> ServingRun:  # fmt: skip
    """Serve ``job`` by the policy of ``scheduler``, which is read and left as it is."""
    rules = rules_of(scheduler, cost)
    places = min(rules.max_sequences, len(job.ids))
    check_sizes(job, rules, places)
    lives, state, line = _lives(job, rules), state_of(rules, until_s), table(places + 1, SLOT)
    due = _due(job, patience_s)
    state.due_s = due.at_s[0] if due.size else np.inf
    pages = _pages(job, rules, lives)
    num_times = _give_times(job, lives) if token_times else 0
    notes = notes_of(_rows(job, rules), 2 * (len(job.ids) + places) + 1_024, num_times)
    rules, ended = rules._replace(max_sequences=places), 0
    while True:
        shown = notes._replace(rows=notes.rows[: int(state.rows[0]) + ROWS_AT_A_TIME])
        done = serve(rules, lives, line, pages, shown, due, state) == DONE
        over = int(state.come[0] - state.open[0])
        on_end(over - ended)
        ended = over
        if done:
            return result_of(job, lives, line, notes, due, state[0], token_times=token_times)
        notes = _grown(notes, state[0], places)


def rules_of(scheduler: Scheduler, cost: StepCost) -> Rules:
    """What the loop has to know of a policy and of what its steps cost."""
    pool = scheduler.pool
    paged = isinstance(pool, PagePool)
    memory = (pool.num_pages, pool.page_tokens) if paged else (0, 1)
    limits = scheduler.max_sequences, scheduler.token_budget
    costs = (getattr(cost, name) for name in cost.__dataclass_fields__)
    return Rules(bool(scheduler.chunked), paged, *limits, *memory, *costs)


def _rows(job: Job, rules: Rules) -> int:
    """Rows of telemetry that are enough for most runs: each piece of a prompt has its own."""
    pieces = int(job.prompt.sum()) // rules.token_budget if rules.chunked else 0
    return 4 * len(job.ids) + pieces + 1_024


def check_sizes(job: Job, rules: Rules, places: int) -> None:
    """``ValueError`` where a count could grow beyond what the tables hold."""
    longest = int(np.max(job.prompt + job.output, initial=1))
    if longest * max(places, 1) >= MOST:
        raise ValueError(
            f"prompt_tokens + output_tokens = {longest} of a request, max_sequences = {places}: "
            f"expected a product below {MOST} in a compiled run; compiled=False takes any"
        )
    if max(rules.num_pages, len(job.ids)) >= MOST:
        raise ValueError(
            f"{len(job.ids)} requests, num_pages = {rules.num_pages}: expected below {MOST}"
        )


def _lives(job: Job, rules: Rules) -> np.recarray:
    lives = table(len(job.ids), LIFE)
    lives.arrival_s, lives.prompt, lives.known = job.arrival_s, job.prompt, job.prompt
    lives.end, lives.cached = job.prompt + job.output, -1
    lives.first_s = lives.last_s = lives.finish_s = NEVER
    if rules.paged:
        lives.out = -(-(job.most - 1) // rules.page_tokens) > rules.num_pages
    return lives


def _due(job: Job, patience_s: Sequence[float] | None) -> np.recarray:
    """When each client gives up, in order of time; empty where none ever does."""
    if patience_s is None:
        return table(0, DUE)
    due = table(len(job.ids), DUE)
    due.at_s, due.row = job.arrival_s + patience_s, np.arange(due.size)
    return due[np.argsort(due.at_s, kind="stable")]


def _pages(job: Job, rules: Rules, lives: np.recarray) -> Pages:
    if job.keys is None or not rules.paged:
        return pages_of(np.zeros(0, dtype=np.int32), 0)
    starts, names = names_of(job, rules.page_tokens)
    lives.names_at, lives.names_end = starts[:-1], starts[1:]
    return pages_of(names, job.keys.count * max(job.key_tokens // rules.page_tokens, 1))


def _give_times(job: Job, lives: np.recarray) -> int:
    """Where the times of each request's tokens begin; returns how many there are."""
    ends = np.cumsum(np.where(lives.out, 0, job.output), dtype=np.int64)
    lives.times_at[1:] = ends[:-1]
    return int(ends[-1]) if ends.size else 0


def _grown(notes: Notes, state, places: int) -> Notes:
    """The same notes with room for as much again, where one of the tables is full."""
    rows, stays = notes.rows, notes.stays
    if state.rows == rows.size:
        rows = _longer(rows)
    if stays.size - state.stays <= places:
        stays = _longer(stays)
    return notes._replace(rows=rows, stays=stays)


def _longer(old: np.recarray) -> np.recarray:
    new = table(2 * old.size, old.dtype)
    new[: old.size] = old
    return new
