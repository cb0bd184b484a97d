"""Trial answers to the exercises of chapter 06, of a second hand."""

import numpy as np

from tests.answers.answer import right, wrong

CAPACITY = """
def sequences_that_fit(config, card_gb, weights_gb, context_tokens, bytes_per_value):
    heads = config["num_attention_heads"]
    kv_heads = config.get("num_key_value_heads", heads)
    width = config.get("head_dim", config["hidden_size"] // heads)
    token = 2 * config["num_hidden_layers"] * kv_heads * width * bytes_per_value
    room = 0.9 * card_gb * 1e9 - weights_gb * 1e9
    return max(0, int(room // (context_tokens * token)))
"""

POOL = """
from labutils.serving.memory.race import PageBooks


class Pool(PageBooks):
    def grow(self, request, tokens):
        held = self.tokens.get(request, 0)
        have = len(self.pages.get(request, []))
        need = -(-(held + tokens) // self.page_tokens) - have
        if need > len(self.free):
            return False
        mine = self.pages.setdefault(request, [])
        for _ in range(need):
            mine.append(self.free.pop())
        self.tokens[request] = held + tokens
        return True

    def release(self, request):
        self.free.extend(self.pages.pop(request))
        del self.tokens[request]
"""


def capacity(old: str, new: str) -> str:
    """The capacity with one piece replaced."""
    assert old in CAPACITY
    return CAPACITY.replace(old, new)


def pool(old: str, new: str) -> str:
    """The pool with one piece replaced."""
    assert old in POOL
    return POOL.replace(old, new)


