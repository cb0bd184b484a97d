"""Hedged fleets in a few lines each, without an event loop: they know every wait in advance."""

import numpy as np

from labutils.simulation import FleetDraws


def worked_off(arrival_s, service_s, servers, num_servers, trigger_s):
    """No cancellation: a copy that joins a queue knows at once when it will be done.

    Returns (done_s (n, 2), hedged); copies that are not sent are done at infinity.
    """
    free_at = [-np.inf] * num_servers
    done = np.full((len(arrival_s), 2), np.inf)
    copies = [(t, 1, i, 0) for i, t in enumerate(arrival_s)]
    copies += [(t + trigger_s, 0, i, 1) for i, t in enumerate(arrival_s)]
    for now, _, i, which in sorted(copies, key=lambda c: (c[0], c[1] if trigger_s else c[2])):
        if now == np.inf or (which == 1 and done[i, 0] <= now):
            continue
        server = servers[i, which]
        free_at[server] = max(now, free_at[server]) + service_s[i, which]
        done[i, which] = free_at[server]
    return done, done[:, 1] < np.inf


def least_work_of_two(arrival_s, service_s, servers, num_servers):
    """Tied at once: each request waits for the one of its two servers that is free first."""
    free_at = np.full(num_servers, -np.inf)
    done = np.empty(len(arrival_s))
    for i, now in enumerate(arrival_s):
        mine = servers[i]
        which = int(max(now, free_at[mine[1]]) < max(now, free_at[mine[0]]))
        free_at[mine[which]] = max(now, free_at[mine[which]]) + service_s[i, which]
        done[i] = free_at[mine[which]]
    return done


def lopsided_fleet(seed, n, num_servers, *, utilization):
    """Skewed gaps, lognormal demands with zeros among them, servers that are not equally loved."""
    rng = np.random.default_rng(seed)
    service_s = 0.35 * rng.lognormal(-0.5, 1.0, (n, 2))
    service_s[rng.random((n, 2)) < 0.05] = 0.0
    gaps = rng.gamma(0.6, 1.0, n)
    gaps *= service_s.mean() / (gaps.mean() * utilization * num_servers)
    servers = np.array(
        [rng.choice(num_servers, 2, replace=False, p=_shares(num_servers)) for _ in range(n)]
    )
    return -3.7 + np.cumsum(gaps), FleetDraws(service_s, servers)


def _shares(num_servers):
    shares = np.linspace(1.0, 1.4, num_servers)
    return shares / shares.sum()
