"""A service behind a cache, as one compiled loop over events in order of time.

An *attempt* is one question of a client; a client that gets no answer may ask again. Attempts are
numbered as they are sent. An attempt that misses the cache asks for a computation and is its
leader; under single flight later attempts for the same key wait with it, in a chain through
``following``. A computation waits in ``queue`` until a server is free.

The cache is a chain of keys from the newest to the oldest, closed through a sentinel whose number
is that of the keys; a key that is not inside has NOWHERE before it.

The next event is the earliest of the next completion, time-out, retry and arrival; in a tie they
come in this order. Every client waits equally long, and so does every retry, so time-outs and
retries happen in the order in which they were set.
"""

import numpy as np

from labutils.simulation.queues.compiled import compiled, pasted

REQUESTS, ATTEMPTS, HITS, ANSWERED, TIMED_OUT, REJECTED, COMPUTED, WASTED, QUEUE = range(9)
"""Columns of the table of seconds; ``QUEUE`` is a length at the end of the second."""
_WAITING, _SETTLED, _LEFT = 0, 1, 2
_NOWHERE = -1


@compiled
def run_service(arrival_s, keys, service_s, expires_s, life_s, rules, change, finish_s, table):
    """Serve the requests until the table of seconds is full.

    ``rules`` are the numbers of ``CachedService``, ``change`` when the flush and the remedy come,
    and what the remedy is. ``expires_s`` says when the keys expire that the cache begins with,
    ``life_s`` how long after its fill each key does. ``finish_s`` begins as NaN. One long loop, as
    in ``hedging_kernels``.
    """
    (num_keys, capacity, servers, timeout_s, most_tries, budget, burst, backoff_s,
     first_limit) = rules  # fmt: skip
    flush_s, remedy_s, single, limit_then, warm, drop, late_fills = change
    before, after = np.full(num_keys + 1, _NOWHERE), np.full(num_keys + 1, _NOWHERE)
    before[num_keys] = after[num_keys] = num_keys
    first_s = expires_s.copy()
    inside = _refill(min(capacity, num_keys), 0, capacity, before, after, expires_s, 0.0, life_s)
    expires_s[:] = first_s
    most = arrival_s.size * most_tries
    request, following = np.empty(most, np.int32), np.full(most, _NOWHERE, np.int32)
    began_s, state, tries = np.empty(most), np.zeros(most, np.int8), np.ones(most, np.int8)
    queue, again, again_s = np.empty(most, np.int32), np.empty(most, np.int32), np.empty(most)
    leader, last = np.full(num_keys, _NOWHERE), np.full(num_keys, _NOWHERE)
    serving, done_s = np.full(servers, _NOWHERE), np.full(servers, np.inf)
    sent = came = timer = head = tail = asked = repeated = second = 0
    limit, tokens, in_force, flushed = first_limit, burst, False, False
    while True:
        while timer < sent and state[timer] != _WAITING:
            timer += 1
        first = np.argmin(done_s)
        rings_s = began_s[timer] + timeout_s if timer < sent else np.inf
        retry_s = again_s[repeated] if repeated < asked else np.inf
        comes_s = arrival_s[came] if came < arrival_s.size else np.inf
        now = min(done_s[first], rings_s, retry_s, comes_s)
        while second < table.shape[0] and second + 1 <= now:
            table[second, QUEUE] = tail - head
            second += 1
        if second == table.shape[0]:
            return
        if not flushed and flush_s <= now:
            flushed = True
            _clear(before, after)
            inside = 0
        if not in_force and remedy_s <= now:
            in_force, limit = True, limit_then
            inside = _refill(warm, inside, capacity, before, after, expires_s, remedy_s, life_s)
        retry = False  # does the attempt that just failed ask again?
        server = -1  # which server is free for the next computation?
        if done_s[first] == now:
            server, attempt = first, serving[first]
            serving[server], done_s[server] = _NOWHERE, np.inf
            key = keys[request[attempt]]
            if leader[key] == attempt:
                leader[key] = _NOWHERE
            wanted = False
            while attempt != _NOWHERE:
                if state[attempt] == _WAITING:
                    state[attempt] = _SETTLED
                    finish_s[request[attempt]] = now
                    table[second, ANSWERED] += 1
                    wanted = True
                attempt = following[attempt]
            table[second, COMPUTED] += 1
            table[second, WASTED] += not wanted
            if wanted or (in_force and late_fills):
                inside = _insert(key, now + life_s[key], inside, capacity, before, after, expires_s)
        elif rings_s == now:
            attempt, retry = timer, True
            state[attempt] = _LEFT
            table[second, TIMED_OUT] += 1
        else:
            attempt, sent = sent, sent + 1
            if retry_s == now:
                request[attempt] = request[again[repeated]]
                tries[attempt] = tries[again[repeated]] + 1
                repeated += 1
            else:
                request[attempt], came = came, came + 1
                tokens = min(burst, tokens + budget)
                table[second, REQUESTS] += 1
            began_s[attempt] = now
            table[second, ATTEMPTS] += 1
            key = keys[request[attempt]]
            if after[key] != _NOWHERE and now < expires_s[key]:
                _take_out(key, before, after)
                _put_first(key, before, after)
                state[attempt] = _SETTLED
                finish_s[request[attempt]] = now
                table[second, HITS] += 1
                table[second, ANSWERED] += 1
            elif in_force and single and leader[key] != _NOWHERE:
                following[last[key]] = attempt
                last[key] = attempt
            else:
                for j in range(servers):
                    if serving[j] == _NOWHERE:
                        server = j
                        break
                if server < 0 and tail - head >= limit:
                    state[attempt], retry = _LEFT, True
                    table[second, REJECTED] += 1
                else:
                    leader[key] = last[key] = attempt
                    queue[tail] = attempt
                    tail += 1
        if retry and tries[attempt] < most_tries and tokens >= 1:
            tokens -= 1
            again[asked], again_s[asked] = attempt, now + backoff_s
            asked += 1
        while server >= 0 and head < tail:
            attempt = queue[head]
            head += 1
            if in_force and drop and not _is_wanted(attempt, state, following):
                key = keys[request[attempt]]
                if leader[key] == attempt:
                    leader[key] = _NOWHERE
                continue
            serving[server], done_s[server] = attempt, now + service_s[request[attempt]]
            server = -1