ANSWERS = [
    wrong(
        "kv.bytes_per_token",
        "the query heads counted",
        2 * 28 * 28 * 128 * 2,
        true=("query-heads",),
    ),
    wrong("kv.bytes_per_token", "only one of key and value", 28 * 4 * 128 * 2, true=("half",)),
    wrong("kv.bytes_per_token", "one layer", 2 * 4 * 128 * 2, true=("one-layer",)),
    wrong("kv.bytes_per_token", "in kB", 57.344, true=("scale",)),
    wrong(
        "kv.bytes_per_token",
        "the hidden width for each KV head",
        2 * 28 * 4 * 3584 * 2,
        true=("hidden-width-each",),
    ),
    right("kv.bytes_per_token", "a numpy scalar", np.prod([2, 28, 4, 128, 2])),
    wrong(
        "kv.capacity",
        "a negative number where the weights do not fit",
        capacity(
            "max(0, int(room // (context_tokens * token)))", "int(room // (context_tokens * token))"
        ),
        true=("negative",),
    ),
    wrong(
        "kv.capacity",
        "head_dim ignored",
        capacity(
            'config.get("head_dim", config["hidden_size"] // heads)',
            'config["hidden_size"] // heads',
        ),
        true=("head-dim-derived",),
    ),
    wrong(
        "kv.capacity",
        "the nine tenths taken of what the weights leave",
        capacity("0.9 * card_gb * 1e9 - weights_gb * 1e9", "0.9 * (card_gb - weights_gb) * 1e9"),
        true=("share-of-the-rest",),
    ),
    wrong(
        "kv.capacity",
        "the attention heads, always",
        capacity('config.get("num_key_value_heads", heads)', "heads"),
        true=("query-heads",),
    ),
    wrong(
        "kv.capacity",
        "a missing head_dim from the KV heads",
        capacity('config["hidden_size"] // heads', 'config["hidden_size"] // kv_heads'),
    ),
    right(
        "kv.capacity",
        "whole bytes, and an early return",
        """
def sequences_that_fit(config, card_gb, weights_gb, context_tokens, bytes_per_value):
    left = round(card_gb * 9 * 10**8) - round(weights_gb * 10**9)
    if left <= 0:
        return 0
    if "head_dim" not in config:
        config = config | {"head_dim": config["hidden_size"] / config["num_attention_heads"]}
    groups = config.get("num_key_value_heads") or config["num_attention_heads"]
    numbers = config["num_hidden_layers"] * (groups + groups) * config["head_dim"]
    count, _ = divmod(left, numbers * bytes_per_value * context_tokens)
    return int(count)
""",
    ),
    wrong(
        "kv.allocator",
        "pages for each call, the room in the last page not used",
        pool("-(-(held + tokens) // self.page_tokens) - have", "-(-tokens // self.page_tokens)"),
        true=("pages-for-each-call",),
    ),
    wrong(
        "kv.allocator",
        "takes what is free before it sees that it is not enough",
        """
from labutils.serving.memory.race import PageBooks


class Pool(PageBooks):
    def grow(self, request, tokens):
        total = self.tokens.get(request, 0) + tokens
        mine = self.pages.setdefault(request, [])
        while len(mine) * self.page_tokens < total:
            if not self.free:
                return False
            mine.append(self.free.pop())
        self.tokens[request] = total
        return True

    def release(self, request):
        self.free.extend(self.pages.pop(request))
        self.tokens.pop(request, None)
""",
        true=("takes-what-there-is",),
    ),
    wrong(
        "kv.allocator",
        "release leaves the count of tokens",
        pool("        del self.tokens[request]\n", ""),
        true=("remembers-the-count",),
    ),
    wrong(
        "kv.allocator",
        "a new page already when the last one is just full",
        pool(
            "-(-(held + tokens) // self.page_tokens) - have",
            "(held + tokens) // self.page_tokens + 1 - have",
        ),
        true=("a-page-too-many",),
    ),
    wrong(
        "kv.allocator",
        "release gives the pages back and leaves them in the books",
        pool("self.pages.pop(request)", "self.pages[request]"),
        true=("two-owners",),
    ),
    right(
        "kv.allocator",
        "slices, the oldest free page first",
        """
from math import ceil
from labutils.serving.memory.race import PageBooks


class Pool(PageBooks):
    def grow(self, request, tokens):
        before, table = self.tokens.get(request, 0), self.pages.get(request, [])
        room = len(table) * self.page_tokens - before
        extra = ceil(max(0, tokens - room) / self.page_tokens)
        enough = extra <= len(self.free)
        if enough:
            self.pages[request] = table + self.free[:extra]
            self.free = self.free[extra:]
            self.tokens[request] = before + tokens
        return enough

    def release(self, request):
        while self.pages.get(request):
            self.free.insert(0, self.pages[request].pop())
        self.pages.pop(request, None)
        self.tokens.pop(request, None)
""",
    ),
    wrong("kv.pool", "the mean alone, without the headroom", 7.86, true=("no-headroom",)),
    wrong("kv.pool", "all 1,400 tokens held from the first step", 13.76, true=("final-length",)),
    wrong("kv.pool", "token-steps taken for token-seconds", 393.0),
    wrong("kv.pool", "times 0.8 instead of over it", 6.29, true=("headroom-inverted",)),
    wrong("kv.pool", "in GiB", 9.15, true=("gibibytes",)),
    right(
        "kv.pool",
        "summed step by step, to two decimals",
        round(3 * 0.025 * sum(600 + k for k in range(800)) * 131_072 / 0.8 / 1e9, 2),
    ),
    wrong("kv.page", "one layer", 65_536, true=("one-layer",)),
    wrong("kv.page", "the query heads counted", 16 * 2 * 32 * 32 * 128 * 2, true=("query-heads",)),
    wrong("kv.page", "only one of key and value", 16 * 32 * 8 * 128 * 2, true=("keys-only",)),
    wrong("kv.page", "one token", 131_072, true=("one-token",)),
    wrong("kv.page", "in MiB", 2, true=("scale",)),
    right("kv.page", "a power of two, as a float", 2.0**21),
    wrong("kv.gauges", "only the compaction", "d", true=("without-b",)),
    wrong("kv.gauges", "the fill of the pages too", "b, c, d", true=("c",)),
    wrong("kv.gauges", "only the contiguous run", "b", true=("without-d",)),
    wrong("kv.gauges", "the free pages too", "a, b, d", true=("a",)),
    wrong("kv.gauges", "those to keep", "a, c, e, f", true=("a",)),
    right("kv.gauges", "capitals, in brackets, the other way round", "(D), (B)"),
]
