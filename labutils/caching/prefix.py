"""Blocks of prompts whose keys and values are still there: how many, over the size of the cache.

A request is the list of its prompt's block keys, chained: equal keys mean that all before is equal
too. That is how Mooncake's trace names them (``hash_ids``), and how an engine names its pages.
"""

from collections import OrderedDict
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from itertools import count

import numpy as np

from labutils.ground.arguments import whole

MOST_BLOCKS = 50_000_000  # of all requests together; a name takes 8 bytes


@dataclass(frozen=True, eq=False)
class PrefixHits:
    """``found`` and ``named`` blocks of each request: those in the cache, and all of them."""

    found: np.ndarray
    named: np.ndarray

    @property
    def hit_rate(self) -> float:
        """Share of all named blocks that were found, 0 to 1."""
        return float(self.found.sum() / self.named.sum())


def prefix_hits(requests: Iterable[Sequence[Hashable]], capacity: int) -> PrefixHits:
    """Send ``requests`` one after the other through a cache of ``capacity`` blocks.

    Found are the blocks up to the first that is missing. Then the whole prompt is kept, its last
    block as the oldest: a prefix without its head is of no use, so tails are evicted first. The
    least recently used block goes. A prompt longer than the cache keeps its head.
    """
    capacity = whole("capacity", capacity)
    kept: OrderedDict[Hashable, None] = OrderedDict()  # the least recently used first
    counts = []
    for keys in requests:
        counts.append((_find(kept, keys), len(keys)))
        _keep(kept, keys, capacity)
    if not any(named for _, named in counts):
        raise ValueError("requests: expected at least one that names a block")
    found, named = np.array(counts).T
    return PrefixHits(found, named)


def hit_curve(
    requests: Iterable[Sequence[Hashable]], capacities: Iterable[int]
) -> list[tuple[int, float]]:
    """(capacity in blocks, share of the blocks found) for each of ``capacities``.

    >>> hit_curve([[1, 2], [3], [1, 2, 4]], capacities=[2, 3])
    [(2, 0.16666666666666666), (3, 0.3333333333333333)]
    """
    requests = list(requests)
    return [(capacity, prefix_hits(requests, capacity).hit_rate) for capacity in capacities]


def growing_contexts(
    num_chats: int,
    *,
    turns: int,
    active: int,
    system_blocks: int = 2,
    turn_blocks: int = 3,
    seed: int = 1,
) -> list[tuple[int, ...]]:
    """Requests of chats: every turn sends again all that was said before, and something new.

    All begin with the same ``system_blocks``. ``active`` chats are open at a time, and each next
    turn belongs to a random one of them: the more there are, the longer a chat is away.
    """
    num_chats, turns = whole("num_chats", num_chats), whole("turns", turns)
    turn_blocks = whole("turn_blocks", turn_blocks)
    common = whole("system_blocks", system_blocks, at_least=0)
    _check_blocks(num_chats * turns * (common + turns * turn_blocks))
    system = range(common)
    rng, fresh = np.random.default_rng(seed), count(len(system))
    waiting = num_chats - (opened := min(whole("active", active), num_chats))
    chats = [list(system) for _ in range(opened)]
    full, requests = len(system) + turns * turn_blocks, []
    while chats:
        at = int(rng.integers(len(chats)))
        chats[at] += [next(fresh) for _ in range(turn_blocks)]
        requests.append(tuple(chats[at]))
        if len(chats[at]) == full:
            chats[at : at + 1] = [list(system)] if waiting > 0 else []
            waiting -= 1
    return requests


def beam_search(
    *, prompt_blocks: int, width: int, steps: int, seed: int = 1
) -> list[tuple[int, ...]]:
    """The sequences of a beam search, each a request, one block longer with every step.

    Of ``width`` beams each goes on from a random one of the step before, so some are continued
    twice and others dropped. All share the prompt and those who share a parent its blocks too.
    """
    width, steps = whole("width", width), whole("steps", steps)
    blocks = whole("prompt_blocks", prompt_blocks)
    _check_blocks(width * steps * (blocks + steps))
    prompt = tuple(range(blocks))
    rng, fresh = np.random.default_rng(seed), count(len(prompt))
    beams, requests = [prompt], []
    for _ in range(steps):
        parents = rng.integers(len(beams), size=width)
        beams = [(*beams[parent], next(fresh)) for parent in parents]
        requests += beams
    return requests


def _check_blocks(most: int) -> None:
    if most > MOST_BLOCKS:
        raise ValueError(f"{most:,} blocks in all: expected at most {MOST_BLOCKS:,}")


def _find(kept: OrderedDict, keys: Sequence[Hashable]) -> int:
    """How many blocks, counted from the first, the cache holds without a gap."""
    for place, key in enumerate(keys):
        if key not in kept:
            return place
    return len(keys)


def _keep(kept: OrderedDict, keys: Sequence[Hashable], capacity: int) -> None:
    """Make ``keys`` the youngest, the first of them last, and evict what has no place."""
    for key in reversed(keys):
        kept[key] = None
        kept.move_to_end(key)
    while len(kept) > capacity:
        kept.popitem(last=False)
