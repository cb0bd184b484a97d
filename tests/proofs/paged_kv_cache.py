"""Proofs of lab 5: mistakes that learners make, and right answers of other styles."""

from collections import OrderedDict

from labutils.exercises.catalog.paged_kv_cache import pools, shelf, tensor_answers
from labutils.exercises.catalog.paged_kv_cache.books import PoolBooks
from labutils.exercises.definition.verdict import Status
from labutils.serving import OutOfBlocks
from tests.proofs.proof import Proof

# --- paged.allocator ----------------------------------------------------------------------------


class Asking(PoolBooks):
    """Asks before it takes, page by page, and writes the books by itself."""

    def allocate(self, name, tokens, keys=(), *, count=True):
        if not self.can_allocate(tokens):
            raise OutOfBlocks
        self.held[name] = []
        self.extend(name, tokens)
        return 0

    def extend(self, name, tokens):
        if not self.can_extend(name, tokens):
            raise OutOfBlocks
        while len(self.held[name]) * self.page_tokens < tokens:
            page = self.blank.pop(0)
            self.owners[page] = 1
            self.held[name].append(page)

    def free(self, name):
        for page in self.held[name]:
            self.owners[page] = 0
        self.blank = self.blank + self.held[name]
        del self.held[name]


class RoundsUpTooFar(Asking):
    def extend(self, name, tokens):
        super().extend(name, tokens + 1)

    def allocate(self, name, tokens, keys=(), *, count=True):
        return super().allocate(name, tokens + 1)


class NotAllOrNothing(PoolBooks):
    """Takes until there is nothing left, and then complains."""

    free = Asking.free

    def allocate(self, name, tokens, keys=(), *, count=True):
        self.held[name] = []
        self.extend(name, tokens)
        return 0

    def extend(self, name, tokens):
        while len(self.held[name]) * self.page_tokens < tokens:
            if not self.blank:
                raise OutOfBlocks
            self.held[name] += self.hold([self.blank.pop()])


class Leaking(Asking):
    def free(self, name):
        for page in self.held.pop(name):
            self.owners[page] = 0


class RemembersTables(Asking):
    def free(self, name):
        for page in self.held[name]:
            self.drop(page)


class PagesForNewTokens(Asking):
    """Reads ``tokens`` of ``extend`` as tokens that come on top."""

    def extend(self, name, tokens):
        if self.held[name]:
            tokens += len(self.held[name]) * self.page_tokens
        super().extend(name, tokens)


class ReturnsNothing(Asking):
    def allocate(self, name, tokens, keys=(), *, count=True):
        super().allocate(name, tokens)


# --- paged.slots, paged.write, paged.attention ---------------------------------------------------


