"""Trial answers to the exercises of chapter 06."""

from tests.answers.answer import right, wrong

CAPACITY = """
def sequences_that_fit(config, card_gb, weights_gb, context_tokens, bytes_per_value):
    heads = config["num_attention_heads"]
    kv_heads = config.get("num_key_value_heads", heads)
    head_dim = config.get("head_dim", config["hidden_size"] // heads)
    token = 2 * config["num_hidden_layers"] * kv_heads * head_dim * bytes_per_value
    rest = (0.9 * card_gb - weights_gb) * 1e9
    return max(0, int(rest // (token * context_tokens)))
"""
POOL = """
class Pool(PageBooks):
    def grow(self, request, tokens):
        total = self.tokens.get(request, 0) + tokens
        need = -(-total // self.page_tokens) - len(self.pages.get(request, []))
        if need > len(self.free):
            return False
        pages = self.pages.setdefault(request, [])
        for _ in range(need):
            pages.append(self.free.pop())
        self.tokens[request] = total
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
    """The allocator with one piece replaced."""
    assert old in POOL
    return POOL.replace(old, new)


ANSWERS = [
    wrong("kv.bytes_per_token", "query heads", 2 * 28 * 28 * 128 * 2, true=("query-heads",)),
    wrong("kv.bytes_per_token", "keys alone", 28 * 4 * 128 * 2, true=("half",)),
    wrong("kv.bytes_per_token", "one layer", 2 * 4 * 128 * 2, true=("one-layer",)),
    wrong("kv.bytes_per_token", "numbers, not bytes", 2 * 28 * 4 * 128, true=("half",)),
    wrong(
        "kv.bytes_per_token",
        "hidden width for each KV head",
        2 * 28 * 4 * 3584 * 2,
        true=("hidden-width-each",),
    ),
    wrong(
        "kv.bytes_per_token", "query, key and value", 3 * 28 * 4 * 128 * 2, true=("three-parts",)
    ),
    wrong("kv.bytes_per_token", "in KiB", 56, true=("scale",)),
    wrong("kv.bytes_per_token", "one KV head", 2 * 28 * 128 * 2, true=("a-quarter",)),
    right("kv.bytes_per_token", "a float", 57344.0),
    right("kv.bytes_per_token", "from the keys", (28 * 4 * 128 * 2) << 1),
    wrong(
        "kv.capacity",
        "hidden width over heads always",
        capacity(
            'config.get("head_dim", config["hidden_size"] // heads)',
            'config["hidden_size"] // heads',
        ),
        true=("head-dim-derived",),
    ),
    wrong(
        "kv.capacity",
        "attention heads for KV heads",
        capacity('config.get("num_key_value_heads", heads)', "heads"),
        true=("query-heads",),
    ),
    wrong("kv.capacity", "all of the card", capacity("0.9 * ", ""), true=("whole-card",)),
    wrong(
        "kv.capacity",
        "90 % of what the weights leave",
        capacity("(0.9 * card_gb - weights_gb)", "0.9 * (card_gb - weights_gb)"),
        true=("share-of-the-rest",),
    ),
    wrong("kv.capacity", "keys alone", capacity("token = 2 * ", "token = "), true=("keys-only",)),
    wrong(
        "kv.capacity",
        "weights forgotten",
        capacity(" - weights_gb", ""),
        true=("weights-forgotten",),
    ),
    wrong("kv.capacity", "GiB", capacity("1e9", "2**30"), true=("gib",)),
    wrong(
        "kv.capacity",
        "negative where the weights do not fit",
        capacity(
            "max(0, int(rest // (token * context_tokens)))", "int(rest // (token * context_tokens))"
        ),
        true=("negative",),
    ),
    wrong(
        "kv.capacity",
        "rounded to the nearest",
        capacity("int(rest // (token * context_tokens))", "round(rest / (token * context_tokens))"),
        true=("rounded-to-nearest",),
    ),
    wrong("kv.capacity", "head_dim from the KV heads", capacity("// heads)", "// kv_heads)")),
    wrong("kv.capacity", "in tokens", capacity("(token * context_tokens)", "token")),
    right(
        "kv.capacity",
        "a dict of defaults",
        """
