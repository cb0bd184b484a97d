"""Queues solved without their formulas: linear algebra on Markov chains, and many digits."""

import math

import mpmath as mp
import numpy as np
from scipy import sparse
from scipy.linalg import expm
from scipy.sparse.linalg import spsolve


def stationary(generator: np.ndarray) -> np.ndarray:
    """The stationary distribution of a small continuous-time chain, by least squares."""
    system = np.vstack([generator.T, np.ones(len(generator))])
    target = np.append(np.zeros(len(generator)), 1.0)
    return np.linalg.lstsq(system, target, rcond=None)[0]


def birth_death(arrival_rate, service_rate, num_servers, capacity) -> np.ndarray:
    """P(n inside), n = 0 … capacity, from the generator of M/M/c/K."""
    generator = np.zeros((capacity + 1, capacity + 1))
    for n in range(capacity):
        generator[n, n + 1] = arrival_rate
        generator[n + 1, n] = min(n + 1, num_servers) * service_rate
    generator -= np.diag(generator.sum(axis=1))
    return stationary(generator)


def time_left(n_before, service_rate, num_servers, t) -> tuple[float, float]:
    """P(wait > t), P(sojourn > t) of one who finds ``n_before``: an absorbing chain.

    State i < last: i departures still to come before service; then in service; then gone.
    """
    ahead = max(0, n_before - num_servers + 1)
    generator = np.zeros((ahead + 2, ahead + 2))
    for i in range(ahead):
        generator[i, i + 1] = num_servers * service_rate
    generator[ahead, ahead + 1] = service_rate
    generator -= np.diag(generator.sum(axis=1))
    state = expm(generator * t)[0]
    return float(state[:ahead].sum()), float(state[:-1].sum())


def phase_queue(arrival_phases, service_phases, levels) -> dict[str, float]:
    """Mean wait and P(wait) of one server with phase-type gaps and services, by brute force.

    A phase-type law is (initial probabilities, sub-generator). States are (number inside,
    arrival phase, service phase), cut off at ``levels``; the service phase idles at level 0.
    """
    a0, a = (np.asarray(x, float) for x in arrival_phases)
    s0, s = (np.asarray(x, float) for x in service_phases)
    a_exit, s_exit = -a.sum(axis=1), -s.sum(axis=1)
    ka, ks = len(a0), len(s0)
    size = ka + levels * ka * ks
    q = np.zeros((size, size))

    def block(level):
        return (
            slice(0, ka) if level == 0 else slice(ka + (level - 1) * ka * ks, ka + level * ka * ks)
        )

    renew = np.outer(a_exit, a0)
    serve = np.outer(s_exit, s0)
    for n in range(levels + 1):
        here = block(n)
        q[here, here] = a if n == 0 else np.kron(a, np.eye(ks)) + np.kron(np.eye(ka), s)
        if n < levels:
            up = np.kron(renew, s0[None, :]) if n == 0 else np.kron(renew, np.eye(ks))
            q[here, block(n + 1)] = up
        else:
            q[here, here] += np.kron(renew, np.eye(ks))  # refused at the cut-off
        if n == 1:
            q[here, block(0)] = np.kron(np.eye(ka), s_exit[:, None])
        elif n > 1:
            q[here, block(n - 1)] = np.kron(np.eye(ka), serve)
    p = stationary(q)
    rate = 1 / float(-a0 @ np.linalg.solve(a, np.ones(ka)))
    waiting = sum((n - 1) * p[block(n)].sum() for n in range(2, levels + 1))
    idle_seen = (p[block(0)] @ a_exit) / rate
    return {"mean_wait": waiting / rate, "p_wait": 1 - idle_seen}


def erlang_phases(k, mean):
    """k equal exponential phases in a row: SCV 1/k."""
    rate = k / mean
    return np.eye(k)[0], -rate * np.eye(k) + rate * np.eye(k, k=1)


def hyper_phases(share, rate_a, rate_b):
    """One of two exponentials."""
    return np.array([share, 1 - share]), -np.diag([rate_a, rate_b]).astype(float)


def mean_wait_regular_arrivals(arrival_rate, service_rate, num_servers, levels) -> float:
    """Mean wait of D/M/c: the number seen by arrivals is a chain with deterministic gaps."""
    deaths = np.zeros((levels + 1, levels + 1))
    for n in range(1, levels + 1):
        deaths[n, n - 1] = min(n, num_servers) * service_rate
    deaths -= np.diag(deaths.sum(axis=1))
    between = expm(deaths / arrival_rate)
    chain = between[[*range(1, levels + 1), levels]]  # an arrival adds one, then the gap passes
    seen = stationary(chain - np.eye(levels + 1))
    ahead = np.maximum(0, np.arange(levels + 1) - num_servers + 1)
    return float(seen @ ahead) / (num_servers * service_rate)