@pasted
def _is_wanted(attempt, state, following):
    """Whether a client still waits for the computation that this attempt leads."""
    while attempt != _NOWHERE and state[attempt] != _WAITING:
        attempt = following[attempt]
    return attempt != _NOWHERE


@pasted
def _take_out(key, before, after):
    before[after[key]], after[before[key]] = before[key], after[key]
    after[key] = _NOWHERE


@pasted
def _put_first(key, before, after):
    sentinel = after.size - 1
    after[key], before[key] = after[sentinel], sentinel
    before[after[sentinel]], after[sentinel] = key, key


@pasted
def _insert(key, expires, inside, capacity, before, after, expires_s):
    """Put a key first, and the oldest out if there is no room; return how many are inside."""
    if after[key] != _NOWHERE:
        _take_out(key, before, after)
    elif inside == capacity:
        _take_out(before[after.size - 1], before, after)
    else:
        inside += 1
    _put_first(key, before, after)
    expires_s[key] = expires
    return inside


@pasted
def _refill(count, inside, capacity, before, after, expires_s, now, life_s):
    """Insert the most popular keys (the lowest numbers), the most popular last and so newest."""
    for key in range(count - 1, -1, -1):
        expires = now + life_s[key]
        inside = _insert(key, expires, inside, capacity, before, after, expires_s)
    return inside


@pasted
def _clear(before, after):
    after[:] = _NOWHERE
    before[-1] = after[-1] = after.size - 1