def sequences_that_fit(config, card_gb, weights_gb, context_tokens, bytes_per_value):
    n = config["num_attention_heads"]
    full = {"num_key_value_heads": n, "head_dim": config["hidden_size"] / n} | config
    width = full["num_key_value_heads"] * full["head_dim"]
    each = 2 * width * full["num_hidden_layers"] * bytes_per_value * context_tokens
    left = 0.9 * card_gb * 1e9 - weights_gb * 1e9
    return math.floor(left / each) if left > 0 else 0
""",
    ),
    right(
        "kv.capacity",
        "counts up",
        """
def sequences_that_fit(config, card_gb, weights_gb, context_tokens, bytes_per_value):
    try:
        kv = config["num_key_value_heads"]
    except KeyError:
        kv = config["num_attention_heads"]
    if "head_dim" in config:
        d = config["head_dim"]
    else:
        d = config["hidden_size"] // config["num_attention_heads"]
    one = 2 * d * kv * config["num_hidden_layers"] * bytes_per_value * context_tokens
    room, fits = (0.9 * card_gb - weights_gb) * 10**9, 0
    while (fits + 1) * one <= room:
        fits += 1
    return fits
""",
    ),
    wrong(
        "kv.allocator",
        "pages for the new tokens alone",
        pool(
            "-(-total // self.page_tokens) - len(self.pages.get(request, []))",
            "-(-tokens // self.page_tokens)",
        ),
        true=("pages-for-each-call",),
    ),
    wrong(
        "kv.allocator",
        "rounded down",
        pool("-(-total // self.page_tokens)", "total // self.page_tokens"),
        true=("rounds-down",),
    ),
    wrong(
        "kv.allocator",
        "takes pages until none is left, then refuses",
        """
class Pool(PageBooks):
    def grow(self, request, tokens):
        self.tokens[request] = self.tokens.get(request, 0) + tokens
        pages = self.pages.setdefault(request, [])
        while len(pages) * self.page_tokens < self.tokens[request]:
            if not self.free:
                return False
            pages.append(self.free.pop())
        return True

    def release(self, request):
        self.free += self.pages.pop(request)
        self.tokens.pop(request)
""",
    ),
    wrong(
        "kv.allocator",
        "tokens of an ended request are kept",
        pool("        del self.tokens[request]\n", ""),
        true=("remembers-the-count",),
    ),
    wrong(
        "kv.allocator",
        "counts the tokens before it refuses",
        """
