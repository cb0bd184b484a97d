"""Request after request: who reports does so, the router chooses, the replica gets it."""

import numpy as np

from labutils.simulation.queues.compiled import apart, compiled

from ..tables import NEVER
from .attempts import await_next, push
from .choose import choose, two_of
from .look import busy_s, in_flight, look, report_on_time
from .replica_tables import BY_PREFIX
from .run_until import run_all, run_until

DONE, READY, FULL = 0, 1, 2


@compiled
def dispatch(policy, fleet, clocks, requests):
    """Send all that begins before ``clock.tick_s``; ``FULL``: a table is, call again."""
    clock = clocks[0]
    counts = policy.kind == BY_PREFIX or policy.own > 0.0
    while await_next(fleet, clock, requests):
        row = clock.next
        now_s = requests.attempts[row].arrival_s
        report_on_time(fleet, clock, now_s)
        if counts and policy.two:
            for replica in two_of(fleet, requests, row):
                run_until(fleet, clock, replica, now_s)
        elif counts:
            run_all(fleet, clock, now_s)
        if clock.is_full:
            return FULL
        replica = choose(policy, fleet, requests, row, now_s)
        if not hand_over(fleet, clock, requests, replica):
            return FULL
    return FULL if clock.is_full else DONE


@compiled
def move_on(fleet, clocks, requests, row, replica, counts):
    """Send attempt ``row`` to ``replica``, if that is to be done yet; ``READY`` with the next one.

    ``counts`` [n] become the requests in flight then, unless it is empty. ``FULL``: call again.
    """
    clock = clocks[0]
    if clock.next == row and not hand_over(fleet, clock, requests, replica):
        return FULL
    if not await_next(fleet, clock, requests):
        return FULL if clock.is_full else DONE
    now_s = requests.attempts[clock.next].arrival_s
    report_on_time(fleet, clock, now_s)
    if counts.size:
        run_all(fleet, clock, now_s)
    for at in range(counts.size):
        counts[at] = in_flight(fleet, at, now_s)
    return FULL if clock.is_full else READY


@compiled
def run_on(fleet, clocks, now_s, since_s, seen):
    """Run all replicas until ``now_s``, and look at each, unless ``seen`` is empty.

    Who was busy counts ``since_s``. ``FULL``: call again.
    """
    clock = clocks[0]
    report_on_time(fleet, clock, now_s)
    run_all(fleet, clock, now_s)
    for at in range(seen.size):
        look(fleet, at, now_s, seen[at])
        seen[at].busy_s = busy_s(fleet, at, since_s, now_s)
        seen[at].free_s = fleet.states[at].now_s
        seen[at].num_pages = fleet.rules[at].num_pages
    return FULL if clock.is_full else DONE


@apart
def hand_over(fleet, clock, requests, replica):
    """The next attempt joins those that a replica was given; False if its table is full."""
    state, desk = fleet.states[replica], fleet.desks[replica]
    if desk.given == fleet.lives.shape[1]:
        return False
    attempt = requests.attempts[clock.next]
    life, rules, row = fleet.lives[replica, desk.given], fleet.rules[replica], attempt.origin
    life.arrival_s, life.cached = attempt.arrival_s, -1
    life.prompt = life.known = requests.prompt[row]
    life.end = life.prompt + requests.output[row]
    life.first_s = life.last_s = life.finish_s = NEVER
    life.names_at, life.names_end = requests.names_at[row], requests.names_at[row + 1]
    life.out = rules.paged and requests.most_pages[row] > rules.num_pages
    if requests.patience_s.size:
        due_s = life.arrival_s + requests.patience_s[row]
        await_end(fleet.due[replica], state, desk.given, due_s)
        if attempt.number < requests.most_attempts and due_s < np.inf:
            push(requests.calls, clock, due_s, clock.next, True)
    for at in range(life.names_at, life.names_end):
        fleet.sent[replica, fleet.names[at]] = True
    attempt.replica, attempt.place = replica, desk.given
    desk.given += 1
    desk.since += 1
    clock.next += 1
    clock.is_ready = False
    return True


@apart
def await_end(due, state, row, due_s):
    """Its client gives up at ``due_s``: behind those that give up no later."""
    at = row
    while at > state.due and due[at - 1].at_s > due_s:
        due[at] = due[at - 1]
        at -= 1
    due[at].at_s, due[at].row = due_s, row
    state.due_s = due[state.due].at_s
