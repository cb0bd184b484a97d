"""The page pool against ten plain lines, and ``check`` against every way to spoil its books."""

import random
from collections import Counter

import pytest

from labutils.engine import OutOfPages, PageLeak, PagePool, Request, RequestTooLong
from labutils.serving.memory.race import PageBooks

SIZE = 4


class Plain:
    """Pages by name, a key or a thing of its own: ``rows`` hold some, ``found`` are findable keys.

    A key that nobody holds stands in ``lost``, the one that was dropped first in front.
    """

    def __init__(self, num_pages):
        self.num_pages, self.rows, self.lost, self.found = num_pages, {}, [], set()

    def free(self):
        return self.num_pages - len({name for row in self.rows.values() for name in row})

    def start(self, id, tokens, keys):
        hits = 0
        while hits < min(len(keys), (tokens - 1) // SIZE) and keys[hits] in self.found:
            hits += 1
        free = self.free() - sum(key in self.lost for key in keys[:hits])
        wanted = -(-tokens // SIZE) - hits
        if wanted > free:
            return None
        self.rows[id] = list(keys[:hits])
        self.lost = [key for key in self.lost if key not in keys[:hits]]
        self.grow(id, wanted)
        return hits

    def grow(self, id, pages=1):
        for _ in range(pages):
            if self.free() == len(self.lost):  # no blank page
                self.found.remove(self.lost.pop(0))
            self.rows[id].append(object())

    def publish(self, id, keys, first, full):
        for at in range(first, min(full, len(keys))):
            if keys[at] not in self.found:
                self.found.add(keys[at])
                self.rows[id][at] = keys[at]

    def release(self, id):
        names, held = self.rows.pop(id), {name for row in self.rows.values() for name in row}
        self.lost += [name for name in names[::-1] if name in self.found and name not in held]


def text_keys(draw) -> tuple[str, ...]:
    """Names of a few pages, of which prompts share beginnings."""
    text = "".join(draw.choice("ab") for _ in range(draw.randrange(6)))
    return tuple(text[: end + 1] for end in range(len(text)))


class Walk:
    """Random verbs on a pool and on its plain twin."""

    def __init__(self, num_pages, seed):
        self.draw = random.Random(seed)
        self.pool, self.plain = PagePool(num_pages, SIZE), Plain(num_pages)
        self.requests, self.seen = {}, Counter()

    def step(self, number):
        verb = self.draw.choice((self.start, self.compute, self.compute, self.grow, self.release))
        if verb == self.start:
            self.start(number)
        elif self.requests:
            verb(self.draw.choice(list(self.requests.values())))
        self.compare()

    def start(self, number):
        keys = text_keys(self.draw)
        one = Request(number, SIZE * len(keys) + self.draw.randrange(1, SIZE), 40, keys=keys)
        if self.draw.random() < 0.3 and keys:
            one.prompt_tokens = one.known = SIZE * len(keys)  # its last page is full
        fits, hits = self.pool.fits(one), self.plain.start(number, one.known, keys)
        assert fits == (hits is not None)
        if not fits:
            before = snapshot(self.pool)
            with pytest.raises(OutOfPages):
                self.pool.start(one)
            assert snapshot(self.pool) == before and not one.pages and one.cached is None
            self.seen["refused"] += 1
            return
        assert len(self.pool.find(one)) == hits
        self.pool.start(one)
        assert one.computed == one.cached == hits * SIZE
        self.requests[number] = one
        self.seen["hits"] += hits > 0

    def compute(self, one):
        new = min(self.draw.randrange(1, 9), one.room - one.computed)
        if new > 0:
            one.computed += new
            self.pool.publish(one, new)
            first, full = (one.computed - new) // SIZE, one.computed // SIZE
            self.plain.publish(one.id, one.keys, first, full)

    def grow(self, one):
        if self.pool.num_free:
            one.known = one.room + 1
            self.pool.grow(one)
            self.plain.grow(one.id)
            return
        before = snapshot(self.pool), list(one.pages), one.room
        with pytest.raises(OutOfPages):
            self.pool.grow(one)
        assert (snapshot(self.pool), one.pages, one.room) == before
        self.seen["full"] += 1

    def release(self, one):
        del self.requests[one.id]
        self.pool.release(one)
        self.plain.release(one.id)
        assert (one.pages, one.room, one.computed) == ([], 0, 0)

    def compare(self):
        self.pool.check(self.requests.values())
        assert self.pool.num_free == self.plain.free()
        assert self.pool.page_of.keys() == self.plain.found
        found = [self.pool.key_of[page] for page in self.pool.idle]
        assert found == self.plain.lost  # the one to go first in front
        for id, one in self.requests.items():
            names = self.plain.rows[id]
            assert len(one.pages) == len(names) and one.room == SIZE * len(names)
            for page, name in zip(one.pages, names):
                assert (self.pool.key_of.get(page) == name) == (name in self.plain.found)


def snapshot(pool):
    """All of its books."""
    return (
        list(pool.blank), list(pool.idle), list(pool.owners), dict(pool.page_of), dict(pool.key_of)
    )  # fmt: skip


@pytest.mark.parametrize("pool", [PagePool, PageBooks])
def test_a_typing_error_in_the_size_is_named_before_it_takes_the_memory(pool):
    with pytest.raises(ValueError, match="num_pages = 100000000: expected at most 10,000,000"):
        pool(10**8, 16)


@pytest.mark.parametrize("num_pages", (7, 11, 23))
def test_random_walks_agree_with_the_plain_pool(num_pages):
    seen = Counter()
    for seed in range(12):
        walk = Walk(num_pages, seed)
        for number in range(150):
            walk.step(number)
        seen += walk.seen
        for one in list(walk.requests.values()):
            walk.release(one)
            walk.compare()
        assert walk.pool.num_free == num_pages
    assert seen["hits"] > 60 and seen["refused"] > 30 and seen["full"] > 20


def test_pages_of_different_requests_are_different():
    pool, requests = PagePool(9, 2), [Request(n, 3 + n, 4) for n in range(3)]
    for one in requests:
        pool.start(one)
    pages = [page for one in requests for page in one.pages]
    assert [len(one.pages) for one in requests] == [2, 2, 3]
    assert len(set(pages)) == 7 and set(pages) <= set(range(9))


def computed(pool, id, keys, tokens):
    """A request that has computed its prompt."""
    one = Request(id, tokens, 9, keys=keys)
    pool.start(one)
    one.computed = tokens
    pool.publish(one, tokens)
    return one


def test_what_was_idle_longest_goes_first_and_a_prefix_after_its_end():
    pool = PagePool(6, 2)
    for name in "ab":
        pool.release(computed(pool, name, (name, name + name), 4))
    assert [pool.key_of[page] for page in pool.idle] == ["aa", "a", "bb", "b"]
    pool.release(computed(pool, "c", ("a",), 3))  # found again: now the newest
    assert [pool.key_of[page] for page in pool.idle] == ["aa", "bb", "b", "a"]
    big = Request("d", 8, 2)
    pool.start(big)
    assert set(pool.page_of) == {"b", "a"} and pool.num_free == 2


def test_a_page_that_two_computed_is_found_once_and_the_other_is_blank_again():
    pool = PagePool(4, 2)
    first, second = (Request(n, 2, 3, keys=("x",)) for n in range(2))
    for one in (first, second):
        pool.start(one)
        one.computed = 2
    for one in (first, second):
        pool.publish(one, 2)
    assert pool.page_of["x"] == first.pages[0]
    pool.release(second)
    assert len(pool.blank) == 3 and not pool.idle
    pool.release(first)
    pool.check()


def test_a_page_behind_a_gap_is_not_found():
    """The head of a prefix can go before its end, if two requests computed it at the same time."""
    pool = PagePool(5, 2)
    short, long = Request("short", 3, 3, keys=("x",)), Request("long", 5, 3, keys=("x", "xy"))
    for one in (short, long):
        pool.start(one)
    for one, tokens in ((short, 3), (long, 5)):
        one.computed = tokens
        pool.publish(one, tokens)
        pool.release(one)
    pool.start(Request("other", 7, 2))
    assert set(pool.page_of) == {"xy"}
    assert pool.find(Request("again", 5, 3, keys=("x", "xy"))) == []


def test_hits_are_counted_at_the_first_start_alone():
    pool = PagePool(9, 2)
    one = computed(pool, 0, ("x", "y"), 5)
    assert one.cached == 0
    pool.release(one)
    pool.start(one)
    assert (one.computed, one.cached) == (4, 0)


@pytest.mark.parametrize("known, pages", ((1, 1), (4, 1), (5, 2), (8, 2), (9, 3)))
def test_pages_for_tokens(known, pages):
    assert PagePool(3, 4).pages_for(known) == pages


def test_a_request_that_could_outgrow_the_pool_is_refused():
    pool = PagePool(3, 4)
    pool.refuse_too_long(Request("a", 5, 8))  # 12 tokens are computed, the 13th is not
    with pytest.raises(RequestTooLong, match="'b' may need 4 pages: expected at most 3"):
        pool.refuse_too_long(Request("b", 6, 8))


@pytest.mark.parametrize("name, sizes", (("num_pages", (0, 4)), ("page_tokens", (4, 0))))
def test_an_empty_pool_is_refused(name, sizes):
    with pytest.raises(ValueError, match=f"{name} = 0: expected a whole number of at least 1"):
        PagePool(*sizes)


def lively_pool():
    """Blank, idle, shared and single pages: all that there can be."""
    pool = PagePool(10, 2)
    pool.release(computed(pool, "gone", ("g", "gg"), 5))
    one = computed(pool, 1, ("x", "y"), 5)
    other = computed(pool, 2, ("x", "y", "z"), 8)
    requests = [one, other]
    pool.check(requests)
    assert len(pool.blank) >= 2 and len(pool.idle) == 2 and one.pages[:2] == other.pages[:2]
    return pool, requests


def lose_blank(pool, requests):
    pool.blank.pop()


def twice_blank(pool, requests):
    pool.blank.append(pool.blank[0])


def held_and_blank(pool, requests):
    pool.blank.append(requests[0].pages[-1])


def held_and_idle(pool, requests):
    pool.idle[requests[0].pages[0]] = None


def lose_idle(pool, requests):
    pool.idle.popitem()


def idle_and_blank(pool, requests):
    pool.blank.append(next(iter(pool.idle)))


def idle_that_nobody_can_find(pool, requests):
    page = next(iter(pool.idle))
    del pool.page_of[pool.key_of.pop(page)]


def blank_that_can_be_found(pool, requests):
    pool.page_of["new"], pool.key_of[pool.blank[0]] = pool.blank[0], "new"


def one_owner_too_many(pool, requests):
    pool.owners[requests[1].pages[0]] += 1


def one_owner_too_few(pool, requests):
    pool.owners[requests[1].pages[-1]] -= 1


def an_owner_of_a_free_page(pool, requests):
    pool.owners[pool.blank[-1]] = 1


def key_without_page(pool, requests):
    del pool.key_of[pool.page_of["x"]]


def page_without_key(pool, requests):
    del pool.page_of["g"]


def two_keys_for_one_page(pool, requests):
    pool.page_of["x"] = pool.page_of["g"]


def swapped_idle_keys(pool, requests):
    pool.page_of["g"], pool.page_of["gg"] = pool.page_of["gg"], pool.page_of["g"]


def beyond_the_pool(pool, requests):
    pool.blank.append(10)


def below_the_pool(pool, requests):
    pool.blank[0] = -1


def a_request_with_a_strangers_page(pool, requests):
    requests[0].pages.append(requests[1].pages[-1])


def a_request_without_its_page(pool, requests):
    requests[1].pages.pop()


def a_request_with_a_page_twice(pool, requests):
    requests[1].pages[-1] = requests[1].pages[0]


def a_request_with_a_free_page(pool, requests):
    requests[0].pages[-1] = pool.blank[0]


def a_forgotten_request(pool, requests):
    requests.pop()


@pytest.mark.parametrize(
    "spoil",
    (lose_blank, twice_blank, held_and_blank, held_and_idle, lose_idle, idle_and_blank,
     idle_that_nobody_can_find, blank_that_can_be_found, one_owner_too_many, one_owner_too_few,
     an_owner_of_a_free_page, key_without_page, page_without_key, two_keys_for_one_page,
     swapped_idle_keys, beyond_the_pool, below_the_pool, a_request_with_a_strangers_page,
     a_request_without_its_page, a_request_with_a_page_twice, a_request_with_a_free_page,
     a_forgotten_request),
)  # fmt: skip
def test_check_notices(spoil):
    pool, requests = lively_pool()
    spoil(pool, requests)
    with pytest.raises(PageLeak):
        pool.check(requests)


def test_check_says_which_page_and_what_is_off():
    pool, requests = lively_pool()
    page = requests[0].pages[-1]
    pool.owners[page] = 3
    with pytest.raises(PageLeak, match=f"page {page}: in 1 places .* 1 requests hold it, 3 by the"):
        pool.check(requests)