def by_division(table, length, page_tokens):
    """Token by token, as the formula has it."""
    import torch

    token = torch.arange(length)
    return table[..., token // page_tokens] * page_tokens + token % page_tokens


def first_row_only(table, length, page_tokens):
    return by_division(table.reshape(-1, table.shape[-1])[0], length, page_tokens)


def pages_in_a_row(table, length, page_tokens):
    import torch

    return table[..., :1] * page_tokens + torch.arange(length)


def not_cut(table, length, page_tokens):
    needed = -(-length // page_tokens) * page_tokens
    return by_division(table, needed, page_tokens)


def with_a_loop(self, layer, slots, key, value):
    for at, slot in enumerate(slots.tolist()):
        self.keys[layer][:, slot] = key[:, at]
        self.values[layer][:, slot] = value[:, at]


def forgets_values(self, layer, slots, key, value):
    self.keys[layer].index_copy_(1, slots, key)


def packs_to_the_left(self, layer, slots, key, value):
    self.keys[layer][:, : key.shape[1]] = key
    self.values[layer][:, : key.shape[1]] = value


def into_layer_zero(self, layer, slots, key, value):
    self.keys[0].index_copy_(1, slots, key)
    self.values[0].index_copy_(1, slots, value)


def by_hand(pool, layer, step, contexts, query, key, value):
    """Scores and weights written out, query by query."""
    import torch

    pool.write(layer, step.slots, key[0], value[0])
    mixed, at = torch.zeros_like(query), 0
    group = query.shape[1] // pool.keys[layer].shape[0]
    for new, own in zip(step.query_lengths, contexts):
        for token in range(new):
            seen = own[: len(own) - new + token + 1]
            for head in range(query.shape[1]):
                keys = pool.keys[layer][head // group, seen]
                scores = keys @ query[0, head, at] / query.shape[-1] ** 0.5
                mixed[0, head, at] = scores.softmax(0) @ pool.values[layer][head // group, seen]
            at += 1
    return mixed


def forgets_to_write(pool, layer, step, contexts, query, key, value):
    return tensor_answers._mixed(pool, layer, step, contexts, query)


def writes_late(pool, layer, step, contexts, query, key, value):
    mixed = tensor_answers._mixed(pool, layer, step, contexts, query)
    pool.write(layer, step.slots, key[0], value[0])
    return mixed


def whole_table(pool, layer, step, contexts, query, key, value):
    """Reads every slot of the pages, the places behind the last token too."""
    import torch

    from labutils.serving.attention import context_slots

    most = step.tables.shape[1] * step.page_tokens
    every = [context_slots(torch.as_tensor(t), most, step.page_tokens) for t in step.tables]
    return tensor_answers.paged_attention(pool, layer, step, every, query, key, value)


# --- paged.find ---------------------------------------------------------------------------------


def found_with_break(page_of, keys, tokens, page_tokens):
    pages = []
    for number, key in enumerate(keys):
        if key not in page_of or (number + 1) * page_tokens >= tokens:
            break
        pages.append(page_of[key])
    return pages


def takes_it_all(page_of, keys, tokens, page_tokens):
    pages = []
    for key in keys:
        if key not in page_of:
            break
        pages.append(page_of[key])
    return pages


def jumps_gaps(page_of, keys, tokens, page_tokens):
    usable = keys[: (tokens - 1) // page_tokens]
    return [page_of[key] for key in usable if key in page_of]


def returns_a_count(page_of, keys, tokens, page_tokens):
    return len(found_with_break(page_of, keys, tokens, page_tokens))


# --- paged.sharing ------------------------------------------------------------------------------


class CountedInTables(pools.Pages):
    """Asks the tables themselves who still holds a page."""

    finder = staticmethod(pools.find)

    def allocate(self, name, tokens, keys=(), *, count=True):
        shared = self.find(tokens, keys)
        need = self.pages_for(tokens) - len(shared)
        if need > len(self.blank):
            raise OutOfBlocks
        fresh = [self.blank.pop() for _ in range(need)]
        self.held[name] = [*shared, *fresh]
        self.hold(self.held[name])
        self.keys[name] = tuple(keys)
        return self.page_tokens * len(shared)

    def free(self, name):
        table = self.held.pop(name)
        for page in table[::-1]:
            self.owners[page] = self.ref_count(page)
            if self.owners[page] == 0:
                self.drop(page)


class GivesAllBack(CountedInTables):
    def free(self, name):
        table = self.held.pop(name)
        while table:
            self.drop(table.pop())


class NotCounted(CountedInTables):
    def allocate(self, name, tokens, keys=(), *, count=True):
        cached = super().allocate(name, tokens, keys)
        for page in self.held[name][: cached // self.page_tokens]:
            self.owners[page] -= 1
        return cached


class SharesNothing(CountedInTables):
    finder = staticmethod(lambda page_of, keys, tokens, page_tokens: [])


# --- paged.eviction -----------------------------------------------------------------------------


class WithAnOrderedDict(pools.Sharing):
    """Moves the oldest over to the blank pages as soon as more are needed than are blank."""

    def __init__(self, *args):
        super().__init__(*args)
        self.idle = OrderedDict()

    def drop(self, page):
        if self.key_of.get(page) is None:
            PoolBooks.drop(self, page)
            return
        self.idle[page] = None

    def take(self, count):
        missing = count - len(self.blank)
        if 0 < missing <= len(self.idle):
            for _ in range(missing):
                oldest, _ = self.idle.popitem(last=False)
                PoolBooks.drop(self, oldest)
        return super().take(count)


class LastInFirstOut(WithAnOrderedDict):
    def take(self, count):
        for _ in range(max(0, min(count, self.num_free) - len(self.blank))):
            PoolBooks.drop(self, self.idle.popitem()[0])
        return super().take(count)


class LeavesTheKey(WithAnOrderedDict):
    def take(self, count):
        while len(self.blank) < count <= self.num_free:
            self.blank.append(self.idle.popitem(last=False)[0])
        return pools.Pages.take(self, count)


class TakesThenHolds(WithAnOrderedDict):
    """Counts what it found when the fresh pages have been taken already."""

    def allocate(self, request, tokens, keys=(), *, count=True):
        table = self.find(tokens, keys)
        cached = len(table) * self.page_tokens
        if not self.can_allocate(tokens, keys):
            raise OutOfBlocks
        fresh = self.take(self.pages_for(tokens) - len(table))
        self.held[request] = [*self.hold(table), *fresh]
        self.keys[request] = keys
        return cached


class Refuses(WithAnOrderedDict):
    """Counts blank pages alone: idle ones are lost to everybody."""

    def take(self, count):
        if count > len(self.blank):
            raise OutOfBlocks
        return pools.Pages.take(self, count)


# --- paged.bugs ---------------------------------------------------------------------------------


class OneMethodMore(shelf.Shelf):
    """Looks up everything, and gives the last page back to be computed."""

    def admit(self, request, tokens, keys):
        found = self.known_pages(keys)
        while len(found) * self.page_tokens >= tokens:
            found.pop()
        self.fill(request, found, tokens)
        self.cached[request] = len(found) * self.page_tokens
        return self.cached[request], tokens

    def new_page(self):
        page = self.free.popleft()
        if page in self.key_of:
            del self.page_of[self.key_of[page]]
            del self.key_of[page]
        return page


class OnlyThePlan(shelf.HandedOut):
    """Mends the end of the step, and nothing else."""

    def admit(self, request, tokens, keys):
        return super().admit(request, tokens, keys)[0], tokens


class PlanAndPrompt(shelf.PageCache):
    """Mends two of three."""

    def new_page(self):
        return self.free.popleft()


class Clamps(shelf.PageCache):
    """Computes one token of a prompt that is fully known, in a page that others read."""

    def admit(self, request, tokens, keys):
        start, end = shelf.Shelf.known_pages(self, keys), tokens
        self.cached[request] = min(len(start) * self.page_tokens, tokens - 1)
        self.fill(request, start, tokens)
        return self.cached[request], end


_ALLOCATE = "def allocate(self, request, tokens, keys=(), *, count={}):"
UNCOUNTED = f"{_ALLOCATE.format(True)} => {_ALLOCATE.format(False)}"
NOT_COUNTED = "the pools of this lab do not count hits"
FORWARDS = "for page in reversed(self.held.pop(request)): => for page in self.held.pop(request):"
WRITES = "pool.write(layer, step.slots, key[0], value[0])"
ONE_LINE = "a packed step is a batch of one"

PROOFS = {
    "paged.allocator": Proof(
        mistakes={
            "a page too many": (RoundsUpTooFar, "a-page-too-many"),
            "not all or nothing": (NotAllOrNothing, "takes-what-there-is"),
            "leaks": (Leaking, "lost-pages"),
            "remembers tables": (RemembersTables, "keeps-the-table"),
            "tokens on top": (PagesForNewTokens, "counts-tokens-twice"),
            "returns nothing": (ReturnsNothing, "returns-nothing"),
        },
        alternatives={"asks first, page by page": Asking},
        equivalent={UNCOUNTED: NOT_COUNTED, FORWARDS: "blank pages are all alike"},
    ),
    "paged.slots": Proof(
        mistakes={
            "in a row": (pages_in_a_row, "in-one-piece"),
            "not cut": (not_cut, "whole-pages"),
            "one row": (first_row_only, Status.wrong),
        },
        alternatives={"by division": by_division},
        equivalent={
            "pages = table[..., :-(-length // page_tokens), None] => "
            "pages = table[..., :--length, None]": "more pages than needed; the end is cut off",
        },
    ),
    "paged.write": Proof(
        mistakes={
            "keys alone": (forgets_values, "keys-alone"),
            "packed to the left": (packs_to_the_left, "from-the-first-slot"),
            "layer 0": (into_layer_zero, Status.wrong),
        },
        alternatives={"slot by slot": with_a_loop},
    ),
    "paged.attention": Proof(
        mistakes={
            "never writes": (forgets_to_write, "never-writes"),
            "writes late": (writes_late, "reads-first"),
            "the whole table": (whole_table, Status.wrong),
        },
        alternatives={"written out": by_hand},
        equivalent={
            f"{WRITES} => pool.write(layer, step.slots, key[-1], value[0])": ONE_LINE,
            f"{WRITES} => pool.write(layer, step.slots, key[0], value[-1])": ONE_LINE,
            "queries = query[0].split(step.query_lengths, dim=1) => "
            "queries = query[-1].split(step.query_lengths, dim=1)": ONE_LINE,
        },
    ),
    "paged.find": Proof(
        mistakes={
            "the last token's page, too": (takes_it_all, "nothing-left-to-compute"),
            "jumps gaps": (jumps_gaps, "over-the-gap"),
            "a count": (returns_a_count, "wrong-type"),
        },
        alternatives={"with a break": found_with_break},
    ),
    "paged.sharing": Proof(
        mistakes={
            "gives all back": (GivesAllBack, "frees-for-all"),
            "does not count": (NotCounted, "uncounted-reader"),
            "shares nothing": (SharesNothing, "never-published"),
        },
        alternatives={"counts in the tables": CountedInTables},
        equivalent={UNCOUNTED: NOT_COUNTED, FORWARDS: "blank pages are all alike; step 7 asks"},
    ),
    "paged.eviction": Proof(
        mistakes={
            "last in, first out": (LastInFirstOut, "newest-first"),
            "leaves the key": (LeavesTheKey, "keeps-the-key"),
            "refuses": (Refuses, Status.wrong),
            "takes, then holds": (TakesThenHolds, "evicts-what-it-found"),
        },
        alternatives={"an ordered dict": WithAnOrderedDict},
    ),
    "paged.bugs": Proof(
        mistakes={
            "only the plan": (OnlyThePlan, "nothing-to-compute"),
            "two of three": (PlanAndPrompt, "stale-key"),
            "clamps": (Clamps, "writes-where-others-read"),
        },
        alternatives={"gives the last page back": OneMethodMore},
    ),
    "paged.sixteen_kb": Proof(
        mistakes={
            "keys alone": (64, "keys-alone"),
            "query heads": (4.57, "query-heads"),
            "all layers": (4 / 3, "all-layers"),
        },
        alternatives={"as text": "32", "from two": 2**14 / 2**9},
    ),
    "paged.pools": Proof(
        mistakes={
            "by length": ("a, b, e", "a"),
            "by tenant": (["c"], "c"),
            "by page size": ("d", "d"),
            "one missing": ("b", Status.wrong),
        },
        alternatives={"a list": ["e", "b"], "together": "be"},
    ),
}
