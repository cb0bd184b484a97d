"""What a replica looks like at a moment, in the middle of a step as well.

It has been run until then, and stands at the end of the step under way. Until that moment,
all whom the step serves still run, and hold what they hold.
"""

from labutils.simulation.queues.compiled import apart, inner

from .run_until import run_all


@inner
def num_waiting(fleet, replica):
    """Requests without memory: those that wait, and those that came in the step under way."""
    state = fleet.states[replica]
    return state.open - state.running + fleet.desks[replica].given - state.come


@inner
def num_running(fleet, replica, now_s):
    """Requests that the step under way serves."""
    state = fleet.states[replica]
    return fleet.desks[replica].busy if state.now_s > now_s else state.running


@inner
def in_flight(fleet, replica, now_s):
    """Requests that were sent to a replica and have not ended at ``now_s``."""
    return num_waiting(fleet, replica) + num_running(fleet, replica, now_s)


@inner
def look(fleet, replica, now_s, seen):
    """Write down what a replica looks like."""
    state, desk = fleet.states[replica], fleet.desks[replica]
    seen.waiting = num_waiting(fleet, replica)
    seen.running = num_running(fleet, replica, now_s)
    seen.pages = fleet.rules[replica].num_pages - state.blank - state.idle
    if state.now_s > now_s:
        seen.pages = desk.held


@inner
def busy_s(fleet, replica, since_s, now_s):
    """Seconds since ``since_s`` in which a replica executed steps, pause by pause backwards."""
    rows, at = fleet.rows[replica], fleet.states[replica].rows - 1
    seconds, begin_s, end_s = 0.0, now_s, now_s
    while at >= 0 and rows[at].end_s > since_s:
        if rows[at].end_s < begin_s:
            seconds += end_s - begin_s
            end_s = rows[at].end_s
        begin_s = max(rows[at].time_s, since_s)
        at -= 1
    return seconds + (end_s - begin_s)


@apart
def report_on_time(fleet, clock, now_s):
    """Let all replicas report, if that was due since they did so last.

    Whoever is run further than to a report that is due would say what comes behind it: so this is
    asked first, wherever a replica is run.
    """
    every_s = clock.report_every_s
    due_s = now_s if every_s == 0.0 else min(now_s, now_s // every_s * every_s)
    if every_s < 0.0 or (every_s > 0.0 and due_s <= clock.reported_s):
        return
    run_all(fleet, clock, due_s)
    if clock.is_full:
        return
    for replica in range(fleet.states.size):
        look(fleet, replica, due_s, fleet.desks[replica])
        fleet.desks[replica].since = 0
    clock.reported_s = due_s
