"""Many replicas as tables that grow, from a job to a ``ReplicasRun``."""

import numpy as np

from labutils.engine import Scheduler
from labutils.serving.runs.gaps import NUM_BINS
from labutils.serving.simulator.compiled.compiled_run import check_sizes, rules_of
from labutils.serving.simulator.compiled.job import Job
from labutils.serving.simulator.compiled.replicas.dispatch import (
    DONE as DONE_SENDING,
    dispatch,
    run_on,
)
from labutils.serving.simulator.compiled.replicas.losses import lose
from labutils.serving.simulator.compiled.replicas.replica_tables import (
    ATTEMPT,
    CALL,
    CLOCK,
    DESK,
    LOOK,
    Policy,
    Replicas,
    Requests,
    rules_table,
)
from labutils.serving.simulator.compiled.result import result_of
from labutils.serving.simulator.compiled.serve import DONE, serve
from labutils.serving.simulator.compiled.spread import names_of
from labutils.serving.simulator.compiled.tables import (
    DUE,
    FREE_LIST_END,
    LIFE,
    PAGE,
    ROW,
    SLOT,
    STATE,
    STAY,
    UNREGISTERED,
    Notes,
    Pages,
    Rules,
    state_of,
)

from .replicas_run import ReplicasRun
from .retries import Retries
from .scaling import Look, Roster, paid_for

NOBODY = np.zeros(0, dtype=LOOK).view(np.recarray)


