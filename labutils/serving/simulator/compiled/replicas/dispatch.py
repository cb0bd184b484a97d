"""Request after request: who reports does so, the router chooses, the replica gets it."""

from labutils.simulation.queues.compiled import apart, compiled

from .choose import choose
from .look import in_flight, report_on_time
from .replica_tables import BY_SCORE


@compiled
def dispatch(policy, fleet, clocks, requests):
    """Send all requests; returns early, before a choice, where a table ``is_full``.

    Whatever was chosen with too little room is chosen again: a choice changes nothing.
    """
    clock = clocks[0]
    told = policy.kind == BY_SCORE or policy.waiting > 0.0 or policy.running > 0.0
    while clock.next < requests.lives.size:
        row = clock.next
        now_s = requests.lives[row].arrival_s
        if told:
            report_on_time(fleet, clock, policy.report_every_s, now_s)
        replica = choose(policy, fleet, clock, requests, row, now_s)
        if clock.is_full or fleet.desks[replica].given == fleet.lives.shape[1]:
            return
        hand_over(fleet, requests, row, replica)
        clock.next += 1


@compiled
def look_at_all(fleet, clocks, every_s, now_s, counts):
    """What a router in Python may know: ``counts`` [n] become the requests in flight."""
    clock = clocks[0]
    report_on_time(fleet, clock, every_s, now_s)
    for replica in range(counts.size):
        counts[replica] = in_flight(fleet, clock, replica, now_s)


@compiled
def send(fleet, clocks, requests, replica):
    """Send the next request to a replica; False where its table is full."""
    clock = clocks[0]
    if fleet.desks[replica].given == fleet.lives.shape[1]:
        return False
    hand_over(fleet, requests, clock.next, replica)
    clock.next += 1
    return True


@apart
def hand_over(fleet, requests, row, replica):
    """A request joins those that a replica was given."""
    state, desk = fleet.states[replica], fleet.desks[replica]
    fleet.lives[replica, desk.given] = requests.lives[row]
    life = fleet.lives[replica, desk.given]
    rules = fleet.rules[replica]
    life.out = rules.paged and requests.most_pages[row] > rules.num_pages
    if requests.patience_s.size:
        due_s = life.arrival_s + requests.patience_s[row]
        await_end(fleet.due[replica], state, desk.given, due_s)
    for at in range(life.names_at, life.names_end):
        fleet.sent[replica, fleet.names[at]] = True
    requests.replica[row] = replica
    desk.given += 1
    desk.since += 1


@apart
def await_end(due, state, row, due_s):
    """Its client gives up at ``due_s``: behind those that give up no later."""
    at = row
    while at > state.due and due[at - 1].at_s > due_s:
        due[at] = due[at - 1]
        at -= 1
    due[at].at_s, due[at].row = due_s, row
    state.due_s = due[state.due].at_s
