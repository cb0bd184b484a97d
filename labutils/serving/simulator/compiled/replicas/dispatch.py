"""Request after request: who reports does so, the router chooses, the replica gets it."""

from labutils.simulation.queues.compiled import apart, compiled

from ..tables import NEVER
from .choose import choose, second
from .look import in_flight, report
from .replica_tables import BY_PREFIX, BY_SCORE
from .run_until import run_all, run_until


@compiled
def dispatch(policy, fleet, clocks, requests):
    """Send all requests; returns early, before a choice, where a table ``is_full``."""
    clock = clocks[0]
    is_told = policy.kind == BY_SCORE or policy.waiting > 0.0 or policy.running > 0.0
    counts = policy.kind == BY_PREFIX or policy.own > 0.0
    while clock.next < requests.replica.size:
        row = clock.next
        now_s = requests.arrival_s[row]
        if is_told:
            report_on_time(fleet, clock, policy.report_every_s, now_s)
        if counts and policy.two:
            run_until(fleet, clock, int(requests.draws[row, 0] * fleet.states.size), now_s)
            run_until(fleet, clock, second(fleet, requests, row), now_s)
        elif counts:
            run_all(fleet, clock, now_s)
        if clock.is_full:
            return
        replica = choose(policy, fleet, requests, row, now_s)
        if fleet.desks[replica].given == fleet.lives.shape[1]:
            return
        hand_over(fleet, requests, row, replica)
        clock.next += 1


@compiled
def move_on(fleet, clocks, requests, row, replica, every_s, counts):
    """Send the request before ``row`` to ``replica``, and look at all replicas as ``row`` comes.

    ``counts`` [n] become the requests in flight, unless it is empty. False where a table is full:
    call again.
    """
    clock = clocks[0]
    if clock.next < row:
        if fleet.desks[replica].given == fleet.lives.shape[1]:
            return False
        hand_over(fleet, requests, clock.next, replica)
        clock.next += 1
    if row == requests.replica.size:
        return True
    now_s = requests.arrival_s[row]
    report_on_time(fleet, clock, every_s, now_s)
    if counts.size:
        run_all(fleet, clock, now_s)
    for at in range(counts.size):
        counts[at] = in_flight(fleet, at, now_s)
    return not clock.is_full


@apart
def report_on_time(fleet, clock, every_s, now_s):
    """Let all replicas report, if that was due since they did so last. Each time if every 0 s."""
    due_s = now_s if every_s == 0.0 else min(now_s, now_s // every_s * every_s)
    if every_s > 0.0 and due_s <= clock.reported_s:
        return
    run_all(fleet, clock, due_s)
    if clock.is_full:
        return
    for replica in range(fleet.states.size):
        report(fleet, replica, due_s)
    clock.reported_s = due_s


@apart
def hand_over(fleet, requests, row, replica):
    """A request joins those that a replica was given."""
    state, desk = fleet.states[replica], fleet.desks[replica]
    life, rules = fleet.lives[replica, desk.given], fleet.rules[replica]
    life.arrival_s, life.cached = requests.arrival_s[row], -1
    life.prompt = life.known = requests.prompt[row]
    life.end = life.prompt + requests.output[row]
    life.first_s = life.last_s = life.finish_s = NEVER
    life.names_at, life.names_end = requests.names_at[row], requests.names_at[row + 1]
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
