"""Proofs of lab 5: mistakes that learners make, and right answers of other styles.

Pieces of the engine are given as source: each is executed in the engine's own file.
"""

from labutils.exercises.catalog.paged_kv_cache import shelf
from labutils.exercises.definition.verdict import Status
from tests.proofs.proof import Proof

# --- pages.take ----------------------------------------------------------------------------------

TAKE = """
class Mine:
    def take(self, count):
        if len(self.blank) + len(self.idle) < count:
            raise OutOfPages
        pages = []
        while len(pages) < count:
            pages.append(self.evict() if not self.blank else self.blank.pop())
            self.owners[pages[-1]] += 1
        return pages

    def grow(self, request):
        (page,) = self.take(1)
        request.pages = [*request.pages, page]
        request.room = len(request.pages) * self.page_tokens
"""
REFUSED = "if len(self.blank) + len(self.idle) < count:\n            raise OutOfPages\n"
PARTLY = """
class Mine:
    def take(self, count):
        pages = []
        while len(pages) < count:
            if not self.num_free:
                raise OutOfPages
            pages.append(self.blank.pop() if self.blank else self.evict())
            self.owners[pages[-1]] = 1
        return pages

    def grow(self, request):
        request.pages += self.take(1)
        request.room += self.page_tokens
"""
SLICED = TAKE.replace(
    "pages.append(self.evict() if not self.blank else self.blank.pop())",
    "pages.append(self.blank[-1 - len(pages)])",
).replace("len(self.blank) + len(self.idle)", "len(self.blank)")
ROOM_FIRST = TAKE.replace(
    "(page,) = self.take(1)\n", "request.room += self.page_tokens\n        (page,) = self.take(1)\n"
)

# --- pages.release -------------------------------------------------------------------------------

RELEASE = """
def release(self, request):
    while request.pages:
        page = request.pages.pop()
        self.owners[page] -= 1
        LEFT
    request.room = request.computed = 0
"""


def release(left="if self.owners[page] == 0: self.drop(page)"):
    return RELEASE.replace("LEFT", left)


FORGETS = """
def release(self, request):
    del request.pages[:]
    request.room = request.computed = 0
"""
HEAD_FIRST = """
def release(self, request):
    for page in request.pages:
        self.owners[page] -= 1
        if self.owners[page] == 0:
            self.drop(page)
    request.pages = []
    request.room = request.computed = 0
"""

# --- pages.keys ----------------------------------------------------------------------------------

KEYS = """
def page_keys(tokens, page_tokens, *, salt=""):
    names, name = [], salt
    for page in range(len(tokens) // page_tokens):
        mine = tokens[page * page_tokens : (page + 1) * page_tokens]
        name = WHAT
        names.append(name)
    return tuple(names)
"""


def keys(what="repr((name, tuple(mine)))"):
    return KEYS.replace("WHAT", what)


BEFORE = "(salt, tuple(tokens[max(page - 1, 0) * page_tokens : (page + 1) * page_tokens]))"


def digests(page="repr(mine).encode()", *, size=16, salt="salt.encode()"):
    what = f"blake2b(name + {page}, digest_size={size}).digest()"
    return keys(what).replace("[], salt", f"[], {salt}")


# --- pages.find, pages.publish -------------------------------------------------------------------

FIND = """
def find(self, request):
    pages, full = [], WHERE // self.page_tokens
    for number, key in enumerate(request.keys):
        if number >= full or self.page_of.get(key) is None:
            BEHIND
        pages.append(self.page_of[key])
    return pages
"""


def find(where="(request.known - 1)", behind="break"):
    return FIND.replace("WHERE", where).replace("BEHIND", behind)


PUBLISH = """
def publish(self, request, new_tokens):
    for number in range(LEAST, len(request.keys)):
        begun = number * self.page_tokens
        key = request.keys[number]
        if begun + self.page_tokens <= request.computed and key not in self.page_of:
            self.page_of[key], self.key_of[request.pages[number]] = request.pages[number], key
"""


def publish(old="", new=""):
    return PUBLISH.replace(old, new).replace("LEAST", "0")


BY_CHUNK = """
def publish(self, request, new_tokens):
    begun = (request.computed - new_tokens) // self.page_tokens
    for number in range(begun, begun + new_tokens // self.page_tokens):
        if number < len(request.keys) and request.keys[number] not in self.page_of:
            self.page_of[request.keys[number]] = request.pages[number]
            self.key_of[request.pages[number]] = request.keys[number]
"""

# --- pages.fits, pages.start ---------------------------------------------------------------------

