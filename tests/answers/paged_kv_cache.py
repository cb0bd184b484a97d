"""Trial answers to the exercises of lab 5."""

from tests.answers.answer import right, wrong

GROWING = """
from labutils.engine import OutOfPages, PagePool

class Growing(PagePool):
    def take(self, count):
        if count > self.num_free:
            raise OutOfPages("no page is free")
        pages = [self.blank.pop() if self.blank else self.evict() for _ in range(count)]
        for page in pages:
            self.owners[page] = 1
        return pages
    def grow(self, request):
        request.pages += self.take(1)
        request.room += self.page_tokens
"""

RELEASE = """
def release(self, request):
    for page in reversed(request.pages):
        self.owners[page] -= 1
        if self.owners[page] == 0:
            self.drop(page)
    request.pages = []
    request.room = 0
    request.computed = 0
"""

READ = """
def read(self, layer, pages):
    for memory in (self.keys, self.values):
        by_page = memory[layer].unflatten(1, (-1, self.page_tokens))
        yield by_page[:, pages].flatten(1, 2)
"""

ATTEND = """
def attend(self, layer, query):
    heads, group, rows, width = query.shape
    keys, values = self.memory.read(layer, self.pages)
    keys = keys.reshape(heads * rows, -1, width)
    values = values.reshape(heads * rows, -1, width)
    asked = query.transpose(1, 2).reshape(heads * rows, group, width)
    scores = torch.baddbmm(self.hidden, asked, keys.transpose(1, 2), alpha=width**-0.5)
    mixed = scores.softmax(-1) @ values
    return mixed.view(heads, rows, group, width).transpose(1, 2)
"""

KEYS = """
def page_keys(tokens, page_tokens, *, salt=""):
    from hashlib import blake2b
    names, last = [], blake2b(salt.encode(), digest_size=16).digest()
    for start in range(0, len(tokens) // page_tokens * page_tokens, page_tokens):
        own = ",".join(str(token) for token in tokens[start : start + page_tokens])
        last = blake2b(last + own.encode(), digest_size=16).digest()
        names.append(last)
    return tuple(names)
"""

FIND = """
def find(self, request):
    found = []
    for key in request.keys[: (request.known - 1) // self.page_tokens]:
        page = self.page_of.get(key)
        if page is None:
            break
        found.append(page)
    return found
"""

PUBLISH = """
def publish(self, request, new_tokens):
    before = (request.computed - new_tokens) // self.page_tokens
    after = request.computed // self.page_tokens
    for key, page in zip(request.keys[before:after], request.pages[before:after]):
        if key not in self.page_of:
            self.page_of[key] = page
            self.key_of[page] = key
"""

HOLDING = """
from labutils.engine import PagePool

class Holding(PagePool):
    def hold(self, pages):
        for page in pages:
            self.owners[page] += 1
            self.idle.pop(page, None)
    def fits(self, request):
        found = self.find(request)
        idle = sum(page in self.idle for page in found)
        return self.pages_for(request.known) - len(found) <= self.num_free - idle
"""

START = """
def start(self, request):
    if not self.fits(request):
        raise OutOfPages("no room")
    found = self.find(request)
    self.hold(found)
    request.pages = found + self.take(self.pages_for(request.known) - len(found))
    request.room = len(request.pages) * self.page_tokens
    request.computed = len(found) * self.page_tokens
    if request.cached is None:
        request.cached = request.computed
"""

EVICTING = """
from labutils.engine import PagePool

class Evicting(PagePool):
    def drop(self, page):
        if page in self.key_of:
            self.idle[page] = None
        else:
            self.blank.append(page)
    def evict(self):
        page, _ = self.idle.popitem(last=False)
        key = self.key_of.pop(page)
        del self.page_of[key]
        return page
"""

BUGS = """
from labutils.exercises.catalog.paged_kv_cache.shelf import Shelf

class PageCache(Shelf):
    def admit(self, request, tokens, keys):
        found = self.known_pages(keys)[: (tokens - 1) // self.page_tokens]
        self.cached[request] = len(found) * self.page_tokens
        self.fill(request, found, tokens)
        return self.cached[request], tokens
    def new_page(self):
        page = self.free.popleft()
        key = self.key_of.pop(page, None)
        if key is not None:
            del self.page_of[key]
        return page
"""

FORGETS = """        key = self.key_of.pop(page, None)
        if key is not None:
            del self.page_of[key]
"""


