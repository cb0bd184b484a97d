"""What a replica looks like at a moment, in the middle of a step as well.

A replica that has been run until then stands at the end of the step under way. Until that moment,
all whom the step serves still run, and hold what they hold.
"""

from labutils.simulation.queues.compiled import apart, inner

from .run_until import run_until


@inner
def num_waiting(fleet, replica):
    """Requests without memory: those that wait, and those that came in the step under way."""
    state = fleet.states[replica]
    waiting = state.open - state.running
    for row in range(state.come, fleet.desks[replica].given):
        waiting += not fleet.lives[replica, row].out
    return waiting


@inner
def num_running(fleet, replica, now_s):
    """Requests that the step under way serves."""
    state = fleet.states[replica]
    return fleet.desks[replica].busy if state.now_s > now_s else state.running


@apart
def in_flight(fleet, clock, replica, now_s):
    """Requests that were sent to a replica and have not ended at ``now_s``."""
    if not run_until(fleet, replica, now_s):
        clock.is_full = True
    return num_waiting(fleet, replica) + num_running(fleet, replica, now_s)


@apart
def report(fleet, clock, replica, now_s):
    """Let a replica say what it looks like."""
    if not run_until(fleet, replica, now_s):
        clock.is_full = True
        return
    state, desk = fleet.states[replica], fleet.desks[replica]
    desk.waiting = num_waiting(fleet, replica)
    desk.running = num_running(fleet, replica, now_s)
    desk.pages = fleet.rules[replica].num_pages - state.blank - state.idle
    if state.now_s > now_s:
        desk.pages = desk.held
    desk.since = 0


@apart
def report_on_time(fleet, clock, every_s, now_s):
    """Let all replicas report, if that was due since they did so last. Each time if every 0 s."""
    due_s = now_s if every_s == 0.0 else min(now_s, now_s // every_s * every_s)
    if every_s > 0.0 and due_s <= clock.reported_s:
        return
    for replica in range(fleet.states.size):
        report(fleet, clock, replica, due_s)
    if not clock.is_full:
        clock.reported_s = due_s
