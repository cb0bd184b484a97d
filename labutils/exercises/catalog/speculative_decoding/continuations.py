"""Twenty thousand continuations of two tables, and the test that holds them against the target.

A table says the shares of the next of four words by the newest one. So the probability of each
continuation of three words is known to the last digit, and no model has to run.
"""

import random
from bisect import bisect
from collections import Counter
from collections.abc import Callable, Mapping
from functools import cache
from itertools import accumulate, product

import numpy as np
import torch

from labutils.serving.speculation.shares import drawn

WORDS, LENGTH = 4, 3
TABLES = np.random.default_rng(3).dirichlet([0.8] * WORDS, (2, WORDS))
TARGET, DRAFT = torch.from_numpy(TABLES)
_UPTO = [[list(accumulate(row))[:-1] for row in table] for table in TABLES.tolist()]

Rule = Callable[..., list[int]]


def continuation(rule: Rule | None, chance: Callable[[], float], tokens: int = 2) -> tuple:
    """Three words behind a 0: by ``rule`` over drafts of ``tokens`` each, or by the target alone"""
    text = [0]
    while len(text) <= LENGTH:
        if rule is None:
            text.append(bisect(_UPTO[0][text[-1]], chance()))
            continue
        drafted: list[int] = []
        for _ in range(tokens):
            drafted.append(bisect(_UPTO[1][[*text, *drafted][-1]], chance()))
        before = [text[-1], *drafted]
        text += rule(drafted, DRAFT[before[:-1]], TARGET[before], chance)
    return tuple(text[1 : LENGTH + 1])


def continuations(rule: Rule | None, count: int, *, seed: int) -> Counter:
    """How often each continuation came, of ``count``."""
    chance = random.Random(seed).random
    return Counter(continuation(rule, chance) for _ in range(count))


@cache
def chances() -> dict[tuple, float]:
    """The target's probability of each continuation."""
    table = TABLES[0]
    return {
        (a, b, c): float(table[0, a] * table[a, b] * table[b, c])
        for a, b, c in product(range(WORDS), repeat=LENGTH)
    }


def chi_square(counts: Mapping, expected: Mapping[tuple, float], count: int) -> float:
    """Pearson's test: how often the true distribution would be as far from itself as ``counts``.

    Cells of fewer than five expected answers are taken together (Cochran, 1954).
    """
    from scipy.stats import chi2

    seldom = {cell for cell, share in expected.items() if share * count < 5}
    cells = [[cell] for cell in expected if cell not in seldom]
    cells += [sorted(seldom)] if seldom else []
    statistic = 0.0
    for cell in cells:
        wanted = count * sum(expected[one] for one in cell)
        statistic += (sum(counts.get(one, 0) for one in cell) - wanted) ** 2 / wanted
    return float(chi2.sf(statistic, len(cells) - 1))


def p_value(rule: Rule | None, count: int = 20_000, *, seed: int = 1) -> float:
    """``chi_square`` of ``count`` continuations by ``rule``; None is the target alone."""
    return chi_square(continuations(rule, count, seed=seed), chances(), count)


def first_words(rule: Rule | None, count: int, *, seed: int = 1) -> np.ndarray:
    """How often each word stands first in a continuation: shares [words]."""
    shares = np.zeros(WORDS)
    for found, times in continuations(rule, count, seed=seed).items():
        shares[found[0]] += times / count
    return shares


def accept_always(drafted, draft_shares, target_shares, chance):
    """Keeps whatever is drafted."""
    return [*drafted, drawn(target_shares[-1], chance())]


def resample_from_the_target(drafted, draft_shares, target_shares, chance):
    """Refuses by the rule, and then draws from all of the target."""
    for place, token in enumerate(drafted):
        p, q = target_shares[place], draft_shares[place]
        if chance() * float(q[token]) >= float(p[token]):
            return [*drafted[:place], drawn(p, chance())]
    return [*drafted, drawn(target_shares[-1], chance())]


def compare_with_the_likeliest(drafted, draft_shares, target_shares, chance):
    """Keeps a draft that is the target's likeliest word."""
    for place, token in enumerate(drafted):
        if token != int(target_shares[place].argmax()):
            return [*drafted[:place], drawn(target_shares[place], chance())]
    return [*drafted, drawn(target_shares[-1], chance())]


WRONG_RULES = {
    "keeps every draft": accept_always,
    "draws anew from all of the target": resample_from_the_target,
    "keeps the target's likeliest": compare_with_the_likeliest,
}
