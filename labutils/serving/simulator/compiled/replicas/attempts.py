"""What is sent next: a fresh request, or one whose client gave up and tries again."""

import numpy as np

from labutils.simulation.queues.compiled import apart, inner

from .look import report_on_time
from .run_until import run_until


@apart
def await_next(fleet, clock, requests):
    """Write the row of the next attempt; False if none begins by then, or a table is full."""
    fresh = requests.arrival_s.size
    while not clock.is_ready:
        next_s = requests.arrival_s[clock.fresh] if clock.fresh < fresh else np.inf
        call_s = requests.calls[0].at_s if clock.calls else np.inf
        if min(next_s, call_s) >= clock.tick_s:
            return False
        if call_s < next_s:
            at_s, row = requests.calls[0].at_s, requests.calls[0].row
            attempt = requests.attempts[row]
            if not requests.calls[0].gives_up:
                pop(requests.calls, clock)
                set_out(clock, requests, at_s, attempt.origin, attempt.number + 1)
                return True
            report_on_time(fleet, clock, at_s)
            run_until(fleet, clock, attempt.replica, at_s)
            if clock.is_full:
                return False
            pop(requests.calls, clock)
            life = fleet.lives[attempt.replica, attempt.place]
            if not life.out and not life.finish_s <= at_s:
                wait_s = requests.wait_s * requests.factor ** (attempt.number - 1)
                push(requests.calls, clock, at_s + wait_s, row, False)
        else:
            set_out(clock, requests, next_s, clock.fresh, 1)
            clock.fresh += 1
    return True


@inner
def set_out(clock, requests, arrival_s, origin, number):
    """The next attempt begins."""
    attempt = requests.attempts[clock.next]
    attempt.arrival_s, attempt.origin, attempt.number = arrival_s, origin, number
    clock.is_ready = True


@inner
def is_before(one, other):
    """The order of calls: by time, then by attempt."""
    return one.at_s < other.at_s or (one.at_s == other.at_s and one.row < other.row)


@inner
def write(call, at_s, row, gives_up):
    """Note a call."""
    call.at_s, call.row, call.gives_up = at_s, row, gives_up


@inner
def swap(calls, one, other):
    """Let two calls change places."""
    at_s, row, gives_up = calls[one].at_s, calls[one].row, calls[one].gives_up
    write(calls[one], calls[other].at_s, calls[other].row, calls[other].gives_up)
    write(calls[other], at_s, row, gives_up)


@inner
def push(calls, clock, at_s, row, gives_up):
    """One more call, in a binary heap."""
    at = clock.calls
    write(calls[at], at_s, row, gives_up)
    while at and is_before(calls[at], calls[(at - 1) // 2]):
        swap(calls, at, (at - 1) // 2)
        at = (at - 1) // 2
    clock.calls += 1


@inner
def pop(calls, clock):
    """Take the first call out of the heap."""
    clock.calls -= 1
    swap(calls, 0, clock.calls)
    at = 0
    while 2 * at + 1 < clock.calls:
        child = 2 * at + 1
        if child + 1 < clock.calls and is_before(calls[child + 1], calls[child]):
            child += 1
        if not is_before(calls[child], calls[at]):
            return
        swap(calls, at, child)
        at = child
