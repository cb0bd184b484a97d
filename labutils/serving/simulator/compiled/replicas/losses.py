"""A replica is gone, and with it all that was in flight there."""

import numpy as np

from labutils.simulation.queues.compiled import apart, compiled

from ..serve import finish, welcome
from ..tables import Notes, Pages
from .attempts import push
from .look import report_on_time
from .run_until import run_until

DONE, FULL = 0, 2


@compiled
def lose(fleet, clocks, requests, replica, now_s):
    """What is in flight at a replica is lost when the step under way ends. ``FULL``: call again.

    Whoever has not given up by then, and may, will try again.
    """
    clock = clocks[0]
    report_on_time(fleet, clock, now_s)
    run_until(fleet, clock, replica, now_s)
    if clock.is_full:
        return FULL
    state, given = fleet.states[replica], fleet.desks[replica].given
    welcome(fleet.lives[replica, :given], state)
    for row in range(clock.next):
        attempt = requests.attempts[row]
        if attempt.replica != replica:
            continue
        life = fleet.lives[replica, attempt.place]
        if life.finish_s == life.finish_s or life.out:  # it is not open
            continue
        life.finish_s = state.now_s
        due_s = np.inf
        if requests.patience_s.size:
            due_s = life.arrival_s + requests.patience_s[attempt.origin]
        if attempt.number < requests.most_attempts and state.now_s <= due_s:
            wait_s = requests.wait_s * requests.factor ** (attempt.number - 1)
            push(requests.calls, clock, state.now_s + wait_s, row, False)
    empty(fleet, replica)
    return DONE


@apart
def empty(fleet, replica):
    """Nobody waits or runs any more; whoever ran leaves as at an end."""
    state, line = fleet.states[replica], fleet.line[replica]
    if not state.open:
        return
    state.next, state.num_preempted, state.open, state.is_new = state.come, 0, state.running, 1
    for slot in range(state.running):
        line[slot].end = line[slot].known
    pages = Pages(fleet.book[replica], fleet.names, fleet.mine[replica])
    notes = Notes(fleet.rows[replica], fleet.stays[replica], fleet.gaps[replica], fleet.times_s)
    finish(fleet.rules[replica], fleet.lives[replica], line, pages, notes, state)
