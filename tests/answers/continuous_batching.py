"""Trial answers to the exercises of chapter 07."""

from tests.answers.answer import right, wrong

SLOTS = """
def slot_efficiency(lengths, batch):
    paid = 0
    for i in range(0, len(lengths), batch):
        paid += batch * max(lengths[i : i + batch])
    return sum(lengths) / paid
"""
DRIVE = """
def drive_mine(requests, seats, memory_tokens):
    return drive(Mine(seats, memory_tokens), requests)
"""
MINE = """
class Mine(Seats):
    def schedule(self, now_s):
        chunks = [(request, 1) for request in self.held]
        used = sum(self.held.values()) + len(self.held)
        while self.waiting and len(chunks) < self.seats:
            head = self.waiting[0]
            if used + head.prompt_tokens > self.memory_tokens:
                break
            used += head.prompt_tokens
            chunks.append((self.waiting.pop(0), head.prompt_tokens))
        return Plan(chunks) if chunks else None
"""
ADMIT = """
def admit(view):
    pages = -(-(view.prompt_tokens - view.cached_tokens) // view.page_tokens)
    return view.running < view.max_sequences and view.free_pages - pages >= view.running
"""
EACH = """
def admit_each(views):
    return [admit(view) for view in views]
"""
HAND = {"A": 1, "B": 1, "C": 1, "D": 4, "E": 6, "F": 8, "G": 10, "H": 17, "I": 17, "J": 21}


def slots(old: str, new: str) -> str:
    """The share of the slots with one piece replaced."""
    assert old in SLOTS
    return SLOTS.replace(old, new)


def mine(*pairs: tuple[str, str]) -> str:
    """The scheduler with some pieces replaced."""
    source = MINE
    for old, new in pairs:
        assert old in source
        source = source.replace(old, new)
    return source + DRIVE


def admit(old: str, new: str) -> str:
    """The rule of admission with one piece replaced."""
    assert old in ADMIT
    return ADMIT.replace(old, new) + EACH


