"""Random walks against a model so slow and plain that it can be checked by eye."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from labutils.serving import BlockManager, OutOfBlocks


class SlowPool:
    """vLLM's free queue as one list: take at the front, uncached to the front, cached to the back.

    Reference counts are counted in the tables, keys stand with the pages, nothing is kept twice.
    """

    def __init__(self, num_blocks, page_tokens):
        self.page_tokens = page_tokens
        self.queue = list(range(num_blocks))
        self.key = {}
        self.tables = {}
        self.keys = {}
        self.offered = {}

    def page_with(self, key):
        return next((page for page, name in self.key.items() if name == key), None)

    def held(self, page):
        return any(page in table for table in self.tables.values())

    def allocate(self, name, tokens, keys):
        hits = []
        for key in keys[: (tokens - 1) // self.page_tokens]:
            if self.page_with(key) is None:
                break
            hits.append(self.page_with(key))
        queue = [page for page in self.queue if page not in hits]
        fresh = -(-tokens // self.page_tokens) - len(hits)
        if fresh > len(queue):
            raise OutOfBlocks
        self.queue = queue
        self.tables[name] = hits + self.take(fresh)
        self.keys[name] = keys
        self.offered[name] = set(range(len(hits)))
        return len(hits) * self.page_tokens

    def match(self, keys):
        found = [self.page_with(key) is not None for key in keys]
        return found.index(False) if False in found else len(found)

    def take(self, count):
        taken, self.queue = self.queue[:count], self.queue[count:]
        for page in taken:
            self.key.pop(page, None)
        return taken

    def extend(self, name, tokens):
        fresh = -(-tokens // self.page_tokens) - len(self.tables[name])
        if fresh > len(self.queue):
            raise OutOfBlocks
        self.tables[name] += self.take(max(fresh, 0))

    def publish(self, name, tokens):
        """Each page is offered once: a second copy stays one, even if the first is evicted."""
        for at in range(min(tokens // self.page_tokens, len(self.keys[name]))):
            page, key = self.tables[name][at], self.keys[name][at]
            if at not in self.offered[name] and self.page_with(key) is None:
                self.key[page] = key
            self.offered[name].add(at)

    def free(self, name):
        for page in reversed(self.tables.pop(name)):
            if self.held(page):
                continue
            if page in self.key:
                self.queue.append(page)
            else:
                self.queue.insert(0, page)


def prompt_keys(path):
    return tuple(path[: at + 1] for at in range(len(path)))


STEPS = st.lists(
    st.tuples(
        st.sampled_from(["allocate", "allocate", "extend", "publish", "free"]),
        st.sampled_from(["a", "b", "c", "d", "e"]),
        st.integers(1, 21),
        st.text("xy", max_size=6),
    ),
    max_size=60,
)


def outcome(pool, verb, name, tokens, path):
    try:
        if verb == "allocate":
            return pool.allocate(name, tokens, prompt_keys(path[: tokens // 3]))
        if verb == "free":
            return pool.free(name)
        return getattr(pool, verb)(name, tokens)
    except OutOfBlocks:
        return "out of blocks"


@settings(max_examples=150, deadline=None, derandomize=True)
@given(st.integers(2, 11), STEPS)
def test_walks_agree_with_the_slow_pool(num_blocks, steps):
    walk(num_blocks, steps)


@pytest.mark.parametrize("seed", range(6))
def test_long_walks_agree_with_the_slow_pool(seed):
    """Few pages, few prompts, many turns: evictions, second copies and gaps all happen."""
    rng = np.random.default_rng(seed)
    verbs = rng.choice(["allocate", "extend", "publish", "free"], 500, p=[0.4, 0.15, 0.25, 0.2])
    steps = [
        (verb, "abcde"[rng.integers(5)], int(rng.integers(1, 22)), "xyyxyx"[rng.integers(3) :])
        for verb in verbs
    ]
    walk(int(rng.integers(6, 15)), steps)


def walk(num_blocks, steps):
    """Take ``steps`` in both pools and compare everything that can be seen after each."""
    fast, slow = BlockManager(num_blocks, 3), SlowPool(num_blocks, 3)
    for verb, name, tokens, path in steps:
        if (verb == "allocate") == (name in slow.tables):
            continue
        if verb == "publish":
            tokens = min(tokens, 3 * len(slow.tables[name]))
        fits = asked(fast, verb, name, tokens, path)
        told, expected = (outcome(pool, verb, name, tokens, path) for pool in (fast, slow))
        assert told == expected
        assert fits == (told != "out of blocks")
        assert fast.tables() == {name: tuple(table) for name, table in slow.tables.items()}
        assert fast.num_free == len(slow.queue)
        for prompt in (path, "xyyxyx", "yyxyx", "yxyx"):
            assert fast.match(prompt_keys(prompt)) == slow.match(prompt_keys(prompt))
        fast.check()
    drained = fast.num_free
    if drained:  # the whole queue in order: what would be taken, page by page
        fast.allocate("all", 3 * drained)
        assert list(fast.table("all")) == slow.take(drained)


def asked(pool, verb, name, tokens, path) -> bool:
    """What the pool says beforehand."""
    if verb == "allocate":
        cached, free_beside = pool.look_up(tokens, prompt_keys(path[: tokens // 3]))
        fits = pool.can_allocate(tokens, prompt_keys(path[: tokens // 3]))
        assert fits == (pool.pages_for(tokens - cached) <= free_beside)
        return fits
    return pool.can_extend(name, tokens) if verb == "extend" else True


def test_a_long_life_keeps_the_books_small():
    """Ten thousand hits on two pages leave nothing behind."""
    blocks = BlockManager(5, 3)
    for turn in range(10_000):
        blocks.allocate(turn, 7, prompt_keys("xy"))
        blocks.publish(turn, 7)
        blocks.free(turn)
    assert [run.pages for run in blocks._runs] == [[0, 1]]
    assert (blocks.hits, blocks.num_idle, blocks.num_free) == (2 * 9_999, 2, 5)
    blocks.check()
