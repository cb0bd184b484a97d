"""The hedged fleet as one compiled loop over events, in order of time.

A request has two copies, numbered 2 i (the first) and 2 i + 1. Each server works off a queue of
copies in order of arrival; the queue is a chain through ``following``. A copy that is called off
in a queue stays in the chain, marked GONE, and is skipped when its turn comes; one in service is
done now, and its server's completion is the next event.

The next event is the earliest of the next completion, the next hedge timer and the next
arrival; in a tie they come in this order. All timers run equally long, so they ring in order of
arrival, and one pointer holds them.
"""

import numpy as np

from labutils.simulation.queues.compiled import compiled, pasted

NEVER, ON_FINISH, ON_START = 0, 1, 2
"""When the second copy of a request is called off."""
_QUEUED, _IN_SERVICE, _GONE = 1, 2, 3
"""What becomes of a copy; 0 until it is sent."""


@compiled
def run_fleet(arrival_s, demand_s, home, num_servers, trigger_s, rule, rule_from_s, out):
    """Serve every request and drain every queue.

    ``demand_s`` and ``home`` (the server) have an entry for each copy. ``out`` is the tuple
    (start_s, stop_s, finish_s, hedged), filled with NaN and False; the first two per copy.

    One long loop, which ``hedging_twin`` tells in small pieces: numba counts references to every
    array that a call mentions, and cut into functions the loop takes more than twice as long.
    """
    start_s, stop_s, finish_s, hedged = out
    state = np.zeros(demand_s.size, dtype=np.int8)
    following = np.empty(demand_s.size, dtype=np.int32)
    head, tail = np.full(num_servers, -1, dtype=np.int32), np.empty(num_servers, dtype=np.int32)
    serving, done_s = np.full(num_servers, -1, dtype=np.int32), np.full(num_servers, np.inf)
    came = timer = first = 0
    in_force = NEVER
    while True:
        while timer < came and finish_s[timer] == finish_s[timer]:  # not NaN: it is answered
            timer += 1
        rings_s = arrival_s[timer] + trigger_s if timer < came else np.inf
        comes_s = arrival_s[came] if came < arrival_s.size else np.inf
        now = min(done_s[first], rings_s, comes_s)
        if now == np.inf:
            return
        if in_force != rule and rule_from_s <= now:
            in_force = rule
            _clear_up(rule_from_s, rule, state, finish_s, serving, done_s)
            first = _earliest(done_s)
            continue
        if done_s[first] == now:
            server, ended = first, serving[first]
            stop_s[ended], state[ended] = now, _GONE
            if finish_s[ended // 2] != finish_s[ended // 2]:
                finish_s[ended // 2] = now
                if in_force == ON_FINISH:
                    if state[ended ^ 1] == _IN_SERVICE:
                        done_s[home[ended ^ 1]] = now
                    state[ended ^ 1] = _GONE
            copy = head[server]
            while copy >= 0 and state[copy] == _GONE:
                copy = following[copy]
            head[server] = following[copy] if copy >= 0 else -1
            serving[server], done_s[server] = -1, np.inf
            first = _earliest(done_s)
        else:
            if rings_s == now:
                copy, timer = 2 * timer + 1, timer + 1
                # A tied request that is in service needs no second copy.
                if in_force == ON_START and state[copy ^ 1] != _QUEUED:
                    continue
                hedged[copy // 2] = True
            else:
                copy, came = 2 * came, came + 1
            server = home[copy]
            if serving[server] >= 0:
                state[copy], following[copy] = _QUEUED, -1
                if head[server] < 0:
                    head[server] = copy
                else:
                    following[tail[server]] = copy
                tail[server] = copy
                continue
        if copy >= 0:
            serving[server], state[copy], start_s[copy] = copy, _IN_SERVICE, now
            done_s[server] = now + demand_s[copy]
            first = server if done_s[server] < done_s[first] else first
            if in_force == ON_START and state[copy ^ 1] == _QUEUED:
                state[copy ^ 1] = _GONE


@pasted
def _earliest(done_s):
    """The server that is done first; any server when all are idle."""
    first, least = 0, done_s[0]
    for j in range(1, done_s.size):
        if done_s[j] < least:
            first, least = j, done_s[j]
    return first


@pasted
def _clear_up(now, rule, state, finish_s, serving, done_s):
    """Apply a rule that comes into force to what has happened before."""
    for copy in range(state.size):
        answered = finish_s[copy // 2] == finish_s[copy // 2]
        twin_began = state[copy ^ 1] >= _IN_SERVICE
        if state[copy] == _QUEUED and (answered if rule == ON_FINISH else twin_began):
            state[copy] = _GONE
    for server in range(serving.size):
        copy = serving[server]
        if rule == ON_FINISH and copy >= 0 and finish_s[copy // 2] == finish_s[copy // 2]:
            done_s[server] = now