def but(source: str, *pairs: tuple[str, str]) -> str:
    """The source with pieces replaced."""
    for old, new in pairs:
        assert old in source, old
        source = source.replace(old, new)
    return source


def slots(expression: str) -> str:
    """The slots by this expression."""
    return f"def slots_of(pages, start, end, page_tokens):\n    return {expression}\n"


ANSWERS = [
    wrong(
        "packing.slots",
        "the page's number is not multiplied",
        slots("[pages[i // page_tokens] + i % page_tokens for i in range(start, end)]"),
        true=("page-for-slot",),
    ),
    wrong(
        "packing.slots",
        "the end counts",
        slots(
            "[pages[i // page_tokens] * page_tokens + i % page_tokens"
            " for i in range(start, end + 1) if i // page_tokens < len(pages)]"
        ),
        false=("wrong-length",),
    ),
    wrong(
        "packing.slots",
        "from the first token on",
        slots(
            "[pages[i // page_tokens] * page_tokens + i % page_tokens for i in range(end - start)]"
        ),
        true=("counted-from-start",),
    ),
    wrong(
        "packing.slots",
        "side by side behind the first",
        slots(
            "[pages[start // page_tokens] * page_tokens + start % page_tokens + i"
            " for i in range(end - start)]"
        ),
        true=("side-by-side",),
    ),
    wrong(
        "packing.slots",
        "the page's index for its number",
        slots("[i // page_tokens * page_tokens + i % page_tokens for i in range(start, end)]"),
        true=("index-for-number",),
    ),
    wrong(
        "packing.slots",
        "sorted pages",
        slots(
            "[sorted(pages)[i // page_tokens] * page_tokens + i % page_tokens"
            " for i in range(start, end)]"
        ),
        true=("sorted-pages",),
    ),
    wrong(
        "packing.slots",
        "quotient and rest exchanged",
        slots(
            "[pages[i // page_tokens] * page_tokens + i // page_tokens for i in range(start, end)]"
        ),
    ),
    right(
        "packing.slots",
        "all slots, then a slice",
        slots("[p * page_tokens + k for p in pages for k in range(page_tokens)][start:end]"),
    ),
    right(
        "packing.slots",
        "divmod",
        slots(
            "[pages[q] * page_tokens + r for q, r in"
            " (divmod(i, page_tokens) for i in range(start, end))]"
        ),
    ),
    wrong("paged.sixteen_kb", "all layers", 16_384 / (24 * 512), true=("all-layers",)),
    wrong(
        "paged.sixteen_kb",
        "query heads",
        16_384 // (2 * 14 * 64 * 2),
        false=("scale",),
        true=("query-heads-rounded",),
    ),
    wrong("paged.sixteen_kb", "keys alone", 64, true=("keys-alone",)),
    wrong("paged.sixteen_kb", "numbers, not bytes", 64.0, true=("keys-alone",)),
    wrong("paged.sixteen_kb", "kilobytes", 16_000 / 512, true=("kilobytes",)),
    wrong("paged.sixteen_kb", "one head, keys alone", 128, true=("one-number",)),
    wrong("paged.sixteen_kb", "bytes of a token", 512, true=("bytes-of-a-token",)),
    right("paged.sixteen_kb", "a power", 2**14 // 2**9),
    right("paged.sixteen_kb", "a float", 32.0),
    wrong("paged.pools", "the draft model alone", "b", true=("without-e",)),
    wrong("paged.pools", "tenants too", "b, c, e", true=("c",)),
    wrong("paged.pools", "page sizes too", "b, d, e", true=("d",)),
    wrong("paged.pools", "short and long too", "a, b, e", true=("a",)),
    wrong("paged.pools", "the windows alone", "e", true=("without-b",)),
    wrong("paged.pools", "all", "a, b, c, d, e", true=("a",)),
    right("paged.pools", "turned round", "e b"),
    right("paged.pools", "capitals", "B, E"),
    wrong(
        "pages.take",
        "out of pages is found out on the way",
        but(
            GROWING,
            (
                """        if count > self.num_free:
            raise OutOfPages("no page is free")
        pages = [self.blank.pop() if self.blank else self.evict() for _ in range(count)]
""",
                """        pages = []
        for _ in range(count):
            if not self.num_free:
                raise OutOfPages("no page is free")
            pages.append(self.blank.pop() if self.blank else self.evict())
""",
            ),
        ),
        true=("takes-what-there-is",),
    ),
    wrong(
        "pages.take",
        "idle pages do not count as free",
        but(GROWING, ("count > self.num_free", "count > len(self.blank)")),
        true=("refuses-idle",),
    ),
    wrong(
        "pages.take",
        "no owner",
        but(GROWING, ("self.owners[page] = 1", "pass")),
        true=("no-owner",),
    ),
    wrong(
        "pages.take",
        "grow forgets the room",
        but(GROWING, ("        request.room += self.page_tokens\n", "")),
        true=("no-room",),
    ),
    wrong(
        "pages.take",
        "never the last page",
        but(GROWING, ("count > self", "count >= self")),
        true=("keeps-one-back",),
    ),
    right("pages.take", "from the front", but(GROWING, ("blank.pop()", "blank.pop(0)"))),
    wrong(
        "pages.take",
        "room for one token",
        but(GROWING, ("room += self.page_tokens", "room += 1")),
    ),
    wrong(
        "pages.take",
        "evicts while anything is idle",
        but(
            GROWING,
            (
                "self.blank.pop() if self.blank else self.evict()",
                "self.evict() if self.idle else self.blank.pop()",
            ),
        ),
        true=("evicts-first",),
    ),
    right(
        "pages.take",
        "one by one, by recursion",
        """
from labutils.engine import OutOfPages, PagePool

class Growing(PagePool):
    def take(self, count):
        if count > len(self.blank) + len(self.idle):
            raise OutOfPages(f"{count} pages are wanted")
        if count == 0:
            return []
        page = self.blank.pop() if self.blank else self.evict()
        self.owners[page] = 1
        return [page, *self.take(count - 1)]
    def grow(self, request):
        (page,) = self.take(1)
        request.pages.append(page)
        request.room = len(request.pages) * self.page_tokens
""",
    ),
    right(
        "pages.take",
        "the blank ones as a slice",
        but(
            GROWING,
            (
                "pages = [self.blank.pop() if self.blank else self.evict() for _ in range(count)]",
                "left = max(len(self.blank) - count, 0)\n"
                "        pages, self.blank[left:] = self.blank[left:][::-1], []\n"
                "        while len(pages) < count:\n"
                "            pages.append(self.evict())",
            ),
        ),
    ),
    wrong(
        "pages.release",
        "the first page first",
        but(RELEASE, ("reversed(request.pages)", "request.pages")),
        true=("head-first",),
    ),
    wrong(
        "pages.release",
        "drops what others hold",
        but(RELEASE, ("        if self.owners[page] == 0:\n            self", "        self")),
        true=("frees-for-all",),
    ),
    wrong(
        "pages.release",
        "still computed",
        but(RELEASE, ("    request.computed = 0\n", "")),
        true=("keeps-what-it-computed",),
    ),
    wrong(
        "pages.release",
        "keeps its room",
        but(RELEASE, ("    request.room = 0\n", "")),
        true=("keeps-the-room",),
    ),
    wrong(
        "pages.release",
        "blank instead of drop",
        but(RELEASE, ("self.drop(page)", "self.blank.append(page)")),
        true=("past-the-books",),
    ),
    wrong(
        "pages.release",
        "keeps its table",
        but(RELEASE, ("    request.pages = []\n", "")),
        true=("keeps-the-table",),
    ),
    wrong(
        "pages.release", "no owner at once", but(RELEASE, ("-= 1", "= 0")), true=("frees-for-all",)
    ),
    wrong(
        "pages.release",
        "one owner is none",
        but(RELEASE, ("== 0", "<= 1")),
        true=("frees-for-all",),
    ),
    right(
        "pages.release",
        "popped from the table",
        """
def release(self, request):
    while request.pages:
        page = request.pages.pop()
        self.owners[page] -= 1
        if not self.owners[page]:
            self.drop(page)
    request.room = request.computed = 0
""",
    ),
    right(
        "pages.release",
        "emptied first, then counted down",
        """
def release(self, request):
    request.pages, held = [], request.pages
    request.room, request.computed = 0, 0
    for page in held:
        self.owners[page] -= 1
    for page in [page for page in held[::-1] if self.owners[page] < 1]:
        self.drop(page)
""",
    ),
    wrong(
        "attention.read",
        "values first",
        but(READ, ("(self.keys, self.values)", "(self.values, self.keys)")),
        true=("values-first",),
    ),
    wrong(
        "attention.read",
        "page numbers as slots",
        """
def read(self, layer, pages):
    yield self.keys[layer][:, pages]
    yield self.values[layer][:, pages]
""",
        true=("one-slot-each",),
    ),
    wrong(
        "attention.read",
        "a page axis too many",
        but(READ, (".flatten(1, 2)", "")),
        true=("pages-kept-apart",),
    ),
    wrong(
        "attention.read",
        "pages and places exchanged",
        but(
            READ,
            ("(1, (-1, self.page_tokens))", "(1, (self.page_tokens, -1))"),
            ("by_page[:, pages]", "by_page[:, :, pages].transpose(1, 2)"),
        ),
    ),
    wrong(
        "attention.read",
        "one stretch from the first page to the last",
        """
def read(self, layer, pages):
    size = self.page_tokens
    start = int(pages[0]) * size
    for memory in (self.keys, self.values):
        yield memory[layer][:, start : start + len(pages) * size].clone()
""",
        true=("in-one-piece",),
    ),
    wrong(
        "attention.read",
        "place by place",
        but(READ, (".flatten(1, 2)", ".transpose(1, 2).flatten(1, 2)")),
        true=("places-first",),
    ),
    wrong(
        "attention.read",
        "sorted pages",
        but(READ, ("[:, pages]", "[:, pages.sort().values]")),
        true=("order-of-memory",),
    ),
    wrong(
        "attention.read",
        "always the first layer",
        but(READ, ("memory[layer]", "memory[0]")),
        true=("other-layer",),
    ),
    right(
        "attention.read",
        "all slots, by index_select",
        """
def read(self, layer, pages):
    size = self.page_tokens
    slots = (pages[:, None] * size + torch.arange(size, device=pages.device)).flatten()
    yield self.keys[layer].index_select(1, slots)
    yield self.values[layer].index_select(1, slots)
""",
    ),
    right(
        "attention.read",
        "split into pages and joined",
        """
def read(self, layer, pages):
    wanted = pages.tolist()
    for memory in (self.keys, self.values):
        parts = memory[layer].split(self.page_tokens, dim=1)
        yield torch.cat([parts[page] for page in wanted], dim=1)
""",
    ),
    wrong(
        "attention.bucket",
        "not scaled",
        but(ATTEND, (", alpha=width**-0.5", "")),
        true=("no-scale",),
    ),
    wrong(
        "attention.bucket",
        "the group not moved",
        but(ATTEND, ("query.transpose(1, 2).reshape", "query.reshape")),
        true=("requests-and-heads-exchanged",),
    ),
    wrong(
        "attention.bucket",
        "not moved back",
        but(
            ATTEND,
            ("view(heads, rows, group, width).transpose(1, 2)", "view(heads, group, rows, width)"),
        ),
        true=("groups-and-requests-exchanged",),
    ),
    wrong(
        "attention.bucket",
        "the padding counts",
        but(
            ATTEND,
            (
                "torch.baddbmm(self.hidden, asked, keys.transpose(1, 2), alpha=width**-0.5)",
                "asked @ keys.transpose(1, 2) * width**-0.5",
            ),
        ),
        true=("sees-the-padding",),
    ),
    wrong(
        "attention.bucket",
        "scaled by the width, not its root",
        but(ATTEND, ("width**-0.5", "1 / width")),
        true=("divides-by-the-width",),
    ),
    wrong("attention.bucket", "times the root", but(ATTEND, ("width**-0.5", "width**0.5"))),
    wrong(
        "attention.bucket",
        "softmax over the group",
        but(ATTEND, ("softmax(-1)", "softmax(1)")),
        true=("softmax-over-requests",),
    ),
    wrong(
        "attention.bucket",
        "requests before heads",
        but(
            ATTEND,
            (
                "keys.reshape(heads * rows, -1, width)",
                "keys.reshape(heads, rows, -1, width).transpose(0, 1).flatten(0, 1)",
            ),
            (
                "values.reshape(heads * rows, -1, width)",
                "values.reshape(heads, rows, -1, width).transpose(0, 1).flatten(0, 1)",
            ),
        ),
    ),
    right(
        "attention.bucket",
        "einsum over five letters",
        """
def attend(self, layer, query):
    h, g, r, d = query.shape
    keys, values = (one.view(h, r, -1, d) for one in self.memory.read(layer, self.pages))
    scores = torch.einsum("hgrd,hrsd->hgrs", query, keys) / d**0.5
    scores = scores + self.hidden.view(h, 1, r, -1)
    return torch.einsum("hgrs,hrsd->hgrd", scores.softmax(-1), values)
""",
    ),
    right(
        "attention.bucket",
        "torch's own attention",
        """
def attend(self, layer, query):
    h, g, r, d = query.shape
    keys, values = (one.view(h, r, -1, d) for one in self.memory.read(layer, self.pages))
    mixed = torch.nn.functional.scaled_dot_product_attention(
        query.transpose(1, 2), keys, values, attn_mask=self.hidden.view(h, r, 1, -1)
    )
    return mixed.transpose(1, 2)
""",
    ),
    wrong(
        "pages.keys",
        "not chained",
        but(KEYS, ("last = blake2b(last + own", "last = blake2b(salt.encode() + own")),
        true=("page-alone",),
    ),
    wrong(
        "pages.keys",
        "the last page too, though not full",
        but(KEYS, ("len(tokens) // page_tokens * page_tokens", "len(tokens)")),
        true=("half-full-pages",),
    ),
    wrong(
        "pages.keys",
        "no salt",
        but(KEYS, ("blake2b(salt.encode(), digest", "blake2b(b'', digest")),
        true=("no-salt",),
    ),
    wrong("pages.keys", "digits run together", but(KEYS, ('",".join', '"".join'))),
    wrong(
        "pages.keys",
        "tokens as single bytes",
        but(
            KEYS,
            ("own.encode()", "bytes(token % 256 for token in tokens[start : start + page_tokens])"),
        ),
        true=("one-byte-each",),
    ),
    wrong(
        "pages.keys",
        "the salt has a name too",
        but(KEYS, ("names, last = []", "names, last = [b'salt']")),
    ),
    wrong(
        "pages.keys",
        "the order in the page is lost",
        but(
            KEYS,
            (
                "tokens[start : start + page_tokens])\n",
                "sorted(tokens[start : start + page_tokens]))\n",
            ),
        ),
        true=("in-any-order",),
    ),
    wrong(
        "pages.keys", "last name alone", but(KEYS, ("blake2b(last + own.encode()", "blake2b(last"))
    ),
    right(
        "pages.keys",
        "sha256 of everything up to here",
        """
def page_keys(tokens, page_tokens, *, salt=""):
    from hashlib import sha256
    ends = range(page_tokens, len(tokens) + 1, page_tokens)
    return tuple(sha256(repr((salt, list(tokens[:end]))).encode()).digest() for end in ends)
""",
    ),
    right(
        "pages.keys",
        "accumulated over an array's bytes",
        """
def page_keys(tokens, page_tokens, *, salt=""):
    from array import array
    from hashlib import blake2b
    from itertools import accumulate
    full = len(tokens) // page_tokens
    pages = (array("q", tokens[i * page_tokens : (i + 1) * page_tokens]) for i in range(full))
    first = blake2b(salt.encode()).digest()
    names = accumulate(pages, lambda a, own: blake2b(a + own.tobytes()).digest(), initial=first)
    return tuple(names)[1:]
""",
    ),
    wrong(
        "pages.find",
        "the last token's page too",
        but(FIND, ("[: (request.known - 1) // self.page_tokens]", "")),
        true=("nothing-left-to-compute",),
    ),
    wrong(
        "pages.find",
        "the prompt's last token for the last known",
        but(FIND, ("request.known", "request.prompt_tokens")),
        true=("counts-the-prompt",),
    ),
    wrong(
        "pages.find", "jumps over gaps", but(FIND, ("break", "continue")), true=("over-the-gap",)
    ),
    wrong(
        "pages.find",
        "page 0 taken for nothing",
        but(FIND, ("if page is None", "if not page")),
        true=("without-page-0",),
    ),
    wrong(
        "pages.find",
        "not the last found page",
        but(FIND, ("return found", "return found[:-1]")),
        true=("one-page-short",),
    ),
    wrong(
        "pages.find",
        "held pages alone",
        but(FIND, ("if page is None", "if page is None or page in self.idle")),
        true=("held-alone",),
    ),
    wrong("pages.find", "keys for pages", but(FIND, ("found.append(page)", "found.append(key)"))),
    wrong("pages.find", "only the first", but(FIND, ("return found", "return found[:1]"))),
    right(
        "pages.find",
        "takewhile",
        """
def find(self, request):
    from itertools import takewhile
    most = (request.known - 1) // self.page_tokens
    there = takewhile(self.page_of.__contains__, request.keys[:most])
    return [self.page_of[key] for key in there]
""",
    ),
    right(
        "pages.find",
        "counted up, then looked up",
        """
def find(self, request):
    count = 0
    while (
        count < len(request.keys)
        and (count + 1) * self.page_tokens < request.known
        and request.keys[count] in self.page_of
    ):
        count += 1
    return list(map(self.page_of.get, request.keys[:count]))
""",
    ),
    wrong(
        "pages.publish",
        "the last one is found",
        but(PUBLISH, ("        if key not in self.page_of:\n    ", "        if True:\n    ")),
        true=("the-latest-wins",),
    ),
    wrong(
        "pages.publish",
        "an answer's page has no key",
        but(
            PUBLISH,
            (
                "for key, page in zip(request.keys[before:after], request.pages[before:after]):",
                "for i in range(before, after):\n"
                "        key, page = request.keys[i], request.pages[i]",
            ),
        ),
        true=("answers-too",),
    ),
    wrong(
        "pages.publish",
        "the new tokens counted again",
        but(
            PUBLISH,
            ("(request.computed - new_tokens)", "request.computed"),
            ("after = request.computed", "after = (request.computed + new_tokens)"),
        ),
        true=("counts-new-tokens-twice",),
    ),
    wrong(
        "pages.publish",
        "a page that was begun before",
        but(
            PUBLISH,
            (
                "(request.computed - new_tokens) // self.page_tokens",
                "self.pages_for(request.computed - new_tokens)",
            ),
        ),
        true=("begun-before",),
    ),
    wrong(
        "pages.publish",
        "no way back",
        but(PUBLISH, ("            self.key_of[page] = key\n", "")),
        true=("one-way",),
    ),
    wrong(
        "pages.publish",
        "a page filled in part",
        but(
            PUBLISH,
            (
                "after = request.computed // self.page_tokens",
                "after = self.pages_for(request.computed)",
            ),
        ),
        true=("half-full-pages",),
    ),
    wrong(
        "pages.publish",
        "a way back from the second page too",
        but(
            PUBLISH, ("            self.key_of[page] = key\n", "        self.key_of[page] = key\n")
        ),
    ),
    wrong(
        "pages.publish", "one page at most", but(PUBLISH, ("[before:after]", "[before:after][-1:]"))
    ),
    right(
        "pages.publish",
        "setdefault",
        """
def publish(self, request, new_tokens):
    size = self.page_tokens
    for i, (key, page) in enumerate(zip(request.keys, request.pages)):
        if request.computed - new_tokens < (i + 1) * size <= request.computed:
            if self.page_of.setdefault(key, page) == page:
                self.key_of[page] = key
""",
    ),
    right(
        "pages.publish",
        "token by token",
        """
def publish(self, request, new_tokens):
    for end in range(request.computed - new_tokens + 1, request.computed + 1):
        index, rest = divmod(end, self.page_tokens)
        if rest == 0 and index <= len(request.keys):
            key, page = request.keys[index - 1], request.pages[index - 1]
            if key not in self.page_of:
                self.page_of[key], self.key_of[page] = page, key
""",
    ),
    wrong(
        "pages.fits",
        "what is found and idle counts twice",
        but(HOLDING, ("num_free - idle", "num_free")),
        true=("counts-idle-twice",),
    ),
    wrong(
        "pages.fits",
        "as if nothing were found",
        but(
            HOLDING,
            (
                "(request.known) - len(found) <= self.num_free - idle",
                "(request.known) <= self.num_free",
            ),
        ),
        true=("ignores-what-is-found",),
    ),
    wrong(
        "pages.fits",
        "still idle when held",
        but(HOLDING, ("            self.idle.pop(page, None)\n", "")),
        true=("held-and-idle",),
    ),
    wrong(
        "pages.fits",
        "room for the next token too",
        but(HOLDING, ("(request.known)", "(request.known + 1)")),
        true=("room-for-the-next",),
    ),
    wrong(
        "pages.fits",
        "the prompt alone",
        but(HOLDING, ("request.known", "request.prompt_tokens")),
        true=("counts-the-prompt",),
    ),
    wrong(
        "pages.fits",
        "a page has to remain",
        but(HOLDING, ("<= self.num_free", "< self.num_free")),
        true=("keeps-one-back",),
    ),
    wrong("pages.fits", "one owner", but(HOLDING, ("+= 1", "= 1")), true=("one-owner",)),
    wrong(
        "pages.fits",
        "blank pages alone",
        but(HOLDING, ("self.num_free - idle", "len(self.blank)")),
        true=("blank-alone",),
    ),
    right(
        "pages.fits",
        "sets of pages",
        """
from labutils.engine import PagePool

class Holding(PagePool):
    def hold(self, pages):
        for page in pages:
            if page in self.idle:
                del self.idle[page]
            self.owners[page] = self.owners[page] + 1
    def fits(self, request):
        found = set(self.find(request))
        to_be_had = (set(self.blank) | set(self.idle)) - found
        return len(found) + len(to_be_had) >= -(-request.known // self.page_tokens)
""",
    ),
    right(
        "pages.fits",
        "idle ones by their owners",
        but(
            HOLDING,
            (
                "sum(page in self.idle for page in found)",
                "[self.owners[p] for p in found].count(0)",
            ),
            (
                "            self.idle.pop(page, None)\n",
                "        for page in set(pages) & self.idle.keys():\n"
                "            self.idle.pop(page)\n",
            ),
            (
                "        for page in pages:\n            self.owners",
                "        pages = list(pages)\n        for page in pages:\n            self.owners",
            ),
        ),
    ),
    wrong(
        "pages.start",
        "takes before it holds",
        but(
            START,
            ("    self.hold(found)\n", ""),
            ("- len(found))\n", "- len(found))\n    self.hold(found)\n"),
        ),
        true=("evicts-what-it-found",),
    ),
    wrong(
        "pages.start",
        "cached at every start",
        but(START, ("if request.cached is None", "if True")),
        true=("counts-every-start",),
    ),
    wrong(
        "pages.start",
        "holds, then is refused",
        but(START, ('    if not self.fits(request):\n        raise OutOfPages("no room")\n', "")),
        true=("held-and-refused",),
    ),
    wrong(
        "pages.start",
        "found but not computed",
        but(START, ("request.computed = len(found) * self.page_tokens", "request.computed = 0")),
        true=("computes-all-again",),
    ),
    wrong(
        "pages.start",
        "new pages for all",
        but(START, ("(request.known) - len(found)", "(request.known)")),
        true=("fresh-for-all",),
    ),
    wrong(
        "pages.start",
        "room for what it knows",
        but(
            START,
            (
                "len(request.pages) * self.page_tokens\n    request.c",
                "request.known\n    request.c",
            ),
        ),
        true=("room-for-the-known",),
    ),
    wrong(
        "pages.start",
        "pages for the prompt alone",
        but(START, ("request.known", "request.prompt_tokens")),
        true=("prompt-alone",),
    ),
    wrong(
        "pages.start",
        "cached in pages",
        but(START, ("request.cached = request.computed", "request.cached = len(found)")),
        true=("cached-in-pages",),
    ),
    right(
        "pages.start",
        "counted by itself",
        """
def start(self, request):
    found = self.find(request)
    lacking = self.pages_for(request.known) - len(found)
    if lacking > len((set(self.blank) | set(self.idle)).difference(found)):
        raise OutOfPages(f"{lacking} pages are lacking")
    self.hold(found)
    request.pages = [*found, *self.take(lacking)]
    request.room = self.pages_for(request.known) * self.page_tokens
    request.computed = self.page_tokens * len(found)
    request.cached = request.computed if request.cached is None else request.cached
""",
    ),
    right(
        "pages.start",
        "grown page by page",
        """
def start(self, request):
    if not self.fits(request):
        raise OutOfPages()
    request.pages = list(self.find(request))
    self.hold(tuple(request.pages))
    request.computed = request.room = len(request.pages) * self.page_tokens
    if request.cached is None:
        request.cached = request.computed
    while request.room < request.known:
        self.grow(request)
""",
    ),
    wrong(
        "pages.evict",
        "the newest goes first",
        but(EVICTING, ("popitem(last=False)", "popitem()")),
        true=("newest-first",),
    ),
    wrong(
        "pages.evict", "can still be found", but(EVICTING, ("        del self.page_of[key]\n", ""))
    ),
    wrong(
        "pages.evict",
        "the page keeps its key",
        but(EVICTING, ("key_of.pop(page)", "key_of[page]")),
        true=("keeps-one-key",),
    ),
    wrong(
        "pages.evict",
        "blank and given out",
        but(
            EVICTING,
            ("        return page", "        self.blank.append(page)\n        return page"),
        ),
        true=("handed-out-and-blank",),
    ),
    wrong(
        "pages.evict",
        "all dropped pages are idle",
        but(
            EVICTING,
            (
                EVICTING[
                    EVICTING.index("        if page") : EVICTING.index("    def evict")
                ].rstrip(),
                "        self.idle[page] = None",
            ),
        ),
        true=("all-is-idle",),
    ),
    wrong(
        "pages.evict",
        "all dropped pages are blank",
        but(EVICTING, ("if page in self.key_of", "if False")),
    ),
    wrong(
        "pages.evict",
        "stays idle",
        but(EVICTING, ("page, _ = self.idle.popitem(last=False)", "page = next(iter(self.idle))")),
        true=("handed-out-and-idle",),
    ),
    wrong("pages.evict", "returns the key", but(EVICTING, ("return page", "return key"))),
    right(
        "pages.evict",
        "first of the dict",
        """
from labutils.engine import PagePool

class Evicting(PagePool):
    def drop(self, page):
        if self.key_of.get(page) is None:
            self.blank.append(page)
            return
        self.idle[page] = None
        self.idle.move_to_end(page)
    def evict(self):
        page = next(iter(self.idle))
        del self.idle[page], self.page_of[self.key_of[page]], self.key_of[page]
        return page
""",
    ),
    right(
        "pages.evict",
        "by cases",
        but(
            EVICTING,
            ("self.idle[page] = None", "self.idle.update({page: None})"),
            (
                "page, _ = self.idle.popitem(last=False)",
                "page = list(self.idle)[0]\n        self.idle.pop(page)",
            ),
            ("del self.page_of[key]", "self.page_of.pop(key)"),
        ),
    ),
    wrong(
        "paged.bugs",
        "the first report alone",
        but(
            BUGS,
            ("[: (tokens - 1) // self.page_tokens]", ""),
            (
                FORGETS,
                "",
            ),
        ),
        true=("nothing-to-compute",),
    ),
    wrong(
        "paged.bugs",
        "evicted pages keep their key",
        but(
            BUGS,
            (
                FORGETS,
                "",
            ),
        ),
        true=("stale-key",),
    ),
    wrong(
        "paged.bugs",
        "all of it from the cache",
        but(BUGS, ("[: (tokens - 1) // self.page_tokens]", "")),
        true=("nothing-to-compute",),
    ),
    wrong(
        "paged.bugs",
        "planned before the hit is known",
        but(
            BUGS,
            (
                "        found = ",
                "        planned = tokens - self.cached.get(request, 0)\n        found = ",
            ),
            (
                "return self.cached[request], tokens",
                "return self.cached[request], self.cached[request] + planned",
            ),
        ),
        true=("plans-too-early",),
    ),
    wrong(
        "paged.bugs",
        "as it was",
        """
from labutils.exercises.catalog.paged_kv_cache.shelf import Shelf

class PageCache(Shelf):
    def admit(self, request, tokens, keys):
        planned = tokens - self.cached.get(request, 0)
        found = self.known_pages(keys)
        self.cached[request] = len(found) * self.page_tokens
        self.fill(request, found, tokens)
        return self.cached[request], self.cached[request] + planned
    def new_page(self):
        return self.free.popleft()
""",
        true=("not_attempted",),
    ),
    wrong(
        "paged.bugs",
        "the end counts",
        but(BUGS, ("self.cached[request], tokens", "self.cached[request], tokens - 1")),
    ),
    wrong(
        "paged.bugs",
        "a length for the end",
        but(
            BUGS,
            ("self.cached[request], tokens", "self.cached[request], tokens - self.cached[request]"),
        ),
        true=("cuts-the-end",),
    ),
    wrong(
        "paged.bugs",
        "nothing is found any more",
        but(BUGS, ("[: (tokens - 1) // self.page_tokens]", "[:0]")),
        true=("finds-nothing",),
    ),
    right(
        "paged.bugs",
        "keys cut before the search",
        """
from labutils.exercises.catalog.paged_kv_cache.shelf import Shelf

class PageCache(Shelf):
    def admit(self, request, tokens, keys):
        whole = max(0, -(-tokens // self.page_tokens) - 1)
        found = self.known_pages(list(keys)[:whole])
        start = len(found) * self.page_tokens
        self.cached.update({request: start})
        self.fill(request, found, tokens)
        return (start, tokens)
    def new_page(self):
        page = self.free.popleft()
        if page in self.key_of:
            self.page_of.pop(self.key_of.pop(page))
        return page
""",
    ),
    right(
        "paged.bugs",
        "popped until something is left to compute",
        but(
            BUGS,
            (
                "[: (tokens - 1) // self.page_tokens]",
                "\n        while len(found) * self.page_tokens >= tokens:\n            found.pop()",
            ),
            (
                "            del self.page_of[key]",
                "            self.page_of = {k: p for k, p in self.page_of.items() if k != key}",
            ),
        ),
    ),
]