FITS = """
class Mine:
    def hold(self, pages):
        for page in pages:
            if page in self.idle:
                del self.idle[page]
            OWNED

    def fits(self, request):
        found = self.find(request)
        wanted = self.pages_for(request.known) - len(found)
        return wanted <= FREE
"""


def fits(free="self.num_free - sum(p in self.idle for p in found)", owned="self.owners[page] += 1"):
    return FITS.replace("FREE", free).replace("OWNED", owned)


START = """
def start(self, request):
    REFUSE
    pages = self.find(request)
    found = len(pages)
    self.hold(pages)
    pages = pages + self.take(self.pages_for(request.known) - found)
    request.pages, request.room = pages, self.page_tokens * len(pages)
    request.computed = found * self.page_tokens
    if request.cached is None:
        request.cached = request.computed
"""
ASKED = "if not self.fits(request):\n        raise OutOfPages('too few')"


def start(refuse=ASKED, old="", new=""):
    return START.replace("REFUSE", refuse).replace(old, new)


TAKES_FIRST = """
def start(self, request):
    found = self.find(request)
    request.pages = found + self.take(self.pages_for(request.known) - len(found))
    self.hold(found)
    request.room = len(request.pages) * self.page_tokens
    request.computed = len(found) * self.page_tokens
    request.cached = request.computed if request.cached is None else request.cached
"""

# --- pages.evict ---------------------------------------------------------------------------------

EVICT = """
class Mine:
    def drop(self, page):
        if self.key_of.get(page) is None:
            self.blank.append(page)
        else:
            self.idle[page] = None

    def evict(self):
        page = WHICH
        del self.idle[page]
        key = self.key_of[page]
        del self.key_of[page]
        del self.page_of[key]
        return page
"""


def evict(which="next(iter(self.idle))"):
    return EVICT.replace("WHICH", which)


# --- packing.slots, attention.read, attention.bucket ---------------------------------------------

SLOTS = """
def slots_of(pages, start, end, page_tokens):
    slots = []
    for token in range(start, end):
        slots.append(WHERE)
    return slots
"""


def slots(where="pages[token // page_tokens] * page_tokens + token % page_tokens"):
    return SLOTS.replace("WHERE", where)


READ = """
def read(self, layer, pages):
    places = torch.arange(self.page_tokens, device=pages.device)
    slots = SLOTS
    return [half[layer][:, slots] for half in (self.keys, self.values)]
"""


def read(slots_="(pages[:, None] * self.page_tokens + places).flatten()"):
    return READ.replace("SLOTS", slots_)


BUCKET = """
def attend(self, layer, query):
    kv_heads, group, rows, width = query.shape
    halves = [half.unflatten(1, (rows, -1)) for half in self.memory.read(layer, self.pages)]
    hidden = self.hidden.unflatten(0, (kv_heads, rows))
    mixed = torch.empty_like(query)
    for row in range(rows):
        keys, values = (half[:, row] for half in halves)
        scores = query[:, :, row] @ keys.transpose(1, 2) SCALED
        weights = (scores + hidden[:, row]).softmax(-1)
        mixed[:, :, row] = weights @ values
    return SHAPED
"""


def bucket(scaled="/ width**0.5", shaped="mixed"):
    return BUCKET.replace("SCALED", scaled).replace("SHAPED", shaped)


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


class KeylessFirst(shelf.PageCache):
    """Spares what can be found."""

    def new_page(self):
        self.free = shelf.deque(sorted(self.free, key=lambda page: page in self.key_of))
        return super().new_page()


class AllButTheLast(shelf.PageCache):
    """Leaves out the last key, whatever its page holds."""

    def admit(self, request, tokens, keys):
        found = self.known_pages(keys[: len(keys) - 1])
        self.cached[request] = len(found) * self.page_tokens
        self.fill(request, found, tokens)
        return self.cached[request], tokens


class OneBook(shelf.PageCache):
    """Forgets which page the key led to, and not which key the page had."""

    def new_page(self):
        page = self.free.popleft()
        if page in self.key_of:
            self.page_of.pop(self.key_of[page], None)
        return page


