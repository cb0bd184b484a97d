"""Proofs of chapter 06: mistakes that learners make, and right answers of other styles."""

import math

from labutils.exercises.definition.verdict import Status
from labutils.serving.memory.race import PageBooks
from tests.proofs.proof import Proof

# --- kv.capacity --------------------------------------------------------------------------------


def counts_query_heads(config, card_gb, weights_gb, context_tokens, bytes_per_value):
    dim = config.get("head_dim") or config["hidden_size"] // config["num_attention_heads"]
    token = 2 * config["num_hidden_layers"] * config["num_attention_heads"] * dim * bytes_per_value
    return max(0, int((0.9 * card_gb - weights_gb) * 1e9 / (token * context_tokens)))


def derives_the_head_width(config, card_gb, weights_gb, context_tokens, bytes_per_value):
    heads = config["num_attention_heads"]
    kept = config.get("num_key_value_heads", heads)
    dim = config["hidden_size"] // heads
    token = 2 * config["num_hidden_layers"] * kept * dim * bytes_per_value
    return max(0, int((0.9 * card_gb - weights_gb) * 1e9 / (token * context_tokens)))


def takes_the_hidden_width(config, card_gb, weights_gb, context_tokens, bytes_per_value):
    token = 2 * config["num_hidden_layers"] * config["hidden_size"] * bytes_per_value
    return max(0, int((0.9 * card_gb - weights_gb) * 1e9 / (token * context_tokens)))


def token_bytes(config, bytes_per_value):
    heads = config["num_attention_heads"]
    kept = config.get("num_key_value_heads", heads)
    dim = config.get("head_dim", config["hidden_size"] / heads)
    return 2 * config["num_hidden_layers"] * kept * dim * bytes_per_value


def one_head_unless_named(config, card_gb, weights_gb, context_tokens, bytes_per_value):
    named = {"num_key_value_heads": 1, **config}
    return whole_tokens_first(named, card_gb, weights_gb, context_tokens, bytes_per_value)


def forgets_the_weights(config, card_gb, weights_gb, context_tokens, bytes_per_value):
    return math.floor(0.9e9 * card_gb / token_bytes(config, bytes_per_value) / context_tokens)


def shares_out_the_rest(config, card_gb, weights_gb, context_tokens, bytes_per_value):
    rest = 0.9e9 * (card_gb - weights_gb)
    return max(0, math.floor(rest / token_bytes(config, bytes_per_value) / context_tokens))


def fills_the_card(config, card_gb, weights_gb, context_tokens, bytes_per_value):
    rest = 1e9 * (card_gb - weights_gb)
    return max(0, math.floor(rest / token_bytes(config, bytes_per_value) / context_tokens))


def counts_gib(config, card_gb, weights_gb, context_tokens, bytes_per_value):
    rest = 2**30 * (0.9 * card_gb - weights_gb)
    return max(0, math.floor(rest / token_bytes(config, bytes_per_value) / context_tokens))


def forgets_the_values(config, card_gb, weights_gb, context_tokens, bytes_per_value):
    rest, token = 0.9e9 * card_gb - 1e9 * weights_gb, token_bytes(config, bytes_per_value) / 2
    return max(0, math.floor(rest / token / context_tokens))


def below_zero(config, card_gb, weights_gb, context_tokens, bytes_per_value):
    rest, token = 0.9e9 * card_gb - 1e9 * weights_gb, token_bytes(config, bytes_per_value)
    return math.floor(rest / token / context_tokens)


def rounds_up(config, card_gb, weights_gb, context_tokens, bytes_per_value):
    rest, token = 0.9e9 * card_gb - 1e9 * weights_gb, token_bytes(config, bytes_per_value)
    return max(0, math.ceil(rest / token / context_tokens))


def always_two_bytes(config, card_gb, weights_gb, context_tokens, bytes_per_value):
    return whole_tokens_first(config, card_gb, weights_gb, context_tokens, 2)


def counts_a_card_in_gib(config, card_gb, weights_gb, context_tokens, bytes_per_value):
    rest = 0.9 * card_gb * 2**30 - 1e9 * weights_gb
    return max(0, math.floor(rest / token_bytes(config, bytes_per_value) / context_tokens))


def counts_numbers(config, card_gb, weights_gb, context_tokens, bytes_per_value):
    return whole_tokens_first(config, card_gb, weights_gb, context_tokens, 1)


def rounds_to_nearest(config, card_gb, weights_gb, context_tokens, bytes_per_value):
    rest, token = 0.9e9 * card_gb - 1e9 * weights_gb, token_bytes(config, bytes_per_value)
    return max(0, round(rest / token / context_tokens))


def ignores_the_context(config, card_gb, weights_gb, context_tokens, bytes_per_value):
    return whole_tokens_first(config, card_gb, weights_gb, 1, bytes_per_value)