def md1_tail(load, services):
    """P(wait > t) of M/D/1 by the classical alternating series (Erlang 1909), in many digits."""
    with mp.workdps(60 + int(6 * services)):
        load, t = mp.mpf(load), mp.mpf(services)
        terms = (
            (-load * (t - j)) ** j / mp.factorial(j) * mp.exp(load * (t - j))
            for j in range(math.floor(services) + 1)
        )
        return float(1 - (1 - load) * mp.fsum(terms))


def mmc_p_wait(load, num_servers):
    """Erlang C from its definition, a ratio of sums of a^n / n!, in 50 digits."""
    with mp.workdps(50):
        a, c = mp.mpf(load), num_servers
        terms, term = mp.mpf(0), mp.mpf(1)
        for n in range(c):
            terms, term = terms + term, term * a / (n + 1)
        top = term * c / (c - a)
        return top / (terms + top)


def mmc_sojourn_tail(arrival_rate, service_rate, num_servers, t):
    """P(sojourn > t) of M/M/c in the textbook form, which needs the many digits it gets."""
    with mp.workdps(60):
        waits = mmc_p_wait(mp.mpf(arrival_rate) / mp.mpf(service_rate), num_servers)
        mu = mp.mpf(service_rate)
        decay = num_servers * mu - mp.mpf(arrival_rate)
        both = (decay * mp.exp(-mu * t) - mu * mp.exp(-decay * t)) / (decay - mu)
        return float((1 - waits) * mp.exp(-mu * t) + waits * both)


def balanced_phases(scv):
    """(share, rate, other rate) of two exponentials with mean 1, half of the work in each."""
    share = (1 + math.sqrt((scv - 1) / (scv + 1))) / 2
    return share, 2 * share, 2 * (1 - share)


def mean_wait_hyper_arrivals(arrival_rate, scv, num_servers, levels) -> float:
    """Mean wait of H2/M/c with unit services: states (number inside, phase of the gap)."""
    share, *rates = balanced_phases(scv)
    chain = np.zeros((2 * (levels + 1), 2 * (levels + 1)))
    for n in range(levels + 1):
        for phase in (0, 1):
            for after, chance in ((0, share), (1, 1 - share)):
                target = 2 * min(n + 1, levels) + after
                chain[2 * n + phase, target] += arrival_rate * rates[phase] * chance
            if n:
                chain[2 * n + phase, 2 * n - 2 + phase] += min(n, num_servers)
    chain -= np.diag(chain.sum(axis=1))
    p = stationary(chain).reshape(-1, 2).sum(axis=1)
    return float(p @ np.maximum(0, np.arange(levels + 1) - num_servers)) / arrival_rate


def mean_wait_hyper_services(arrival_rate, scv, num_servers, levels) -> float:
    """Mean wait of M/H2/c with unit services: states (number inside, how many serve phase one)."""
    share, fast, slow = balanced_phases(scv)
    states = [(n, i) for n in range(levels + 1) for i in range(min(n, num_servers) + 1)]
    index = {state: at for at, state in enumerate(states)}
    moves = []
    for n, i in states:
        for phase_rate, gone in ((i * fast, 1), ((min(n, num_servers) - i) * slow, 0)):
            follows = ((share, 1), (1 - share, 0)) if n > num_servers else ((1.0, 0),)
            moves += [
                ((n, i), (n - 1, i - gone + start), phase_rate * chance)
                for chance, start in follows
                if phase_rate
            ]
        if n < levels:
            starts = ((share, 1), (1 - share, 0)) if n < num_servers else ((1.0, 0),)
            moves += [
                ((n, i), (n + 1, i + start), arrival_rate * chance) for chance, start in starts
            ]
    p = _sparse_stationary(len(states), [(index[a], index[b], rate) for a, b, rate in moves])
    return sum(max(0, n - num_servers) * p[at] for (n, _), at in index.items()) / arrival_rate


def _sparse_stationary(size, moves):
    rows, columns, rates = (np.array(x) for x in zip(*moves))
    generator = sparse.csr_matrix((rates, (rows, columns)), (size, size))
    generator -= sparse.diags(np.asarray(generator.sum(axis=1)).ravel())
    system = generator.T.tolil()
    system[0, :] = 1.0
    return spsolve(system.tocsc(), np.eye(size)[0])


def mh21_wait_tail(arrival_rate, scv):
    """P(wait > t) of M/H2/1 with unit services: its transform in partial fractions."""
    share, fast, slow = balanced_phases(scv)
    s, a, b = np.poly1d([1, 0]), np.poly1d([1, fast]), np.poly1d([1, slow])
    transform = share * fast * b + (1 - share) * slow * a
    below = ((s - arrival_rate) * a * b + arrival_rate * transform) / s
    below = np.poly1d(np.real(below[0].coeffs))
    above = (1 - arrival_rate) * a * b
    parts = [(above(root) / below.deriv()(root), root) for root in below.roots]
    return lambda t: float(sum((part / -root * np.exp(root * t)).real for part, root in parts))
