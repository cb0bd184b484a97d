"""The routers. Among equals the first one wins, counted from a replica at random."""

import numpy as np

from labutils.simulation.queues.compiled import inner

from .look import in_flight
from .replica_tables import BY_LOAD, BY_PREFIX, FIXED, IN_TURN, RANDOM


@inner
def choose(policy, fleet, requests, row, now_s):
    """The replica for a request."""
    replicas = fleet.up.size
    start = int(requests.draws[row, 0] * replicas)
    if policy.kind == FIXED:
        return requests.fixed[requests.attempts[row].origin]
    if policy.kind == RANDOM:
        return fleet.up[start]
    if policy.kind == IN_TURN:
        return fleet.up[row % replicas]
    if policy.kind == BY_LOAD:
        if policy.two:
            return better(policy, fleet, *two_of(fleet, requests, row), now_s)
        return least_loaded(policy, fleet, start, now_s)
    if policy.kind == BY_PREFIX:
        return longest_prefix(policy, fleet, requests, row, start, now_s)
    return best_score(policy, fleet, requests, row, start)


@inner
def load(policy, fleet, replica, now_s):
    """How much a replica has to do, as the router weighs it."""
    desk = fleet.desks[replica]
    total = policy.waiting * desk.waiting + policy.running * desk.running
    total += policy.since * desk.since
    if policy.own:
        total += policy.own * in_flight(fleet, replica, now_s)
    return total


@inner
def two_of(fleet, requests, row):
    """Two different replicas at random; the same one twice where there is one."""
    replicas = fleet.up.size
    first = int(requests.draws[row, 0] * replicas)
    if replicas == 1:
        return fleet.up[0], fleet.up[0]
    step = 1 + int(requests.draws[row, 1] * (replicas - 1))
    return fleet.up[first], fleet.up[(first + step) % replicas]


@inner
def better(policy, fleet, one, other, now_s):
    """The one of two replicas that has less to do."""
    mine = load(policy, fleet, one, now_s)
    return one if mine <= load(policy, fleet, other, now_s) else other


@inner
def least_loaded(policy, fleet, start, now_s):
    """The one of all replicas that has least to do."""
    best, least = fleet.up[start], np.inf
    for step in range(fleet.up.size):
        replica = fleet.up[(start + step) % fleet.up.size]
        mine = load(policy, fleet, replica, now_s)
        if mine < least:
            best, least = replica, mine
    return best


@inner
def num_sent(fleet, replica, requests, row):
    """How many leading pages of a prompt the router has sent to a replica before."""
    origin = requests.attempts[row].origin
    first, end = requests.names_at[origin], requests.names_at[origin + 1]
    at = first
    while at < end and fleet.sent[replica, fleet.names[at]]:
        at += 1
    return at - first


@inner
def longest_prefix(policy, fleet, requests, row, start, now_s):
    """The longest prefix among those that are not too busy; of these, the least in flight."""
    replicas, total = fleet.up.size, 0
    for replica in fleet.up:
        total += in_flight(fleet, replica, now_s)
    most = np.ceil(policy.bound * (total + 1) / replicas)
    best, longest, least = fleet.up[start], -1, 0
    for step in range(replicas):
        replica = fleet.up[(start + step) % replicas]
        mine = in_flight(fleet, replica, now_s)
        if mine < most:
            sent = num_sent(fleet, replica, requests, row)
            if sent > longest or (sent == longest and mine < least):
                best, longest, least = replica, sent, mine
    return best


@inner
def best_score(policy, fleet, requests, row, start):
    """The largest weighted sum of three scores from 0 to 1."""
    replicas = fleet.up.size
    shortest = longest = fleet.desks[fleet.up[0]].waiting
    for replica in fleet.up:
        shortest = min(shortest, fleet.desks[replica].waiting)
        longest = max(longest, fleet.desks[replica].waiting)
    origin = requests.attempts[row].origin
    pages = max(1, requests.names_at[origin + 1] - requests.names_at[origin])
    best, most = fleet.up[start], -np.inf
    for step in range(replicas):
        replica = fleet.up[(start + step) % replicas]
        desk, rules = fleet.desks[replica], fleet.rules[replica]
        score = policy.prefix * (num_sent(fleet, replica, requests, row) / pages)
        if longest > shortest:
            score += policy.queue * ((longest - desk.waiting) / (longest - shortest))
        if rules.num_pages > 0:
            score += policy.kv * (1.0 - desk.pages / rules.num_pages)
        if score > most:
            best, most = replica, score
    return best