class NotedOnce(shelf.PageCache):
    """Notes what was found at the first visit alone."""

    def admit(self, request, tokens, keys):
        found = self.known_pages(keys[: (tokens - 1) // self.page_tokens])
        self.cached.setdefault(request, len(found) * self.page_tokens)
        self.fill(request, found, tokens)
        return self.cached[request], tokens


PROOFS = {
    "pages.take": Proof(
        mistakes={
            "some, and then the refusal": (PARTLY, "takes-what-there-is"),
            "a copy of the end": (SLICED, "still-blank"),
            "room before pages": (ROOM_FIRST, "room-before-pages"),
            "rounds down": (
                TAKE.replace("request.pages) * self", "request.pages[1:]) * self"),
                Status.wrong,
            ),
            "returns False": (
                TAKE.replace("            raise OutOfPages\n", "            return False\n"),
                "wrong-length",
            ),
            "no refusal": (TAKE.replace(REFUSED, "pass\n"), Status.raised),
        },
        alternatives={"page by page": TAKE},
    ),
    "pages.release": Proof(
        mistakes={
            "a leak": (FORGETS, "lost-pages"),
            "never dropped": (release(left="pass"), "never-free"),
            "back to blank": (
                release(left="if not self.owners[page]: self.blank.append(page)"),
                "past-the-books",
            ),
            "head first": (HEAD_FIRST, "head-first"),
            "one too late": (
                release(left="if self.owners[page] < 0: self.drop(page)"),
                "never-free",
            ),
        },
        alternatives={"popped from the table": release()},
    ),
    "pages.keys": Proof(
        mistakes={
            "each page by itself": (keys("repr((salt, tuple(mine)))"), "page-alone"),
            "no salt": (keys().replace("[], salt", "[], 0"), "no-salt"),
            "a byte of each token": (keys("(name, bytes(t & 255 for t in mine))"), "one-byte-each"),
            "bytes of the list": (keys("(name, bytes(mine))"), Status.raised),
            "digits in a row": (keys("name + ''.join(map(str, mine))"), "digits-in-a-row"),
            # Findings: all of these passed.
            "eight tokens of a page": (keys("repr((name, mine[:8]))"), "eight-tokens-of-each"),
            "twelve tokens of a page": (keys("repr((name, mine[:12]))"), Status.wrong),
            "a digest of two bytes": (digests(size=2), Status.wrong),
            "a digest of three bytes": (digests(size=3), Status.wrong),
            "the page before alone": (keys(BEFORE), "last-page-alone"),
            "two pages before": (keys(BEFORE.replace("page - 1", "page - 2")), Status.wrong),
            "two bytes of each token": (
                digests("b''.join((t % 65536).to_bytes(2, 'big') for t in mine)"),
                "two-bytes-each",
            ),
            "two bytes for a token": (
                digests("b''.join(t.to_bytes(2, 'big') for t in mine)"),
                Status.raised,
            ),
            "a salt in ASCII": (digests(salt='salt.encode("ascii", "ignore")'), "ascii-salt"),
            "Python's hash": (keys("hash((name, tuple(mine)))"), "pythons-hash"),
        },
        alternatives={
            "nested tuples": keys(),
            "as one tuple": keys("(name, *mine)"),
            "four bytes a token": digests("b''.join(t.to_bytes(4, 'big') for t in mine)"),
            "digests of words": digests(),
        },
        equivalent={
            f"{line} => {line.replace('=16', f'={size}')}": "a digest of a byte more or less"
            for line in (
                "names, name = ([], blake2b(salt.encode(), digest_size=16).digest())",
                "name = blake2b(name + page, digest_size=16).digest()",
            )
            for size in (15, 17)
        },
    ),
    "pages.find": Proof(
        mistakes={
            "the last page, too": (find(where="request.known"), "nothing-left-to-compute"),
            "jumps gaps": (find(behind="continue"), "over-the-gap"),
            "page 0 is none": (
                find().replace("self.page_of.get(key) is None", "not self.page_of.get(key)"),
                "without-page-0",
            ),
            "a count": (find().replace("return pages", "return len(pages)"), Status.wrong),
        },
        alternatives={"with a number": find()},
        equivalent={
            f"found: list[int] = [] => found: list[int {sign} 1] = []": "an annotation of a local"
            for sign in "+-"
        },
    ),
    "pages.publish": Proof(
        mistakes={
            "before it is computed": (
                publish("begun + self.page_tokens <= request.computed and ", ""),
                "not-computed-yet",
            ),
            "a page begun": (
                publish("begun + self.page_tokens <=", "begun <"),
                "half-full-pages",
            ),
            "by chunk": (BY_CHUNK, "counts-new-tokens-alone"),
        },
        alternatives={"looks at every page again": publish()},
    ),
    "pages.fits": Proof(
        mistakes={
            "idle pages twice": (fits(free="self.num_free"), "counts-idle-twice"),
            "blank ones alone": (fits(free="len(self.blank)"), "blank-alone"),
            "one owner": (fits(owned="self.owners[page] = 1"), "one-owner"),
            "held twice": (fits(owned="self.owners[page] += 2"), Status.wrong),
        },
        alternatives={"asks what is idle": fits()},
    ),
    "pages.start": Proof(
        mistakes={
            "takes first": (TAKES_FIRST, Status.wrong),
            "refused too late": (start(refuse="pass"), "held-and-refused"),
            "counts pages": (
                start(old="found * self.page_tokens", new="found"),
                "counts-pages",
            ),
            "fresh in front": (
                start(
                    old="pages + self.take(self.pages_for(request.known) - found)",
                    new="self.take(self.pages_for(request.known) - found) + pages",
                ),
                "fresh-in-front",
            ),
            "room for what is known": (
                start(old="self.page_tokens * len(pages)", new="request.known"),
                "room-for-the-known",
            ),
        },
        alternatives={"line by line": start()},
    ),
    "pages.evict": Proof(
        mistakes={
            "first in, first out": (
                evict("next(page for page in self.key_of if page in self.idle)"),
                "first-in-first-out",
            ),
            "last in, first out": (evict("list(self.idle)[-1]"), "newest-first"),
            "the lowest number": (evict("sorted(self.idle)[0]"), "lowest-number"),
            "the key stays": (
                evict().replace("del self.key_of[page]\n", "").replace("del self.page_of[key]", ""),
                "keeps-the-key",
            ),
            # Findings: a TypeError far away from it.
            "returns no page": (evict().replace("return page", "return"), "wrong-length"),
            "nothing becomes idle": (
                evict().replace(
                    "            self.idle[page] = None",
                    "            del self.page_of[self.key_of.pop(page)]\n"
                    "            self.blank.append(page)",
                ),
                "nothing-is-idle",
            ),
        },
        alternatives={"del by del": evict()},
    ),
    "packing.slots": Proof(
        mistakes={
            "in one piece": (slots("pages[0] * page_tokens + token"), "in-one-piece"),
            "floats": (
                slots(
                    "pages[int(token / page_tokens)] * page_tokens + token % (1.0 * page_tokens)"
                ),
                "float-slots",
            ),
            "of the answer alone": (
                slots("pages[(token - start) // page_tokens] * page_tokens + token % page_tokens"),
                Status.wrong,
            ),
        },
        alternatives={"token by token": slots()},
    ),
    "attention.read": Proof(
        mistakes={
            "sorted": (
                read("(pages.sort().values[:, None] * self.page_tokens + places).flatten()"),
                "order-of-memory",
            ),
            "pages for slots": (read("pages"), "one-slot-each"),
            "two dimensions": (
                read("pages[:, None] * self.page_tokens + places"),
                "pages-kept-apart",
            ),
        },
        alternatives={"slot by slot": read()},
    ),
    "attention.bucket": Proof(
        mistakes={
            "no scale": (bucket(scaled=""), "no-scale"),
            "by the whole width": (bucket(scaled="/ width"), "divides-by-the-width"),
            "the padding, too": (
                bucket().replace("scores + hidden[:, row]", "scores"),
                "sees-the-padding",
            ),
            "rows in front": (bucket(shaped="mixed.transpose(1, 2)"), "rows-in-front"),
        },
        alternatives={"request by request": bucket()},
        equivalent={
            f"{line} => {line.replace('transpose(1, 2)', 'transpose(2, 1)')}": "either order"
            for line in (
                "return torch.bmm(scores.softmax(-1), values).view_as(rows).transpose(1, 2)",
                "rows, scale = (query.transpose(1, 2), query.shape[-1] ** (-0.5))",
                "scores = torch.baddbmm(self.hidden, rows.flatten(0, 1), keys.transpose(1, 2), "
                "alpha=scale)",
            )
        },
    ),
    "paged.bugs": Proof(
        mistakes={
            "only the plan": (OnlyThePlan, "nothing-to-compute"),
            "two of three": (PlanAndPrompt, "stale-key"),
            "clamps": (Clamps, "writes-where-others-read"),
            "pages without a key first": (KeylessFirst, "pages-without-keys-first"),
            "all keys but the last": (AllButTheLast, "last-key-left-out"),
            # Findings: it passed, and a page that held what it named was found no more.
            "one book forgets": (OneBook, "one-book"),
            "noted once": (NotedOnce, "keeps-the-old-count"),
        },
        alternatives={"gives the last page back": OneMethodMore},
    ),
    "paged.sixteen_kb": Proof(
        mistakes={
            "keys alone": (64, "keys-alone"),
            "16 kB": (31.25, "kilobytes"),
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
            "one missing": ("b", "without-e"),
        },
        alternatives={"a list": ["e", "b"], "together": "be"},
    ),
}