ANSWERS = [
    wrong(
        "continuous.slot_efficiency",
        "the mean of the batches' shares",
        """
def slot_efficiency(lengths, batch):
    groups = [lengths[i : i + batch] for i in range(0, len(lengths), batch)]
    return float(np.mean([sum(g) / (batch * max(g)) for g in groups]))
""",
        true=("mean-of-ratios",),
    ),
    wrong(
        "continuous.slot_efficiency",
        "the last batch pays for what it has",
        slots(
            "paid += batch * max(lengths[i : i + batch])",
            "paid += len(lengths[i : i + batch]) * max(lengths[i : i + batch])",
        ),
        true=("short-last-batch",),
    ),
    wrong(
        "continuous.slot_efficiency",
        "mean over the longest of all",
        """
def slot_efficiency(lengths, batch):
    return sum(lengths) / len(lengths) / max(lengths)
""",
        true=("mean-over-longest",),
    ),
    wrong(
        "continuous.slot_efficiency",
        "the last, partial batch is left out",
        """
def slot_efficiency(lengths, batch):
    n = len(lengths) // batch * batch or len(lengths)
    paid = sum(batch * max(lengths[i : i + batch]) for i in range(0, n, batch))
    return sum(lengths[:n]) / paid
""",
    ),
    wrong(
        "continuous.slot_efficiency",
        "sorted by length first",
        """
def slot_efficiency(lengths, batch):
    lengths = sorted(lengths)
    paid = sum(batch * max(lengths[i : i + batch]) for i in range(0, len(lengths), batch))
    return sum(lengths) / paid
""",
        true=("sorted-first",),
    ),
    wrong(
        "continuous.slot_efficiency",
        "steps, not slot-steps",
        slots("batch * max", "max"),
        true=("one-slot",),
    ),
    wrong(
        "continuous.slot_efficiency",
        "in percent",
        slots("return sum", "return 100 * sum"),
        true=("per-cent",),
    ),
    wrong(
        "continuous.slot_efficiency",
        "the wasted share",
        slots("return sum(lengths) / paid", "return 1 - sum(lengths) / paid"),
        true=("waste",),
    ),
    wrong(
        "continuous.slot_efficiency",
        "exponential lengths assumed",
        """
def slot_efficiency(lengths, batch):
    return 1 / sum(1 / k for k in range(1, batch + 1))
""",
    ),
    wrong(
        "continuous.slot_efficiency",
        "batches overlap by one",
        slots("range(0, len(lengths), batch)", "range(0, len(lengths), max(1, batch - 1))"),
    ),
    right(
        "continuous.slot_efficiency",
        "padded numpy",
        """
def slot_efficiency(lengths, batch):
    a = np.asarray(lengths, dtype=float)
    a = np.pad(a, (0, -len(a) % batch)).reshape(-1, batch)
    return a.sum() / (batch * a.max(axis=1).sum())
""",
    ),
    right(
        "continuous.slot_efficiency",
        "recursion",
        """
def slot_efficiency(lengths, batch):
    def steps(rest):
        return max(rest[:batch]) + steps(rest[batch:]) if rest else 0
    from fractions import Fraction
    import sys
    sys.setrecursionlimit(100000)
    return float(Fraction(sum(lengths), batch * steps(list(lengths))))
""",
    ),
    wrong(
        "continuous.by_hand",
        "static batches",
        {"A": 1, "B": 1, "C": 1, "D": 17, "E": 17, "F": 17, "G": 29, "H": 29, "I": 29, "J": 41},
        true=("waits-for-the-batch",),
    ),
    wrong(
        "continuous.by_hand",
        "memory forgotten: H in the first free seat",
        HAND | {"H": 13, "I": 17, "J": 19},
        true=("no-memory",),
    ),
    wrong(
        "continuous.by_hand",
        "D starts when A's last step still runs",
        HAND | {"D": 3},
        true=("no-seat",),
    ),
    wrong(
        "continuous.by_hand", "small I overtakes H", HAND | {"I": 13, "H": 17}, true=("overtakes",)
    ),
    wrong("continuous.by_hand", "E before it comes", HAND | {"E": 5}, true=("too-early",)),
    wrong(
        "continuous.by_hand", "one step too late at the end", HAND | {"J": 24}, true=("too-late",)
    ),
    wrong("continuous.by_hand", "J not filled in", HAND | {"J": ...}, true=("not_attempted",)),
    right("continuous.by_hand", "the code's schedule", HAND),
    right(
        "continuous.by_hand",
        "as floats, later where it may be",
        HAND | {"H": 18.0, "I": 18.0, "J": 22.0},
    ),
    wrong(
        "continuous.scheduler",
        "the tokens of those that run are not counted",
        mine(("sum(self.held.values()) + len(self.held)", "sum(self.held.values())")),
        true=("no-growth",),
    ),
    wrong(
        "continuous.scheduler",
        "prompts admitted in this step are not counted",
        mine(("            used += head.prompt_tokens\n", "")),
        true=("free-newcomers",),
    ),
    wrong(
        "continuous.scheduler",
        "memory forgotten",
        mine(
            (
                """            if used + head.prompt_tokens > self.memory_tokens:
                break
""",
                "",
            )
        ),
        true=("no-memory",),
    ),
    wrong(
        "continuous.scheduler",
        "seats forgotten",
        mine(("self.waiting and len(chunks) < self.seats", "self.waiting")),
        true=("no-seats",),
    ),
    wrong(
        "continuous.scheduler",
        "looks past the first that does not fit",
        """
class Mine(Seats):
    def schedule(self, now_s):
        chunks = [(request, 1) for request in self.held]
        used = sum(self.held.values()) + len(self.held)
        for request in list(self.waiting):
            if len(chunks) < self.seats and used + request.prompt_tokens <= self.memory_tokens:
                self.waiting.remove(request)
                used += request.prompt_tokens
                chunks.append((request, request.prompt_tokens))
        return Plan(chunks) if chunks else None
"""
        + DRIVE,
        true=("overtaking",),
    ),
    wrong(
        "continuous.scheduler",
        "admits one a step",
        mine(
            ("        while self.waiting", "        if self.waiting"),
            (
                "                break\n",
                "                return Plan(chunks) if chunks else None\n",
            ),
        ),
        true=("one-per-step",),
    ),
    wrong(
        "continuous.scheduler",
        "one token of the prompt",
        mine(("self.waiting.pop(0), head.prompt_tokens", "self.waiting.pop(0), 1")),
    ),
    wrong(
        "continuous.scheduler",
        "the newest first",
        mine(("self.waiting[0]", "self.waiting[-1]"), ("pop(0)", "pop()")),
        true=("newest-first",),
    ),
    wrong(
        "continuous.scheduler",
        "leaves the last place in memory empty",
        mine(("> self.memory_tokens", ">= self.memory_tokens")),
        true=("not-quite-full",),
    ),
    wrong(
        "continuous.scheduler",
        "admits only when nobody runs",
        mine(("while self.waiting", "while not self.held and self.waiting")),
        true=("static",),
    ),
    wrong(
        "continuous.scheduler",
        "room for the first token of the answer as well",
        mine(("used += head.prompt_tokens", "used += head.prompt_tokens + 1")),
    ),
    wrong(
        "continuous.scheduler",
        "leaves it in the queue",
        mine(
            (
                "        while self.waiting and len(chunks) < self.seats:\n"
                "            head = self.waiting[0]\n",
                "        for head in self.waiting[: self.seats - len(chunks)]:\n",
            ),
            ("self.waiting.pop(0)", "head"),
        ),
        true=("stays-in-the-line",),
    ),
    right(
        "continuous.scheduler",
        "a generator",
        """
class Mine(Seats):
    def _new(self):
        room = self.memory_tokens - sum(n + 1 for n in self.held.values())
        for _ in range(self.seats - len(self.held)):
            if not self.waiting or self.waiting[0].prompt_tokens > room:
                return
            one = self.waiting.pop(0)
            room -= one.prompt_tokens
            yield one, one.prompt_tokens

    def schedule(self, now_s):
        chunks = [(request, 1) for request in self.held] + list(self._new())
        return Plan(chunks) if chunks else None
"""
        + DRIVE,
    ),
    right(
        "continuous.scheduler",
        "running sums of numpy",
        """
class Mine(Seats):
    def schedule(self, now_s):
        chunks = [(request, 1) for request in self.held]
        sizes = [request.prompt_tokens for request in self.waiting]
        left = self.memory_tokens - sum(self.held.values()) - len(chunks)
        n = int(np.searchsorted(np.cumsum(sizes), left, side="right")) if sizes else 0
        n = max(0, min(n, self.seats - len(chunks)))
        chunks += list(zip(self.waiting[:n], sizes[:n]))
        self.waiting = self.waiting[n:]
        return Plan(chunks) if chunks else None
"""
        + DRIVE,
    ),
    wrong(
        "continuous.admission",
        "the cached tokens are not taken off",
        admit("(view.prompt_tokens - view.cached_tokens)", "view.prompt_tokens"),
        true=("forgets-the-cache",),
    ),
    wrong(
        "continuous.admission",
        "rounded down",
        admit(
            "-(-(view.prompt_tokens - view.cached_tokens) // view.page_tokens)",
            "(view.prompt_tokens - view.cached_tokens) // view.page_tokens",
        ),
        true=("rounds-down",),
    ),
    wrong(
        "continuous.admission",
        "more than a page each",
        admit(">= view.running", "> view.running"),
        true=("refuses-the-exact-fit",),
    ),
    wrong(
        "continuous.admission",
        "a page for itself as well",
        admit(">= view.running", ">= view.running + 1"),
        true=("refuses-the-exact-fit",),
    ),
    wrong(
        "continuous.admission",
        "what fits now",
        admit(">= view.running", ">= 0"),
        true=("no-reserve",),
    ),
    wrong(
        "continuous.admission",
        "no slot needed",
        admit("view.running < view.max_sequences and ", ""),
        true=("forgets-the-seats",),
    ),
    wrong(
        "continuous.admission",
        "one slot too many",
        admit("view.running < view.max", "view.running <= view.max"),
        true=("forgets-the-seats",),
    ),
    wrong(
        "continuous.admission",
        "one page left in all",
        admit(">= view.running", ">= 1"),
        true=("one-page-in-all",),
    ),
    wrong("continuous.admission", "either will do", admit(" and view", " or view")),
    wrong(
        "continuous.admission",
        "compares tokens",
        """
def admit(view):
    new = view.prompt_tokens - view.cached_tokens
    free = view.free_pages * view.page_tokens
    return view.running < view.max_sequences and free - new >= view.running
"""
        + EACH,
    ),
    wrong(
        "continuous.admission",
        "one page more than it needs",
        admit(
            "-(-(view.prompt_tokens - view.cached_tokens) // view.page_tokens)",
            "(view.prompt_tokens - view.cached_tokens) // view.page_tokens + 1",
        ),
        true=("one-page-too-many",),
    ),
    right(
        "continuous.admission",
        "whole pages on both sides",
        """
def admit(view):
    need = math.ceil(view.prompt_tokens / view.page_tokens)
    need -= view.cached_tokens // view.page_tokens
    return all([view.max_sequences > view.running, need + view.running <= view.free_pages])
"""
        + EACH,
    ),
    right(
        "continuous.admission",
        "in places",
        """
def admit(view):
    if view.running == view.max_sequences:
        return False
    spare = (view.free_pages - view.running) * view.page_tokens
    return bool(spare >= view.prompt_tokens - view.cached_tokens)
"""
        + EACH,
    ),
    wrong("continuous.chunks", "the first token comes sooner", "a, b", true=("a",)),
    wrong("continuous.chunks", "the gap alone", "b", true=("without-d",)),
    wrong("continuous.chunks", "cheaper attention", "b, c, d", true=("c",)),
    wrong("continuous.chunks", "smaller is sooner", "b, e", true=("e",)),
    wrong("continuous.chunks", "all but the delay", "a, b, c, e", true=("a",)),
    wrong("continuous.chunks", "the delay alone", "d", true=("without-b",)),
    wrong("continuous.chunks", "delay and smaller is sooner", "b, d, e", true=("e",)),
    right("continuous.chunks", "capitals", "B D"),
    right("continuous.chunks", "with an and", "d and b"),
    wrong("continuous.budget", "the prompt tokens alone", 554, true=("prompt-tokens-alone",)),
    wrong("continuous.budget", "rounded up", 579, true=("rounded-past-the-limit",)),
    wrong(
        "continuous.budget",
        "the decodes' time forgotten",
        int(34 / 0.06) + 24,
        true=("decodes-for-free",),
    ),
    wrong(
        "continuous.budget",
        "the step's own time forgotten",
        int((40 - 0.72) / 0.06) + 24,
        true=("base-for-free",),
    ),
    right("continuous.budget", "unrounded: the same limit", 33.28 / 0.06 + 24),
    wrong("continuous.budget", "all tokens at 0.06 ms", int(34 / 0.06), true=("no-decodes",)),
    wrong("continuous.budget", "decodes at the price of both", 530, true=("both-prices",)),
    wrong("continuous.budget", "divided by the sum of both prices", int(34 / 0.09)),
    right("continuous.budget", "a float", 578.0),
    right("continuous.budget", "computed", 24 + int((40 - 6 - 24 * 0.030) // 0.060)),
]