class Pool(PageBooks):
    def grow(self, request, tokens):
        self.tokens[request] = self.tokens.get(request, 0) + tokens
        pages = self.pages.setdefault(request, [])
        need = -(-self.tokens[request] // self.page_tokens) - len(pages)
        if need > len(self.free):
            return False
        pages += [self.free.pop() for _ in range(need)]
        return True

    def release(self, request):
        self.free += self.pages.pop(request)
        del self.tokens[request]
""",
        true=("counts-what-it-refused",),
    ),
    wrong(
        "kv.allocator",
        "one page too many where the last is full",
        pool("-(-total // self.page_tokens)", "total // self.page_tokens + 1"),
        true=("a-page-too-many",),
    ),
    wrong(
        "kv.allocator",
        "refuses the last free page",
        pool("need > len(self.free)", "need >= len(self.free)"),
        true=("keeps-one-back",),
    ),
    wrong(
        "kv.allocator",
        "reads free pages without taking them",
        pool(
            "            pages.append(self.free.pop())\n",
            "            pages.append(self.free[-1 - _])\n",
        ),
        true=("never-off-the-free-list",),
    ),
    wrong(
        "kv.allocator",
        "gives back and keeps the table",
        pool("self.pages.pop(request)", "self.pages[request]"),
        true=("two-owners",),
    ),
    wrong(
        "kv.allocator",
        "forgets the table, gives nothing back",
        pool("self.free.extend(self.pages.pop(request))", "self.pages.pop(request)"),
        true=("lost-pages",),
    ),
    wrong(
        "kv.allocator", "no answer", pool("        return True\n", ""), true=("returns-nothing",)
    ),
    right(
        "kv.allocator",
        "slices",
        """
class Pool(PageBooks):
    def grow(self, request, tokens):
        held, table = self.tokens.get(request, 0), self.pages.get(request, [])
        need = max(0, math.ceil((held + tokens) / self.page_tokens) - len(table))
        if len(self.free) < need:
            return False
        self.pages[request] = table + self.free[:need]
        self.free = self.free[need:]
        self.tokens[request] = held + tokens
        return True

    def release(self, request):
        for page in self.pages.pop(request, ()):
            self.free.insert(0, page)
        self.tokens.pop(request, None)
""",
    ),
    right(
        "kv.allocator",
        "tries, and gives back what it took",
        """
class Pool(PageBooks):
    def grow(self, request, tokens):
        fresh, old = [], self.pages.get(request, [])
        want = self.tokens.get(request, 0) + tokens
        while (len(old) + len(fresh)) * self.page_tokens < want:
            if not self.free:
                self.free.extend(reversed(fresh))
                return False
            fresh.append(self.free.pop())
        self.pages[request], self.tokens[request] = [*old, *fresh], want
        return True

    def release(self, request):
        self.free += sorted(self.pages.pop(request))
        self.tokens.pop(request)
""",
    ),
    wrong("kv.pool", "the headroom forgotten", 59_970 * 131_072 / 1e9, true=("no-headroom",)),
    wrong("kv.pool", "times 0.8", 59_970 * 131_072 / 1e9 * 0.8, true=("headroom-inverted",)),
    wrong(
        "kv.pool",
        "all tokens for the whole time",
        3 * 800 * 0.025 * 1400 * 131_072 / 1e9 / 0.8,
        true=("final-length",),
    ),
    wrong(
        "kv.pool",
        "prompts alone",
        3 * 800 * 0.025 * 600 * 131_072 / 1e9 / 0.8,
        true=("prompt-only",),
    ),
    wrong("kv.pool", "token-steps, not token-seconds", 3 * 799_600 * 131_072 / 1e9 / 0.8),
    wrong(
        "kv.pool",
        "answers alone",
        3 * 319_600 * 0.025 * 131_072 / 1e9 / 0.8,
        true=("answers-only",),
    ),
    wrong("kv.pool", "in GiB", 59_970 * 131_072 / 2**30 / 0.8, true=("gibibytes",)),
    wrong("kv.pool", "one request", 19_990 * 131_072 / 1e9 / 0.8),
    wrong("kv.pool", "in tokens", 59_970 / 0.8, true=("tokens",)),
    wrong("kv.pool", "bits for bytes", 59_970 * 131_072 / 8e9 / 0.8),
    right("kv.pool", "one decimal", 9.83),
    right("kv.pool", "the half of m² for m (m - 1) / 2", 3 * 20_000 * 131_072 / 1e9 / 0.8),
    wrong("kv.page", "one layer", 65_536, true=("one-layer",)),
    wrong("kv.page", "query heads", 2 * 32 * 32 * 128 * 2 * 16, true=("query-heads",)),
    wrong("kv.page", "keys alone", 2**20, true=("keys-only",)),
    wrong("kv.page", "one token", 131_072, true=("one-token",)),
    wrong("kv.page", "one head", 2 * 32 * 128 * 2 * 16, true=("scale",)),
    wrong("kv.page", "in MiB", 2, true=("scale",)),
    wrong("kv.page", "numbers", 2**20 + 0.0, true=("keys-only",)),
    right("kv.page", "a power", 2**21),
    right("kv.page", "a float", 2.097152e6),
    wrong("kv.gauges", "the longest run alone", "b", true=("without-d",)),
    wrong("kv.gauges", "compaction alone", "d", true=("without-b",)),
    wrong("kv.gauges", "preemptions too", "b, d, e", true=("e",)),
    wrong("kv.gauges", "those that say something", "a, c, e, f", true=("a",)),
    wrong("kv.gauges", "the fill too", "b, c, d", true=("c",)),
    wrong("kv.gauges", "free pages too", "a, b, d", true=("a",)),
    wrong("kv.gauges", "hits for compaction", "b, f", true=("f",)),
    right("kv.gauges", "in brackets, turned round", "(d) (b)"),
    right("kv.gauges", "a word in between", "b and d"),
]
