"""One compiled run, from the columns of the job to those of a ``ServingRun``."""

import numpy as np

from labutils.engine import PagePool, Scheduler
from labutils.serving.simulator.run import ServingRun
from labutils.serving.simulator.step_cost import StepCost

from .job import Job
from .result import result_of
from .serve import DONE, serve
from .spread import names_of
from .tables import NEVER, Lives, Notes, Rules, line_of, notes_of, pages_of, state_of

MOST = 2**31  # tokens: counts of one step fit into 32 bits, attention pairs into 64
ROWS_AT_A_TIME = 100_000  # of telemetry, between two moves of a progress bar


def run_compiled(
    job: Job, scheduler: Scheduler, cost: StepCost, *, token_times: bool, until_s: float, on_end
) -> ServingRun:
    """Serve ``job`` by the policy of ``scheduler``, which is read and left as it is."""
    rules = _rules(scheduler, cost, until_s)
    places = min(rules.max_sequences, len(job.ids))
    _check_sizes(job, rules, places)
    lives, state = _lives(job, rules, token_times), state_of(rules)
    line, pages = line_of(places), pages_of(_num_names(job, rules), lives.names.size)
    notes, ended = notes_of(4 * len(job.ids) + 1_024, 2 * (len(job.ids) + places) + 1_024), 0
    rules = rules._replace(max_sequences=places)
    while True:
        shown = notes._replace(levels=notes.levels[: int(state.rows[0]) + ROWS_AT_A_TIME])
        done = serve(rules, lives, line, pages, shown, state) == DONE
        over = int(state.come[0] - state.open[0])
        on_end(over - ended)
        ended = over
        if done:
            return result_of(job, lives, line, notes, state[0], token_times=token_times)
        notes = _grown(notes, state[0], places)


def _rules(scheduler: Scheduler, cost: StepCost, until_s: float) -> Rules:
    pool = scheduler.pool
    paged = isinstance(pool, PagePool)
    memory = (pool.num_pages, pool.page_tokens) if paged else (0, 1)
    limits = scheduler.max_sequences, scheduler.token_budget
    costs = (getattr(cost, name) for name in cost.__dataclass_fields__)
    return Rules(bool(scheduler.chunked), paged, *limits, *memory, until_s, *costs)


def _check_sizes(job: Job, rules: Rules, places: int) -> None:
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


def _num_names(job: Job, rules: Rules) -> int:
    if job.keys is None or not rules.paged:
        return 0
    return job.keys.count * max(job.key_tokens // rules.page_tokens, 1)


def _lives(job: Job, rules: Rules, token_times: bool) -> Lives:
    n, page = len(job.ids), rules.page_tokens
    refused = np.zeros(n, dtype=np.bool_)
    if rules.paged:
        refused = -(-(job.most - 1) // page) > rules.num_pages
    names_at, names = np.zeros(n + 1, dtype=np.int64), np.zeros(0, dtype=np.int32)
    if job.keys is not None and rules.paged:
        names_at, names = names_of(job, page)
    times_at = np.zeros(n + 1, dtype=np.int64)
    if token_times:
        np.cumsum(np.where(refused, 0, job.output), out=times_at[1:])
    counts = (np.full(n, -1), np.zeros(n, dtype=np.int64))
    times = (np.full(n, NEVER) for _ in range(3))
    return Lives(
        np.array(job.arrival_s), np.array(job.prompt), job.prompt + job.output, refused,
        names_at, names, job.prompt.copy(), *counts, *times, np.zeros(n, dtype=np.int64),
        times_at, np.full(int(times_at[-1]), NEVER),
    )  # fmt: skip


def _grown(notes: Notes, state, places: int) -> Notes:
    """The same notes with room for as much again, where one of the tables is full."""
    more = notes_of(2 * len(notes.levels), 2 * len(notes.stay_s))
    rows, stays = int(state.rows), int(state.stays)
    if rows == len(notes.levels):
        more.levels[:rows], more.moments[:rows] = notes.levels, notes.moments
        notes = notes._replace(levels=more.levels, moments=more.moments)
    if len(notes.stay_s) - stays <= places:
        more.stay_row[:stays], more.stay_s[:stays] = notes.stay_row[:stays], notes.stay_s[:stays]
        notes = notes._replace(stay_row=more.stay_row, stay_s=more.stay_s)
    return notes