class ReplicaSet:
    """Tables with a row for each replica, and the requests that come.

    A replica's part of a table is as long as that of the one with most in it: memory is taken only
    where it is written to.
    """

    def __init__(self, job: Job, schedulers: list[Scheduler], costs: list, patience_s, retries):
        self.job = job
        rules = [rules_of(one, cost) for one, cost in zip(schedulers, costs, strict=True)]
        for one in rules:
            check_sizes(job, one, min(one.max_sequences, len(job.ids)))
        self.clock = many(1, 1, CLOCK)[0]
        self.clock.reported_s, self.clock.tick_s = -np.inf, np.inf
        starts, names, count = self._named_pages(rules[0])
        self.requests = Requests(
            job.arrival_s, job.prompt, job.output, -(-(job.most - 1) // rules[0].page_tokens),
            starts, np.zeros(0) if patience_s is None else np.asarray(patience_s),
            fixed=np.zeros(0, dtype=np.int64), **self._attempts(retries),
        )  # fmt: skip
        self.fleet = self._tables(rules, names, count)

    def _attempts(self, retries: Retries) -> dict:
        n = len(self.job.ids)
        most = retries.most_attempts
        return {
            "most_attempts": most, "wait_s": float(retries.wait_s),
            "factor": float(retries.factor), "attempts": many(1, n * most, ATTEMPT)[0],
            "draws": np.zeros((n * most, 2)), "calls": many(1, n * most * (most > 1), CALL)[0],
        }  # fmt: skip

    def _named_pages(self, rules: Rules):
        job = self.job
        if job.keys is None or not rules.paged:
            return np.zeros(len(job.ids) + 1, dtype=np.int64), np.zeros(0, dtype=np.int32), 0
        parts = max(job.key_tokens // rules.page_tokens, 1)
        return *names_of(job, rules.page_tokens), job.keys.count * parts

    def _tables(self, rules, names, count) -> Replicas:
        n, most = len(rules), len(self.job.ids)
        places = max(min(one.max_sequences, most) for one in rules)
        length = min(most, 5 * most // (4 * n) + 1_024)
        book, states = many(n, count, PAGE), many(n, 1, STATE)[:, 0]
        book.owners = UNREGISTERED
        for at, one in enumerate(rules):
            states[at : at + 1] = state_of(one, np.inf)
        rules = [one._replace(max_sequences=min(one.max_sequences, places)) for one in rules]
        due = length if self.requests.patience_s.size else 0
        return Replicas(
            rules=rules_table(rules), lives=many(n, length, LIFE), line=many(n, places + 1, SLOT),
            book=book, names=names, mine=np.zeros((n, names.size), dtype=np.bool_),
            rows=many(n, 3 * length + 1_024, ROW),
            stays=many(n, length + 2 * places + 1_024, STAY),
            gaps=np.zeros((n, NUM_BINS), dtype=np.int64), times_s=np.zeros(0),
            due=many(n, due, DUE), states=states, desks=many(n, 1, DESK)[:, 0],
            sent=np.zeros((n, count), dtype=np.bool_), up=np.arange(n),
        )  # fmt: skip

    def send_all(self, policy: Policy) -> None:
        """Send all requests that come before the next tick by a router of ours."""
        while True:
            if dispatch(policy, self.fleet, self.clock, self.requests) == DONE_SENDING:
                return
            self.make_room()

    def run_until(self, now_s: float, since_s: float = 0.0, seen=NOBODY) -> None:
        """Run the steps of all replicas that begin before then, and fill ``seen`` (``LOOK``)."""
        while run_on(self.fleet, self.clock, now_s, since_s, seen) != DONE_SENDING:
            self.make_room()

    def looks(self, now_s: float, since_s: float) -> list[Look]:
        """What each replica looks like; who was busy counts ``since_s``."""
        seen = many(1, self.fleet.states.size, LOOK)[0]
        self.run_until(now_s, since_s, seen)
        return [Look(*row) for row in seen.tolist()]

    def lose(self, replica: int, now_s: float) -> None:
        """A replica is gone with all that is in flight there; perhaps it will begin anew."""
        while lose(self.fleet, self.clock, self.requests, replica, now_s) != DONE_SENDING:
            self.make_room()
        self.restart(replica)

    def restart(self, replica: int) -> None:
        """One that is empty begins anew, without a cache, and nothing was ever sent there."""
        fleet = self.fleet
        state, desk = fleet.states[replica], fleet.desks[replica]
        state.blank, state.idle = fleet.rules[replica].num_pages, 0
        state.oldest = state.newest = FREE_LIST_END
        fleet.book.owners[replica], fleet.sent[replica] = UNREGISTERED, False
        desk.waiting = desk.running = desk.pages = desk.since = desk.busy = desk.held = 0

    @property
    def all_sent(self) -> bool:
        """Whether no request can come any more."""
        return self.clock.fresh[0] == len(self.job.ids) and not self.clock.calls[0]

    def make_room(self) -> None:
        """Double the tables that are full for some replica."""
        fleet, states = self.fleet, self.fleet.states
        longer = {}
        if fleet.desks.given.max() == fleet.lives.shape[1]:
            longer = {name: doubled(getattr(fleet, name)) for name in ("lives", "due")}
        if states.rows.max() == fleet.rows.shape[1]:
            longer["rows"] = doubled(fleet.rows)
        if fleet.stays.shape[1] - states.stays.max() < fleet.line.shape[1]:
            longer["stays"] = doubled(fleet.stays)
        self.fleet = fleet._replace(**longer)
        self.clock.is_full = False

    def finish(self, roster: Roster | None = None) -> ReplicasRun:
        """Let all replicas serve what they were given."""
        runs = tuple(self._run_of(at) for at in range(self.fleet.states.size))
        sent = self.requests.attempts[: int(self.clock.next[0])]
        paid = paid_for(roster, self.fleet.states.now_s.tolist())
        return ReplicasRun(self._ids(sent), np.asarray(sent.replica), runs, sent, *paid)

    def _ids(self, attempts) -> list:
        ids = self.job.ids
        if isinstance(ids, range):
            return np.asarray(attempts.origin)
        return [ids[row] for row in attempts.origin]

    def _run_of(self, at: int):
        state = self.fleet.states[at : at + 1]
        state.stop_s = np.inf
        while True:
            fleet, given = self.fleet, int(self.fleet.desks.given[at])
            notes = Notes(fleet.rows[at], fleet.stays[at], fleet.gaps[at], fleet.times_s)
            pages = Pages(fleet.book[at], fleet.names, fleet.mine[at])
            lives, line, due = fleet.lives[at, :given], fleet.line[at], fleet.due[at, :given]
            if serve(fleet.rules[at], lives, line, pages, notes, due, state) == DONE:
                sent = self.requests.attempts[: int(self.clock.next[0])]
                job = self.job._replace(ids=self._ids(sent[sent.replica == at]))
                return result_of(job, lives, line, notes, due, state[0], token_times=False)
            self.make_room()


def many(replicas: int, rows: int, kind: np.dtype) -> np.recarray:
    """A table of zeros for each replica; memory is taken when it is written to."""
    return np.zeros((replicas, rows), dtype=kind).view(np.recarray)


def doubled(old: np.recarray) -> np.recarray:
    """The same tables, each with as much room again."""
    new = many(old.shape[0], 2 * old.shape[1], old.dtype)
    new[:, : old.shape[1]] = old
    return new
