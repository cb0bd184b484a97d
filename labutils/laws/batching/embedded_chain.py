"""The chain of how many requests wait when a batch finishes, and its steady state."""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

BEYOND = 1e-12
"""Weight that may lie in the last tenth of the states that are kept."""
FIRST_STATES, MOST_STATES = 128, 4096


@dataclass(frozen=True, eq=False)
class Chain:
    """``probability[n]`` that a batch leaves n waiting; ``batch_s[n]`` of the batch after that."""

    probability: np.ndarray
    batch_s: np.ndarray


def stationary(arrival_rate: float, model: Callable, least_batch: int, max_batch: float) -> Chain:
    """Solve the chain on 0 … N - 1 waiting, with N doubled until hardly any weight lies at the end.

    What would jump past the end is put on the last state. Raises ``ValueError`` if ``MOST_STATES``
    are not enough: the queue is too near saturation.
    """
    states = FIRST_STATES
    while states < 2 * least_batch:
        states *= 2
    while states <= max(MOST_STATES, 2 * least_batch):
        batch_s = _durations(model, least_batch, max_batch, states)
        newcomers = arrival_rate * batch_s
        reach = _reach(float(newcomers.max()))
        probability = _solve(_transitions(newcomers, max_batch, reach), max_batch, reach)
        if probability[-(states // 10) :].sum() <= BEYOND:
            return Chain(probability, batch_s)
        states *= 2
    raise ValueError(
        f"arrival_rate = {arrival_rate:.12g}: expected a queue that seldom holds more than "
        f"{MOST_STATES} requests; this one is too near saturation for an exact answer"
    )


def _durations(model, least_batch: int, max_batch: float, states: int) -> np.ndarray:
    """Seconds of the next batch, for each number left behind."""
    sizes = np.clip(np.arange(states), least_batch, max_batch).astype(int)
    largest = int(sizes[-1])
    table = np.array([float(model(size)) for size in range(least_batch, largest + 1)])
    return table[sizes - least_batch]


def _transitions(newcomers: np.ndarray, max_batch: float, reach: int) -> np.ndarray:
    """From n waiting to n - max_batch (at least 0) and a Poisson number of newcomers."""
    from scipy.special import gammainc, gammaln

    last = newcomers.size - 1
    count = np.arange(min(reach, last))
    log_factorial = gammaln(count + 1.0)
    moves = np.zeros((last + 1, last + 1))
    for n, mean in enumerate(newcomers.tolist()):
        stay = int(max(n - max_batch, 0))
        # By logarithms: e^-mean alone would underflow.
        chances = np.exp(count * math.log(mean) - mean - log_factorial)[: last - stay]
        moves[n, stay : stay + chances.size] = chances
        moves[n, last] = gammainc(last - stay, mean)  # P(at least so many newcomers)
    return moves


def _reach(most_newcomers: float) -> int:
    """More newcomers than this come in one batch with a chance below 1e-25 (Chernoff's bound)."""
    return int(most_newcomers + 11 * math.sqrt(most_newcomers) + 60)


def _solve(moves: np.ndarray, max_batch: float, reach: int) -> np.ndarray:
    """The weights that the moves leave as they are, adding up to 1.

    States are taken out of the chain one by one, from the end, and what passed through them is
    handed on (Grassmann, Taksar and Heyman 1985). Nothing is ever subtracted, so that small
    weights keep their digits; a linear solver would bury them in rounding errors.
    """
    states = moves.shape[0]
    for n in range(states - 1, 0, -1):
        lowest = int(max(n - max_batch, 0))  # no batch takes more out
        sources = slice(max(0, n - reach), n)
        onward = moves[n, lowest:n]
        moves[sources, n] /= onward.sum()
        moves[sources, lowest:n] += np.outer(moves[sources, n], onward)
    weights = np.ones(states)
    for n in range(1, states):
        sources = slice(max(0, n - reach), n)
        weights[n] = weights[sources] @ moves[sources, n]
    return weights / weights.sum()
