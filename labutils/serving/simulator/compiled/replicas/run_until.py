"""One replica, up to a moment: the loop of ``serve``, which may be gone on with."""

from labutils.simulation.queues.compiled import apart, inner

from ..serve import finish, leave, welcome, work
from ..tables import Notes, Pages


@apart
def run_all(fleet, clock, now_s):
    """Run the steps of all replicas that begin before ``now_s``."""
    for replica in range(fleet.states.size):
        if is_behind(fleet, replica, now_s):
            run_until(fleet, clock, replica, now_s)


@inner
def is_behind(fleet, replica, now_s):
    """Whether a replica may have a step that begins before ``now_s``."""
    state = fleet.states[replica]
    return state.now_s < now_s and (state.open or state.come < fleet.desks[replica].given)


@apart
def run_until(fleet, clock, replica, now_s):
    """Run the steps of a replica that begin before ``now_s``, while there is room."""
    if not is_behind(fleet, replica, now_s):
        return
    state, desk = fleet.states[replica], fleet.desks[replica]
    state.stop_s = now_s
    lives, due = fleet.lives[replica, : desk.given], fleet.due[replica, : desk.given]
    pages = Pages(fleet.book[replica], fleet.names, fleet.mine[replica])
    notes = Notes(fleet.rows[replica], fleet.stays[replica], fleet.gaps[replica], fleet.times_s)
    line, rules = fleet.line[replica], fleet.rules[replica]
    if not go_on(rules, lives, line, pages, notes, due, state, desk):
        clock.is_full = True


@inner
def go_on(rules, lives, line, pages, notes, due, state, desk):
    """``serve``, up to ``state.stop_s``, where nobody leaves yet; False if a table is full."""
    while True:
        welcome(lives, state)
        if state.now_s >= state.stop_s:
            return True
        if state.rows == notes.rows.size or notes.stays.size - state.stays < line.size:
            return False
        if state.due_s <= state.now_s:
            leave(rules, lives, line, pages, notes, due, state)
        if state.open:
            ended = work(rules, lives, line, pages, notes, state)
            desk.busy = state.running
            desk.held = rules.num_pages - state.blank - state.idle
            if ended:
                finish(rules, lives, line, pages, notes, state)
        elif state.come < lives.size:
            state.now_s = lives[state.come].arrival_s
            state.carry_s = 0.0
        else:
            return True