def whole_tokens_first(config, card_gb, weights_gb, context_tokens, bytes_per_value):
    """First the tokens that fit, then the sequences of so many tokens."""
    rest = 9 * card_gb * 10**8 - round(weights_gb * 10) * 10**8
    if rest < 0:
        return 0
    return int(rest // token_bytes(config, bytes_per_value)) // context_tokens


def one_after_the_other(config, card_gb, weights_gb, context_tokens, bytes_per_value):
    """Fit sequences until the next one does not fit; in megabytes."""
    each = token_bytes(config, bytes_per_value) * context_tokens / 1e6
    left, fitted = 900 * card_gb - 1000 * weights_gb, 0
    if left / each > 1e4:
        return int(left / each)
    while left >= each:
        left, fitted = left - each, fitted + 1
    return fitted


# --- kv.allocator -------------------------------------------------------------------------------


class Counting(PageBooks):
    """The given books, with a release that is right."""

    def release(self, request):
        self.free.extend(self.pages.pop(request))
        self.tokens.pop(request)


class PageByPage(Counting):
    """Asks first, and then appends page by page to a table that grows in place."""

    def grow(self, request, tokens):
        table = self.pages.setdefault(request, [])
        held = self.tokens.setdefault(request, 0)
        room = len(table) * self.page_tokens - held + len(self.free) * self.page_tokens
        if tokens > room:
            return False
        self.tokens[request] = held + tokens
        while len(table) * self.page_tokens < held + tokens:
            table.append(self.free.pop(0))
        return True


class WithSets:
    """Free pages in a set, one entry a request, and an audit of its own."""

    def __init__(self, num_pages, page_tokens):
        self.all, self.page_tokens, self.entries = set(range(num_pages)), page_tokens, {}

    def taken(self):
        return [page for pages, _ in self.entries.values() for page in pages]

    def grow(self, request, tokens):
        pages, held = self.entries.get(request, ((), 0))
        need = math.ceil((held + tokens) / self.page_tokens) - len(pages)
        free = sorted(self.all - set(self.taken()))
        if need <= len(free):
            self.entries[request] = (*pages, *free[:need]), held + tokens
        return need <= len(free)

    def release(self, request):
        del self.entries[request]

    def audit(self):
        taken = self.taken()
        held = {request: len(pages) for request, (pages, _) in self.entries.items() if pages}
        return {"held": held, "lost": 0, "twice": len(taken) - len(set(taken))}


class OnTheWay(Counting):
    def grow(self, request, tokens):
        held, new = self.tokens.get(request, 0) + tokens, []
        needed = math.ceil(held / self.page_tokens) - len(self.pages.get(request, []))
        for _ in range(needed):
            if not self.free:
                return False
            new.append(self.free.pop(0))
        self.pages[request] = self.pages.get(request, []) + new
        self.tokens[request] = held
        return True


class StayFree(Counting):
    def grow(self, request, tokens):
        held, table = self.tokens.get(request, 0) + tokens, self.pages.get(request, [])
        needed = math.ceil(held / self.page_tokens) - len(table)
        if needed > len(self.free):
            return False
        self.pages[request], self.tokens[request] = [*table, *self.free[:needed]], held
        return True


class PagesPerCall(Counting):
    def grow(self, request, tokens):
        new = math.ceil(tokens / self.page_tokens)
        if new > len(self.free):
            return False
        self.pages.setdefault(request, []).extend(self.free.pop() for _ in range(new))
        self.tokens[request] = self.tokens.get(request, 0) + tokens
        return True


class OneMore(PageByPage):
    def grow(self, request, tokens):
        held = self.tokens.get(request, 0) + tokens
        missing = held // self.page_tokens + 1 - len(self.pages.get(request, []))
        if missing > len(self.free):
            return False
        self.pages[request] = self.pages.get(request, []) + self.free[:missing]
        self.free = self.free[missing:]
        self.tokens[request] = held
        return True


class Greedy(Counting):
    """Takes pages as long as there are any, and notices too late."""

    def grow(self, request, tokens):
        table = self.pages.setdefault(request, [])
        held = self.tokens.get(request, 0) + tokens
        for _ in range(math.ceil(held / self.page_tokens) - len(table)):
            if not self.free:
                return False
            table.append(self.free.pop())
        self.tokens[request] = held
        return True


class Leaking(PageByPage):
    def release(self, request):
        self.pages.pop(request)
        self.tokens.pop(request)


class SharedByAccident(PageByPage):
    def release(self, request):
        self.free = self.free + self.pages[request]
        self.tokens[request] = 0


class LongMemory(PageByPage):
    def release(self, request):
        self.free.extend(self.pages.pop(request))


class NoLimit(Counting):
    """Asks nobody: an empty list of free pages ends it."""

    def grow(self, request, tokens):
        held = self.tokens.get(request, 0) + tokens
        table = self.pages.setdefault(request, [])
        while len(table) * self.page_tokens < held:
            table.append(self.free.pop())
        self.tokens[request] = held
        return True


class SaysNothing(PageByPage):
    def grow(self, request, tokens):
        super().grow(request, tokens)


PROOFS = {
    "kv.bytes_per_token": Proof(
        mistakes={
            "query heads": ("401,408 B", "query-heads"),
            "from the hidden width": (2 * 28 * 3584 * 2, "query-heads"),
            "keys alone": ("28,672 B", "half"),
            "numbers, not bytes": (2 * 28 * 4 * 128, "half"),
            "numbers of the keys": (28 * 4 * 128, "a-quarter"),
            "one layer": ("2 KiB", "one-layer"),
            "bits": (8 * 57_344, Status.scale),
            "a time": ("57 ms", Status.unit),
        },
        alternatives={"kibibytes": "56 KiB", "kilobytes": "57.3 kB", "bare": 57_344.0},
    ),
    "kv.capacity": Proof(
        mistakes={
            "counts query heads": (counts_query_heads, "query-heads"),
            "derives the head width": (derives_the_head_width, "head-dim-derived"),
            "takes the hidden width": (takes_the_hidden_width, "from-the-hidden-width"),
            "one KV head unless named": (one_head_unless_named, "one-kv-head"),
            "forgets the weights": (forgets_the_weights, "weights-forgotten"),
            "shares out the rest": (shares_out_the_rest, "share-of-the-rest"),
            "fills the card": (fills_the_card, "whole-card"),
            "counts GiB": (counts_gib, "gib"),
            "forgets the values": (forgets_the_values, "keys-only"),
            "below zero": (below_zero, "negative"),
            "rounds up": (rounds_up, "rounded-up"),
            "rounds to the nearest": (rounds_to_nearest, "rounded-to-nearest"),
            "a card in GiB": (counts_a_card_in_gib, "gib-card"),
            "always two bytes": (always_two_bytes, "always-two-bytes"),
            "numbers, not bytes": (counts_numbers, "numbers-for-bytes"),
            "tokens, not sequences": (ignores_the_context, Status.wrong),
        },
        alternatives={
            "tokens first, in whole numbers": whole_tokens_first,
            "one after the other": one_after_the_other,
        },
        equivalent={
            "width = config.get('head_dim', config['hidden_size'] // "
            "config['num_attention_heads']) => width = config.get('head_dim', "
            "config['hidden_size'] / config['num_attention_heads'])": (
                "the heads share out the hidden width without a rest"
            ),
            "return max(0, int(left / token / context_tokens)) => "
            "return max(0, int(left / token // context_tokens))": (
                "int cuts what // has cut already, and below zero 0 is larger"
            ),
            "return max(0, int(left / token / context_tokens)) => "
            "return max(0, int(left // token / context_tokens))": (
                "whole sequences of whole tokens are as many"
            ),
        },
    ),
    "kv.allocator": Proof(
        mistakes={
            "pages for each call": (PagesPerCall, "pages-for-each-call"),
            "one page more": (OneMore, "a-page-too-many"),
            "takes what there is": (Greedy, "takes-what-there-is"),
            "leaks": (Leaking, "lost-pages"),
            "shares by accident": (SharedByAccident, "two-owners"),
            "a long memory": (LongMemory, "remembers-the-count"),
            "counts the free on the way": (OnTheWay, "lost-on-refusal"),
            "from the front, and there they stay": (StayFree, "never-off-the-free-list"),
            "without a limit": (NoLimit, Status.raised),
            "says nothing": (SaysNothing, Status.wrong),
        },
        alternatives={"page by page": PageByPage, "with sets": WithSets},
    ),
    "kv.pool": Proof(
        mistakes={
            "no headroom": ("7.86 GB", "no-headroom"),
            "headroom inverted": ("6.29 GB", "headroom-inverted"),
            "final length": ("13.76 GB", "final-length"),
            "prompts alone": ("5.9 GB", "prompt-only"),
            "one request": ("164 MB", "one-request"),
            "rate for number": ("491 MB", "rate-for-number"),
            "tokens": (74_963, "tokens"),
            "GiB read as GB": (9.15, "gibibytes"),
            "final length, no headroom": (11.01, "final-length-no-headroom"),
            "answers alone": (3.93, "answers-only"),
            "nobody knows what": (12.4, Status.wrong),
            "nor that": (8.9, Status.wrong),
            "no headroom, without a unit": (7.86, "no-headroom"),
            "bytes, without a unit": (9.826e9, "bytes"),
            "a rate": ("3 req/s", Status.unit),
        },
        alternatives={
            "gigabytes": "9.83 GB",
            "without a unit": 9.8,
            "gibibytes": "9.15 GiB",
            "megabytes": "9826 MB",
            "bytes": "9826e6 B",
        },
    ),
    "kv.page": Proof(
        mistakes={
            "one layer": ("64 KiB", "one-layer"),
            "one layer's keys": ("32 KiB", "one-layer-keys"),
            "keys alone": ("1 MiB", "keys-only"),
            "query heads": ("8 MiB", "query-heads"),
            "one token": ("128 KiB", "one-token"),
        },
        alternatives={"mebibytes": "2 MiB", "megabytes": "2.1 MB", "bytes": 2_097_152},
    ),
    "kv.gauges": Proof(
        mistakes={
            "free pages": ("a, b", "a"),
            "tail waste": ("c, d", "c"),
            "one of two": ("d", "without-b"),
            "words": ("compaction", Status.unreadable),
        },
        alternatives={"a list": ["d", "b"], "text": "b and d", "run together": "bd"},
    ),
}
